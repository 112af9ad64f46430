#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "scene/drawing/free_labels.h"
#include "scene/roofline/log_axis.h"
#include "scene/roofline/roof_lines.h"
#include "scene/roofline/roofline_scene.h"

namespace tilescope {
namespace {

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
  using Under = RooflineFigure::Roof;
  struct Step {
    const LadderStep* step;
    Point at;
  };
  // Each bandwidth limits by its own bytes, so the kernel stands once under each of them.
  struct Tie {
    Under roof;
    ColourRole colour;
    const char* bytes;  // by which it stands there
    const char* meaning;
    const char* why_above;  // where it stands above its roof all the same
  };
  [[nodiscard]] std::vector<Tie> ties() const {
    std::vector<Tie> all{{Under::kL1, ColourRole::kSelection, "as its lanes move",
                          "for each byte that the lanes move", ""}};
    if (std::isfinite(figure_.allowed_by(Under::kL2))) {
      all.push_back({Under::kL2, ColourRole::kFourth, "past the L1",
                     "for each byte that passes between the L1s and the L2, by the model",
                     ": above its roof by the model"});
    }
    all.push_back({Under::kDram, ColourRole::kThird, "each byte once",
                   "for each byte that DRAM must deliver or take, once each",
                   ": above its roof, the L2 keeps some"});
    return all;
  }

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
    for (const Tie& tie : ties()) intensity.include(figure_.intensity_under(tie.roof));
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
    for (const double tick : ticks_of(y_, pen_.px(22))) {
      const float y = y_.at(tick);
      pen_.canvas.line({plot_.x, y}, {plot_.right(), y}, ColourRole::kLine, 1);
      pen_.text(plot_.x - pen_.px(8), y, tick_words(tick / 1e12), y_style);
    }
    for (const double tick : ticks_of(x_, pen_.px(40))) {
      const float x = x_.at(tick);
      pen_.canvas.line({x, plot_.y}, {x, plot_.bottom()}, ColourRole::kLine, 1);
      const std::string words = tick_words(tick);
      const float last = plot_.right() + pen_.px(4) - pen_.width(words, x_style) / 2;
      pen_.text(std::min(x, last), plot_.bottom() + pen_.px(11), words, x_style);
    }
  }
  // A bandwidth: a diagonal up to the peak. `by`: of which bytes, left out where there is no room.
  void add_diagonal(std::vector<Roof>& roofs, double bandwidth, const std::string& name,
                    const std::string& by, ColourRole colour) const {
    const double top = figure_.peak > 0 ? figure_.peak : y_.high;
    const double from = std::max(x_.low, y_.low / bandwidth);
    const double to = std::min(x_.high, top / bandwidth);
    if (!(to > from)) return;
    const std::string rate = " " + format(bandwidth, Unit::kBytesPerSecond) + " ◇";
    roofs.push_back({{name + by + rate, name + rate, name},
                     colour,
                     at(from, from * bandwidth),
                     at(to, to * bandwidth),
                     fmt::format("{}{}{}: that many bytes per second times flop per byte is the "
                                 "most a kernel can do.",
                                 name, by, rate)});
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
    add_diagonal(roofs, figure_.dram_bandwidth, "DRAM", ", each byte once", ColourRole::kThird);
    if (figure_.l2_bandwidth > 0) {
      add_diagonal(roofs, figure_.l2_bandwidth, "L2", ", past the L1", ColourRole::kFourth);
    }
    add_diagonal(roofs, figure_.l1_bandwidth, "shared memory and L1", "", ColourRole::kSecond);
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
    for (const Tie& tie : ties()) {
      const Point p = at(figure_.intensity_under(tie.roof), figure_.rate());
      labels_.keep_free({p.x - r, p.y - r, 2 * r, 2 * r});
    }
    const Point modelled = predicted();
    labels_.keep_free({modelled.x - r, modelled.y - r, 2 * r, 2 * r});
    const std::vector<Step> ladder = steps();
    for (std::size_t i = 1; i < ladder.size(); ++i) {
      labels_.keep_line_free(ladder[i - 1].at, ladder[i].at);
    }
    const Point moved = at(figure_.intensity_moved(), figure_.rate());
    const Point once = at(figure_.intensity_once(), figure_.rate());
    labels_.keep_free({std::min(moved.x, once.x), moved.y - 2, std::abs(once.x - moved.x), 4});
    for (const Tie& tie : ties()) {
      const Point from = at(figure_.intensity_under(tie.roof), figure_.rate());
      const float to = y_.at(height_under(tie.roof));
      labels_.keep_free({from.x - 2, std::min(to, from.y), 4, std::abs(from.y - to)});
    }
  }

  // What a bandwidth's roof allows where the kernel stands under it, no more than the peak.
  [[nodiscard]] double height_under(Under roof) const {
    return std::min(figure_.allowed_by(roof), figure_.allowed_by(Under::kPeak));
  }
  [[nodiscard]] Point predicted() const {
    return at(figure_.intensity_moved(), figure_.rate_in(figure_.modelled_seconds));
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

  // The kernel that is looked at, once under each bandwidth at its rate, tied to that roof; the
  // lowest roof's tie says how far it is below. And what the model says of it.
  void draw_kernel() {
    const double rate = figure_.rate();
    const Point moved = at(figure_.intensity_moved(), rate);
    pen_.canvas.line(moved, at(figure_.intensity_once(), rate), Paint(ColourRole::kSelection, 0.5f),
                     1);
    const Under lowest = figure_.roof();
    const std::vector<Tie> all = ties();
    for (auto tie = all.rbegin(); tie != all.rend(); ++tie) draw_tie(*tie, lowest);
    mark_prediction();
    put_beside(moved, format(rate, Unit::kFlopPerSecond),
               pen_.style(13, ColourRole::kStrong, Weight::kSemibold));
    name_prediction();
    for (const Tie& tie : all) {
      if (tie.roof == Under::kL1) continue;
      std::string words = tie.bytes;
      if (rate > figure_.allowed_by(tie.roof)) words += tie.why_above;
      put_beside(at(figure_.intensity_under(tie.roof), rate), words,
                 pen_.style(11, ColourRole::kDim));
    }
    const Under under = lowest == Under::kPeak ? Under::kL1 : lowest;
    const Point below = at(figure_.intensity_under(under), rate);
    put_beside({below.x, (below.y + y_.at(figure_.allowed())) / 2},
               fmt::format("{} of the roof", about_percent_words(rate / figure_.allowed())),
               pen_.style(11, ColourRole::kExcess, Weight::kMedium));
  }

  void draw_tie(const Tie& tie, Under lowest) {
    const double rate = figure_.rate();
    const double intensity = figure_.intensity_under(tie.roof);
    const Point here = at(intensity, rate);
    const bool lowest_one =
        tie.roof == lowest || (lowest == Under::kPeak && tie.roof == Under::kL1);
    const double height = lowest_one ? figure_.allowed() : height_under(tie.roof);
    pen_.canvas.line(here, at(intensity, height),
                     lowest_one ? Paint(ColourRole::kExcess, 0.8f) : Paint(tie.colour, 0.6f),
                     lowest_one ? pen_.px(1.4f) : 1);
    mark(here, figure_.source(), tie.colour,
         fmt::format("{} {}, at {} flop {}: {} of the {} under that roof.",
                     format(rate, Unit::kFlopPerSecond), name_of(figure_.source()),
                     format(intensity, Unit::kNone), tie.meaning,
                     about_percent_words(rate / height), format(height, Unit::kFlopPerSecond)));
  }

  [[nodiscard]] std::string predicted_rate() const {
    return format(figure_.rate_in(figure_.modelled_seconds), Unit::kFlopPerSecond);
  }

  void mark_prediction() {
    if (figure_.source() == Source::kModelled) return;  // it is what stands there
    mark(predicted(), Source::kModelled, ColourRole::kSelection,
         fmt::format("By the model {}.", predicted_rate()));
  }

  void name_prediction() {
    if (figure_.source() == Source::kModelled) return;
    const std::string rate = predicted_rate();
    const TextStyle dim = pen_.style(11, ColourRole::kDim);
    if (!put_beside(predicted(), "modelled " + rate, dim)) put_beside(predicted(), "modelled", dim);
  }

  // Beside `point` where there is room: right, left, above, below, and around; else nowhere.
  bool put_beside(Point point, std::string_view words, TextStyle style) {
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
      if (put_at(corner, width, words, style)) return true;
    }
    return false;
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
           pen.fitted("flop per byte that passes the roof in question", axis, plot.w), axis);
}

}  // namespace tilescope
