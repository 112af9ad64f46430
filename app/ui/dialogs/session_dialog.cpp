#include "ui/dialogs/session_dialog.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/opened_file.h"
#include "kernel/compile/device_code.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/state/actions.h"
#include "ui/state/commands.h"
#include "ui/state/panel_surface.h"
#include "ui/state/window_state.h"

namespace tilescope {

namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostEntries = 200;

fs::path home() {
  const char* folder = std::getenv("HOME");
  std::error_code ignored;
  return folder != nullptr && *folder != '\0' ? fs::path(folder) : fs::current_path(ignored);
}

// By its name, as a list of many files shows them.
bool is_listed(const std::string& name) {
  return is_session_file(name) || is_kernel_file(name) || name.ends_with(".cubin") ||
         name.ends_with(".fatbin");
}

// Folders and files that begin as the last word of what is typed, and what is to be said of them.
void list_entries(FileDialog* dialog) {
  const fs::path typed = dialog->file;
  const fs::path folder = typed.has_parent_path() ? typed.parent_path() : fs::path(".");
  const bool opens = dialog->question == FileQuestion::kOpen;
  std::vector<std::string> folders;
  std::vector<std::string> files;
  const std::string begin = typed.filename().string();
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with('.') || !name.starts_with(begin)) continue;
    std::error_code ignored;
    if (entry.is_directory(ignored)) {
      name.push_back('/');
      folders.push_back(std::move(name));
    } else if (opens ? is_listed(name) || is_host_program(entry.path().string())
                     : is_session_file(name)) {
      files.push_back(std::move(name));
    }
  }
  std::ranges::sort(folders);
  std::ranges::sort(files);
  folders.insert(folders.end(), files.begin(), files.end());
  const std::size_t found = folders.size();
  if (found > kMostEntries) folders.resize(kMostEntries);
  dialog->entries = std::move(folders);
  dialog->remark.clear();
  if (failure) {
    dialog->remark = fmt::format("{} cannot be listed: {}.", folder.string(), failure.message());
  } else if (found > kMostEntries) {
    dialog->remark = fmt::format("{} more; type more letters to see fewer.", found - kMostEntries);
  } else if (found == 0 && opens) {
    dialog->remark = begin.empty() ? "No sessions or kernels in this folder."
                                   : "No session or kernel starts with that name.";
  }
}

void answer(WindowState& state) {
  FileDialog& dialog = state.file_dialog;
  std::error_code ignored;
  if (dialog.file.empty() || fs::is_directory(dialog.file, ignored)) {
    dialog.outcome = "Enter a file name.";
    return;
  }
  if (dialog.question == FileQuestion::kOpen) {
    if (!is_session_file(dialog.file) && !can_be_opened(dialog.file)) {
      dialog.outcome = "Open a session (.tilescope), a kernel (.cu, .ptx, .cubin) or a program.";
      return;
    }
    open_path(state, dialog.file);
    dialog.question = FileQuestion::kNone;
    return;
  }
  std::string file = dialog.file;
  if (!is_session_file(file)) file += kSessionEnding;
  const bool own = file == state.session.path();
  if (!own && !dialog.confirm && fs::exists(file, ignored)) {
    dialog.confirm = true;
    dialog.outcome = "A file with that name exists. Save again to overwrite it.";
    return;
  }
  state.session.save(state, file);
  dialog.question = FileQuestion::kNone;
}

// What was said is of another name.
void forget_answer(FileDialog* dialog) {
  dialog->confirm = false;
  dialog->outcome.clear();
}

// One list of names; a click takes one, a second opens it.
void draw_list(WindowState& state, const std::vector<std::string>& names, const fs::path& folder) {
  FileDialog& dialog = state.file_dialog;
  for (const std::string& name : names) {
    const std::string path = (folder / name).string();
    if (!ImGui::Selectable(
            name.c_str(), dialog.file == path,
            ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_NoAutoClosePopups)) {
      continue;
    }
    dialog.file = path;
    forget_answer(&dialog);
    const bool folder_chosen = name.ends_with('/');
    if (!folder_chosen && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) answer(state);
    return;
  }
}

void draw_dialog(WindowState& state) {
  FileDialog& dialog = state.file_dialog;
  const bool opens = dialog.question == FileQuestion::kOpen;
  ImGui::PushFont(state.fonts.text(Weight::kSemibold), state.px(15) / state.scale);
  ImGui::TextUnformatted(opens ? "Open a session or a kernel" : "Save the session");
  ImGui::PopFont();
  ImGui::Dummy({0, state.px(2)});
  ImGui::SetNextItemWidth(-1);
  if (std::exchange(dialog.appearing, false)) ImGui::SetKeyboardFocusHere();
  const bool entered =
      ImGui::InputText("##file", &dialog.file, ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::IsItemEdited()) forget_answer(&dialog);
  if (dialog.listed_for != dialog.file) {
    dialog.listed_for = dialog.file;
    list_entries(&dialog);
  }
  const float below = ImGui::GetFrameHeight() + state.px(44);
  ImGui::BeginChild("files", {0, std::max(state.px(60), ImGui::GetContentRegionAvail().y - below)},
                    ImGuiChildFlags_NavFlattened);
  if (opens && !state.session.recent().empty()) {
    ImGui::TextDisabled("Recent");
    ImGui::PushID("recent");
    draw_list(state, state.session.recent(), {});
    ImGui::PopID();
    ImGui::Dummy({0, state.px(4)});
  }
  const fs::path folder = fs::path(dialog.file).parent_path();
  ImGui::TextDisabled("In %s", folder.empty() ? "." : folder.string().c_str());
  draw_list(state, dialog.entries, folder);
  if (!dialog.remark.empty()) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled("%s", dialog.remark.c_str());
    ImGui::PopTextWrapPos();
  }
  ImGui::EndChild();
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(dialog.outcome.c_str());
  ImGui::PopTextWrapPos();
  const float width = state.px(104);
  ImGui::SetCursorPosX(ImGui::GetContentRegionMax().x - 2 * width - state.px(8));
  if (ImGui::Button("Cancel", {width, 0}) || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    dialog.question = FileQuestion::kNone;
    return;
  }
  ImGui::SameLine();
  if (ImGui::Button(opens ? "Open" : "Save", {width, 0}) || entered) answer(state);
}

}  // namespace

void ask_for_file(WindowState& state, FileQuestion question) {
  FileDialog& dialog = state.file_dialog;
  const std::string& path = state.session.path();
  dialog = {};
  dialog.question = question;
  dialog.appearing = true;
  dialog.listed_for.push_back('\n');  // nothing is listed yet
  const fs::path folder = path.empty() ? home() : fs::path(path).parent_path();
  if (question == FileQuestion::kOpen) {
    dialog.file = (folder / "").string();
  } else {
    dialog.file = path.empty() ? (folder / "session.tilescope").string() : path;
  }
}

void draw_file_dialog(WindowState& state) {
  if (state.file_dialog.question == FileQuestion::kNone) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(state.px(620), screen.x - state.px(16)),
                            std::min(state.px(420), screen.y - state.px(16))});
  if (state.file_dialog.appearing) ImGui::SetNextWindowFocus();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ColourRole::kRaised, state.theme()));
  ImGui::PushStyleColor(ImGuiCol_FrameBg, packed(ColourRole::kPanel, state.theme()));
  ImGui::PushStyleColor(ImGuiCol_Button, packed(ColourRole::kHover, state.theme()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, state.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(state.px(24), state.px(20)));
  if (ImGui::Begin("file", nullptr,
                   ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove)) {
    draw_dialog(state);
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor(3);
}

void draw_session_menu(WindowState& state) {
  if (!ImGui::BeginPopup("session")) return;
  const Command* chosen = nullptr;
  static constexpr std::array kItems{"New session", "Open …", "Save",  "Save as …",
                                     "Undo",        "Redo",   "Notes", "Export this view …"};
  for (const char* name : kItems) {
    const auto command = std::ranges::find(state.commands, name, &Command::name);
    if (command == state.commands.end()) continue;
    const std::string title = command->title ? command->title(state) : command->name;
    ImGui::PushID(name);
    const bool can = !title.ends_with(": nothing");
    if (ImGui::MenuItem(title.c_str(), keys_of(*command).c_str(), false, can)) chosen = &*command;
    ImGui::PopID();
  }
  std::string file;
  if (!state.session.recent().empty()) {
    ImGui::Separator();
    for (const std::string& path : state.session.recent()) {
      if (ImGui::MenuItem(path.c_str())) file = path;
    }
  }
  ImGui::EndPopup();
  if (chosen != nullptr) chosen->act(state);
  if (!file.empty()) open_path(state, file);
}

void draw_notes_panel(WindowState& state) {
  ImGui::PushFont(state.fonts.text(Weight::kRegular), 13);
  ImGui::InputTextMultiline("##notes", &state.notes, ImGui::GetContentRegionAvail(),
                            ImGuiInputTextFlags_WordWrap);
  if (state.notes.empty() && !ImGui::IsItemActive()) {
    const ImVec2 corner = ImGui::GetItemRectMin();
    ImGui::GetWindowDrawList()->AddText(
        {corner.x + ImGui::GetStyle().FramePadding.x, corner.y + ImGui::GetStyle().FramePadding.y},
        packed(ColourRole::kDim, state.theme()),
        "Your notes on this session. They are saved with it.");
  }
  ImGui::PopFont();
}

namespace {

constexpr float kFileRow = 34;

// A row that is shown: its words and what can be done.
struct Row {
  std::string words;
  bool is_error = false;
  struct Button {
    const char* words;
    const char* meaning;
    void (*press)(WindowState& state);
  };
  std::vector<Button> buttons = {};
  int notice = -1;  // of the session's that a cross takes away
};

// What waits for leave to run: "mine.cu", "mine.cu with tile.h and 2 more headers".
std::string waiting_words(const Variant& variant) {
  std::string words = variant.file_name();
  const IncludedFiles* included = variant.included();
  if (included == nullptr || included->files.empty()) return words + " came from a file. It is";
  words += " with " + included->files.front().name;
  const std::size_t more = included->files.size() - 1;
  if (more > 0) words += " and " + std::to_string(more) + " more header" + (more > 1 ? "s" : "");
  return words + " came from files, or one of them has changed. They are";
}

std::vector<Row> rows_of(WindowState& state) {
  std::vector<Row> rows;
  const auto device = state.workbench.gpu().device();
  const Variant& active = state.workbench.active();
  // What a text includes is known once it is compiled.
  const bool known = active.study != nullptr || !active.study_pending;
  if (device && device->ok() && known && !state.workbench.may_run(active)) {
    rows.push_back(
        {waiting_words(active) +
             " compiled and emulated, but not run or measured on the GPU until you allow it.",
         false,
         {{"Run on the GPU", "Allows the texts of all variants to run on the GPU from now on.",
           [](WindowState& d) { d.workbench.allow_gpu(); }}}});
  }
  if (const std::string& file = state.workbench.opening(); !file.empty())
    rows.push_back(
        {fmt::format("Reading the device code of {} …", fs::path(file).filename().string())});
  const std::vector<Session::Notice>& notices = state.session.notices();
  for (std::size_t i = 0; i < notices.size(); ++i) {
    Row row{notices[i].words, notices[i].is_error, {}, static_cast<int>(i)};
    if (notices[i].offers_discard) {
      row.buttons.push_back({"Discard", "Returns to its file, or to a new session.",
                             [](WindowState& d) { d.session.discard_recovered(d); }});
    }
    rows.push_back(std::move(row));
  }
  if (state.session.left_behind() > 0) {
    const std::size_t count = state.session.left_behind();
    const std::string& newest = state.session.newest_left();
    const std::string all = count == 1 ? "You have an earlier unsaved session"
                                       : fmt::format("You have {} earlier unsaved sessions", count);
    const char* which = count == 1 ? "" : "most recent: ";
    rows.push_back({newest.empty() ? all + "." : fmt::format("{} ({}{}).", all, which, newest),
                    false,
                    {{"Open the most recent", "Replaces the current session (kept if unsaved).",
                      [](WindowState& d) { d.session.open_left_behind(d); }},
                     {"Delete it", "Deletes the most recent unsaved session.",
                      [](WindowState& d) { d.session.discard_left_behind(); }}}});
  }
  return rows;
}

// True when something was pressed: the rows are no longer what they were.
bool draw_row(PanelSurface& surface, const Row& row, float y) {
  WindowState& state = surface.state();
  const float middle = y + kFileRow / 2;
  surface.canvas().fill_rect({0, y, surface.width(), kFileRow}, ColourRole::kRaised, 0);
  surface.canvas().fill_rect({0, y, 3, kFileRow},
                             row.is_error ? ColourRole::kExcess : ColourRole::kFirst, 0);
  surface.rule(0, surface.width(), y + kFileRow);
  float right = surface.width() - 12;
  bool pressed = false;
  if (row.notice >= 0) {
    const Rect cross{right - 20, middle - 10, 20, 20};
    const Touch touch = surface.control("dismiss", cross, "Hides this message.");
    const Paint ink = touch.hovered ? ColourRole::kStrong : ColourRole::kDim;
    const Point c = cross.center();
    surface.canvas().line({c.x - 4, c.y - 4}, {c.x + 4, c.y + 4}, ink, 1.4F);
    surface.canvas().line({c.x - 4, c.y + 4}, {c.x + 4, c.y - 4}, ink, 1.4F);
    if (touch.clicked) {
      std::vector<Session::Notice>& notices = state.session.notices();
      notices.erase(notices.begin() + row.notice);
      pressed = true;
    }
    right -= 28;
  }
  for (auto button = row.buttons.rbegin(); button != row.buttons.rend() && !pressed; ++button) {
    const float width = surface.canvas().text_width(button->words, styled(12)) + 28;
    const Rect place{right - width, middle - 12, width, 24};
    const bool clicked = surface.push(button->words, place, button->words, true);
    surface.explain(place, button->meaning);
    if (clicked) {
      button->press(state);
      pressed = true;
    }
    right -= width + 8;
  }
  surface.fitted(16, right - 8, middle, row.words,
                 styled(12.5F, row.is_error ? ColourRole::kStrong : ColourRole::kText));
  return pressed;
}

}  // namespace

float draw_notices(WindowState& state, float top) {
  const std::vector<Row> rows = rows_of(state);
  if (rows.empty()) return 0;
  const float height = state.px(kFileRow) * static_cast<float>(rows.size());
  const BarWindow window("notices", top, height);
  PanelSurface surface(state);
  float y = 0;
  int id = 0;
  for (const Row& row : rows) {
    ImGui::PushID(id++);
    const bool pressed = draw_row(surface, row, y);
    ImGui::PopID();
    y += kFileRow;
    if (!pressed) continue;
    state.frame_wanted = true;
    break;
  }
  return height;
}

}  // namespace tilescope
