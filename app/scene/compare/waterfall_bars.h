#pragma once
#include <string>
#include <vector>

#include "scene/compare/compare_scene.h"

namespace tilescope {

// What is drawn of a step: from the rate before it to its own.
struct WaterfallBar {
  enum class Kind { kFirst, kGain, kLoss, kOff, kLeft, kReference };
  std::string name;
  std::string key;  // empty: no step, so it cannot be switched off
  Kind kind = Kind::kGain;
  double from = 0;
  double to = 0;
  Source source = Source::kRecorded;
  bool looked_at = false;
  std::string absolute;  // "+1,320"
  std::string relative;  // "2.2 ×"
  std::string tooltip;
};

// The steps, what is left to gain, and the reference.
[[nodiscard]] std::vector<WaterfallBar> waterfall_bars(const Waterfall& waterfall);
// "GB/s": what all of their figures are in.
[[nodiscard]] std::string waterfall_unit(Unit unit);

}  // namespace tilescope
