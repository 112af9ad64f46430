#include "scene/occupancy/occupancy_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/occupancy/occupancy.h"
#include "core/quantity.h"
#include "scene/occupancy/occupancy_scene.h"

namespace tilescope {
namespace {

struct CurveKind {
  OccupancyAxis axis = OccupancyAxis::kBlockSize;
  std::string_view title;
  std::string_view narrow;
};
constexpr std::array kCurves{
    CurveKind{OccupancyAxis::kBlockSize, "Threads per block", "Threads"},
    CurveKind{OccupancyAxis::kRegisters, "Registers per thread", "Registers"},
    CurveKind{OccupancyAxis::kSharedMemory, "Shared memory per block", "Shared memory"},
};

OccupancyAxis axis_of(OccupancyLimit limit) {
  if (limit == OccupancyLimit::kRegisters) return OccupancyAxis::kRegisters;
  if (limit == OccupancyLimit::kSharedMemory) return OccupancyAxis::kSharedMemory;
  return OccupancyAxis::kBlockSize;
}

std::string amount(OccupancyAxis axis, int value) {
  return axis == OccupancyAxis::kSharedMemory ? format(value, Unit::kBytes)
                                              : format_count(static_cast<std::uint64_t>(value));
}

// A chart of one curve: values to the right, warps upwards.
struct Chart {
  Rect plot;
  int most_value = 1;
  int most_warps = 1;
  [[nodiscard]] float x(int value) const {
    return plot.x + plot.w * static_cast<float>(value) / static_cast<float>(most_value);
  }
  [[nodiscard]] float y(int warps) const {
    return plot.bottom() - plot.h * static_cast<float>(warps) / static_cast<float>(most_warps);
  }
};

// Neighbouring steps with the same number of blocks: of a block size, many.
struct Plateau {
  int first = 0;
  int last = 0;
  int blocks = 0;
  int least_warps = 0;
  int most_warps = 0;
};
std::vector<Plateau> plateaus_of(const std::vector<OccupancyStep>& steps) {
  std::vector<Plateau> plateaus;
  for (const OccupancyStep& step : steps) {
    if (plateaus.empty() || plateaus.back().blocks != step.blocks) {
      plateaus.push_back({step.first, step.last, step.blocks, step.warps, step.warps});
    }
    plateaus.back().last = step.last;
    plateaus.back().least_warps = std::min(plateaus.back().least_warps, step.warps);
    plateaus.back().most_warps = std::max(plateaus.back().most_warps, step.warps);
  }
  return plateaus;
}

void draw_axis(Pen& pen, const Chart& chart, const CurveKind& kind, bool with_warps) {
  for (const int part : {0, 1, 2}) {
    const int warps = chart.most_warps * part / 2;
    pen.canvas.line({chart.plot.x, chart.y(warps)}, {chart.plot.right(), chart.y(warps)},
                    ColourRole::kLine, 1);
    const bool crowded = part == 1 && chart.plot.h < pen.px(40);
    if (with_warps && !crowded) {
      pen.text(chart.plot.x - pen.px(6), chart.y(warps), std::to_string(warps),
               pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
    }
  }
  const float y = chart.plot.bottom() + pen.px(9);
  const TextStyle left = pen.style(11, ColourRole::kDim);
  const TextStyle right = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const TextStyle middle = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  const std::string zero = kind.axis == OccupancyAxis::kSharedMemory ? "0 B" : "0";
  const std::string most = amount(kind.axis, chart.most_value);
  pen.text(chart.plot.x, y, zero, left);
  pen.text(chart.plot.right(), y, most, right);
  const int half_value = (chart.most_value + 1) / 2;
  const std::string half = amount(kind.axis, half_value);
  const float beside = pen.width(half, middle) / 2 + pen.width(most, right) + pen.px(8);
  if (beside <= chart.plot.right() - chart.x(half_value)) {
    pen.text(chart.x(half_value), y, half, middle);
  }
}

// How many blocks each plateau holds, below its line and out of the way of what is marked at
// `marked`; above it where there is no room below.
void draw_block_counts(Pen& pen, const Chart& chart, const std::vector<OccupancyStep>& steps,
                       const std::vector<float>& marked) {
  const TextStyle style = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  const float reach = pen.px(6);  // of a mark, to each side
  for (const Plateau& plateau : plateaus_of(steps)) {
    if (plateau.blocks == 0) continue;
    const std::string blocks = std::to_string(plateau.blocks);
    float widest = 0;
    float middle = 0;
    const auto consider = [&](float from, float to) {
      if (to - from <= widest) return;
      widest = to - from;
      middle = (from + to) / 2;
    };
    float from = chart.x(plateau.first);
    const float end = chart.x(plateau.last);
    for (const float mark : marked) {
      if (mark < from - reach || mark > end + reach) continue;
      consider(from, mark - reach);
      from = mark + reach;
    }
    consider(from, end);
    if (pen.width(blocks, style) + pen.px(3) > widest) continue;
    const float line = chart.y(plateau.least_warps);
    const bool below = chart.plot.bottom() - line >= pen.px(18);
    pen.text(middle, below ? line + pen.px(9) : chart.y(plateau.most_warps) - pen.px(8), blocks,
             style);
  }
}

void draw_steps(Pen& pen, const Chart& chart, const CurveKind& kind,
                const std::vector<OccupancyStep>& steps) {
  std::vector<Point> line;
  for (const OccupancyStep& step : steps) {
    const float left = chart.x(step.first == 1 ? 0 : step.first - 1);
    const float right = chart.x(step.last);
    const float y = chart.y(step.warps);
    // On whole pixels, so that neighbours neither overlap nor leave a gap.
    const Rect below{std::round(left), y, std::round(right) - std::round(left),
                     chart.plot.bottom() - y};
    if (below.h > 0) pen.canvas.fill_rect(below, Paint(ColourRole::kFirst, 0.16f));
    line.push_back({left, y});
    line.push_back({right, y});
    const std::string range =
        step.first == step.last || step.first == 0
            ? amount(kind.axis, step.last)
            : fmt::format("{} to {}", amount(kind.axis, step.first), amount(kind.axis, step.last));
    pen.hit({left, chart.plot.y, std::max(right - left, 1.0f), chart.plot.h}, HitKind::kNone, 0,
            step.blocks == 0
                ? fmt::format("{}, {}: such a block cannot run.", kind.title, range)
                : fmt::format("{}, {}: {}, {} per SM, limited by {}.", kind.title, range,
                              counted(step.blocks, "block"), counted(step.warps, "warp"),
                              limits_in_words(step.limits)));
  }
  pen.canvas.polyline(line, ColourRole::kFirst, 1.5f);
}

// A ring at the present point, and where more warps would begin.
void draw_present(Pen& pen, const Chart& chart, const CurveKind& kind, int value,
                  const std::vector<OccupancyStep>& steps, const OccupancyPicture& picture) {
  const auto step = step_at(steps, value);
  if (!step) return draw_block_counts(pen, chart, steps, {});
  const Point at{chart.x(value), chart.y(step->warps)};
  std::vector<float> marked{at.x};
  if (const auto up = next_step_up(steps, value)) {
    const float x = chart.x(up->value);
    marked.push_back(x);
    const float y = chart.y(up->step.warps);
    pen.canvas.line({x, y}, {x, chart.plot.bottom()}, Paint(ColourRole::kIdeal, 0.8f),
                    pen.px(1.5f));
    pen.canvas.fill_circle({x, y}, pen.px(3), ColourRole::kIdeal);
    pen.hit({x - pen.px(4), y - pen.px(4), pen.px(8), chart.plot.bottom() - y + pen.px(4)},
            HitKind::kNone, 0,
            fmt::format("{}, {}: here {} would fit, {} per SM.", kind.title,
                        amount(kind.axis, up->value), counted(up->step.blocks, "block"),
                        counted(up->step.warps, "warp")));
  }
  std::ranges::sort(marked);
  draw_block_counts(pen, chart, steps, marked);
  pen.canvas.line(at, {at.x, chart.plot.bottom()}, ColourRole::kSelection, 1);
  pen.canvas.fill_circle(at, pen.px(5), ColourRole::kSelection);
  pen.canvas.fill_circle(at, pen.px(3), ColourRole::kBackground);
  pen.hit(
      {at.x - pen.px(7), at.y - pen.px(7), pen.px(14), pen.px(14)}, HitKind::kNone, 0,
      fmt::format("Now: {} {}, {}, {} per SM{}.", kind.title, amount(kind.axis, value),
                  counted(step->blocks, "block"), counted(step->warps, "warp"),
                  picture.as_compiled ? "" : ", with the registers of " + picture.architecture));
}

// "80 or fewer: 24 warps".
std::vector<std::string> advice(const CurveKind& kind, int value,
                                const std::vector<OccupancyStep>& steps, int most_warps) {
  const auto up = next_step_up(steps, value);
  if (!up) {
    const auto step = step_at(steps, value);
    if (step && step->warps == most_warps) return {"every warp slot is taken", "full"};
    return {"no value allows more warps", "none allows more"};
  }
  const std::string edge = amount(kind.axis, up->value);
  const std::string_view how = kind.axis == OccupancyAxis::kBlockSize ? "" : " or less";
  return {fmt::format("{}{}: {} warps", edge, how, up->step.warps),
          fmt::format("{}: {} warps", edge, up->step.warps)};
}

void draw_curve(Pen& pen, const Rect& area, const CurveKind& kind, bool with_warps,
                const OccupancyPicture& picture) {
  const auto steps = occupancy_steps(*picture.device, picture.request, kind.axis);
  const int value = axis_value(picture.request, kind.axis);
  const float left = with_warps ? pen.px(24) : 0;
  Chart chart;
  const bool brief = area.h < pen.px(150);  // title and advice on one line
  const float head = pen.px(brief ? 26 : 46);
  chart.plot = {area.x + left, area.y + head, area.w - left, area.h - head - pen.px(18)};
  chart.most_warps = std::max(picture.device->max_threads_per_multiprocessor / 32, 1);
  chart.most_value = steps.empty() ? std::max(value, 1) : steps.back().last;

  const TextStyle title = pen.style(12, ColourRole::kText);
  const TextStyle strong = pen.style(12, ColourRole::kStrong, Weight::kSemibold);
  const std::string now = amount(kind.axis, value);
  const float room = chart.plot.w - pen.width(now, strong) - pen.px(6);
  const bool whole = !brief && pen.width(kind.title, title) <= room;
  const std::string fitted = pen.fitted(whole ? kind.title : kind.narrow, title, room);
  const float y = area.y + pen.px(8);
  pen.text(chart.plot.x, y, fitted, title);
  float x = chart.plot.x + pen.width(fitted, title) + pen.px(6);
  pen.text(x, y, now, strong);
  x = brief ? x + pen.width(now, strong) + pen.px(12) : chart.plot.x;
  const Paint tone = next_step_up(steps, value) ? ColourRole::kIdeal : ColourRole::kDim;
  pen.first_that_fits(x, y + pen.px(brief ? 0 : 16), advice(kind, value, steps, chart.most_warps),
                      pen.style(11, tone, Weight::kMedium), chart.plot.right() - x);
  draw_axis(pen, chart, kind, with_warps);
  if (steps.empty()) return;
  draw_steps(pen, chart, kind, steps);
  draw_present(pen, chart, kind, value, steps, picture);
}

}  // namespace

void draw_occupancy_curves(Pen& pen, const Rect& area, const OccupancyPicture& picture) {
  pen.heading(area.x, area.y + pen.px(8), "RESIDENT WARPS PER SM",
              "numbers: blocks per SM; green: more warps would fit", area.right());
  const float top = area.y + pen.px(20);
  const auto fitting = static_cast<std::size_t>(std::max(area.w / pen.px(140), 1.0f));
  std::vector<CurveKind> shown(kCurves.begin(), kCurves.end());
  if (fitting < shown.size()) {  // that of the limit first
    const OccupancyAxis first =
        picture.occupancy ? axis_of(picture.occupancy->limit) : OccupancyAxis::kBlockSize;
    std::stable_partition(shown.begin(), shown.end(),
                          [first](const CurveKind& kind) { return kind.axis == first; });
    shown.resize(fitting);
  }
  const float gap = pen.px(18);
  const auto count = static_cast<float>(shown.size());
  const float label = pen.px(24);  // the first one has the warps written beside it
  const float width = (area.w - label - gap * (count - 1)) / count;
  float x = area.x;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const float own = width + (i == 0 ? label : 0);
    draw_curve(pen, {x, top, own, area.bottom() - top}, shown[i], i == 0, picture);
    x += own + gap;
  }
}

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
    hit.tooltip =
        fmt::format("{} is not valid for the kernel or the {} with the other current values.", what,
                    picture.device_name);
    return hit;
  }
  hit.kind = HitKind::kParameter;
  hit.name = strip.name;
  hit.value = value.value;
  if (!value.occupancy) {
    hit.tooltip =
        fmt::format("{}: its shared memory is known after compiling. Click to set.", what);
    return hit;
  }
  const OccupancyRequest& request = value.request;
  const Occupancy& occupancy = *value.occupancy;
  hit.tooltip = fmt::format(
      "{}: {} threads, {} of shared memory, {} registers{}. {} and {} of {} warps per SM, "
      "limited by {}. {}",
      what, request.threads_per_block,
      format(request.static_shared_bytes + request.dynamic_shared_bytes, Unit::kBytes),
      request.registers_per_thread, value.present ? "" : " as in the current kernel (modelled)",
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
          "Modelled: threads and shared memory follow from the kernel's expressions; the registers "
          "of another value are known after compiling.");
  pen.heading(area.x + pen.px(14), area.y + pen.px(8), "WARPS AT EACH VALUE",
              fmt::format("{}registers assumed to stay at {}", pen.hint("click to set; "),
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
