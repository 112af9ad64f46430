#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "scene/drawing/free_labels.h"
#include "scene/roofline/roof_lines.h"
#include "scene/roofline/roofline_scene.h"

namespace tilescope {
namespace {

// A logarithmic axis: from `low` at `begin` to `high` at `end`, in pixels. What has no place on it
// (0, not a number, infinity) lies beyond one of its ends.
struct LogAxis {
  double low = 1;
  double high = 10;
  float begin = 0;
  float end = 1;
  [[nodiscard]] float at(double value) const {
    const double share =
        value > 0 ? std::clamp(std::log10(value / low) / std::log10(high / low), -1.0, 2.0) : -1.0;
    return begin + (end - begin) * static_cast<float>(share);
  }
};

class RooflineChart {
 public:
  RooflineChart(Pen& pen, const Rect& plot, const RooflinePicture& picture)
      : pen_(pen), plot_(plot), picture_(picture), figure_(picture.figure), labels_(pen, plot) {
    choose_ranges();
  }

  void draw() {
    draw_grid();
    pen_.canvas.push_clip(plot_);
    reserve_marks();
    draw_limits();
    draw_kernel();
    draw_ladder();
    pen_.canvas.pop_clip();
  }

 private:
  struct Step {
    const LadderStep* step;
    Point at;
  };

  // What a range has to hold; what is no number above 0 has no place on a logarithmic axis.
  struct Extent {
    double low = 0;
    double high = 0;
    void include(double value) {
      if (!std::isfinite(value) || value <= 0) return;
      low = low == 0 ? value : std::min(low, value);
      high = std::max(high, value);
    }
    [[nodiscard]] Extent or_one() const { return low == 0 ? Extent{1, 1} : *this; }
  };

  void choose_ranges() {
    Extent intensity;
    Extent rate;
    for (const double value : {figure_.intensity_moved(), figure_.intensity_once()}) {
      intensity.include(value);
    }
    for (const double value :
         {figure_.rate(), figure_.rate_in(figure_.modelled_seconds), figure_.peak}) {
      rate.include(value);
    }
    if (picture_.data != nullptr) {
      for (const LadderStep& step : picture_.data->steps) {
        rate.include(step.flop / step.time.seconds);
        intensity.include(step.flop / step.moved_bytes);
      }
    }
    intensity = intensity.or_one();
    rate = rate.or_one();
    x_ = {intensity.low / 3, intensity.high * 3, plot_.x, plot_.right()};
    y_ = {rate.low / 3, rate.high * 2.2, plot_.bottom(), plot_.y};
  }

  [[nodiscard]] Point at(double intensity, double rate) const {
    return {x_.at(intensity), y_.at(rate)};
  }

  void draw_grid() {
    const TextStyle y_style = pen_.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
    const TextStyle x_style = pen_.style(11, ColourRole::kDim, Weight::kRegular, Align::kCenter);
    for (const double tick : ticks(y_, pen_.px(22))) {
      const float y = y_.at(tick);
      pen_.canvas.line({plot_.x, y}, {plot_.right(), y}, ColourRole::kLine, 1);
      pen_.text(plot_.x - pen_.px(8), y, fmt::format("{:g}", tick / 1e12), y_style);
    }
    for (const double tick : ticks(x_, pen_.px(40))) {
      const float x = x_.at(tick);
      pen_.canvas.line({x, plot_.y}, {x, plot_.bottom()}, ColourRole::kLine, 1);
      const std::string words = fmt::format("{:g}", tick);
      const float last = plot_.right() + pen_.px(4) - pen_.width(words, x_style) / 2;
      pen_.text(std::min(x, last), plot_.bottom() + pen_.px(11), words, x_style);
    }
  }
  // Powers of ten, and twice and five times them where these are fewer than three, if `least` px
  // between them allow it: one tick alone says nothing about a logarithmic axis.
  static std::vector<double> ticks(const LogAxis& axis, float least) {
    std::vector<double> decades;
    std::vector<double> all;
    for (double ten = std::pow(10, std::floor(std::log10(axis.low))); ten < axis.high; ten *= 10) {
      for (const double times : {1.0, 2.0, 5.0}) {
        const double tick = times * ten;
        if (tick < axis.low || tick >= axis.high) continue;
        all.push_back(tick);
        if (times == 1.0) decades.push_back(tick);
      }
    }
    const bool room = std::abs(axis.at(2 * axis.low) - axis.at(axis.low)) >= least;
    return decades.size() < 3 && room ? all : decades;
  }

  // A bandwidth: a diagonal up to the peak.
  void add_diagonal(std::vector<Roof>& roofs, double bandwidth, const std::string& name,
                    ColourRole colour) const {
    const double top = figure_.peak > 0 ? figure_.peak : y_.high;
    const double from = std::max(x_.low, y_.low / bandwidth);
    const double to = std::min(x_.high, top / bandwidth);
    if (!(to > from)) return;
    const std::string whole = name + " " + format(bandwidth, Unit::kBytesPerSecond) + " ◇";
    roofs.push_back({{whole, name},
                     colour,
                     at(from, from * bandwidth),
                     at(to, to * bandwidth),
                     fmt::format("{}: that many bytes per second times flop per byte is the most a "
                                 "kernel can do.",
                                 whole)});
  }

  // A rate: level from where the fastest memory feeds it.
  void add_level(std::vector<Roof>& roofs, double rate, const std::string& name,
                 ColourRole colour) const {
    const double from = std::max(x_.low, rate / figure_.l1_bandwidth);
    if (rate <= 0 || rate > y_.high || !(x_.at(x_.high) - x_.at(from) > pen_.px(12))) return;
    roofs.push_back({{name + " " + format(rate, Unit::kFlopPerSecond), name},
                     colour,
                     at(from, rate),
                     at(x_.high, rate)});
  }

  void draw_limits() {
    std::vector<Roof> roofs;
    if (figure_.peak > 0) {
      add_level(roofs, figure_.peak, figure_.tensor ? "tensor cores" : "FP32 with FMA",
                ColourRole::kText);
      if (!figure_.tensor) add_level(roofs, figure_.peak / 2, "without FMA", ColourRole::kDim);
    }
    add_diagonal(roofs, figure_.dram_bandwidth, "DRAM, each byte once", ColourRole::kThird);
    add_diagonal(roofs, figure_.l1_bandwidth, "shared memory and L1", ColourRole::kSecond);
    draw_roofs(pen_, labels_, roofs);
  }

  [[nodiscard]] std::vector<Step> steps() const {
    std::vector<Step> found;
    if (picture_.data == nullptr) return found;
    for (const LadderStep& step : picture_.data->steps) {
      if (step.moved_bytes <= 0) continue;
      found.push_back({&step, at(step.flop / step.moved_bytes, step.flop / step.time.seconds)});
    }
    return found;
  }

  void reserve_marks() {
    const float r = pen_.px(6);
    for (const Step& step : steps())
      labels_.keep_free({step.at.x - r, step.at.y - r, 2 * r, 2 * r});
    for (const double time : {figure_.seconds(), figure_.modelled_seconds}) {
      for (const double x : {figure_.intensity_moved(), figure_.intensity_once()}) {
        const Point p = at(x, figure_.rate_in(time));
        labels_.keep_free({p.x - r, p.y - r, 2 * r, 2 * r});
      }
    }
    const std::vector<Step> ladder = steps();
    for (std::size_t i = 1; i < ladder.size(); ++i) {
      labels_.keep_line_free(ladder[i - 1].at, ladder[i].at);
    }
    const Point moved = at(figure_.intensity_moved(), figure_.rate());
    const Point once = at(figure_.intensity_once(), figure_.rate());
    const float roof = y_.at(figure_.allowed());
    labels_.keep_free({moved.x - 2, std::min(roof, moved.y), 4, std::abs(moved.y - roof)});
    labels_.keep_free({std::min(moved.x, once.x), moved.y - 2, std::abs(once.x - moved.x), 4});
  }

  void draw_ladder() {
    const std::vector<Step> all = steps();
    std::vector<Point> path;
    for (const Step& step : all) path.push_back(step.at);
    if (path.size() > 1) {
      pen_.canvas.polyline(path, Paint(ColourRole::kFirst, 0.45f), pen_.px(1.4f));
    }
    const TextStyle style = pen_.style(11, ColourRole::kDim);
    const float r = pen_.px(7);
    for (const Step& step : all) {
      const bool own = step.step->id == picture_.study.instance.id;
      if (!own) pen_.source_mark(step.at, step.step->time.source, ColourRole::kFirst);
      if (!own) put_beside(step.at, step.step->name, style);
      pen_.hit(
          {step.at.x - r, step.at.y - r, 2 * r, 2 * r}, HitKind::kNone, 0,
          fmt::format("{}: {} {} at {} flop for each byte that its lanes move.", step.step->name,
                      format(step.step->flop / step.step->time.seconds, Unit::kFlopPerSecond),
                      name_of(step.step->time.source),
                      format(step.step->flop / step.step->moved_bytes, Unit::kNone)));
    }
  }

  // The kernel that is looked at: as moved and with each byte once, at its rate; what the model
  // says of it.
  void draw_kernel() {
    const double rate = figure_.rate();
    const Point moved = at(figure_.intensity_moved(), rate);
    const Point once = at(figure_.intensity_once(), rate);
    const Point roof = at(figure_.intensity_moved(), figure_.allowed());
    pen_.canvas.line(moved, once, Paint(ColourRole::kSelection, 0.5f), 1);
    pen_.canvas.line(moved, roof, Paint(ColourRole::kExcess, 0.8f), pen_.px(1.4f));
    const Point predicted =
        at(figure_.intensity_moved(), figure_.rate_in(figure_.modelled_seconds));
    mark(predicted, Source::kModelled, ColourRole::kSelection,
         fmt::format("By the model {}.",
                     format(figure_.rate_in(figure_.modelled_seconds), Unit::kFlopPerSecond)));
    const std::string figure = format(rate, Unit::kFlopPerSecond);
    mark(once, figure_.source(), Paint(ColourRole::kSelection, 0.6f),
         fmt::format("{} flop for each byte that DRAM must deliver or take, once each.",
                     format(figure_.intensity_once(), Unit::kNone)));
    mark(moved, figure_.source(), ColourRole::kSelection,
         fmt::format("{} {}, at {} flop for each byte that the lanes move: {} of the {} "
                     "under the roof.",
                     figure, name_of(figure_.source()),
                     format(figure_.intensity_moved(), Unit::kNone),
                     about_percent_words(rate / figure_.allowed()),
                     format(figure_.allowed(), Unit::kFlopPerSecond)));
    const TextStyle strong = pen_.style(13, ColourRole::kStrong, Weight::kSemibold);
    put_beside(moved, figure, strong);
    const TextStyle dim = pen_.style(11, ColourRole::kDim);
    put_beside(once, "each byte once", dim);
    put_beside({moved.x, (moved.y + roof.y) / 2},
               fmt::format("{} of the roof", about_percent_words(rate / figure_.allowed())),
               pen_.style(11, ColourRole::kExcess, Weight::kMedium));
  }

  // Beside `point` where there is room: right, left, above, below, and around; else nowhere.
  void put_beside(Point point, std::string_view words, TextStyle style) {
    style.align = Align::kLeft;
    const float width = pen_.width(words, style);
    const float away = pen_.px(9);
    for (const Point corner :
         {Point{point.x + away, point.y}, Point{point.x - away - width, point.y},
          Point{point.x - width / 2, point.y - pen_.px(14)},
          Point{point.x - width / 2, point.y + pen_.px(14)},
          Point{point.x + away, point.y - pen_.px(12)},
          Point{point.x + away, point.y + pen_.px(12)},
          Point{point.x - away - width, point.y - pen_.px(12)},
          Point{point.x - away - width, point.y + pen_.px(12)},
          Point{point.x + away, point.y - pen_.px(24)},
          Point{point.x + away, point.y + pen_.px(24)},
          Point{point.x - away - width, point.y - pen_.px(24)},
          Point{point.x - away - width, point.y + pen_.px(24)}}) {
      if (put_at(corner, width, words, style)) return;
    }
  }
  bool put_at(Point left, float width, std::string_view words, const TextStyle& style) {
    const float half = style.size * 0.65f;
    return labels_.put({left.x - 2, left.y - half, width + 4, 2 * half}, left, words, style);
  }

  void mark(Point where, Source source, Paint paint, std::string tooltip) {
    const float r = pen_.px(7);
    pen_.source_mark(where, source, paint);
    pen_.hit({where.x - r, where.y - r, 2 * r, 2 * r}, HitKind::kNone, 0, std::move(tooltip));
  }

  Pen& pen_;
  Rect plot_;
  const RooflinePicture& picture_;
  const RooflineFigure& figure_;
  FreeLabels labels_;
  LogAxis x_;
  LogAxis y_;
};

}  // namespace

void draw_roofline_chart(Pen& pen, const Rect& area, const RooflinePicture& picture) {
  const float y = area.y + pen.px(8);
  pen.heading(area.x, y, "ROOFLINE", "TFLOP/s over flop per byte, both logarithmic", area.right());
  const Rect plot{area.x + pen.px(44), y + pen.px(18), area.w - pen.px(48),
                  area.h - pen.px(8 + 18 + 40)};
  RooflineChart(pen, plot, picture).draw();
  const TextStyle axis = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  pen.text(plot.right(), plot.bottom() + pen.px(28),
           pen.fitted("flop per byte that the lanes move", axis, plot.w), axis);
}

}  // namespace tilescope
