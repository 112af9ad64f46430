#include "core/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

namespace tilescope {
namespace {

using std::chrono::milliseconds;

Result<ChildProcess> start_shell(const std::string& words, const ChildOptions& options = {}) {
  return ChildProcess::start({"/bin/sh", "-c", words}, options);
}

std::string all_output(ChildProcess& child) {
  std::vector<std::byte> bytes;
  bool open = true;
  while (open) {
    pollfd wanted{child.output(), POLLIN, 0};
    if (::poll(&wanted, 1, 10'000) <= 0) break;
    open = child.read_output(&bytes);
  }
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(ChildProcess, SaysHowItEnded) {
  const auto end_of = [](const std::string& words) {
    auto child = start_shell(words);
    EXPECT_TRUE(child.ok());
    return child->end(milliseconds(10'000));
  };
  EXPECT_TRUE(end_of("exit 0").succeeded);
  EXPECT_EQ(end_of("exit 7").how, "exited with status 7");
  EXPECT_FALSE(end_of("exit 7").succeeded);
  const ChildEnd killed = end_of("kill -SEGV $$");
  EXPECT_EQ(killed.signal, SIGSEGV);
  EXPECT_EQ(killed.how, "was ended by signal 11 (Segmentation fault)");
  EXPECT_GT(killed.most_memory, 0U);
  auto endless = start_shell("sleep 100");
  ASSERT_TRUE(endless.ok());
  EXPECT_EQ(endless->end(milliseconds(10)).how, "had to be stopped");
}

TEST(ChildProcess, InheritsNoOpenFile) {
  const FileDescriptor file(::open("/dev/null", O_RDONLY));  // not close-on-exec
  ASSERT_TRUE(file.is_open());
  const std::string name = std::to_string(file.get());
  auto child = start_shell("[ -e /proc/self/fd/" + name + " ] && echo open || echo closed");
  ASSERT_TRUE(child.ok());
#if __GLIBC_PREREQ(2, 34)
  EXPECT_EQ(all_output(*child), "closed\n");
#endif
}

TEST(ChildProcess, JoinsWhatItWritesWhereThatIsWanted) {
  auto joined = start_shell("echo one; echo two >&2", {.file = {}, .joins_output = true});
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(all_output(*joined), "one\ntwo\n");
  auto apart = start_shell("echo one; echo two >&2");
  ASSERT_TRUE(apart.ok());
  EXPECT_EQ(all_output(*apart), "one\n");
  (void)apart->end(milliseconds(10'000));
  apart->read_last_errors();
  EXPECT_EQ(apart->errors(), "two\n");
  EXPECT_EQ(last_line_of("one\ntwo\r\n\n"), "two");
}

TEST(ChildProcess, SeesItsInputEnd) {
  auto child = start_shell("cat; echo end");
  ASSERT_TRUE(child.ok());
  ASSERT_EQ(child->write_some(std::as_bytes(std::span(std::string_view("words ")))), 6U);
  child->close_input();
  EXPECT_EQ(all_output(*child), "words end\n");
}

// No signal ends the program, nor does one wait for it.
TEST(ChildProcess, ThatReadsNothingMoreIsNoSignal) {
  auto child = start_shell("exit 0");
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(all_output(*child), "");
  std::optional<std::size_t> written = 1;
  const std::vector<std::byte> bytes(1000);
  for (int i = 0; i < 10'000 && written; ++i) {  // it may need a moment to end
    written = child->write_some(bytes);
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_FALSE(written);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

}  // namespace
}  // namespace tilescope
