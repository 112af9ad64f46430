#include <gtest/gtest.h>

#include "store/history.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class HistoryWriterFile : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
};

HistoryEntry some_entry(int tile) {
  HistoryEntry entry;
  entry.run.of = {"gemm/naive", "abc", {{"TILE", tile}}, {}, {}};
  entry.run.result.kernel.median_seconds = 1e-3;
  return entry;
}

TEST_F(HistoryWriterFile, WritesAllBeforeItEnds) {
  const fs::path file = folder_ / "history.sqlite";
  {
    HistoryWriter writer(file);
    for (int i = 0; i < 20; ++i) writer.keep(some_entry(i));
  }
  const auto history = History::open(file);
  ASSERT_TRUE(history.ok()) << to_string(history.error());
  EXPECT_EQ(*history->count(), 20);
}

TEST_F(HistoryWriterFile, MakesNoFileForNothing) {
  { HistoryWriter writer(folder_ / "below" / "history.sqlite"); }
  EXPECT_FALSE(fs::exists(folder_ / "below"));
}

TEST_F(HistoryWriterFile, SaysWhyNothingIsKept) {
  HistoryWriter writer("/proc/no/history.sqlite");
  EXPECT_FALSE(writer.problem().has_value());
  writer.keep(some_entry(1));
  for (int i = 0; i < 500 && !writer.problem(); ++i) ::usleep(10'000);
  ASSERT_TRUE(writer.problem().has_value());
  EXPECT_NE(to_string(*writer.problem()).find("/proc/no/history.sqlite"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
