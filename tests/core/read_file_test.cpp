#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/file.h"

namespace tilescope {
namespace {

TEST(ReadFile, GivesAllOfAFileOrNothing) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("tilescope_read_file_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "a", std::ios::binary) << std::string("a\0b\r\n", 5);
  std::ofstream(folder / "empty");
  EXPECT_EQ(read_file(folder / "a", 5), std::string("a\0b\r\n", 5));
  EXPECT_EQ(read_file(folder / "empty", 0), "");
  EXPECT_EQ(read_file(folder / "a", 4), std::nullopt) << "too large";
  EXPECT_EQ(read_file(folder, 100), std::nullopt);
  EXPECT_EQ(read_file(folder / "none", 100), std::nullopt);
  EXPECT_EQ(read_file("/dev/zero", 100), std::nullopt);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tilescope
