#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "scene/roofline/roof_lines.h"
#include "scene/roofline/roofline_plot.h"
#include "scene/roofline/roofline_scene.h"

namespace tilescope {
namespace {

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
    std::vector<Tie> all{{Under::kL1, ColourRole::kSelection, "as its lanes move",
                          "for each byte that the lanes move", ""}};
    if (std::isfinite(figure.allowed_by(Under::kL2))) {
      all.push_back({Under::kL2, ColourRole::kFourth, "past the L1",
                     "for each byte that passes between the L1s and the L2, by the model",
                     ": above its roof by the model"});
    }
    all.push_back({Under::kDram, ColourRole::kThird, "each byte once",
                   "for each byte that DRAM must deliver or take, once each",
                   ": above its roof, the L2 keeps some"});
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
    roof.tooltip = fmt::format(
        "{}: that many bytes per second times flop per byte is the most a kernel can do.",
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
      add_diagonal(roofs, figure_.l2_bandwidth, {"L2, past the L1", "L2"}, ColourRole::kFourth);
    }
    add_diagonal(roofs, figure_.dram_bandwidth, {"DRAM, each byte once", "DRAM"},
                 ColourRole::kThird);
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
           pen.fitted("flop per byte that passes the roof in question", axis, plot.w), axis);
}

}  // namespace tilescope
