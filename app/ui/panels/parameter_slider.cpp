#include "ui/panels/parameter_slider.h"

#include <imgui.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "ui/drawing/fonts.h"
#include "ui/source/source_editor.h"

namespace tilescope {
namespace {

std::size_t index_of(const ParameterSpec& spec, std::int64_t value) {
  const auto at = std::lower_bound(spec.values.begin(), spec.values.end(), value);
  return static_cast<std::size_t>(std::min<std::ptrdiff_t>(
      at - spec.values.begin(), static_cast<std::ptrdiff_t>(spec.values.size()) - 1));
}

std::string list_values(const ParameterSpec& spec) {
  std::string list;
  for (const std::int64_t value : spec.values) {
    list += (list.empty() ? "" : ", ") + std::to_string(value);
  }
  return list;
}

// A small arrow to the next legal value; direction -1 or 1. True when pressed.
bool draw_stepper(Sheet& sheet, const char* id, Point center, float direction) {
  const Touch touch =
      sheet.control(id, {center.x - 8, center.y - 9, 16, 18},
                    direction < 0 ? "One legal value less (Left)" : "One legal value more (Right)");
  const Paint ink = touch.hovered ? ColourRole::kStrong : ColourRole::kDim;
  sheet.canvas().line({center.x - 2 * direction, center.y - 4},
                      {center.x + 2 * direction, center.y}, ink, 1.4F);
  sheet.canvas().line({center.x + 2 * direction, center.y},
                      {center.x - 2 * direction, center.y + 4}, ink, 1.4F);
  return touch.clicked;
}

// The next value in a direction that keeps the rules; the next at all where none does.
std::int64_t next_value(const Desk& desk, const ParameterSpec& spec, std::int64_t value,
                        int direction) {
  const auto count = static_cast<std::ptrdiff_t>(spec.values.size());
  const auto here = static_cast<std::ptrdiff_t>(index_of(spec, value));
  const auto legal = desk.legal.legal.find(spec.name);
  for (std::ptrdiff_t i = here + direction; i >= 0 && i < count; i += direction) {
    if (legal == desk.legal.legal.end() || legal->second[static_cast<std::size_t>(i)]) {
      return spec.values[static_cast<std::size_t>(i)];
    }
  }
  return spec
      .values[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(here + direction, 0, count - 1))];
}

std::optional<std::int64_t> type_value(Sheet& sheet, float y, const ParameterSpec& spec,
                                       std::int64_t value) {
  Desk& desk = sheet.desk();
  const Point corner = sheet.screen({sheet.width() - 84, y - 11});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::SetNextItemWidth(84 * sheet.scale());
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(6 * sheet.scale(), 4 * sheet.scale()));
  char text[32] = {};
  std::snprintf(text, sizeof(text), "%lld", static_cast<long long>(value));
  if (!ImGui::IsAnyItemActive()) ImGui::SetKeyboardFocusHere();
  const bool entered =
      ImGui::InputText("##typed", text, sizeof(text),
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CharsDecimal |
                           ImGuiInputTextFlags_AutoSelectAll);
  const bool left = ImGui::IsItemDeactivated();
  ImGui::PopStyleVar();
  if (entered || left) desk.typed_parameter.clear();
  if (!entered) return std::nullopt;
  std::int64_t typed = 0;
  const auto parsed = std::from_chars(text, text + std::strlen(text), typed);
  // Of a file's number any may be right: the compiler knows.
  const bool any = desk.bench.active().own.has_value();
  if (parsed.ec != std::errc() ||
      (!any && std::find(spec.values.begin(), spec.values.end(), typed) == spec.values.end())) {
    desk.note = spec.name + " takes " + list_values(spec) + ".";
    return std::nullopt;
  }
  desk.note.clear();
  return typed;
}

}  // namespace

std::optional<std::int64_t> draw_parameter_slider(Sheet& sheet, float y, const ParameterSpec& spec,
                                                  std::int64_t value, float height) {
  Desk& desk = sheet.desk();
  ImGui::PushID(spec.name.c_str());
  std::optional<std::int64_t> chosen;
  const float width = sheet.width();
  const float track_y = y + height * 0.47F;
  const std::size_t last = spec.values.size() - 1;
  const std::size_t here = index_of(spec, value);
  const auto legal = desk.legal.legal.find(spec.name);
  const auto keeps_rules = [&](std::size_t i) {
    return legal == desk.legal.legal.end() || legal->second[i];
  };
  const auto x_of = [&](std::size_t i) {
    return last == 0 ? 0.0F : static_cast<float>(i) / static_cast<float>(last) * width;
  };

  const Touch track = sheet.control("track", {-6, track_y - 9, width + 12, 18});
  if (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible) {
    desk.slider_focused = true;
    desk.focused_parameter = spec.name;
  }
  if (track.held && last > 0) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float along = std::clamp(sheet.units({mouse.x, mouse.y}).x / width, 0.0F, 1.0F);
    const auto i = static_cast<std::size_t>(std::lround(along * static_cast<float>(last)));
    desk.focused_parameter = spec.name;
    if (spec.values[i] != value) chosen = spec.values[i];
  }

  if (track.held || track.hovered) desk.bench.look_ahead(spec.name);

  sheet.text(0, y, spec.name, styled(13, ColourRole::kStrong, Weight::kMedium));
  const std::string shown = std::to_string(value);
  if (desk.typed_parameter == spec.name) {
    if (auto typed = type_value(sheet, y, spec, value)) chosen = typed;
  } else {
    const TextStyle style =
        styled(13, keeps_rules(here) ? ColourRole::kStrong : ColourRole::kExcess, Weight::kSemibold,
               Align::kRight);
    const float room = sheet.canvas().text_width(shown, style);
    const Point mouse{ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y};
    const Rect row{0, y - 12, width, height};
    // Also while an arrow is pressed, or it would be gone before it is let go.
    const bool near = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
                      row.contains(sheet.units(mouse));
    const float right = near && last > 0 ? width - 16 : width;
    sheet.text(right, y, shown, style);
    if (near && last > 0) {
      if (draw_stepper(sheet, "less", {right - room - 12, y}, -1))
        chosen = next_value(desk, spec, value, -1);
      if (draw_stepper(sheet, "more", {width - 6, y}, 1)) chosen = next_value(desk, spec, value, 1);
      if (chosen) desk.focused_parameter = spec.name;
    }
    const Rect figure{right - room - 3, y - 10, room + 6, 20};
    const Touch typed = sheet.control("value", figure, "A double click types a value.");
    if (typed.double_clicked) desk.typed_parameter = spec.name;
    if (!typed.hovered) {
      sheet.explain({0, y - 10, sheet.canvas().text_width(spec.name, styled(13)) + 8, 20},
                    spec.meaning + (spec.unit.empty() ? "" : ", in " + spec.unit) + ": " +
                        list_values(spec) + ".");
    }
  }
  Canvas& canvas = sheet.canvas();
  canvas.fill_rect({0, track_y - 1, width, 2}, ColourRole::kLine, 0);
  canvas.fill_rect({0, track_y - 1, x_of(here), 2}, ColourRole::kFirst, 0);
  for (std::size_t i = 0; i <= last; ++i) {
    const bool passed = i < here;
    const Paint ink = !keeps_rules(i) ? ColourRole::kExcess
                      : passed        ? ColourRole::kFirst
                                      : ColourRole::kFaint;
    const float tall = keeps_rules(i) ? 4 : 5;
    canvas.fill_rect({x_of(i) - 0.75F, track_y - tall, 1.5F, 2 * tall}, ink, 0);
    if (!desk.bench.compiled_ahead(spec.name, spec.values[i])) continue;
    canvas.fill_circle({x_of(i), track_y + 8}, 1.6F, ColourRole::kIdeal);
    if (!track.held) {
      sheet.explain({x_of(i) - 6, track_y - 9, 12, 18},
                    spec.name + " " + std::to_string(spec.values[i]) +
                        " is compiled: its picture waits for no compiler.");
    }
  }
  const float radius = track.held || track.hovered ? 6.5F : 5.5F;
  canvas.fill_circle({x_of(here), track_y}, radius + 1.5F,
                     keeps_rules(here) ? ColourRole::kFirst : ColourRole::kExcess);
  canvas.fill_circle({x_of(here), track_y}, radius - 0.5F, ColourRole::kSelection);
  ImGui::PopID();
  return chosen;
}

void step_parameter(Desk& desk, int direction) {
  const std::vector<ParameterSpec>& all = desk.bench.active().offered();
  const auto spec = std::ranges::find(all, desk.focused_parameter, &ParameterSpec::name);
  if (spec == all.end()) return;
  const std::int64_t value = desk.bench.active().value_of(*spec);
  desk.bench.set_parameter(desk.focused_parameter, next_value(desk, *spec, value, direction));
}

void choose_parameter(Desk& desk, int direction) {
  const std::vector<ParameterSpec>& all = desk.bench.active().offered();
  if (all.empty()) return;
  const auto here = std::ranges::find(all, desk.focused_parameter, &ParameterSpec::name);
  const auto index = here == all.end() ? 0 : here - all.begin() + direction;
  const auto last = static_cast<std::ptrdiff_t>(all.size()) - 1;
  desk.focused_parameter =
      all[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(index, 0, last))].name;
}

}  // namespace tilescope
