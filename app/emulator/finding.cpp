#include "emulator/finding.h"

#include <algorithm>

namespace tilescope {

std::string_view name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::kOutOfBounds:
      return "out_of_bounds";
    case FindingKind::kMisaligned:
      return "misaligned";
    case FindingKind::kUninitialised:
      return "uninitialised";
    case FindingKind::kSharedRace:
      return "shared_race";
    case FindingKind::kGlobalRace:
      return "global_race";
    case FindingKind::kBarrier:
      return "barrier";
    case FindingKind::kBarrierPlaces:
      return "barrier_places";
    case FindingKind::kCpAsync:
      return "cp_async";
    case FindingKind::kDivision:
      return "division_by_zero";
    case FindingKind::kEndless:
      return "endless";
    case FindingKind::kTrap:
      return "trap";
    case FindingKind::kUnsupported:
      return "unsupported";
  }
  return "";
}

bool is_advice(FindingKind kind) { return kind == FindingKind::kBarrierPlaces; }

std::size_t count_mistakes(std::span<const Finding> findings) {
  return static_cast<std::size_t>(
      std::ranges::count_if(findings, [](const Finding& one) { return !is_advice(one.kind); }));
}

const Finding* first_mistake(std::span<const Finding> findings) {
  const auto found =
      std::ranges::find_if(findings, [](const Finding& one) { return !is_advice(one.kind); });
  return found == findings.end() ? nullptr : &*found;
}

}  // namespace tilescope
