#include "ui/panels/tuner_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/time/machine_rates.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/gemm_factors.h"
#include "scene/rates/tuned_figure.h"
#include "session/readings.h"
#include "store/recorded_library.h"
#include "ui/state/chart_data.h"
#include "ui/state/layout.h"
#include "ui/state/measurements.h"
#include "ui/state/panel_surface.h"
#include "ui/state/picture_export.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

// A row of the tuner's tables stands for a point: a kernel as it ships, its parameters, the size
// and the factors that it was measured with.
inline constexpr std::string_view kClickSets = " Click to use it.";

// px of a parameter's column.
float parameter_width(const ParameterSpec& spec) {
  return 20 + 7.5F * static_cast<float>(spec.name.size());
}

bool stands_at(const Variant& variant, const ChartKey& point) {
  return variant.entry != nullptr && !variant.is_edited() && variant.entry->id == point.kernel &&
         variant.parameters == point.parameters && variant.extents == point.extents &&
         variant.factors == point.factors;
}

// Sets the active variant to it: one step of undo.
void go_to_tried(WindowState& state, const ChartKey& point) {
  go_to(state, point);
  if (state.workbench.active().is_edited())
    state.workbench.revert_source();  // what ships was tried
}

inline constexpr float kTunerRow = 22;  // units, of the tuner's tables and choices

constexpr std::size_t kMostVariants = 100;

// What a column says of a variant; empty: nothing.
struct VariantColumn {
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

std::vector<VariantColumn> columns_of(WindowState& state) {
  const Tuner& tuner = state.tuner;
  const CatalogueEntry& entry = *tuner.entry();
  std::vector<VariantColumn> columns;
  for (const ParameterSpec& spec : entry.parameters) {
    if (!tuner.explored().contains(spec.name) || spec.values.size() < 2) continue;
    columns.push_back(
        {spec.name, spec.meaning + ".", parameter_width(spec), 0,
         [name = spec.name](const auto& v) { return std::to_string(v.parameters.at(name)); }});
  }
  const auto times = times_of(tuner);
  columns.push_back({"time",
                     tuner.measures() ? "Median time of a launch." : "Modelled time of a launch.",
                     78, 0, [times](const TunedVariant& v) {
                       return v.seconds > 0 ? in_column(times, v.seconds) : std::string("–");
                     }});
  const RateUnit unit = shown_unit(state, entry.problem);
  const double peak = peak_rate(entry, state.workbench.device_model());
  auto instance = instantiate(entry, tuner.start_parameters(), tuner.extents(), tuner.factors(),
                              state.workbench.device_model());
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
        {scale.word, "Work divided by the time.", 84, 1, [=](const TunedVariant& v) -> std::string {
           const auto value = value_of(v);
           return value ? format(*value / scale.divisor, Unit::kNone) : "";
         }});
  }
  const auto any = [&](auto member) {
    return std::ranges::any_of(tuner.ranked(), [&](const auto& v) { return v.*member > 0; });
  };
  if (any(&TunedVariant::reference_seconds) && unit != RateUnit::kReferenceShare) {
    columns.push_back({"of ref.", "Share of cuBLAS or the device copy, measured in the same run.",
                       64, 2, [](const TunedVariant& v) -> std::string {
                         if (v.seconds <= 0 || v.reference_seconds <= 0) return "";
                         return format(100 * v.reference_seconds / v.seconds, Unit::kPercent);
                       }});
  }
  if (any(&TunedVariant::recorded_seconds)) {
    const bool here = state.recorded.gpu() == state.workbench.device_model().name;
    const std::string title = here ? "recorded" : "on " + short_gpu(state.recorded.gpu());
    columns.push_back({title, "Measured earlier, on " + state.recorded.gpu() + ".", 84, 3,
                       [times](const TunedVariant& v) -> std::string {
                         return v.recorded_seconds > 0 ? in_column(times, v.recorded_seconds) : "";
                       }});
  }
  columns.push_back({"regs", "Registers per thread, from ptxas.", 48, 5, [](const auto& v) {
                       return v.registers > 0 ? std::to_string(v.registers) : std::string();
                     }});
  columns.push_back(
      {"shared", "Shared memory per block.", 76, 6, [](const TunedVariant& v) -> std::string {
         return v.registers > 0 ? format(v.shared_bytes, Unit::kBytes) : "";
       }});
  columns.push_back({"occupancy", "Resident warps per SM, as a share of the maximum.", 82, 4,
                     [](const TunedVariant& v) -> std::string {
                       return v.occupancy > 0 ? format(v.occupancy, Unit::kPercent) : "";
                     }});
  return columns;
}

void drop_columns(float room, std::vector<VariantColumn>* columns) {
  const auto wide = [&] {
    float sum = 0;
    for (const VariantColumn& column : *columns) sum += column.width;
    return sum;
  };
  while (wide() > room) {
    const auto least = std::ranges::max_element(*columns, {}, &VariantColumn::priority);
    if (least->priority == 0) break;
    columns->erase(least);
  }
}

void draw_variant(PanelSurface& surface, const Rect& row, std::size_t rank,
                  const TunedVariant& variant, const std::vector<VariantColumn>& columns) {
  WindowState& state = surface.state();
  const Tuner& tuner = state.tuner;
  const Variant& active = state.workbench.active();
  const float y = row.y + kTunerRow / 2;
  const ChartKey at{tuner.entry()->id, variant.parameters, tuner.extents(), tuner.factors()};
  const bool present = stands_at(active, at);
  const bool start = variant.parameters == tuner.start_parameters();
  ImGui::PushID(static_cast<int>(rank));
  const Touch touch = surface.control("variant", row);
  ImGui::PopID();
  if (!surface.is_visible(row) && !touch.clicked) return;
  if (present || touch.hovered) {
    surface.canvas().fill_rect(row, present ? ColourRole::kRaised : ColourRole::kHover, 4);
  }
  const bool known = variant.seconds > 0;
  surface.text(row.x + 24, y, known ? std::to_string(rank) : "–",
               styled(12, ColourRole::kDim, Weight::kRegular, Align::kRight));
  if (known) {
    surface.mark({row.x + 36, y}, tuner.measures() ? Source::kMeasured : Source::kModelled,
                 ColourRole::kText);
  }
  float right = row.x + 48;
  for (const VariantColumn& column : columns) {
    right += column.width;
    const bool parameter = variant.parameters.contains(column.title);
    const bool changed = parameter && variant.parameters.at(column.title) !=
                                          tuner.start_parameters().at(column.title);
    const Paint ink = !known                   ? ColourRole::kFaint
                      : changed                ? ColourRole::kFirst
                      : column.title == "time" ? ColourRole::kStrong
                                               : ColourRole::kText;
    surface.text(right, y, column.words(variant),
                 styled(12, ink, changed ? Weight::kSemibold : Weight::kRegular, Align::kRight));
  }
  if (start && right + 44 <= row.right()) {
    surface.text(right + 10, y, "start", styled(11, ColourRole::kDim));
  }
  std::string words = known ? tuner.measures() ? variant.refined ? "Measured, 100 launches at most."
                                                                 : "Measured, 20 launches at most."
                                               : "Modelled time, not a measurement."
                            : "No time: " + variant.problem + ".";
  if (start) words += " The tuner started here.";
  if (!present) words += kClickSets;
  surface.explain(row, words);
  if (touch.clicked && !present) go_to_tried(state, at);
}

// What the tuner has tried, the fastest first; a click sets a row's parameters. Returns the y
// below. Precondition: it was started.
float draw_tuner_table(PanelSurface& surface, const Rect& area) {
  WindowState& state = surface.state();
  const Tuner& tuner = state.tuner;
  std::vector<VariantColumn> columns = columns_of(state);
  drop_columns(area.w - 48, &columns);
  float y = area.y;
  surface.text(area.x, y, "TRIED", heading_style());
  const float after = area.x + surface.canvas().text_width("TRIED", heading_style());
  surface.fitted(
      after + 12, area.right(), y,
      tuner.entry()->id + " at " +
          with_factors_text(values_words(tuner.entry(), tuner.extents()), tuner.factors()),
      styled(11, ColourRole::kDim));
  y += 24;
  float right = area.x + 48;
  for (const VariantColumn& column : columns) {
    right += column.width;
    surface.text(right, y, column.title,
                 styled(11, ColourRole::kDim, Weight::kMedium, Align::kRight));
    surface.explain({right - column.width, y - 10, column.width, 20}, column.meaning);
  }
  y += 12;
  const std::size_t shown = std::min(kMostVariants, tuner.ranked().size());
  for (std::size_t i = 0; i < shown; ++i) {
    draw_variant(surface, {area.x, y, area.w, kTunerRow}, i + 1, tuner.ranked()[i], columns);
    y += kTunerRow;
  }
  if (shown < tuner.ranked().size()) {
    surface.text(area.x + 48, y + 12,
                 "and " + format_count(tuner.ranked().size() - shown) + " slower ones",
                 styled(12, ColourRole::kDim));
    y += 24;
  }
  return y;
}

// The fastest that are known at this size before anything is tried: what the tuner tried before, in
// this window or in that of the document's file, else what was recorded. A click sets a row's
// parameters. Returns the y below. Precondition: the active variant is a catalogue's kernel.
float draw_known_combinations(PanelSurface& surface, const Rect& area) {
  constexpr std::size_t kMostShown = 12;
  WindowState& state = surface.state();
  const Variant& active = state.workbench.active();
  const auto known = tuned_figure(state);
  if (known == nullptr) return area.y;
  TunedFigure figure = *known;
  figure.parameters = active.parameters;
  const auto run = tuned_run(state);
  const bool tried = run && is_of(*run, *active.entry, active.extents, active.factors);
  for (TunedRow& row : figure.rows) {  // measured in this window alone
    if (state.tuner.found() == nullptr && row.source == Source::kMeasured) {
      row.source = Source::kRecorded;
    }
  }
  const std::string heading = tried ? "TRIED BEFORE" : "RECORDED";
  surface.text(area.x, area.y, heading, heading_style());
  const Rect table{area.x, area.y + 12, area.w, height_of(figure, kMostShown)};
  const TunedRows rows = rows_in(figure, table);
  const std::string gpus = figure.gpus();
  surface.fitted(
      area.x + surface.canvas().text_width(heading, heading_style()) + 12, area.right(), area.y,
      fmt::format("at this size{}{}, {} of {}", gpus.empty() ? "" : " on ", gpus,
                  rows.count < figure.rows.size() ? fmt::format("the fastest {}", rows.count)
                                                  : std::string("all"),
                  format_count(figure.rows.size())),
      styled(11, ColourRole::kDim));
  std::optional<std::size_t> lit;
  std::optional<ChartKey> clicked;
  for (std::size_t i = 0; i < rows.count; ++i) {
    const ChartKey at{active.entry->id, figure.rows[i].parameters, active.extents, active.factors};
    const bool present = stands_at(active, at);
    ImGui::PushID(static_cast<int>(i + 1));
    const Touch touch = surface.control("recorded", rows.row(i));
    ImGui::PopID();
    if (touch.hovered) lit = i;
    surface.explain(rows.row(i),
                    present ? "Current values of the sliders." : std::string(kClickSets.substr(1)));
    if (touch.clicked && !present) clicked = at;
  }
  ViewContext context;
  context.theme = surface.theme();
  draw_tuned_figure(surface.canvas(), table, context, figure, lit);
  if (!lit) surface.explain_hit();
  if (clicked) go_to_tried(state, *clicked);
  return table.bottom();
}

std::string device_name(const WindowState& state) {
  const auto device = state.workbench.gpu().device();
  return device && device->ok() ? (*device)->name : std::string();
}

// A box to tick, with its name and what the slider offers.
void draw_choice(PanelSurface& surface, float y, float width, const ParameterSpec& spec) {
  Tuner& tuner = surface.state().tuner;
  const bool ready = tuner.stage() == Tuner::Stage::kReady;
  const bool on = ready ? tuner.explores(spec.name) : tuner.explored().contains(spec.name);
  const Rect row{-4, y - 11, width + 4, kTunerRow};
  const Touch touch = surface.control(("explore " + spec.name).c_str(), row);
  if (touch.hovered && ready) surface.canvas().fill_rect(row, ColourRole::kHover, 4);
  const Rect box{0, y - 6, 12, 12};
  surface.canvas().stroke_rect(box, on ? ColourRole::kFirst : ColourRole::kFaint, 1.3F, 3);
  if (on) {
    surface.canvas().line({3, y}, {5, y + 3}, ColourRole::kFirst, 1.6F);
    surface.canvas().line({5, y + 3}, {9.5F, y - 3}, ColourRole::kFirst, 1.6F);
  }
  surface.text(20, y, spec.name,
               styled(13, on ? ColourRole::kStrong : ColourRole::kDim, Weight::kMedium));
  const auto& start =
      ready ? surface.state().workbench.active().parameters : tuner.start_parameters();
  const auto value = start.find(spec.name);
  const std::string words =
      on ? std::to_string(spec.values.size()) + " values"
         : "stays " + std::to_string(value != start.end() ? value->second : spec.default_value);
  surface.text(width, y, words, styled(12, ColourRole::kDim, Weight::kRegular, Align::kRight));
  surface.explain(row, spec.meaning + (ready ? on ? ". Click to keep its value."
                                                  : ". Click to let the tuner change it."
                                             : "."));
  if (touch.clicked && ready) tuner.explore(spec.name, !on);
}

void draw_progress(PanelSurface& surface, float y, float width) {
  const Tuner& tuner = surface.state().tuner;
  const float share = tuner.size() == 0
                          ? 0.0F
                          : static_cast<float>(tuner.done()) / static_cast<float>(tuner.size());
  surface.canvas().fill_rect({0, y - 3, width, 6}, ColourRole::kRaised, 3);
  if (share > 0) {
    surface.canvas().fill_rect({0, y - 3, std::max(6.0F, share * width), 6},
                               tuner.running() ? ColourRole::kFirst : ColourRole::kFaint, 3);
  }
}

void draw_running_buttons(PanelSurface& surface, float y, float half) {
  Tuner& tuner = surface.state().tuner;
  const Rect pause{0, y, half, 28};
  if (surface.push("pause", pause, tuner.paused() ? "Continue" : "Pause"))
    tuner.pause(!tuner.paused());
  surface.explain(pause,
                  tuner.paused() ? "Continues where it stopped." : "Pauses; nothing is lost.");
  const Rect stop{half + 8, y, half, 28};
  if (surface.push("stop", stop, "Stop")) tuner.stop();
  surface.explain(stop, "Ends the run with the results so far.");
}

float draw_buttons(PanelSurface& surface, float y, float width) {
  Tuner& tuner = surface.state().tuner;
  const float half = (width - 8) / 2;
  switch (tuner.stage()) {
    case Tuner::Stage::kReady:
      if (const std::string why = why_not_tuned(surface.state().workbench.active()); !why.empty()) {
        surface.text(width / 2, y + 14, "Start from here",
                     styled(12, ColourRole::kFaint, Weight::kMedium, Align::kCenter));
        surface.explain({0, y, width, 28}, why);
      } else if (tuner.count() && tuner.count()->legal > 0) {
        const Rect start{0, y, width, 28};
        if (surface.push("start", start, "Start from here", true)) tuner.start();
        surface.explain(start,
                        "Tries every valid combination of the ticked parameters, those nearest to "
                        "the best first.");
      }
      break;
    case Tuner::Stage::kExploring:
    case Tuner::Stage::kRefining:
      draw_running_buttons(surface, y, half);
      break;
    case Tuner::Stage::kDone:
      if (surface.push("again", {0, y, width, 28}, "Start over")) tuner.reset();
      surface.explain({0, y, width, 28},
                      "Discards this run, so that you can choose what to explore.");
      break;
  }
  return y + 40;
}

// The left part: what is explored, how far it is, what can be done.
float draw_controls(PanelSurface& surface, float y, float width) {
  WindowState& state = surface.state();
  const Tuner& tuner = state.tuner;
  const CatalogueEntry* entry =
      tuner.stage() == Tuner::Stage::kReady ? state.workbench.active().entry : tuner.entry();
  if (entry == nullptr || entry->parameters.empty()) return y;
  surface.text(0, y, "EXPLORE", heading_style());
  y += 26;
  for (const ParameterSpec& spec : entry->parameters) {
    draw_choice(surface, y, width, spec);
    y += kTunerRow;
  }
  y += 4;
  if (tuner.stage() != Tuner::Stage::kReady) {
    draw_progress(surface, y, width);
    y += 14;
  }
  return draw_buttons(surface, y, width);
}

// Why the winner wins; returns the y below.
float draw_story(PanelSurface& surface, const Rect& area) {
  WindowState& state = surface.state();
  const Tuner& tuner = state.tuner;
  float y = area.y;
  if (tuner.explaining()) {
    surface.text(area.x, y, "Comparing the counters of the start and the best …",
                 styled(12, ColourRole::kDim));
    return y + 26;
  }
  if (tuner.story() == nullptr) return y;
  surface.text(area.x, y, "WHY THE WINNER WINS", heading_style());
  y += 24;
  y = surface.paragraph(area.x, y, area.w, tuner.story()->headline,
                        styled(13, ColourRole::kStrong, Weight::kSemibold));
  Variant& variant = state.workbench.active();
  int place = 0;
  for (const WinnerReason& reason : tuner.story()->reasons) {
    const float top = y;
    y = surface.paragraph(area.x + 14, y + 2, area.w - 14, reason.sentence, styled(12));
    surface.text(area.x, top + 2, std::to_string(++place), styled(12, ColourRole::kDim));
    if (reason.line == 0) continue;
    const Rect row{area.x - 4, top - 8, area.w + 8, y - top};
    ImGui::PushID(place);
    const Touch touch = surface.control("reason", row);
    ImGui::PopID();
    if (touch.clicked) variant.selection.line = reason.line;
    surface.explain(row, fmt::format("Click to select line {}.", reason.line));
  }
  return y + 16;
}

// Whether the table has a time to show.
bool knows_times(const WindowState& state) {
  if (state.tuner.stage() != Tuner::Stage::kReady) return state.tuner.best() != nullptr;
  const Variant& active = state.workbench.active();
  if (active.entry == nullptr || active.is_edited()) return false;
  const auto run = tuned_run(state);
  return (run && is_of(*run, *active.entry, active.extents, active.factors)) ||
         !state.recorded.runs(*active.entry, active.extents, active.factors).empty();
}

// The way to a file, at the right end of the first line.
void draw_export(PanelSurface& surface, float y) {
  const Rect button{surface.width() - 56, y - 10, 56, 20};
  const Touch touch = surface.control("export tuner", button);
  if (touch.hovered) surface.canvas().fill_rect(button, ColourRole::kHover, 5);
  surface.text(button.center().x, y, "export",
               styled(12, touch.hovered ? ColourRole::kStrong : ColourRole::kDim, Weight::kRegular,
                      Align::kCenter));
  surface.explain(button, "Saves the table as a file: SVG, PDF, PNG, CSV or JSON.");
  if (touch.clicked) open_picture_export(surface.state(), PictureExport::Subject::kTuner);
}

}  // namespace

void draw_tuner_panel(WindowState& state) {
  PanelSurface surface(state);
  Tuner& tuner = state.tuner;
  tuner.look();
  float y = 14;
  const std::string words = tuner_words(tuner, state.workbench.active(), device_name(state));
  const bool knows = knows_times(state);
  if (knows) draw_export(surface, y);
  y = surface.paragraph(0, y, surface.width() - (knows ? 72 : 0), words,
                        styled(15, ColourRole::kStrong)) +
      12;
  const float left = std::clamp(surface.width() * 0.24F, 180.0F, 260.0F);
  const float below_controls = draw_controls(surface, y, left);
  float below_table = y;
  if (tuner.stage() == Tuner::Stage::kReady && tuner.count() && tuner.count()->legal > 0) {
    const float x = left + 28;
    surface.text(x, y, "HOW IT WORKS", heading_style());
    const float below =
        surface.paragraph(x, y + 24, std::min(surface.width() - x, 720.0F),
                          how_it_goes(!device_name(state).empty()), styled(12, ColourRole::kDim));
    below_table = draw_known_combinations(surface, {x, below + 16, surface.width() - x, 0});
  }
  if (tuner.stage() != Tuner::Stage::kReady) {
    const Rect area{left + 28, y, surface.width() - left - 28, surface.height() - y};
    below_table = draw_story(surface, area);
    below_table = draw_tuner_table(surface, {area.x, below_table, area.w, area.h});
  }
  surface.finish(std::max(below_controls, below_table) + 8);
}

namespace {

std::string ready_words(const Tuner& tuner, const std::string& device) {
  if (!tuner.count()) return "Counting the valid combinations …";
  const Tuner::Count& count = *tuner.count();
  if (count.legal == 0) {
    return "No combination is valid: let the tuner explore more parameters.";
  }
  const bool all = count.complete && count.legal == count.offered && count.legal > 1;
  std::string words =
      all ? fmt::format("All {} combinations are valid.", format_count(count.legal))
          : fmt::format("{}{} of {} combinations {} valid.", count.complete ? "" : "More than ",
                        format_count(count.legal), format_count(count.offered),
                        count.legal == 1 ? "is" : "are");
  words += device.empty() ? " Without a GPU they are ranked by the time model (◇); recorded times "
                            "are shown beside it."
                          : fmt::format(
                                " Each is compiled, checked and measured on {}; the best {} are "
                                "measured again, for longer.",
                                device, Tuner::kRefined);
  return words;
}

// " The fastest takes 0.918 ms, the start 0.990 ms."
std::string best_words(const Tuner& tuner) {
  const TunedVariant* best = tuner.best();
  const auto start =
      std::ranges::find(tuner.ranked(), tuner.start_parameters(), &TunedVariant::parameters);
  if (best == nullptr || start == tuner.ranked().end() || start->seconds <= 0) return {};
  const auto times = format_times(std::array{best->seconds, start->seconds});
  if (best == &*start) return fmt::format(" None is faster than the start: {}.", times[1]);
  return fmt::format(" The fastest takes {}, the start {}.", times[0], times[1]);
}

}  // namespace

std::string duration_words(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string how_it_goes(bool measures) {
  std::string words =
      "The tuner starts with the current values, then always tries the untested neighbour of the "
      "best one. You can pause or stop it; results are kept. ";
  words +=
      measures
          ? "Measured points are added to the history and the charts. "
          : "Modelled times are shown only in this table; history and charts have measured times. ";
  return words + "Finally the counters of the start and the best are compared.";
}

std::string why_not_tuned(const Variant& active) {
  if (active.own) {
    const std::string sliders =
        active.own->parameters.empty() ? "" : " You can still move its sliders.";
    return "The tuner needs the rules of a catalogue kernel, which say which values are valid "
           "together; your own kernel has none." +
           sliders;
  }
  if (active.entry == nullptr) return "Choose a kernel: the tuner tries its parameters.";
  if (active.is_edited()) {
    return "The text is edited; the tuner uses the original kernel. Revert the text first.";
  }
  if (active.entry->parameters.empty()) {
    return active.entry->title + " has no parameters: there is nothing to try.";
  }
  return {};
}

std::string tuner_words(const Tuner& tuner, const Variant& active, const std::string& device) {
  if (tuner.stage() == Tuner::Stage::kReady) {
    const std::string why = why_not_tuned(active);
    return why.empty() ? ready_words(tuner, device) : why;
  }
  const std::string of =
      fmt::format("{} of {}", format_count(tuner.done()), format_count(tuner.size()));
  const std::string how = tuner.measures() ? "measured" : "modelled";
  switch (tuner.stage()) {
    case Tuner::Stage::kReady:
      break;
    case Tuner::Stage::kExploring: {
      if (tuner.paused()) return fmt::format("Paused with {} {}.", of, how);
      const auto left = tuner.seconds_left();
      return fmt::format("{} {}{}.", of, how,
                         left ? ", about " + duration_words(*left) + " left" : std::string());
    }
    case Tuner::Stage::kRefining:
      return fmt::format("All {} {}; the best {} are measured again, for longer{}.",
                         format_count(tuner.size()), how, Tuner::kRefined,
                         tuner.paused() ? " (paused)" : "");
    case Tuner::Stage::kDone:
      return (tuner.stopped() ? fmt::format("Stopped with {} {}.", of, how)
                              : fmt::format("All {} {}.", format_count(tuner.size()), how)) +
             best_words(tuner);
  }
  return "";
}

}  // namespace tilescope
