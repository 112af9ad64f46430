#pragma once
#include <memory>

#include "scene/rates/tuned_figure.h"
#include "ui/desk/desk.h"

namespace tilescope {

// What the tuner has tried, with what that found; before it has, what was recorded of the active
// variant's kernel at its size. nullptr: no time is known.
[[nodiscard]] std::shared_ptr<const TunedFigure> tuned_figure(const Desk& desk);

}  // namespace tilescope
