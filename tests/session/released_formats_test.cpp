// Files as each released version wrote them, in tests/formats/VERSION: an update opens them all. A
// release adds a folder, which the disabled test below writes; none is changed afterwards.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "build_config.h"
#include "core/file.h"
#include "documents.h"
#include "session/exercise_progress.h"
#include "session/session_file.h"
#include "store/history.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

const fs::path kFormats = fs::path(TILESCOPE_SOURCE_DIR) / "tests" / "formats";

std::vector<fs::path> releases() {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& each : fs::directory_iterator(kFormats)) {
    if (each.is_directory()) folders.push_back(each.path());
  }
  return folders;
}

// The user's data folder, for as long as it lives.
class DataFolder {
 public:
  DataFolder() {
    if (const char* before = std::getenv("XDG_DATA_HOME")) before_ = before;
    ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
    fs::create_directories(folder_ / "tilescope");
  }
  ~DataFolder() {
    ::unsetenv("XDG_DATA_HOME");
    if (before_) ::setenv("XDG_DATA_HOME", before_->c_str(), 1);
  }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;
  [[nodiscard]] fs::path file(const char* name) const { return folder_ / "tilescope" / name; }

 private:
  TemporaryFolder folder_;
  std::optional<std::string> before_;
};

HistoryEntry some_run() {
  HistoryEntry entry{.milliseconds = 1'700'000'000'000, .run = some_measurements().points.front()};
  entry.run.machine.gpu = "NVIDIA Something";
  entry.run.result.counters = {{"smsp__inst_executed.sum", 123456789}};
  return entry;
}

TEST(ReleasedFormats, ASessionOfEachIsOpenedWhole) {
  ASSERT_FALSE(releases().empty());
  for (const fs::path& release : releases()) {
    SCOPED_TRACE(release.filename().string());
    const auto loaded = read_session(release / "full.tilescope", known_names().names());
    ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
    const Document& document = loaded->document;
    ASSERT_EQ(document.variants.size(), 3u);
    EXPECT_EQ(document.variants[0].kernel, "gemm/register_tile");
    EXPECT_EQ(document.variants[0].extents.at("M"), 384);
    EXPECT_EQ(document.variants[0].factors.at("alpha"), 2);
    EXPECT_EQ(document.variants[0].marks.bookmarks[9], 99u);
    EXPECT_NE(document.variants[1].edited->find("\"quoted\""), std::string::npos);
    EXPECT_EQ(document.variants[2].launch.kernel, "f");
    EXPECT_EQ(document.variants[2].launch.parameters.at("TILE"), 32);
    ASSERT_EQ(document.own_kernels->size(), 3u);
    EXPECT_EQ(*document.own_kernels->at(2).edited, ".version 8.1\n");
    EXPECT_EQ(document.view, View::kBanks);
    EXPECT_EQ(document.theme, Theme::kLight);
    EXPECT_EQ(*document.notes, "First the naive one.\nThen \\ the tiled one.\n");
    ASSERT_EQ(document.measured->points.size(), 3u);
    EXPECT_DOUBLE_EQ(document.measured->points[0].result.kernel.median_seconds, 1e-3 / 3);

    // What this version saves of it says the same.
    const auto again = parse_session(session_text(document, known_names().names()), "s.tilescope",
                                     known_names().names());
    ASSERT_TRUE(again.ok()) << to_string(again.error());
    EXPECT_TRUE(again->document == document);
  }
}

TEST(ReleasedFormats, TheHistoryOfEachIsReadAndWrittenOn) {
  for (const fs::path& release : releases()) {
    SCOPED_TRACE(release.filename().string());
    const TemporaryFolder folder;
    fs::copy_file(release / "history.sqlite", folder / "history.sqlite");
    auto history = History::open(folder / "history.sqlite");
    ASSERT_TRUE(history.ok()) << to_string(history.error());
    const auto found = history->find({.gpu = "Something"});
    ASSERT_TRUE(found.ok()) << to_string(found.error());
    ASSERT_EQ(found->size(), 1u);
    const Measurement& run = found->front().run;
    EXPECT_EQ(run.of.kernel, "gemm/register_tile");
    EXPECT_EQ(run.of.parameters.at("TILE_K"), 16);
    EXPECT_NEAR(run.result.kernel.median_seconds, 1e-3 / 3, 1e-9);  // six digits are kept
    EXPECT_EQ(run.result.counters.at("smsp__inst_executed.sum"), 123456789);
    EXPECT_TRUE(history->add(some_run()).ok());
    EXPECT_EQ(history->count().value(), 2);
  }
}

TEST(ReleasedFormats, TheProgressOfExercisesOfEachIsKept) {
  for (const fs::path& release : releases()) {
    SCOPED_TRACE(release.filename().string());
    const DataFolder data;
    fs::copy_file(release / "exercises.json", data.file("exercises.json"));
    const ExerciseProgress progress = load_exercise_progress();
    EXPECT_EQ(progress.folder, "/home/someone/exercises");
    EXPECT_EQ(progress.of("first").state, ExerciseState::kPasses);
    EXPECT_EQ(progress.of("second").state, ExerciseState::kFails);
    EXPECT_EQ(progress.of("second").hints, 2);
  }
}

// For a release: tests_session --gtest_also_run_disabled_tests --gtest_filter='*WritesThisVersion'
TEST(ReleasedFormats, DISABLED_WritesThisVersion) {
  const fs::path release = kFormats / TILESCOPE_VERSION;
  fs::create_directories(release);
  const std::string session = session_text(full_document(), known_names().names());
  ASSERT_TRUE(write_file(release / "full.tilescope", session).ok());
  {
    auto history = History::open(release / "history.sqlite");
    ASSERT_TRUE(history.ok());
    ASSERT_TRUE(history->add(some_run()).ok());
  }
  const DataFolder data;
  ExerciseProgress progress{
      .folder = "/home/someone/exercises",
      .entries = {{"first", {ExerciseState::kPasses, 0}}, {"second", {ExerciseState::kFails, 2}}}};
  ASSERT_TRUE(save_exercise_progress(progress).ok());
  fs::copy_file(data.file("exercises.json"), release / "exercises.json",
                fs::copy_options::overwrite_existing);
}

}  // namespace
}  // namespace tilescope
