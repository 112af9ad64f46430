#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tilescope {

struct Desk;

enum class FileQuestion : std::uint8_t { kNone, kOpen, kSave };

// The dialog that asks for a file's name: typed, or chosen from its folder or the recent files.
struct FileDialog {
  FileQuestion question = FileQuestion::kNone;
  std::string file;                  // as typed
  std::string listed_for;            // what was typed when the folder was read
  std::vector<std::string> entries;  // of that folder: folders first, then what can be opened
  std::string remark;                // what is to be said of the list; empty: nothing
  std::string outcome;               // why it could not be done
  bool confirm = false;              // a file of that name exists; once more writes over it
  bool appearing = false;
};

void ask_for_file(Desk& desk, FileQuestion question);
void draw_file_dialog(Desk& desk);

// New, Open, Save, recent files, undo, notes: under the mark in the top bar.
void draw_session_menu(Desk& desk);

// The panel Notes.
void draw_notes_panel(Desk& desk);

// Rows below the top bar: what a person must hear of or decide. Returns their height in px.
float draw_notices(Desk& desk, float top);

}  // namespace tilescope
