#pragma once
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "gpu/worker_link.h"

namespace tilescope {

// Where the caller's thread and the one that talks to the worker meet. Every ticket gets exactly
// one answer; one that a newer request of its tag pushed out is answered kCancelled. All
// thread-safe, and no call waits for more than another call's few instructions.
class LinkMailbox {
 public:
  struct Request {
    WorkerLink::Ticket ticket = 0;
    std::string tag;  // empty: pushes nothing out
    RunRequest run;
  };

  // --- the caller's side
  WorkerLink::Ticket submit(const std::string& tag, RunRequest run);
  void cancel(const std::string& tag);
  void poll(const std::function<void(const WorkerLink::Progress&)>& on_progress,
            const std::function<void(WorkerLink::Answer)>& on_answer);
  [[nodiscard]] std::optional<Result<DeviceInfo>> device() const;
  [[nodiscard]] bool busy() const;  // a ticket has no answer yet

  // --- the worker's side
  // The oldest that waits; it runs until it is answered.
  [[nodiscard]] std::optional<Request> take();
  // The one that runs, where it was cancelled since; tells it once.
  [[nodiscard]] std::optional<WorkerLink::Ticket> take_cancelled();
  void report(WorkerLink::Progress progress);
  void answer(WorkerLink::Ticket ticket, Result<RunResult> result);
  void set_device(DeviceInfo device);
  // From now on there is no device, for this reason: answers all that waits and all that comes.
  void close(Error why);

 private:
  void answer_locked(WorkerLink::Ticket ticket, Result<RunResult> result);
  void cancel_locked(const std::string& tag);

  struct Running {
    WorkerLink::Ticket ticket = 0;
    std::string tag;
    bool cancelled = false;
  };

  mutable std::mutex mutex_;
  WorkerLink::Ticket last_ticket_ = 0;
  std::size_t unanswered_ = 0;
  std::deque<Request> waiting_;
  std::optional<Running> running_;
  std::vector<WorkerLink::Progress> progress_;
  std::vector<WorkerLink::Answer> answers_;
  std::optional<Result<DeviceInfo>> device_;
};

}  // namespace tilescope
