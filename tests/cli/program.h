#pragma once
#include <string>

namespace tilescope {

// What a run of the program printed, and how it ended.
struct ProgramRun {
  std::string output;  // stdout
  std::string errors;  // stderr
  int status = -1;
};

// Runs `tilescope ARGUMENTS` (as a shell splits them) in the source folder and waits for its end.
// `before`: what the same shell does first, "ulimit -v 100000; " or "TMPDIR=/nowhere ".
[[nodiscard]] ProgramRun run_tilescope(const std::string& arguments,
                                       const std::string& before = "");

}  // namespace tilescope
