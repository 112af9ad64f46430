#include "kernel/nvcc.h"

#include <fmt/format.h>

#include <span>

#include "core/paths.h"
#include "kernel/compile_cache.h"
#include "kernel/compile_options.h"
#include "kernel/cuda_tool.h"
#include "kernel/ptx_file.h"
#include "kernel/ptx_place.h"
#include "kernel/source_name.h"

namespace tilescope {
namespace {

constexpr CudaTool kNvcc{"nvcc", "TILESCOPE_NVCC", ""};

// "nvcc 13.0", as the PTX that it made says.
std::string version_in(std::string_view ptx) {
  constexpr std::string_view kRelease = "Cuda compilation tools, release ";
  const std::size_t at = ptx.find(kRelease);
  if (at == std::string_view::npos) return "nvcc";
  const std::string_view rest = ptx.substr(at + kRelease.size());
  return fmt::format("nvcc {}", rest.substr(0, rest.find_first_of(", \n")));
}

// Lines and files are the source's own.
Result<std::string> run_nvcc(const std::filesystem::path& program, const KernelInstance& instance,
                             const std::string& target, const std::stop_token& stop) {
  const TemporaryFile input(std::as_bytes(std::span(instance.source)));
  const TemporaryFile output({});
  for (const TemporaryFile* file : {&input, &output}) {
    if (Status written = file->written(); !written) return std::move(written).error();
  }
  const std::filesystem::path beside = std::filesystem::path(instance.file_name).parent_path();
  std::vector<std::string> arguments = {
      "--ptx",
      "--generate-line-info",
      "--std=c++17",
      "--x=cu",
      "--gpu-architecture=" + target,
      "--output-file=" + output.path(),
      "--include-path=" + (beside.empty() ? "." : beside.string())};
  for (const std::string& folder : instance.include_directories) {
    arguments.push_back("--include-path=" + folder);
  }
  for (const std::string& define : defines_of(instance)) {
    arguments.push_back("--define-macro=" + define);
  }
  arguments.push_back(input.path());
  const auto run = run_tool(program, arguments, stop);
  if (!run) return run.error();
  const std::vector<std::byte> made = output.contents();
  if (!run->succeeded || made.empty()) {
    return Error{ErrorCode::kKernel, "nvcc does not compile the file either", "", {}};
  }
  std::string ptx{reinterpret_cast<const char*>(made.data()), made.size()};
  // nvcc read a copy of the file from the temporary folder.
  ptx = renamed(std::move(ptx), input.path(), plain_name(instance.file_name));
  return with_given_name(std::move(ptx), instance.file_name);
}

}  // namespace

Result<std::filesystem::path> nvcc() { return find_tool(kNvcc); }

Result<CompiledKernel> compile_with_nvcc(const CompileRequest& request,
                                         const DeviceProgram& program, const std::string& digest,
                                         const std::stop_token& stop) {
  const auto tool = nvcc();
  if (!tool) return tool.error();
  CacheKey key;
  key.add(tool_identity(*tool));
  key.add(digest);
  const CompileCache cache(cache_directory() / "compiled");
  CompiledModule module;
  if (auto kept = cache.find(key.digest()); kept && program.is_closed()) {
    module = *std::move(kept);
  } else {
    const std::string target = fmt::format("compute_{}{}", request.compute_capability,
                                           specific_suffix(program, request.compute_capability));
    auto ptx = run_nvcc(*tool, request.instance, target, stop);
    if (!ptx) return std::move(ptx).error();
    module.ptx = *std::move(ptx);
    if (program.is_closed()) cache.store(key.digest(), module);
  }
  Result<CompiledKernel> compiled = open_ptx(std::move(module.ptx), request, stop);
  if (compiled) compiled->compiler = version_in(compiled->ptx);
  return compiled;
}

}  // namespace tilescope
