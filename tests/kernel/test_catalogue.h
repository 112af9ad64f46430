#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/device_table.h"
#include "core/paths.h"
#include "kernel/catalogue.h"
#include "kernel/instance.h"

namespace tilescope::testing {

inline const Catalogue& catalogue() {
  static const Result<Catalogue> kLoaded = load_catalogue({resource_directory() / "kernels"});
  EXPECT_TRUE(kLoaded.ok()) << to_string(kLoaded.error());
  return *kLoaded;
}

inline const CatalogueEntry& entry(const std::string& id) {
  const CatalogueEntry* found = catalogue().find(id);
  EXPECT_NE(found, nullptr) << id;
  return *found;
}

inline DeviceModel device(int compute_capability) {
  static const auto kTable = load_device_table(resource_directory() / "assets/devices.json");
  EXPECT_TRUE(kTable.ok());
  const DeviceModel* found = find_device(*kTable, compute_capability);
  EXPECT_NE(found, nullptr) << compute_capability;
  return *found;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// A folder of the test's own, empty at first, gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tilescope-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tilescope::testing
