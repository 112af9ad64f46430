#include "ui/panels/known_combinations.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "session/readings.h"
#include "store/recorded_library.h"
#include "ui/desk/desk_measurements.h"
#include "ui/panels/tuned_point.h"
#include "ui/panels/tuner_table.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostShown = 12;

// The fastest combinations that are known before the tuner begins, and what is said of them.
struct Known {
  std::string heading;
  Source source = Source::kRecorded;
  std::string where;  // "on NVIDIA H200"; empty: modelled
  std::vector<TunedRow> rows;
  std::size_t count = 0;  // with those that are not shown
};

// What the tuner tried of the active variant's kernel before, in this sitting or in the file's.
bool take_tried(const Desk& desk, Known* known) {
  const Variant& active = desk.bench.active();
  const auto run = tuned_run(desk);
  if (!run || !is_of(*run, *active.entry, active.extents, active.factors)) return false;
  const auto figure = tuned_figure(*run, desk.bench.catalogue());
  if (!figure) return false;
  known->heading = "TRIED BEFORE";
  known->rows = figure->rows;
  known->count = known->rows.size();
  known->source = known->rows.front().source;
  const bool own = desk.tuner.found() != nullptr;
  if (!own && known->source == Source::kMeasured) known->source = Source::kRecorded;
  if (known->source != Source::kModelled) known->where = "on " + figure->gpus();
  return true;
}

void take_recorded(const Desk& desk, Known* known) {
  const Variant& active = desk.bench.active();
  const std::vector<const RecordedRun*> runs =
      desk.recorded.runs(*active.entry, active.extents, active.factors);
  known->heading = "RECORDED";
  known->where = "on " + desk.recorded.gpu();
  known->count = runs.size();
  for (std::size_t i = 0; i < std::min(kMostShown, runs.size()); ++i) {
    TunedRow& row = known->rows.emplace_back();
    row.parameters = runs[i]->parameters;
    row.seconds = runs[i]->times.median_seconds;
    if (runs[i]->reference) row.reference_seconds = runs[i]->reference->median_seconds;
  }
}

// Its values, those that differ from the present ones in colour, and its time.
void draw_row(Sheet& sheet, const Rect& row, std::size_t rank, const TunedRow& known,
              const std::string& time) {
  Desk& desk = sheet.desk();
  const Variant& active = desk.bench.active();
  const float y = row.y + kTunerRow / 2;
  const ChartKey at{active.entry->id, known.parameters, active.extents, active.factors};
  const bool present = stands_at(active, at);
  ImGui::PushID(static_cast<int>(rank));
  const Touch touch = sheet.control("recorded", row);
  ImGui::PopID();
  if (present || touch.hovered) {
    sheet.canvas().fill_rect(row, present ? ColourRole::kRaised : ColourRole::kHover, 4);
  }
  const auto cell = [&](float right, const std::string& words, Paint ink, Weight weight) {
    sheet.text(right, y, words, styled(12, ink, weight, Align::kRight));
  };
  cell(row.x + 24, std::to_string(rank), ColourRole::kDim, Weight::kRegular);
  float right = row.x + 28;
  for (const ParameterSpec& spec : active.entry->parameters) {
    right += parameter_width(spec);
    const std::int64_t value = known.parameters.at(spec.name);
    const bool changed = value != active.parameters.at(spec.name);
    cell(right, std::to_string(value), changed ? ColourRole::kFirst : ColourRole::kText,
         changed ? Weight::kSemibold : Weight::kRegular);
  }
  cell(right + 84, time, ColourRole::kStrong, Weight::kMedium);
  if (known.reference_seconds > 0 && right + 152 <= row.right()) {
    cell(right + 152, format(100 * known.reference_seconds / known.seconds, Unit::kPercent),
         ColourRole::kText, Weight::kRegular);
  }
  sheet.explain(row, present ? "The sliders stand here." : std::string(kClickSets.substr(1)));
  if (touch.clicked && !present) go_to_tried(desk, at);
}

// Returns the y of the first row.
float draw_head(Sheet& sheet, const Rect& area, const Known& known) {
  const Variant& active = sheet.desk().bench.active();
  sheet.text(area.x, area.y, known.heading, heading_style());
  const float after = area.x + sheet.canvas().text_width(known.heading, heading_style());
  sheet.mark({after + 16, area.y}, known.source, ColourRole::kDim);
  const std::size_t shown = std::min(kMostShown, known.count);
  sheet.fitted(
      after + 26, area.right(), area.y,
      fmt::format("at this size{}{}, {} of {}", known.where.empty() ? "" : " ", known.where,
                  shown < known.count ? fmt::format("the fastest {}", shown) : std::string("all"),
                  format_count(known.count)),
      styled(11, ColourRole::kDim));
  const TextStyle head = styled(11, ColourRole::kDim, Weight::kMedium, Align::kRight);
  const float y = area.y + 24;
  float right = area.x + 28;
  for (const ParameterSpec& spec : active.entry->parameters) {
    right += parameter_width(spec);
    sheet.text(right, y, spec.name, head);
  }
  sheet.text(right + 84, y, "time", head);
  if (known.rows.front().reference_seconds > 0 && right + 152 <= area.right()) {
    sheet.text(right + 152, y, "of ref.", head);
    sheet.explain({right + 92, y - 10, 60, 20},
                  "Of cuBLAS or the device copy, which ran in turn with it.");
  }
  return y + 12;
}

}  // namespace

float draw_known_combinations(Sheet& sheet, const Rect& area) {
  Known known;
  if (!take_tried(sheet.desk(), &known)) take_recorded(sheet.desk(), &known);
  if (known.rows.empty()) return area.y;
  float y = draw_head(sheet, area, known);
  known.rows.resize(std::min(kMostShown, known.rows.size()));
  std::vector<double> seconds;
  for (const TunedRow& row : known.rows) seconds.push_back(row.seconds);
  const std::vector<std::string> times = format_times(seconds);
  for (std::size_t i = 0; i < known.rows.size(); ++i) {
    draw_row(sheet, {area.x, y, area.w, kTunerRow}, i + 1, known.rows[i], times[i]);
    y += kTunerRow;
  }
  return y;
}

}  // namespace tilescope
