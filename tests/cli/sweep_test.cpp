#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "build_config.h"
#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSweep = "sweep gemm/naive --each --size 64";

// Sweeps on a worker without a GPU, which takes 50 ms for each point, into a history of their own.
class Sweep : public ::testing::Test {
 protected:
  void SetUp() override {
    const fs::path tests = fs::read_symlink("/proc/self/exe").parent_path() / "tests_gpu";
    if (!fs::exists(tests)) GTEST_SKIP() << "tests_gpu, which serves as the worker, is not built";
    ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);  // so that each point is compiled
    ::setenv("TILESCOPE_WORKER", ("'" + tests.string() + "' --fake-worker measures").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("XDG_DATA_HOME");
    ::unsetenv("XDG_CACHE_HOME");
    ::unsetenv("TILESCOPE_WORKER");
  }

  static std::string tests_program() {
    return (fs::read_symlink("/proc/self/exe").parent_path() / "tests_gpu").string();
  }

  static std::size_t kept() {
    const ProgramRun run = run_tilescope("history --limit 0 --json");
    EXPECT_EQ(run.status, 0) << run.errors;
    return nlohmann::json::parse(run.output)["runs"].size();
  }

  // Starts the sweep, waits until the history has more than it had, and sends the signal. How it
  // ended, as waitpid says.
  int stop_by(int signal) {
    const std::size_t before = kept();
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string line =
          std::string("exec '" TILESCOPE_PROGRAM "' ") + kSweep + " </dev/null >/dev/null 2>&1";
      ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      std::_Exit(127);
    }
    for (int i = 0; i < 1000 && kept() <= before; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  testing::TemporaryFolder folder_;
};

// What was measured of a file stands beside its model, where the history is asked for.
TEST_F(Sweep, ExportHasTheTimeOfAFileThatTheHistoryKeeps) {
  const fs::path file = folder_ / "mine.cu";
  std::ofstream(file) << "__global__ void scale(const float* in, float* out, int n) {\n"
                         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < n) out[i] = 2.0f * in[i];\n"
                         "}\n";
  const auto launch = [&](int threads) {
    return "'" + file.string() + "' --grid 'ceil_div(n," + std::to_string(threads) + ")' --block " +
           std::to_string(threads) +
           " --arg 'f32[4096]=random:1' --arg 'f32[4096]=zero' --arg i32:4096 ";
  };
  const ProgramRun run = run_tilescope("run " + launch(128));
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto times = [&](const std::string& more) {
    const fs::path out = folder_ / "out.json";
    const ProgramRun made =
        run_tilescope("export " + more + " --view roofline -o '" + out.string() + "'");
    EXPECT_EQ(made.status, 0) << made.errors;
    std::vector<std::string> sources;
    const auto figures = nlohmann::json::parse(std::ifstream(out));
    for (const auto& number : figures["numbers"]) {
      if (number["name"] == "time" && number["source"] != "modelled") {
        sources.push_back(number["source"]);
      }
    }
    return sources;
  };
  EXPECT_TRUE(times(launch(128)).empty());
  const std::vector<std::string> kept = {"recorded"};
  EXPECT_EQ(times(launch(128) + "--history"), kept);
  EXPECT_TRUE(times(launch(256) + "--history").empty()) << "another launch";
  EXPECT_TRUE(times(launch(128) + "--history --arch sm_80").empty()) << "another GPU";
}

TEST_F(Sweep, GoesOnWhereItWasStopped) {
  const int interrupted = stop_by(SIGINT);
  EXPECT_TRUE(WIFEXITED(interrupted));
  EXPECT_EQ(WEXITSTATUS(interrupted), 130);
  const std::size_t first = kept();
  EXPECT_GE(first, 1U);

  const int killed = stop_by(SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(killed));
  const std::size_t second = kept();
  EXPECT_GT(second, first);

  const ProgramRun rest = run_tilescope(kSweep);
  EXPECT_EQ(rest.status, 0) << rest.errors;
  EXPECT_NE(rest.errors.find(std::to_string(second) + " already in the history, 0 failed"),
            std::string::npos)
      << rest.errors;
  const std::size_t all = kept();
  EXPECT_GT(all, second);

  const ProgramRun again = run_tilescope(kSweep);
  EXPECT_NE(again.errors.find(" 0 measured, " + std::to_string(all) + " already in the history"),
            std::string::npos)
      << again.errors;
  EXPECT_EQ(kept(), all);
}

TEST_F(Sweep, WhatItMeasuredIsTheUsersOwn) {
  ASSERT_EQ(run_tilescope("sweep gemm/naive --size 64").status, 0);
  const ProgramRun run = run_tilescope("history");
  EXPECT_EQ(run.output.rfind("● ", 0), 0U) << run.output;
}

TEST_F(Sweep, OtherFactorsAreOtherPoints) {
  const std::string command = "sweep gemm/naive --size 64";
  ASSERT_EQ(run_tilescope(command).status, 0);
  const ProgramRun other = run_tilescope(command + " --beta 0.5");
  EXPECT_NE(other.errors.find(" 1 measured, 0 already in the history"), std::string::npos)
      << other.errors;
  EXPECT_NE(other.output.find("beta 0.5"), std::string::npos) << other.output;
  const ProgramRun again = run_tilescope(command + " --beta 0.5");
  EXPECT_NE(again.errors.find(" 0 measured, 1 already in the history"), std::string::npos)
      << again.errors;
  EXPECT_NE(run_tilescope("history").output.find("beta 0.5"), std::string::npos);
}

TEST_F(Sweep, PrintsTheBestFirst) {
  const ProgramRun run = run_tilescope(std::string(kSweep) + " --json");
  EXPECT_EQ(run.status, 0) << run.errors;
  const auto runs = nlohmann::json::parse(run.output)["runs"];
  EXPECT_GT(runs.size(), 5U);
  double before = 0;
  for (const auto& one : runs) {
    EXPECT_GE(one["seconds"]["median"].get<double>(), before);
    before = one["seconds"]["median"].get<double>();
  }
}

// Two workers share the points, and what one has is the other's too.
TEST_F(Sweep, SeveralWorkersShareThePoints) {
  const std::string worker = std::string(" --worker \"") + ::getenv("TILESCOPE_WORKER") + "\"";
  const std::string command = kSweep + worker + worker + " --json";
  const ProgramRun run = run_tilescope(command);
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto runs = nlohmann::json::parse(run.output)["runs"];
  EXPECT_EQ(kept(), runs.size());
  for (const auto& one : runs) {
    EXPECT_EQ(one["gpu"], "Fake GPU");
    EXPECT_FALSE(one["worker"].get<std::string>().empty());
  }
  const ProgramRun again = run_tilescope(std::string(kSweep) + " --json");
  EXPECT_NE(again.errors.find(" 0 measured, "), std::string::npos) << again.errors;
}

// Times of different GPUs are not ranked together: each GPU measures every point.
TEST_F(Sweep, EachKindOfGpuHasATableOfItsOwn) {
  const std::string one = ::getenv("TILESCOPE_WORKER");
  const ProgramRun run = run_tilescope("sweep gemm/naive --size 64 -p BLOCK_X=8,16 --worker \"" +
                                       one + "\" --worker \"" + one + "_h100\"");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(kept(), 4U);
  EXPECT_NE(run.output.find("N 64, Fake GPU\n"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("N 64, NVIDIA H100 80GB HBM3\n"), std::string::npos) << run.output;
}

// Workers that are killed while they measure lose no point, and none is measured twice.
TEST_F(Sweep, KilledWorkersLoseNoPoint) {
  // A worker that writes its number down, so that it can be found.
  const std::string numbers = (folder_ / "numbers").string();
  const std::string worker = " --worker \"sh -c 'echo \\$\\$ >> " + numbers + "; exec " +
                             tests_program() + " --fake-worker measures'\"";
  const std::string command = kSweep + worker + worker;
  const pid_t sweep = ::fork();
  if (sweep == 0) {
    const std::string line = "exec '" TILESCOPE_PROGRAM "' " + command + " >/dev/null 2>&1";
    ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    std::_Exit(127);
  }
  int kills = 0;
  int status = 0;
  for (int i = 0; i < 3000 && ::waitpid(sweep, &status, WNOHANG) == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::ifstream file(numbers);
    pid_t last = 0;
    for (pid_t number = 0; file >> number;) last = number;
    if (i % 15 == 14 && last > 0 && kills < 8 && ::kill(last, SIGKILL) == 0) ++kills;
  }
  EXPECT_GE(kills, 3);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const std::size_t all = kept();
  const ProgramRun again = run_tilescope(kSweep);
  EXPECT_NE(again.errors.find(" 0 measured, " + std::to_string(all) + " already"),
            std::string::npos)
      << again.errors;
}

// A scheduler's command stands before the program; it is asked to end, not killed.
TEST_F(Sweep, ALauncherStartsWorkersAndIsAskedToEnd) {
  const fs::path launcher = folder_ / "launcher";
  const std::string ended = (folder_ / "ended").string();
  std::ofstream(launcher) << "#!/bin/sh\ntrap 'echo ended >> " << ended << "' TERM\nexec 3<&0\n"
                          << tests_program() << " --fake-worker measures <&3 &\nwait\nwait\n";
  fs::permissions(launcher, fs::perms::owner_all);
  const ProgramRun run = run_tilescope("sweep gemm/naive --size 64 -p BLOCK_X=8,16 --launch '" +
                                       launcher.string() + "' --launches 2");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(kept(), 2U);
  std::ifstream file(ended);
  std::string first;
  EXPECT_TRUE(std::getline(file, first)) << "nobody asked it to end";
}

TEST_F(Sweep, WithoutAnyWorkerEachSaysWhy) {
  const ProgramRun run =
      run_tilescope("sweep gemm/naive --size 64 --worker false --worker 'exit 7'");
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.errors.find("false does not answer"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("exit 7 does not answer"), std::string::npos) << run.errors;
}

}  // namespace
}  // namespace tilescope
