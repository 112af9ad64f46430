#pragma once

#include <string>

namespace tilescope {

struct WindowState;

// The command that writes the same file, byte for byte: `tilescope export …`. Empty where no
// command can: see why_no_export_command().
[[nodiscard]] std::string export_command(const WindowState& state);
// One sentence; empty where there is a command. Where options cannot say what stands in the window,
// the command names the session's file, once that holds it.
[[nodiscard]] std::string why_no_export_command(const WindowState& state);
// Saving the session is all that is missing.
[[nodiscard]] bool wants_saved_session(const WindowState& state);

}  // namespace tilescope
