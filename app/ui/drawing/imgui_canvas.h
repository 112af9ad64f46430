#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scene/drawing/canvas.h"
#include "scene/drawing/palette.h"

struct ImDrawList;

namespace tilescope {

class CellRenderer;
class Fonts;
class WordTable;
struct TextAudit;

// The canvas on screen: an ImDrawList, and OpenGL for cells. Units of the canvas are multiplied by
// `scale` and moved to `origin` (px of the screen). Lives for one drawing within a frame.
class ImGuiCanvas final : public Canvas {
 public:
  struct Target {
    ImDrawList* list = nullptr;
    Point origin;
    float scale = 1;
    Theme theme = Theme::kDark;
    float opacity = 1;                            // of everything drawn
    ColourRole ground = ColourRole::kBackground;  // what kBackground is where it is drawn
    TextAudit* audit = nullptr;
    std::optional<Point> pointer =
        {};  // the only place that hit_at() will be asked for; absent: any
    const WordTable* words = nullptr;  // every text is drawn in its language; nullptr: as it is
  };
  ImGuiCanvas(const Target& target, const Fonts& fonts, CellRenderer& cells);

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
  [[nodiscard]] bool wants_hit(const Rect& rect) const override;

  struct PlacedHit {
    Rect screen;
    Hit hit;
  };
  // Everything that was hit(), later ones on top.
  [[nodiscard]] std::span<const PlacedHit> hits() const { return hits_; }
  // What lies at a point of the screen; nullptr: nothing.
  [[nodiscard]] const PlacedHit* hit_at(Point screen) const;

 private:
  [[nodiscard]] Point place(Point p) const;
  [[nodiscard]] Rect place(const Rect& rect) const;
  [[nodiscard]] unsigned ink(Paint paint) const;
  [[nodiscard]] float width_of(std::string_view utf8, const TextStyle& style) const;
  void note_text(std::string_view words, const Rect& screen);

  Target target_;
  const Fonts& fonts_;
  CellRenderer& cells_;
  std::vector<PlacedHit> hits_;
};

// Every text that a frame drew and where, and its controls: a test looks through them for words
// that are cut or that lie on one another, and for controls that explain nothing. Filled only when
// a test hangs one on the state.
struct TextAudit {
  struct Text {
    std::string words;
    Rect screen;       // of the letters, px
    bool cut = false;  // its clip rectangle lets only a part of it through
  };
  std::vector<Text> texts;
  // Every control, and whether it says what it does.
  struct Control {
    std::string id;
    Rect screen;  // px
    bool explained = false;
  };
  std::vector<Control> controls;
};

}  // namespace tilescope
