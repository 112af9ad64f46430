#include "ui/charts/rate_chart.h"

#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/catalogue/catalogue.h"
#include "scene/rates/rate_chart_data.h"
#include "scene/rates/rate_figure.h"
#include "scene/rates/rate_unit.h"
#include "scene/roofline/roofline_figure.h"
#include "session/variant_instance.h"
#include "store/recorded_library.h"
#include "ui/charts/chart_frame.h"
#include "ui/drawing/style.h"
#include "ui/state/chart_data.h"
#include "ui/state/measurements.h"
#include "ui/state/panel_surface.h"

namespace tilescope {
namespace {

using ChartLine = std::vector<std::pair<double, double>>;  // x and value, ascending in x
[[nodiscard]] double largest(const ChartLine& line);       // value; 0: it is empty

// What a chart's rates become in its unit; values that the unit does not have are left out.
class ChartValues {
 public:
  // `peak`: a rate, 0: not known. `active`: the variant whose references come first. The chart must
  // outlive it.
  ChartValues(const LinkedChart& chart, Problem problem, double peak, RateUnit unit, int active);

  // Of a rate of the chart's own machine.
  [[nodiscard]] std::optional<double> at(double rate, double x) const;
  // Of a published figure at its place: no share of another GPU's.
  [[nodiscard]] std::optional<double> of(const ChartMark& mark) const;
  // Of a point's rate, or of one beside it: with its own reference, and of a series that stands
  // apart with that one's peak. What has no reference yet has that of points that are alike.
  [[nodiscard]] std::optional<double> of(double rate, const ChartSeries& series,
                                         const ChartPoint& point) const;
  // What ran in turn with the active variant at each x, else the best beside others that are alike
  // in alpha and beta too.
  [[nodiscard]] ChartLine references() const;
  // That beside the point where the active variant stands now; nullopt: none.
  [[nodiscard]] std::optional<double> reference_now() const;
  // The same rate at each x.
  [[nodiscard]] ChartLine line_of(double rate) const;
  // Of all that is measured or published, and of the references that are not far above; 0: nothing
  // has a value.
  [[nodiscard]] double largest() const;

 private:
  const LinkedChart& chart_;
  Problem problem_;
  double peak_;
  RateUnit unit_;
  std::map<std::size_t, double> reference_;  // rates, by x; 0: none
  Conditions under_;                         // of these
  std::optional<double> now_;                // x of the active variant's chosen point
};

std::size_t x_of(double x) { return static_cast<std::size_t>(std::lround(x)); }

double largest(const ChartLine& line) {
  double most = 0;
  for (const auto& [x, value] : line) most = std::max(most, value);
  return most;
}

ChartValues::ChartValues(const LinkedChart& chart, Problem problem, double peak, RateUnit unit,
                         int active)
    : chart_(chart), problem_(std::move(problem)), peak_(peak), unit_(unit) {
  const auto own = std::ranges::find_if(chart.series, [active](const ChartSeries& series) {
    return series.variant == active && series.apart.empty();
  });
  if (!chart.series.empty()) under_ = chart.series.front().under;
  if (own != chart.series.end()) under_ = own->under;
  for (const ChartSeries& series : chart.series) {
    if (!series.apart.empty()) continue;
    for (const ChartPoint& point : series.points) {
      double& reference = reference_[x_of(point.x)];
      if (series.under == under_) reference = std::max(reference, point.reference);
    }
  }
  if (own == chart.series.end()) return;
  for (const ChartPoint& point : own->points) {
    if (point.chosen) now_ = point.x;
    if (point.reference > 0) reference_[x_of(point.x)] = point.reference;
  }
}

std::optional<double> ChartValues::reference_now() const {
  const auto reference = now_ ? reference_.find(x_of(*now_)) : reference_.end();
  if (reference == reference_.end() || reference->second <= 0) return std::nullopt;
  return at(reference->second, *now_);
}

std::optional<double> ChartValues::of(const ChartMark& mark) const {
  return is_share(unit_) ? std::nullopt : at(mark.rate, mark.x);
}

std::optional<double> ChartValues::of(double rate, const ChartSeries& series,
                                      const ChartPoint& point) const {
  const auto beside = reference_.find(x_of(point.x));
  const bool borrows = point.reference <= 0 && series.under == under_ && beside != reference_.end();
  return in_unit(rate, unit_,
                 basis_of(problem_, point.cost, series.apart.empty() ? peak_ : series.peak,
                          borrows ? beside->second : point.reference));
}

std::optional<double> ChartValues::at(double rate, double x) const {
  const auto reference = reference_.find(x_of(x));
  return in_unit(rate, unit_,
                 basis_of(problem_, chart_.work.at(x_of(x)), peak_,
                          reference != reference_.end() ? reference->second : 0));
}

ChartLine ChartValues::references() const {
  ChartLine line;
  for (const auto& [x, rate] : reference_) {
    const auto place = static_cast<double>(x);
    if (const auto value = rate > 0 ? at(rate, place) : std::nullopt)
      line.emplace_back(place, *value);
  }
  return line;
}

ChartLine ChartValues::line_of(double rate) const {
  ChartLine line;
  if (rate <= 0) return line;
  for (const auto& [x, reference] : reference_) {
    const auto place = static_cast<double>(x);
    if (const auto value = at(rate, place)) line.emplace_back(place, *value);
  }
  return line;
}

double ChartValues::largest() const {
  double most = 0;
  for (const ChartSeries& series : chart_.series) {
    for (const ChartPoint& point : series.points) {
      for (const double rate : {point.low, point.rate, point.high}) {
        most = std::max(most, of(rate, series, point).value_or(0));
      }
    }
  }
  for (const ChartMark& mark : chart_.marks) {
    most = std::max(most, of(mark).value_or(0));
  }
  const double reference = tilescope::largest(references());
  return is_within_sight(reference, most) ? std::max(most, reference) : most;
}

// What stands inside a chart of rates, drawn into the present plot.

// One level where the values hardly vary, that of the present place if it has one, else a dashed
// line through them.
void draw_line(const PanelSurface& surface, const ChartFrame& frame, const RateChart& chart,
               const ChartLine& line, std::optional<double> now, const std::string& name,
               LevelWords words, ChartLabels& labels);

// A point on screen that can be touched.
struct Spot {
  ImVec2 at;
  std::size_t series = 0;
  std::size_t point = 0;
};

// The points of a series with their spread, and its letter; `spots` gets them.
void draw_series(const PanelSurface& surface, const ChartFrame& frame, const LinkedChart& chart,
                 const ChartValues& values, std::size_t index, std::vector<Spot>* spots,
                 ChartLabels& labels);

// What a mark beside the points says.
struct Note {
  ImVec2 at;
  std::string figure;
  std::string words;
};

// What others published, and what was recorded of exactly this; what each mark says.
[[nodiscard]] std::vector<Note> draw_marks(const PanelSurface& surface, const ChartFrame& frame,
                                           const LinkedChart& chart, const ChartValues& values,
                                           ChartLabels& labels);

// What lies above the axis, named at the top edge with an arrow.
void name_beyond(const PanelSurface& surface, const ChartFrame& frame, const std::string& name,
                 ChartLabels& labels) {
  const std::string words = name + " ↑";
  const ImVec2 corner = place(frame, frame.x_high, frame.top * frame.scale.divisor);
  const float px = surface.scale();
  const float width = ImGui::CalcTextSize(words.c_str()).x;
  ChartLabels::Label label{words, packed(ColourRole::kDim, surface.theme()), {}};
  for (const float rows : {0.0F, 1.0F}) {
    label.corners.push_back(
        {corner.x - width - 8 * px, corner.y + 3 * px + rows * ImGui::GetFontSize()});
  }
  labels.add(std::move(label));
}

// A hollow square with the GPU's name and the figure, where there is room for the words.
void draw_published(const PanelSurface& surface, const ChartFrame& frame, const ChartMark& mark,
                    ImVec2 at, double value, ChartLabels& labels) {
  const float px = surface.scale();
  const unsigned ink = packed(ColourRole::kDim, surface.theme());
  ImDrawList* list = ImPlot::GetPlotDrawList();
  list->AddRect({at.x - 3.5F * px, at.y - 3.5F * px}, {at.x + 3.5F * px, at.y + 3.5F * px}, ink, 0,
                0, 1.3F * px);
  const std::string words = mark.label + " " + on_axis(frame, value) + " published";
  const float width = ImGui::CalcTextSize(words.c_str()).x;
  labels.keep_mark_free(at, 4 * px);
  ChartLabels::Label label{words, ink, {}};
  for (const float top : {at.y - ImGui::GetFontSize() - 2 * px, at.y + 3 * px}) {
    label.corners.push_back({at.x + 8 * px, top});
    label.corners.push_back({at.x - 8 * px - width, top});
  }
  labels.add(std::move(label));
}

void draw_line(const PanelSurface& surface, const ChartFrame& frame, const RateChart& chart,
               const ChartLine& line, std::optional<double> now, const std::string& name,
               LevelWords words, ChartLabels& labels) {
  if (line.empty()) return;
  double low = line.front().second;
  for (const auto& [x, value] : line) low = std::min(low, value);
  const double high = largest(line);
  if (low > frame.top * frame.scale.divisor) {
    name_beyond(surface, frame, name + " " + on_axis(frame, low), labels);
    return;
  }
  if (high < 1.1 * low) {
    const double level = now.value_or((low + high) / 2);
    draw_level(surface, frame, level, name + " " + on_axis(frame, level), labels, words);
    return;
  }
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const unsigned ink = packed(ColourRole::kDim, surface.theme());
  for (std::size_t i = 1; i < line.size(); ++i) {
    const ImVec2 from = place(frame, chart.place(line[i - 1].first), line[i - 1].second);
    const ImVec2 to = place(frame, chart.place(line[i].first), line[i].second);
    dashed(list, from, to, ink, surface.scale());
    labels.keep_line_free(from, to);
  }
  const float px = surface.scale();
  const float width = ImGui::CalcTextSize(name.c_str()).x;
  ChartLabels::Label label{name, ink, {}, true};
  for (const auto& end : {line.back(), line.front()}) {
    const ImVec2 at = place(frame, chart.place(end.first), end.second);
    const float left = end == line.back() ? at.x - width : at.x;
    label.corners.push_back({left, at.y - ImGui::GetFontSize() - 6 * px});
    label.corners.push_back({left, at.y + 6 * px});
  }
  labels.add(std::move(label));
}

void draw_series(const PanelSurface& surface, const ChartFrame& frame, const LinkedChart& chart,
                 const ChartValues& values, std::size_t index, std::vector<Spot>* spots,
                 ChartLabels& labels) {
  const ChartSeries& series = chart.series[index];
  const bool apart = !series.apart.empty();
  const Paint paint(variant_role(series.variant), apart ? 0.45F : 1.0F);
  const Theme theme = surface.theme();
  const float px = surface.scale();
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const std::size_t first = spots->size();
  std::vector<ImVec2> line;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const ChartPoint& point = series.points[i];
    const auto value = values.of(point.rate, series, point);
    const auto low = values.of(point.low, series, point);
    const auto high = values.of(point.high, series, point);
    if (!value || !low || !high) continue;
    const ImVec2 at = place(frame, chart.place(point.x), *value);
    const float top = place(frame, chart.place(point.x), std::max(*low, *high)).y;
    const float bottom = place(frame, chart.place(point.x), std::min(*low, *high)).y;
    list->AddRectFilled({at.x - px, top}, {at.x + px, bottom}, packed(paint, theme, 0.5F));
    line.push_back(at);
    spots->push_back({at, index, i});
  }
  if (line.empty()) return;
  list->AddPolyline(line.data(), static_cast<int>(line.size()), packed(paint, theme), 0, 1.6F * px);
  const auto& hovered = surface.state().charts.hovered;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::size_t at = (*spots)[first + i].point;
    const ChartPoint& point = series.points[at];
    const bool touched = !apart && hovered && *hovered == chart.keys[index][at];
    if ((point.chosen && !apart) || touched) {
      list->AddCircle(line[i], 8 * px, packed(ColourRole::kSelection, theme), 0,
                      (touched ? 2.4F : 1.6F) * px);
    }
    const bool refining = std::ranges::any_of(chart.under_way, [&](const auto& under_way) {
      return under_way.series == index && under_way.point == at;
    });
    list->AddCircleFilled(line[i], 4 * px, packed(paint, theme, refining ? 0.5F : 1.0F));
    if (point.source == Source::kRecorded) {  // a ring
      list->AddCircleFilled(line[i], 2.4F * px, packed(ColourRole::kPanel, theme));
    }
  }
  for (std::size_t i = 1; i < line.size(); ++i) labels.keep_line_free(line[i - 1], line[i]);
  for (const ImVec2& at : line) labels.keep_mark_free(at, 6 * px);
  const float pitch = ImGui::GetFontSize();
  std::string name(1, static_cast<char>('A' + series.variant));
  if (apart) name += " " + series.apart;
  const float name_width = ImGui::CalcTextSize(name.c_str()).x;
  ChartLabels::Label letter{
      std::move(name),
      packed(apart ? Paint(ColourRole::kDim) : Paint(variant_role(series.variant)), theme),
      {},
      true};
  for (const float rows : {0.0F, -1.0F, 1.0F, -1.5F, 1.5F, -2.0F, 2.0F}) {
    letter.corners.push_back({line.back().x + 12 * px, line.back().y + (rows - 0.5F) * pitch});
  }
  // A long name has no room behind the last point: above or below one of them, or between two.
  if (apart) letter.corners.clear();
  for (std::size_t i = line.size(); apart && i-- > 0;) {
    for (const float rows : {-1.0F, 1.0F, -1.6F, 1.6F, -2.2F, 2.2F}) {
      for (const float share : {0.5F, 1.0F, 0.0F}) {
        letter.corners.push_back(
            {line[i].x - share * name_width, line[i].y + (rows - 0.5F) * pitch});
      }
    }
  }
  labels.add(std::move(letter));
}

std::vector<Note> draw_marks(const PanelSurface& surface, const ChartFrame& frame,
                             const LinkedChart& chart, const ChartValues& values,
                             ChartLabels& labels) {
  std::vector<Note> notes;
  for (const ChartMark& mark : chart.marks) {
    const auto value = values.of(mark);
    if (!value) continue;
    const ImVec2 at = place(frame, chart.place(mark.x), *value);
    draw_published(surface, frame, mark, at, *value, labels);
    notes.push_back({at, format_in(*value, frame.unit),
                     "Published by others for the same technique on " + mark.label + "."});
  }
  for (const ChartMark& mark : chart.recorded) {
    const auto value = values.at(mark.rate, mark.x);
    if (!value) continue;
    notes.push_back({place(frame, chart.place(mark.x), *value), format_in(*value, frame.unit),
                     "Recorded earlier on " + mark.label + ", of exactly this."});
    ImPlot::GetPlotDrawList()->AddCircle(
        place(frame, chart.place(mark.x), *value), 3.2F * surface.scale(),
        packed(ColourRole::kDim, surface.theme()), 0, 1.3F * surface.scale());
    labels.keep_mark_free(notes.back().at, 4 * surface.scale());
  }
  return notes;
}

// The roof over the active variant, where its rate is of the same kind and the chart is about the
// GPU that it is a roof of.
double roof_of(const WindowState& state, const RateChart& chart) {
  const Variant& active = state.workbench.active();
  if (active.study == nullptr || active.study->device == nullptr || active.prepared == nullptr ||
      active.prepared->diagnosis == nullptr)
    return 0;
  if (chart.series.empty() || chart.series.front().under.gpu != active.study->device->name)
    return 0;
  const RooflineFigure figure = roofline_figure(active.study->instance, *active.study->device,
                                                *active.prepared->diagnosis, nullptr);
  return figure.computes == problem_of(active)->rated_in_flop ? figure.allowed() : 0;
}

const Spot* nearest(const std::vector<Spot>& spots, float reach) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Spot* found = nullptr;
  for (const Spot& spot : spots) {
    const float far = std::hypot(spot.at.x - mouse.x, spot.at.y - mouse.y);
    if (far > reach) continue;
    reach = far;
    found = &spot;
  }
  return found;
}

void explain_notes(PanelSurface& surface, const std::vector<Note>& notes) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const Note& note : notes) {
    if (std::hypot(note.at.x - mouse.x, note.at.y - mouse.y) > 10 * surface.scale()) continue;
    explain_point(surface, note.figure, note.words);
    return;
  }
}

void explain_spot(PanelSurface& surface, const ChartFrame& frame, const LinkedChart& chart,
                  const ChartValues& values, const Spot& spot) {
  const ChartPoint& point = chart.series[spot.series].points[spot.point];
  const ChartSeries& series = chart.series[spot.series];
  const auto written = [&](double rate) {
    const auto value = values.of(rate, series, point);
    return value ? format_in(*value, frame.unit) : std::string("–");
  };
  std::string figure = written(point.rate) + " (" + written(point.low) + " to " +
                       written(point.high) + "), " + std::string(name_of(point.source));
  if (point.source == Source::kRecorded) {
    figure += " on " + point.origin.under.gpu + (point.origin.date.empty() ? "" : ", ") +
              point.origin.date;
  }
  if (!series.apart.empty()) figure += "; another machine's, so no line joins it to the others";
  for (const auto& under_way : chart.under_way) {
    if (under_way.series == spot.series && under_way.point == spot.point) {
      figure = written(point.rate) + " after " + format_count(under_way.launches) +
               " launches, being measured";
    }
  }
  explain_point(surface, figure,
                describe(chart.keys[spot.series][spot.point], surface.state().workbench.active()) +
                    (point.chosen ? "" : "\nClick to set these parameters."));
}

}  // namespace

void go_to(WindowState& state, const ChartKey& key) {
  const CatalogueEntry* entry = state.workbench.catalogue().find(key.kernel);
  const CatalogueEntry* active = state.workbench.active().entry;
  if (active != nullptr && key.kernel == edited_id(active->id)) entry = active;
  if (entry == nullptr) return;  // an edited text, or a file
  if (state.workbench.active().entry != entry) state.workbench.choose_kernel(*entry);
  for (const auto& [name, extent] : key.extents) state.workbench.set_extent(name, extent);
  for (const std::string& name : factor_names(*entry)) {
    state.workbench.set_factor(name, factor_of(key.factors, name));
  }
  state.workbench.apply(key.parameters);
}

RateScale scale_of(const WindowState& state, const LinkedChart& chart,
                   const std::string& reference_name) {
  const Problem problem = problem_of(state.workbench.active());
  const RateUnit unit = shown_unit(state, problem);
  const double peak = peak_of(state, chart).rate;
  const ChartValues values(chart, problem, peak, unit, state.workbench.active_index());
  return scale_for(unit, values.largest(), reference_name);
}

void draw_rate_chart(PanelSurface& surface, const Rect& area, const char* id,
                     const LinkedChart& chart, const std::string& reference_name) {
  WindowState& state = surface.state();
  const Problem problem = problem_of(state.workbench.active());
  if (!has_room_for_chart(surface, area)) return;
  const RateUnit unit = shown_unit(state, problem);
  const double peak = peak_of(state, chart).rate;
  const ChartValues values(chart, problem, peak, unit, state.workbench.active_index());
  double most = values.largest();
  if (most <= 0) {
    surface.paragraph(area.x, area.y + kChartTitle + 12, std::min(area.w, 420.0F),
                      unit == RateUnit::kReferenceShare
                          ? "No reference was measured with these points."
                          : "The reference of these shares is not known.",
                      styled(12, ColourRole::kDim));
    return;
  }
  // Roofs that are near are shown; far ones would press the points down.
  const ChartLine peaks = values.line_of(peak);
  const ChartLine roofs = values.line_of(roof_of(state, chart));
  for (const ChartLine* line : {&peaks, &roofs}) {
    if (largest(*line) < 1.6 * most) most = std::max(most, largest(*line));
  }
  ChartFrame frame = chart_frame(area, most, scale_of(state, chart, reference_name), unit);
  const PlaceAxis places = place_axis(chart);
  frame.x_low = places.first;
  frame.x_high = places.last;
  const Rect ground{frame.area.x + 30, frame.area.y, frame.area.w - 30, frame.area.h - 20};
  const Touch touch = surface.control(id, ground);
  if (!begin_chart(surface, id, frame)) return;
  std::vector<double> ticks;
  std::vector<const char*> names;
  for (const PlaceAxis::Tick& tick : places.ticks) {
    ticks.push_back(tick.place);
    names.push_back(tick.words.c_str());
  }
  ImPlot::SetupAxisTicks(ImAxis_X1, ticks.data(), static_cast<int>(ticks.size()), names.data());
  ImPlot::SetupFinish();
  ImPlot::PushPlotClipRect(10 * surface.scale());
  ChartLabels labels(surface);
  if (unit != RateUnit::kReferenceShare || !values.references().empty()) {
    draw_line(surface, frame, chart, values.references(), values.reference_now(), reference_name,
              LevelWords::kLeft, labels);
  }
  draw_line(surface, frame, chart, peaks, std::nullopt, "peak", LevelWords::kCentre, labels);
  // Where the peak is the roof, its line says so already.
  if (std::abs(largest(roofs) - largest(peaks)) > 0.01 * largest(peaks)) {
    draw_line(surface, frame, chart, roofs, std::nullopt, "roofline limit", LevelWords::kRight,
              labels);
  }
  const std::vector<Note> notes = draw_marks(surface, frame, chart, values, labels);
  std::vector<Spot> spots;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    draw_series(surface, frame, chart, values, i, &spots, labels);
  }
  labels.write();
  ImPlot::PopPlotClipRect();
  end_chart();
  const Spot* spot = touch.hovered ? nearest(spots, 14 * surface.scale()) : nullptr;
  if (spot == nullptr) {
    if (touch.hovered) explain_notes(surface, notes);
    return;
  }
  const ChartKey& key = chart.keys[spot->series][spot->point];
  state.charts.touched = key;
  explain_spot(surface, frame, chart, values, *spot);
  if (touch.clicked) {
    state.workbench.activate(chart.series[spot->series].variant);
    go_to(state, key);
  }
}

}  // namespace tilescope
