#include "run_tests.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tilescope::testing {
namespace {

constexpr std::chrono::minutes kMostTime{5};  // for one test
constexpr std::array kFatal = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// "[  CRASHED ] Suite.Test\n", or empty between tests. A signal handler may read it.
std::array<char, 512> crash_line;

void name_the_test(int signal) {
  const ssize_t ignored = ::write(STDERR_FILENO, crash_line.data(), std::strlen(crash_line.data()));
  static_cast<void>(ignored);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Also when it is the stack that is used up. A sanitizer's own handlers stay.
void watch_for_crashes() {
  static std::array<char, 1 << 16> stack;
  const stack_t alternative = {stack.data(), 0, stack.size()};
  ::sigaltstack(&alternative, nullptr);
  for (const int signal : kFatal) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_DFL) continue;
    action.sa_handler = name_the_test;
    action.sa_flags = SA_ONSTACK;
    ::sigaction(signal, &action, nullptr);
  }
}

// Ends the process, named, when a test takes too long.
class Watch {
 public:
  void start() {
    stopped_ = false;
    thread_ = std::thread([this] {
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, kMostTime, [this] { return stopped_; })) return;
      std::fputs("longer than five minutes:\n", stderr);
      std::abort();
    });
  }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::thread thread_;
};

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) all.emplace_back(*each);
  return all;
}

void restore(const std::vector<std::string>& wanted) {
  if (environment() == wanted) return;
  ::clearenv();
  for (const std::string& each : wanted) {
    const std::size_t at = each.find('=');
    ::setenv(each.substr(0, at).c_str(), each.substr(at + 1).c_str(), 1);
  }
}

// Seconds of processor time, of this process and of the children that it waited for.
double processor_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(who, &used);
    for (const timeval& time : {used.ru_utime, used.ru_stime}) {
      sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
  }
  return sum;
}

class Listener : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& test) override {
    environment_ = environment();
    const std::string line =
        std::string("[  CRASHED ] ") + test.test_suite_name() + "." + test.name() + "\n";
    line.copy(crash_line.data(), crash_line.size() - 1);
    watch_.start();
    began_ = processor_seconds();
  }
  void OnTestEnd(const ::testing::TestInfo&) override {
    watch_.stop();
    // Beside the time in the results: what else runs on the machine does not change it.
    ::testing::Test::RecordProperty("processor_seconds",
                                    std::to_string(processor_seconds() - began_));
    crash_line.fill('\0');
    restore(environment_);
  }

  Watch watch_;
  std::vector<std::string> environment_;
  double began_ = 0;
};

}  // namespace

int run_tests(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view kWithout = "--without=";
  for (int i = 1; i < argc && std::getenv("GTEST_FILTER") == nullptr; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(kWithout)) continue;
    std::string filter = GTEST_FLAG_GET(filter);
    filter += (filter.find('-') == std::string::npos ? '-' : ':');
    filter += argument.substr(kWithout.size());
    GTEST_FLAG_SET(filter, filter);
  }
  watch_for_crashes();
  ::testing::UnitTest::GetInstance()->listeners().Append(new Listener);  // which owns it
  return RUN_ALL_TESTS();
}

}  // namespace tilescope::testing
