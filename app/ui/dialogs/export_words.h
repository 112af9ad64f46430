#pragma once
#include <string>

#include "export/picture_request.h"

namespace tilescope {

struct Desk;

// What follows `tilescope export` for a picture of the window, one function for each kind; whether
// options say it at all, export_command_text.cpp knows.

// A view or a page of the catalogue's kernels, by options alone.
[[nodiscard]] std::string view_words(const Desk& desk, const PictureRequest& request);
// The same by the session's file.
[[nodiscard]] std::string session_words(const Desk& desk, const PictureRequest& request);
// What an animation is of: " --from 0 --to 99 --fps 10 --seconds 8".
[[nodiscard]] std::string time_words(const Desk& desk, const PictureRequest& request);
// A chart of what is recorded of one kernel.
[[nodiscard]] std::string chart_words(const RateFigure& figure);
// Of what the session measured, and of all its variants.
[[nodiscard]] std::string session_chart_words(const Desk& desk, const RateFigure& figure);
[[nodiscard]] std::string tuner_words(const TunedFigure& figure);
// Of what the tuner tried: as it stands, or before it begins what it tried of the active variant.
[[nodiscard]] std::string session_tuner_words(const Desk& desk);

// Whether it shows variants side by side.
[[nodiscard]] bool is_comparison(const PictureRequest& request);
// "'it'\''s'": one word of a shell.
[[nodiscard]] std::string quoted(const std::string& text);

}  // namespace tilescope
