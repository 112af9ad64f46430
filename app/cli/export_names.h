#pragma once
#include <string>
#include <string_view>

namespace tilescope {

// What --view takes beside views and pages: no picture of a trace, but a chart, and a table.
inline constexpr std::string_view kThroughputView = "throughput";
inline constexpr std::string_view kTunerView = "tuner";

// "tiling, coalescing, banks, source, tuner or throughput"
[[nodiscard]] std::string view_names();
// "flop/s, bytes/s, time, peak or reference"
[[nodiscard]] std::string unit_names();

}  // namespace tilescope
