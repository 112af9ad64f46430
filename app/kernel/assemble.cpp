#include "kernel/assemble.h"

#include <fmt/format.h>

#include <charconv>
#include <span>

#include "build_config.h"
#include "core/paths.h"
#include "kernel/compile_cache.h"
#include "kernel/compile_log.h"
#include "kernel/cuda_tool.h"

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
  int number = 0;
  if (!target.starts_with(kPrefix)) return fmt::format("sm_{}", wanted);
  const char* end = target.data() + target.size();
  const auto [rest, problem] = std::from_chars(target.data() + kPrefix.size(), end, number);
  const bool is_plain = problem == std::errc{} && rest == end;
  return is_plain && number <= wanted ? fmt::format("sm_{}", wanted) : std::string(target);
}

Result<std::filesystem::path> assembler() { return find_tool(kAssembler); }

Result<AssembledPtx> assemble(std::string_view ptx, const std::string& architecture,
                              const std::stop_token& stop) {
  const auto program = assembler();
  if (!program) return program.error();
  CacheKey key;
  key.add(tool_identity(*program));
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
  const auto run = run_tool(*program,
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

}  // namespace tilescope
