#include "ui/panels/source_line.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "kernel/catalogue/catalogue.h"
#include "scene/pages/counters_page.h"
#include "ui/drawing/style.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

constexpr float kLineEdge = 24;
constexpr float kLeastCode = 11;

// The text of a line, without what indents it; empty: there is none.
std::string_view text_of_line(std::string_view source, std::uint32_t line) {
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t end = source.find('\n');
    if (end == std::string_view::npos) return {};
    source.remove_prefix(end + 1);
  }
  return trimmed(source.substr(0, source.find('\n')));
}

// A parameter of the active kernel and those of its values that are legal now.
struct OfferedValues {
  const ParameterSpec& spec;
  const std::vector<bool>& legal;
};
std::optional<OfferedValues> offered_values(const WindowState& state,
                                            const std::string& parameter) {
  const Variant& variant = state.workbench.active();
  if (parameter.empty() || variant.entry == nullptr) return std::nullopt;
  const auto& all = variant.entry->parameters;
  const auto spec = std::ranges::find(all, parameter, &ParameterSpec::name);
  const auto legal = state.legal.legal.find(parameter);
  if (spec == all.end() || legal == state.legal.legal.end()) return std::nullopt;
  return OfferedValues{*spec, legal->second};
}

void set_offered(WindowState& state, const ParameterSpec& spec, std::int64_t value) {
  state.focused_parameter = spec.name;
  state.workbench.set_parameter(spec.name, value);
}

}  // namespace

std::uint32_t line_in_hand(const Variant& variant) {
  if (variant.selection.line != 0) return variant.selection.line;
  if (variant.study == nullptr || !variant.study->traced()) return 0;
  const auto& events = variant.study->trace->events;
  if (variant.selection.event >= events.size()) return 0;
  const auto& instructions = variant.study->program->instructions();
  return instructions[events[variant.selection.event].instruction].outermost.line;
}

void draw_code(PanelSurface& surface, Point where, float right, std::uint32_t line, float size) {
  const Variant& variant = surface.state().workbench.active();
  if (!variant.has_kernel() || line == 0) return;
  const std::string_view code = text_of_line(variant.shown_source(), line);
  const std::string number = std::to_string(line);
  const TextStyle dim =
      styled(size - 2, ColourRole::kDim, Weight::kRegular, Align::kLeft, Font::kMono);
  surface.text(where.x, where.y, number, dim);
  const float left = where.x + surface.canvas().text_width(number, dim) + size * 0.9F;
  TextStyle style = styled(size, ColourRole::kStrong, Weight::kRegular, Align::kLeft, Font::kMono);
  while (style.size > kLeastCode && surface.canvas().text_width(code, style) > right - left) {
    style.size -= 1;
  }
  surface.fitted(left, right, where.y, code, style);
  const Rect place{left, where.y - size, right - left, 2 * size};
  if (surface.canvas().text_width(code, style) > right - left) surface.explain(place, code);
}

float draw_excerpt(PanelSurface& surface, const Rect& area, std::uint32_t line, float size) {
  constexpr std::size_t kMostLines = 9;
  const std::vector<std::string> lines =
      lines_of_text(surface.state().workbench.active().shown_source(), 4);
  const float pitch = std::round(size * 1.5F);
  const auto room = static_cast<std::size_t>(std::max(0.0F, (area.h - 16) / pitch));
  const std::size_t count = std::min({room, kMostLines, lines.size()});
  if (line == 0 || line > lines.size() || count < std::min<std::size_t>(3, lines.size())) {
    return area.y;
  }
  const std::size_t before = std::min<std::size_t>(line - 1, count / 2);
  const std::size_t first = std::min(line - 1 - before, lines.size() - count);
  const float height = pitch * static_cast<float>(count) + 16;
  surface.canvas().fill_rect({area.x, area.y, area.w, height}, ColourRole::kPanel, 6);
  const auto code = [size](ColourRole role, Align align) {
    return styled(size, role, Weight::kRegular, align, Font::kMono);
  };
  const TextStyle number = code(ColourRole::kDim, Align::kRight);
  const float left = area.x + 24 + surface.canvas().text_width("0000", number);
  for (std::size_t i = 0; i < count; ++i) {
    const Rect row{area.x, area.y + 8 + pitch * static_cast<float>(i), area.w, pitch};
    const bool marked = first + i + 1 == line;
    if (marked) {
      surface.canvas().fill_rect(row, ColourRole::kRaised);
      surface.canvas().fill_rect({row.x, row.y, 3, row.h}, ColourRole::kExcess);
    }
    surface.text(left - 16, row.center().y, std::to_string(first + i + 1), number);
    surface.fitted(left, row.right() - 8, row.center().y, lines[first + i],
                   code(marked ? ColourRole::kStrong : ColourRole::kText, Align::kLeft));
  }
  return area.y + height;
}

void draw_source_line(PanelSurface& surface, float right, std::uint32_t line, float size) {
  const Variant& variant = surface.state().workbench.active();
  if (!variant.has_kernel()) return;
  const float middle = surface.height() / 2;
  const bool with_name = surface.height() > 56 || line == 0;
  if (with_name) {
    const std::string kernel = variant.entry != nullptr ? variant.entry->id : variant.file_name();
    surface.fitted(kLineEdge, right, line == 0 ? middle : middle - 11, kernel,
                   styled(11.5F, ColourRole::kDim));
  }
  draw_code(surface, {kLineEdge, with_name ? middle + 10 : middle}, right, line, size);
}

float draw_parameter_values(PanelSurface& surface, const std::string& parameter, float size) {
  WindowState& state = surface.state();
  float x = surface.width() - kLineEdge;
  const auto choice = offered_values(state, parameter);
  if (!choice) return x;
  const ParameterSpec& spec = choice->spec;
  const std::int64_t present = state.workbench.active().value_of(spec);
  const float middle = surface.height() / 2;
  for (std::size_t i = spec.values.size(); i-- > 0;) {
    if (!choice->legal[i]) continue;
    const std::int64_t value = spec.values[i];
    const std::string words = std::to_string(value);
    const float width = surface.canvas().text_width(words, styled(size)) + 16;
    const Rect chip{x - width, middle - size, width, 2 * size};
    ImGui::PushID(static_cast<int>(i));
    const Touch touch = surface.control("value", chip, fmt::format("{} = {}", spec.name, value));
    ImGui::PopID();
    const bool on = value == present;
    if (on || touch.hovered) {
      surface.canvas().fill_rect(chip, on ? ColourRole::kFirst : ColourRole::kHover, 6);
    } else {
      surface.canvas().stroke_rect(chip, ColourRole::kLine, 1, 6);
    }
    surface.text(
        chip.center().x, middle, words,
        styled(size, on ? Paint(text_on(ColourRole::kFirst, state.theme())) : ColourRole::kText,
               on ? Weight::kSemibold : Weight::kRegular, Align::kCenter));
    if (touch.clicked) set_offered(state, spec, value);
    x = chip.x - 4;
  }
  const TextStyle name = styled(size, ColourRole::kStrong, Weight::kSemibold, Align::kRight);
  surface.text(x - 6, middle, spec.name, name);
  x -= 6 + surface.canvas().text_width(spec.name, name);
  return x - 16;
}

float draw_parameter_stepper(PanelSurface& surface, const std::string& parameter, float size) {
  WindowState& state = surface.state();
  float x = surface.width() - kLineEdge;
  const auto choice = offered_values(state, parameter);
  if (!choice) return x;
  const ParameterSpec& spec = choice->spec;
  const std::int64_t present = state.workbench.active().value_of(spec);
  const float middle = surface.height() / 2;
  // The nearest legal value below, by -1, or above.
  const auto neighbour = [&](int by) -> std::optional<std::int64_t> {
    std::optional<std::int64_t> nearest;
    for (std::size_t i = 0; i < spec.values.size(); ++i) {
      const std::int64_t value = spec.values[i];
      const bool beyond = by > 0 ? value > present : value < present;
      if (!choice->legal[i] || !beyond) continue;
      if (!nearest || (by > 0 ? value < *nearest : value > *nearest)) nearest = value;
    }
    return nearest;
  };
  const auto arrow = [&](const char* id, float centre, float direction,
                         std::optional<std::int64_t> value) {
    const Rect place{centre - 14, middle - 16, 28, 32};
    const Touch touch =
        value ? surface.control(id, place, fmt::format("{} = {}", spec.name, *value)) : Touch{};
    if (touch.hovered) surface.canvas().fill_rect(place, ColourRole::kHover, 6);
    const std::array<Point, 3> points{Point{centre - 4 * direction, middle - 6},
                                      Point{centre + 5 * direction, middle},
                                      Point{centre - 4 * direction, middle + 6}};
    surface.canvas().fill_polygon(points, value ? ColourRole::kText : ColourRole::kFaint);
    if (touch.clicked) set_offered(state, spec, *value);
  };
  const TextStyle style = styled(size, ColourRole::kStrong, Weight::kSemibold, Align::kRight);
  arrow("more", x - 8, 1, neighbour(1));
  x -= 30;
  const std::string value = std::to_string(present);
  float widest = 0;  // so that the arrows stay under the pointer
  for (const std::int64_t each : spec.values) {
    widest = std::max(widest, surface.canvas().text_width(std::to_string(each), style));
  }
  surface.text(x, middle, value, style);
  x -= widest + 12;
  surface.text(x, middle, spec.name, style);
  x -= surface.canvas().text_width(spec.name, style) + 22;
  arrow("less", x, -1, neighbour(-1));
  return x - 26;
}

}  // namespace tilescope
