#include "core/launch_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// No process has this number.
constexpr const char* kGone = "999999999";

class LaunchFolder : public ::testing::Test {
 protected:
  void add(const std::string& name, int hours_ago, std::size_t bytes = 100) const {
    const fs::path session = folder_.path() / (name + ".tilescope");
    const fs::path data = folder_.path() / (name + ".tilescope.data");
    fs::create_directories(data);
    std::ofstream(session) << "{}";
    std::ofstream(data / "buffer") << std::string(bytes, 'x');
    const auto written = fs::file_time_type::clock::now() - std::chrono::hours(hours_ago);
    fs::last_write_time(session, written);
    fs::last_write_time(data, written);
  }
  [[nodiscard]] bool has(const std::string& name) const {
    const bool session = fs::exists(folder_.path() / (name + ".tilescope"));
    EXPECT_EQ(session, fs::exists(folder_.path() / (name + ".tilescope.data"))) << name;
    return session;
  }
  testing::TemporaryFolder folder_;
};

TEST_F(LaunchFolder, LosesWhatIsOld) {
  add(std::string(kGone) + "-1", 31 * 24);
  add(std::string(kGone) + "-2", 29 * 24);
  clean_launch_folder(folder_.path(), {});
  EXPECT_FALSE(has(std::string(kGone) + "-1"));
  EXPECT_TRUE(has(std::string(kGone) + "-2"));
}

TEST_F(LaunchFolder, LosesTheOldestUntilItIsSmallEnough) {
  for (int i = 1; i <= 4; ++i) add(std::string(kGone) + "-" + std::to_string(i), i, 1000);
  clean_launch_folder(folder_.path(), {.bytes = 2500});
  EXPECT_TRUE(has(std::string(kGone) + "-1"));
  EXPECT_TRUE(has(std::string(kGone) + "-2"));
  EXPECT_FALSE(has(std::string(kGone) + "-3"));
  EXPECT_FALSE(has(std::string(kGone) + "-4"));
}

TEST_F(LaunchFolder, KeepsWhatARunningProcessMade) {
  const std::string own = std::to_string(::getpid());
  add(own, 40 * 24, 5000);
  add(std::string(kGone), 1, 5000);
  clean_launch_folder(folder_.path(), {.bytes = 1000});
  EXPECT_TRUE(has(own));
  EXPECT_FALSE(has(kGone));
}

TEST(LaunchFolderOfNobody, IsNoError) { clean_launch_folder("/nowhere/at/all", {}); }

}  // namespace
}  // namespace tilescope
