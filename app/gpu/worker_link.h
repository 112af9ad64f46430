#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "gpu/messages.h"

namespace tilescope {

// GPUs that are alike, and how many workers have one.
struct GpuKind {
  DeviceInfo info;
  std::size_t workers = 1;  // that are there now
};

// The one way to a GPU: a worker process, a pool of them (gpu/worker_pool.h), a link that refuses
// texts which may not run (ui/workbench/guarded_link.h), or one without a device. Nothing here
// blocks the caller for longer than a queue operation; answers are fetched with poll() on the
// caller's thread, so a panel needs no lock and no special case.
class WorkerLink {
 public:
  using RequestId = std::uint64_t;

  virtual ~WorkerLink() = default;

  // Known once the worker has answered hello; the error says why there is none.
  // nullopt: still starting.
  [[nodiscard]] virtual std::optional<Result<DeviceInfo>> device() const = 0;

  // Queues a run. A newer request with the same tag drops the one that still waits and stops the
  // one that runs; both are answered kCancelled, the latter unless it was done by then.
  virtual RequestId submit(const std::string& tag, RunRequest request) = 0;
  // Drops the request of this tag that waits and stops the one that runs; both are answered
  // kCancelled.
  virtual void cancel(const std::string& tag) = 0;

  // Whether the worker was lost while it ran the request, and how.
  enum class Loss : std::uint8_t { kNone, kDied, kHung };
  struct Answer {
    RequestId request_id = 0;
    Result<RunResult> result = Error{};
    Loss loss = Loss::kNone;  // kHung: it was stopped at the request's deadline
  };
  struct Progress {
    RequestId request_id = 0;
    double kernel_seconds = 0;  // one sample
  };
  // Everything that arrived since the last call: samples as they come, answers when they are done.
  virtual void poll(const std::function<void(const Progress&)>& on_progress,
                    const std::function<void(Answer)>& on_answer) = 0;

  [[nodiscard]] virtual bool busy() const = 0;
  // How many requests run at once.
  [[nodiscard]] virtual std::size_t workers() const { return 1; }

  // Each kind of GPU behind it, in the order in which they came; the first is device()'s. Empty:
  // none has answered.
  [[nodiscard]] virtual std::vector<GpuKind> gpus() const;
  // As submit(), to a kind of gpus().
  virtual RequestId submit_to(std::size_t kind, const std::string& tag, RunRequest request);
  // What happened to its workers since the last call, a line each: "ssh node3 joined: NVIDIA H100".
  [[nodiscard]] virtual std::vector<std::string> take_news() { return {}; }
  // Workers join and are started again in poll() alone, which is to be called while nothing runs
  // too.
  [[nodiscard]] virtual bool needs_polling() const { return false; }
};

struct WorkerSettings {
  // argv of the worker; empty: what $TILESCOPE_WORKER says to a shell ("ssh host tilescope
  // worker"), else this program's own file with "worker".
  std::vector<std::string> command;
  int device = 0;              // which of the GPUs that the worker's driver shows
  bool beside_window = false;  // leaves the window its core: the worker has a lower priority
  double start_deadline_seconds = 20;
  // What a scheduler's command has to take its job back, when the worker is to end; 0: it is
  // killed.
  double patience_at_end_seconds = 0;
  int most_restarts = 3;  // in a row without an answer; then the worker counts as dead for good
};
// What settings.command says, never empty.
[[nodiscard]] std::vector<std::string> worker_command(const WorkerSettings& settings);

// Starts the worker in the background. Where the process cannot be started or finds no device, the
// link answers "no device: why" to everything.
[[nodiscard]] std::unique_ptr<WorkerLink> start_worker(const WorkerSettings& settings);
[[nodiscard]] std::unique_ptr<WorkerLink> make_null_link(std::string why);

// Submits and waits; for the command line.
[[nodiscard]] Result<RunResult> run_and_wait(WorkerLink& link, RunRequest request);

// The worker's side: serves a GPU, the driver's `device`th, on stdin/stdout until end of file. Exit
// status.
int worker_main(int device);

// Where the caller's thread and the one that talks to the worker meet. Every request gets exactly
// one answer; one that a newer request of its tag pushed out is answered kCancelled. All
// thread-safe, and no call waits for more than another call's few instructions.
class LinkMailbox {
 public:
  struct Request {
    WorkerLink::RequestId request_id = 0;
    std::string tag;  // empty: pushes nothing out
    RunRequest run;
  };

  // --- the caller's side
  WorkerLink::RequestId submit(const std::string& tag, RunRequest run);
  void cancel(const std::string& tag);
  void poll(const std::function<void(const WorkerLink::Progress&)>& on_progress,
            const std::function<void(WorkerLink::Answer)>& on_answer);
  [[nodiscard]] std::optional<Result<DeviceInfo>> device() const;
  [[nodiscard]] bool busy() const;  // a request has no answer yet

  // --- the worker's side
  // The oldest that waits; it runs until it is answered.
  [[nodiscard]] std::optional<Request> take();
  // The one that runs, where it was cancelled since; tells it once.
  [[nodiscard]] std::optional<WorkerLink::RequestId> take_cancelled();
  void report(WorkerLink::Progress progress);
  void answer(WorkerLink::RequestId request_id, Result<RunResult> result,
              WorkerLink::Loss loss = WorkerLink::Loss::kNone);
  void set_device(DeviceInfo device);
  // From now on there is no device, for this reason: answers all that waits and all that comes.
  void close(Error why);

 private:
  void answer_locked(WorkerLink::RequestId request_id, Result<RunResult> result,
                     WorkerLink::Loss loss = WorkerLink::Loss::kNone);
  void cancel_locked(const std::string& tag);

  struct Running {
    WorkerLink::RequestId request_id = 0;
    std::string tag;
    bool cancelled = false;
  };

  mutable std::mutex mutex_;
  WorkerLink::RequestId last_request_id_ = 0;
  std::size_t unanswered_ = 0;
  std::deque<Request> waiting_;
  std::optional<Running> running_;
  std::vector<WorkerLink::Progress> progress_;
  std::vector<WorkerLink::Answer> answers_;
  std::optional<Result<DeviceInfo>> device_;
};

}  // namespace tilescope
