// libFuzzer: any text as the description of a catalogue kernel; what loads is instantiated at its
// defaults and at the ends of its parameters.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/device_table.h"
#include "core/paths.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/instance.h"

namespace tilescope {
namespace {

const std::filesystem::path& folder() {
  static const std::filesystem::path made = [] {
    const auto path = std::filesystem::temp_directory_path() /
                      ("tilescope_fuzz_catalogue_" + std::to_string(getpid()));
    std::filesystem::create_directories(path / "gemm");
    std::filesystem::copy(resource_directory() / "kernels/gemm/gemm.problem.json", path / "gemm");
    std::ofstream(path / "gemm" / "01_kernel.cu") << "extern \"C\" __global__ void kernel() {}\n";
    return path;
  }();
  return made;
}

void instantiate_with(const CatalogueEntry& entry, const ParameterSet& chosen) {
  DeviceModel device;
  const auto parameters = complete_parameters(entry, chosen);
  if (!parameters) return;
  const auto instance = instantiate(entry, *parameters, entry.default_extents, device);
  static_cast<void>(instance);
}

}  // namespace
}  // namespace tilescope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tilescope;
  std::ofstream(folder() / "gemm" / "01_kernel.json", std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto catalogue = load_catalogue({folder()});
  if (!catalogue) return 0;
  for (const CatalogueEntry& entry : catalogue->entries) {
    instantiate_with(entry, {});
    for (const ParameterSpec& parameter : entry.parameters) {
      if (parameter.values.empty()) continue;
      instantiate_with(entry, {{parameter.name, parameter.values.front()}});
      instantiate_with(entry, {{parameter.name, parameter.values.back()}});
    }
  }
  return 0;
}
