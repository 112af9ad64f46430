#include "kernel/compile/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "build_config.h"
#include "core/number_text.h"
#include "core/paths.h"
#include "core/text.h"
#include "kernel/compile/compile_cache.h"
#include "kernel/compile/compile_log.h"
#include "kernel/compile/cuda_tool.h"

namespace tilescope {
namespace {

constexpr CudaTool kAssembler{"ptxas", "TILESCOPE_PTXAS", TILESCOPE_PTXAS_HINT};

Error refused(const std::string& output) {
  const std::vector<CompileError> errors = find_errors(output);
  if (errors.empty()) {
    return {ErrorCode::kKernel,
            fmt::format("ptxas failed: {}", output.substr(0, output.find('\n'))),
            "",
            {}};
  }
  const CompileError& first = errors.front();
  return {ErrorCode::kKernel,
          fmt::format("ptxas refuses the PTX: {}", first.message),
          "",
          {"", first.ptx_line, 0}};
}

}  // namespace

std::string assembled_architecture(std::string_view target, int wanted) {
  constexpr std::string_view kPrefix = "sm_";
  if (!target.starts_with(kPrefix)) return fmt::format("sm_{}", wanted);
  const auto number = parse_number<int>(target.substr(kPrefix.size()));
  return number && *number <= wanted ? fmt::format("sm_{}", wanted) : std::string(target);
}

Result<std::filesystem::path> assembler() { return find_tool(kAssembler); }

namespace {

// By one assembler, or kept from it.
Result<AssembledPtx> assemble_with(const std::filesystem::path& program, std::string_view ptx,
                                   const std::string& architecture, const std::stop_token& stop) {
  CacheKey key;
  key.add(tool_identity(program));
  key.add(architecture);
  key.add(ptx);
  const std::string digest = key.digest();
  const CompileCache cache(cache_directory() / "compiled");
  if (auto found = cache.find(digest)) {
    return AssembledPtx{std::move(found->cubin), std::move(found->log)};
  }
  const TemporaryFile input(std::as_bytes(std::span(ptx)));
  const TemporaryFile output({});
  for (const TemporaryFile* file : {&input, &output}) {
    if (Status written = file->written(); !written) return std::move(written).error();
  }
  const auto run = run_tool(program,
                            {"-v", "--generate-line-info", "--gpu-name=" + architecture,
                             "--output-file=" + output.path(), input.path()},
                            stop);
  if (!run) return run.error();
  if (!run->succeeded) return refused(run->output);
  CompiledModule made;
  made.cubin = output.contents();
  made.log = run->output;
  if (made.cubin.empty()) return Error{ErrorCode::kMachine, "ptxas left no cubin", "", {}};
  cache.store(digest, made);
  return AssembledPtx{std::move(made.cubin), std::move(made.log)};
}

bool is_too_old(const Error& error) {
  return error.message.find("Unsupported .version") != std::string::npos;
}

}  // namespace

Result<AssembledPtx> assemble(std::string_view ptx, const std::string& architecture,
                              const std::stop_token& stop) {
  const std::vector<std::filesystem::path> programs = find_tools(kAssembler);
  if (programs.empty()) return assembler().error();
  Result<AssembledPtx> first = assemble_with(programs.front(), ptx, architecture, stop);
  if (first || !is_too_old(first.error())) return first;
  for (std::size_t i = 1; i < programs.size(); ++i) {
    Result<AssembledPtx> next = assemble_with(programs[i], ptx, architecture, stop);
    if (next || next.error().code == ErrorCode::kCancelled) return next;
  }
  Error error = first.error();
  error.remedy =
      "Install a newer ptxas (pip install nvidia-cuda-nvcc), or name one in TILESCOPE_PTXAS; until "
      "then instructions are counted as written";
  return error;
}

namespace {

constexpr CudaTool kDisassembler{"nvdisasm", "TILESCOPE_NVDISASM", TILESCOPE_NVDISASM_HINT};

// The texts of a file of instructions, in their order.
Result<std::vector<std::string>> print_file(std::span<const std::byte> words,
                                            const std::string& architecture,
                                            const std::stop_token& stop) {
  CacheKey key;
  key.add("nvdisasm -b " + architecture);
  key.add({reinterpret_cast<const char*>(words.data()), words.size()});
  const std::string digest = key.digest();
  const CompileCache cache(cache_directory() / "compiled");
  CompiledModule kept;
  if (auto found = cache.find(digest)) {
    kept = *std::move(found);
  } else {
    const auto program = disassembler();
    if (!program) return program.error();
    const TemporaryFile file(words);
    if (Status written = file.written(); !written) return std::move(written).error();
    const auto run = run_tool(*program, {"-b", architecture, file.path()}, stop);
    if (!run) return run.error();
    if (!run->succeeded) {
      return Error{ErrorCode::kMachine,
                   fmt::format("{} cannot read the machine code: {}", program->string(),
                               run->output.substr(0, run->output.find('\n'))),
                   "Take an nvdisasm at least as new as the compiler",
                   {}};
    }
    kept.listing = run->output;
    cache.store(digest, kept);
  }
  std::vector<std::string> texts;  // "        /*0010*/          @P0 EXIT ;      /* 0x0000… */"
  for (const std::string& line : lines_of(kept.listing)) {
    const std::size_t begin = line.find("/*");
    const std::size_t text = line.find("*/", std::min(begin, line.size()));
    const std::size_t end = line.find(';', std::min(text, line.size()));
    if (end == std::string_view::npos) continue;
    texts.emplace_back(trimmed(std::string_view(line).substr(text + 2, end - text - 2)));
  }
  return texts;
}

// Two texts of one instruction, of which the second stands 16 bytes behind the first, at `from`.
// They differ where they say the place that a branch goes to.
PrintedInstruction moved_to(std::uint64_t address, const std::string& text,
                            const std::string& behind, std::uint64_t from) {
  PrintedInstruction printed{text, std::nullopt};
  if (text == behind) return printed;
  std::size_t begin = 0;
  while (begin < text.size() && begin < behind.size() && text[begin] == behind[begin]) ++begin;
  begin = text.rfind("0x", begin);
  if (begin == std::string::npos) return printed;
  const std::size_t end =
      std::min(text.find_first_not_of("0123456789abcdef", begin + 2), text.size());
  const auto target =
      parse_hexadecimal<std::uint64_t>(std::string_view(text).substr(begin + 2, end - begin - 2));
  if (!target) return printed;
  printed.target = *target - from + address;
  printed.text.replace(begin, end - begin, fmt::format("`({})", label_at(*printed.target)));
  return printed;
}

// Each word is printed twice, one behind the other, which shows what depends on its address.
Result<std::vector<PrintedInstruction>> print_with_nvdisasm(int compute_capability,
                                                            std::span<const PlacedWord> words,
                                                            const std::stop_token& stop) {
  std::vector<InstructionWord> twice;
  for (const PlacedWord& placed : words) twice.insert(twice.end(), {placed.word, placed.word});
  // From Hopper on there are instructions of one architecture alone: sm_90a.
  const std::string architecture =
      fmt::format("SM{}{}", compute_capability, compute_capability >= 90 ? "a" : "");
  const auto texts = print_file(std::as_bytes(std::span(twice)), architecture, stop);
  if (!texts) return texts.error();
  if (texts->size() != twice.size()) {
    return Error{ErrorCode::kMachine,
                 fmt::format("nvdisasm printed {} of {} instructions", texts->size(), twice.size()),
                 "Take an nvdisasm at least as new as the compiler",
                 {}};
  }
  std::vector<PrintedInstruction> printed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    printed.push_back(moved_to(words[i].address, (*texts)[2 * i], (*texts)[2 * i + 1],
                               2 * i * sizeof(InstructionWord)));
  }
  return printed;
}

}  // namespace

Result<std::filesystem::path> disassembler() { return find_tool(kDisassembler); }

Result<std::string> disassemble(std::span<const std::byte> cubin, std::string_view kernel,
                                ListedLines lines, const std::stop_token& stop) {
  return list_kernel(cubin, kernel, lines,
                     [&stop](int compute_capability, std::span<const PlacedWord> words) {
                       return print_with_nvdisasm(compute_capability, words, stop);
                     });
}

}  // namespace tilescope
