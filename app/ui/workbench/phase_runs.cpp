#include "ui/workbench/phase_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace tilescope {
namespace {

std::string tag_of(int variant) { return fmt::format("phases {}", variant); }

}  // namespace

struct PhaseRuns::Mailbox {
  struct Built {
    Wanted wanted;
    std::shared_ptr<const CompiledKernel> compiled;
  };
  std::mutex mutex;
  std::vector<Built> built;
};

PhaseRuns::PhaseRuns() : mailbox_(std::make_shared<Mailbox>()) {}

void PhaseRuns::want(Wanted wanted, JobPool& pool) {
  auto stamped = with_phase_stamps(wanted.study->instance, wanted.study->trace->block);
  if (!stamped) return;
  pool.submit(
      tag_of(wanted.variant),
      [wanted, instance = *std::move(stamped), mailbox = mailbox_](const std::stop_token& stop) {
        auto compiled = compile({instance, wanted.compute_capability, true}, stop);
        if (!compiled) return;
        const std::lock_guard lock(mailbox->mutex);
        if (stop.stop_requested()) return;
        mailbox->built.push_back(
            {wanted, std::make_shared<const CompiledKernel>(*std::move(compiled))});
      },
      JobPool::Priority::kBackground);
}

void PhaseRuns::cancel(int variant, JobPool& pool, WorkerLink& gpu) {
  pool.cancel(tag_of(variant));
  gpu.cancel(tag_of(variant));
  const auto of_variant = [variant](const auto& one) { return one.wanted.variant == variant; };
  const std::lock_guard lock(mailbox_->mutex);
  std::erase_if(mailbox_->built, of_variant);
}

void PhaseRuns::submit(WorkerLink& gpu) {
  std::unique_lock lock(mailbox_->mutex);
  auto built = std::exchange(mailbox_->built, {});
  lock.unlock();
  for (Mailbox::Built& one : built) {
    RunRequest request;
    request.instance = one.wanted.study->instance;
    request.compiled = std::move(one.compiled);
    request.timing.reference = false;
    request.has_phase_stamps = true;
    const auto request_id = gpu.submit(tag_of(one.wanted.variant), std::move(request));
    running_.push_back({request_id, std::move(one.wanted)});
  }
}

bool PhaseRuns::take(const WorkerLink::Answer& answer, const Deliver& deliver) {
  const auto running = std::find_if(running_.begin(), running_.end(), [&](const Running& one) {
    return one.request_id == answer.request_id;
  });
  if (running == running_.end()) return false;
  const Wanted wanted = std::move(running->wanted);
  running_.erase(running);
  if (!answer.result || answer.result->phase_stamps.empty()) return true;
  auto phases = std::make_shared<MeasuredPhases>(
      measured_phases(*wanted.study->program, wanted.study->instance, answer.result->phase_stamps));
  if (wanted.kernel_seconds > 0) {
    phases->slowdown = answer.result->kernel.median_seconds / wanted.kernel_seconds;
  }
  deliver(wanted, std::move(phases));
  return true;
}

}  // namespace tilescope
