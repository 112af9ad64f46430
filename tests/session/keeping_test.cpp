// What is kept on disk beside a session: atomic writes, copies of sittings, allowed texts, recent
// files.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "session/autosave.h"
#include "session/file_writer.h"
#include "session/recent_files.h"
#include "session/trusted_texts.h"
#include "session/write_file.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class Keeping : public ::testing::Test {
 protected:
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
  testing::TemporaryFolder folder_;
};

TEST_F(Keeping, AFileIsWrittenWholeOrNotAtAll) {
  const fs::path file = folder_ / "deep" / "a.tilescope";
  ASSERT_TRUE(write_file(file, "one").ok());
  ASSERT_TRUE(write_file(file, "two").ok());
  EXPECT_EQ(testing::read_file(file), "two");
  fs::create_directories(folder_ / "b.tilescope");
  const Status refused = write_file(folder_ / "b.tilescope", "x");
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(to_string(refused.error()).find("b.tilescope: cannot be written"), std::string::npos);
  EXPECT_EQ(entries(), 2U) << "nothing is left beside it";
}

TEST_F(Keeping, PermissionsAndLinksStay) {
  const fs::path file = folder_ / "a";
  ASSERT_TRUE(write_file(file, "one").ok());
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(file, folder_ / "link");
  ASSERT_TRUE(write_file(folder_ / "link", "two").ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(testing::read_file(file), "two");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

// A reader that looks while a writer is killed again and again sees whole texts only.
TEST_F(Keeping, AKilledWriterLeavesAWholeFile) {
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

TEST_F(Keeping, TheWriterWritesInOrderAndReports) {
  FileWriter writer;
  const fs::path file = folder_ / "a";
  for (int i = 0; i < 50; ++i) writer.write(file, [i] { return std::to_string(i); });
  writer.write(folder_.path(), [] { return std::string("x"); });  // a folder cannot be written to
  writer.wait();
  EXPECT_EQ(testing::read_file(file), "49");
  bool failed = false;
  for (const FileWriter::Written& written : writer.take()) {
    failed = failed || !written.status.ok();
    EXPECT_EQ(written.status.ok(), written.file == file);
  }
  EXPECT_TRUE(failed);
  writer.remove(file);
  writer.wait();
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(Keeping, OnlyWhatADeadProcessLeftIsFound) {
  auto mine = AutosaveSlot::make(folder_.path());
  ASSERT_TRUE(mine.has_value());
  ASSERT_TRUE(write_file(mine->file(), "mine").ok());
  const pid_t child = fork();
  if (child == 0) {
    auto slot = AutosaveSlot::make(folder_.path());
    (void)write_file(slot->file(), "left");
    _exit(0);  // without a word, as after kill -9
  }
  waitpid(child, nullptr, 0);
  std::vector<AutosaveSlot> left = AutosaveSlot::left_behind(folder_.path());
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(testing::read_file(left[0].file()), "left");
  EXPECT_TRUE(AutosaveSlot::left_behind(folder_.path()).empty()) << "it is held now";
  std::move(left[0]).discard();
  left.clear();
  EXPECT_TRUE(AutosaveSlot::left_behind(folder_.path()).empty());
  EXPECT_EQ(testing::read_file(mine->file()), "mine");
}

TEST_F(Keeping, AllowedTextsAreKnownByTheirBytes) {
  {
    TrustedTexts texts(folder_.path());
    EXPECT_FALSE(texts.knows("a"));
    texts.add("a");
    texts.remember("b");
    EXPECT_TRUE(texts.knows("a"));
    EXPECT_TRUE(texts.knows("b"));
    EXPECT_FALSE(texts.knows("b "));
  }
  const TrustedTexts later(folder_.path());
  EXPECT_FALSE(later.knows("a"));
  EXPECT_TRUE(later.knows("b"));
  // A file of that name with another text allows neither.
  std::ofstream(later.file_of("b")) << "c";
  const TrustedTexts forged(folder_.path());
  EXPECT_FALSE(forged.knows("b"));
  EXPECT_FALSE(forged.knows("c"));
}

TEST_F(Keeping, RecentFilesAreNewestFirstAndFew) {
  const fs::path list = folder_ / "recent.json";
  EXPECT_TRUE(recent_files(list).empty());
  for (int i = 0; i < 20; ++i) add_recent_file(list, "/tmp/" + std::to_string(i));
  add_recent_file(list, "/tmp/15");
  const std::vector<std::string> files = recent_files(list);
  ASSERT_EQ(files.size(), kMostRecentFiles);
  EXPECT_EQ(files[0], "/tmp/15");
  EXPECT_EQ(files[1], "/tmp/19");
  std::ofstream(list) << "{broken";
  EXPECT_TRUE(recent_files(list).empty());
}

}  // namespace
}  // namespace tilescope
