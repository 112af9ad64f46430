#include "store/recorded_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "build_config.h"
#include "store/source_digest.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class RecordedRunsFile : public ::testing::Test {
 protected:
  fs::path write(const std::string& text) const { return folder_.write("runs.json", text); }
  testing::TemporaryFolder folder_;
};

TimeSummary times(double median, double p5, double p95) {
  TimeSummary summary;
  summary.count = 20;
  summary.median_seconds = median;
  summary.p5_seconds = p5;
  summary.p95_seconds = p95;
  return summary;
}

Measurement some_run() {
  Measurement run;
  run.of = {
      "gemm/naive", "abc", {{"BLOCK_X", 32}, {"BLOCK_Y", 8}}, {{"K", 3}, {"M", 1}, {"N", 2}}, {}};
  run.result.kernel = times(2e-3, 1e-3, 1.0 / 3);
  run.result.reference = times(5e-4, 4e-4, 6e-4);
  run.result.reference_name = "cuBLAS SGEMM, FP32";
  run.result.max_error = 0.1;
  run.result.tolerance = 0.2;
  run.result.flop = 12;
  run.result.bytes = 44;
  run.date = "2026-01-02";
  return run;
}

RecordedRuns some_runs() {
  return {{"GPU \"X\"", 90, "1.2", "13.0", "NVRTC 13.0", ""}, {"it"}, {some_run()}};
}

TEST_F(RecordedRunsFile, ComeBackAsTheyWereSaved) {
  const fs::path file = folder_ / "new" / "a.json";
  RecordedRuns saved = some_runs();
  Measurement other = some_run();
  other.of.cold = other.result.cold = false;
  other.result.reference.reset();
  other.result.max_error.reset();
  other.result.conditions.sm_clock_after_hz = 1.98e9;
  saved.put(other);
  ASSERT_TRUE(save_recorded_runs(saved, file).ok());
  const auto loaded = load_recorded_runs(file);
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  EXPECT_EQ(loaded->machine, saved.machine);
  EXPECT_EQ(loaded->commands, saved.commands);
  ASSERT_EQ(loaded->runs.size(), 2u);
  const Measurement& run = loaded->runs[0];
  EXPECT_EQ(run.of, some_run().of);
  EXPECT_EQ(run.machine, saved.machine);
  EXPECT_NEAR(run.result.kernel.p95_seconds, 1.0 / 3, 1e-6);
  EXPECT_EQ(run.result.kernel.count, 20);
  EXPECT_EQ(run.result.reference, some_run().result.reference);
  EXPECT_EQ(run.result.max_error, 0.1);
  EXPECT_TRUE(run.result.correct);
  EXPECT_FALSE(run.result.conditions.sm_clock_after_hz.has_value());
  EXPECT_FALSE(loaded->runs[1].result.cold);
  EXPECT_FALSE(loaded->runs[1].result.reference.has_value());
  EXPECT_FALSE(loaded->runs[1].result.max_error.has_value());
  EXPECT_EQ(loaded->runs[1].result.conditions.sm_clock_after_hz, 1.98e9);
  EXPECT_FALSE(fs::exists(folder_ / "new" / "a.json.part"));
}

TEST(RecordedRuns, KeepTheConditionsOfTheirMeasurement) {
  RunResult measured;
  measured.kernel = times(2, 2 - 1, 2 + 1);
  measured.kernel.relative_error = 0.004;
  measured.reference = times(4, 4 - 1, 4 + 1);
  measured.reference->relative_error = 0.01;
  measured.reference_name = "cuBLAS";
  measured.other = times(5, 5 - 1, 5 + 1);
  measured.other_name = "cuBLAS Sgeam";
  measured.conditions.sm_clock_before_hz = 1.98e9;
  measured.conditions.sm_clock_after_hz = 1.6e9;
  measured.conditions.temperature_after_celsius = 61;
  measured.conditions.throttle_reasons = kPowerCap;
  measured.conditions.throttled_samples = 12;
  measured.conditions.all_throttled = true;
  const auto kept = decode_run(encode_run(measurement_of(KernelInstance{}, measured)));
  ASSERT_TRUE(kept.ok()) << to_string(kept.error());
  const RunResult& shown = kept->result;
  EXPECT_EQ(shown.kernel.count, 20);
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
  Measurement run = some_run();
  for (const auto& [throttled, all] : {std::pair{0, false}, {7, false}, {20, true}, {20, false}}) {
    run.result.conditions.throttled_samples = throttled;
    run.result.conditions.all_throttled = all;
    const auto kept = decode_run(encode_run(run));
    ASSERT_TRUE(kept.ok()) << to_string(kept.error());
    EXPECT_EQ(kept->result.conditions.all_throttled, all) << throttled;
  }
}

TEST(RecordedRuns, AreFoundByExactlyTheirPoint) {
  const RecordedRuns runs = some_runs();
  const LaunchKey of = some_run().of;
  EXPECT_NE(runs.find(of), nullptr);
  for (const auto& change : std::vector<std::function<void(LaunchKey&)>>{
           [](LaunchKey& k) { k.kernel = "gemm/other"; }, [](LaunchKey& k) { k.source = "abd"; },
           [](LaunchKey& k) { k.parameters["BLOCK_X"] = 16; },
           [](LaunchKey& k) { k.extents.erase("K"); }, [](LaunchKey& k) { k.cold = false; },
           [](LaunchKey& k) { k.factors["beta"] = 1; }, [](LaunchKey& k) { k.launch = "x"; }}) {
    LaunchKey other = of;
    change(other);
    EXPECT_EQ(runs.find(other), nullptr);
  }
}

TEST(RecordedRuns, OfOtherFactorsAreOtherPoints) {
  RecordedRuns runs = some_runs();
  Measurement run = some_run();
  run.of.factors = {{"beta", 0.5}};
  run.result.kernel.median_seconds = 7;
  runs.put(run);
  ASSERT_EQ(runs.runs.size(), 2u);
  const Measurement* usual = runs.find(some_run().of);  // alpha 1, beta 0
  ASSERT_NE(usual, nullptr);
  EXPECT_EQ(usual->result.kernel.median_seconds, 2e-3);
  const Measurement* own = runs.find(run.of);
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->result.kernel.median_seconds, 7);
  const auto kept = decode_run(encode_run(run));
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->of.factors, run.of.factors);
}

TEST(RecordedRuns, ANewerRunTakesTheOldOnesPlace) {
  RecordedRuns runs = some_runs();
  Measurement newer = some_run();
  newer.of.source = "new";
  newer.result.kernel.median_seconds = 1;
  runs.put(newer);
  ASSERT_EQ(runs.runs.size(), 1u);
  EXPECT_EQ(runs.runs[0].result.kernel.median_seconds, 1);
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
    EXPECT_FALSE(recorded.machine.gpu.empty() || recorded.machine.driver.empty() ||
                 recorded.machine.compiler.empty());
    EXPECT_FALSE(recorded.commands.empty() || recorded.runs.empty());
    for (const Measurement& run : recorded.runs) {
      const std::string& kernel = run.of.kernel;
      const TimeSummary& its = run.result.kernel;
      EXPECT_GT(its.p5_seconds, 0) << kernel;
      EXPECT_LE(its.p5_seconds, its.median_seconds) << kernel;
      EXPECT_LE(its.median_seconds, its.p95_seconds) << kernel;
      EXPECT_TRUE(run.result.max_error.has_value()) << kernel;
      EXPECT_TRUE(run.result.correct) << kernel;
      EXPECT_EQ(recorded.find(run.of), &run) << kernel << ": recorded twice";
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
    for (const Measurement& run : recorded.runs) {
      if (hashes[run.of.kernel] != run.of.source) stale.insert(run.of.kernel);
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
