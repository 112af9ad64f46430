#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace tilescope {

struct Variant;
struct WindowState;

// The whole program that the kernel in front belongs to, which a person may run for its launches,
// and what they set for it. Nothing of it runs by itself.
struct ProgramOffer {
  std::string file;       // that can be run; empty: none
  std::string kernel;     // the file of the kernel in front: of pasted text a name
  std::string arguments;  // as typed
  std::string nvcc;
  bool shows_output = true;         // of the newest run
  std::set<std::string> dismissed;  // files that are not offered any more

  // Looks again where another kernel is in front or its text has changed.
  void update(const Variant& active);

 private:
  std::uint64_t request_ = 0;  // that the kernel was looked at in
};

// Runs the offered program.
void run_program(WindowState& state);

// Once the program has ended: its launches take the place of the tabs that show a guessed launch of
// its file, and stand among the user's kernels; one step of undo. Once a frame.
void take_launches(WindowState& state);

}  // namespace tilescope
