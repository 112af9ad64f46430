#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "kernel/compile/nvcc.h"
#include "program.h"
#include "session/program_progress.h"

namespace tilescope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

TEST(ExecProgram, IsFoundOnThePath) {
  const ProgramRun run = run_tilescope("exec --emulate -- true");
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.errors.find("exited with status 0"), std::string::npos) << run.errors;
  const ProgramRun missing = run_tilescope("exec --emulate -- no_such_program");
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.errors.find("there is no program no_such_program"), std::string::npos);
}

class Exec : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!nvcc()) GTEST_SKIP() << "there is no nvcc, which compiles the programs";
    folder_ = fs::temp_directory_path() / ("tilescope-exec-cli-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  fs::path folder_;
};

TEST_F(Exec, ReportsTheLaunchesOfAProgram) {
  const ProgramRun run = run_tilescope("exec tests/exec/programs/vector_add.cu --json");
  EXPECT_EQ(run.status, 0) << run.errors;
  const json document = json::parse(run.output, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << run.output;
  ASSERT_EQ(document["launches"].size(), 1U);
  const json& launch = document["launches"][0];
  EXPECT_EQ(launch["grid"], json({4, 1, 1}));
  EXPECT_EQ(launch["metrics"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], 250);
  EXPECT_GT(launch["modelled"]["seconds"], 0);
  EXPECT_NE(run.errors.find("3.000000"), std::string::npos) << "what the program prints";
}

TEST_F(Exec, ALaunchThatWasCutIsNoSuccess) {
  const ProgramRun run =
      run_tilescope("exec tests/exec/programs/loop_beyond_the_limit.cu --emulate --limit 1");
  EXPECT_EQ(run.status, 3) << run.errors;
  EXPECT_NE(run.output.find("NOT executed whole"), std::string::npos) << run.output;
}

TEST_F(Exec, SaysWhichArgumentsAndFilesAProgramLacks) {
  std::ofstream(folder_ / "wants.cu")
      << "#include <cstdlib>\n#include <cstdio>\n"
         "int main(int argc, char** argv) {\n"
         "  int n = argc > 2 ? atoi(argv[1]) : 0;\n  FILE* in = fopen(\"no_such.txt\", \"r\");\n"
         "  if (n == 0 || in == nullptr) return 1;\n"
         "  in = fopen(argv[2], \"r\");\n  cudaFree(nullptr);\n}\n";
  const ProgramRun run = run_tilescope("exec --emulate " + (folder_ / "wants.cu").string());
  EXPECT_NE(run.errors.find("main() reads argv[1] (a whole number), argv[2] (a file): tilescope "
                            "exec " +
                            (folder_ / "wants.cu").string() + " -- 64 FILE"),
            std::string::npos)
      << run.errors;
  EXPECT_NE(run.errors.find("It opens no_such.txt, which is not in "), std::string::npos)
      << run.errors;
}

TEST_F(Exec, ProblemsAreAnExitStatus) {
  const ProgramRun run = run_tilescope("exec tests/exec/programs/past_the_end.cu");
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.output.find("past_the_end.cu:8: out_of_bounds: writes values[250]"),
            std::string::npos)
      << run.output;
}

TEST_F(Exec, WhatDoesNotCompileHasAStatusOfItsOwn) {
  const fs::path source = folder_ / "wrong.cu";
  std::ofstream(source) << "int main() { return missing; }\n";
  const ProgramRun run = run_tilescope("exec " + source.string());
  EXPECT_EQ(run.status, 4);
  EXPECT_NE(run.errors.find("identifier \"missing\" is undefined"), std::string::npos);
}

TEST_F(Exec, ShowsALaunchAsTraceDoes) {
  const ProgramRun run =
      run_tilescope("exec tests/exec/programs/written_by_a_launch_before.cu --launch twice#1");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.output.find("counted as issued"), std::string::npos) << run.output;
}

TEST_F(Exec, SavesLaunchesWithTheirData) {
  const fs::path session = folder_ / "s.tilescope";
  const ProgramRun run = run_tilescope(
      "exec tests/exec/programs/written_by_a_launch_before.cu --quiet --save " + session.string());
  EXPECT_EQ(run.status, 0) << run.errors;
  std::ifstream file(session);
  const json document = json::parse(file, nullptr, false);
  ASSERT_EQ(document["variants"].size(), 2U);
  // Both are from one file, and are two kernels of the user's.
  ASSERT_EQ(document["own_kernels"].size(), 2U);
  EXPECT_NE(document["own_kernels"][0]["name"], document["own_kernels"][1]["name"]);
  const json& in = document["variants"][1]["launch"]["arguments"][0];
  EXPECT_EQ(in["name"], "in");
  EXPECT_EQ(in["type"], "i32");
  std::ifstream data(in["fill"].get<std::string>().substr(1), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(data), {}};
  ASSERT_EQ(bytes.size(), 128U);
  EXPECT_EQ(bytes[4 * 31], 31) << "what the launch before has left";
}

TEST_F(Exec, SaysHowFarItIs) {
  const fs::path progress = folder_ / "progress";
  const ProgramRun run = run_tilescope(
      "exec tests/exec/programs/vector_add.cu --quiet --progress " + progress.string());
  EXPECT_EQ(run.status, 0) << run.errors;
  std::ifstream file(progress);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("\"phase\":\"compiling\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"phase\":\"running\""), std::string::npos) << text;
  const auto last = last_progress(text);
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->phase, ProgramProgress::Phase::kEnded);
  EXPECT_EQ(last->launches, 1U);
  EXPECT_EQ(last->how, "exited with status 0");
  EXPECT_EQ(last->error, "");
}

TEST_F(Exec, OnlyOneOfGpuAndEmulatorIsTheOnlyOne) {
  const ProgramRun run = run_tilescope("exec tests/exec/programs/vector_add.cu --gpu --emulate");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.errors.find("--emulate"), std::string::npos) << run.errors;
}

}  // namespace
}  // namespace tilescope
