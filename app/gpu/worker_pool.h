#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "gpu/messages.h"
#include "gpu/worker_link.h"

namespace tilescope {

// Where a worker comes from.
struct WorkerSource {
  std::string name;  // as messages name it: "ssh node3", "GPU 1"
  WorkerSettings settings;
  // Once it has answered, a further worker is started for each other GPU that it sees.
  bool brings_others = false;
  bool is_queued = false;  // by a scheduler: it may take any time to start
};

// Several workers behind one link. A request goes to whichever is free; one whose worker dies or
// hangs goes to another. A worker that is lost is started again, after a longer while each time,
// for as long as the pool lives: a machine that joins late is used.
//
// Times of different GPUs are not compared, so workers of different GPUs do not share requests:
// those whose GPU, driver and libraries are the same are one kind. submit() is for the first kind,
// submit_to() for any. All of it happens in the caller's thread, in poll(), which must be called
// again and again.
class WorkerPool : public WorkerLink {
 public:
  explicit WorkerPool(std::vector<WorkerSource> sources);
  ~WorkerPool() override;  // ends all workers, at the same time
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // The first kind's; the error once hopeless().
  [[nodiscard]] std::optional<Result<DeviceInfo>> device() const override;
  RequestId submit(const std::string& tag, RunRequest request) override;
  void cancel(const std::string& tag) override;
  void poll(const std::function<void(const Progress&)>& on_progress,
            const std::function<void(Answer)>& on_answer) override;
  [[nodiscard]] bool busy() const override;
  [[nodiscard]] std::size_t workers() const override;  // of the first kind, at least 1

  // In the order in which they joined; grows, and the numbers stay.
  [[nodiscard]] const std::vector<DeviceInfo>& kinds() const { return kinds_; }
  [[nodiscard]] std::vector<GpuKind> gpus() const override;
  RequestId submit_to(std::size_t kind, const std::string& tag, RunRequest request) override;
  // How many more requests of this kind could run at once than there are.
  [[nodiscard]] std::size_t free_workers(std::size_t kind) const;
  // No worker is left and none is on its way: what the last one said. It is over once a worker
  // that is started again does answer.
  [[nodiscard]] std::optional<Error> hopeless() const;
  // The same of one kind: none of its workers is left, and none that could be one is on its way.
  [[nodiscard]] std::optional<Error> hopeless(std::size_t kind) const;

  // A worker that is no scheduler's has been started and has not answered yet.
  [[nodiscard]] bool expects_more() const;

  [[nodiscard]] std::vector<std::string> take_news() override;
  [[nodiscard]] bool needs_polling() const override { return true; }
  // Which worker answered, of the answers that the last poll() gave.
  [[nodiscard]] const std::string& answered_by(RequestId request_id) const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Request {
    RequestId request_id = 0;
    std::string tag;
    std::size_t kind = 0;
    RunRequest run;
    int deaths = 0;  // of workers that had it
    int hangs = 0;
  };
  struct Running {
    Request request;
    RequestId on_link = 0;  // as the worker's link names it
    bool cancelled = false;
  };
  struct Member {
    WorkerSource source;
    std::unique_ptr<WorkerLink> link;  // null: lost, to be started again
    std::optional<std::size_t> kind;   // known: it has joined
    std::string uuid;                  // of its GPU
    std::optional<Running> running;
    Clock::time_point next_start = {};
    int failures = 0;       // in a row, without an answer
    int failed_starts = 0;  // in a row
    std::optional<Error> why;
    bool is_double = false;  // its GPU is another member's
  };

  [[nodiscard]] std::size_t joined(std::size_t kind) const;  // workers of this kind
  [[nodiscard]] bool may_come(const Member& member) const;
  [[nodiscard]] Error last_words() const;
  void start_lost();
  void welcome(Member& member);
  [[nodiscard]] std::size_t kind_of(const DeviceInfo& device);
  void bring_others(Member& first, const DeviceInfo& device);
  void take_answers(Member& member, const std::function<void(const Progress&)>& on_progress);
  void take_answer(Member& member, Answer answer);
  void retire(Member& member, const Error& why);
  void deal();
  void answer(const Request& request, Result<RunResult> result, const std::string& worker);

  std::vector<std::unique_ptr<Member>> members_;  // their addresses stay
  std::vector<DeviceInfo> kinds_;
  std::deque<Request> waiting_;
  std::vector<Answer> answers_;
  std::map<RequestId, std::string> answered_by_;
  std::vector<std::string> news_;
  RequestId last_request_id_ = 0;
};

}  // namespace tilescope
