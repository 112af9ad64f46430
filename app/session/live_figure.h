#pragma once
#include "scene/rates/rate_figure.h"
#include "session/measurements.h"
#include "session/session_file.h"

namespace tilescope {

// What the live chart of a document is drawn from.
struct LiveChart {
  const std::vector<VariantDocument>& variants;
  int active = 0;
  bool cold = true;  // the launches that it shows
  const Measurements& measured;
  std::optional<RateUnit> unit;  // nullopt, or one that the problem has not: its own
  SessionNames names;
};
// The launches of every variant over time, up to where the chart was scrolled, else to the last
// launch: the same measurements are the same figure, whenever it is drawn. A kernel of the user's
// own has times alone.
[[nodiscard]] RateFigure live_figure(const LiveChart& chart);

}  // namespace tilescope
