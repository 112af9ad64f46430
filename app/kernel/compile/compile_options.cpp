#include "kernel/compile/compile_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

// NVRTC's --minimal leaves out textures, surfaces and what begins with "cuda": some 10 ms less,
// the PTX is the same. Only where nothing says that the program may want them.
bool is_plain(const DeviceProgram& program) {
  constexpr std::array<std::string_view, 11> kWants = {"#include", "cuda",   "<<<",        "tex1D",
                                                       "tex2D",    "tex3D",  "texCubemap", "surf1D",
                                                       "surf2D",   "surf3D", "surfCubemap"};
  return std::ranges::all_of(program.files(), [&](const DeviceSource& file) {
    return std::ranges::none_of(kWants, [&](std::string_view word) {
      return file.original().find(word) != std::string::npos;
    });
  });
}

}  // namespace

std::vector<std::string> defines_of(const KernelInstance& instance) {
  std::vector<std::string> defines;
  if (instance.problem) {
    for (const auto& [name, value] : instance.parameters) {
      defines.push_back(fmt::format("{}={}", name, value));
    }
  }
  defines.insert(defines.end(), instance.defines.begin(), instance.defines.end());
  return defines;
}

std::string_view specific_suffix(const DeviceProgram& program, int compute_capability) {
  constexpr std::array<std::string_view, 4> kSpecific = {"wgmma.", "setmaxnreg.", "tcgen05.",
                                                         "tensormap.replace"};
  const auto names_one = [&](const std::string& text) {
    return std::ranges::any_of(
        kSpecific, [&](std::string_view word) { return text.find(word) != std::string::npos; });
  };
  const bool wants =
      std::ranges::any_of(program.files(),
                          [&](const DeviceSource& file) { return names_one(file.original()); }) ||
      std::ranges::any_of(program.headers(),
                          [&](const auto& header) { return names_one(header.second); });
  return compute_capability >= 90 && wants ? "a" : "";
}

std::vector<std::string> nvrtc_options(const CompileRequest& request, const DeviceProgram& program,
                                       const NvrtcFacts& nvrtc) {
  // Functions without a mark count as the device's, so that a class's members need none. The name
  // of an architecture decides whether ptxas runs: compute_NN gives PTX alone.
  std::vector<std::string> options = {
      fmt::format("--gpu-architecture={}_{}{}", request.want_cubin ? "sm" : "compute",
                  request.compute_capability, specific_suffix(program, request.compute_capability)),
      "--generate-line-info", "--device-as-default-execution-space", "--device-int128",
      "--std=c++17"};
  if (request.want_cubin) options.emplace_back("--ptxas-options=-v");
  for (const std::string& define : defines_of(request.instance)) {
    options.push_back("--define-macro=" + define);
  }
  if (nvrtc.knows_minimal() && is_plain(program)) options.emplace_back("--minimal");
  if (nvrtc.keeps_a_cache()) options.emplace_back("--no-cache");
  return options;
}

}  // namespace tilescope
