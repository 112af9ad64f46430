#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/result.h"
#include "gpu/frame.h"
#include "gpu/protocol.h"
#include "gpu/worker_link.h"

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

// A worker process and the one thread that talks to it. The worker is started at once, restarted
// when it dies or is killed at a deadline, and given up after settings.most_restarts deaths in a
// row without an answer in between. A request that was running then is answered with what happened.
class ProcessLink : public WorkerLink {
 public:
  explicit ProcessLink(WorkerSettings settings);
  ~ProcessLink() override;  // kills the worker; well under a second
  ProcessLink(const ProcessLink&) = delete;
  ProcessLink& operator=(const ProcessLink&) = delete;

  [[nodiscard]] std::optional<Result<DeviceInfo>> device() const override;
  Ticket submit(const std::string& tag, RunRequest request) override;
  void cancel(const std::string& tag) override;
  void poll(const std::function<void(const Progress&)>& on_progress,
            const std::function<void(Answer)>& on_answer) override;
  [[nodiscard]] bool busy() const override;

 private:
  using Clock = std::chrono::steady_clock;

  struct Running {
    Ticket ticket = 0;
    std::string id;  // of the kernel, for messages
    double deadline_seconds = 0;
  };
  // All that belongs to one life of the worker.
  struct Session {
    WorkerProcess process;
    FrameReader frames;
    bool said_hello = false;
    bool errors_open = true;
    std::optional<Running> running;
    std::vector<std::byte> outgoing;
    std::size_t sent = 0;
    std::size_t run_end = 0;  // of outgoing: up to here it is the running request
    Clock::time_point deadline = Clock::time_point::max();
  };

  // On the I/O thread.
  void serve();
  [[nodiscard]] bool start();  // false: given up
  void begin_next();
  void pass_on_cancel();
  void queue(const std::vector<std::byte>& frame);
  void wait_for_events();
  void send();
  void receive();
  void take_message(const nlohmann::json& encoded);
  void take_hello(const HelloMessage& hello);
  void take_answer(AnswerMessage answer);
  void enforce_deadline();
  // The worker is lost: the running request is answered, the session ends, and where `counts` it is
  // one of the deaths in a row.
  void lose(const std::string& how, bool counts);
  void give_up(std::string why);
  [[nodiscard]] std::string last_words() const;

  WorkerSettings settings_;
  LinkMailbox mailbox_;
  FileDescriptor wake_;  // eventfd: a request was submitted, or the link is closing
  std::optional<Session> session_;
  int deaths_in_a_row_ = 0;
  bool given_up_ = false;
  std::atomic<bool> closing_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace tilescope
