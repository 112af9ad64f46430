#include "gpu/worker_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include "core/paths.h"
#include "gpu/process_link.h"

namespace tilescope {
namespace {

// Answers "no device: why" to everything.
class NullLink : public WorkerLink {
 public:
  explicit NullLink(const std::string& why) { mailbox_.close(no_device(why)); }
  [[nodiscard]] std::optional<Result<DeviceInfo>> device() const override {
    return mailbox_.device();
  }
  RequestId submit(const std::string& tag, RunRequest request) override {
    return mailbox_.submit(tag, std::move(request));
  }
  void cancel(const std::string& tag) override { mailbox_.cancel(tag); }
  void poll(const std::function<void(const Progress&)>& on_progress,
            const std::function<void(Answer)>& on_answer) override {
    mailbox_.poll(on_progress, on_answer);
  }
  [[nodiscard]] bool busy() const override { return mailbox_.busy(); }

 private:
  LinkMailbox mailbox_;
};

}  // namespace

Error no_device(const std::string& why) {
  return {ErrorCode::kMachine,
          "no device: " + why,
          "tilescope trace counts without a GPU, tune --model estimates times",
          {}};
}

std::vector<GpuKind> WorkerLink::gpus() const {
  const auto its = device();
  if (!its || !its->ok()) return {};
  return {{**its, workers()}};
}

WorkerLink::RequestId WorkerLink::submit_to(std::size_t, const std::string& tag,
                                            RunRequest request) {
  return submit(tag, std::move(request));
}

std::vector<std::string> worker_command(const WorkerSettings& settings) {
  if (!settings.command.empty()) return settings.command;
  const char* wanted = std::getenv("TILESCOPE_WORKER");
  std::vector<std::string> command = {program_file().string(), "worker"};
  if (wanted != nullptr && *wanted != '\0') {
    command = {"/bin/sh", "-c", fmt::format("exec {} \"$@\"", wanted), "worker"};
  }
  if (settings.device > 0) {
    command.insert(command.end(), {"--device", std::to_string(settings.device)});
  }
  return command;
}

std::unique_ptr<WorkerLink> start_worker(const WorkerSettings& settings) {
  return std::make_unique<ProcessLink>(settings);
}

std::unique_ptr<WorkerLink> make_null_link(std::string why) {
  return std::make_unique<NullLink>(why);
}

Result<RunResult> run_and_wait(WorkerLink& link, RunRequest request) {
  const WorkerLink::RequestId request_id = link.submit("", std::move(request));
  std::optional<Result<RunResult>> result;
  while (true) {
    link.poll(nullptr, [&](WorkerLink::Answer answer) {
      if (answer.request_id == request_id) result = std::move(answer.result);
    });
    if (result) return *std::move(result);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

namespace {

// Samples kept for a caller that does not poll; the answer holds them all anyway.
constexpr std::size_t kMostProgress = 10'000;

}  // namespace

WorkerLink::RequestId LinkMailbox::submit(const std::string& tag, RunRequest run) {
  const std::lock_guard lock(mutex_);
  const WorkerLink::RequestId request_id = ++last_request_id_;
  ++unanswered_;
  if (device_ && !*device_) {
    answer_locked(request_id, device_->error());
    return request_id;
  }
  if (!tag.empty()) cancel_locked(tag);
  waiting_.push_back({request_id, tag, std::move(run)});
  return request_id;
}

void LinkMailbox::cancel(const std::string& tag) {
  const std::lock_guard lock(mutex_);
  cancel_locked(tag);
}

void LinkMailbox::cancel_locked(const std::string& tag) {
  const auto older = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Request& request) { return request.tag == tag; });
  if (older != waiting_.end()) {
    answer_locked(older->request_id,
                  Error{ErrorCode::kCancelled, "a newer request took its place", "", {}});
    waiting_.erase(older);
  }
  if (running_ && running_->tag == tag) running_->cancelled = true;
}

void LinkMailbox::poll(const std::function<void(const WorkerLink::Progress&)>& on_progress,
                       const std::function<void(WorkerLink::Answer)>& on_answer) {
  std::vector<WorkerLink::Progress> progress;
  std::vector<WorkerLink::Answer> answers;
  {
    const std::lock_guard lock(mutex_);
    progress.swap(progress_);
    answers.swap(answers_);
  }
  if (on_progress) {
    for (const WorkerLink::Progress& sample : progress) on_progress(sample);
  }
  if (on_answer) {
    for (WorkerLink::Answer& answer : answers) on_answer(std::move(answer));
  }
}

std::optional<Result<DeviceInfo>> LinkMailbox::device() const {
  const std::lock_guard lock(mutex_);
  return device_;
}

bool LinkMailbox::busy() const {
  const std::lock_guard lock(mutex_);
  return unanswered_ > 0;
}

std::optional<LinkMailbox::Request> LinkMailbox::take() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  Request request = std::move(waiting_.front());
  waiting_.pop_front();
  running_ = Running{request.request_id, request.tag, false};
  return request;
}

std::optional<WorkerLink::RequestId> LinkMailbox::take_cancelled() {
  const std::lock_guard lock(mutex_);
  if (!running_ || !running_->cancelled) return std::nullopt;
  const WorkerLink::RequestId request_id = running_->request_id;
  running_.reset();  // its answer is still to come
  return request_id;
}

void LinkMailbox::report(WorkerLink::Progress progress) {
  const std::lock_guard lock(mutex_);
  if (progress_.size() < kMostProgress) progress_.push_back(progress);
}

void LinkMailbox::answer(WorkerLink::RequestId request_id, Result<RunResult> result,
                         WorkerLink::Loss loss) {
  const std::lock_guard lock(mutex_);
  answer_locked(request_id, std::move(result), loss);
}

void LinkMailbox::answer_locked(WorkerLink::RequestId request_id, Result<RunResult> result,
                                WorkerLink::Loss loss) {
  if (running_ && running_->request_id == request_id) running_.reset();
  answers_.push_back({request_id, std::move(result), loss});
  --unanswered_;
}

void LinkMailbox::set_device(DeviceInfo device) {
  const std::lock_guard lock(mutex_);
  device_ = Result<DeviceInfo>(std::move(device));
}

void LinkMailbox::close(Error why) {
  const std::lock_guard lock(mutex_);
  for (const Request& request : waiting_) answer_locked(request.request_id, why);
  waiting_.clear();
  device_ = Result<DeviceInfo>(std::move(why));
}

}  // namespace tilescope
