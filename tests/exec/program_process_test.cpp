#include "exec/program_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

namespace tilescope {
namespace {

bool comes_true(const std::function<bool()>& is) {
  for (int i = 0; i < 500; ++i) {
    if (is()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// Whoever stops tilescope stops the program as well, even one that does not listen.
TEST(ProgramProcess, EndsWithUsThoughItIgnoresTheSignal) {
  const auto file =
      std::filesystem::temp_directory_path() / ("tilescope-process-" + std::to_string(::getpid()));
  const pid_t ours = ::fork();
  if (ours == 0) {
    const auto started =
        start({"sh",
               {"-c", "trap '' TERM; echo $$ > \"$0\"; exec sleep 60", file.string()},
               environment_without({})});
    if (started) (void)end_of(*started);
    ::_exit(1);
  }
  pid_t program = 0;
  EXPECT_TRUE(comes_true([&] { return static_cast<bool>(std::ifstream(file) >> program); }));
  ::kill(ours, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(ours, &status, 0), ours);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  std::filesystem::remove(file);
  ASSERT_GT(program, 0);
  const auto is_gone = [&] {
    std::ifstream state("/proc/" + std::to_string(program) + "/stat");
    std::string number;
    std::string name;
    std::string letter;
    return !(state >> number >> name >> letter) || letter == "Z";
  };
  EXPECT_TRUE(comes_true(is_gone));
}

}  // namespace
}  // namespace tilescope
