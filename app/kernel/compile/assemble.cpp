#include "kernel/compile/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "build_config.h"
#include "core/number_text.h"
#include "core/paths.h"
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

// The sections that say what the code does; those for debuggers are ten times as long.
std::string code_and_data(std::string_view text) {
  std::string kept;
  bool keep = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (const std::size_t at = line.find(".section\t"); at != std::string_view::npos) {
      const std::string_view name = line.substr(at + std::string_view(".section\t").size());
      keep = name.starts_with(".text") || name.starts_with(".nv.info") ||
             name.starts_with(".nv.constant") || name.starts_with(".nv.global") ||
             name.starts_with(".nv.shared");
    }
    if (keep) kept += line;
  }
  return kept;
}

Result<std::string> list(const std::filesystem::path& program,
                         const std::vector<std::string>& arguments, const std::stop_token& stop) {
  const auto run = run_tool(program, arguments, stop);
  if (!run) return run.error();
  if (run->succeeded) return code_and_data(run->output);
  return Error{ErrorCode::kMachine,
               fmt::format("{} could not read the compiled kernel: {}", program.string(),
                           run->output.substr(0, run->output.find('\n'))),
               "Take an nvdisasm at least as new as the compiler",
               {}};
}

}  // namespace

Result<std::filesystem::path> disassembler() { return find_tool(kDisassembler); }

Result<std::string> disassemble(std::span<const std::byte> cubin, std::string_view kernel,
                                ListedLines lines, const std::stop_token& stop) {
  if (auto listing = list_kernel(cubin, kernel, lines)) return *std::move(listing);
  return list_with_nvdisasm(cubin, lines, stop);
}

Result<std::string> list_with_nvdisasm(std::span<const std::byte> cubin, ListedLines lines,
                                       const std::stop_token& stop) {
  const std::string option = lines == ListedLines::kSource ? "-gi" : "-gp";
  CacheKey key;
  key.add("nvdisasm " + option);
  key.add({reinterpret_cast<const char*>(cubin.data()), cubin.size()});
  const std::string digest = key.digest();
  const CompileCache cache(cache_directory() / "compiled");
  if (const auto found = cache.find(digest)) return found->listing;
  const auto program = disassembler();
  if (!program) return program.error();
  const TemporaryFile file(cubin);
  if (Status written = file.written(); !written) return std::move(written).error();
  // The analysis of data flow takes a third of the time and adds one thing: where an indirect
  // branch may go.
  auto listing = list(*program, {option, "-ndf", file.path()}, stop);
  if (listing &&
      (listing->find(" BRX") != std::string::npos || listing->find(" JMX") != std::string::npos)) {
    listing = list(*program, {option, file.path()}, stop);
  }
  if (!listing) return listing.error();
  CompiledModule kept;
  kept.listing = *std::move(listing);
  cache.store(digest, kept);
  return kept.listing;
}

}  // namespace tilescope
