#include "kernel/disassemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "build_config.h"
#include "core/paths.h"
#include "kernel/compile_cache.h"
#include "kernel/cuda_tool.h"

namespace tilescope {
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

}  // namespace

Result<std::filesystem::path> disassembler() { return find_tool(kDisassembler); }

Result<std::string> disassemble(std::span<const std::byte> cubin, ListedLines lines,
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
  const auto run = run_tool(*program, {option, file.path()}, stop);
  if (!run) return run.error();
  if (!run->succeeded) {
    return Error{ErrorCode::kMachine,
                 fmt::format("{} could not read the compiled kernel: {}", program->string(),
                             run->output.substr(0, run->output.find('\n'))),
                 "Take an nvdisasm at least as new as the compiler",
                 {}};
  }
  CompiledModule kept;
  kept.listing = code_and_data(run->output);
  cache.store(digest, kept);
  return kept.listing;
}

}  // namespace tilescope
