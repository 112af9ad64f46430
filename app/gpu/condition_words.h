#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "gpu/messages.h"

namespace tilescope {

// Whether the times are those of a GPU that was held back all the while, or whose clock moved.
[[nodiscard]] bool is_doubtful(const MeasuredConditions& conditions);

// Beside such times in a table: "!", else " "; and what the mark says, a line.
[[nodiscard]] const char* doubt_mark(const MeasuredConditions& conditions);
inline constexpr const char* kDoubtLegend =
    "! the GPU's clock was held down throughout, or moved meanwhile: compare with care\n";

// What the GPU was like during the samples, a line; further lines warn.
[[nodiscard]] std::string conditions_text(const MeasuredConditions& conditions);

// "0.12 %": how well the median is known. Empty: of too few samples, or not on record.
[[nodiscard]] std::string certainty_text(const TimeSummary& times);

// The bits of throttle_text()'s words; others count for nothing.
[[nodiscard]] std::uint64_t throttle_reasons_of(std::string_view text);

}  // namespace tilescope
