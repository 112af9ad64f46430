#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/child_process.h"
#include "core/file.h"
#include "core/frame.h"
#include "gpu/protocol.h"
#include "gpu/worker_link.h"

namespace tilescope {

// "no device: why", and which commands need none.
[[nodiscard]] Error no_device(const std::string& why);

// A worker process and the one thread that talks to it. The worker is started at once, restarted
// when it dies or is killed at a deadline, and given up after settings.most_restarts deaths in a
// row without an answer in between. A request that was running then is answered with what happened.
class ProcessLink : public WorkerLink {
 public:
  explicit ProcessLink(WorkerSettings settings);
  ~ProcessLink() override;  // ends the worker; well under a second where nothing asks for patience
  ProcessLink(const ProcessLink&) = delete;
  ProcessLink& operator=(const ProcessLink&) = delete;

  [[nodiscard]] std::optional<Result<DeviceInfo>> device() const override;
  RequestId submit(const std::string& tag, RunRequest request) override;
  void cancel(const std::string& tag) override;
  void poll(const std::function<void(const Progress&)>& on_progress,
            const std::function<void(Answer)>& on_answer) override;
  [[nodiscard]] bool busy() const override;

 private:
  using Clock = std::chrono::steady_clock;

  struct Running {
    RequestId request_id = 0;
    std::string id;  // of the kernel, for messages
    double deadline_seconds = 0;
  };
  // All that belongs to one life of the worker.
  struct Session {
    ChildProcess process;
    FrameReader frames;
    bool said_hello = false;
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
  void take_message(nlohmann::json encoded);
  void take_hello(const HelloMessage& hello);
  void take_answer(AnswerMessage answer);
  void enforce_deadline();
  // The worker is lost: the running request is answered, the session ends, and where `counts` it is
  // one of the deaths in a row.
  void lose(const std::string& how, bool counts);
  void give_up(const std::string& why);
  void end_session();
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
