// What is kept on disk beside a session: copies of sessions, allowed texts, recent files.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <thread>

#include "core/file.h"
#include "session/autosave.h"
#include "session/trusted_texts.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class Keeping : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
};

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
  ASSERT_TRUE(mine.ok());
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

// A process with many threads takes a while to go: its main thread has ended, but it holds files.
TEST_F(Keeping, WhatAProcessLeftThatIsStillEndingIsFound) {
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto slot = AutosaveSlot::make(folder_.path());
    (void)write_file(slot->file(), "left");
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
      _exit(0);
    }).detach();
    (void)!::write(ready[1], "r", 1);
    ::syscall(SYS_exit, 0);  // of this thread alone
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const fs::path status = "/proc/" + std::to_string(child) + "/status";
  while (testing::read_file(status).find("State:\tZ") == std::string::npos) {
    std::this_thread::yield();
  }
  const std::vector<AutosaveSlot> left = AutosaveSlot::left_behind(folder_.path());
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(testing::read_file(left[0].file()), "left");
  waitpid(child, nullptr, 0);
  for (const int end : ready) close(end);
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

TEST_F(Keeping, ATextWithItsHeadersIsAnotherOneThanWithoutOrWithOthers) {
  using Files = std::vector<IncludedFiles::File>;
  EXPECT_EQ(program_text("a", nullptr), "a");
  const std::vector<IncludedFiles> programs = {
      {},
      {Files{{"x.h", "1"}}, true},
      {Files{{"x.h", "2"}}, true},
      {Files{{"y.h", "1"}}, true},
      {Files{{"x.h", "1"}, {"y.h", "2"}}, true},
      {Files{{"y.h", "2"}, {"x.h", "1"}}, true},
      {Files{{"x.h", ""}, {"y.h", "12"}}, true},
      {Files{{"x.h", "1"}}, false},
      {Files{}, false},
  };
  TrustedTexts trusted(folder_.path() / "trusted");
  for (const IncludedFiles& program : programs) {
    const std::string text = program_text("a", &program);
    EXPECT_FALSE(trusted.knows(text)) << text;
    trusted.remember(text);
    EXPECT_TRUE(trusted.knows(text)) << text;
    EXPECT_TRUE(TrustedTexts(folder_.path() / "trusted").knows(text)) << text;
  }
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
