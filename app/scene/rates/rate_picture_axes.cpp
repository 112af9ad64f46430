#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "scene/rates/rate_picture.h"

namespace tilescope {

RatePicture::Around RatePicture::around(float height, float text_scale) {
  static constexpr std::array<Around, 3> kAll{
      {{30, 68, true, true}, {26, 38, true, false}, {24, 18, false, false}}};
  for (const Around& each : kAll) {
    if (height - (each.above + each.below) * text_scale >= kLeastPlotShare * height) return each;
  }
  return kAll.back();
}

float plot_height(float height, float text_scale) {
  const RatePicture::Around around = RatePicture::around(height, text_scale);
  return height - (around.above + around.below) * text_scale;
}

void RatePicture::place() {
  axis_ = round_axis(1.08 * figure_.largest() / scale_);
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
  around_ = around(area_.h, pen_.px(1));
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

std::string_view RatePicture::reaches() const {
  return figure_.unit == RateUnit::kTime ? "takes" : "reaches";
}

void RatePicture::draw_heading() {
  std::string explanation = figure_.over == RateFigure::Over::kTime
                                ? "a point is a launch"
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
      draw_x_label(-seconds, before > 0 ? ago_words(before) : "last launch", y);
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
  draw_x_title();
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

}  // namespace tilescope
