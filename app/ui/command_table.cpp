#include "ui/command_table.h"

#include <imgui.h>

#include <functional>
#include <utility>
#include <vector>

#include "ui/dialogs/session_dialog.h"
#include "ui/panels/panels.h"
#include "ui/panels/parameters_panel.h"
#include "ui/source/source_editor.h"
#include "ui/state/actions.h"
#include "ui/state/commands.h"
#include "ui/state/time_control.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

inline constexpr int kCtrl = ImGuiMod_Ctrl;
inline constexpr int kShift = ImGuiMod_Shift;
inline constexpr int kAlt = ImGuiMod_Alt;

// The rows of one group of commands.
struct Group {
  std::vector<Command>& all;
  CommandGroup group;

  void add(Command command) const {
    command.group = group;
    all.push_back(std::move(command));
  }
  // One that does something where `can` holds alone; elsewhere its title says so, and the palette
  // leaves it out.
  void add_where(std::function<bool(const Desk&)> can, Command command) const {
    command.title = [name = command.name, can = std::move(can)](const Desk& desk) {
      return can(desk) ? name : name + ": nothing";
    };
    add(std::move(command));
  }
};

// What a person looks at: time, the selection and the parameters, the view in front.
void add_time_commands(const Group& group);
void add_choice_commands(const Group& group);
void add_view_commands(const Group& group);

constexpr float kZoomStep = 1.41421356F;

int digit(int number) { return static_cast<int>(ImGuiKey_0) + number; }

void add_time_commands(const Group& group) {
  group.add({.name = "Play or pause",
             .act = [](Desk& desk) { toggle_playback(desk); },
             .chords = {ImGuiKey_Space},
             .help = "play or pause the block's time",
             .yields_to_focus = true});
  group.add({.name = "One instruction back",
             .act = [](Desk& desk) { step_events(desk, -1); },
             .chords = {ImGuiKey_Comma},
             .help = "one instruction back / forward",
             .keys = ",   .",
             .repeats = true});
  group.add({.name = "One instruction forward",
             .act = [](Desk& desk) { step_events(desk, 1); },
             .chords = {ImGuiKey_Period},
             .repeats = true});
  group.add({.name = "One phase back",
             .act = [](Desk& desk) { step_phases(desk, -1); },
             .chords = {kShift | ImGuiKey_Comma},
             .help = "one phase back / forward",
             .keys = "Shift ,   Shift .",
             .repeats = true});
  group.add({.name = "One phase forward",
             .act = [](Desk& desk) { step_phases(desk, 1); },
             .chords = {kShift | ImGuiKey_Period},
             .repeats = true});
  group.add({.name = "One loop step back",
             .act = [](Desk& desk) { step_tiles(desk, -1); },
             .chords = {ImGuiKey_PageUp},
             .help = "one loop step (k) back / forward",
             .keys = "Page Up   Page Down",
             .repeats = true});
  group.add({.name = "One loop step forward",
             .act = [](Desk& desk) { step_tiles(desk, 1); },
             .chords = {ImGuiKey_PageDown},
             .repeats = true});
  group.add({.name = "Repeat from here",
             .act = [](Desk& desk) { set_loop_in(desk, desk.bench.active().selection.event); },
             .chords = {ImGuiKey_I},
             .help = "repeat from here / to here; stop repeating",
             .keys = "I   O   L"});
  group.add({.name = "Repeat to here",
             .act = [](Desk& desk) { set_loop_out(desk, desk.bench.active().selection.event); },
             .chords = {ImGuiKey_O}});
  group.add_where(
      [](const Desk& desk) {
        const TimeMarks& marks = desk.bench.active().marks;
        return marks.loop_in || marks.loop_out;
      },
      {.name = "Stop repeating",
       .act = [](Desk& desk) { clear_loop(desk); },
       .chords = {ImGuiKey_L}});
  for (int i = 0; i < 10; ++i) {
    group.add({.name = "Set bookmark " + std::to_string(i),
               .act = [i](Desk& desk) { set_bookmark(desk, i); },
               .chords = {kShift | digit(i)},
               .help = i == 0 ? "set a bookmark here (right-click its flag to remove it)" : "",
               .keys = "Shift 0 … 9"});
  }
  for (int i = 0; i < 10; ++i) {
    const auto is_set = [i](const Desk& desk) {
      return desk.bench.active().marks.bookmarks[static_cast<std::size_t>(i)].has_value();
    };
    group.add_where(is_set, {.name = "Go to bookmark " + std::to_string(i),
                             .act = [i](Desk& desk) { go_to_bookmark(desk, i); },
                             .chords = {digit(i)},
                             .help = i == 0 ? "go to the bookmark" : "",
                             .keys = "0 … 9"});
    group.add_where(is_set, {.name = "Remove bookmark " + std::to_string(i),
                             .act = [i](Desk& desk) { remove_bookmark(desk, i); }});
  }
}

void add_choice_commands(const Group& group) {
  group.add({.name = "Parameter: previous value",
             .act = [](Desk& desk) { step_parameter(desk, -1); },
             .chords = {ImGuiKey_LeftArrow},
             .help = "previous / next value of the selected parameter; select another",
             .keys = "Left  Right  Up  Down",
             .repeats = true,
             .yields_to_focus = true});
  group.add({.name = "Parameter: next value",
             .act = [](Desk& desk) { step_parameter(desk, 1); },
             .chords = {ImGuiKey_RightArrow},
             .repeats = true,
             .yields_to_focus = true});
  group.add({.name = "Parameter: select the one above",
             .act = [](Desk& desk) { choose_parameter(desk, -1); },
             .chords = {ImGuiKey_UpArrow},
             .yields_to_focus = true});
  group.add({.name = "Parameter: select the one below",
             .act = [](Desk& desk) { choose_parameter(desk, 1); },
             .chords = {ImGuiKey_DownArrow},
             .yields_to_focus = true});
  group.add({.name = "Reset parameters", .act = [](Desk& desk) { desk.bench.reset_parameters(); }});
  group.add({.name = "Alpha 1 and beta 0: C is not read", .act = [](Desk& desk) {
               choose_factors(desk, {{"alpha", 1}, {"beta", 0}});
             }});
  group.add({.name = "Beta 1: C is read and added to", .act = [](Desk& desk) {
               choose_factors(desk, {{"beta", 1}});
             }});
  const struct {
    const char* what;
    void (*move)(Desk&, int);
    int modifiers;
    const char* help;
    const char* keys;
  } kMoves[] = {
      {"lane", move_lane, 0, "previous / next lane", "[   ]"},
      {"warp", move_warp, kShift, "previous / next warp", "Shift [   Shift ]"},
      {"block", move_block, kCtrl, "previous / next block", "Ctrl [   Ctrl ]"},
  };
  for (const auto& move : kMoves) {
    group.add({.name = std::string("The ") + move.what + " before",
               .act = [go = move.move](Desk& desk) { go(desk, -1); },
               .chords = {move.modifiers | ImGuiKey_LeftBracket},
               .help = move.help,
               .keys = move.keys,
               .repeats = true});
    group.add({.name = std::string("The ") + move.what + " after",
               .act = [go = move.move](Desk& desk) { go(desk, 1); },
               .chords = {move.modifiers | ImGuiKey_RightBracket},
               .repeats = true});
  }
  for (int i = 0; i < static_cast<int>(kMostDocumentVariants); ++i) {
    const auto is_there = [i](const Desk& desk) {
      return i < static_cast<int>(desk.bench.variants().size());
    };
    group.add_where(is_there,
                    {.name = std::string("Variant ") + static_cast<char>('A' + i),
                     .act =
                         [i, is_there](Desk& desk) {
                           if (is_there(desk)) desk.bench.activate(i);
                         },
                     .chords = {kAlt | digit(i + 1)},
                     .help = i == 0 ? "variant A to D; add a variant, close this one" : "",
                     .keys = "Alt 1 … 4   Ctrl D   Ctrl W",
                     .while_typing = true});
  }
  group.add({.name = "Add a variant",
             .act = [](Desk& desk) { desk.bench.add_variant(); },
             .chords = {kCtrl | ImGuiKey_D}});
  group.add_where([](const Desk& desk) { return desk.view == View::kCompare; },
                  {.name = "Compare: show one variant, then the base, and back",
                   .act =
                       [](Desk& desk) {
                         if (desk.view == View::kCompare) flip_compared(desk);
                       },
                   .chords = {ImGuiKey_X},
                   .help = "compare: show one variant, then the base, and back"});
  group.add_where([](const Desk& desk) { return desk.bench.variants().size() > 1; },
                  {.name = "Close this variant",
                   .act = [](Desk& desk) { desk.bench.close_variant(desk.bench.active_index()); },
                   .chords = {kCtrl | ImGuiKey_W}});
}

void add_view_commands(const Group& group) {
  int number = 0;
  for (const Panel& panel : all_panels()) {
    if (!panel.view) continue;
    ++number;
    Command command{.name = std::string("View: ") + panel.title,
                    .act = [view = *panel.view](Desk& desk) { desk.raise = view; },
                    .help = number == 1 ? "views, in the order of the tabs" : "",
                    .keys = "Ctrl 1 … 9",
                    .while_typing = true};
    if (number < 10) command.chords = {kCtrl | digit(number)};
    group.add(std::move(command));
  }
  for (const Panel& panel : all_panels()) {
    group.add({.name = std::string("Panel: ") + panel.title + ", open or close",
               .act = [title = std::string(panel.title)](Desk& desk) {
                 desk.panel_open[title] = !desk.panel_open[title];
               }});
  }
  for (const Theme theme : {Theme::kDark, Theme::kLight, Theme::kPaper}) {
    group.add({.name = "Theme: " + std::string(name_of(theme)),
               .act = [theme](Desk& desk) { desk.preferences.theme = theme; }});
  }
  group.add({.name = "Source column: sectors, wavefronts, executed",
             .act = [](Desk& desk) { desk.heat_column = next_of(desk.heat_column); },
             .chords = {ImGuiKey_H},
             .help = "column beside the source: sectors, wavefronts, executed"});
  group.add({.name = "Source: CUDA, PTX and SASS side by side",
             .act = [](Desk& desk) { set_side_by_side(desk, !desk.source_beside); },
             .chords = {ImGuiKey_B},
             .help = "CUDA, PTX and SASS side by side"});
  group.add({.name = "Source: next place of the selected line",
             .act = [](Desk& desk) { desk.editor.step_places(1); },
             .chords = {ImGuiKey_N},
             .help = "PTX and SASS: next / previous place of the line",
             .keys = "N   Shift N",
             .repeats = true});
  group.add({.name = "Source: previous place of the selected line",
             .act = [](Desk& desk) { desk.editor.step_places(-1); },
             .chords = {kShift | ImGuiKey_N},
             .repeats = true});
  group.add({.name = "Lecture mode",
             .act = [](Desk& desk) { desk.lecture = !desk.lecture; },
             .chords = {ImGuiKey_F11},
             .help = "lecture mode: only the view, larger",
             .while_typing = true});
  group.add({.name = "Zoom in",
             .act = [](Desk& desk) { zoom_view(desk, kZoomStep); },
             .chords = {ImGuiKey_Equal, ImGuiKey_KeypadAdd, kShift | ImGuiKey_Equal},
             .help = "tiling, pipeline: zoom in, out, show all",
             .keys = "+   -   Home",
             .repeats = true});
  group.add({.name = "Zoom out",
             .act = [](Desk& desk) { zoom_view(desk, 1 / kZoomStep); },
             .chords = {ImGuiKey_Minus, ImGuiKey_KeypadSubtract},
             .repeats = true});
  group.add({.name = "Show all",
             .act = [](Desk& desk) { zoom_view(desk, 0); },
             .chords = {ImGuiKey_Home}});
  const struct {
    const char* where;
    float across, down;
    ImGuiKey key;
  } kWays[] = {{"left", -1, 0, ImGuiKey_LeftArrow},
               {"right", 1, 0, ImGuiKey_RightArrow},
               {"up", 0, -1, ImGuiKey_UpArrow},
               {"down", 0, 1, ImGuiKey_DownArrow}};
  for (const auto& way : kWays) {
    const bool first = way.key == ImGuiKey_LeftArrow;
    group.add({.name = std::string("Move the picture: ") + way.where,
               .act = [x = way.across / 4, y = way.down / 4](Desk& desk) { move_view(desk, x, y); },
               .chords = {kAlt | way.key},
               .help = first ? "when zoomed: move" : "",
               .keys = "Alt Left  Right  Up  Down",
               .repeats = true});
  }
  group.add({.name = "Text larger",
             .act = [](Desk& desk) { scale_text(desk, 1.1F); },
             .chords = {kCtrl | ImGuiKey_Equal, kCtrl | ImGuiKey_KeypadAdd,
                        kCtrl | kShift | ImGuiKey_Equal},
             .help = "size of text and everything else",
             .keys = "Ctrl +   Ctrl -   Ctrl 0",
             .while_typing = true});
  group.add({.name = "Text smaller",
             .act = [](Desk& desk) { scale_text(desk, 1 / 1.1F); },
             .chords = {kCtrl | ImGuiKey_Minus, kCtrl | ImGuiKey_KeypadSubtract},
             .while_typing = true});
  group.add({.name = "Text size: default",
             .act = [](Desk& desk) { scale_text(desk, 0); },
             .chords = {kCtrl | ImGuiKey_0},
             .while_typing = true});
  group.add({.name = "Reduce motion", .act = [](Desk& desk) {
               desk.preferences.reduce_motion = !desk.preferences.reduce_motion;
             }});
  group.add({.name = "Reset layout", .act = [](Desk& desk) { reset_layout(desk); }});
}

void add_session_commands(const Group& group) {
  group.add({.name = "New session",
             .act = [](Desk& desk) { desk.session.make_new(desk); },
             .chords = {kCtrl | ImGuiKey_N},
             .help = "new session, open one or a kernel, save, save as",
             .keys = "Ctrl N  O  S  Shift S",
             .while_typing = true});
  group.add({.name = "Open …",
             .act = [](Desk& desk) { ask_for_file(desk, FileQuestion::kOpen); },
             .chords = {kCtrl | ImGuiKey_O},
             .while_typing = true});
  group.add({.name = "Save",
             .act =
                 [](Desk& desk) {
                   if (desk.session.path().empty()) {
                     ask_for_file(desk, FileQuestion::kSave);
                   } else {
                     desk.session.save(desk, desk.session.path());
                   }
                 },
             .chords = {kCtrl | ImGuiKey_S},
             .while_typing = true});
  group.add({.name = "Save as …",
             .act = [](Desk& desk) { ask_for_file(desk, FileQuestion::kSave); },
             .chords = {kCtrl | kShift | ImGuiKey_S},
             .while_typing = true});
  group.add({.name = "Export this view …",
             .act = [](Desk& desk) { open_picture_export(desk); },
             .chords = {kCtrl | ImGuiKey_E},
             .help = "save this view or a chart as a file",
             .keys = "Ctrl E   Ctrl Shift E",
             .while_typing = true});
  group.add(
      {.name = "Export a chart …",
       .act = [](Desk& desk) { open_picture_export(desk, PictureExport::Subject::kOverParameter); },
       .chords = {kCtrl | kShift | ImGuiKey_E},
       .while_typing = true});
  group.add({.name = "Export the source …",
             .act = [](Desk& desk) { open_picture_export(desk, PictureExport::Subject::kSource); },
             .chords = {kCtrl | kAlt | ImGuiKey_E},
             .help = "save the source or the counters as a file",
             .keys = "Ctrl Alt E   Ctrl Alt C",
             .while_typing = true});
  group.add(
      {.name = "Export the counters …",
       .act = [](Desk& desk) { open_picture_export(desk, PictureExport::Subject::kCounters); },
       .chords = {kCtrl | kAlt | ImGuiKey_C},
       .while_typing = true});
  group.add({.name = "Export the tuner …",
             .act = [](Desk& desk) { open_picture_export(desk, PictureExport::Subject::kTuner); }});
  group.add({.name = "Undo",
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
  group.add({.name = "Redo",
             .act = [](Desk& desk) { desk.session.redo(desk); },
             .chords = {kCtrl | ImGuiKey_Y, kCtrl | kShift | ImGuiKey_Z},
             .repeats = true,
             .title =
                 [](const Desk& desk) {
                   const std::string* what = desk.session.history().redo_name();
                   return what != nullptr ? "Redo: " + *what : "Redo: nothing";
                 }});
  group.add({.name = "Notes",
             .act =
                 [](Desk& desk) {
                   desk.panel_open["Notes"] = true;
                   desk.focus_panel = "Notes";
                 },
             .chords = {kCtrl | kShift | ImGuiKey_N},
             .help = "notes, saved with the session",
             .while_typing = true});
  group.add({.name = "Commands",
             .act = [](Desk& desk) { desk.palette_wanted = true; },
             .chords = {kCtrl | kShift | ImGuiKey_P},
             .help = "find kernels, views and commands",
             .while_typing = true});
  group.add({.name = "Help",
             .act = [](Desk& desk) { desk.help_open = !desk.help_open; },
             .chords = {ImGuiKey_F1},
             .help = "this",
             .while_typing = true});
}

void add_kernel_commands(const Group& group, const Catalogue& catalogue) {
  group.add({.name = "Paste kernel",
             .act = [](Desk& desk) { paste_kernel(desk); },
             .chords = {kCtrl | ImGuiKey_V},
             .help = "open the kernel in the clipboard (or drop a file on the window)"});
  group.add({.name = "New kernel", .act = [](Desk& desk) { start_kernel(desk); }});
  const auto is_own = [](const Desk& desk) { return desk.bench.active().own.has_value(); };
  group.add_where(is_own, {.name = "Rename this kernel",
                           .act = [](Desk& desk) { ask_for_name_of_active(desk); },
                           .chords = {kShift | ImGuiKey_F2},
                           .help = "rename your kernel; remove it",
                           .keys = "Shift F2   Ctrl Delete"});
  group.add_where(is_own, {.name = "Remove this kernel",
                           .act =
                               [](Desk& desk) {
                                 const Variant& active = desk.bench.active();
                                 if (active.own) desk.bench.remove_own(active.own->file.path);
                               },
                           .chords = {kCtrl | ImGuiKey_Delete}});
  group.add({.name = "Edit the source / stop editing",
             .act =
                 [](Desk& desk) {
                   desk.editing = !desk.editing;
                   desk.focus_panel = "Source";
                   if (desk.editing) desk.editor.take_focus();
                 },
             .chords = {ImGuiKey_F2},
             .help = "edit the source / stop editing (Ctrl Z then undoes typing)",
             .while_typing = true});
  group.add_where(
      [](const Desk& desk) { return desk.bench.active().is_edited(); },
      {.name = "Revert the source", .act = [](Desk& desk) { desk.bench.revert_source(); }});
  group.add_where([](const Desk& desk) { return !desk.bench.may_run(desk.bench.active()); },
                  {.name = "Allow texts that came with a file to run on the GPU",
                   .act = [](Desk& desk) { desk.bench.allow_gpu(); }});
  group.add({.name = "Measure again",
             .act = [](Desk& desk) { desk.bench.measure_again(); },
             .chords = {ImGuiKey_F5},
             .help = "measure again"});
  group.add({.name = "Measure with a cold L2 / warm L2",
             .act = [](Desk& desk) { desk.bench.set_cold(!desk.bench.cold()); }});
  group.add({.name = "Read hardware counters",
             .act =
                 [](Desk& desk) {
                   desk.panel_open["Counters"] = true;
                   desk.focus_panel = "Counters";
                   desk.bench.read_counters();
                 },
             .chords = {kShift | ImGuiKey_F5},
             .help = "read the hardware counters of this launch"});
  group.add({.name = "Next error or problem",
             .act = [](Desk& desk) { go_to_problem(desk, 1); },
             .chords = {ImGuiKey_F8},
             .help = "next / previous error or problem in the source",
             .keys = "F8   Shift F8",
             .while_typing = true});
  group.add({.name = "Previous error or problem",
             .act = [](Desk& desk) { go_to_problem(desk, -1); },
             .chords = {kShift | ImGuiKey_F8},
             .while_typing = true});
  for (const CatalogueEntry& entry : catalogue.entries) {
    group.add(
        {.name = "Kernel: " + entry.id + ", " + entry.title, .act = [id = entry.id](Desk& desk) {
           if (const CatalogueEntry* chosen = desk.bench.catalogue().find(id)) {
             desk.bench.choose_kernel(*chosen);
           }
         }});
  }
}

}  // namespace

std::vector<Command> make_commands(const Catalogue& catalogue) {
  std::vector<Command> commands;
  add_session_commands({commands, CommandGroup::kSession});
  add_time_commands({commands, CommandGroup::kTime});
  add_choice_commands({commands, CommandGroup::kChoice});
  add_view_commands({commands, CommandGroup::kView});
  add_kernel_commands({commands, CommandGroup::kKernel}, catalogue);
  return commands;
}

}  // namespace tilescope
