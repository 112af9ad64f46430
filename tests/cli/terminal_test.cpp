#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "build_config.h"
#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

using testing::TemporaryFolder;

// The program at a terminal of its own.
class Terminal {
 public:
  explicit Terminal(const std::string& arguments) {
    child_ = ::forkpty(&descriptor_, nullptr, nullptr, nullptr);
    if (child_ != 0) return;
    ::signal(SIGINT, SIG_DFL);  // a shell's background job has it ignored
    const std::string command = "exec '" TILESCOPE_PROGRAM "' " + arguments;
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  ~Terminal() {
    if (child_ > 0) ::kill(child_, SIGKILL);
    if (child_ > 0) ::waitpid(child_, nullptr, 0);
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  // Reads until the text is there; false: it does not come.
  bool shows(const std::string& text) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (shown_.find(text) == std::string::npos && std::chrono::steady_clock::now() < end) {
      pollfd ready{descriptor_, POLLIN, 0};
      if (::poll(&ready, 1, 500) <= 0) continue;
      std::array<char, 4096> chunk;
      const ssize_t got = ::read(descriptor_, chunk.data(), chunk.size());
      if (got <= 0) break;
      shown_.append(chunk.data(), static_cast<std::size_t>(got));
    }
    return shown_.find(text) != std::string::npos;
  }
  void press_interrupt() const { EXPECT_EQ(::write(descriptor_, "\x03", 1), 1); }
  // How it ends, as waitpid() has it.
  int wait() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return status;
  }

 private:
  int descriptor_ = -1;
  pid_t child_ = -1;
  std::string shown_;
};

TEST(AtATerminal, ALongCompileSaysSoAndCanBeEnded) {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "slow.cu",
      "template <int D, class A, class B> struct X { typename X<D - 1, X<D, A, B>, A>::t a;\n"
      "typename X<D - 1, B, X<D, B, A>>::t b; typedef X t; };\n"
      "template <class A, class B> struct X<0, A, B> { typedef int t; };\n"
      "__global__ void k(float* o) { o[0] = sizeof(X<24, int, float>); }\n");
  Terminal terminal("trace '" + file + "' --grid 1 --block 32 --arg 'f32[32]=zero'");
  ASSERT_TRUE(terminal.shows("still compiling"));
  terminal.press_interrupt();
  const int status = terminal.wait();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

TEST(TraceIntoAPipe, ThatNobodyReadsYetSaysWhatItWaitsFor) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  const std::string copy = folder / "copy";
  const ProgramRun run = run_tilescope(
      "trace tests/mutations/claimed_slots.cu --grid 1 --block 64 --arg 'i32[64]=iota' "
      "--arg 'i32[64]=zero' --out '1=" +
          pipe + "'",
      "mkfifo '" + pipe + "'; (sleep 3; exec cat '" + pipe + "' >'" + copy + "') & ");
  EXPECT_NE(run.errors.find("waiting for a reader of the named pipe " + pipe), std::string::npos)
      << run.errors;
  // The reader may still be writing what it read.
  for (int i = 0; i < 100 && std::filesystem::file_size(copy) < 256; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(std::filesystem::file_size(copy), 256u);
}

}  // namespace
}  // namespace tilescope
