#include "analysis/study/guessed_findings.h"

#include <algorithm>

namespace tilescope {

bool may_come_from_launch(FindingKind kind, const KernelInstance& launched) {
  switch (kind) {
    case FindingKind::kOutOfBounds:
    case FindingKind::kMisaligned:
    case FindingKind::kUninitialised:
    case FindingKind::kGlobalRace:
    case FindingKind::kDivision:
    case FindingKind::kEndless:
      return true;
    case FindingKind::kBarrier:
    case FindingKind::kBarrierPlaces:
    case FindingKind::kCpAsync:
      return std::ranges::any_of(launched.arguments,
                                 [](const Argument& one) { return one.tensor.has_value(); });
    case FindingKind::kSharedRace:
    case FindingKind::kTrap:
    case FindingKind::kUnsupported:
      return false;
  }
  return false;
}

void note_guess(const KernelInstance& launched, std::vector<Finding>* findings) {
  for (Finding& finding : *findings) {
    if (may_come_from_launch(finding.kind, launched)) finding.message += kMayBeGuess;
  }
}

}  // namespace tilescope
