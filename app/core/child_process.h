#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/result.h"

namespace tilescope {

struct ChildOptions {
  std::string file;           // what is executed; empty: argv[0], looked up in $PATH
  bool joins_output = false;  // what it writes to stderr comes with its output, in order
};

// How a child process ended.
struct ChildEnd {
  // In words that follow "it": "was ended by signal 11 (Segmentation fault)", "exited with status
  // 127", "had to be stopped".
  std::string how;
  bool succeeded = false;       // exit status 0
  int signal = 0;               // that ended it; 0: it exited, or had to be stopped
  std::size_t most_memory = 0;  // bytes that were resident at most
};

// A running child process in a process group of its own, with pipes on its stdin, stdout and
// stderr. It inherits no other file descriptor, and sees end of file on its stdin when this process
// ends, however it ends. Used by one thread at a time.
class ChildProcess {
 public:
  // Fails (kMachine) when the file cannot be started.
  [[nodiscard]] static Result<ChildProcess> start(const std::vector<std::string>& argv,
                                                  const ChildOptions& options = {});

  ~ChildProcess();  // kills what still runs; waits for it shortly, never long; leaves no zombie
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  [[nodiscard]] pid_t id() const { return process_; }

  // For poll(2).
  [[nodiscard]] int input() const { return input_.get(); }
  [[nodiscard]] int output() const { return output_.get(); }
  [[nodiscard]] int error_output() const { return error_output_.get(); }  // -1: joined, or ended

  // Writes what fits without blocking: number of bytes, or nullopt when nobody reads any more. No
  // SIGPIPE is left for the calling thread.
  [[nodiscard]] std::optional<std::size_t> write_some(std::span<const std::byte> bytes);
  void close_input() { input_.reset(); }

  // Appends what is there without blocking. False at the end of the stream.
  [[nodiscard]] bool read_output(std::vector<std::byte>* bytes);

  // Reads stderr. The last 4 KiB are kept. False at the end of the stream, which closes it.
  bool read_errors();
  [[nodiscard]] const std::string& errors() const { return errors_; }
  // Reads what is still in the pipe, without waiting for more: another process may hold it open.
  void read_last_errors();

  // SIGINT to the whole group, as Ctrl C in a terminal.
  void interrupt();
  // Asks the whole group to end: end of file on its stdin, then SIGTERM.
  void terminate();
  // SIGKILL to the whole group.
  void kill();

  // Waits for the end at most this long, then kills.
  [[nodiscard]] ChildEnd end(std::chrono::milliseconds patience);

 private:
  ChildProcess() = default;
  [[nodiscard]] bool wait(std::chrono::milliseconds patience);  // true: reaped, status_ is set

  pid_t process_ = -1;  // -1: reaped
  int status_ = 0;      // as waitpid gives it
  std::size_t most_memory_ = 0;
  FileDescriptor input_;
  FileDescriptor output_;
  FileDescriptor error_output_;
  std::string errors_;
};

// The last line of what a child wrote, at most 300 characters of it; "" where it wrote none.
[[nodiscard]] std::string last_line_of(std::string text);

}  // namespace tilescope
