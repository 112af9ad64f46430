#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scene/rates/rate_figure.h"
#include "ui/desk/desk.h"

namespace tilescope {

// The parameter that the first chart is over: the slider touched last, else the kernel's first.
[[nodiscard]] const ParameterSpec* charted_parameter(const Desk& desk);
// "cuBLAS", "device copy": what stands beside the variant.
[[nodiscard]] std::string reference_beside(const Variant& variant);

// Whether all charts are empty and stay so: there is no GPU, and nothing was recorded or measured
// of what they show.
[[nodiscard]] bool nothing_to_chart(const Desk& desk);

// The chart as it stands, as a figure for a file; nullptr: there is nothing in it.
[[nodiscard]] std::shared_ptr<const RateFigure> chart_figure(const Desk& desk, ChartKind kind);

}  // namespace tilescope
