#include "analysis/study/tried_shared.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "analysis/study/block_steps.h"
#include "core/number_text.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kStaticShared = 1024;
constexpr std::uint64_t kFirstShared = 1024 * 8;  // a double for each thread of the largest block

}  // namespace

bool TriedShared::grow(const TrialRun& observed) {
  const auto most =  // beside a few barriers and flags that are static
      static_cast<std::uint64_t>(tried_.to_try().device.shared_bytes_per_block_optin) -
      kStaticShared;
  LaunchForm& form = tried_.form;
  const auto bytes = parse_number<std::uint64_t>(form.dynamic_shared);
  if (!observed.has_dynamic_shared || tried_.host.dynamic_shared_bytes || !bytes || !helps_) {
    return false;
  }
  if (*bytes >= most) {
    form.dynamic_shared = tried_.guess.dynamic_shared;
    helps_ = false;
    return false;
  }
  form.dynamic_shared = std::to_string(*bytes == 0 ? kFirstShared : std::min(*bytes * 2, most));
  return true;
}

void TriedShared::trim(TrialRun* observed, bool has_smaller_sizes) {
  constexpr std::uint64_t kGrain = 1024;
  const auto guessed = parse_number<std::uint64_t>(tried_.guess.dynamic_shared);
  const auto grown = parse_number<std::uint64_t>(tried_.form.dynamic_shared);
  if (!guessed || !grown || *grown <= std::max(*guessed, kFirstShared)) return;
  std::uint64_t enough = *grown;
  // The half of it was too little, if it grew for these sizes.
  std::uint64_t little =
      has_smaller_sizes ? *guessed : std::max(std::bit_floor(enough - 1), *guessed);
  const auto fits = [&](const TrialRun& after) {
    return !after.exceeds_shared() && after.faults() <= observed->faults();
  };
  const std::uint64_t part = has_smaller_sizes ? 2 : 32;  // it is waited for
  while (!tried_.is_late() && enough - little > std::max(enough / part, kGrain)) {
    const std::uint64_t middle = (little + enough) / 2 / kGrain * kGrain;
    const LaunchForm before = tried_.form;
    tried_.form.dynamic_shared = std::to_string(middle);
    (tried_.keeps(before, fits, observed) ? enough : little) = middle;
  }
  tried_.form.dynamic_shared = std::to_string(enough);
}

bool TriedShared::shrink_block() { return !tried_.host.block && halve_block(&tried_.form.block); }
bool TriedShared::enlarge_block() { return !tried_.host.block && double_block(&tried_.form.block); }

void TriedShared::shrink_block_that_exceeds(TrialRun* observed) {
  const LaunchForm before = tried_.form;
  while (!tried_.is_late() && shrink_block()) {
    auto after = tried_.observe();
    if (!after || !after->any_access) break;
    if (after->exceeds_shared()) continue;
    *observed = *std::move(after);
    return;
  }
  tried_.form = before;
}

void TriedShared::resize_block_that_leaves_words(TrialRun* observed) {
  constexpr int kMostTimes = 3;
  const LaunchForm before = tried_.form;
  for (bool (TriedShared::*resize)() : {&TriedShared::shrink_block, &TriedShared::enlarge_block}) {
    for (int times = 0; times < kMostTimes && !tried_.is_late() && (this->*resize)(); ++times) {
      auto after = tried_.observe();
      if (!after || !after->any_access || after->exceeds_shared()) break;
      if (after->has(FindingKind::kUninitialised)) continue;
      *observed = *std::move(after);
      return;
    }
    tried_.form = before;
  }
}

}  // namespace tilescope
