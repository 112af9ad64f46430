#include "core/cuda_folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "build_config.h"
#include "core/cuda_packages.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

// A variable of the environment, as it was before at the end of its life.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    ::unsetenv(name_);
    if (before_) ::setenv(name_, before_->c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// A machine with a toolkit, an environment with NVIDIA's packages, and fetched ones.
class CudaFolders : public ::testing::Test {
 protected:
  fs::path make(const fs::path& name) const {
    fs::create_directories(folder_ / name);
    return folder_ / name;
  }
  [[nodiscard]] std::vector<fs::path> roots() const {
    std::vector<fs::path> found;
    for (const CudaPlace& place : cuda_places()) {
      for (const fs::path& root : place.roots) {
        if (root.string().starts_with(folder_.path().string())) found.push_back(root);
      }
    }
    return found;
  }

  TemporaryFolder folder_;
  Variable home_{"HOME", (folder_ / "home").string()};
  Variable toolkit_{"CUDA_HOME", (folder_ / "toolkit").string()};
  Variable environment_{"VIRTUAL_ENV", (folder_ / "venv").string()};
  Variable cache_{"XDG_CACHE_HOME", (folder_ / "cache").string()};
  const fs::path packages_ = "venv/lib/python3.11/site-packages";
};

TEST_F(CudaFolders, AToolkitIsBeforePackagesAndThoseBeforeWhatWasFetched) {
  const fs::path fetched = make("cache/tilescope/nvidia-packages/nvidia/cu13");
  const fs::path of_home = make("home/.local/lib/python3.9/site-packages/nvidia/cu13");
  const fs::path of_environment = make(packages_ / "nvidia/cu13");
  const fs::path toolkit = make("toolkit");
  EXPECT_EQ(roots(), (std::vector{toolkit, of_environment, of_home, fetched}));
}

TEST_F(CudaFolders, TheNvccOnThePathNamesItsToolkit) {
  const fs::path toolkit = make("opt/cuda");
  const fs::path nvcc = folder_.write("opt/cuda/bin/nvcc", "#!/bin/sh\n");
  fs::permissions(nvcc, fs::perms::owner_all);
  const Variable path("PATH", (toolkit / "bin").string() + ":/usr/bin");
  EXPECT_EQ(roots(), std::vector{toolkit});
}

TEST_F(CudaFolders, PackagesOfOneVersionAreOnePlace) {
  // CUDA 12 has a folder for each package, CUDA 13 one for all.
  const fs::path compiler = make(packages_ / "nvidia/cuda_nvrtc");
  const fs::path headers = make(packages_ / "nvidia/cuda_runtime");
  make(packages_ / "nvidia/nccl");
  EXPECT_EQ(cuda_packages_in(folder_ / packages_).roots, (std::vector{compiler, headers}));
  const fs::path whole = make(packages_ / "nvidia/cu13");
  EXPECT_EQ(cuda_packages_in(folder_ / packages_).roots, std::vector{whole});
}

TEST_F(CudaFolders, LibrariesOfAllPlacesAreNamedOnce) {
  const fs::path toolkit = make("toolkit/lib64");
  const fs::path packages = make(packages_ / "nvidia/cu13/lib");
  const fs::path chosen = make("chosen");
  const Variable variable("TILESCOPE_CUDA_LIBRARIES",
                          chosen.string() + ":" + toolkit.string() + ":/nowhere");
  std::vector<fs::path> found = cuda_library_folders();
  std::erase_if(found, [&](const fs::path& each) {
    return !each.string().starts_with(folder_.path().string());
  });
  EXPECT_EQ(found, (std::vector{chosen, toolkit, packages}));
}

TEST(CudaPackages, TheBuildPinsTheSameFiles) {
  const fs::path source = TILESCOPE_SOURCE_DIR;
  const auto packages = cuda_packages(source / "assets/cuda_packages.txt");
  ASSERT_TRUE(packages.ok()) << to_string(packages.error());
  ASSERT_FALSE(packages->empty());
  const std::string build = testing::read_file(source / "third_party/cuda.cmake");
  for (const CudaPackage& package : *packages) {
    EXPECT_GT(package.megabytes, 0) << package.name;
    const std::size_t at = build.find(" " + package.name + " ");
    if (at == std::string::npos) continue;  // the build needs no whole nvcc
    const std::string hash = package.requirement.substr(package.requirement.find("sha256:") + 7);
    EXPECT_NE(build.find(hash, at), std::string::npos) << package.name;
  }
}

TEST(CudaPackages, ALineWithoutHashIsRefusedWithItsPlace) {
  const TemporaryFolder folder;
  const auto packages = cuda_packages(folder.write("list", "# a list\nnvidia-nvvm==13.0.88\n"));
  ASSERT_FALSE(packages.ok());
  EXPECT_NE(packages.error().message.find("list:2"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
