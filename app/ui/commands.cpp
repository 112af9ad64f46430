#include "ui/commands.h"

#include <imgui.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "ui/actions.h"
#include "ui/desk/desk.h"
#include "ui/desk/time_control.h"
#include "ui/dialogs/session_dialog.h"
#include "ui/panels/panel.h"
#include "ui/panels/parameter_slider.h"
#include "ui/source/source_editor.h"

namespace tilescope {
namespace {

constexpr int kCtrl = ImGuiMod_Ctrl;
constexpr int kShift = ImGuiMod_Shift;
constexpr int kAlt = ImGuiMod_Alt;

int digit(int number) { return static_cast<int>(ImGuiKey_0) + number; }

void add_session_commands(std::vector<Command>& commands) {
  const auto add = [&](Command command) {
    command.group = CommandGroup::kSession;
    command.while_typing = true;
    commands.push_back(std::move(command));
  };
  add({.name = "New session",
       .act = [](Desk& desk) { desk.session.make_new(desk); },
       .chords = {kCtrl | ImGuiKey_N},
       .help = "new session, open one or a kernel, save, save as",
       .keys = "Ctrl N  O  S  Shift S"});
  add({.name = "Open …",
       .act = [](Desk& desk) { ask_for_file(desk, FileQuestion::kOpen); },
       .chords = {kCtrl | ImGuiKey_O}});
  add({.name = "Save",
       .act =
           [](Desk& desk) {
             if (desk.session.path().empty()) {
               ask_for_file(desk, FileQuestion::kSave);
             } else {
               desk.session.save(desk, desk.session.path());
             }
           },
       .chords = {kCtrl | ImGuiKey_S}});
  add({.name = "Save as …",
       .act = [](Desk& desk) { ask_for_file(desk, FileQuestion::kSave); },
       .chords = {kCtrl | kShift | ImGuiKey_S}});
  add({.name = "Export this view …",
       .act = [](Desk& desk) { open_picture_export(desk); },
       .chords = {kCtrl | ImGuiKey_E},
       .help = "this view, or a chart, as a file",
       .keys = "Ctrl E   Ctrl Shift E"});
  add({.name = "Export a chart …",
       .act = [](Desk& desk) { open_picture_export(desk, PictureExport::Subject::kOverParameter); },
       .chords = {kCtrl | kShift | ImGuiKey_E}});
  commands.push_back({.group = CommandGroup::kSession,
                      .name = "Undo",
                      .act = [](Desk& desk) { desk.session.undo(desk); },
                      .chords = {kCtrl | ImGuiKey_Z},
                      .help = "undo, redo",
                      .keys = "Ctrl Z   Ctrl Y",
                      .repeats = true,
                      .title =
                          [](const Desk& desk) {
                            const std::string* what = desk.session.history().undo_name();
                            return what != nullptr ? "Undo: " + *what : "Undo: nothing";
                          }});
  commands.push_back({.group = CommandGroup::kSession,
                      .name = "Redo",
                      .act = [](Desk& desk) { desk.session.redo(desk); },
                      .chords = {kCtrl | ImGuiKey_Y, kCtrl | kShift | ImGuiKey_Z},
                      .repeats = true,
                      .title =
                          [](const Desk& desk) {
                            const std::string* what = desk.session.history().redo_name();
                            return what != nullptr ? "Redo: " + *what : "Redo: nothing";
                          }});
  add({.name = "Notes",
       .act =
           [](Desk& desk) {
             desk.panel_open["Notes"] = true;
             desk.focus_panel = "Notes";
           },
       .chords = {kCtrl | kShift | ImGuiKey_N},
       .help = "notes that go with the session"});
  add({.name = "Commands",
       .act = [](Desk& desk) { desk.palette_wanted = true; },
       .chords = {kCtrl | kShift | ImGuiKey_P},
       .help = "kernels, views and commands by name"});
  add({.name = "Help",
       .act = [](Desk& desk) { desk.help_open = !desk.help_open; },
       .chords = {ImGuiKey_F1},
       .help = "this"});
}

void add_time_commands(std::vector<Command>& commands) {
  const auto add = [&](Command command) {
    command.group = CommandGroup::kTime;
    commands.push_back(std::move(command));
  };
  add({.name = "Play or pause",
       .act = [](Desk& desk) { toggle_playback(desk); },
       .chords = {ImGuiKey_Space},
       .help = "play and pause the block's time",
       .yields_to_focus = true});
  add({.name = "One instruction back",
       .act = [](Desk& desk) { step_events(desk, -1); },
       .chords = {ImGuiKey_Comma},
       .help = "one instruction back, on",
       .keys = ",   .",
       .repeats = true});
  add({.name = "One instruction on",
       .act = [](Desk& desk) { step_events(desk, 1); },
       .chords = {ImGuiKey_Period},
       .repeats = true});
  add({.name = "One phase back",
       .act = [](Desk& desk) { step_phases(desk, -1); },
       .chords = {kShift | ImGuiKey_Comma},
       .help = "one phase back, on",
       .keys = "Shift ,   Shift .",
       .repeats = true});
  add({.name = "One phase on",
       .act = [](Desk& desk) { step_phases(desk, 1); },
       .chords = {kShift | ImGuiKey_Period},
       .repeats = true});
  add({.name = "One k-step back",
       .act = [](Desk& desk) { step_tiles(desk, -1); },
       .chords = {ImGuiKey_PageUp},
       .help = "one k-step back, on",
       .keys = "Page Up   Page Down",
       .repeats = true});
  add({.name = "One k-step on",
       .act = [](Desk& desk) { step_tiles(desk, 1); },
       .chords = {ImGuiKey_PageDown},
       .repeats = true});
  add({.name = "Repeat from here",
       .act = [](Desk& desk) { set_loop_in(desk, desk.bench.active().selection.event); },
       .chords = {ImGuiKey_I},
       .help = "repeat from here, to here; play on",
       .keys = "I   O   L"});
  add({.name = "Repeat to here",
       .act = [](Desk& desk) { set_loop_out(desk, desk.bench.active().selection.event); },
       .chords = {ImGuiKey_O}});
  add({.name = "Repeat nothing",
       .act = [](Desk& desk) { clear_loop(desk); },
       .chords = {ImGuiKey_L}});
  for (int i = 0; i < 10; ++i) {
    add({.name = "Set bookmark " + std::to_string(i),
         .act = [i](Desk& desk) { set_bookmark(desk, i); },
         .chords = {kShift | digit(i)},
         .help = i == 0 ? "set a bookmark here; right click on its flag removes it" : "",
         .keys = "Shift 0 … 9"});
  }
  for (int i = 0; i < 10; ++i) {
    add({.name = "Go to bookmark " + std::to_string(i),
         .act = [i](Desk& desk) { go_to_bookmark(desk, i); },
         .chords = {digit(i)},
         .help = i == 0 ? "go to the bookmark" : "",
         .keys = "0 … 9"});
    add({.name = "Remove bookmark " + std::to_string(i),
         .act = [i](Desk& desk) { remove_bookmark(desk, i); }});
  }
}

void move_lane(Desk& desk, int by) {
  int& lane = desk.bench.active().selection.lane;
  lane = std::clamp(lane + by, 0, 31);
}

void move_warp(Desk& desk, int by) {
  Variant& variant = desk.bench.active();
  if (variant.study == nullptr) return;
  const auto warps = static_cast<std::int64_t>((variant.study->launch.block.count() + 31) / 32);
  variant.selection.warp = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(std::int64_t{variant.selection.warp} + by, 0, warps - 1));
}

void move_block(Desk& desk, int by) {
  const Variant& variant = desk.bench.active();
  if (variant.study == nullptr) return;
  const std::uint64_t last = variant.study->launch.grid.count() - 1;
  const std::uint64_t block = std::min(variant.selection.block, last);
  desk.bench.select_block(by < 0 ? block - (block > 0 ? 1 : 0) : std::min(block + 1, last));
}

void add_choice_commands(std::vector<Command>& commands) {
  const auto add = [&](Command command) {
    command.group = CommandGroup::kChoice;
    commands.push_back(std::move(command));
  };
  add({.name = "Parameter: one value less",
       .act = [](Desk& desk) { step_parameter(desk, -1); },
       .chords = {ImGuiKey_LeftArrow},
       .help = "the parameter in hand: one legal value; another one",
       .keys = "Left  Right  Up  Down",
       .repeats = true,
       .yields_to_focus = true});
  add({.name = "Parameter: one value more",
       .act = [](Desk& desk) { step_parameter(desk, 1); },
       .chords = {ImGuiKey_RightArrow},
       .repeats = true,
       .yields_to_focus = true});
  add({.name = "Parameter: the one above",
       .act = [](Desk& desk) { choose_parameter(desk, -1); },
       .chords = {ImGuiKey_UpArrow},
       .yields_to_focus = true});
  add({.name = "Parameter: the one below",
       .act = [](Desk& desk) { choose_parameter(desk, 1); },
       .chords = {ImGuiKey_DownArrow},
       .yields_to_focus = true});
  add({.name = "Reset parameters", .act = [](Desk& desk) { desk.bench.reset_parameters(); }});
  const struct {
    const char* what;
    void (*move)(Desk&, int);
    int modifiers;
    const char* help;
    const char* keys;
  } kMoves[] = {
      {"lane", move_lane, 0, "lane before, after", "[   ]"},
      {"warp", move_warp, kShift, "warp before, after", "Shift [   Shift ]"},
      {"block", move_block, kCtrl, "block before, after", "Ctrl [   Ctrl ]"},
  };
  for (const auto& move : kMoves) {
    add({.name = std::string("The ") + move.what + " before",
         .act = [go = move.move](Desk& desk) { go(desk, -1); },
         .chords = {move.modifiers | ImGuiKey_LeftBracket},
         .help = move.help,
         .keys = move.keys,
         .repeats = true});
    add({.name = std::string("The ") + move.what + " after",
         .act = [go = move.move](Desk& desk) { go(desk, 1); },
         .chords = {move.modifiers | ImGuiKey_RightBracket},
         .repeats = true});
  }
  for (int i = 0; i < static_cast<int>(kMostDocumentVariants); ++i) {
    add({.name = std::string("Variant ") + static_cast<char>('A' + i),
         .act =
             [i](Desk& desk) {
               if (i < static_cast<int>(desk.bench.variants().size())) desk.bench.activate(i);
             },
         .chords = {kAlt | digit(i + 1)},
         .help = i == 0 ? "variant A to D; add one, close this one" : "",
         .keys = "Alt 1 … 4   Ctrl D   Ctrl W",
         .while_typing = true});
  }
  add({.name = "Add a variant",
       .act = [](Desk& desk) { desk.bench.add_variant(); },
       .chords = {kCtrl | ImGuiKey_D}});
  add({.name = "Compare: one variant alone, then the base, and back",
       .act =
           [](Desk& desk) {
             if (desk.view == View::kCompare) flip_compared(desk);
           },
       .chords = {ImGuiKey_X},
       .help = "compare: one variant alone, then the base, and back"});
  add({.name = "Close this variant",
       .act = [](Desk& desk) { desk.bench.close_variant(desk.bench.active_index()); },
       .chords = {kCtrl | ImGuiKey_W}});
}

void scale_text(Desk& desk, float factor) {
  float& scale = desk.preferences.text_scale;
  scale = factor == 0 ? 1 : std::clamp(scale * factor, kLeastTextScale, kMostTextScale);
}

void add_view_commands(std::vector<Command>& commands) {
  const auto add = [&](Command command) {
    command.group = CommandGroup::kView;
    commands.push_back(std::move(command));
  };
  int number = 0;
  for (const Panel& panel : all_panels()) {
    if (!panel.view) continue;
    ++number;
    Command command{.name = std::string("View: ") + panel.title,
                    .act = [view = *panel.view](Desk& desk) { desk.raise = view; },
                    .help = number == 1 ? "the views, in the order of their tabs" : "",
                    .keys = "Ctrl 1 … 9",
                    .while_typing = true};
    if (number < 10) command.chords = {kCtrl | digit(number)};
    add(std::move(command));
  }
  for (const Panel& panel : all_panels()) {
    add({.name = std::string("Panel: ") + panel.title + ", open or close",
         .act = [title = std::string(panel.title)](Desk& desk) {
           desk.panel_open[title] = !desk.panel_open[title];
         }});
  }
  for (const Theme theme : {Theme::kDark, Theme::kLight, Theme::kPaper}) {
    add({.name = "Theme: " + std::string(name_of(theme)),
         .act = [theme](Desk& desk) { desk.preferences.theme = theme; }});
  }
  add({.name = "Lecture mode",
       .act = [](Desk& desk) { desk.lecture = !desk.lecture; },
       .chords = {ImGuiKey_F11},
       .help = "lecture mode: the view alone, larger",
       .while_typing = true});
  add({.name = "Text larger",
       .act = [](Desk& desk) { scale_text(desk, 1.1F); },
       .chords = {kCtrl | ImGuiKey_Equal, kCtrl | ImGuiKey_KeypadAdd,
                  kCtrl | kShift | ImGuiKey_Equal},
       .help = "size of text and everything else",
       .keys = "Ctrl +   Ctrl -   Ctrl 0",
       .while_typing = true});
  add({.name = "Text smaller",
       .act = [](Desk& desk) { scale_text(desk, 1 / 1.1F); },
       .chords = {kCtrl | ImGuiKey_Minus, kCtrl | ImGuiKey_KeypadSubtract},
       .while_typing = true});
  add({.name = "Text as usual",
       .act = [](Desk& desk) { scale_text(desk, 0); },
       .chords = {kCtrl | ImGuiKey_0},
       .while_typing = true});
  add({.name = "Reduce motion", .act = [](Desk& desk) {
         desk.preferences.reduce_motion = !desk.preferences.reduce_motion;
       }});
  add({.name = "Reset layout", .act = [](Desk& desk) { reset_layout(desk); }});
}

void add_kernel_commands(std::vector<Command>& commands, const Catalogue& catalogue) {
  const auto add = [&](Command command) {
    command.group = CommandGroup::kKernel;
    commands.push_back(std::move(command));
  };
  add({.name = "New kernel from the clipboard",
       .act = [](Desk& desk) { paste_kernel(desk); },
       .chords = {kCtrl | ImGuiKey_V},
       .help = "open the kernel in the clipboard; drop a file for one on disk"});
  add({.name = "Edit the source, or read it",
       .act =
           [](Desk& desk) {
             desk.editing = !desk.editing;
             desk.focus_panel = "Source";
             if (desk.editing) desk.editor.take_focus();
           },
       .chords = {ImGuiKey_F2},
       .help = "write in the source, or read it; there Ctrl Z is the text's own",
       .while_typing = true});
  add({.name = "Revert the source", .act = [](Desk& desk) { desk.bench.revert_source(); }});
  add({.name = "Run on the GPU what came with a file",
       .act = [](Desk& desk) { desk.bench.allow_gpu(); }});
  add({.name = "Measure again",
       .act = [](Desk& desk) { desk.bench.measure_again(); },
       .chords = {ImGuiKey_F5},
       .help = "measure again"});
  add({.name = "Read hardware counters",
       .act =
           [](Desk& desk) {
             desk.panel_open["Counters"] = true;
             desk.focus_panel = "Counters";
             desk.bench.read_counters();
           },
       .chords = {kShift | ImGuiKey_F5},
       .help = "read the GPU's counters of this launch"});
  add({.name = "Next error or finding",
       .act = [](Desk& desk) { go_to_problem(desk, 1); },
       .chords = {ImGuiKey_F8},
       .help = "to the next error or finding in the source; back",
       .keys = "F8   Shift F8",
       .while_typing = true});
  add({.name = "Error or finding before",
       .act = [](Desk& desk) { go_to_problem(desk, -1); },
       .chords = {kShift | ImGuiKey_F8},
       .while_typing = true});
  for (const CatalogueEntry& entry : catalogue.entries) {
    add({.name = "Kernel: " + entry.id + ", " + entry.title, .act = [id = entry.id](Desk& desk) {
           if (const CatalogueEntry* chosen = desk.bench.catalogue().find(id)) {
             desk.bench.choose_kernel(*chosen);
           }
         }});
  }
}

}  // namespace

std::vector<Command> make_commands(const Catalogue& catalogue) {
  std::vector<Command> commands;
  add_session_commands(commands);
  add_time_commands(commands);
  add_choice_commands(commands);
  add_view_commands(commands);
  add_kernel_commands(commands, catalogue);
  return commands;
}

std::string name_of_chord(int chord) {
  std::string name;
  const auto add = [&](std::string_view word) {
    if (!name.empty()) name += ' ';
    name += word;
  };
  if ((chord & kCtrl) != 0) add("Ctrl");
  if ((chord & kAlt) != 0) add("Alt");
  if ((chord & kShift) != 0) add("Shift");
  const auto key = static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_);
  static constexpr std::pair<ImGuiKey, const char*> kSigns[] = {
      {ImGuiKey_Comma, ","},        {ImGuiKey_Period, "."},
      {ImGuiKey_LeftBracket, "["},  {ImGuiKey_RightBracket, "]"},
      {ImGuiKey_Equal, "+"},        {ImGuiKey_Minus, "-"},
      {ImGuiKey_LeftArrow, "Left"}, {ImGuiKey_RightArrow, "Right"},
      {ImGuiKey_UpArrow, "Up"},     {ImGuiKey_DownArrow, "Down"},
      {ImGuiKey_PageUp, "Page Up"}, {ImGuiKey_PageDown, "Page Down"}};
  const auto* sign = std::ranges::find(kSigns, key, &std::pair<ImGuiKey, const char*>::first);
  add(sign != std::end(kSigns) ? sign->second : ImGui::GetKeyName(key));
  return name;
}

std::string keys_of(const Command& command) {
  return command.chords.empty() ? std::string() : name_of_chord(command.chords.front());
}

void handle_keys(Desk& desk) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool typing = io.WantTextInput || desk.editor.typing();
  // Arrows and Space are the focus's own while it is seen, but for a slider's values.
  const bool focus_seen = io.NavVisible && !desk.slider_focused;
  const Command* wanted = nullptr;
  for (const Command& command : desk.commands) {
    if ((typing && !command.while_typing) || (focus_seen && command.yields_to_focus)) continue;
    const ImGuiInputFlags flags =
        ImGuiInputFlags_RouteGlobal | (command.repeats ? ImGuiInputFlags_Repeat : 0);
    for (const int chord : command.chords) {
      if (ImGui::Shortcut(chord, flags)) wanted = &command;
    }
  }
  desk.slider_focused = false;
  if (wanted != nullptr) wanted->act(desk);
}

bool run_command(Desk& desk, const std::string& name) {
  const auto command = std::ranges::find(desk.commands, name, &Command::name);
  if (command == desk.commands.end()) return false;
  command->act(desk);
  return true;
}

}  // namespace tilescope
