#pragma once

#include <cstdint>

namespace tilescope {

struct Desk;
enum class FileQuestion : std::uint8_t;  // ui/state/window_state.h

void ask_for_file(Desk& desk, FileQuestion question);
void draw_file_dialog(Desk& desk);

// New, Open, Save, recent files, undo, notes: under the mark in the top bar.
void draw_session_menu(Desk& desk);

// The panel Notes.
void draw_notes_panel(Desk& desk);

// Rows below the top bar: what a person must hear of or decide. Returns their height in px.
float draw_notices(Desk& desk, float top);

}  // namespace tilescope
