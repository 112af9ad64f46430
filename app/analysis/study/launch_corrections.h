#pragma once
#include <string>
#include <string_view>

#include "kernel/launch/launch_form.h"

namespace tilescope {

// Whether a buffer holds what is made up where nothing is known of it: zeros, a ramp, random
// numbers or letters.
[[nodiscard]] bool is_usual(const std::string& fill);

// Where rows of four elements each begin.
inline constexpr std::string_view kOffsets = "i * 4";

// Whether a launch is another one than the file's own: a size, the grid or the block was guessed or
// corrected, or indices that nobody wrote down were made up. Precondition: the same arguments.
[[nodiscard]] bool is_made_up(const LaunchForm& guess, const LaunchForm& now);

// What became of a launch in one line: "n from 1 to 1,024; a from zeros to random numbers". Empty:
// nothing changed. Precondition: the same arguments.
[[nodiscard]] std::string corrections_of(const LaunchForm& then, const LaunchForm& now);

}  // namespace tilescope
