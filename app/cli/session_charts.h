#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "cli/resources.h"
#include "core/result.h"
#include "scene/rates/rate_figure.h"
#include "scene/rates/tuned_figure.h"
#include "session/document.h"

namespace tilescope {

// A variant of a session, whose charts are drawn as the window draws them when it is in front.
struct SessionCharts {
  const Document& document;
  const Resources& resources;
  std::size_t active = 0;
  int compute_capability = 90;  // whose peak is shown where nothing was measured
};
// Over a parameter, "size" or "time" (empty: the first parameter): what the session measured, of
// all its variants of the same problem, then what is recorded. kUsage: nothing is kept of such a
// kernel.
[[nodiscard]] Result<std::shared_ptr<const RateFigure>> session_chart(const SessionCharts& charts,
                                                                      const std::string& over,
                                                                      std::optional<RateUnit> unit,
                                                                      bool history);
// What the tuner tried last in the session; with `of_variant` only where that was the variant's
// kernel, at its size and with its factors. Else what is recorded of it.
[[nodiscard]] Result<std::shared_ptr<const TunedFigure>> session_tuner(const SessionCharts& charts,
                                                                       bool of_variant,
                                                                       bool history);
// The GPU that the session's measurements are of, where it has this compute capability; else the
// table's. Its pictures are computed for it.
[[nodiscard]] DeviceModel device_of(const Document& document, const Resources& resources,
                                    int compute_capability);

}  // namespace tilescope
