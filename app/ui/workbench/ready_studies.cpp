#include "ui/workbench/ready_studies.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace tilescope {
namespace {

std::string tag_of(const Variant& variant) { return fmt::format("ready {}", variant.request); }

bool is_known(const Variant& variant) {
  return variant.study != nullptr && variant.study->traced() && !variant.study_pending &&
         !variant.grid_pending && !variant.error;
}

bool is_own_text(const Variant& variant) { return variant.own || variant.is_edited(); }

}  // namespace

void ReadyStudies::want(std::vector<Wanted> wanted, const std::vector<Variant>& known,
                        JobPool& pool) {
  std::vector<Entry> before = std::exchange(entries_, {});
  const auto is_same = [](const Variant& of) {
    return [&of](const auto& other) { return same_request(other, of); };
  };
  for (Wanted& next : wanted) {
    if (find(next.variant) != nullptr) continue;
    const auto is_next = is_same(next.variant);
    const auto old = std::ranges::find_if(before, is_next, &Entry::variant);
    const auto shown = std::ranges::find_if(
        known, [&](const Variant& variant) { return is_next(variant) && is_known(variant); });
    if (old != before.end()) {
      entries_.push_back(std::move(*old));
      before.erase(old);
    } else if (shown != known.end()) {
      entries_.push_back({with_results_of(*shown, next.variant), true});
      // Its own number: by the window's it would take what arrives for another one.
      entries_.back().variant.request = next_request_++;
    } else if (std::ranges::none_of(entries_, is_next, &Entry::variant)) {
      next.variant.request = next_request_++;
      entries_.push_back({std::move(next.variant)});
      const Variant& variant = entries_.back().variant;
      const StudyJobs jobs{0, variant.request, mailbox_};
      pool.submit(
          tag_of(variant),
          jobs.block(std::move(next.request), *next.device, is_own_text(variant), next.view),
          JobPool::Priority::kBackground);
    }
  }
  for (const Entry& entry : before) pool.cancel(tag_of(entry.variant));
}

bool ReadyStudies::take(JobPool& pool) {
  using Stage = StudyMailbox::Stage;
  bool taken = false;
  for (StudyMailbox::Study& arrived : mailbox_->studies.take()) {
    const auto entry = std::ranges::find(entries_, arrived.request,
                                         [](const Entry& each) { return each.variant.request; });
    if (entry == entries_.end() || !arrived.study) continue;
    entry->variant.study = *std::move(arrived.study);
    entry->variant.prepared = std::move(arrived.prepared);
    taken = true;
    if (arrived.stage == Stage::kTraced) continue;
    entry->complete = true;
    if (arrived.stage != Stage::kWithResources) continue;
    const StudyJobs jobs{0, arrived.request, mailbox_};
    pool.submit(tag_of(entry->variant),
                jobs.grid(entry->variant.study, entry->variant.prepared,
                          is_own_text(entry->variant), std::nullopt),
                JobPool::Priority::kBackground);
  }
  return taken;
}

const Variant* ReadyStudies::find(const Variant& wanted) const {
  const auto entry = std::ranges::find_if(entries_, [&](const Entry& each) {
    return each.complete && same_request(each.variant, wanted);
  });
  return entry != entries_.end() ? &entry->variant : nullptr;
}

}  // namespace tilescope
