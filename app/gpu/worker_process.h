#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "gpu/file_descriptor.h"

namespace tilescope {

// One running worker: a child process in a process group of its own, with pipes on its stdin,
// stdout and stderr. Used by one thread, which blocks SIGPIPE.
class WorkerProcess {
 public:
  // argv[0] is looked up in $PATH. Fails (kMachine) when the file cannot be started.
  [[nodiscard]] static Result<WorkerProcess> start(const std::vector<std::string>& argv);

  ~WorkerProcess();  // kills what still runs; waits for it shortly, never long; leaves no zombie
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;

  // For poll(2).
  [[nodiscard]] int input() const { return input_.get(); }
  [[nodiscard]] int output() const { return output_.get(); }
  [[nodiscard]] int error_output() const { return error_output_.get(); }

  // Writes what fits without blocking: number of bytes, or nullopt when nobody reads any more.
  [[nodiscard]] std::optional<std::size_t> write_some(std::span<const std::byte> bytes);

  // Appends what is there without blocking. False at the end of the stream.
  [[nodiscard]] bool read_output(std::vector<std::byte>* bytes);

  // Reads stderr. Of all it said the last 4 KiB are kept. False at the end of the stream.
  bool read_errors();
  [[nodiscard]] const std::string& errors() const { return errors_; }

  // SIGKILL to the whole group.
  void kill();

  // Waits for the end at most this long, then kills. How it ended, in words that follow "it":
  // "was ended by signal 11 (Segmentation fault)", "exited with status 127", "had to be stopped".
  [[nodiscard]] std::string end(std::chrono::milliseconds patience);

 private:
  WorkerProcess() = default;
  [[nodiscard]] bool wait(std::chrono::milliseconds patience);  // true: reaped, status_ is set

  pid_t process_ = -1;  // -1: reaped
  int status_ = 0;      // as waitpid gives it
  FileDescriptor input_;
  FileDescriptor output_;
  FileDescriptor error_output_;
  std::string errors_;
};

}  // namespace tilescope
