#include "ui/panels/transport_panel.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "scene/view/time_strip.h"
#include "ui/drawing/cell_renderer.h"
#include "ui/state/layout.h"
#include "ui/state/panel_surface.h"
#include "ui/state/time_control.h"

namespace tilescope {
namespace {

constexpr std::array kSpeeds{0.25F, 0.5F, 1.0F, 2.0F, 4.0F, 8.0F};

// A triangle pointing to `direction`, 1 or -1.
void triangle(PanelSurface& surface, Point center, float size, float direction, Paint ink) {
  const float half = size / 2;
  const std::array<Point, 3> points{Point{center.x - half * direction, center.y - half},
                                    Point{center.x + half * direction, center.y},
                                    Point{center.x - half * direction, center.y + half}};
  surface.canvas().fill_polygon(points, ink);
}

enum class Icon { kTileBack, kPhaseBack, kBack, kOn, kPhaseOn, kTileOn };

bool icon_button(PanelSurface& surface, const char* id, Point center, Icon icon,
                 const char* meaning) {
  const Rect rect{center.x - 12, center.y - 13, 24, 26};
  const Touch touch = surface.control(id, rect);
  if (touch.hovered) surface.canvas().fill_rect(rect, ColourRole::kHover, 6);
  const Paint ink = touch.hovered ? ColourRole::kStrong : ColourRole::kText;
  const float direction = icon <= Icon::kBack ? -1.0F : 1.0F;
  if (icon == Icon::kTileBack || icon == Icon::kTileOn) {
    triangle(surface, {center.x - 4, center.y}, 9, direction, ink);
    triangle(surface, {center.x + 4, center.y}, 9, direction, ink);
  } else if (icon == Icon::kPhaseBack || icon == Icon::kPhaseOn) {
    triangle(surface, {center.x - direction, center.y}, 9, direction, ink);
    surface.canvas().fill_rect({center.x + 5 * direction - 1, center.y - 5, 2, 10}, ink, 0);
  } else {
    triangle(surface, {center.x + direction, center.y}, 9, direction, ink);
    surface.canvas().fill_rect({center.x - 6 * direction - 1, center.y - 5, 2, 10}, ink, 0);
  }
  surface.explain(rect, meaning);
  return touch.clicked;
}

void play_button(PanelSurface& surface, Point center) {
  WindowState& state = surface.state();
  constexpr float kRadius = 15;
  const Touch touch =
      surface.control("play", {center.x - kRadius, center.y - kRadius, 2 * kRadius, 2 * kRadius},
                      state.playback.playing ? "Pause (Space)" : "Play (Space)");
  surface.canvas().fill_circle(center, touch.hovered ? kRadius + 1 : kRadius, ColourRole::kFirst);
  const Paint ink = text_on(ColourRole::kFirst, state.theme());
  if (state.playback.playing) {
    surface.canvas().fill_rect({center.x - 5, center.y - 6, 3.5F, 12}, ink, 1);
    surface.canvas().fill_rect({center.x + 1.5F, center.y - 6, 3.5F, 12}, ink, 1);
  } else {
    triangle(surface, {center.x + 1.5F, center.y}, 12, 1, ink);
  }
  if (touch.clicked) toggle_playback(state);
}

std::string moment_words(const Variant& variant, std::uint32_t event) {
  const MomentWords words = describe_moment(variant, event);
  return words.where + ", " + words.what;
}

// Flags below the strip: a click goes there, a right click takes the bookmark away.
void touch_flags(PanelSurface& surface, const TimeStripLayout& layout, const Variant& variant) {
  WindowState& state = surface.state();
  for (const TimeStripLayout::Flag& flag : layout.flags) {
    const std::string number = std::to_string(flag.number);
    const Touch touch = surface.control(("bookmark " + number).c_str(), flag.box);
    const std::uint32_t event = *variant.marks.bookmarks[static_cast<std::size_t>(flag.number)];
    surface.explain(flag.box, "Bookmark " + number + ": " + moment_words(variant, event) +
                                  ". Click or press " + number +
                                  " to go there, right-click to remove it.");
    if (touch.clicked) go_to_bookmark(state, flag.number);
    if (touch.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
      remove_bookmark(state, flag.number);
    }
  }
}

void touch_loop(PanelSurface& surface, const TimeStripLayout& layout, const TimeMarks& marks) {
  if (layout.loop.w <= 0) return;
  const Touch touch = surface.control("loop", layout.loop);
  if (touch.hovered) surface.canvas().stroke_rect(layout.loop.inset(-1), ColourRole::kStrong, 1, 0);
  surface.explain(layout.loop, "Playing repeats instructions " +
                                   format_count(std::uint64_t{*marks.loop_in} + 1) + " to " +
                                   format_count(std::uint64_t{*marks.loop_out} + 1) +
                                   ". Click to stop repeating.");
  if (touch.clicked) clear_loop(surface.state());
}

// Dragging moves time; with Shift it chooses the stretch that playing repeats.
void scrub(PanelSurface& surface, const Rect& strip, const TimeStripLayout& layout) {
  const Touch touch = surface.control("time", {strip.x, strip.y - 6, strip.w, strip.h + 12});
  if (!touch.held) return;
  WindowState& state = surface.state();
  const ImGuiIO& io = ImGui::GetIO();
  const auto event_under = [&](const ImVec2& mouse) {
    return layout.event_at(surface.units({mouse.x, mouse.y}).x);
  };
  if (!io.KeyShift) {
    go_to_own_event(state, event_under(io.MousePos));
    return;
  }
  if (!ImGui::IsMouseDragging(ImGuiMouseButton_Left, 3)) return;
  const std::uint32_t from = event_under(io.MouseClickedPos[ImGuiMouseButton_Left]);
  const std::uint32_t to = event_under(io.MousePos);
  clear_loop(state);
  set_loop_in(state, std::min(from, to));
  set_loop_out(state, std::max(from, to));
}

void draw_speed(PanelSurface& surface, float right, float y) {
  Playback& playback = surface.state().playback;
  const Rect rect{right - 76, y - 12, 76, 24};
  const Touch touch = surface.control(
      "speed", rect,
      playback.by_access ? "Playing goes from one memory access to the next. Click: speed, or "
                           "every instruction."
                         : "Playing goes through every instruction. Click: speed, or memory "
                           "accesses alone.");
  if (touch.hovered) surface.canvas().fill_rect(rect, ColourRole::kHover, 6);
  const std::string figure = playback.speed == 0.25F ? "¼ ×"
                             : playback.speed == 0.5F
                                 ? "½ ×"
                                 : std::to_string(std::lround(playback.speed)) + " ×";
  surface.text(rect.x + 6, y, playback.by_access ? "access" : "instr.",
               styled(12, ColourRole::kDim));
  surface.text(right - 6, y, figure,
               styled(13, ColourRole::kStrong, Weight::kMedium, Align::kRight));
  if (touch.clicked) ImGui::OpenPopup("speeds");
  if (ImGui::BeginPopup("speeds")) {
    if (ImGui::MenuItem("Memory accesses", nullptr, playback.by_access)) playback.by_access = true;
    if (ImGui::MenuItem("Every instruction", nullptr, !playback.by_access)) {
      playback.by_access = false;
    }
    ImGui::Separator();
    for (const float speed : kSpeeds) {
      const std::string label = speed < 0.4F ? "¼ ×"
                                : speed < 1  ? "½ ×"
                                             : std::to_string(std::lround(speed)) + " ×";
      if (ImGui::MenuItem(label.c_str(), nullptr, playback.speed == speed)) playback.speed = speed;
    }
    ImGui::EndPopup();
  }
}

}  // namespace

void draw_transport_panel(WindowState& state) {
  PanelSurface surface(state, state.lecture ? 1.3F : 1.0F);
  Variant& variant = state.workbench.active();
  const float y = surface.height() / 2;
  if (icon_button(surface, "tile back", {26, y}, Icon::kTileBack, "One loop step back (Page Up)"))
    step_tiles(state, -1);
  if (icon_button(surface, "phase back", {50, y}, Icon::kPhaseBack, "One phase back (Shift ,)"))
    step_phases(state, -1);
  if (icon_button(surface, "back", {74, y}, Icon::kBack, "One instruction back (,)"))
    step_events(state, -1);
  play_button(surface, {107, y});
  if (icon_button(surface, "on", {140, y}, Icon::kOn, "One instruction forward (.)"))
    step_events(state, 1);
  if (icon_button(surface, "phase on", {164, y}, Icon::kPhaseOn, "One phase forward (Shift .)"))
    step_phases(state, 1);
  if (icon_button(surface, "tile on", {188, y}, Icon::kTileOn, "One loop step forward (Page Down)"))
    step_tiles(state, 1);
  constexpr float kWords = 214;
  if (variant.study == nullptr || !variant.study->traced() ||
      variant.study->trace->events.empty()) {
    if (variant.study_pending) {
      surface.text(kWords, y, "computing …", styled(12, ColourRole::kDim));
    }
    return;
  }
  const MomentWords moment = describe_moment(variant, variant.selection.event);
  const float words_right = state.compact ? 430 : 446;
  // Where the numbers are long, they have the room of the words that can be missed.
  const auto write = [&](float at, std::string words, std::string_view spare,
                         const TextStyle& style) {
    const std::size_t found = words.find(spare);
    const bool fits = surface.canvas().text_width(words, style) <= words_right - kWords;
    if (!fits && found != std::string::npos) words.erase(found, spare.size());
    surface.fitted(kWords, words_right, at, words, style);
  };
  write(y - 9, moment.where, "instruction ", styled(13, ColourRole::kStrong, Weight::kSemibold));
  write(y + 9, moment.what, " of the block", styled(12, ColourRole::kDim));
  if (!moment.meaning.empty()) {
    surface.explain({kWords, y - 18, words_right - kWords, 36}, moment.meaning);
  }
  const float speed_left = surface.width() - 88;
  const Rect strip{words_right + 16, y - 22, speed_left - 12 - words_right - 16, 44};
  ViewContext context;
  context.study = variant.study.get();
  context.prepared = variant.prepared;
  context.selection = variant.selection;
  context.marks = variant.marks;
  context.theme = state.theme();
  context.hovered_line = state.hovered_line;
  draw_time_strip(surface.canvas(), strip, context);
  const TimeStripLayout layout = time_strip_layout(surface.canvas(), strip, context);
  if (layout.axis.w > 8) {
    touch_flags(surface, layout, variant);
    touch_loop(surface, layout, variant.marks);
    scrub(surface, strip, layout);
    surface.explain({strip.x, layout.excess.y - 1, strip.w, layout.excess.h + 6},
                    excess_words(context));
  }
  draw_speed(surface, surface.width() - 12, y);
}

}  // namespace tilescope
