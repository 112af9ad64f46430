#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "scene/drawing/free_labels.h"
#include "scene/roofline/log_axis.h"

namespace tilescope {

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

}  // namespace tilescope
