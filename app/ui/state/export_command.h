#pragma once

#include <string>

namespace tilescope {

struct Desk;

// The command that writes the same file, byte for byte: `tilescope export …`. Empty where no
// command can: see why_no_export_command().
[[nodiscard]] std::string export_command(const Desk& desk);
// One sentence; empty where there is a command. Where options cannot say what stands in the window,
// the command names the session's file, once that holds it.
[[nodiscard]] std::string why_no_export_command(const Desk& desk);
// Saving the session is all that is missing.
[[nodiscard]] bool wants_saved_session(const Desk& desk);

}  // namespace tilescope
