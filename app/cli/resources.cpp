#include "cli/resources.h"

#include <filesystem>

#include "core/paths.h"

namespace tilescope {

Result<Resources> load_resources() {
  Resources resources;
  std::vector<std::filesystem::path> folders = {resource_directory() / "kernels"};
  std::error_code ignored;
  if (const auto own = data_directory() / "kernels"; std::filesystem::is_directory(own, ignored)) {
    folders.push_back(own);
  }
  auto catalogue = load_catalogue(folders);
  if (!catalogue) return std::move(catalogue).error();
  resources.catalogue = *std::move(catalogue);
  auto devices = load_device_table(resource_directory() / "assets" / "devices.json");
  if (!devices) return std::move(devices).error();
  resources.devices = *std::move(devices);
  return resources;
}

}  // namespace tilescope
