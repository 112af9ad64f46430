#include "ui/state/panel_surface.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/text.h"
#include "scene/drawing/pen.h"
#include "session/glossary.h"
#include "session/taught_term.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/imgui_canvas.h"
#include "ui/drawing/style.h"

namespace tilescope {
namespace {

Point window_origin() {
  const ImVec2 p = ImGui::GetCursorScreenPos();
  return {p.x, p.y};
}

Point pointer() {
  const ImVec2 p = ImGui::GetIO().MousePos;
  return {p.x, p.y};
}

}  // namespace

TextStyle styled(float size, Paint paint, Weight weight, Align align, Font font) {
  TextStyle style;
  style.size = size;
  style.weight = weight;
  style.font = font;
  style.align = align;
  style.paint = paint;
  return style;
}

TextStyle heading_style() { return styled(11, ColourRole::kDim, Weight::kSemibold); }

BarWindow::BarWindow(const char* name, float top, float height) {
  ImGui::SetNextWindowPos({0, top});
  ImGui::SetNextWindowSize({ImGui::GetIO().DisplaySize.x, height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::Begin(name, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleVar(2);
}

BarWindow::~BarWindow() { ImGui::End(); }

PanelSurface::PanelSurface(WindowState& state, float magnify)
    : state_(state),
      scale_(state.scale * magnify),
      origin_(window_origin()),
      width_(ImGui::GetContentRegionAvail().x / scale_),
      height_(ImGui::GetContentRegionAvail().y / scale_),
      canvas_({.list = ImGui::GetWindowDrawList(),
               .origin = origin_,
               .scale = scale_,
               .theme = state.theme(),
               .opacity = 1,
               .ground = ColourRole::kPanel,
               .audit = state.audit,
               .pointer = pointer()},
              state.fonts, state.cells) {}

Rect PanelSurface::on_screen(const Rect& rect) const {
  const Point corner = screen({rect.x, rect.y});
  return {corner.x, corner.y, rect.w * scale_, rect.h * scale_};
}

Touch PanelSurface::control(const char* id, const Rect& rect, std::string_view meaning) {
  const Point corner = screen({rect.x, rect.y});
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  Touch touch;
  touch.clicked =
      ImGui::InvisibleButton(id, {std::max(1.0F, rect.w * scale_), std::max(1.0F, rect.h * scale_)},
                             ImGuiButtonFlags_EnableNav);
  touch.hovered = ImGui::IsItemHovered();
  touch.held = ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left);
  touch.double_clicked = touch.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  if (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible) {
    canvas_.stroke_rect(rect.inset(-2), ColourRole::kFirst, 1, 6);
    keyed_ = rect;
  }
  ImGui::SetCursorScreenPos(cursor);
  if (state_.audit != nullptr) state_.audit->controls.push_back({id, on_screen(rect), false});
  if (!meaning.empty()) explain(rect, meaning);
  return touch;
}

bool PanelSurface::explain(const Rect& rect, std::string_view sentence) {
  if (state_.audit != nullptr && !sentence.empty()) {
    for (TextAudit::Control& control : state_.audit->controls) {
      control.explained |= same_place(control.screen, on_screen(rect));
    }
  }
  const Point low = screen({rect.x, rect.y});
  const Point high = screen({rect.right(), rect.bottom()});
  const bool keyed = keyed_ && same_place(*keyed_, rect);
  const bool pointed = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
                       ImGui::IsMouseHoveringRect({low.x, low.y}, {high.x, high.y});
  if (keyed) state_.tooltip.offer_to_keys(sentence, on_screen(rect));
  if (pointed) state_.tooltip.offer(sentence, on_screen(rect));
  return keyed || pointed;
}

void PanelSurface::explain_term(const Rect& rect, std::string_view sentence,
                                const GlossaryEntry* term) {
  std::string words(sentence);
  if (term != nullptr) {
    const auto& taught = state_.learn.taught(*term, state_.glossary);
    words += fmt::format("\n{}: {} (F1 explains it{}.)", term->term, short_definition(*term),
                         taught ? " and opens the lesson " + words_of(*taught) : "");
  }
  if (explain(rect, words) && term != nullptr) state_.touched_term = term;
}

void PanelSurface::explain_hit() const {
  const ImGuiCanvas::PlacedHit* placed = canvas_.hit_at(pointer());
  if (placed == nullptr || !ImGui::IsWindowHovered()) return;
  state_.tooltip.offer(placed->hit.tooltip, placed->screen);
}

bool PanelSurface::is_visible(const Rect& rect) const {
  const Rect at = on_screen(rect);
  return ImGui::IsRectVisible({at.x, at.y}, {at.right(), at.bottom()});
}

void PanelSurface::fitted(float x, float right, float y, std::string_view english,
                          const TextStyle& style) {
  const std::string words = state_.in_language(english);
  if (canvas_.text_width(words, style) <= right - x) {
    text(x, y, words, style);
    return;
  }
  std::string shorter(words);
  while (!shorter.empty()) {
    do {
      shorter.pop_back();
    } while (!shorter.empty() && (static_cast<unsigned char>(shorter.back()) & 0xC0U) == 0x80U);
    if (!shorter.empty() && (static_cast<unsigned char>(shorter.back()) & 0x80U) != 0) continue;
    if (canvas_.text_width(shorter + "…", style) <= right - x) break;
  }
  if (!shorter.empty()) text(x, y, shorter + "…", style);
  explain({x, y - style.size, right - x, 2 * style.size}, words);
}

std::vector<std::string> PanelSurface::lines_of(std::string_view english, float room,
                                                const TextStyle& style) const {
  const std::string words = state_.in_language(english);
  std::vector<std::string> lines;
  std::string line;
  std::string blank;
  std::size_t at = 0;
  while (at < words.size()) {
    const std::size_t end = unbroken_end(words, at);
    const std::string word(words.substr(at, end - at));
    const std::string longer = line.empty() ? word : line + blank + word;
    if (!line.empty() && canvas_.text_width(longer, style) > room) {
      lines.push_back(std::exchange(line, word));
    } else {
      line = longer;
    }
    blank = end < words.size() && words[end] == ' ' ? " " : "";
    at = end + blank.size();
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

float PanelSurface::paragraph(float x, float y, float room, std::string_view words,
                              const TextStyle& style) {
  for (const std::string& line : lines_of(words, room, style)) {
    text(x, y, line, style);
    y += std::round(style.size * 1.4F);
  }
  return y;
}

void PanelSurface::mark(Point center, Source source, Paint paint) {
  constexpr float kRadius = 4;
  const auto diamond = [&](float r) {
    return std::array<Point, 4>{Point{center.x, center.y - r}, Point{center.x + r, center.y},
                                Point{center.x, center.y + r}, Point{center.x - r, center.y}};
  };
  switch (source) {
    case Source::kMeasured:
      canvas_.fill_circle(center, kRadius, paint);
      break;
    case Source::kRecorded: {
      std::array<Point, 25> ring{};
      for (std::size_t i = 0; i < ring.size(); ++i) {
        const float angle = static_cast<float>(i) * 6.2831853F / 24;
        ring[i] = {center.x + std::cos(angle) * (kRadius - 0.75F),
                   center.y + std::sin(angle) * (kRadius - 0.75F)};
      }
      canvas_.polyline(ring, paint, 1.5F);
      break;
    }
    case Source::kEmulated:
      canvas_.fill_polygon(diamond(kRadius + 1), paint);
      break;
    case Source::kModelled: {
      const auto d = diamond(kRadius + 0.5F);
      const std::array<Point, 5> closed{d[0], d[1], d[2], d[3], d[0]};
      canvas_.polyline(closed, paint, 1.3F);
      break;
    }
  }
}

void PanelSurface::source_legend(float bottom, float text_size) {
  constexpr std::array kSources{Source::kMeasured, Source::kRecorded, Source::kEmulated,
                                Source::kModelled};
  const TextStyle style = styled(text_size, ColourRole::kDim);
  std::array<float, kSources.size()> widths{};
  float wide = 0;
  for (std::size_t i = 0; i < kSources.size(); ++i) {
    widths[i] = canvas_.text_width(name_of(kSources[i]), style) + 16;
    wide += widths[i];
  }
  const bool one_row = wide <= width_;
  const float gap = std::min(18.0F, (width_ - wide) / 3);
  float x = 5;
  for (std::size_t i = 0; i < kSources.size(); ++i) {
    if (!one_row) x = i % 2 == 0 ? 5 : width_ / 2;
    const float y = one_row || i >= 2 ? bottom : bottom - 1.6F * text_size;
    mark({x, y}, kSources[i], ColourRole::kText);
    text(x + 9, y, name_of(kSources[i]), style);
    x += widths[i] + gap;
  }
}

bool PanelSurface::push(const char* id, const Rect& rect, std::string_view words, bool strong) {
  const Touch touch = control(id, rect);
  canvas_.fill_rect(rect, touch.hovered ? ColourRole::kHover : ColourRole::kRaised, 6);
  canvas_.stroke_rect(rect, ColourRole::kLine, 1, 6);
  text(rect.center().x, rect.center().y, words,
       styled(12, strong ? ColourRole::kStrong : ColourRole::kText,
              strong ? Weight::kSemibold : Weight::kMedium, Align::kCenter));
  return touch.clicked;
}

void PanelSurface::finish(float used_height) {
  ImGui::SetCursorScreenPos({origin_.x, origin_.y});
  ImGui::Dummy({1, std::max(0.0F, used_height * scale_)});
}

}  // namespace tilescope
