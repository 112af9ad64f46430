#pragma once

#include <cstdint>
#include <string>

namespace tilescope {

struct WindowState;
struct Variant;

// Starts, stops and moves the time of the active variant's block. Playing and every step go along
// the selected warp's own way (analysis/study/moment.h): what is shown goes forward with each of
// them. Every step stops playing.
void toggle_playback(WindowState& state);
void step_events(WindowState& state, int events);
void step_accesses(WindowState& state, int accesses);
void step_tiles(WindowState& state, int steps);
void step_phases(WindowState& state, int phases);
void go_to_event(WindowState& state, std::uint32_t event);
// To what the selected warp does then: its last own event at or before that time.
void go_to_own_event(WindowState& state, std::uint32_t event);
// Moves time on while it plays; at the end of the loop, back to its begin. Once a frame.
void advance_playback(WindowState& state);

// The stretch that playing repeats, both ends included. Setting one end past the other moves the
// other along.
void set_loop_in(WindowState& state, std::uint32_t event);
void set_loop_out(WindowState& state, std::uint32_t event);
void clear_loop(WindowState& state);

// Bookmarks 0 to 9 of the active variant: set where time stands, gone to, taken away. Going to one
// that is not set, or that the trace does not reach, does nothing.
void set_bookmark(WindowState& state, int number);
void go_to_bookmark(WindowState& state, int number);
void remove_bookmark(WindowState& state, int number);

// A moment in words.
struct MomentWords {
  std::string where;    // "Warp 3 · step 12 of 64"
  std::string what;     // "compute · 5,218 of 13,642" of the warp's instructions
  std::string meaning;  // of the phase, and what is counted; may be empty
};
// Precondition: the variant's study is traced and has an event.
[[nodiscard]] MomentWords describe_moment(const Variant& variant, std::uint32_t event);

}  // namespace tilescope
