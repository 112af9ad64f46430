#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "core/file.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class WriteFile : public ::testing::Test {
 protected:
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
  testing::TemporaryFolder folder_;
};

TEST_F(WriteFile, WholeOrNotAtAll) {
  const fs::path file = folder_ / "a.tilescope";
  ASSERT_TRUE(write_file(file, "one").ok());
  ASSERT_TRUE(write_file(file, "two").ok());
  EXPECT_EQ(testing::read_file(file), "two");
  fs::create_directories(folder_ / "b.tilescope");
  const Status refused = write_file(folder_ / "b.tilescope", "x");
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(to_string(refused.error()).find("b.tilescope' cannot be written"), std::string::npos);
  EXPECT_EQ(entries(), 2U) << "nothing is left beside it";
}

TEST_F(WriteFile, FoldersAreMadeForTheProgramsOwn) {
  const fs::path file = folder_ / "deep" / "er" / "a";
  const Status refused = write_file(file, "one");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().remedy, "Choose a folder that exists");
  EXPECT_EQ(entries(), 0U);
  ASSERT_TRUE(write_own_file(file, "one").ok());
  EXPECT_EQ(testing::read_file(file), "one");
}

TEST_F(WriteFile, PermissionsAndLinksStay) {
  const fs::path file = folder_ / "a";
  ASSERT_TRUE(write_file(file, "one").ok());
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(file, folder_ / "link");
  ASSERT_TRUE(write_file(folder_ / "link", "two").ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(testing::read_file(file), "two");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(WriteFile, WhatMayNotBeWrittenStays) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const fs::path file = folder_ / "a";
  ASSERT_TRUE(write_file(file, "one").ok());
  fs::permissions(file, fs::perms::owner_read);
  const Status refused = write_file(file, "two");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().remedy, "Choose a folder that you may write to");
  EXPECT_EQ(testing::read_file(file), "one");
}

TEST_F(WriteFile, APipeTakesTheBytesAndStaysOne) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = testing::read_file(pipe); });
  EXPECT_TRUE(write_file(pipe, "through").ok());
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

// A reader that looks while a writer is killed again and again sees whole texts only.
TEST_F(WriteFile, AKilledWriterLeavesAWholeFile) {
  const fs::path file = folder_ / "a";
  ASSERT_TRUE(write_file(file, std::string(1, '0')).ok());
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0;; ++i) {
        (void)write_file(file, std::string(1 << 18, static_cast<char>('a' + i % 26)));
      }
    }
    ASSERT_GT(child, 0);
    usleep(3000 + 700 * static_cast<unsigned>(round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::string text = testing::read_file(file);
    ASSERT_TRUE(text.size() == 1 || text.size() == 1 << 18) << text.size();
    EXPECT_EQ(text.find_first_not_of(text.front()), std::string::npos);
  }
}

}  // namespace
}  // namespace tilescope
