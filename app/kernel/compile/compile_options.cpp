#include "kernel/compile/compile_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kernel/text/cuda_lexer.h"

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

// The word is none of C++17, and nvcc only warns of it.
bool uses(const DeviceProgram& program, std::string_view word) {
  return std::ranges::any_of(program.files(),
                             [&](const DeviceSource& file) { return file.uses(word); });
}

// What only C++20 has.
bool has_concepts(const DeviceProgram& program) {
  return uses(program, "concept") || uses(program, "requires");
}

// E{.code = 3}: C++20, which nvcc takes under C++17 too.
bool has_designated_initialiser(const DeviceProgram& program) {
  return std::ranges::any_of(program.files(), [](const DeviceSource& file) {
    const std::vector<CudaToken> tokens = tokenize(file.original());
    for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
      const bool begins = tokens[i].is("{") || tokens[i].is(",");
      const bool sets = tokens[i + 3].is("=") || tokens[i + 3].is("{");
      if (begins && sets && tokens[i + 1].is(".") && tokens[i + 2].kind == CudaTokenKind::kWord) {
        return true;
      }
    }
    return false;
  });
}

// Words of Visual Studio's compiler, and what they mean elsewhere.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOfVisualStudio{{
    {"__declspec", "__declspec(where)="},
    {"__stdcall", "__stdcall="},
    {"__cdecl", "__cdecl="},
    {"__fastcall", "__fastcall="},
    {"__vectorcall", "__vectorcall="},
    {"__forceinline", "__forceinline=inline"},
}};

}  // namespace

std::string_view language_standard(const DeviceProgram& program) {
  const bool is_newer = has_designated_initialiser(program) || has_concepts(program);
  return is_newer ? "--std=c++20" : "--std=c++17";
}

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
      std::string(language_standard(program))};

  if (uses(program, "register")) options.emplace_back("--define-macro=register=");
  if (uses(program, "__asm__")) options.emplace_back("--define-macro=__asm__=asm");  // gcc's word
  for (const auto& [word, meaning] : kOfVisualStudio) {
    if (uses(program, word)) options.push_back(fmt::format("--define-macro={}", meaning));
  }
  if (request.want_cubin) options.emplace_back("--ptxas-options=-v");
  if (request.is_relocatable) options.emplace_back("--relocatable-device-code=true");
  for (const std::string& define : defines_of(request.instance)) {
    options.push_back("--define-macro=" + define);
  }
  if (nvrtc.knows_minimal() && is_plain(program)) options.emplace_back("--minimal");
  if (nvrtc.keeps_a_cache()) options.emplace_back("--no-cache");
  return options;
}

}  // namespace tilescope
