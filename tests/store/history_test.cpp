#include "store/history.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class HistoryFile : public ::testing::Test {
 protected:
  [[nodiscard]] History open() const {
    auto history = History::open(file_);
    EXPECT_TRUE(history.ok()) << to_string(history.error());
    return *std::move(history);
  }
  testing::TemporaryFolder folder_;
  fs::path file_ = folder_ / "below" / "history.sqlite";
};

Machine some_machine() { return {"NVIDIA H200", 90, "580", "13.0", "NVRTC 13.0", "13.1"}; }

HistoryEntry some_entry(const std::string& kernel, std::int64_t tile, double seconds) {
  HistoryEntry entry;
  entry.milliseconds = 1'700'000'000'000;
  entry.run.machine = some_machine();
  entry.run.of = {kernel, "abc", {{"TILE", tile}}, {{"M", 64}, {"N", 32}}, {}};
  RunResult& result = entry.run.result;
  result.kernel.count = 20;
  result.kernel.median_seconds = seconds;
  result.kernel.p5_seconds = seconds / 2;
  result.kernel.p95_seconds = seconds * 2;
  result.kernel.relative_error = 0.001;
  result.conditions.temperature_after_celsius = 41;
  result.conditions.throttled_samples = 2;
  result.conditions.throttle_reasons = kPowerCap;
  result.counters = {{"smsp__inst_executed.sum", 123456789}};
  entry.run.date = "2026-01-02";
  return entry;
}

std::int64_t add(History& history, const HistoryEntry& entry) {
  const auto id = history.add(entry);
  EXPECT_TRUE(id.ok()) << to_string(id.error());
  return id ? *id : 0;
}

std::vector<HistoryEntry> find(const History& history, const HistoryFilter& filter) {
  auto found = history.find(filter);
  EXPECT_TRUE(found.ok()) << to_string(found.error());
  return found ? *std::move(found) : std::vector<HistoryEntry>();
}

TEST_F(HistoryFile, KeepsWhatWasAdded) {
  const HistoryEntry entry = some_entry("gemm/naive", 16, 1e-3);
  {
    History history = open();
    add(history, entry);
  }
  const auto found = find(open(), {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].run, entry.run);
  EXPECT_EQ(found[0].milliseconds, entry.milliseconds);
}

TEST_F(HistoryFile, FindsByWhatIsAskedFor) {
  History history = open();
  add(history, some_entry("gemm/naive", 16, 1e-3));
  add(history, some_entry("gemm/naive", 32, 2e-3));
  HistoryEntry other = some_entry("gemmology/x", 32, 2e-3);
  other.run.machine.gpu = "Some GPU";
  other.run.date = "2026-02-03";
  add(history, other);
  EXPECT_EQ(find(history, {}).size(), 3U);
  EXPECT_EQ(find(history, {}).front().run.of.kernel, "gemmology/x");  // the newest first
  EXPECT_EQ(find(history, {.kernel = "gemm"}).size(), 2U);
  EXPECT_EQ(find(history, {.kernel = "gemm/naive"}).size(), 2U);
  EXPECT_EQ(find(history, {.kernel = "naive"}).size(), 0U);
  EXPECT_EQ(find(history, {.gpu = "h200"}).size(), 2U);
  EXPECT_EQ(find(history, {.parameters = {{"TILE", 32}}}).size(), 2U);
  EXPECT_EQ(find(history, {.extents = {{"M", 65}}}).size(), 0U);
  EXPECT_EQ(find(history, {.since = "2026-02-03"}).size(), 1U);
  EXPECT_EQ(find(history, {.until = "2026-02-02"}).size(), 2U);
  EXPECT_EQ(find(history, {.limit = 1}).size(), 1U);
  EXPECT_EQ(find(history, {.kernel = "gemm' OR '1'='1"}).size(), 0U);
}

TEST_F(HistoryFile, FindsTheNewestOfExactlyOnePoint) {
  History history = open();
  add(history, some_entry("gemm/naive", 16, 1e-3));
  add(history, some_entry("gemm/naive", 16, 3e-3));
  HistoryEntry warm = some_entry("gemm/naive", 16, 4e-3);
  warm.run.of.cold = false;
  add(history, warm);
  LaunchKey point = some_entry("gemm/naive", 16, 0).run.of;
  auto same = history.find_same(some_machine(), point);
  ASSERT_TRUE(same.ok() && same->has_value());
  EXPECT_EQ((*same)->run.result.kernel.median_seconds, 3e-3);
  point.source = "edited";
  same = history.find_same(some_machine(), point);
  EXPECT_TRUE(same.ok() && !same->has_value());
  Machine updated = some_machine();
  updated.driver = "590";
  same = history.find_same(updated, some_entry("gemm/naive", 16, 0).run.of);
  EXPECT_TRUE(same.ok() && !same->has_value());
}

TEST_F(HistoryFile, KeepsRunsOfOtherFactorsApart) {
  History history = open();
  add(history, some_entry("gemm/naive", 16, 1e-3));
  HistoryEntry other = some_entry("gemm/naive", 16, 2e-3);
  other.run.of.factors = {{"alpha", 0.1}, {"beta", -2}};
  add(history, other);
  const auto usual = history.find_same(some_machine(), some_entry("gemm/naive", 16, 0).run.of);
  ASSERT_TRUE(usual.ok() && usual->has_value());
  EXPECT_EQ((*usual)->run.result.kernel.median_seconds, 1e-3);
  LaunchKey point = some_entry("gemm/naive", 16, 0).run.of;
  point.factors = other.run.of.factors;
  const auto found = history.find_same(some_machine(), point);
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->run.result.kernel.median_seconds, 2e-3);
  point.factors["beta"] = 3;
  const auto none = history.find_same(some_machine(), point);
  EXPECT_TRUE(none.ok() && !none->has_value());
}

// A file's kernel on another grid, or with other arguments, is another point.
TEST_F(HistoryFile, KeepsLaunchesOfAFileApart) {
  History history = open();
  HistoryEntry entry = some_entry("mine.cu", 16, 1e-3);
  entry.run.of.launch = "grid 64";
  add(history, entry);
  auto same = history.find_same(some_machine(), entry.run.of);
  ASSERT_TRUE(same.ok() && same->has_value());
  EXPECT_EQ((*same)->run.of.launch, "grid 64");
  entry.run.of.launch = "grid 32";
  same = history.find_same(some_machine(), entry.run.of);
  EXPECT_TRUE(same.ok() && !same->has_value());
}

TEST_F(HistoryFile, ImportsEachRunOnce) {
  RecordedRuns runs;
  runs.machine = some_machine();
  runs.runs = {some_entry("a", 1, 1e-3).run, some_entry("b", 2, 2e-3).run};
  History history = open();
  EXPECT_EQ(*history.import(runs), 2);
  EXPECT_EQ(*history.import(runs), 0);
  runs.runs[1].result.kernel.median_seconds = 5e-3;
  EXPECT_EQ(*history.import(runs), 1);
  EXPECT_EQ(*history.count(), 3);
}

TEST_F(HistoryFile, TwoProgramsMayWriteAtOnce) {
  { History made = open(); }
  const auto write = [&] {
    History history = open();
    for (int i = 0; i < 50; ++i) add(history, some_entry("gemm/naive", i, 1e-3));
  };
  std::thread other(write);
  write();
  other.join();
  EXPECT_EQ(*open().count(), 100);
}

TEST_F(HistoryFile, OtherFilesAreNamedAndLeftAlone) {
  fs::create_directories(file_.parent_path());
  std::ofstream(file_) << "no database, but a text that somebody may want to keep, and long enough "
                          "to be taken for the head of one";
  const auto size = fs::file_size(file_);
  const auto text = History::open(file_);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, ErrorCode::kUsage);
  EXPECT_NE(to_string(text.error()).find(file_.string()), std::string::npos);
  EXPECT_EQ(fs::file_size(file_), size);

  const auto folder = History::open(folder_.path());
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code, ErrorCode::kMachine);
}

TEST_F(HistoryFile, ADamagedFileIsSaid) {
  {
    History history = open();
    for (int i = 0; i < 200; ++i) add(history, some_entry("gemm/naive", i, 1e-3));
  }
  const auto size = fs::file_size(file_);
  {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(size - 4096, '\x5a');
  }
  auto history = History::open(file_);
  const auto found =
      history ? history->find({}) : Result<std::vector<HistoryEntry>>(history.error());
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kUsage);
  EXPECT_NE(found.error().remedy.find("Move the file away"), std::string::npos);
}

// A child that writes as fast as it can and reports each entry that add() said was kept.
[[noreturn]] void write_until_killed(const fs::path& file, int pipe, int round) {
  auto history = History::open(file);
  if (!history) std::_Exit(1);
  for (int i = 0;; ++i) {
    const auto id = history->add(some_entry("torture", 100'000 * round + i, 1e-3));
    if (!id) std::_Exit(2);
    const std::int64_t kept = *id;
    if (::write(pipe, &kept, sizeof kept) != sizeof kept) std::_Exit(3);
  }
}

// As somebody who may read all of it and write nothing: an administrator may write anyway.
TEST_F(HistoryFile, WhatMayOnlyBeReadIsRead) {
  {
    History history = open();
    add(history, some_entry("gemm/naive", 8, 1e-3));
  }
  fs::permissions(folder_.path(), fs::perms(0755));
  fs::permissions(file_.parent_path(), fs::perms(0555));
  fs::permissions(file_, fs::perms(0444));
  constexpr ::uid_t kNobody = 65534;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) ::_exit(1);
    auto history = History::open(file_);
    if (!history) ::_exit(2);
    const auto count = history->count();
    if (!count || *count != 1) ::_exit(3);
    const auto added = history->add(some_entry("gemm/naive", 16, 1e-3));
    if (added) ::_exit(4);
    ::_exit(added.error().remedy.find("may write") == std::string::npos ? 5 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  fs::permissions(file_.parent_path(), fs::perms(0755));
  History history = open();
  EXPECT_EQ(*history.count(), 1);
}

TEST_F(HistoryFile, LosesNothingThatWasReportedToKill9) {
  constexpr int kRounds = 200;
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same moments each time
  std::set<std::int64_t> reported;
  for (int round = 0; round < kRounds; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(ends[0]);
      write_until_killed(file_, ends[1], round);
    }
    ::close(ends[1]);
    // At any moment; every other time not before it has reported something, however slow it is.
    std::int64_t id = 0;
    if (round % 2 == 0 && ::read(ends[0], &id, sizeof id) == sizeof id) reported.insert(id);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 12'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << WEXITSTATUS(status);
    while (::read(ends[0], &id, sizeof id) == sizeof id) reported.insert(id);
    ::close(ends[0]);

    History history = open();
    std::set<std::int64_t> kept;
    for (const HistoryEntry& entry : find(history, {})) kept.insert(entry.id);
    for (const std::int64_t one : reported) ASSERT_TRUE(kept.contains(one)) << round;
  }
  EXPECT_GT(reported.size(), 50U);
}

}  // namespace
}  // namespace tilescope
