#pragma once
#include <memory>
#include <string>
#include <vector>

#include "export/font_library.h"
#include "scene/drawing/canvas.h"

namespace tilescope {

// Keeps what a scene draws, with the widths that the program's fonts give it, so that tests can ask
// what stands where.
class RecordingCanvas final : public Canvas {
 public:
  struct Text {
    std::string words;
    Rect box;  // width as set, height of the line of capitals
    float size = 0;
    bool in_cell = false;  // a figure in the middle of a cell
    Paint paint;
  };
  struct Shape {
    Rect box;
    Paint paint;
  };

  void fill_rect(const Rect& rect, Paint paint, float corner) override;
  void stroke_rect(const Rect& rect, Paint paint, float width, float corner) override;
  void line(Point from, Point to, Paint paint, float width) override;
  void polyline(std::span<const Point> points, Paint paint, float width) override;
  void fill_polygon(std::span<const Point> points, Paint paint) override;
  void fill_circle(Point center, float radius, Paint paint) override;
  void hatch_rect(const Rect& rect, Paint paint, float spacing) override;
  void text(Point where, std::string_view utf8, const TextStyle& style) override;
  [[nodiscard]] float text_width(std::string_view utf8, const TextStyle& style) const override;
  void cells(const Rect& rect, const CellGrid& grid, const CellWindow& window) override;
  void push_clip(const Rect& rect) override;
  void pop_clip() override;
  void hit(const Rect& rect, Hit what) override;

  struct Line {
    Point from;
    Point to;
  };

  std::vector<Text> texts;
  std::vector<Line> lines;
  std::vector<Shape> fills;
  std::vector<Shape> marks;  // outlines, lines and all else that inks
  std::vector<std::pair<Rect, CellGrid>> grids;
  std::vector<std::pair<Rect, Hit>> hits;
  int open_clips = 0;

  // Opening the fonts takes longer than drawing: repeated frames use one library.
  void share_fonts(const RecordingCanvas& other) { fonts_ = other.fonts_; }

  [[nodiscard]] bool says(std::string_view words) const;  // a text that contains them
  [[nodiscard]] std::string all_text() const;             // line by line

  // "" when no line runs through a text, else the first text that one does.
  [[nodiscard]] std::string crossed_label() const;

  // Everything that was drawn, as text: equal for equal pictures.
  [[nodiscard]] std::string fingerprint() const;

  // "" when all is well, else the first thing that is not: a text below `least` px (a figure in a
  // cell below 11, for it shrinks with its cell before it is left out), two texts over
  // each other, a text or shape outside `area`, a clip left open, a broken coordinate, a shape of a
  // negative width or height.
  [[nodiscard]] std::string complaint(const Rect& area, float least) const;

 private:
  std::shared_ptr<FontLibrary> fonts_ = std::make_shared<FontLibrary>();
};

}  // namespace tilescope
