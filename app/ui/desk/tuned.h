#pragma once
#include <memory>

#include "scene/rates/tuned_figure.h"

namespace tilescope {

struct Desk;

// What the tuner has tried, with what that found. Before it begins, what it tried last of the
// active variant's kernel, at its size and with its factors, in this sitting or in that of the
// document's file; else what was recorded of it. nullptr: no time is known.
[[nodiscard]] std::shared_ptr<const TunedFigure> tuned_figure(const Desk& desk);

}  // namespace tilescope
