#include "ui/command_table.h"

#include <imgui.h>

#include <functional>
#include <utility>
#include <vector>

#include "kernel/catalogue/entry_words.h"
#include "scene/views.h"
#include "ui/dialogs/session_dialog.h"
#include "ui/panels/panels.h"
#include "ui/panels/parameters_panel.h"
#include "ui/source/source_editor.h"
#include "ui/state/actions.h"
#include "ui/state/commands.h"
#include "ui/state/program_offer.h"
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
  void add_where(std::function<bool(const WindowState&)> can, Command command) const {
    command.title = [name = command.name, can = std::move(can)](const WindowState& state) {
      return can(state) ? name : name + ": nothing";
    };
    add(std::move(command));
  }
};

bool no_lesson(const WindowState& state) {
  return state.learn.lesson() == nullptr && state.learn.page() == Learn::Page::kNone;
}
bool in_lesson(const WindowState& state) {
  return state.learn.lesson() != nullptr && state.learn.page() == Learn::Page::kNone;
}
// Nothing lies over the window that Escape closes first.
bool no_dialog(const WindowState& state) {
  return !state.menu_open && !state.help.open && !state.picture_export.open &&
         state.file_dialog.question == FileQuestion::kNone;
}
bool on_learn_page(const WindowState& state) {
  return state.learn.page() != Learn::Page::kNone && no_dialog(state);
}
bool only_lesson(const WindowState& state) {
  return in_lesson(state) && no_dialog(state) && !state.mark_focus.view &&
         !(state.lecture && state.aids.covers());
}

bool in_exercise(const WindowState& state) {
  return state.practice.exercise() != nullptr && state.learn.page() == Learn::Page::kNone;
}
bool only_exercise(const WindowState& state) {
  return in_exercise(state) && no_dialog(state) && !state.mark_focus.view;
}

bool in_lecture(const WindowState& state) {
  return state.lecture && state.learn.page() == Learn::Page::kNone;
}
bool presents(const WindowState& state) {
  return state.presentation.presents() && state.learn.page() == Learn::Page::kNone;
}
// Of a scene or of a step of a lesson there are notes.
bool has_speaker(const WindowState& state) {
  return presents(state) ||
         (state.learn.lesson() != nullptr && state.learn.page() == Learn::Page::kNone);
}
bool has_scenes(const WindowState& state) { return !state.presentation.scenes().empty(); }
// Its pages are scenes.
bool turns_scenes(const WindowState& state) {
  return in_lecture(state) && state.learn.lesson() == nullptr && has_scenes(state);
}
bool edits_scenes(const WindowState& state) { return no_lesson(state) && !state.lecture; }
bool edits_a_scene(const WindowState& state) { return edits_scenes(state) && has_scenes(state); }
bool is_covered(const WindowState& state) { return in_lecture(state) && state.aids.covers(); }
bool only_presents(const WindowState& state) {
  return presents(state) && no_dialog(state) && !state.mark_focus.view && !is_covered(state);
}
bool has_overlays(const WindowState& state) {
  return in_lecture(state) && state.learn.lesson() == nullptr;
}
void toggle_overlay(WindowState& state, LectureAids::Overlay overlay) {
  state.aids.overlay = state.aids.overlay == overlay ? LectureAids::Overlay::kNone : overlay;
}

bool turns_time(const WindowState& state) { return no_lesson(state) && !turns_scenes(state); }

// All of them, the source among them.
bool shows_panels(const WindowState& state) {
  return !state.lecture && state.learn.page() == Learn::Page::kNone;
}

constexpr float kZoomStep = 1.41421356F;

// What a search finds a kernel by beside its name.
std::string words_about(const CatalogueEntry& entry) {
  std::string words = entry.idea;
  for (const Watch& watch : entry.watch) words += " " + place_of(watch) + " " + watch.words;
  for (const ParameterSpec& parameter : entry.parameters) {
    words += " " + parameter.name + " " + parameter.meaning;
  }
  for (const std::string& seed : entry.seeds) words += " " + seed;
  return words;
}

// Likewise a view.
std::string words_about(const Panel& panel) {
  std::string words = panel.purpose;
  for (const ViewSetting& setting : descriptor_of(*panel.view).settings) {
    words += " " + std::string(setting.name);
  }
  return words;
}

int digit(int number) { return static_cast<int>(ImGuiKey_0) + number; }

// What a person looks at: time, the selection and the parameters, the view in front.
void add_time_commands(const Group& group) {
  group.add({.name = "Play or pause",
             .act = [](WindowState& state) { toggle_playback(state); },
             .chords = {ImGuiKey_Space},
             .help = "play or pause the block's time",
             .yields_to_focus = true});
  group.add({.name = "One instruction back",
             .act = [](WindowState& state) { step_events(state, -1); },
             .chords = {ImGuiKey_Comma},
             .help = "one instruction back / forward",
             .keys = ",   .",
             .repeats = true});
  group.add({.name = "One instruction forward",
             .act = [](WindowState& state) { step_events(state, 1); },
             .chords = {ImGuiKey_Period},
             .repeats = true,
             .keys_when =
                 [](const WindowState& state) {
                   return state.learn.page() == Learn::Page::kNone && !presents(state);
                 }});
  group.add({.name = "One memory access forward",
             .act = [](WindowState& state) { step_accesses(state, 1); },
             .chords = {ImGuiKey_M},
             .help = "next / previous memory access",
             .keys = "M   Shift M",
             .repeats = true});
  group.add({.name = "One memory access back",
             .act = [](WindowState& state) { step_accesses(state, -1); },
             .chords = {kShift | ImGuiKey_M},
             .repeats = true});
  group.add({.name = "Play: memory accesses / every instruction", .act = [](WindowState& state) {
               state.playback.by_access = !state.playback.by_access;
             }});
  group.add({.name = "One phase back",
             .act = [](WindowState& state) { step_phases(state, -1); },
             .chords = {kShift | ImGuiKey_Comma},
             .help = "one phase back / forward",
             .keys = "Shift ,   Shift .",
             .repeats = true});
  group.add({.name = "One phase forward",
             .act = [](WindowState& state) { step_phases(state, 1); },
             .chords = {kShift | ImGuiKey_Period},
             .repeats = true});
  group.add({.name = "One loop step back",
             .act = [](WindowState& state) { step_tiles(state, -1); },
             .chords = {ImGuiKey_PageUp},
             .help = "one loop step (k) back / forward",
             .keys = "Page Up   Page Down",
             .repeats = true,
             .keys_when = turns_time});
  group.add({.name = "One loop step forward",
             .act = [](WindowState& state) { step_tiles(state, 1); },
             .chords = {ImGuiKey_PageDown},
             .repeats = true,
             .keys_when = turns_time});
  group.add(
      {.name = "Repeat from here",
       .act =
           [](WindowState& state) { set_loop_in(state, state.workbench.active().selection.event); },
       .chords = {ImGuiKey_I},
       .help = "repeat from here / to here; stop repeating",
       .keys = "I   O   L"});
  group.add({.name = "Repeat to here",
             .act =
                 [](WindowState& state) {
                   set_loop_out(state, state.workbench.active().selection.event);
                 },
             .chords = {ImGuiKey_O}});
  group.add_where(
      [](const WindowState& state) {
        const TimeMarks& marks = state.workbench.active().marks;
        return marks.loop_in || marks.loop_out;
      },
      {.name = "Stop repeating",
       .act = [](WindowState& state) { clear_loop(state); },
       .chords = {ImGuiKey_L}});
  for (int i = 0; i < 10; ++i) {
    group.add({.name = "Set bookmark " + std::to_string(i),
               .act = [i](WindowState& state) { set_bookmark(state, i); },
               .chords = {kShift | digit(i)},
               .help = i == 0 ? "set a bookmark here (right-click its flag to remove it)" : "",
               .keys = "Shift 0 … 9"});
  }
  for (int i = 0; i < 10; ++i) {
    const auto is_set = [i](const WindowState& state) {
      return state.workbench.active().marks.bookmarks[static_cast<std::size_t>(i)].has_value();
    };
    group.add_where(is_set, {.name = "Go to bookmark " + std::to_string(i),
                             .act = [i](WindowState& state) { go_to_bookmark(state, i); },
                             .chords = {digit(i)},
                             .help = i == 0 ? "go to the bookmark" : "",
                             .keys = "0 … 9",
                             .keys_when = no_lesson});
    group.add_where(is_set, {.name = "Remove bookmark " + std::to_string(i),
                             .act = [i](WindowState& state) { remove_bookmark(state, i); }});
  }
}

void add_choice_commands(const Group& group) {
  group.add({.name = "Parameter: previous value",
             .act = [](WindowState& state) { step_parameter(state, -1); },
             .chords = {ImGuiKey_LeftArrow},
             .help = "previous / next value; select a parameter",
             .keys = "Left  Right  Up  Down",
             .repeats = true,
             .yields_to_focus = true});
  group.add({.name = "Parameter: next value",
             .act = [](WindowState& state) { step_parameter(state, 1); },
             .chords = {ImGuiKey_RightArrow},
             .repeats = true,
             .yields_to_focus = true});
  group.add({.name = "Parameter: select the one above",
             .act = [](WindowState& state) { choose_parameter(state, -1); },
             .chords = {ImGuiKey_UpArrow},
             .yields_to_focus = true});
  group.add({.name = "Parameter: select the one below",
             .act = [](WindowState& state) { choose_parameter(state, 1); },
             .chords = {ImGuiKey_DownArrow},
             .yields_to_focus = true});
  group.add({.name = "Reset parameters",
             .act = [](WindowState& state) { state.workbench.reset_parameters(); }});
  group.add({.name = "Alpha 1 and beta 0: C is not read", .act = [](WindowState& state) {
               choose_factors(state, {{"alpha", 1}, {"beta", 0}});
             }});
  group.add({.name = "Beta 1: C is read and added to", .act = [](WindowState& state) {
               choose_factors(state, {{"beta", 1}});
             }});
  const struct {
    const char* what;
    void (*move)(WindowState&, int);
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
               .act = [go = move.move](WindowState& state) { go(state, -1); },
               .chords = {move.modifiers | ImGuiKey_LeftBracket},
               .help = move.help,
               .keys = move.keys,
               .repeats = true});
    group.add({.name = std::string("The ") + move.what + " after",
               .act = [go = move.move](WindowState& state) { go(state, 1); },
               .chords = {move.modifiers | ImGuiKey_RightBracket},
               .repeats = true});
  }
  for (int i = 0; i < static_cast<int>(kMostDocumentVariants); ++i) {
    const auto is_there = [i](const WindowState& state) {
      return i < static_cast<int>(state.workbench.variants().size());
    };
    group.add_where(is_there,
                    {.name = std::string("Variant ") + static_cast<char>('A' + i),
                     .act =
                         [i, is_there](WindowState& state) {
                           if (is_there(state)) state.workbench.activate(i);
                         },
                     .chords = {kAlt | digit(i + 1)},
                     .help = i == 0 ? "variant A to D; add a variant, close this one" : "",
                     .keys = "Alt 1 … 4   Ctrl D   Ctrl W",
                     .while_typing = true});
  }
  group.add({.name = "Add a variant",
             .act = [](WindowState& state) { state.workbench.add_variant(); },
             .chords = {kCtrl | ImGuiKey_D}});
  group.add({.name = "Compare with another GPU",
             .act =
                 [](WindowState& state) {
                   compare_gpus(state.workbench);
                   state.raise = View::kCompare;
                 },
             .more = "device worker variant side by side"});
  group.add_where([](const WindowState& state) { return descriptor_of(state.view).needs.variants; },
                  {.name = "Compare: show one variant, then the base, and back",
                   .act =
                       [](WindowState& state) {
                         if (descriptor_of(state.view).needs.variants) flip_compared(state);
                       },
                   .chords = {ImGuiKey_X},
                   .help = "compare: show one variant, then the base, and back"});
  group.add_where([](const WindowState& state) { return state.workbench.variants().size() > 1; },
                  {.name = "Close this variant",
                   .act =
                       [](WindowState& state) {
                         state.workbench.close_variant(state.workbench.active_index());
                       },
                   .chords = {kCtrl | ImGuiKey_W}});
}

void add_view_commands(const Group& group) {
  int number = 0;
  for (const Panel& panel : all_panels()) {
    if (!panel.view) continue;
    ++number;
    Command command{.name = std::string("View: ") + panel.title,
                    .act = [view = *panel.view](WindowState& state) { state.raise = view; },
                    .help = number == 1 ? "views, in the order of the tabs" : "",
                    .keys = "Ctrl 1 … 9",
                    .while_typing = true,
                    .more = words_about(panel)};
    if (number < 10) command.chords = {kCtrl | digit(number)};
    group.add(std::move(command));
  }
  for (const Panel& panel : all_panels()) {
    group.add({.name = std::string("Panel: ") + panel.title + ", open or close",
               .act = [title = std::string(panel.title)](WindowState& state) {
                 state.panel_open[title] = !state.panel_open[title];
               }});
  }
  for (const Theme theme : {Theme::kDark, Theme::kLight, Theme::kPaper}) {
    group.add({.name = "Theme: " + std::string(name_of(theme)),
               .act = [theme](WindowState& state) { state.preferences.theme = theme; }});
  }
  group.add({.name = "Source column: sectors, wavefronts, executed",
             .act = [](WindowState& state) { state.heat_column = next_of(state.heat_column); },
             .chords = {ImGuiKey_H},
             .help = "column beside the source: sectors, wavefronts, executed",
             .keys_when = shows_panels});
  group.add({.name = "Source: CUDA, PTX and SASS side by side",
             .act = [](WindowState& state) { set_side_by_side(state, !state.source_beside); },
             .chords = {ImGuiKey_B},
             .help = "CUDA, PTX and SASS side by side",
             .keys_when = shows_panels});
  group.add({.name = "Source: next place of the selected line",
             .act = [](WindowState& state) { state.editor.step_places(1); },
             .chords = {ImGuiKey_N},
             .help = "PTX and SASS: next / previous place of the line",
             .keys = "N   Shift N",
             .repeats = true});
  group.add({.name = "Source: previous place of the selected line",
             .act = [](WindowState& state) { state.editor.step_places(-1); },
             .chords = {kShift | ImGuiKey_N},
             .repeats = true});
  group.add({.name = "Zoom in",
             .act = [](WindowState& state) { zoom_view(state, kZoomStep); },
             .chords = {ImGuiKey_Equal, ImGuiKey_KeypadAdd, kShift | ImGuiKey_Equal},
             .help = "tiling, pipeline: zoom in, out, show all",
             .keys = "+   -   Home",
             .repeats = true});
  group.add({.name = "Zoom out",
             .act = [](WindowState& state) { zoom_view(state, 1 / kZoomStep); },
             .chords = {ImGuiKey_Minus, ImGuiKey_KeypadSubtract},
             .repeats = true});
  group.add({.name = "Show all",
             .act = [](WindowState& state) { zoom_view(state, 0); },
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
               .act = [x = way.across / 4,
                       y = way.down / 4](WindowState& state) { move_view(state, x, y); },
               .chords = {kAlt | way.key},
               .help = first ? "when zoomed: move" : "",
               .keys = "Alt Left  Right  Up  Down",
               .repeats = true});
  }
  group.add({.name = "Text larger",
             .act = [](WindowState& state) { scale_text(state, 1.1F); },
             .chords = {kCtrl | ImGuiKey_Equal, kCtrl | ImGuiKey_KeypadAdd,
                        kCtrl | kShift | ImGuiKey_Equal},
             .help = "size of text and everything else",
             .keys = "Ctrl +   Ctrl -   Ctrl 0",
             .while_typing = true});
  group.add({.name = "Text smaller",
             .act = [](WindowState& state) { scale_text(state, 1 / 1.1F); },
             .chords = {kCtrl | ImGuiKey_Minus, kCtrl | ImGuiKey_KeypadSubtract},
             .while_typing = true});
  group.add({.name = "Text size: default",
             .act = [](WindowState& state) { scale_text(state, 0); },
             .chords = {kCtrl | ImGuiKey_0},
             .while_typing = true});
  group.add({.name = "Reduce motion", .act = [](WindowState& state) {
               state.preferences.reduce_motion = !state.preferences.reduce_motion;
             }});
  group.add({.name = "Reset layout", .act = [](WindowState& state) { reset_layout(state); }});
}

void add_exercise_commands(const Group& group) {
  group.add_where(in_exercise, {.name = "Exercise: leave",
                                .act = [](WindowState& state) { state.practice.leave(state); },
                                .chords = {ImGuiKey_Escape},
                                .keys_when = only_exercise});
  group.add_where(in_exercise, {.name = "Exercise: next hint", .act = [](WindowState& state) {
                                  state.practice.show_next_hint(state);
                                }});
  group.add_where(in_exercise, {.name = "Exercise: the next one",
                                .act = [](WindowState& state) { state.practice.next(state); }});
}

void add_lesson_commands(const Group& group) {
  group.add({.name = "Learn: the lessons",
             .act = [](WindowState& state) { state.learn.show_page(Learn::Page::kLessons); },
             .chords = {kCtrl | ImGuiKey_L},
             .help = "the lessons",
             .while_typing = true,
             .more = "tutorial course lesson teach beginner"});
  group.add({.name = "Learn: the exercises",
             .act = [](WindowState& state) { state.learn.show_page(Learn::Page::kExercises); },
             .more = "practice homework rustlings task"});
  group.add_where(on_learn_page,
                  {.name = "Learn: close the page",
                   .act = [](WindowState& state) { state.learn.show_page(Learn::Page::kNone); },
                   .chords = {ImGuiKey_Escape},
                   .keys_when = on_learn_page});
  group.add({.name = "Start page",
             .act = [](WindowState& state) { state.learn.show_page(Learn::Page::kStart); },
             .more = "welcome first doors"});
  group.add_where(in_lesson, {.name = "Lesson: next step",
                              .act = [](WindowState& state) { state.learn.turn(state, 1); },
                              .chords = {ImGuiKey_PageDown},
                              .help = "in a lesson: next / previous step; leave it",
                              .keys = "Page Down  Up   Esc",
                              .keys_when = in_lesson});
  group.add_where(in_lesson, {.name = "Lesson: previous step",
                              .act = [](WindowState& state) { state.learn.turn(state, -1); },
                              .chords = {ImGuiKey_PageUp},
                              .keys_when = in_lesson});
  group.add_where(in_lesson, {.name = "Lesson: leave",
                              .act = [](WindowState& state) { state.learn.leave(state); },
                              .chords = {ImGuiKey_Escape},
                              .keys_when = only_lesson});
  group.add_where(
      in_lesson,
      {.name = "Lesson: speaker's notes",
       .act = [](WindowState& state) { state.learn.toggle_notes(); },
       .chords = {kAlt | ImGuiKey_N},
       .help = "in a lesson: speaker's notes",
       .keys_when = [](const WindowState& state) { return in_lesson(state) && !state.lecture; }});
  for (int i = 1; i < 10; ++i) {
    group.add_where([](const WindowState& state) { return state.learn.asks(); },
                    {.name = "Lesson: answer " + std::to_string(i),
                     .act =
                         [i](WindowState& state) {
                           state.learn.choose(state, static_cast<std::size_t>(i) - 1);
                         },
                     .chords = {digit(i)},
                     .help = i == 1 ? "in a lesson: answer the question" : "",
                     .keys = "1 … 9",
                     .keys_when = in_lesson});
  }
}

void add_scene_commands(const Group& group) {
  group.add({.name = "Scene: add what is on screen",
             .act = [](WindowState& state) { state.presentation.add(state); },
             .chords = {ImGuiKey_A},
             .help = "add what is on screen as a scene / replace the selected one",
             .keys = "A   Shift A",
             .keys_when = edits_scenes,
             .more = "lecture presentation slide talk"});
  group.add({.name = "Scene: add each kernel of this family",
             .act = [](WindowState& state) { state.presentation.add_family(state); },
             .more = "lecture presentation ladder filmstrip steps"});
  group.add_where(edits_a_scene,
                  {.name = "Scene: replace by what is on screen",
                   .act = [](WindowState& state) { state.presentation.replace(state); },
                   .chords = {kShift | ImGuiKey_A},
                   .keys_when = edits_a_scene});
  group.add_where(edits_a_scene, {.name = "Scene: rename",
                                  .act = [](WindowState& state) { rename_scene(state); },
                                  .chords = {ImGuiKey_R},
                                  .help = "rename the selected scene / write its note",
                                  .keys = "R   Shift R",
                                  .keys_when = edits_a_scene});
  group.add_where(edits_a_scene, {.name = "Scene: write its note",
                                  .act = [](WindowState& state) { write_scene_note(state); },
                                  .chords = {kShift | ImGuiKey_R},
                                  .keys_when = edits_a_scene});
  group.add_where(edits_a_scene, {.name = "Scene: up",
                                  .act = [](WindowState& state) { state.presentation.move(-1); },
                                  .more = "move before"});
  group.add_where(edits_a_scene, {.name = "Scene: down",
                                  .act = [](WindowState& state) { state.presentation.move(1); },
                                  .more = "move behind"});
  group.add_where(edits_a_scene, {.name = "Scene: remove",
                                  .act = [](WindowState& state) { state.presentation.remove(); }});
}

void add_lecture_commands(const Group& group) {
  group.add({.name = "Lecture mode",
             .act = [](WindowState& state) { set_lecture(state, !state.lecture); },
             .chords = {ImGuiKey_F11},
             .help = "lecture mode: the scenes, else the view, larger",
             .while_typing = true});
  group.add_where(turns_scenes, {.name = "Lecture: next scene",
                                 .act =
                                     [](WindowState& state) {
                                       if (!presents(state)) {
                                         set_lecture(state, true);
                                       } else {
                                         state.presentation.turn(state, 1);
                                       }
                                     },
                                 .chords = {ImGuiKey_PageDown},
                                 .help = "next / previous scene; end, your own comes back",
                                 .keys = "Page Down  Up   Esc",
                                 .keys_when = turns_scenes});
  group.add_where(turns_scenes,
                  {.name = "Lecture: previous scene",
                   .act = [](WindowState& state) { state.presentation.turn(state, -1); },
                   .chords = {ImGuiKey_PageUp},
                   .keys_when = turns_scenes});
  group.add_where(presents, {.name = "Lecture: leave",
                             .act = [](WindowState& state) { state.presentation.leave(state); },
                             .chords = {ImGuiKey_Escape},
                             .keys_when = only_presents});
  group.add_where(
      has_speaker,
      {.name = "Lecture: speaker's window",
       .act = [](WindowState& state) { state.shows_presenter = !state.shows_presenter; },
       .chords = {kAlt | ImGuiKey_N},
       .keys_when =
           [](const WindowState& state) {
             return has_speaker(state) && (presents(state) || state.lecture);
           },
       .more = "presenter notes second screen"});
  group.add_where(in_lecture,
                  {.name = "Lecture: blank screen",
                   .act = [](WindowState& state) { state.aids.blank = !state.aids.blank; },
                   .chords = {ImGuiKey_B},
                   .help = "blank screen, spotlight, pen, erase",
                   .keys = "B   S   P   E",
                   .keys_when = in_lecture});
  group.add_where(presents,
                  {.name = "Lecture: blank screen by a remote",
                   .act = [](WindowState& state) { state.aids.blank = !state.aids.blank; },
                   .chords = {ImGuiKey_Period},
                   .keys_when = presents});
  group.add_where(in_lecture,
                  {.name = "Lecture: spotlight",
                   .act = [](WindowState& state) { state.aids.spotlight = !state.aids.spotlight; },
                   .chords = {ImGuiKey_S},
                   .keys_when = in_lecture});
  group.add_where(in_lecture, {.name = "Lecture: pen",
                               .act = [](WindowState& state) { state.aids.pen = !state.aids.pen; },
                               .chords = {ImGuiKey_P},
                               .keys_when = in_lecture});
  group.add_where(in_lecture, {.name = "Lecture: erase",
                               .act = [](WindowState& state) { state.aids.strokes.clear(); },
                               .chords = {ImGuiKey_E},
                               .keys_when = in_lecture});
  group.add_where(
      has_overlays,
      {.name = "Lecture: kernels",
       .act = [](WindowState& state) { toggle_overlay(state, LectureAids::Overlay::kKernels); },
       .chords = {ImGuiKey_K},
       .help = "kernels, charts over the view; speaker's window",
       .keys = "K   C   Alt N",
       .keys_when = has_overlays});
  group.add_where(
      has_overlays,
      {.name = "Lecture: charts",
       .act = [](WindowState& state) { toggle_overlay(state, LectureAids::Overlay::kCharts); },
       .chords = {ImGuiKey_C},
       .keys_when = has_overlays});
  group.add_where(is_covered, {.name = "Lecture: clear the view",
                               .act = [](WindowState& state) { state.aids = {}; },
                               .chords = {ImGuiKey_Escape},
                               .keys_when =
                                   [](const WindowState& state) {
                                     return is_covered(state) && no_dialog(state) &&
                                            !state.mark_focus.view;
                                   }});
}

void add_session_commands(const Group& group) {
  group.add({.name = "New session",
             .act = [](WindowState& state) { state.session.make_new(state); },
             .chords = {kCtrl | ImGuiKey_N},
             .help = "new session, open one or a kernel, save, save as",
             .keys = "Ctrl N  O  S  Shift S",
             .while_typing = true});
  group.add({.name = "Open …",
             .act = [](WindowState& state) { ask_for_file(state, FileQuestion::kOpen); },
             .chords = {kCtrl | ImGuiKey_O},
             .while_typing = true});
  group.add({.name = "Save",
             .act =
                 [](WindowState& state) {
                   if (state.session.path().empty()) {
                     ask_for_file(state, FileQuestion::kSave);
                   } else {
                     state.session.save(state, state.session.path());
                   }
                 },
             .chords = {kCtrl | ImGuiKey_S},
             .while_typing = true});
  group.add({.name = "Save as …",
             .act = [](WindowState& state) { ask_for_file(state, FileQuestion::kSave); },
             .chords = {kCtrl | kShift | ImGuiKey_S},
             .while_typing = true});
  group.add({.name = "Export this view …",
             .act = [](WindowState& state) { open_picture_export(state); },
             .chords = {kCtrl | ImGuiKey_E},
             .help = "save this view or a chart as a file",
             .keys = "Ctrl E   Ctrl Shift E",
             .while_typing = true});
  group.add({.name = "Export a chart …",
             .act =
                 [](WindowState& state) {
                   open_picture_export(state, PictureExport::Subject::kOverParameter);
                 },
             .chords = {kCtrl | kShift | ImGuiKey_E},
             .while_typing = true});
  group.add(
      {.name = "Export the source …",
       .act =
           [](WindowState& state) { open_picture_export(state, PictureExport::Subject::kSource); },
       .chords = {kCtrl | kAlt | ImGuiKey_E},
       .help = "save the source or the counters as a file",
       .keys = "Ctrl Alt E   Ctrl Alt C",
       .while_typing = true});
  group.add({.name = "Export the counters …",
             .act =
                 [](WindowState& state) {
                   open_picture_export(state, PictureExport::Subject::kCounters);
                 },
             .chords = {kCtrl | kAlt | ImGuiKey_C},
             .while_typing = true});
  group.add({.name = "Export the tuner …", .act = [](WindowState& state) {
               open_picture_export(state, PictureExport::Subject::kTuner);
             }});
  group.add({.name = "Undo",
             .act = [](WindowState& state) { state.session.undo(state); },
             .chords = {kCtrl | ImGuiKey_Z},
             .help = "undo, redo",
             .keys = "Ctrl Z   Ctrl Y",
             .repeats = true,
             .title =
                 [](const WindowState& state) {
                   const std::string* what = state.session.history().undo_name();
                   return what != nullptr ? "Undo: " + *what : "Undo: nothing";
                 }});
  group.add({.name = "Redo",
             .act = [](WindowState& state) { state.session.redo(state); },
             .chords = {kCtrl | ImGuiKey_Y, kCtrl | kShift | ImGuiKey_Z},
             .repeats = true,
             .title =
                 [](const WindowState& state) {
                   const std::string* what = state.session.history().redo_name();
                   return what != nullptr ? "Redo: " + *what : "Redo: nothing";
                 }});
  group.add({.name = "Notes",
             .act =
                 [](WindowState& state) {
                   state.panel_open["Notes"] = true;
                   state.focus_panel = "Notes";
                 },
             .chords = {kCtrl | kShift | ImGuiKey_N},
             .help = "notes, saved with the session",
             .while_typing = true});
  group.add({.name = "Commands",
             .act = [](WindowState& state) { state.palette_wanted = true; },
             .chords = {kCtrl | kShift | ImGuiKey_P},
             .help = "find kernels, views, terms and commands",
             .while_typing = true});
  group.add({.name = "Help",
             .act = [](WindowState& state) { toggle_help(state); },
             .chords = {ImGuiKey_F1},
             .help = "this; over a counter, or in a lesson: what the term means",
             .while_typing = true});
  group.add({.name = "Help: keys", .act = [](WindowState& state) {
               state.help.tab = HelpState::Tab::kKeys;
               open_help(state);
             }});
}

void add_kernel_commands(const Group& group, const Catalogue& catalogue) {
  group.add({.name = "Paste kernel",
             .act = [](WindowState& state) { paste_kernel(state); },
             .chords = {kCtrl | ImGuiKey_V},
             .help = "open the kernel in the clipboard (or drop a file)"});
  group.add_where(
      [](const WindowState& state) {
        return !state.program_offer.file.empty() && !state.workbench.program().running();
      },
      {.name = "Run the program and take its launches",
       .act = [](WindowState& state) { run_program(state); }});
  group.add({.name = "New kernel", .act = [](WindowState& state) { start_kernel(state); }});
  const auto is_own = [](const WindowState& state) {
    return state.workbench.active().own.has_value();
  };
  group.add_where(is_own, {.name = "Rename this kernel",
                           .act = [](WindowState& state) { ask_for_name_of_active(state); },
                           .chords = {kShift | ImGuiKey_F2},
                           .help = "rename your kernel; remove it",
                           .keys = "Shift F2   Ctrl Delete"});
  group.add_where(is_own, {.name = "Remove this kernel",
                           .act =
                               [](WindowState& state) {
                                 const Variant& active = state.workbench.active();
                                 if (active.own) state.workbench.remove_own(active.own->file.path);
                               },
                           .chords = {kCtrl | ImGuiKey_Delete}});
  group.add({.name = "Edit the source / stop editing",
             .act =
                 [](WindowState& state) {
                   state.editing = !state.editing;
                   state.focus_panel = "Source";
                   if (state.editing) state.editor.take_focus();
                 },
             .chords = {ImGuiKey_F2},
             .help = "edit the source / stop editing (Ctrl Z then undoes typing)",
             .while_typing = true});
  group.add_where([](const WindowState& state) { return state.workbench.active().is_edited(); },
                  {.name = "Revert the source",
                   .act = [](WindowState& state) { state.workbench.revert_source(); }});
  group.add_where(
      [](const WindowState& state) { return !state.workbench.may_run(state.workbench.active()); },
      {.name = "Allow texts that came with a file to run on the GPU",
       .act = [](WindowState& state) { state.workbench.allow_gpu(); }});
  group.add({.name = "Measure again",
             .act = [](WindowState& state) { state.workbench.measure_again(); },
             .chords = {ImGuiKey_F5},
             .help = "measure again"});
  group.add({.name = "Measure with a cold L2 / warm L2", .act = [](WindowState& state) {
               state.workbench.set_cold(!state.workbench.runs().cold());
             }});
  group.add({.name = "Read hardware counters",
             .act =
                 [](WindowState& state) {
                   state.panel_open["Counters"] = true;
                   state.focus_panel = "Counters";
                   state.workbench.read_counters();
                 },
             .chords = {kShift | ImGuiKey_F5},
             .help = "read the hardware counters of this launch"});
  group.add({.name = "Next error or problem",
             .act = [](WindowState& state) { go_to_problem(state, 1); },
             .chords = {ImGuiKey_F8},
             .help = "next / previous error or problem in the source",
             .keys = "F8   Shift F8",
             .while_typing = true});
  group.add({.name = "Previous error or problem",
             .act = [](WindowState& state) { go_to_problem(state, -1); },
             .chords = {kShift | ImGuiKey_F8},
             .while_typing = true});
  for (const CatalogueEntry& entry : catalogue.entries) {
    group.add({.name = "Kernel: " + entry.id + ", " + entry.title,
               .act =
                   [id = entry.id](WindowState& state) {
                     if (const CatalogueEntry* chosen = state.workbench.catalogue().find(id)) {
                       state.workbench.choose_kernel(*chosen);
                     }
                   },
               .more = words_about(entry)});
  }
}

}  // namespace

std::vector<Command> make_commands(const Catalogue& catalogue) {
  std::vector<Command> commands;
  add_session_commands({commands, CommandGroup::kSession});
  add_lesson_commands({commands, CommandGroup::kLesson});
  add_exercise_commands({commands, CommandGroup::kLesson});
  add_scene_commands({commands, CommandGroup::kLecture});
  add_lecture_commands({commands, CommandGroup::kLecture});
  add_time_commands({commands, CommandGroup::kTime});
  add_choice_commands({commands, CommandGroup::kChoice});
  add_view_commands({commands, CommandGroup::kView});
  add_kernel_commands({commands, CommandGroup::kKernel}, catalogue);
  return commands;
}

}  // namespace tilescope
