#include "store/recorded_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "build_config.h"
#include "store/measured_run.h"
#include "store/rates.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class RecordedRunsFile : public ::testing::Test {
 protected:
  fs::path write(const std::string& text) const { return folder_.write("runs.json", text); }
  testing::TemporaryFolder folder_;
};

RecordedRun some_run() {
  RecordedRun run;
  run.kernel = "gemm/naive";
  run.source_hash = "abc";
  run.parameters = {{"BLOCK_X", 32}, {"BLOCK_Y", 8}};
  run.extents = {{"K", 3}, {"M", 1}, {"N", 2}};
  run.samples = 20;
  run.times = {2e-3, 1e-3, 1.0 / 3};
  run.reference = RecordedTimes{5e-4, 4e-4, 6e-4};
  run.reference_name = "cuBLAS SGEMM, FP32";
  run.max_error = 0.1;
  run.tolerance = 0.2;
  run.flop = 12;
  run.bytes = 44;
  run.date = "2026-01-02";
  return run;
}

TimeSummary some_times(double median_seconds) {
  TimeSummary times;
  times.count = 12;
  times.median_seconds = median_seconds;
  times.p5_seconds = median_seconds - 1;
  times.p95_seconds = median_seconds + 1;
  return times;
}

RecordedRuns some_runs() {
  return {{"GPU \"X\"", 90, "1.2", "13.0", "NVRTC 13.0", ""}, {"it"}, {some_run()}};
}

TEST_F(RecordedRunsFile, ComeBackAsTheyWereSaved) {
  const fs::path file = folder_ / "new" / "a.json";
  RecordedRuns saved = some_runs();
  RecordedRun other = some_run();
  other.cold = false;
  other.reference.reset();
  other.max_error.reset();
  other.sm_clock_hz = 1.98e9;
  saved.put(other);
  ASSERT_TRUE(save_recorded_runs(saved, file).ok());
  const auto loaded = load_recorded_runs(file);
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  EXPECT_EQ(loaded->gpu, saved.gpu);
  EXPECT_EQ(loaded->compute_capability, 90);
  EXPECT_EQ(loaded->compiler, saved.compiler);
  EXPECT_EQ(loaded->commands, saved.commands);
  ASSERT_EQ(loaded->runs.size(), 2u);
  const RecordedRun& run = loaded->runs[0];
  EXPECT_EQ(run.parameters, some_run().parameters);
  EXPECT_EQ(run.extents, some_run().extents);
  EXPECT_NEAR(run.times.p95_seconds, 1.0 / 3, 1e-6);
  ASSERT_TRUE(run.reference.has_value());
  EXPECT_EQ(run.reference->median_seconds, 5e-4);
  EXPECT_EQ(run.max_error, 0.1);
  EXPECT_FALSE(run.sm_clock_hz.has_value());
  EXPECT_FALSE(loaded->runs[1].reference.has_value());
  EXPECT_FALSE(loaded->runs[1].max_error.has_value());
  EXPECT_EQ(loaded->runs[1].sm_clock_hz, 1.98e9);
  EXPECT_FALSE(fs::exists(folder_ / "new" / "a.json.part"));
}

TEST(RecordedRuns, KeepTheConditionsOfTheirMeasurement) {
  RunResult measured;
  measured.kernel = some_times(2);
  measured.kernel.relative_error = 0.004;
  measured.reference = some_times(4);
  measured.reference->relative_error = 0.01;
  measured.reference_name = "cuBLAS";
  measured.other = some_times(5);
  measured.other_name = "cuBLAS Sgeam";
  measured.conditions.sm_clock_before_hz = 1.98e9;
  measured.conditions.sm_clock_after_hz = 1.6e9;
  measured.conditions.temperature_after_celsius = 61;
  measured.conditions.throttle_reasons = kPowerCap;
  measured.conditions.throttled_samples = 12;
  measured.conditions.all_throttled = true;
  const auto kept = decode_run(encode_run(recorded_run(KernelInstance{}, measured)));
  ASSERT_TRUE(kept.ok()) << to_string(kept.error());
  const RunResult shown = as_result(*kept);
  EXPECT_EQ(shown.kernel.count, 12);
  EXPECT_EQ(shown.kernel.relative_error, 0.004);
  EXPECT_EQ(shown.reference->relative_error, 0.01);
  EXPECT_EQ(shown.other->median_seconds, 5);
  EXPECT_EQ(shown.conditions.sm_clock_before_hz, 1.98e9);
  EXPECT_EQ(shown.conditions.sm_clock_after_hz, 1.6e9);
  EXPECT_EQ(shown.conditions.temperature_after_celsius, 61);
  EXPECT_EQ(shown.conditions.throttle_reasons, std::uint64_t{kPowerCap});
  EXPECT_EQ(shown.conditions.throttled_samples, 12);
  EXPECT_TRUE(shown.conditions.all_throttled);
  EXPECT_TRUE(shown.conditions.clock_moved());
}

TEST(RecordedRuns, SayWhetherAllSamplesWereThrottled) {
  RecordedRun run = some_run();
  for (const auto& [throttled, all] :
       {std::pair{0, false}, {7, false}, {run.samples, true}, {run.samples, false}}) {
    run.throttled_samples = throttled;
    run.all_throttled = all;
    const auto kept = decode_run(encode_run(run));
    ASSERT_TRUE(kept.ok()) << to_string(kept.error());
    EXPECT_EQ(kept->all_throttled, all) << throttled;
  }
}

TEST(RecordedRuns, AreFoundByExactlyTheirPoint) {
  const RecordedRuns runs = some_runs();
  const RecordedRun run = some_run();
  EXPECT_NE(runs.find(run.kernel, "abc", run.parameters, run.extents, true), nullptr);
  EXPECT_EQ(runs.find("gemm/other", "abc", run.parameters, run.extents, true), nullptr);
  EXPECT_EQ(runs.find(run.kernel, "abd", run.parameters, run.extents, true), nullptr);
  EXPECT_EQ(runs.find(run.kernel, "abc", run.parameters, run.extents, false), nullptr);
  auto parameters = run.parameters;
  parameters["BLOCK_X"] = 16;
  EXPECT_EQ(runs.find(run.kernel, "abc", parameters, run.extents, true), nullptr);
  auto extents = run.extents;
  extents.erase("K");
  EXPECT_EQ(runs.find(run.kernel, "abc", run.parameters, extents, true), nullptr);
}

TEST(RecordedRuns, OfOtherFactorsAreOtherPoints) {
  RecordedRuns runs = some_runs();
  RecordedRun run = some_run();
  run.factors = {{"beta", 0.5}};
  run.times.median_seconds = 7;
  runs.put(run);
  ASSERT_EQ(runs.runs.size(), 2u);
  const RecordedRun* usual =
      runs.find(run.kernel, "abc", run.parameters, run.extents, true);  // alpha 1, beta 0
  ASSERT_NE(usual, nullptr);
  EXPECT_EQ(usual->times.median_seconds, 2e-3);
  const RecordedRun* own =
      runs.find(run.kernel, "abc", run.parameters, run.extents, true, {{"beta", 0.5}});
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->times.median_seconds, 7);
  EXPECT_EQ(runs.find(run.kernel, "abc", run.parameters, run.extents, true, {{"beta", 1}}),
            nullptr);
  const auto kept = decode_run(encode_run(run));
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->factors, run.factors);
}

TEST(RecordedRuns, ANewerRunTakesTheOldOnesPlace) {
  RecordedRuns runs = some_runs();
  RecordedRun newer = some_run();
  newer.source_hash = "new";
  newer.times.median_seconds = 1;
  runs.put(newer);
  ASSERT_EQ(runs.runs.size(), 1u);
  EXPECT_EQ(runs.runs[0].times.median_seconds, 1);
}

TEST_F(RecordedRunsFile, ABrokenFileSaysWhichAndWhy) {
  for (const std::string text : {"", "{", "[]", "{\"format\": 2}", "{\"format\": 1}"}) {
    const auto loaded = load_recorded_runs(write(text));
    ASSERT_FALSE(loaded.ok()) << text;
    EXPECT_EQ(loaded.error().place.file, (folder_ / "runs.json").string());
    EXPECT_FALSE(load_recorded_folder(folder_.path()).ok());
  }
  EXPECT_FALSE(load_recorded_runs(folder_ / "missing.json").ok());
}

TEST_F(RecordedRunsFile, AMissingFolderHoldsNone) {
  const auto all = load_recorded_folder(folder_ / "nothing");
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(all->empty());
}

// What the program ships with.
class ShippedRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    auto all = load_recorded_folder(fs::path(TILESCOPE_SOURCE_DIR) / "assets" / "recorded");
    ASSERT_TRUE(all.ok()) << to_string(all.error());
    all_ = *std::move(all);
  }
  std::vector<RecordedRuns> all_;
};

TEST_F(ShippedRuns, AreRightAndPlausible) {
  ASSERT_FALSE(all_.empty());
  for (const RecordedRuns& recorded : all_) {
    EXPECT_FALSE(recorded.gpu.empty() || recorded.driver.empty() || recorded.compiler.empty());
    EXPECT_FALSE(recorded.commands.empty() || recorded.runs.empty());
    for (const RecordedRun& run : recorded.runs) {
      EXPECT_GT(run.times.p5_seconds, 0) << run.kernel;
      EXPECT_LE(run.times.p5_seconds, run.times.median_seconds) << run.kernel;
      EXPECT_LE(run.times.median_seconds, run.times.p95_seconds) << run.kernel;
      ASSERT_TRUE(run.max_error.has_value()) << run.kernel;
      EXPECT_LE(*run.max_error, run.tolerance) << run.kernel;
      EXPECT_EQ(recorded.find(run.kernel, run.source_hash, run.parameters, run.extents, run.cold),
                &run)
          << run.kernel << ": recorded twice";
    }
  }
}

TEST_F(ShippedRuns, BelongToTheKernelsAsTheyAre) {
  std::map<std::string, std::string> hashes;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "kernels")) {
    if (entry.path().extension() != ".cu") continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string idea = entry.path().stem().string().substr(3);
    const std::string family = entry.path().parent_path().filename().string();
    hashes[fmt::format("{}/{}", family, idea)] = kernel_source_hash(text);
  }
  std::set<std::string> stale;
  for (const RecordedRuns& recorded : all_) {
    for (const RecordedRun& run : recorded.runs) {
      if (hashes[run.kernel] != run.source_hash) stale.insert(run.kernel);
    }
  }
  // Kernels that changed and cannot be recorded again yet: they show no recorded figures.
  const std::set<std::string> allowed = {};
  for (const std::string& kernel : stale) {
    EXPECT_TRUE(allowed.contains(kernel))
        << kernel << " changed since it was recorded, and so its figures are not shown. Record it "
        << "again on a GPU with the commands in assets/recorded/, or name it above";
  }
  for (const std::string& kernel : allowed) {
    EXPECT_TRUE(stale.contains(kernel)) << kernel << " is recorded as it is: take it off the list";
  }
}

TEST(KernelSourceHash, IgnoresWhatTheCompilerDoes) {
  const std::string plain = "#define T 4\nint f(int a) { return a + T; }\n";
  const std::string hash = kernel_source_hash(plain);
  EXPECT_EQ(hash.size(), 32u);
  EXPECT_EQ(kernel_source_hash("// about it\n#define  T   4 // four\n\nint f(int a)\n{ /* here */\n"
                               "  TILESCOPE_PHASE(compute);\n  return a+T;\n}"),
            hash);
}

TEST(KernelSourceHash, SeesWhatTheCompilerSees) {
  const std::string hash = kernel_source_hash("#define T 4\nint f(int a) { return a + T; }\n");
  EXPECT_NE(kernel_source_hash("#define T 5\nint f(int a) { return a + T; }\n"), hash);
  EXPECT_NE(kernel_source_hash("#define T4\nint f(int a) { return a + T; }\n"), hash);
  EXPECT_NE(kernel_source_hash("#define T 4 int f(int a) { return a + T; }\n"), hash);
  EXPECT_NE(kernel_source_hash("int ab;"), kernel_source_hash("int a b;"));
  EXPECT_NE(kernel_source_hash("c = \"a b\";"), kernel_source_hash("c = \"ab\";"));
  EXPECT_NE(kernel_source_hash("c = \"// x\";"), kernel_source_hash("c = \"// y\";"));
  EXPECT_NE(kernel_source_hash("a = b + +c;"), kernel_source_hash("a = b ++ c;"));
}

}  // namespace
}  // namespace tilescope
