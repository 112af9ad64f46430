#include "gpu/link_mailbox.h"

#include <algorithm>
#include <utility>

namespace tilescope {
namespace {

// Samples kept for a caller that does not poll; the answer holds them all anyway.
constexpr std::size_t kMostProgress = 10'000;

}  // namespace

WorkerLink::Ticket LinkMailbox::submit(const std::string& tag, RunRequest run) {
  const std::lock_guard lock(mutex_);
  const WorkerLink::Ticket ticket = ++last_ticket_;
  ++unanswered_;
  if (device_ && !*device_) {
    answer_locked(ticket, device_->error());
    return ticket;
  }
  if (!tag.empty()) cancel_locked(tag);
  waiting_.push_back({ticket, tag, std::move(run)});
  return ticket;
}

void LinkMailbox::cancel(const std::string& tag) {
  const std::lock_guard lock(mutex_);
  cancel_locked(tag);
}

void LinkMailbox::cancel_locked(const std::string& tag) {
  const auto older = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Request& request) { return request.tag == tag; });
  if (older != waiting_.end()) {
    answer_locked(older->ticket,
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
  running_ = Running{request.ticket, request.tag, false};
  return request;
}

std::optional<WorkerLink::Ticket> LinkMailbox::take_cancelled() {
  const std::lock_guard lock(mutex_);
  if (!running_ || !running_->cancelled) return std::nullopt;
  const WorkerLink::Ticket ticket = running_->ticket;
  running_.reset();  // its answer is still to come
  return ticket;
}

void LinkMailbox::report(WorkerLink::Progress progress) {
  const std::lock_guard lock(mutex_);
  if (progress_.size() < kMostProgress) progress_.push_back(progress);
}

void LinkMailbox::answer(WorkerLink::Ticket ticket, Result<RunResult> result) {
  const std::lock_guard lock(mutex_);
  answer_locked(ticket, std::move(result));
}

void LinkMailbox::answer_locked(WorkerLink::Ticket ticket, Result<RunResult> result) {
  if (running_ && running_->ticket == ticket) running_.reset();
  answers_.push_back({ticket, std::move(result)});
  --unanswered_;
}

void LinkMailbox::set_device(DeviceInfo device) {
  const std::lock_guard lock(mutex_);
  device_ = Result<DeviceInfo>(std::move(device));
}

void LinkMailbox::close(Error why) {
  const std::lock_guard lock(mutex_);
  for (const Request& request : waiting_) answer_locked(request.ticket, why);
  waiting_.clear();
  device_ = Result<DeviceInfo>(std::move(why));
}

}  // namespace tilescope
