#include "analysis/bandwidth.h"

namespace tilescope {

const char* bandwidth_verdict(double percent) {
  if (percent > 75) return "excellent";
  if (percent >= 60) return "good";
  if (percent >= 40) return "okay";
  return "low";
}

}  // namespace tilescope
