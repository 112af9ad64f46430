#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/quantity.h"
#include "scene/drawing/labels.h"
#include "scene/drawing/pen.h"
#include "scene/rates/rate_chart_data.h"
#include "scene/rates/rate_figure.h"
#include "scene/view/empty_view.h"

namespace tilescope {
namespace {

// One drawing of a figure of rates: its axes, its levels, its points and their names.
class RatePicture {
 public:
  RatePicture(Pen& pen, const Rect& area, const RateFigure& figure, RateFrame frame);
  DrawnRates draw();

  // What stands around the plot, px at scale 1: a small chart has less.
  struct Around {
    float above = 0;
    float below = 0;
    bool has_legend = true;
    bool has_title_row = true;  // of the x axis' name: else it ends the row of legend or heading
  };
  [[nodiscard]] static Around around(RateFrame frame, float height, float text_scale);

 private:
  void place();
  [[nodiscard]] Point at(double x, double rate) const;
  // Of a point or a mark of the chart.
  [[nodiscard]] Point on_chart(double index, double rate) const;
  [[nodiscard]] static std::string tick(double value);
  [[nodiscard]] std::string figure_words(double rate) const;
  void draw_heading();
  void draw_grid();
  [[nodiscard]] std::string x_title() const;
  void draw_x_title();
  // Where words at the right end of a row leave off, so that what begins it may go so far.
  [[nodiscard]] float before_x_title() const;
  void draw_x_label(double x, const std::string& words, float y);
  void dashed(Point from, Point to, Paint paint);
  // Above or below its line, where nothing else is; where there is no such place the legend has it,
  // or without one it stands at the line's beginning.
  void write_level(float level, const std::string& words, const TextStyle& style);
  // What lies above the axis, named at its upper edge.
  void write_beyond(const std::string& words);
  void draw_level(double rate, const std::string& name, const std::string& tooltip);
  void draw_levels();
  // One level where the values hardly vary, that of the present place if it has one, else a dashed
  // line through them.
  struct NamedLine {
    RateLine values;
    std::string name;
    std::string tooltip;  // after the value: " is the peak of the H200."
    std::optional<double> now = {};
  };
  void draw_line(const NamedLine& line);
  // At one of its values, where there is room.
  void name_line(const NamedLine& line);
  // A hollow square with the GPU's name, where there is room.
  void draw_mark(const ChartMark& mark);
  // Its lines and points, before any label is written.
  void reserve(const ChartSeries& series);
  void reserve(const LiveSeries& series);
  void draw_series(const ChartSeries& series);
  // The variant's colour, pale where the series stands apart.
  [[nodiscard]] static Paint paint_of(const ChartSeries& series);
  void draw_point(const ChartSeries& series, const ChartPoint& point);
  void draw_ring(Point center, float width);
  // The figure above each point, below it, or around; the letter behind the last one.
  void name_points(const ChartSeries& series);
  void name_apart(const ChartSeries& series);
  void write_letter(const ChartSeries& series);
  // Where the words are nearer to it than to its neighbours, the nearest of which is `apart` px
  // away; one that is `needed` also further above or below. Else it stays without.
  void name_point(const ChartPoint& point, float apart, bool needed, const TextStyle& style);
  // Whether words at half height `y` would lie on a line of the grid.
  [[nodiscard]] bool is_on_grid(float y) const;
  // Writes it where it lies on nothing else and inside the plot.
  bool put(Point left, const std::string& words, const TextStyle& style) {
    return put(left, pen_.width(words, style), words, style);
  }
  bool put(Point left, float width, const std::string& words, const TextStyle& style) {
    return labels_->put(box_at(left, width), left, words, style);
  }
  [[nodiscard]] Rect box_at(Point left, float width) const {
    const float clear = pen_.px(2);  // so that two figures never read as one
    return {left.x - clear, left.y - pen_.px(7), width + 2 * clear, pen_.px(14)};
  }
  void draw_changes();
  // A gap longer than a second is a pause, not a line.
  void draw_live(const LiveSeries& series);
  void note_spots();
  [[nodiscard]] bool has(Source source) const;
  // What the legend names: a line's paint and its words.
  [[nodiscard]] std::vector<std::pair<Paint, std::string>> lines() const;
  void draw_legend();

  Pen& pen_;
  Rect area_;
  const RateFigure& figure_;
  RateFrame frame_;
  Around around_;
  double most_;  // on the axis
  RateScale unit_;
  double scale_;
  RoundAxis axis_;
  PlaceAxis places_;  // of a chart that is not the live one
  double first_ = 0;
  double last_ = 1;
  Rect plot_;
  std::optional<FreeLabels> labels_;  // once there is a plot
  std::vector<std::string>
      unnamed_;  // levels that had no room for their names: the legend has them
  DrawnRates drawn_;
};

}  // namespace

RatePicture::RatePicture(Pen& pen, const Rect& area, const RateFigure& figure, RateFrame frame)
    : pen_(pen),
      area_(area),
      figure_(figure),
      frame_(frame),
      most_(figure.largest()),
      unit_(scale_for(figure.unit, most_, figure.reference)),
      scale_(unit_.divisor) {
  place();
}

DrawnRates RatePicture::draw() {
  if (frame_ == RateFrame::kWhole) draw_heading();
  draw_grid();
  for (const ChartSeries& series : figure_.chart.series) reserve(series);
  for (const LiveSeries& series : figure_.live) reserve(series);
  draw_levels();
  if (figure_.over == RateFigure::Over::kTime) {
    draw_changes();
    for (const LiveSeries& series : figure_.live) draw_live(series);
  } else {
    for (const ChartMark& mark : figure_.chart.marks) draw_mark(mark);
    for (const ChartSeries& series : figure_.chart.series) draw_series(series);
    for (const ChartSeries& series : figure_.chart.series) name_points(series);
  }
  draw_legend();
  drawn_.plot = plot_;
  if (pen_.canvas.wants_hit(plot_)) note_spots();
  return std::move(drawn_);
}

void RatePicture::note_spots() {
  for (std::size_t s = 0; s < figure_.chart.series.size(); ++s) {
    const std::vector<ChartPoint>& points = figure_.chart.series[s].points;
    for (std::size_t i = 0; i < points.size(); ++i) {
      drawn_.spots.push_back({on_chart(points[i].x, points[i].rate), s, i});
    }
  }
  for (std::size_t s = 0; s < figure_.live.size(); ++s) {
    const std::vector<LiveRate>& rates = figure_.live[s].rates;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      drawn_.spots.push_back({at(rates[i].seconds, rates[i].rate), s, i});
    }
  }
}

const RateSpot* DrawnRates::nearest(Point place, float reach) const {
  const RateSpot* found = nullptr;
  for (const RateSpot& spot : spots) {
    const float away = std::hypot(spot.at.x - place.x, spot.at.y - place.y);
    if (away > reach) continue;
    reach = away;
    found = &spot;
  }
  return found;
}

bool RatePicture::has(Source source) const {
  if (figure_.over == RateFigure::Over::kTime) return source == figure_.live_source;
  return std::ranges::any_of(figure_.chart.series, [source](const ChartSeries& series) {
    return std::ranges::any_of(series.points, [source](const ChartPoint& point) {
      return point.source == source || (source == Source::kRecorded && point.recorded > 0);
    });
  });
}

std::vector<std::pair<Paint, std::string>> RatePicture::lines() const {
  std::vector<std::pair<Paint, std::string>> all;
  const auto add = [&](int variant, Paint paint, const std::string& apart) {
    std::string words = fmt::format("{} {}", variant_letter(variant),
                                    figure_.names[static_cast<std::size_t>(variant)]);
    if (!apart.empty()) words += ", " + apart;
    all.emplace_back(paint, std::move(words));
  };
  for (const ChartSeries& series : figure_.chart.series) {
    add(series.variant, paint_of(series), series.apart);
  }
  for (const LiveSeries& series : figure_.live) {
    if (!series.rates.empty()) add(series.variant, variant_role(series.variant), {});
  }
  return all;
}

void RatePicture::draw_legend() {
  if (!around_.has_legend) return;
  const float y = area_.bottom() - pen_.px(8);
  const TextStyle style = pen_.style(11, ColourRole::kDim);
  float x = plot_.x;
  const float right = around_.has_title_row ? area_.right() : before_x_title();
  const auto room_for = [&](const std::string& words) {
    return x + pen_.px(16) + pen_.width(words, style) <= right;
  };
  const auto write = [&](const std::string& words) {
    pen_.text(x + pen_.px(16), y, words, style);
    x += pen_.px(34) + pen_.width(words, style);
  };
  for (const auto& [paint, words] : lines()) {
    const std::string fitted = pen_.fitted(words, style, right - x - pen_.px(16));
    if (fitted.empty()) return;
    pen_.canvas.line({x, y}, {x + pen_.px(11), y}, paint, pen_.px(2));
    write(fitted);
  }
  for (const std::string& words : unnamed_) {
    if (!room_for(words)) continue;
    dashed({x, y}, {x + pen_.px(11), y}, ColourRole::kDim);
    write(words);
  }
  for (const Source source : {Source::kMeasured, Source::kRecorded}) {
    const std::string words(name_of(source));
    if (!has(source) || !room_for(words)) continue;
    pen_.source_mark({x + pen_.px(6), y}, source, ColourRole::kDim);
    write(words);
  }
  const std::string published = "published, another GPU and not this code";
  if (!figure_.chart.marks.empty() && room_for(published)) {
    const float r = pen_.px(3.5F);
    pen_.outline({x + pen_.px(6) - r, y - r, 2 * r, 2 * r}, ColourRole::kDim, pen_.px(1.3F));
    write(published);
  }
}

namespace {

// "46.8 TFLOP/s (45.9 TFLOP/s to 47.1 TFLOP/s), recorded on NVIDIA H200, 2026-11-30; cuBLAS 60.2
// TFLOP/s"
std::string point_words(const RateFigure& figure, const ChartSeries& series,
                        const ChartPoint& point) {
  std::string words = figure.words(point.rate);
  if (point.launches_so_far > 0) {
    return words +
           fmt::format(" after {} launches, being measured", format_count(point.launches_so_far));
  }
  words += fmt::format(" ({} to {}), {}", format_in(point.low, figure.unit),
                       format_in(point.high, figure.unit), name_of(point.source));
  const bool apart = !series.apart.empty();
  if (point.source == Source::kRecorded || apart) {
    const Conditions& under = point.origin.under;
    words += " on " + (under.gpu.empty() ? std::string("an unknown GPU") : under.gpu);
    if (apart && !under.driver.empty()) words += ", driver " + under.driver;
    if (!point.origin.date.empty()) words += ", " + point.origin.date;
  }
  if (point.reference > 0 && figure.unit != RateUnit::kReferenceShare) {
    words += fmt::format("; {} {}", figure.reference, figure.words(point.reference));
  }
  return words + (apart ? "; another GPU or driver, so no line joins it to the others" : "");
}

}  // namespace

std::string words_of(const RateFigure& figure, const RateSpot& spot) {
  if (figure.over != RateFigure::Over::kTime) {
    const ChartSeries& series = figure.chart.series[spot.series];
    return point_words(figure, series, series.points[spot.index]);
  }
  const LiveRate& rate = figure.live[spot.series].rates[spot.index];
  const std::string ago = ago_words(figure.live_back - rate.seconds);
  const std::string_view from = figure.live_present ? "ago" : "before the last launch";
  return fmt::format("{}, 1 launch{}", figure.words(rate.rate),
                     ago == "now" ? "" : fmt::format(", {} {}", ago.substr(1), from));
}

std::string ago_words(double seconds) {
  if (seconds < 0.5) return "now";
  return seconds < 90 ? fmt::format("-{:.0f} s", seconds)
                      : fmt::format("-{:.1f} min", seconds / 60);
}

DrawnRates draw_rate_figure(Canvas& canvas, const Rect& area, const ViewContext& context,
                            const RateFigure& figure, RateFrame frame) {
  Pen pen(canvas, context);
  const bool whole = frame == RateFrame::kWhole;
  if (!has_room(pen, area, whole ? kLeastRateFigure : kLeastRatePlot)) return {};
  if (figure.empty() && figure.live_most <= 0) {
    if (figure.lacks_unit) {
      draw_empty(pen, area, "No values in this unit", plain(rate_sentence(figure)));
      return {};
    }
    draw_empty(
        pen, area, "Nothing to draw yet",
        "This chart needs measurements: tilescope sweep, or the window on a machine with a GPU.");
    return {};
  }
  return RatePicture(pen, area, figure, frame).draw();
}

RatePicture::Around RatePicture::around(RateFrame frame, float height, float text_scale) {
  if (frame == RateFrame::kPlotAlone) return {8, 20, false, false};
  static constexpr std::array<Around, 3> kAll{
      {{30, 68, true, true}, {26, 38, true, false}, {24, 18, false, false}}};
  for (const Around& each : kAll) {
    if (height - (each.above + each.below) * text_scale >= kLeastPlotShare * height) return each;
  }
  return kAll.back();
}

float plot_height(float height, float text_scale) {
  const RatePicture::Around around = RatePicture::around(RateFrame::kWhole, height, text_scale);
  return height - (around.above + around.below) * text_scale;
}

void RatePicture::place() {
  axis_ = round_axis(1.08 * most_ / scale_);
  if (figure_.over == RateFigure::Over::kTime) {
    first_ = -figure_.live_seconds;
    last_ = 0;
  } else {
    places_ = place_axis(figure_.chart);
    first_ = places_.first;
    last_ = places_.last;
  }
  const TextStyle style = pen_.style(11, ColourRole::kDim);
  const float gutter = pen_.width(tick(axis_.top), style) + pen_.px(12);
  around_ = around(frame_, area_.h, pen_.px(1));
  plot_ = {area_.x + gutter, area_.y + pen_.px(around_.above), area_.w - gutter - pen_.px(24),
           area_.h - pen_.px(around_.above + around_.below)};
  const float top = plot_.y - pen_.px(8);
  labels_.emplace(pen_, Rect{plot_.x, top, area_.right() - plot_.x, plot_.bottom() - top});
}

Point RatePicture::at(double x, double rate) const {
  return {plot_.x + plot_.w * static_cast<float>((x - first_) / (last_ - first_)),
          plot_.bottom() - plot_.h * static_cast<float>(rate / scale_ / axis_.top)};
}

Point RatePicture::on_chart(double index, double rate) const {
  return at(figure_.chart.place(index), rate);
}

std::string RatePicture::tick(double value) {
  return value < 1000 ? fmt::format("{:g}", value) : format(value, Unit::kNone);
}

std::string RatePicture::figure_words(double rate) const {
  return format(rate / scale_, Unit::kNone);
}

void RatePicture::draw_heading() {
  std::string explanation = figure_.over == RateFigure::Over::kTime
                                ? "one point per launch"
                                : "median; bars from p95 to p5 of the time";
  if (figure_.unit == RateUnit::kTime) explanation += "; less is faster";
  const bool shares_row = !around_.has_legend && !around_.has_title_row;
  pen_.heading(area_.x, area_.y + pen_.px(8), unit_.word, explanation,
               shares_row ? before_x_title() : area_.right());
}

void RatePicture::draw_grid() {
  const TextStyle right = pen_.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  for (int i = 0; i <= axis_.steps; ++i) {
    const double value = axis_.top * i / axis_.steps;
    const float y = at(first_, value * scale_).y;
    pen_.canvas.line({plot_.x, y}, {plot_.right(), y}, ColourRole::kLine, 1);
    pen_.text(plot_.x - pen_.px(8), y, tick(value), right);
  }
  const float y = plot_.bottom() + pen_.px(12);
  if (figure_.over == RateFigure::Over::kTime) {
    for (const double seconds : {figure_.live_seconds, figure_.live_seconds / 2, 0.0}) {
      const double before = seconds + figure_.live_back;
      const bool is_last = before <= 0 && !figure_.live_present;
      draw_x_label(-seconds, is_last ? "last launch" : ago_words(before), y);
    }
    return;
  }
  float free_from = area_.x;
  const TextStyle style = pen_.style(11, ColourRole::kDim);
  for (const auto& [place, label] : places_.ticks) {
    const float half = pen_.width(label, style) / 2;
    const float x = at(place, 0).x;
    if (x - half < free_from) continue;
    draw_x_label(place, label, y);
    free_from = x + half + pen_.px(10);
  }
  if (frame_ == RateFrame::kWhole) draw_x_title();
}

void RatePicture::draw_x_title() {
  const float y = around_.has_title_row ? plot_.bottom() + pen_.px(30)
                  : around_.has_legend  ? area_.bottom() - pen_.px(8)
                                        : area_.y + pen_.px(8);
  const TextStyle style = pen_.style(11, ColourRole::kDim, Weight::kMedium, Align::kRight);
  pen_.text(plot_.right(), y, x_title(), style);
}

float RatePicture::before_x_title() const {
  if (figure_.over == RateFigure::Over::kTime) return area_.right();
  const TextStyle style = pen_.style(11, ColourRole::kDim, Weight::kMedium, Align::kRight);
  return plot_.right() - pen_.width(x_title(), style) - pen_.px(14);
}

std::string RatePicture::x_title() const {
  if (figure_.over == RateFigure::Over::kParameter) return figure_.parameter;
  return figure_.chart.side_name;
}

void RatePicture::draw_x_label(double x, const std::string& words, float y) {
  const Point on = at(x, 0);
  pen_.canvas.line(on, {on.x, on.y + pen_.px(4)}, ColourRole::kLine, 1);
  const TextStyle style = pen_.style(11, ColourRole::kDim);
  const float width = pen_.width(words, style);
  pen_.text(std::clamp(on.x - width / 2, area_.x, area_.right() - width), y, words, style);
}

bool RatePicture::is_on_grid(float y) const {
  const float pitch = plot_.h / static_cast<float>(axis_.steps);
  return std::abs(std::remainder(plot_.bottom() - y, pitch)) < pen_.px(7);
}

void RatePicture::dashed(Point from, Point to, Paint paint) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (length <= 0) return;
  const Point unit{(to.x - from.x) / length, (to.y - from.y) / length};
  for (float begin = 0; begin < length; begin += pen_.px(9)) {
    const float end = std::min(begin + pen_.px(5), length);
    pen_.canvas.line({from.x + unit.x * begin, from.y + unit.y * begin},
                     {from.x + unit.x * end, from.y + unit.y * end}, paint, 1);
  }
}

void RatePicture::write_level(float level, const std::string& words, const TextStyle& style) {
  const float width = pen_.width(words, style);
  const float first = plot_.x + pen_.px(8);
  for (const float y : {level - pen_.px(9), level + pen_.px(9)}) {
    for (float x = first; x + width < plot_.right(); x += plot_.w / 8) {
      if (put({x, y}, width, words, style)) return;
    }
  }
  if (around_.has_legend) {
    unnamed_.push_back(words);
    return;
  }
  const Point left{first, level - pen_.px(9)};
  labels_->put_anyway(box_at(left, pen_.width(words, style)), left, words, style);
}

void RatePicture::write_beyond(const std::string& words) {
  const TextStyle style = pen_.style(11, ColourRole::kDim);
  const std::string pointing = words + " ↑";
  const float x = plot_.right() - pen_.px(8) - pen_.width(pointing, style);
  for (const float row : {9.0F, 23.0F}) {
    if (put({x, plot_.y + pen_.px(row)}, pointing, style)) return;
  }
  for (const float row : {9.0F, 23.0F}) {  // or below the lines
    if (put({x, plot_.bottom() - pen_.px(row)}, pointing, style)) return;
  }
}

void RatePicture::draw_level(double rate, const std::string& name, const std::string& tooltip) {
  const std::string words = name + " " + figure_words(rate);
  if (rate / scale_ > axis_.top) {
    write_beyond(words);
    return;
  }
  const Point left = at(first_, rate);
  dashed(left, {plot_.right(), left.y}, ColourRole::kDim);
  labels_->keep_line_free(left, {plot_.right(), left.y});
  write_level(left.y, words, pen_.style(11, ColourRole::kDim));
  const Rect place{plot_.x, left.y - pen_.px(4), plot_.w, pen_.px(8)};
  if (pen_.canvas.wants_hit(place)) {
    pen_.hit(place, HitKind::kNone, 0, figure_.words(rate) + tooltip);
  }
}

void RatePicture::draw_levels() {
  draw_line({figure_.peak, "peak",
             fmt::format(" is the peak of the {}, from its clock and units.", figure_.device)});
  // Where the peak is the roof, its line says so already.
  const double peak = largest(figure_.peak);
  if (std::abs(largest(figure_.roof) - peak) > 0.01 * peak) {
    draw_line({figure_.roof, "roofline limit",
               fmt::format(" is what the roofline of the active variant allows on the {}.",
                           figure_.device)});
  }
  if (figure_.live_reference > 0) {
    draw_level(figure_.live_reference, figure_.reference,
               fmt::format(": {} at this size.", figure_.reference));
  }
  draw_line({figure_.references(), figure_.reference,
             fmt::format(": {}, measured in the same run.", figure_.reference),
             figure_.reference_now()});
}

void RatePicture::draw_line(const NamedLine& line) {
  if (line.values.empty()) return;
  const double high = largest(line.values);
  const double low = std::ranges::min_element(line.values, {}, &LineValue::value)->value;
  if (low / scale_ > axis_.top || high < 1.1 * low) {
    const bool beyond = low / scale_ > axis_.top;
    draw_level(beyond ? low : line.now.value_or((low + high) / 2), line.name, line.tooltip);
    return;
  }
  // What leaves the axis at its upper edge ends there.
  const Rect room{plot_.x, plot_.y - pen_.px(8), area_.right() - plot_.x, plot_.h + pen_.px(16)};
  pen_.canvas.push_clip(room);
  for (std::size_t i = 1; i < line.values.size(); ++i) {
    const Point from = on_chart(line.values[i - 1].x, line.values[i - 1].value);
    const Point to = on_chart(line.values[i].x, line.values[i].value);
    dashed(from, to, ColourRole::kDim);
    labels_->keep_line_free(from, to);
  }
  pen_.canvas.pop_clip();
  name_line(line);
}

void RatePicture::name_line(const NamedLine& line) {
  const TextStyle style = pen_.style(11, ColourRole::kDim);
  const float width = pen_.width(line.name, style);
  std::vector<Point> places;
  for (auto value = line.values.rbegin(); value != line.values.rend(); ++value) {
    const Point on = on_chart(value->x, value->value);
    const bool is_first = value + 1 == line.values.rend();
    const float left = is_first ? on.x : on.x - width;
    for (const float beside : {-12.0F, 12.0F, -26.0F, 26.0F})
      places.push_back({left, on.y + pen_.px(beside)});
  }
  for (const Point& left : places) {
    if (put(left, width, line.name, style)) return;
  }
  if (around_.has_legend) {
    unnamed_.push_back(line.name);
  } else {
    labels_->put_anyway(box_at(places.front(), width), places.front(), line.name, style);
  }
}

void RatePicture::draw_changes() {
  const TextStyle style = pen_.style(11, ColourRole::kDim);
  for (const LiveMoment& change : figure_.changes) {
    const Point foot = at(change.seconds, 0);
    const Point head{foot.x, plot_.y};
    dashed(head, foot, ColourRole::kFaint);
    labels_->keep_line_free(head, foot);
    const float y = plot_.bottom() - pen_.px(12);
    if (put({foot.x + pen_.px(5), y}, change.label, style)) continue;
    put({foot.x - pen_.px(5) - pen_.width(change.label, style), y}, change.label, style);
  }
}

namespace {

constexpr double kPause = 1;     // seconds between launches that no line joins
constexpr float kApart = 0.45F;  // opacity of what stands apart

}  // namespace

void RatePicture::draw_mark(const ChartMark& mark) {
  const Point on = on_chart(mark.x, mark.rate);
  const float r = pen_.px(3.5F);
  pen_.outline({on.x - r, on.y - r, 2 * r, 2 * r}, ColourRole::kDim, pen_.px(1.3F));
  labels_->keep_free({on.x - r, on.y - r, 2 * r, 2 * r});
  const TextStyle style = pen_.style(11, ColourRole::kDim);
  const std::string words = fmt::format("{} {}{}", mark.label, figure_words(mark.rate),
                                        around_.has_legend ? "" : " published");
  const float width = pen_.width(words, style);
  for (const Point left : {Point{on.x + pen_.px(8), on.y - pen_.px(10)},
                           Point{on.x - pen_.px(8) - width, on.y - pen_.px(10)},
                           Point{on.x + pen_.px(8), on.y + pen_.px(10)},
                           Point{on.x - pen_.px(8) - width, on.y + pen_.px(10)},
                           Point{on.x + pen_.px(8), on.y - pen_.px(7)},
                           Point{on.x - pen_.px(8) - width, on.y - pen_.px(7)}}) {
    if (put(left, words, style)) break;
  }
  const Rect place{on.x - 2 * r, on.y - 2 * r, 4 * r, 4 * r};
  if (!pen_.canvas.wants_hit(place)) return;
  pen_.hit(place, HitKind::kNone, 0,
           fmt::format("{}, published by others for the same technique on {}; not this code.",
                       figure_.words(mark.rate), mark.label));
}

void RatePicture::reserve(const ChartSeries& series) {
  const float r = pen_.px(8);
  std::optional<Point> before;
  for (const ChartPoint& point : series.points) {
    const Point on = on_chart(point.x, point.rate);
    labels_->keep_free({on.x - r, on.y - r, 2 * r, 2 * r});
    if (before) labels_->keep_line_free(*before, on);
    before = on;
  }
}

void RatePicture::reserve(const LiveSeries& series) {
  const float r = pen_.px(2);
  for (const LiveRate& rate : series.rates) {
    const Point on = at(rate.seconds, rate.rate);
    labels_->keep_free({on.x - r, on.y - r, 2 * r, 2 * r});
  }
}

Paint RatePicture::paint_of(const ChartSeries& series) {
  return {variant_role(series.variant), series.apart.empty() ? 1 : kApart};
}

void RatePicture::draw_series(const ChartSeries& series) {
  std::vector<Point> line;
  for (const ChartPoint& point : series.points) line.push_back(on_chart(point.x, point.rate));
  if (line.size() > 1) pen_.canvas.polyline(line, paint_of(series), pen_.px(1.6F));
  for (const ChartPoint& point : series.points) draw_point(series, point);
}

void RatePicture::draw_point(const ChartSeries& series, const ChartPoint& point) {
  Paint paint = paint_of(series);
  const Point on = on_chart(point.x, point.rate);
  const float high = on_chart(point.x, point.high).y;
  const float low = on_chart(point.x, point.low).y;
  pen_.canvas.fill_rect({on.x - pen_.px(1), high, pen_.px(2), std::max(low - high, 1.0F)},
                        Paint(variant_role(series.variant), 0.5F * paint.opacity));
  if (point.recorded > 0) {
    const Point before = on_chart(point.x, point.recorded);
    pen_.source_mark(before, Source::kRecorded, ColourRole::kDim);
    const Rect place{before.x - pen_.px(6), before.y - pen_.px(6), pen_.px(12), pen_.px(12)};
    if (pen_.canvas.wants_hit(place)) {
      pen_.hit(place, HitKind::kNone, 0,
               fmt::format("{}, recorded earlier on {} of exactly this.",
                           figure_.words(point.recorded), point.origin.under.gpu));
    }
  }
  const bool apart = !series.apart.empty();
  const bool lit = point.lit && !apart;
  if (lit || (point.chosen && !apart)) draw_ring(on, lit ? 2.4F : 1.6F);
  pen_.canvas.fill_circle(on, pen_.px(5.5F), ColourRole::kBackground);
  if (point.launches_so_far > 0) paint.opacity *= 0.5F;
  pen_.source_mark(on, point.source, paint);
  const float r = pen_.px(8);
  const Rect place{on.x - r, on.y - r, 2 * r, 2 * r};
  if (!pen_.canvas.wants_hit(place)) return;
  pen_.hit(place, HitKind::kNone, 0,
           fmt::format("{} at {}: {}.", figure_.names[static_cast<std::size_t>(series.variant)],
                       figure_.chart.labels[static_cast<std::size_t>(point.x)],
                       point_words(figure_, series, point)));
}

void RatePicture::draw_ring(Point center, float width) {
  constexpr int kSides = 32;
  std::vector<Point> ring;
  for (int i = 0; i <= kSides; ++i) {
    const float angle = 6.2831853F * static_cast<float>(i) / kSides;
    ring.push_back(
        {center.x + pen_.px(9) * std::cos(angle), center.y + pen_.px(9) * std::sin(angle)});
  }
  pen_.canvas.polyline(ring, ColourRole::kSelection, pen_.px(width));
}

void RatePicture::name_points(const ChartSeries& series) {
  if (!series.apart.empty()) {
    name_apart(series);
    return;
  }
  const TextStyle style = pen_.style(11, variant_role(series.variant), Weight::kMedium);
  if (figure_.chart.series.size() > 1 || series.variant != 0 || !around_.has_legend) {
    write_letter(series);
  }
  // Those that the sentence speaks of, and the least, before the others.
  std::vector<const ChartPoint*> points;
  for (const ChartPoint& point : series.points) points.push_back(&point);
  const ChartPoint& best = best_point(figure_, series);
  const ChartPoint& least = *std::ranges::min_element(series.points, {}, &ChartPoint::rate);
  const auto is_needed = [&](const ChartPoint* point) {
    return point->chosen || point == &best || point == &least;
  };
  std::stable_partition(points.begin(), points.end(), is_needed);
  for (const ChartPoint* point : points) {
    const float x = on_chart(point->x, point->rate).x;
    float apart = plot_.w;
    for (const ChartPoint& other : series.points) {
      if (&other != point) apart = std::min(apart, std::abs(on_chart(other.x, other.rate).x - x));
    }
    name_point(*point, apart, is_needed(point), style);
  }
}

void RatePicture::write_letter(const ChartSeries& series) {
  const TextStyle style = pen_.style(12, variant_role(series.variant), Weight::kBold);
  const Point last = on_chart(series.points.back().x, series.points.back().rate);
  for (const float rows : {0.0F, -1.0F, 1.0F, -1.5F, 1.5F, -2.0F, 2.0F}) {
    const Point left{last.x + pen_.px(12), last.y + pen_.px(14 * rows)};
    if (put(left, variant_letter(series.variant), style)) return;
  }
}

// What it was taken on, at the end of its line or else above or below one of its points.
void RatePicture::name_apart(const ChartSeries& series) {
  const TextStyle style = pen_.style(11, ColourRole::kDim, Weight::kMedium);
  const std::string words = variant_letter(series.variant) + " " + series.apart;
  const float width = pen_.width(words, style);
  for (auto point = series.points.rbegin(); point != series.points.rend(); ++point) {
    const Point on = on_chart(point->x, point->rate);
    for (const Point left :
         {Point{on.x + pen_.px(12), on.y}, Point{on.x - width / 2, on.y - pen_.px(17)},
          Point{on.x - width / 2, on.y + pen_.px(17)}, Point{on.x - pen_.px(12) - width, on.y}}) {
      if (put(left, words, style)) return;
    }
  }
}

void RatePicture::name_point(const ChartPoint& point, float apart, bool needed,
                             const TextStyle& style) {
  const std::string words = figure_words(point.rate);
  const float x = on_chart(point.x, point.rate).x;
  const float width = pen_.width(words, style);
  const float high = on_chart(point.x, point.high).y;
  const float low = on_chart(point.x, point.low).y;
  const std::array near{
      Point{x - width / 2, high - pen_.px(17)},          Point{x - width / 2, low + pen_.px(17)},
      Point{x - width - pen_.px(4), high - pen_.px(17)}, Point{x + pen_.px(4), high - pen_.px(17)},
      Point{x - width - pen_.px(4), low + pen_.px(17)},  Point{x + pen_.px(4), low + pen_.px(17)}};
  const std::array far{Point{x - width / 2, high - pen_.px(32)},
                       Point{x - width / 2, low + pen_.px(32)}};
  const bool crowded = !needed && apart < width;
  const auto is_another_points = [&](Point left) {
    return !needed && std::abs(left.x + width / 2 - x) > apart / 2;
  };
  // Over a line of the grid rather than far from its point.
  for (const std::span<const Point> places : {std::span<const Point>(near), {far}}) {
    if (crowded && places.data() == far.data()) continue;
    for (const bool beside_grid : {true, false}) {
      for (const Point left : places) {
        if ((beside_grid && is_on_grid(left.y)) || is_another_points(left)) continue;
        if (put(left, width, words, style)) return;
      }
    }
  }
}

void RatePicture::draw_live(const LiveSeries& series) {
  const Paint paint = variant_role(series.variant);
  std::optional<LiveRate> before;
  for (const LiveRate& rate : series.rates) {
    const Point on = at(rate.seconds, rate.rate);
    const bool goes_on =
        before && std::ranges::none_of(figure_.changes, [&](const auto& change) {
          return change.parts && change.seconds > before->seconds && change.seconds <= rate.seconds;
        });
    if (goes_on && rate.seconds - before->seconds < kPause) {
      pen_.canvas.line(at(before->seconds, before->rate), on, paint, pen_.px(1.4F));
    }
    if (rate.lit) pen_.canvas.fill_circle(on, pen_.px(4), ColourRole::kSelection);
    pen_.canvas.fill_circle(on, pen_.px(1.6F), paint);
    before = rate;
  }
}

}  // namespace tilescope
