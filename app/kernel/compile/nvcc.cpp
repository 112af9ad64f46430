#include "kernel/compile/nvcc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <span>
#include <string_view>
#include <utility>

#include "core/paths.h"
#include "kernel/compile/compile.h"
#include "kernel/compile/compile_cache.h"
#include "kernel/compile/compile_options.h"
#include "kernel/compile/cuda_tool.h"
#include "kernel/compile/opened_ptx.h"
#include "kernel/compile/virtual_headers.h"
#include "kernel/source/device_source.h"

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
Result<std::string> run_nvcc(const std::filesystem::path& program, const NvccRequest& wanted,
                             const std::string& target, const std::stop_token& stop) {
  const KernelInstance& instance = wanted.request.instance;
  std::string source = instance.source;
  // Host code that launches the template with these arguments may not be there.
  if (!wanted.kernel.empty()) {
    source += fmt::format("\nauto* const tilescope_instance = &{};\n", wanted.kernel);
  }
  const TemporaryFile input(std::as_bytes(std::span(source)));
  const TemporaryFile output({});
  for (const TemporaryFile* file : {&input, &output}) {
    if (Status written = file->written(); !written) return std::move(written).error();
  }
  std::vector<std::string> arguments = {"--ptx",
                                        "--generate-line-info",
                                        std::string(language_standard(wanted.program)),
                                        "--x=cu",
                                        "--extended-lambda",
                                        "--expt-relaxed-constexpr",
                                        "--gpu-architecture=" + target,
                                        "--output-file=" + output.path()};
  if (wanted.launches_kernels) arguments.emplace_back("--relocatable-device-code=true");
  for (const std::string& folder : wanted.program.header_folders_used()) {
    arguments.push_back("--include-path=" + folder);
  }
  arguments.push_back("--include-path=" + shipped_headers().string());
  for (const std::string& define : defines_of(instance)) {
    arguments.push_back("--define-macro=" + define);
  }
  arguments.push_back(input.path());
  auto run = run_tool(program, arguments, stop);
  for (bool again = true; again && run && !run->succeeded;) {
    again = false;
    for (std::string& option : headers_of_older_cuda(run->output)) {
      if (std::ranges::find(arguments, option) != arguments.end()) continue;
      arguments.push_back(std::move(option));
      again = true;
    }
    if (again) run = run_tool(program, arguments, stop);
  }
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

std::string key_of(const std::filesystem::path& tool, const std::string& digest) {
  CacheKey key;
  key.add(tool_identity(tool));
  key.add(digest);
  return key.digest();
}

CompileCache compiled_before() { return CompileCache(cache_directory() / "compiled"); }

}  // namespace

std::vector<std::string> headers_of_older_cuda(const std::string& message) {
  const std::array<std::pair<const char*, std::string_view>, 8> kHeaders{{
      {"(texture|surface) is not a template", "older_textures.h"},
      {"cudaDeviceProp[^ ]* has no member|cudaMemLocation|\"cudaThread[A-Za-z]+\" is undefined",
       "older_runtime.h"},
      {"namespace \"cub\" has no member", kOlderCub},
      {"namespace \"thrust\" has no member( class)? "
       "\"(unary_function|binary_function|identity|not1|not2)\"",
       "older_thrust.h"},
      {"\"__(shfl|shfl_up|shfl_down|shfl_xor|ballot|all|any)\" is undefined", kOldWarpFunctions},
      {"cuCtxCreate_v4|too few arguments in function call\n[^\n]*cuCtxCreate", "older_driver.h"},
      {"CUFFT_(INCOMPLETE_PARAMETER_LIST|PARSE_ERROR|LICENSE_ERROR)[^ ]* (is|was) ", "older_fft.h"},
      {R"(\b(dllimport|dllexport|__declspec|__stdcall|__cdecl|)"
       R"(__fastcall|__vectorcall|__forceinline)\b)",
       "visual_studio.h"},
  }};
  std::vector<std::string> options;
  for (const auto& [sign, name] : kHeaders) {
    if (!std::regex_search(message, std::regex(sign))) continue;
    options.push_back("--pre-include=" + (shipped_headers() / name).string());
  }
  return options;
}

Result<std::filesystem::path> nvcc() { return find_tool(kNvcc); }

bool nvcc_answers_at_once(const NvccRequest& wanted) {
  const auto tool = nvcc();
  return !tool ||
         (wanted.program.is_closed() && compiled_before().find(key_of(*tool, wanted.digest)));
}

Result<CompiledKernel> compile_with_nvcc(const NvccRequest& wanted, const std::stop_token& stop) {
  const auto tool = nvcc();
  if (!tool) return tool.error();
  const DeviceProgram& program = wanted.program;
  const CompileRequest& request = wanted.request;
  const std::string key = key_of(*tool, wanted.digest);
  const CompileCache cache = compiled_before();
  static CompileFlights flights;  // its PTX is what all want, with a cubin or without
  const CompileFlights::Turn turn(flights, key);
  CompiledModule module;
  if (auto kept = cache.find(key); kept && program.is_closed()) {
    module = *std::move(kept);
  } else {
    const std::string target = fmt::format("compute_{}{}", request.compute_capability,
                                           specific_suffix(program, request.compute_capability));
    auto ptx = run_nvcc(*tool, wanted, target, stop);
    if (!ptx) return std::move(ptx).error();
    module.ptx = *std::move(ptx);
    if (program.is_closed()) cache.store(key, module);
  }
  Result<CompiledKernel> compiled = open_ptx(std::move(module.ptx), request, stop);
  if (compiled) compiled->compiler = version_in(compiled->ptx);
  return compiled;
}

}  // namespace tilescope
