#include <algorithm>

#include "analysis/warp_timing.h"
#include "core/joined.h"

namespace tilescope {

const char* name_of(Stall stall) {
  switch (stall) {
    case Stall::kNone:
      return "none";
    case Stall::kLongScoreboard:
      return "long scoreboard";
    case Stall::kShortScoreboard:
      return "short scoreboard";
    case Stall::kBarrier:
      return "barrier";
    case Stall::kWait:
      return "wait";
    case Stall::kMathPipeThrottle:
      return "math pipe throttle";
    case Stall::kMioThrottle:
      return "MIO throttle";
    case Stall::kLgThrottle:
      return "LG throttle";
    case Stall::kBranchResolving:
      return "branch resolving";
    case Stall::kNotSelected:
      return "not selected";
  }
  return "";
}

const char* name_of(Resource resource) {
  switch (resource) {
    case Resource::kIssue:
      return "issue slots";
    case Resource::kFma:
      return "FMA pipe";
    case Resource::kAlu:
      return "ALU pipe";
    case Resource::kDouble:
      return "FP64 pipe";
    case Resource::kSpecial:
      return "XU pipe";
    case Resource::kTensor:
      return "tensor pipe";
    case Resource::kData:
      return "L1 data stage";
    case Resource::kL2:
      return "L2 traffic";
    case Resource::kDram:
      return "DRAM traffic";
  }
  return "";
}

std::string ShortLatencyUnits::words(bool queued) const {
  std::vector<std::string> used;
  if (shared_memory) used.emplace_back("shared memory");
  if (special_functions && !queued) used.emplace_back("special functions");
  if (shuffles) used.emplace_back("shuffles");
  return used.empty() ? "shared memory" : joined(used, " or ");
}

double WarpTiming::cycles_of(double blocks_each) const {
  if (blocks == 0) return 0;
  if (blocks_each <= blocks) return all_cycles;
  const double later = blocks - first_blocks;
  if (first_cycles == 0 || later < 0.5 * resident_blocks) return all_cycles * blocks_each / blocks;
  return first_cycles + (blocks_each - first_blocks) * (all_cycles - first_cycles) / later;
}

Resource WarpTiming::bound() const {
  return static_cast<Resource>(std::ranges::max_element(busy) - busy.begin());
}

}  // namespace tilescope
