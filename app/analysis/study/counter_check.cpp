#include "analysis/study/counter_check.h"

#include <algorithm>
#include <cmath>

#include "analysis/memory/counters.h"

namespace tilescope {

CheckedCounter::Verdict CheckedCounter::verdict() const {
  if (least <= emulated && emulated <= most) return Verdict::kEqual;
  if (other_turns) return Verdict::kByTurns;
  return may_be_contended() && least != most ? Verdict::kContended : Verdict::kDifferent;
}

bool CheckedCounter::may_be_contended() const {
  return name.starts_with("l1tex__data_") && emulated < least;
}

std::uint64_t CheckedCounter::distance() const {
  const auto [low, high] = std::minmax(emulated, std::clamp(emulated, least, most));
  return high - low;
}

std::string_view name_of(CheckedCounter::Verdict verdict) {
  switch (verdict) {
    case CheckedCounter::Verdict::kEqual:
      return "equal";
    case CheckedCounter::Verdict::kByTurns:
      return "depends on turns";
    case CheckedCounter::Verdict::kContended:
      return "contended";
    case CheckedCounter::Verdict::kDifferent:
      return "different";
  }
  return "";
}

std::vector<CheckedCounter> check_counters(const KernelStudy& study,
                                           std::span<const CounterValues> readings) {
  std::vector<CheckedCounter> counters;
  const std::map<std::string, std::uint64_t> by_turns =
      metrics_that_depend_on_turns(*study.issued, *study.issued_counters);
  for (const auto& [name, value] : metrics_of(*study.issued, *study.issued_counters)) {
    CheckedCounter counter{name, value, 0, 0};
    if (const auto other = by_turns.find(name); other != by_turns.end()) {
      counter.other_turns = other->second;
    }
    bool known = true;
    for (std::size_t i = 0; i < readings.size() && known; ++i) {
      const auto read = readings[i].find(name);
      known = read != readings[i].end();
      if (!known) break;
      const auto count = static_cast<std::uint64_t>(std::llround(std::max(read->second, 0.0)));
      counter.least = i == 0 ? count : std::min(counter.least, count);
      counter.most = std::max(counter.most, count);
    }
    if (known) counters.push_back(std::move(counter));
  }
  return counters;
}

bool CheckedCounter::is_one_of(std::span<const std::string_view> parts) const {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

CheckedCounter::Verdict HardwareCounters::worst_of(std::span<const std::string_view> parts) const {
  auto worst = CheckedCounter::Verdict::kEqual;
  for (const CheckedCounter& counter : counters) {
    if (counter.is_one_of(parts)) worst = std::max(worst, counter.verdict());
  }
  return worst;
}

const CheckedCounter* HardwareCounters::most_different(
    std::span<const std::string_view> parts) const {
  const CheckedCounter* worst = nullptr;
  for (const CheckedCounter& counter : counters) {
    if (counter.verdict() != CheckedCounter::Verdict::kDifferent) continue;
    if (!counter.is_one_of(parts)) continue;
    if (worst == nullptr || share_of(counter) > share_of(*worst)) worst = &counter;
  }
  return worst;
}

double HardwareCounters::share_of(const CheckedCounter& counter) const {
  std::uint64_t whole = std::max(counter.emulated, counter.most);
  if (counter.name.find("bank_conflicts") != std::string::npos) {
    std::uint64_t wavefronts = 0;
    for (const CheckedCounter& other : counters) {
      if (other.name.find("wavefronts_mem_shared_op_") == std::string::npos) continue;
      wavefronts += std::max(other.emulated, other.most);
    }
    whole = std::max(whole, wavefronts);
  }
  return whole == 0 ? 0 : static_cast<double>(counter.distance()) / static_cast<double>(whole);
}

}  // namespace tilescope
