#include <array>
#include <utility>

#include "scene/coalescing/coalescing_scene.h"

namespace tilescope {
namespace {

std::string_view total_name(AccessKind access) {
  switch (access) {
    case AccessKind::kStore:
    case AccessKind::kStmatrix:
      return "all stores";
    case AccessKind::kAtomic:
      return "all atomics";
    default:
      return "all loads";
  }
}

}  // namespace

std::vector<GlobalTotal> global_totals(const std::vector<GlobalLine>& lines) {
  std::vector<GlobalTotal> totals;
  if (lines.size() < 2) return totals;
  for (const std::string_view name : {"all loads", "all stores", "all atomics"}) {
    GlobalTotal total{name, {}};
    for (const GlobalLine& line : lines) {
      if (total_name(line.access) == name) total.counters += line.counters;
    }
    if (total.counters.requests > 0) totals.push_back(total);
  }
  if (totals.size() < 2) return totals;
  GlobalTotal all{"all", {}};
  for (const GlobalTotal& total : totals) all.counters += total.counters;
  totals.push_back(all);
  return totals;
}

}  // namespace tilescope
