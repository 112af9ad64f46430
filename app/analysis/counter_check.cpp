#include "analysis/counter_check.h"

#include <algorithm>
#include <cmath>

#include "analysis/counters.h"

namespace tilescope {

CheckedCounter::Verdict CheckedCounter::verdict() const {
  if (least <= emulated && emulated <= most) return Verdict::kEqual;
  const bool shared_pipe = name.starts_with("l1tex__data_");
  return shared_pipe && least != most && emulated < least ? Verdict::kContended
                                                          : Verdict::kDifferent;
}

double CheckedCounter::distance() const {
  const std::uint64_t nearest = std::clamp(emulated, least, most);
  const auto [low, high] = std::minmax(emulated, nearest);
  return high == 0 ? 0 : static_cast<double>(high - low) / static_cast<double>(high);
}

std::string_view name_of(CheckedCounter::Verdict verdict) {
  switch (verdict) {
    case CheckedCounter::Verdict::kEqual:
      return "equal";
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
  for (const auto& [name, value] : metrics_of(*study.issued, *study.issued_counters)) {
    CheckedCounter counter{name, value, 0, 0};
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

double HardwareCounters::distance_of(std::span<const std::string_view> parts) const {
  double largest = 0;
  for (const CheckedCounter& counter : counters) {
    if (counter.verdict() != CheckedCounter::Verdict::kDifferent) continue;
    if (counter.is_one_of(parts)) largest = std::max(largest, counter.distance());
  }
  return largest;
}

}  // namespace tilescope
