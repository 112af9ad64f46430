#pragma once

namespace tilescope {

struct Desk;

// Keys that work everywhere: space plays, Ctrl +/-/0 the text size, Ctrl+Shift+P the palette, F1
// help.
void handle_shortcuts(Desk& desk);

// Starts, stops and moves the time of the active variant's block.
void toggle_playback(Desk& desk);
void step_events(Desk& desk, int events);
void step_tiles(Desk& desk, int steps);
// Moves time on while it plays. Once a frame.
void advance_playback(Desk& desk);

}  // namespace tilescope
