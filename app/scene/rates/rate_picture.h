#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/quantity.h"
#include "scene/drawing/labels.h"
#include "scene/drawing/pen.h"
#include "scene/rates/rate_chart_data.h"
#include "scene/rates/rate_figure.h"

namespace tilescope {

// One drawing of a figure of rates: its axes, its levels, its points and their names.
class RatePicture {
 public:
  RatePicture(Pen& pen, const Rect& area, const RateFigure& figure, RateFrame frame);
  DrawnRates draw();

 private:
  // What stands around the plot, px at scale 1: a small chart has less.
  struct Around {
    float above = 0;
    float below = 0;
    bool has_legend = true;
    bool has_title_row = true;  // of the x axis' name: else it ends the row of legend or heading
  };
  [[nodiscard]] static Around around(RateFrame frame, float height, float text_scale);
  friend float plot_height(float height, float text_scale);
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

}  // namespace tilescope
