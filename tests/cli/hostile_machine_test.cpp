// A machine that refuses what the program asks of it: a full disk, no memory, no threads, folders
// that are not there. Each gives one line and an exit status, or does not matter.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "build_config.h"
#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class HostileMachine : public ::testing::Test {
 protected:
  HostileMachine() {
    kernel_ = folder_.write("k.cu",
                            "__global__ void k(int* p) {\n"
                            "  p[blockIdx.x * blockDim.x + threadIdx.x] = 1;\n}\n");
    past_end_ =
        folder_.write("past_end.cu", "__global__ void k(int* p) { p[threadIdx.x + 1] = 1; }\n");
  }
  [[nodiscard]] std::string trace(const fs::path& file,
                                  const std::string& launch = "--grid 1 --arg 'i32[32]'") const {
    return "trace " + file.string() + " --block 32 " + launch;
  }
  // In a shell that has not compiled anything yet.
  [[nodiscard]] std::string fresh_cache() const {
    return "XDG_CACHE_HOME=" + (folder_ / "cache").string() + " ";
  }
  static void expect_line(const ProgramRun& run, int status, const std::string& part) {
    EXPECT_EQ(run.status, status) << run.errors;
    EXPECT_NE(run.errors.find(part), std::string::npos) << run.errors;
    EXPECT_EQ(run.errors.find("terminate called"), std::string::npos) << run.errors;
  }
  testing::TemporaryFolder folder_;
  fs::path kernel_;
  fs::path past_end_;
};

TEST_F(HostileMachine, OutputThatIsLostIsOneLine) {
  const char* says = "tilescope: the output could not be written";
  for (const char* command : {"list", "list --json", "list --devices", "--help"}) {
    const ProgramRun run = run_tilescope(std::string(command) + " >/dev/full");
    expect_line(run, 3, says);
    EXPECT_EQ(run.errors.find('\n'), run.errors.size() - 1) << run.errors;
    expect_line(run_tilescope(std::string(command) + " >&-"), 3, says);
  }
  expect_line(run_tilescope(trace(kernel_) + " --json >/dev/full"), 3, says);
}

TEST_F(HostileMachine, ErrorsThatNobodyReadsChangeNoStatus) {
  EXPECT_EQ(run_tilescope(trace(past_end_)).status, 2);
  EXPECT_EQ(run_tilescope(trace(past_end_) + " 2>&-").status, 2);
  EXPECT_EQ(run_tilescope(trace(past_end_) + " 2>/dev/full").status, 2);
}

TEST_F(HostileMachine, APipeThatCloses) {
  const ProgramRun run = run_tilescope("list | head -1");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.errors, "");
}

TEST_F(HostileMachine, NoFolderForTemporaryFiles) {
  for (const char* place : {"/dev/null", "/nowhere"}) {
    const ProgramRun run =
        run_tilescope(trace(kernel_), std::string("TMPDIR=") + place + " " + fresh_cache());
    EXPECT_EQ(run.status, 0) << run.errors;
    fs::remove_all(folder_ / "cache");
  }
}

TEST_F(HostileMachine, MoreWorkersThanThereCanBe) {
  const ProgramRun run =
      run_tilescope(trace(kernel_, "--grid 3000 --arg 'i32[96000]'") + " --workers 100000");
  EXPECT_EQ(run.status, 0) << run.errors;
}

TEST_F(HostileMachine, TooLittleMemory) {
  // Enough to compile, and then to start no thread; what is enough differs by machine.
  for (const char* kilobytes : {"100000", "150000", "200000"}) {
    const ProgramRun run =
        run_tilescope(trace(kernel_), std::string("ulimit -v ") + kilobytes + "; ");
    EXPECT_TRUE(run.status == 0 || run.status == 3) << run.status << " " << run.errors;
    EXPECT_EQ(run.errors.find("terminate called"), std::string::npos) << run.errors;
  }
  expect_line(run_tilescope(trace(kernel_, "--grid 1 --arg 'i32[400000000]=random:1'"),
                            "ulimit -v 3000000; "),
              3, "not enough memory");
}

TEST_F(HostileMachine, ACacheThatCannotBeWritten) {
  for (const char* blocks : {"0", "1", "4"}) {
    const ProgramRun run = run_tilescope(
        trace(kernel_) + " 2>&1 | cat", "export " + fresh_cache() + "; ulimit -f " + blocks + "; ");
    EXPECT_NE(run.output.find("1 of 1 blocks"), std::string::npos) << run.output;
    std::error_code absent;
    for (const auto& file : fs::recursive_directory_iterator(folder_ / "cache", absent)) {
      EXPECT_NE(file.path().extension(), ".part") << file.path();
    }
    fs::remove_all(folder_ / "cache");
  }
}

// Keeps NVRTC busy for some seconds.
std::string slow_kernel() {
  std::string slow = "template <int N> __device__ float f(float x) {\n";
  for (int i = 0; i < 400; ++i) slow += "  x = sinf(x) * powf(x, N) + cosf(x);\n";
  slow += "  if constexpr (N > 0) x = f<N - 1>(x);\n  return x;\n}\n";
  return slow + "__global__ void k(float* p) { p[threadIdx.x] = f<30>(p[threadIdx.x]); }\n";
}

pid_t start_trace(const std::string& file, const std::string& cache) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  ::signal(SIGINT, SIG_DFL);
  ::execl(TILESCOPE_PROGRAM, "tilescope", "trace", file.c_str(), "--grid", "1", "--block", "32",
          "--arg", "f32[32]", nullptr);
  ::_exit(127);
}

// The processes that a process started.
std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> found;
  std::error_code gone;
  const fs::path tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : fs::directory_iterator(tasks, gone)) {
    std::ifstream list(task.path() / "children");
    for (pid_t child = 0; list >> child;) found.push_back(child);
  }
  return found;
}

bool is_running(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string words;
  std::getline(file, words);
  const std::size_t name_end = words.rfind(')');
  return name_end != std::string::npos && words.substr(name_end, 3) != ") Z";
}

// As a shell sees it: ended by the signal, also while NVRTC compiles, whose process then ends too.
TEST_F(HostileMachine, SignalsEndItAtAnyTime) {
  const std::string file = folder_.write("slow.cu", slow_kernel()).string();
  for (const int number : {SIGINT, SIGTERM, SIGKILL}) {
    const pid_t child = start_trace(file, (folder_ / "cache").string());
    ASSERT_GE(child, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    const std::vector<pid_t> compilers = children_of(child);
    EXPECT_FALSE(compilers.empty());
    ::kill(child, number);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_EQ(WTERMSIG(status), number);
    for (const pid_t compiler : compilers) {
      for (int i = 0; i < 500 && is_running(compiler); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      EXPECT_FALSE(is_running(compiler)) << "after signal " << number;
    }
  }
}

TEST_F(HostileMachine, AnOutputThatMayNotBeWrittenIsRefusedAtOnce) {
  expect_line(run_tilescope(trace(kernel_) + " --out p=" + kernel_.string()), 1,
              "overwrite the kernel's own source");
  EXPECT_GT(fs::file_size(kernel_), 60U);
  const std::string long_launch = "--grid 1000000 --arg 'i32[32]'";
  expect_line(
      run_tilescope(trace(kernel_, long_launch) + " --out q=" + (folder_ / "o.bin").string()), 1,
      "the kernel has no buffer 'q'");
  expect_line(run_tilescope(trace(kernel_) + " --out p"), 1, "is not ARG=FILE");
}

}  // namespace
}  // namespace tilescope
