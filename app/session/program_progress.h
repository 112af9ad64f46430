#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope {

// How far `tilescope exec` has come with a program. With --progress it appends this to a file, a
// line of JSON each time, for whoever watches it.
struct ProgramProgress {
  enum class Phase : std::uint8_t { kCompiling, kRunning, kEnded };
  Phase phase = Phase::kCompiling;
  std::uint64_t launches = 0;  // executed so far
  std::string kernel;          // of the newest of them
  // At the end.
  std::uint64_t problems = 0;
  std::string how;    // "exited with status 0"; empty: it was not run
  std::string error;  // why it was not run, or its launches were not saved; else empty
};

[[nodiscard]] std::string progress_line(const ProgramProgress& progress);  // with its end
// Of the last whole line of such a file; nullopt: there is none, or it is something else.
[[nodiscard]] std::optional<ProgramProgress> last_progress(std::string_view text);

}  // namespace tilescope
