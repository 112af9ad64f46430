#include "kernel/compile/nvrtc_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "compile_fixture.h"

namespace tilescope {
namespace {

using std::chrono::milliseconds;

// NVRTC looks the kernel's name up although its parameter has no type, and does not survive that.
const std::string kCrashing =
    "template <int N>\n__global__ void scale(half* x) {\n  x[0] = N;\n}\n"
    "#pragma nv_mangled_name scale<2>\n";

// Twice as many classes for each N: with 40 it ends nowhere.
std::string doubling(int depth) {
  return "template <int N, int K> struct F {\n"
         "  static constexpr int v = F<N - 1, 2 * K>::v ^ F<N - 1, 2 * K + 1>::v;\n};\n"
         "template <int K> struct F<0, K> { static constexpr int v = K; };\n"
         "__global__ void k(int* p) { p[0] = F<" +
         std::to_string(depth) + ", 1>::v; }\n";
}

NvrtcLibrary::Input input_of(std::string source) {
  return {.name = "test.cu",
          .source = std::move(source),
          .headers = {},
          .options = {"--gpu-architecture=compute_90", "--no-cache"},
          .kernel = {}};
}

NvrtcLibrary::Input good_input(int value = 1) {
  return input_of("__global__ void k(int* p) { p[0] = " + std::to_string(value) + "; }\n");
}

void expect_death(const Result<NvrtcProcesses::Answer>& answer, NvrtcDeath::Cause cause) {
  ASSERT_TRUE(answer.ok()) << to_string(answer.error());
  ASSERT_TRUE(answer->death);
  EXPECT_EQ(answer->death->cause, cause) << answer->death->how;
}

void expect_compiles(NvrtcProcesses& processes, const NvrtcLibrary::Input& input = good_input()) {
  const auto answer = processes.compile(input, {});
  ASSERT_TRUE(answer.ok()) << to_string(answer.error());
  ASSERT_FALSE(answer->death) << answer->death->how;
  EXPECT_TRUE(answer->output.compiled) << answer->output.log;
}

// Of this process; those that have ended and are not waited for count.
std::vector<pid_t> all_children() {
  std::vector<pid_t> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(task.path() / "children");
    for (pid_t child = 0; list >> child;) found.push_back(child);
  }
  return found;
}

class NvrtcProcessesTest : public ::testing::Test {
 protected:
  // Those that the test started.
  [[nodiscard]] std::vector<pid_t> children() const {
    std::vector<pid_t> started = all_children();
    std::erase_if(started, [this](pid_t child) {
      return std::ranges::find(before_, child) != before_.end();
    });
    return started;
  }

 private:
  std::vector<pid_t> before_ = all_children();  // compile() keeps some
};

TEST_F(NvrtcProcessesTest, KeepOneForTheNextRequest) {
  NvrtcProcesses processes({});
  const auto facts = processes.facts({});
  ASSERT_TRUE(facts.ok()) << to_string(facts.error());
  EXPECT_GE(facts->major, 12);
  EXPECT_FALSE(facts->architectures.empty());
  for (int i = 0; i < 3; ++i) expect_compiles(processes, good_input(i));
  EXPECT_EQ(processes.started(), 1U);
  EXPECT_EQ(children().size(), 1U);
  processes.close();
  EXPECT_EQ(children().size(), 0U);
}

TEST_F(NvrtcProcessesTest, ACrashEndsOneOfThemAndNothingElse) {
  NvrtcProcesses processes({});
  for (int i = 0; i < 2; ++i) {
    const auto answer = processes.compile(input_of(kCrashing), {});
    expect_death(answer, NvrtcDeath::Cause::kCrash);
    EXPECT_NE(answer->death->how.find("signal 11"), std::string::npos) << answer->death->how;
    expect_compiles(processes);
  }
  EXPECT_EQ(children().size(), 1U) << "the next one is ready, and no other is left";
}

TEST_F(NvrtcProcessesTest, StopACompilationThatDoesNotEnd) {
  NvrtcProcesses processes({.command = {}, .most_time = milliseconds(300)});
  const auto answer = processes.compile(input_of(doubling(40)), {});
  expect_death(answer, NvrtcDeath::Cause::kTime);
  EXPECT_EQ(answer->death->how, "took over 0.3 s");
  EXPECT_LE(children().size(), 1U);
}

// NVRTC says so itself where it can.
TEST_F(NvrtcProcessesTest, HaveSoMuchMemoryAndNoMore) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs more";
#endif
  NvrtcProcesses processes({.command = {}, .most_memory = std::size_t{500} << 20});
  const auto answer = processes.compile(input_of(doubling(40)), {});
  ASSERT_TRUE(answer.ok()) << to_string(answer.error());
  if (answer->death) {
    EXPECT_EQ(answer->death->cause, NvrtcDeath::Cause::kMemory);
  } else {
    EXPECT_NE(answer->output.log.find("out of memory"), std::string::npos) << answer->output.log;
  }
  expect_compiles(processes);
}

TEST_F(NvrtcProcessesTest, AnswerARequestThatIsCancelledAtOnce) {
  NvrtcProcesses processes({});
  expect_compiles(processes);
  std::stop_source source;
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(milliseconds(200));
    source.request_stop();
  });
  const auto start = std::chrono::steady_clock::now();
  const auto answer = processes.compile(input_of(doubling(40)), source.get_token());
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kCancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  expect_compiles(processes);
}

TEST_F(NvrtcProcessesTest, TakeAndGiveMoreThanAPipeHolds) {
  std::string source = "__device__ int table[] = {";
  for (int i = 0; i < 200'000; ++i) source += std::to_string(i) + ",";
  source += "};\n__global__ void k(int* p) { p[0] = table[p[1]]; }\n";
  NvrtcProcesses processes({});
  const auto answer = processes.compile(input_of(source), {});
  ASSERT_TRUE(answer.ok()) << to_string(answer.error());
  EXPECT_GT(answer->output.ptx.size(), std::size_t{1} << 20);
  std::string wrong;
  for (int i = 0; i < 20'000; ++i)
    wrong += "int f" + std::to_string(i) + "() { return nowhere; }\n";
  const auto refused = processes.compile(input_of(wrong), {});
  ASSERT_TRUE(refused.ok()) << to_string(refused.error());
  EXPECT_FALSE(refused->output.compiled);
  EXPECT_GT(refused->output.log.size(), 1000U);
}

TEST_F(NvrtcProcessesTest, SurviveWhatIsNoText) {
  std::string bytes;
  for (unsigned i = 0; i < 50'000; ++i) bytes += static_cast<char>(i * 2654435761U >> 13);
  const std::string deep(20'000, '(');
  NvrtcProcesses processes({});
  for (const std::string& source : std::vector<std::string>{
           bytes, "\xff\xfe__global__ void k() {}", deep, "#include \"test.cu\"\n",
           "#pragma unroll 99999999999\n_Pragma(\"\")\n#pragma nv_mangled_name\n",
           "__global__ void k(int* p) { int a[1LL << 45]; p[0] = a[p[1]]; }\n",
           "/*" + std::string(2'000'000, 'x') + "*/ int"}) {
    const auto answer = processes.compile(input_of(source), {});
    ASSERT_TRUE(answer.ok()) << to_string(answer.error());
  }
  expect_compiles(processes);
}

TEST_F(NvrtcProcessesTest, ServeManyThreads) {
  NvrtcProcesses processes({.command = {}, .most_idle = 2, .most_running = 3});
  std::vector<std::jthread> threads;
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&processes, i] {
      if (i % 4 == 0) {
        expect_death(processes.compile(input_of(kCrashing), {}), NvrtcDeath::Cause::kCrash);
      }
      expect_compiles(processes, good_input(i));
    });
  }
  threads.clear();
  EXPECT_LE(children().size(), 2U);
}

TEST_F(NvrtcProcessesTest, ReplaceOneThatSomebodyKilled) {
  for (const bool has_compiled : {false, true}) {
    NvrtcProcesses processes({});
    processes.start_ahead(1);
    if (has_compiled) expect_compiles(processes);
    ASSERT_EQ(children().size(), 1U);
    ::kill(children().front(), SIGKILL);
    std::this_thread::sleep_for(milliseconds(100));
    expect_compiles(processes);
    EXPECT_EQ(processes.started(), 2U);
    EXPECT_EQ(children().size(), 1U) << "the dead one was waited for";
  }
}

TEST_F(NvrtcProcessesTest, SayWhyThereIsNone) {
  const auto facts_of = [](std::vector<std::string> command) {
    NvrtcProcesses processes({.command = std::move(command), .most_start_time = milliseconds(200)});
    const auto facts = processes.facts({});
    EXPECT_FALSE(facts.ok());
    return facts.ok() ? "" : facts.error().message;
  };
  EXPECT_EQ(facts_of({"/bin/sh", "-c", "echo no such thing >&2; exit 7"}),
            "NVRTC's process exited with status 7: no such thing");
  EXPECT_EQ(facts_of({"/bin/sleep", "100"}), "NVRTC's process did not answer in time");
  EXPECT_NE(facts_of({"/nowhere/tilescope"}).find("\"/nowhere/tilescope\" cannot be started"),
            std::string::npos);
  EXPECT_EQ(children().size(), 0U);
}

class CrashingText : public testing::CompileTest {};

TEST_F(CrashingText, IsAnErrorWithItsLine) {
  ::setenv("TILESCOPE_NVCC", "/bin/false", 1);
  const auto crashed = compile_text(kCrashing, "scale<2>");
  ::unsetenv("TILESCOPE_NVCC");
  expect_error(crashed, 5, "NVRTC, the CUDA compiler, crashed");
  EXPECT_TRUE(compile_text("__global__ void k(int* p) { *p = 1; }").ok());
}

// Without a name to look up, NVRTC says what is wrong.
TEST_F(CrashingText, HasNvrtcsOwnErrorsWhereItHasAny) {
  const auto crashed = compile_text(
      "#include \"not_here.h\"\ntemplate <int N>\n__global__ void scale(Scalar* x) {\n"
      "  x[0] = x[0] + x[0];\n}\n",
      "scale<2>");
  expect_error(crashed, 1, "line 3 does not compile: identifier \"Scalar\" is undefined");
}

}  // namespace
}  // namespace tilescope
