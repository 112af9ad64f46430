#pragma once

#include <cstdint>

namespace tilescope {

struct WindowState;
enum class FileQuestion : std::uint8_t;  // ui/state/window_state.h

void ask_for_file(WindowState& state, FileQuestion question);
void draw_file_dialog(WindowState& state);

// New, Open, Save, recent files, undo, notes: under the mark in the top bar.
void draw_session_menu(WindowState& state);

// The panel Notes.
void draw_notes_panel(WindowState& state);

// Rows below the top bar: what a person must hear of or decide. Returns their height in px.
float draw_notices(WindowState& state, float top);

}  // namespace tilescope
