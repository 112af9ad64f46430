#pragma once

#include <string>

#include "ui/workbench/tuner.h"

namespace tilescope {

struct WindowState;

// The tuner: its start, its progress and its best points.
void draw_tuner_panel(WindowState& state);

// Where a tuner stands, in one or two sentences; `device`: "NVIDIA H200", or empty without a GPU.
[[nodiscard]] std::string tuner_words(const Tuner& tuner, const Variant& active,
                                      const std::string& device);

// Why it cannot be started from this variant, a sentence; empty: it can.
[[nodiscard]] std::string why_not_tuned(const Variant& active);

// What happens once it is started; `measures`: on a GPU, not by the time model.
[[nodiscard]] std::string how_it_goes(bool measures);

// "12 s", "4 min", "1.5 h".
[[nodiscard]] std::string duration_words(double seconds);

}  // namespace tilescope
