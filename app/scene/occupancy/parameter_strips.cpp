#include <fmt/format.h>

#include <algorithm>

#include "analysis/occupancy_limits.h"
#include "scene/occupancy/occupancy_scene.h"

namespace tilescope {
namespace {

constexpr float kGap = 3;  // between values

// A value more or fewer warps than now, told by colour and by the length of its gauge.
Paint tone_of(const ValueOccupancy& value, const OccupancyPicture& picture) {
  const int now = picture.occupancy ? picture.occupancy->warps_per_multiprocessor : 0;
  const int then = value.occupancy ? value.occupancy->warps_per_multiprocessor : 0;
  if (then > now) return ColourRole::kIdeal;
  return then < now ? ColourRole::kExcess : ColourRole::kFirst;
}

Hit hit_of(const ParameterOccupancy& strip, const ValueOccupancy& value,
           const OccupancyPicture& picture) {
  Hit hit;
  const std::string what = fmt::format("{} {}", strip.name, value.value);
  if (!value.legal) {
    hit.tooltip = fmt::format(
        "{} breaks a rule of the kernel or of the {} with the others as "
        "they are.",
        what, picture.device_name);
    return hit;
  }
  hit.kind = HitKind::kParameter;
  hit.name = strip.name;
  hit.value = value.value;
  if (!value.occupancy) {
    hit.tooltip = fmt::format(
        "{}: how much shared memory that takes is known once it is compiled. "
        "Click to set.",
        what);
    return hit;
  }
  const OccupancyRequest& request = value.request;
  const Occupancy& occupancy = *value.occupancy;
  hit.tooltip = fmt::format(
      "{}: {} threads, {} of shared memory, {} registers{}. {} and {} of {} warps per SM, "
      "limited by {}. {}",
      what, request.threads_per_block,
      format(request.static_shared_bytes + request.dynamic_shared_bytes, Unit::kBytes),
      request.registers_per_thread, value.present ? "" : " as now (modelled)",
      counted(occupancy.blocks_per_multiprocessor, "block"), occupancy.warps_per_multiprocessor,
      occupancy.max_warps_per_multiprocessor, limits_in_words(occupancy),
      value.present ? "Chosen." : "Click to set.");
  return hit;
}

// Whether the warps of every value fit beside it.
bool counts_fit(const Pen& pen, const ParameterOccupancy& strip, float width) {
  const TextStyle style = pen.style(11, ColourRole::kText, Weight::kBold);
  return std::ranges::all_of(strip.values, [&](const ValueOccupancy& value) {
    if (!value.occupancy) return true;
    const std::string warps = std::to_string(value.occupancy->warps_per_multiprocessor);
    return pen.width(std::to_string(value.value), style) + pen.width(warps, style) + pen.px(16) <=
           width;
  });
}

// The width of each value of a row that has `values` of them in `room`.
float value_width(const Pen& pen, float room, std::size_t values) {
  const auto count = static_cast<float>(std::max<std::size_t>(values, 5));
  return std::min((room + pen.px(kGap)) / count - pen.px(kGap), pen.px(84));
}

void draw_value(Pen& pen, const Rect& box, const ParameterOccupancy& strip,
                const ValueOccupancy& value, const OccupancyPicture& picture, bool with_count) {
  const float inside = box.x + pen.px(5);
  const float room = box.w - pen.px(10);
  const bool shown = value.legal && value.occupancy.has_value();
  const float gauge = shown ? pen.px(3) : 0;
  const float y = box.y + (box.h - gauge) / 2;
  if (value.legal)
    pen.canvas.fill_rect(box, value.present ? ColourRole::kHover : ColourRole::kRaised, 3);
  const TextStyle style =
      pen.style(11,
                value.present ? Paint(ColourRole::kStrong)
                              : Paint(value.legal ? ColourRole::kText : ColourRole::kDim),
                value.present ? Weight::kBold : Weight::kRegular);
  const std::string number = std::to_string(value.value);
  const float width = pen.width(number, style);
  if (width <= box.w - 2) {
    pen.text(width <= room ? inside : box.center().x - width / 2, y, number, style);
  }
  if (shown) {
    const Paint tone = tone_of(value, picture);
    const int warps = value.occupancy->warps_per_multiprocessor;
    const TextStyle right = pen.style(11, tone, Weight::kMedium, Align::kRight);
    const std::string count = std::to_string(warps);
    if (with_count) pen.text(box.right() - pen.px(5), y, count, right);
    const float share = static_cast<float>(value.occupancy->percent()) / 100;
    pen.canvas.fill_rect({box.x, box.bottom() - gauge, box.w, gauge}, ColourRole::kLine, 1);
    pen.canvas.fill_rect({box.x, box.bottom() - gauge, box.w * share, gauge}, tone, 1);
  }
  if (value.present) pen.outline(box, ColourRole::kSelection, 1.5f, 3);
  pen.canvas.hit(box, hit_of(strip, value, picture));
}

}  // namespace

void draw_parameter_strips(Pen& pen, const Rect& area, const ViewContext& context,
                           const OccupancyPicture& picture) {
  const auto strips =
      parameter_occupancies({*context.entry, context.study->instance,
                             context.prepared->static_shared, *picture.device, picture.request});
  if (strips.empty()) return;
  pen.source_mark({area.x + pen.px(4), area.y + pen.px(8)}, Source::kModelled, ColourRole::kDim);
  pen.hit({area.x, area.y, pen.px(12), pen.px(16)}, HitKind::kNone, 0,
          "Modelled: threads and shared memory follow from the kernel's own expressions, the "
          "registers of another value are known once it is compiled.");
  pen.heading(area.x + pen.px(14), area.y + pen.px(8), "WARPS AT EACH VALUE",
              fmt::format("{}registers taken to stay at {}", pen.hint("click to set; "),
                          picture.request.registers_per_thread),
              area.right());
  const float top = area.y + pen.px(20);
  const float least = pen.px(20);
  const float room = area.bottom() - top;
  // Side by side where one column would leave some out.
  const bool two_columns =
      least * static_cast<float>(strips.size()) > room && area.w >= pen.px(480);
  const std::size_t columns = two_columns ? 2 : 1;
  const float gap = pen.px(16);
  const float column = two_columns ? (area.w - gap) / 2 : area.w;
  std::size_t rows = (strips.size() + columns - 1) / columns;
  float pitch = std::min(room / static_cast<float>(rows), pen.px(34));
  if (pitch < least) {  // the last line says how many are left out
    pitch = least;
    rows = static_cast<std::size_t>(std::max(room / least - 1, 0.0f));
  }
  const std::size_t shown = std::min(rows * columns, strips.size());
  const TextStyle style = pen.style(12, ColourRole::kText, Weight::kMedium);
  float names = 0;
  std::size_t most_values = 1;
  for (const ParameterOccupancy& strip : strips) {
    names = std::max(names, pen.width(strip.name, style));
    most_values = std::max(most_values, strip.values.size());
  }
  names = std::min(names, column * 0.3f) + pen.px(8);
  // All rows in the same columns where these are wide enough, else each as its own values need.
  const float common = value_width(pen, column - names, most_values);
  const bool aligned = std::ranges::all_of(
      strips, [&](const ParameterOccupancy& strip) { return counts_fit(pen, strip, common); });
  for (std::size_t i = 0; i < shown; ++i) {
    const float left = area.x + (column + gap) * static_cast<float>(i / rows);
    const float y = top + pitch * static_cast<float>(i % rows);
    const float height = std::min(pitch - pen.px(3), pen.px(26));
    pen.text(left, y + height / 2, pen.fitted(strips[i].name, style, names - pen.px(8)), style);
    float x = left + names;
    const float width =
        aligned ? common : value_width(pen, column - names, strips[i].values.size());
    const bool counts = counts_fit(pen, strips[i], width);
    for (const ValueOccupancy& value : strips[i].values) {
      draw_value(pen, {x, y, width, height}, strips[i], value, picture, counts);
      x += width + pen.px(kGap);
    }
  }
  if (shown < strips.size()) {
    const TextStyle dim = pen.style(11, ColourRole::kDim);
    const std::size_t hidden = strips.size() - shown;
    pen.text(area.x, top + pitch * static_cast<float>(rows) + pen.px(7),
             pen.fitted(fmt::format("{}{}", counted(hidden, "more parameter"),
                                    pen.hint(" in a taller window")),
                        dim, area.w),
             dim);
  }
}

}  // namespace tilescope
