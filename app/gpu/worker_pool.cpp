#include "gpu/worker_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <thread>
#include <utility>

namespace tilescope {
namespace {

// A request that so many workers were lost with is taken for the reason. Workers that are killed
// for reasons of their own seldom lose the same one as often.
constexpr int kMostDeaths = 8;
constexpr int kMostHangs = 3;

// Starts of a worker that failed in a row, after which it is not expected any more: the first where
// none ever came, for then something is wrong with the command.
constexpr int kHopelessAtFirst = 1;
constexpr int kHopelessLater = 8;

// Before it is started again. One that did answer is likely to do so again.
std::chrono::milliseconds pause_after(int failures, bool had_joined) {
  constexpr std::chrono::milliseconds kFirst{50};
  const std::chrono::milliseconds longest{had_joined ? 1'000 : 30'000};
  return std::min(kFirst * (1 << std::clamp(failures - 1, 0, 10)), longest);
}

bool same_kind(const DeviceInfo& a, const DeviceInfo& b) {
  return a.name == b.name && a.compute_capability == b.compute_capability &&
         a.multiprocessors == b.multiprocessors && a.memory_bytes == b.memory_bytes &&
         a.driver == b.driver && a.cuda_driver == b.cuda_driver && a.cublas == b.cublas;
}

}  // namespace

WorkerPool::WorkerPool(std::vector<WorkerSource> sources) {
  for (WorkerSource& source : sources) {
    // The pool itself starts a lost one again: it may come back with another GPU.
    source.settings.most_restarts = 0;
    members_.push_back(std::make_unique<Member>());
    members_.back()->source = std::move(source);
  }
  start_lost();
}

WorkerPool::~WorkerPool() {
  std::vector<std::thread> ends;
  for (const auto& member : members_) {
    ends.emplace_back([link = std::move(member->link)]() mutable { link.reset(); });
  }
  for (std::thread& end : ends) end.join();
}

std::optional<Result<DeviceInfo>> WorkerPool::device() const {
  if (!kinds_.empty()) return Result<DeviceInfo>(kinds_.front());
  if (auto why = hopeless()) return Result<DeviceInfo>(*std::move(why));
  return std::nullopt;
}

WorkerLink::RequestId WorkerPool::submit(const std::string& tag, RunRequest request) {
  return submit_to(0, tag, std::move(request));
}

WorkerLink::RequestId WorkerPool::submit_to(std::size_t kind, const std::string& tag,
                                            RunRequest request) {
  if (!tag.empty()) cancel(tag);
  waiting_.push_back({++last_request_id_, tag, kind, std::move(request), 0, 0});
  deal();
  return last_request_id_;
}

void WorkerPool::cancel(const std::string& tag) {
  const auto older = std::ranges::find(waiting_, tag, &Request::tag);
  if (older != waiting_.end()) {
    answer(*older, Error{ErrorCode::kCancelled, "a newer request took its place", "", {}}, "");
    waiting_.erase(older);
  }
  for (const auto& member : members_) {
    if (!member->running || member->running->request.tag != tag) continue;
    member->running->cancelled = true;
    member->link->cancel(tag);
  }
}

void WorkerPool::poll(const std::function<void(const Progress&)>& on_progress,
                      const std::function<void(Answer)>& on_answer) {
  answered_by_.clear();
  start_lost();
  for (std::size_t i = 0; i < members_.size(); ++i) {  // welcome() may add some
    Member& member = *members_[i];
    if (member.link == nullptr) continue;
    if (!member.kind) welcome(member);
    if (member.link != nullptr) take_answers(member, on_progress);
  }
  std::erase_if(waiting_, [this](const Request& request) {
    const auto why = hopeless(request.kind);
    if (why) answer(request, *why, "");
    return why.has_value();
  });
  deal();
  for (Answer& one : std::exchange(answers_, {})) {
    if (on_answer) on_answer(std::move(one));
  }
}

bool WorkerPool::busy() const {
  return !waiting_.empty() || !answers_.empty() ||
         std::ranges::any_of(members_,
                             [](const auto& member) { return member->running.has_value(); });
}

std::size_t WorkerPool::joined(std::size_t kind) const {
  return static_cast<std::size_t>(std::ranges::count_if(members_, [&](const auto& member) {
    return member->link != nullptr && member->kind == kind;
  }));
}

std::size_t WorkerPool::workers() const { return std::max<std::size_t>(joined(0), 1); }

std::vector<GpuKind> WorkerPool::gpus() const {
  std::vector<GpuKind> all;
  for (const DeviceInfo& info : kinds_) all.push_back({info, joined(all.size())});
  return all;
}

std::size_t WorkerPool::free_workers(std::size_t kind) const {
  const auto idle = std::ranges::count_if(members_, [&](const auto& member) {
    return member->link != nullptr && member->kind == kind && !member->running;
  });
  const auto waiting = std::ranges::count(waiting_, kind, &Request::kind);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(idle - waiting, 0));
}

// One that is started again has to answer first.
bool WorkerPool::may_come(const Member& member) const {
  const int limit = kinds_.empty() ? kHopelessAtFirst : kHopelessLater;
  return !member.kind && member.failed_starts < limit && !member.is_double;
}

// Of a worker that is not there; of one that is refused as a double only where there is no other.
Error WorkerPool::last_words() const {
  std::optional<Error> words;
  for (const auto& member : members_) {
    if (!member->kind && member->why && (!words || !member->is_double)) words = member->why;
  }
  return words.value_or(Error{ErrorCode::kMachine, "no device: there is no worker", "", {}});
}

std::optional<Error> WorkerPool::hopeless() const {
  const auto is_hope = [this](const auto& member) { return member->kind || may_come(*member); };
  if (std::ranges::any_of(members_, is_hope)) return std::nullopt;
  return last_words();
}

std::optional<Error> WorkerPool::hopeless(std::size_t kind) const {
  const auto is_hope = [&](const auto& member) {
    return member->kind == kind || may_come(*member);
  };
  if (std::ranges::any_of(members_, is_hope)) return std::nullopt;
  return last_words();
}

bool WorkerPool::expects_more() const {
  return std::ranges::any_of(members_, [](const auto& member) {
    return !member->kind && member->failures == 0 && !member->source.is_queued;
  });
}

std::vector<std::string> WorkerPool::take_news() { return std::exchange(news_, {}); }

const std::string& WorkerPool::answered_by(RequestId request_id) const {
  static const std::string kNobody;
  const auto found = answered_by_.find(request_id);
  return found == answered_by_.end() ? kNobody : found->second;
}

void WorkerPool::start_lost() {
  for (const auto& member : members_) {
    if (member->link != nullptr || Clock::now() < member->next_start) continue;
    member->is_double = false;
    member->link = start_worker(member->source.settings);
  }
}

// A worker that has answered since: it belongs to a kind from now on.
void WorkerPool::welcome(Member& member) {
  const auto device = member.link->device();
  if (!device) return;
  if (!*device) {
    retire(member, device->error());
    return;
  }
  const DeviceInfo& info = **device;
  const auto same_gpu = std::ranges::find_if(members_, [&](const auto& other) {
    return other->kind && !info.uuid.empty() && other->uuid == info.uuid;
  });
  if (same_gpu != members_.end()) {
    retire(member, Error{ErrorCode::kMachine,
                         fmt::format("it has the same GPU as {}", (*same_gpu)->source.name),
                         "",
                         {}});
    member.is_double = true;
    return;
  }
  member.uuid = info.uuid;
  member.kind = kind_of(info);
  member.failed_starts = 0;
  if (member.source.brings_others) bring_others(member, info);
  if (members_.size() > 1) {
    news_.push_back(fmt::format("{} joined: {}", member.source.name, info.name));
  }
}

std::size_t WorkerPool::kind_of(const DeviceInfo& device) {
  const auto found =
      std::ranges::find_if(kinds_, [&](const DeviceInfo& kind) { return same_kind(kind, device); });
  if (found == kinds_.end()) return kinds_.push_back(device), kinds_.size() - 1;
  return static_cast<std::size_t>(found - kinds_.begin());
}

void WorkerPool::bring_others(Member& first, const DeviceInfo& device) {
  first.source.brings_others = false;
  WorkerSource source = first.source;
  for (int other = 0; other < device.visible; ++other) {
    if (other == first.source.settings.device) continue;
    source.settings.device = other;
    source.name = fmt::format("GPU {}", other);
    members_.push_back(std::make_unique<Member>());
    members_.back()->source = source;
  }
}

void WorkerPool::take_answers(Member& member,
                              const std::function<void(const Progress&)>& on_progress) {
  member.link->poll(
      [&](const Progress& progress) {
        if (!on_progress || !member.running || member.running->on_link != progress.request_id)
          return;
        on_progress({member.running->request.request_id, progress.kernel_seconds});
      },
      [&](Answer given) { take_answer(member, std::move(given)); });
  const auto device = member.link->device();
  if (device && !*device) retire(member, device->error());
}

void WorkerPool::take_answer(Member& member, Answer given) {
  if (!member.running || member.running->on_link != given.request_id) return;
  Running running = *std::exchange(member.running, std::nullopt);
  Request& request = running.request;
  const auto device = member.link->device();
  const bool is_lost = given.loss == Loss::kDied || (device && !*device);
  const bool is_other_gpu = device && *device && kind_of(**device) != *member.kind;
  if (given.loss == Loss::kNone && !is_lost) member.failures = 0;
  if (running.cancelled) {
    answer(request, Error{ErrorCode::kCancelled, "it was cancelled", "", {}}, "");
  } else if (given.loss == Loss::kHung) {
    const bool elsewhere = std::ranges::any_of(members_, [&](const auto& other) {
      return other.get() != &member && other->kind == member.kind && other->link != nullptr;
    });
    if (++request.hangs < kMostHangs && elsewhere) {
      news_.push_back(fmt::format("{} hung with {}, which goes to another worker",
                                  member.source.name, request.run.instance.id));
      waiting_.push_back(std::move(request));
    } else {
      answer(request, std::move(given.result), member.source.name);
    }
  } else if (is_lost || is_other_gpu) {
    if (is_lost && ++request.deaths >= kMostDeaths) {
      answer(request, std::move(given.result), member.source.name);
    } else {
      waiting_.push_back(std::move(request));
    }
  } else {
    answer(request, std::move(given.result), member.source.name);
  }
  if (is_other_gpu) member.kind.reset();  // welcomed anew
}

void WorkerPool::retire(Member& member, const Error& why) {
  if (member.running) {
    waiting_.push_back(std::move(member.running->request));
    member.running.reset();
  }
  ++member.failures;
  if (!member.kind) ++member.failed_starts;
  constexpr std::string_view kPrefix = "no device: ";
  std::string_view words = why.message;
  if (words.starts_with(kPrefix)) words.remove_prefix(kPrefix.size());
  // The same words again and again are no news.
  const bool is_said = member.why && member.why->message == why.message && !member.kind;
  if (!is_said && (members_.size() > 1 || member.kind)) {
    news_.push_back(fmt::format("{} {}: {}", member.source.name,
                                member.kind ? "was lost and is started again" : "does not answer",
                                words));
  }
  member.why = why;
  member.next_start = Clock::now() + pause_after(member.failures, member.kind.has_value());
  member.kind.reset();
  member.uuid.clear();
  member.link.reset();
}

void WorkerPool::deal() {
  for (const auto& member : members_) {
    if (member->link == nullptr || !member->kind || member->running) continue;
    const auto next = std::ranges::find(waiting_, *member->kind, &Request::kind);
    if (next == waiting_.end()) continue;
    member->running.emplace(Running{std::move(*next), 0, false});
    waiting_.erase(next);
    const Request& request = member->running->request;
    member->running->on_link = member->link->submit(request.tag, request.run);
  }
}

void WorkerPool::answer(const Request& request, Result<RunResult> result,
                        const std::string& worker) {
  answers_.push_back({request.request_id, std::move(result)});
  answered_by_[request.request_id] = worker;
}

}  // namespace tilescope
