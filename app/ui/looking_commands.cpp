#include "ui/looking_commands.h"

#include <imgui.h>

#include "ui/actions.h"
#include "ui/desk/desk.h"
#include "ui/desk/time_control.h"
#include "ui/panels/panels.h"
#include "ui/panels/parameter_slider.h"
#include "ui/source/source_editor.h"

namespace tilescope {
namespace {

constexpr float kZoomStep = 1.41421356F;

int digit(int number) { return static_cast<int>(ImGuiKey_0) + number; }

}  // namespace

void add_time_commands(const Group& group) {
  group.add({.name = "Play or pause",
             .act = [](Desk& desk) { toggle_playback(desk); },
             .chords = {ImGuiKey_Space},
             .help = "play and pause the block's time",
             .yields_to_focus = true});
  group.add({.name = "One instruction back",
             .act = [](Desk& desk) { step_events(desk, -1); },
             .chords = {ImGuiKey_Comma},
             .help = "one instruction back, on",
             .keys = ",   .",
             .repeats = true});
  group.add({.name = "One instruction on",
             .act = [](Desk& desk) { step_events(desk, 1); },
             .chords = {ImGuiKey_Period},
             .repeats = true});
  group.add({.name = "One phase back",
             .act = [](Desk& desk) { step_phases(desk, -1); },
             .chords = {kShift | ImGuiKey_Comma},
             .help = "one phase back, on",
             .keys = "Shift ,   Shift .",
             .repeats = true});
  group.add({.name = "One phase on",
             .act = [](Desk& desk) { step_phases(desk, 1); },
             .chords = {kShift | ImGuiKey_Period},
             .repeats = true});
  group.add({.name = "One k-step back",
             .act = [](Desk& desk) { step_tiles(desk, -1); },
             .chords = {ImGuiKey_PageUp},
             .help = "one k-step back, on",
             .keys = "Page Up   Page Down",
             .repeats = true});
  group.add({.name = "One k-step on",
             .act = [](Desk& desk) { step_tiles(desk, 1); },
             .chords = {ImGuiKey_PageDown},
             .repeats = true});
  group.add({.name = "Repeat from here",
             .act = [](Desk& desk) { set_loop_in(desk, desk.bench.active().selection.event); },
             .chords = {ImGuiKey_I},
             .help = "repeat from here, to here; play on",
             .keys = "I   O   L"});
  group.add({.name = "Repeat to here",
             .act = [](Desk& desk) { set_loop_out(desk, desk.bench.active().selection.event); },
             .chords = {ImGuiKey_O}});
  group.add_where(
      [](const Desk& desk) {
        const TimeMarks& marks = desk.bench.active().marks;
        return marks.loop_in || marks.loop_out;
      },
      {.name = "Repeat nothing",
       .act = [](Desk& desk) { clear_loop(desk); },
       .chords = {ImGuiKey_L}});
  for (int i = 0; i < 10; ++i) {
    group.add({.name = "Set bookmark " + std::to_string(i),
               .act = [i](Desk& desk) { set_bookmark(desk, i); },
               .chords = {kShift | digit(i)},
               .help = i == 0 ? "set a bookmark here; right click on its flag removes it" : "",
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
  group.add({.name = "Parameter: one value less",
             .act = [](Desk& desk) { step_parameter(desk, -1); },
             .chords = {ImGuiKey_LeftArrow},
             .help = "the parameter in hand: one legal value; another one",
             .keys = "Left  Right  Up  Down",
             .repeats = true,
             .yields_to_focus = true});
  group.add({.name = "Parameter: one value more",
             .act = [](Desk& desk) { step_parameter(desk, 1); },
             .chords = {ImGuiKey_RightArrow},
             .repeats = true,
             .yields_to_focus = true});
  group.add({.name = "Parameter: the one above",
             .act = [](Desk& desk) { choose_parameter(desk, -1); },
             .chords = {ImGuiKey_UpArrow},
             .yields_to_focus = true});
  group.add({.name = "Parameter: the one below",
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
      {"lane", move_lane, 0, "lane before, after", "[   ]"},
      {"warp", move_warp, kShift, "warp before, after", "Shift [   Shift ]"},
      {"block", move_block, kCtrl, "block before, after", "Ctrl [   Ctrl ]"},
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
    group.add_where(is_there, {.name = std::string("Variant ") + static_cast<char>('A' + i),
                               .act =
                                   [i, is_there](Desk& desk) {
                                     if (is_there(desk)) desk.bench.activate(i);
                                   },
                               .chords = {kAlt | digit(i + 1)},
                               .help = i == 0 ? "variant A to D; add one, close this one" : "",
                               .keys = "Alt 1 … 4   Ctrl D   Ctrl W",
                               .while_typing = true});
  }
  group.add({.name = "Add a variant",
             .act = [](Desk& desk) { desk.bench.add_variant(); },
             .chords = {kCtrl | ImGuiKey_D}});
  group.add_where([](const Desk& desk) { return desk.view == View::kCompare; },
                  {.name = "Compare: one variant alone, then the base, and back",
                   .act =
                       [](Desk& desk) {
                         if (desk.view == View::kCompare) flip_compared(desk);
                       },
                   .chords = {ImGuiKey_X},
                   .help = "compare: one variant alone, then the base, and back"});
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
                    .help = number == 1 ? "the views, in the order of their tabs" : "",
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
  group.add({.name = "Beside the source: sectors, wavefronts, executed",
             .act = [](Desk& desk) { desk.heat_column = next_of(desk.heat_column); },
             .chords = {ImGuiKey_H},
             .help = "beside the source: sectors, wavefronts, executed"});
  group.add({.name = "Source: CUDA, PTX and SASS side by side",
             .act = [](Desk& desk) { set_side_by_side(desk, !desk.source_beside); },
             .chords = {ImGuiKey_B},
             .help = "CUDA, PTX and SASS side by side"});
  group.add({.name = "Source: the next place of the chosen line",
             .act = [](Desk& desk) { desk.editor.step_places(1); },
             .chords = {ImGuiKey_N},
             .help = "in PTX and SASS: the line's next place; back",
             .keys = "N   Shift N",
             .repeats = true});
  group.add({.name = "Source: the place before",
             .act = [](Desk& desk) { desk.editor.step_places(-1); },
             .chords = {kShift | ImGuiKey_N},
             .repeats = true});
  group.add({.name = "Lecture mode",
             .act = [](Desk& desk) { desk.lecture = !desk.lecture; },
             .chords = {ImGuiKey_F11},
             .help = "lecture mode: the view alone, larger",
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
    group.add({.name = std::string("See more at the ") + way.where,
               .act = [x = way.across / 4, y = way.down / 4](Desk& desk) { move_view(desk, x, y); },
               .chords = {kAlt | way.key},
               .help = first ? "tiling, zoomed: what lies beside" : "",
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
  group.add({.name = "Text as usual",
             .act = [](Desk& desk) { scale_text(desk, 0); },
             .chords = {kCtrl | ImGuiKey_0},
             .while_typing = true});
  group.add({.name = "Reduce motion", .act = [](Desk& desk) {
               desk.preferences.reduce_motion = !desk.preferences.reduce_motion;
             }});
  group.add({.name = "Reset layout", .act = [](Desk& desk) { reset_layout(desk); }});
}

}  // namespace tilescope
