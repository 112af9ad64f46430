#include "scene/roofline/roofline_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/quantity.h"
#include "scene/drawing/labels.h"
#include "scene/roofline/roofline_scene.h"

namespace tilescope {
namespace {

// A limit in the roofline chart: what it is called, in full and in short, and where it runs, from
// left to right, level or rising.
struct Roof {
  std::vector<std::string> names;
  ColourRole colour = ColourRole::kText;
  Point begin;
  Point end;
  std::string tooltip = {};
};

// Lines of several pieces, so that a label may lie close beside a slanted one.
void reserve(FreeLabels& labels, const Roof& roof) {
  constexpr int kPieces = 64;
  const Point step{(roof.end.x - roof.begin.x) / kPieces, (roof.begin.y - roof.end.y) / kPieces};
  for (int i = 0; i < kPieces; ++i) {
    const auto share = static_cast<float>(i);
    labels.keep_free({roof.begin.x + step.x * share, roof.begin.y - step.y * (share + 1) - 1,
                      step.x, step.y + 2});
  }
}

bool put(FreeLabels& labels, Point left, float width, const std::string& words,
         const TextStyle& style) {
  const float half = style.size * 0.65f;
  return labels.put({left.x - 2, left.y - half, width + 4, 2 * half}, left, words, style);
}

// Places for a name along a level roof: above it and below it, the right end first.
bool write_along(Pen& pen, FreeLabels& labels, const Roof& roof, const std::string& name,
                 const TextStyle& style) {
  const float width = pen.width(name, style);
  for (float x = roof.end.x - width - pen.px(6); x >= roof.begin.x - width / 2;
       x -= std::max(width / 3, pen.px(12))) {
    for (const float away : {-pen.px(9), pen.px(9)}) {
      if (put(labels, {x, roof.begin.y + away}, width, name, style)) return true;
    }
  }
  return false;
}

// Places for a name beside a rising roof, `away` from it: below it, above it, then over its end.
bool write_beside(Pen& pen, FreeLabels& labels, const Roof& roof, const std::string& name,
                  const TextStyle& style, float away) {
  const float width = pen.width(name, style);
  for (float share = 0.02f; share < 0.99f; share += 0.04f) {
    const Point on{roof.begin.x + (roof.end.x - roof.begin.x) * share,
                   roof.begin.y + (roof.end.y - roof.begin.y) * share};
    for (const float left : {on.x + away, on.x - away - width}) {
      if (!put(labels, {left, on.y}, width, name, style)) continue;
      const float near = left > on.x ? left - 3 : left + width + 3;
      pen.canvas.line(on, {near, on.y}, Paint(roof.colour, 0.7f), 1);
      return true;
    }
  }
  return put(labels, {roof.end.x - width / 2, roof.end.y - pen.px(9)}, width, name, style);
}

// As near as there is room, tied to its line, and rather in short than far off. What finds no
// room is named by the line's tooltip alone.
void write_name(Pen& pen, FreeLabels& labels, const Roof& roof) {
  const TextStyle style = pen.style(11, roof.colour, Weight::kMedium);
  const bool level = roof.begin.y == roof.end.y;
  const float slope = (roof.begin.y - roof.end.y) / std::max(roof.end.x - roof.begin.x, 1.0f);
  const float near = pen.px(11) / std::max(slope, 0.05f);
  for (int farther = 0; farther < 10; ++farther) {
    for (const std::string& name : roof.names) {
      if (level ? write_along(pen, labels, roof, name, style)
                : write_beside(pen, labels, roof, name, style,
                               near + pen.px(20) * static_cast<float>(farther))) {
        return;
      }
    }
    if (level) return;
  }
}

void hit(Pen& pen, const Roof& roof) {
  if (roof.tooltip.empty()) return;
  constexpr int kPieces = 16;
  const float reach = pen.px(5);
  const float w = (roof.end.x - roof.begin.x) / kPieces;
  const float rise = (roof.begin.y - roof.end.y) / kPieces;
  for (int i = 0; i < kPieces; ++i) {
    const auto share = static_cast<float>(i);
    pen.hit(
        {roof.begin.x + w * share, roof.begin.y - rise * (share + 1) - reach, w, rise + 2 * reach},
        HitKind::kNone, 0, roof.tooltip);
  }
}

// No label is to lie on a limit.
void keep_roofs_free(FreeLabels& labels, std::span<const Roof> roofs) {
  for (const Roof& roof : roofs) reserve(labels, roof);
}

// Each with the longest of its names that finds room among `labels`, which keep off all of them.
void draw_roofs(Pen& pen, FreeLabels& labels, std::span<const Roof> roofs) {
  for (const Roof& roof : roofs) {
    write_name(pen, labels, roof);
    pen.canvas.line(roof.begin, roof.end, roof.colour, pen.px(1.6f));
    hit(pen, roof);
  }
}

// The ground of the roofline chart: flop per byte to the right, flop per second up, both
// logarithmic, and what is written there. Its drawings share one set of free places.
class RooflinePlot {
 public:
  // What an axis has to hold; what is no number above 0 has no place on a logarithmic one.
  class Extent {
   public:
    void include(double value);
    // From a part of the least to a multiple of the most; of nothing, those of 1.
    [[nodiscard]] LogAxis axis(double below, double above, float begin, float end) const;

   private:
    double low_ = 0;
    double high_ = 0;
  };

  RooflinePlot(Pen& pen, const Rect& box, const Extent& intensity, const Extent& rate);

  [[nodiscard]] Pen& pen() const { return pen_; }
  [[nodiscard]] const Rect& box() const { return box_; }
  [[nodiscard]] const LogAxis& x() const { return x_; }
  [[nodiscard]] const LogAxis& y() const { return y_; }
  [[nodiscard]] FreeLabels& labels() { return labels_; }
  [[nodiscard]] Point at(double intensity, double rate) const {
    return {x_.at(intensity), y_.at(rate)};
  }

  void draw_grid();
  void keep_mark_free(Point where);
  // Between two points at one height or one above the other.
  void keep_level_or_upright_free(Point from, Point to);
  void mark(Point where, Source source, Paint paint, std::string tooltip);
  // Beside `point` where there is room and no other mark is nearer: right, left, above, below, and
  // around. False: nowhere.
  bool put_beside(Point point, std::string_view words, TextStyle style);

 private:
  [[nodiscard]] bool is_nearest(Point point, const Rect& box) const;

  Pen& pen_;
  Rect box_;
  LogAxis x_;
  LogAxis y_;
  FreeLabels labels_;
  std::vector<Point> marks_;
};

void RooflinePlot::Extent::include(double value) {
  if (!std::isfinite(value) || value <= 0) return;
  low_ = low_ == 0 ? value : std::min(low_, value);
  high_ = std::max(high_, value);
}

LogAxis RooflinePlot::Extent::axis(double below, double above, float begin, float end) const {
  const bool none = low_ == 0;
  return {(none ? 1 : low_) / below, (none ? 1 : high_) * above, begin, end};
}

RooflinePlot::RooflinePlot(Pen& pen, const Rect& box, const Extent& intensity, const Extent& rate)
    : pen_(pen),
      box_(box),
      x_(intensity.axis(3, 3, box.x, box.right())),
      y_(rate.axis(3, 2.2, box.bottom(), box.y)),
      labels_(pen, box) {}

void RooflinePlot::draw_grid() {
  const TextStyle y_style = pen_.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const TextStyle x_style = pen_.style(11, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  for (const double tick : ticks_of(y_, pen_.px(22))) {
    const float y = y_.at(tick);
    pen_.canvas.line({box_.x, y}, {box_.right(), y}, ColourRole::kLine, 1);
    pen_.text(box_.x - pen_.px(8), y, tick_words(tick / 1e12), y_style);
  }
  for (const double tick : ticks_of(x_, pen_.px(40))) {
    const float x = x_.at(tick);
    pen_.canvas.line({x, box_.y}, {x, box_.bottom()}, ColourRole::kLine, 1);
    const std::string words = tick_words(tick);
    const float last = box_.right() + pen_.px(4) - pen_.width(words, x_style) / 2;
    pen_.text(std::min(x, last), box_.bottom() + pen_.px(11), words, x_style);
  }
}

void RooflinePlot::keep_mark_free(Point where) {
  marks_.push_back(where);
  const float r = pen_.px(6);
  labels_.keep_free({where.x - r, where.y - r, 2 * r, 2 * r});
}

void RooflinePlot::keep_level_or_upright_free(Point from, Point to) {
  const float x = std::min(from.x, to.x);
  const float y = std::min(from.y, to.y);
  const float w = std::abs(to.x - from.x);
  const float h = std::abs(to.y - from.y);
  labels_.keep_free(w > h ? Rect{x, y - 2, w, h + 4} : Rect{x - 2, y, w + 4, h});
}

void RooflinePlot::mark(Point where, Source source, Paint paint, std::string tooltip) {
  const float r = pen_.px(7);
  pen_.source_mark(where, source, paint);
  pen_.hit({where.x - r, where.y - r, 2 * r, 2 * r}, HitKind::kNone, 0, std::move(tooltip));
}

// Whether a reader takes the words in `box` for those of the mark at `point`; true where none is.
bool RooflinePlot::is_nearest(Point point, const Rect& box) const {
  const auto is_here = [&](Point mark) {
    return std::hypot(mark.x - point.x, mark.y - point.y) < pen_.px(4);
  };
  const auto distance = [&box](Point from) {
    const float x = std::max({box.x - from.x, from.x - box.right(), 0.0f});
    const float y = std::max({box.y - from.y, from.y - box.bottom(), 0.0f});
    return std::hypot(x, y);
  };
  const float own = distance(point) + pen_.px(1);
  return std::ranges::none_of(marks_, is_here) || std::ranges::all_of(marks_, [&](Point mark) {
           return is_here(mark) || distance(mark) >= own;
         });
}

bool RooflinePlot::put_beside(Point point, std::string_view words, TextStyle style) {
  style.align = Align::kLeft;
  const float width = pen_.width(words, style);
  const float half = style.size * 0.65f;
  const float away = pen_.px(9);
  const float right = point.x + away;
  const float left = point.x - away - width;
  const float middle = point.x - width / 2;
  for (const auto& [x, down] :
       {std::pair{right, 0.0f}, std::pair{left, 0.0f}, std::pair{middle, -14.0f},
        std::pair{middle, 14.0f}, std::pair{right, -12.0f}, std::pair{right, 12.0f},
        std::pair{left, -12.0f}, std::pair{left, 12.0f}, std::pair{right, -24.0f},
        std::pair{right, 24.0f}, std::pair{left, -24.0f}, std::pair{left, 24.0f}}) {
    const Point at{x, point.y + pen_.px(down)};
    if (!is_nearest(point, {at.x, at.y - half, width, 2 * half})) continue;
    if (labels_.put({at.x - 2, at.y - half, width + 4, 2 * half}, at, words, style)) return true;
  }
  return false;
}

class RooflineChart {
 public:
  RooflineChart(Pen& pen, const Rect& box, const RooflinePicture& picture)
      : pen_(pen),
        picture_(picture),
        figure_(picture.figure),
        plot_(pen, box, intensities(picture, ties_of(picture.figure)), rates(picture)) {}

  // What is looked at is named before the limits, and these before its neighbours.
  void draw() {
    plot_.draw_grid();
    pen_.canvas.push_clip(plot_.box());
    reserve_marks();
    const std::vector<Roof> roofs = limits();
    keep_roofs_free(plot_.labels(), roofs);
    name_kernel();
    draw_roofs(pen_, plot_.labels(), roofs);
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
  [[nodiscard]] std::vector<Tie> ties() const { return ties_of(figure_); }
  [[nodiscard]] static std::vector<Tie> ties_of(const RooflineFigure& figure) {
    std::vector<Tie> all{
        {Under::kL1, ColourRole::kSelection, "L1 traffic", "per byte of sectors moved", ""}};
    if (std::isfinite(figure.allowed_by(Under::kL2))) {
      all.push_back({Under::kL2, ColourRole::kFourth, "L2 traffic",
                     "per byte between L1 and L2 (model)", ": above its roof by the model"});
    }
    all.push_back({Under::kDram, ColourRole::kThird, "compulsory traffic",
                   "per byte if each were moved only once",
                   ": above its roof because the L2 keeps some data"});
    return all;
  }

  static RooflinePlot::Extent intensities(const RooflinePicture& picture,
                                          const std::vector<Tie>& ties) {
    RooflinePlot::Extent extent;
    for (const Tie& tie : ties) extent.include(picture.figure.intensity_under(tie.roof));
    if (picture.data == nullptr) return extent;
    for (const LadderStep& step : picture.data->steps) {
      extent.include(step.flop / step.moved_bytes);
    }
    return extent;
  }
  static RooflinePlot::Extent rates(const RooflinePicture& picture) {
    RooflinePlot::Extent extent;
    const RooflineFigure& figure = picture.figure;
    for (const double rate : {figure.rate(), figure.rate_in(figure.modelled_seconds), figure.peak})
      extent.include(rate);
    if (picture.data == nullptr) return extent;
    for (const LadderStep& step : picture.data->steps) {
      extent.include(step.flop / step.time.seconds);
    }
    return extent;
  }

  [[nodiscard]] Point at(double intensity, double rate) const { return plot_.at(intensity, rate); }

  // A bandwidth: a diagonal up to the peak. `names`: the longest first.
  void add_diagonal(std::vector<Roof>& roofs, double bandwidth,
                    const std::vector<std::string>& names, ColourRole colour) const {
    const double top = figure_.peak > 0 ? figure_.peak : plot_.y().high;
    const double from = std::max(plot_.x().low, plot_.y().low / bandwidth);
    const double to = std::min(plot_.x().high, top / bandwidth);
    if (!(to > from)) return;
    const std::string rate = format(bandwidth, Unit::kBytesPerSecond) + " ◇";
    Roof roof{{}, colour, at(from, from * bandwidth), at(to, to * bandwidth)};
    for (const std::string& name : names) roof.names.push_back(name + " " + rate);
    roof.tooltip = fmt::format("{}: the upper limit is this bandwidth times flop per byte.",
                               roof.names.front());
    roofs.push_back(std::move(roof));
  }

  // A rate: level from where the fastest memory feeds it.
  void add_level(std::vector<Roof>& roofs, double rate, const std::string& name,
                 ColourRole colour) const {
    const double from = std::max(plot_.x().low, rate / figure_.l1_bandwidth);
    if (rate <= 0 || rate > plot_.y().high ||
        !(plot_.x().at(plot_.x().high) - plot_.x().at(from) > pen_.px(12)))
      return;
    roofs.push_back({{name + " " + format(rate, Unit::kFlopPerSecond), name},
                     colour,
                     at(from, rate),
                     at(plot_.x().high, rate)});
  }

  // Those with the least room for a name first: the steepest, at last the level ones.
  [[nodiscard]] std::vector<Roof> limits() const {
    std::vector<Roof> roofs;
    add_diagonal(roofs, figure_.l1_bandwidth, {"shared memory and L1", "shared, L1", "L1"},
                 ColourRole::kSecond);
    if (figure_.l2_bandwidth > 0) {
      add_diagonal(roofs, figure_.l2_bandwidth, {"L2 bandwidth", "L2"}, ColourRole::kFourth);
    }
    add_diagonal(roofs, figure_.dram_bandwidth, {"DRAM bandwidth", "DRAM"}, ColourRole::kThird);
    if (figure_.peak > 0) {
      add_level(roofs, figure_.peak, figure_.tensor ? "tensor cores" : "FP32 with FMA",
                ColourRole::kText);
      if (!figure_.tensor) add_level(roofs, figure_.peak / 2, "without FMA", ColourRole::kDim);
    }
    return roofs;
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
    const std::vector<Step> ladder = steps();
    for (const Step& step : ladder) plot_.keep_mark_free(step.at);
    for (std::size_t i = 1; i < ladder.size(); ++i) {
      plot_.labels().keep_line_free(ladder[i - 1].at, ladder[i].at);
    }
    plot_.keep_mark_free(predicted());
    const double rate = figure_.rate();
    plot_.keep_level_or_upright_free(at(figure_.intensity_moved(), rate),
                                     at(figure_.intensity_once(), rate));
    for (const Tie& tie : ties()) {
      const double intensity = figure_.intensity_under(tie.roof);
      const Point here = at(intensity, rate);
      plot_.keep_mark_free(here);
      plot_.keep_level_or_upright_free(here, at(intensity, height_under(tie.roof)));
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
      if (!own) plot_.put_beside(step.at, step.step->name, style);
      pen_.hit({step.at.x - r, step.at.y - r, 2 * r, 2 * r}, HitKind::kNone, 0,
               fmt::format("{}: {} {} at {} flop per byte of sectors moved.", step.step->name,
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
    name_share(lowest);
    name_prediction();
    for (const Tie& tie : all) {
      if (tie.roof == Under::kL1) continue;
      std::string words = tie.bytes;
      if (rate > figure_.allowed_by(tie.roof)) words += tie.why_above;
      plot_.put_beside(at(figure_.intensity_under(tie.roof), rate), words,
                       pen_.style(11, ColourRole::kDim));
    }
  }

  // How far the kernel is below its lowest roof, on the tie between them.
  void name_share(Under lowest) {
    const double rate = figure_.rate();
    const Under under = lowest == Under::kPeak ? Under::kL1 : lowest;
    const Point below = at(figure_.intensity_under(under), rate);
    const Point middle{below.x, (below.y + plot_.y().at(figure_.allowed())) / 2};
    plot_.put_beside(middle,
                     fmt::format("{} of the roof", about_percent_words(rate / figure_.allowed())),
                     pen_.style(11, ColourRole::kExcess, Weight::kMedium));
  }

  void name_kernel() {
    plot_.put_beside(at(figure_.intensity_moved(), figure_.rate()),
                     format(figure_.rate(), Unit::kFlopPerSecond),
                     pen_.style(13, ColourRole::kStrong, Weight::kSemibold));
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
    plot_.mark(
        here, figure_.source(), tie.colour,
        fmt::format("{} {}, at {} flop {}: {} of the {} under that roof.",
                    format(rate, Unit::kFlopPerSecond), name_of(figure_.source()),
                    format(intensity, Unit::kNone), tie.meaning, about_percent_words(rate / height),
                    format(height, Unit::kFlopPerSecond)));
  }

  [[nodiscard]] std::string predicted_rate() const {
    return format(figure_.rate_in(figure_.modelled_seconds), Unit::kFlopPerSecond);
  }

  void mark_prediction() {
    if (figure_.source() == Source::kModelled) return;  // it is what stands there
    plot_.mark(predicted(), Source::kModelled, ColourRole::kSelection,
               fmt::format("By the model {}.", predicted_rate()));
  }

  void name_prediction() {
    if (figure_.source() == Source::kModelled) return;
    const std::string rate = predicted_rate();
    const TextStyle dim = pen_.style(11, ColourRole::kDim);
    if (!plot_.put_beside(predicted(), "modelled " + rate, dim))
      plot_.put_beside(predicted(), "modelled", dim);
  }

  Pen& pen_;
  const RooflinePicture& picture_;
  const RooflineFigure& figure_;
  RooflinePlot plot_;
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
           pen.fitted("flop per byte (each point against its own roof)", axis, plot.w), axis);
}

float LogAxis::at(double value) const {
  const double share =
      value > 0 ? std::clamp(std::log10(value / low) / std::log10(high / low), -1.0, 2.0) : -1.0;
  return begin + (end - begin) * static_cast<float>(share);
}

std::vector<double> ticks_of(const LogAxis& axis, float least) {
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

std::string tick_words(double tick) {
  if (tick < 1000) return fmt::format("{:g}", tick);
  return format_count(static_cast<std::uint64_t>(std::llround(tick)));
}

}  // namespace tilescope
