#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "ui/cell_renderer.h"
#include "ui/panel.h"
#include "ui/sheet.h"
#include "ui/shortcuts.h"

namespace tilescope {
namespace {

constexpr std::array kSpeeds{0.25F, 0.5F, 1.0F, 2.0F, 4.0F, 8.0F};

// A triangle pointing to `direction`, 1 or -1.
void triangle(Sheet& sheet, Point center, float size, float direction, Paint ink) {
  const float half = size / 2;
  const std::array<Point, 3> points{Point{center.x - half * direction, center.y - half},
                                    Point{center.x + half * direction, center.y},
                                    Point{center.x - half * direction, center.y + half}};
  sheet.canvas().fill_polygon(points, ink);
}

enum class Icon { kTileBack, kBack, kOn, kTileOn };

bool icon_button(Sheet& sheet, const char* id, Point center, Icon icon, const char* meaning) {
  const Rect rect{center.x - 12, center.y - 13, 24, 26};
  const Touch touch = sheet.control(id, rect);
  if (touch.hovered) sheet.canvas().fill_rect(rect, ColourRole::kHover, 6);
  const Paint ink = touch.hovered ? ColourRole::kStrong : ColourRole::kText;
  const float direction = icon == Icon::kTileBack || icon == Icon::kBack ? -1.0F : 1.0F;
  if (icon == Icon::kTileBack || icon == Icon::kTileOn) {
    triangle(sheet, {center.x - 4, center.y}, 9, direction, ink);
    triangle(sheet, {center.x + 4, center.y}, 9, direction, ink);
  } else {
    triangle(sheet, {center.x + direction, center.y}, 9, direction, ink);
    sheet.canvas().fill_rect({center.x - 6 * direction - 1, center.y - 5, 2, 10}, ink, 0);
  }
  sheet.explain(rect, meaning);
  return touch.clicked;
}

void play_button(Sheet& sheet, Point center) {
  Desk& desk = sheet.desk();
  constexpr float kRadius = 15;
  const Touch touch =
      sheet.control("play", {center.x - kRadius, center.y - kRadius, 2 * kRadius, 2 * kRadius});
  sheet.canvas().fill_circle(center, touch.hovered ? kRadius + 1 : kRadius, ColourRole::kFirst);
  const Paint ink = text_on(ColourRole::kFirst, desk.theme());
  if (desk.playback.playing) {
    sheet.canvas().fill_rect({center.x - 5, center.y - 6, 3.5F, 12}, ink, 1);
    sheet.canvas().fill_rect({center.x + 1.5F, center.y - 6, 3.5F, 12}, ink, 1);
  } else {
    triangle(sheet, {center.x + 1.5F, center.y}, 12, 1, ink);
  }
  if (touch.clicked) toggle_playback(desk);
}

struct Moment {
  std::string where;    // "step 12 of 64"
  std::string what;     // "compute · 41,218 of 110,642 instructions"
  std::string meaning;  // of the phase, a sentence; may be empty
};

Moment describe(const Variant& variant) {
  const KernelStudy& study = *variant.study;
  const auto& events = study.trace->events;
  const std::uint32_t event = std::min<std::uint32_t>(
      variant.selection.event, static_cast<std::uint32_t>(events.size()) - 1);
  Moment moment;
  const bool steps = study.timeline && study.timeline->step_begin.size() > 1;
  const std::string place = format_count(std::uint64_t{event} + 1);
  if (steps) {
    const std::uint32_t step = study.timeline->step_of(events[event].warp, event);
    moment.where = "step " + format_count(std::uint64_t{step} + 1) + " of " +
                   format_count(study.timeline->step_begin.size());
  } else {
    moment.where = "instruction " + place + " of " + format_count(events.size());
  }
  const StaticInstruction& instruction = study.program->instructions()[events[event].instruction];
  std::string phase = "no phase";
  if (instruction.phase >= 0) {
    phase = study.program->phases()[static_cast<std::size_t>(instruction.phase)];
    if (variant.entry != nullptr) {
      const auto meaning = variant.entry->phases.find(phase);
      if (meaning != variant.entry->phases.end()) moment.meaning = meaning->second;
    }
  }
  moment.what = phase + " · ";
  if (steps) {
    moment.what += place + " of " + format_count(events.size()) + " instructions";
  } else {
    moment.what += "warp " + std::to_string(events[event].warp);
  }
  return moment;
}

void scrub(Sheet& sheet, const Rect& strip, Variant& variant) {
  const Touch touch = sheet.control("time", {strip.x, strip.y - 6, strip.w, strip.h + 12});
  if (!touch.held) return;
  Desk& desk = sheet.desk();
  desk.playback.playing = false;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto last = static_cast<double>(variant.study->trace->events.size() - 1);
  const double along = std::clamp(
      static_cast<double>((sheet.units({mouse.x, mouse.y}).x - strip.x) / strip.w), 0.0, 1.0);
  variant.selection.event = static_cast<std::uint32_t>(std::lround(along * last));
}

void draw_speed(Sheet& sheet, float right, float y) {
  Playback& playback = sheet.desk().playback;
  const Rect rect{right - 76, y - 12, 76, 24};
  const Touch touch = sheet.control("speed", rect);
  if (touch.hovered) sheet.canvas().fill_rect(rect, ColourRole::kHover, 6);
  const std::string figure = playback.speed == 0.25F ? "¼ ×"
                             : playback.speed == 0.5F
                                 ? "½ ×"
                                 : std::to_string(std::lround(playback.speed)) + " ×";
  sheet.text(rect.x + 8, y, "speed", styled(12, ColourRole::kDim));
  sheet.text(right - 6, y, figure, styled(13, ColourRole::kStrong, Weight::kMedium, Align::kRight));
  if (touch.clicked) ImGui::OpenPopup("speeds");
  if (ImGui::BeginPopup("speeds")) {
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

void draw_transport_panel(Desk& desk) {
  Sheet sheet(desk, desk.lecture ? 1.3F : 1.0F);
  Variant& variant = desk.bench.active();
  const float y = sheet.height() / 2;
  if (icon_button(sheet, "tile back", {26, y}, Icon::kTileBack, "One k-step back (Page Up)"))
    step_tiles(desk, -1);
  if (icon_button(sheet, "back", {52, y}, Icon::kBack, "One instruction back (,)"))
    step_events(desk, -1);
  play_button(sheet, {86, y});
  if (icon_button(sheet, "on", {120, y}, Icon::kOn, "One instruction on (.)")) step_events(desk, 1);
  if (icon_button(sheet, "tile on", {146, y}, Icon::kTileOn, "One k-step on (Page Down)"))
    step_tiles(desk, 1);
  if (variant.study == nullptr || !variant.study->traced() ||
      variant.study->trace->events.empty()) {
    sheet.text(176, y, "no block is traced yet", styled(12, ColourRole::kDim));
    return;
  }
  const Moment moment = describe(variant);
  const float words_right = desk.compact ? 400 : 408;
  sheet.fitted(176, words_right, y - 9, moment.where,
               styled(13, ColourRole::kStrong, Weight::kSemibold));
  sheet.fitted(176, words_right, y + 9, moment.what, styled(12, ColourRole::kDim));
  if (!moment.meaning.empty()) sheet.explain({176, y - 18, words_right - 176, 36}, moment.meaning);
  const float speed_left = sheet.width() - 88;
  const Rect strip{words_right + 16, y - 22, speed_left - 12 - words_right - 16, 44};
  ViewContext context;
  context.study = variant.study.get();
  context.prepared = variant.prepared;
  context.selection = variant.selection;
  context.theme = desk.theme();
  draw_time_strip(sheet.canvas(), strip, context);
  scrub(sheet, strip, variant);
  draw_speed(sheet, sheet.width() - 12, y);
}

}  // namespace tilescope
