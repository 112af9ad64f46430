#include "store/recorded_runs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// A folder that is gone at the end of the test.
class RecordedRunsFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& text) const {
    std::ofstream(folder_ / "runs.json") << text;
    return folder_ / "runs.json";
  }
  fs::path folder_ =
      fs::temp_directory_path() / ("tilescope_recorded_" + std::to_string(::getpid()));
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

RecordedRuns some_runs() {
  return {"GPU \"X\"", 90, "1.2", "13.0", "NVRTC 13.0", "", {"it"}, {some_run()}};
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
  EXPECT_EQ(run.times.p95_seconds, 1.0 / 3);
  ASSERT_TRUE(run.reference.has_value());
  EXPECT_EQ(run.reference->median_seconds, 5e-4);
  EXPECT_EQ(run.max_error, 0.1);
  EXPECT_FALSE(run.sm_clock_hz.has_value());
  EXPECT_FALSE(loaded->runs[1].reference.has_value());
  EXPECT_FALSE(loaded->runs[1].max_error.has_value());
  EXPECT_EQ(loaded->runs[1].sm_clock_hz, 1.98e9);
  EXPECT_FALSE(fs::exists(folder_ / "new" / "a.json.part"));
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
    EXPECT_FALSE(load_recorded_folder(folder_).ok());
  }
  EXPECT_FALSE(load_recorded_runs(folder_ / "missing.json").ok());
}

TEST_F(RecordedRunsFile, AMissingFolderHoldsNone) {
  const auto all = load_recorded_folder(folder_ / "nothing");
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(all->empty());
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
