#include "ui/panels/tuner_table.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "analysis/peak_rate.h"
#include "kernel/gemm_factors.h"
#include "kernel/parameter_values.h"
#include "store/recorded_library.h"
#include "ui/desk/rates.h"
#include "ui/panels/tuned_point.h"
#include "ui/panels/tuner_words.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostRows = 100;

// What a column says of a variant; empty: nothing.
struct Column {
  std::string title;
  std::string meaning;
  float width = 0;
  int priority = 0;  // 0 stays; the largest goes first where there is no room
  std::function<std::string(const TunedVariant&)> words;
};

// The shortest and the longest that the table shows.
std::array<double, 2> times_of(const Tuner& tuner) {
  std::array<double, 2> ends{};
  for (const TunedVariant& variant : tuner.ranked()) {
    for (const double seconds : {variant.seconds, variant.recorded_seconds}) {
      if (seconds <= 0) continue;
      ends[0] = ends[0] > 0 ? std::min(ends[0], seconds) : seconds;
      ends[1] = std::max(ends[1], seconds);
    }
  }
  return ends;
}

// A time in the unit that the whole column has.
std::string in_column(const std::array<double, 2>& ends, double seconds) {
  return format_times(std::array{seconds, ends[0], ends[1]}).front();
}

std::vector<Column> columns_of(Desk& desk) {
  const Tuner& tuner = desk.tuner;
  const CatalogueEntry& entry = *tuner.entry();
  std::vector<Column> columns;
  for (const ParameterSpec& spec : entry.parameters) {
    if (!tuner.explored().contains(spec.name) || spec.values.size() < 2) continue;
    columns.push_back(
        {spec.name, spec.meaning + ".", parameter_width(spec), 0,
         [name = spec.name](const auto& v) { return std::to_string(v.parameters.at(name)); }});
  }
  const auto times = times_of(tuner);
  columns.push_back({"time",
                     tuner.measures() ? "Of a launch, the median." : "Of a launch, modelled.", 78,
                     0, [times](const TunedVariant& v) {
                       return v.seconds > 0 ? in_column(times, v.seconds) : std::string("–");
                     }});
  const RateUnit unit = shown_unit(desk, entry.problem);
  const double peak = peak_rate(entry, desk.bench.device_model());
  auto instance = instantiate(entry, tuner.start_parameters(), tuner.extents(), tuner.factors(),
                              desk.bench.device_model());
  if (instance && unit != RateUnit::kTime) {
    const ProblemCost work = problem_cost(*instance);
    const auto value_of = [=, problem = entry.problem](const TunedVariant& v) {
      RateBasis basis = basis_of(problem, work, peak, 0);
      if (v.reference_seconds > 0) basis.reference = basis.own / v.reference_seconds;
      return v.seconds > 0 ? in_unit(basis.own / v.seconds, unit, basis) : std::nullopt;
    };
    double most = 0;
    for (const TunedVariant& v : tuner.ranked()) most = std::max(most, value_of(v).value_or(0));
    const RateScale scale = scale_for(unit, most, "ref.");
    columns.push_back(
        {scale.word, "Work over that time.", 84, 1, [=](const TunedVariant& v) -> std::string {
           const auto value = value_of(v);
           return value ? format(*value / scale.divisor, Unit::kNone) : "";
         }});
  }
  const auto any = [&](auto member) {
    return std::ranges::any_of(tuner.ranked(), [&](const auto& v) { return v.*member > 0; });
  };
  if (any(&TunedVariant::reference_seconds) && unit != RateUnit::kReferenceShare) {
    columns.push_back({"of ref.", "Of cuBLAS or the device copy, measured in the same run.", 64, 2,
                       [](const TunedVariant& v) -> std::string {
                         if (v.seconds <= 0 || v.reference_seconds <= 0) return "";
                         return format(100 * v.reference_seconds / v.seconds, Unit::kPercent);
                       }});
  }
  if (any(&TunedVariant::recorded_seconds)) {
    columns.push_back({"recorded", "Measured earlier, on " + desk.recorded.gpu() + ".", 84, 3,
                       [times](const TunedVariant& v) -> std::string {
                         return v.recorded_seconds > 0 ? in_column(times, v.recorded_seconds) : "";
                       }});
  }
  columns.push_back({"regs", "Registers of a thread, from ptxas.", 48, 5, [](const auto& v) {
                       return v.registers > 0 ? std::to_string(v.registers) : std::string();
                     }});
  columns.push_back(
      {"shared", "Shared memory of a block.", 76, 6, [](const TunedVariant& v) -> std::string {
         return v.registers > 0 ? format(v.shared_bytes, Unit::kBytes) : "";
       }});
  columns.push_back({"occupancy", "Warps that an SM holds, of those it could.", 82, 4,
                     [](const TunedVariant& v) -> std::string {
                       return v.occupancy > 0 ? format(v.occupancy, Unit::kPercent) : "";
                     }});
  return columns;
}

void drop_columns(float room, std::vector<Column>* columns) {
  const auto wide = [&] {
    float sum = 0;
    for (const Column& column : *columns) sum += column.width;
    return sum;
  };
  while (wide() > room) {
    const auto least = std::ranges::max_element(*columns, {}, &Column::priority);
    if (least->priority == 0) break;
    columns->erase(least);
  }
}

void draw_variant(Sheet& sheet, const Rect& row, std::size_t rank, const TunedVariant& variant,
                  const std::vector<Column>& columns) {
  Desk& desk = sheet.desk();
  const Tuner& tuner = desk.tuner;
  const Variant& active = desk.bench.active();
  const float y = row.y + kTunerRow / 2;
  const ChartKey at{tuner.entry()->id, variant.parameters, tuner.extents(), tuner.factors()};
  const bool present = stands_at(active, at);
  const bool start = variant.parameters == tuner.start_parameters();
  ImGui::PushID(static_cast<int>(rank));
  const Touch touch = sheet.control("variant", row);
  ImGui::PopID();
  if (!sheet.is_visible(row) && !touch.clicked) return;
  if (present || touch.hovered) {
    sheet.canvas().fill_rect(row, present ? ColourRole::kRaised : ColourRole::kHover, 4);
  }
  const bool known = variant.seconds > 0;
  sheet.text(row.x + 24, y, known ? std::to_string(rank) : "–",
             styled(12, ColourRole::kDim, Weight::kRegular, Align::kRight));
  if (known) {
    sheet.mark({row.x + 36, y}, tuner.measures() ? Source::kMeasured : Source::kModelled,
               ColourRole::kText);
  }
  float right = row.x + 48;
  for (const Column& column : columns) {
    right += column.width;
    const bool parameter = variant.parameters.contains(column.title);
    const bool changed = parameter && variant.parameters.at(column.title) !=
                                          tuner.start_parameters().at(column.title);
    const Paint ink = !known                   ? ColourRole::kFaint
                      : changed                ? ColourRole::kFirst
                      : column.title == "time" ? ColourRole::kStrong
                                               : ColourRole::kText;
    sheet.text(right, y, column.words(variant),
               styled(12, ink, changed ? Weight::kSemibold : Weight::kRegular, Align::kRight));
  }
  if (start && right + 44 <= row.right()) {
    sheet.text(right + 10, y, "start", styled(11, ColourRole::kDim));
  }
  std::string words = known ? tuner.measures()
                                  ? variant.refined ? "Measured, 100 launches at most."
                                                    : "Measured, 20 launches at most."
                                  : "Modelled: the time model's answer, not a measurement."
                            : "No time: " + variant.problem + ".";
  if (start) words += " The tuner started here.";
  if (!present) words += kClickSets;
  sheet.explain(row, words);
  if (touch.clicked && !present) go_to_tried(desk, at);
}

}  // namespace

float draw_tuner_table(Sheet& sheet, const Rect& area) {
  Desk& desk = sheet.desk();
  const Tuner& tuner = desk.tuner;
  std::vector<Column> columns = columns_of(desk);
  drop_columns(area.w - 48, &columns);
  float y = area.y;
  sheet.text(area.x, y, "TRIED", heading_style());
  const float after = area.x + sheet.canvas().text_width("TRIED", heading_style());
  sheet.fitted(after + 12, area.right(), y,
               tuner.entry()->id + " at " +
                   with_factors_text(values_words(tuner.entry(), tuner.extents()), tuner.factors()),
               styled(11, ColourRole::kDim));
  y += 24;
  float right = area.x + 48;
  for (const Column& column : columns) {
    right += column.width;
    sheet.text(right, y, column.title,
               styled(11, ColourRole::kDim, Weight::kMedium, Align::kRight));
    sheet.explain({right - column.width, y - 10, column.width, 20}, column.meaning);
  }
  y += 12;
  const std::size_t shown = std::min(kMostRows, tuner.ranked().size());
  for (std::size_t i = 0; i < shown; ++i) {
    draw_variant(sheet, {area.x, y, area.w, kTunerRow}, i + 1, tuner.ranked()[i], columns);
    y += kTunerRow;
  }
  if (shown < tuner.ranked().size()) {
    sheet.text(area.x + 48, y + 12,
               "and " + format_count(tuner.ranked().size() - shown) + " slower ones",
               styled(12, ColourRole::kDim));
    y += 24;
  }
  return y;
}

}  // namespace tilescope
