#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilescope {

// Points in the canvas's own units: pixels at scale 1, y down.
struct Point {
  float x = 0;
  float y = 0;
};

struct Rect {
  float x = 0;
  float y = 0;
  float w = 0;
  float h = 0;
  [[nodiscard]] float right() const { return x + w; }
  [[nodiscard]] float bottom() const { return y + h; }
  [[nodiscard]] Point center() const { return {x + w / 2, y + h / 2}; }
  [[nodiscard]] bool contains(Point p) const {
    return p.x >= x && p.x < right() && p.y >= y && p.y < bottom();
  }
  [[nodiscard]] Rect inset(float d) const { return {x + d, y + d, w - 2 * d, h - 2 * d}; }
};

// What a colour means. The one table from role to colour per theme is scene/drawing/palette.h;
// drawing code never names a colour.
enum class ColourRole : std::uint8_t {
  kBackground,
  kPanel,
  kRaised,
  kHover,
  kLine,
  kStrong,
  kText,
  kDim,
  kFaint,
  kFirst,   // A, in, variant A, load
  kSecond,  // B, variant B, compute
  kThird,   // C, out, variant C, store
  kFourth,  // variant D, barrier
  kIdeal,
  kExcess,
  kSelection,  // the selected thing: white in dark, black in light
};

// A role with an opacity, or a sample of one of the two continuous scales.
struct Paint {
  enum class Scale : std::uint8_t { kRole, kLane, kHeat } scale = Scale::kRole;
  ColourRole role = ColourRole::kText;
  float value = 0;  // 0..1 on a scale
  float opacity = 1;

  Paint() = default;
  Paint(ColourRole r, float alpha = 1)
      : role(r), opacity(alpha) {}  // NOLINT(google-explicit-constructor)
  // Lanes 0..31: viridis from 0.12 to 0.95.
  [[nodiscard]] static Paint lane(int lane, float alpha = 1);
  // Cost heat 0..1: inferno.
  [[nodiscard]] static Paint heat(float value, float alpha = 1);
};

enum class Font : std::uint8_t { kText, kMono };
enum class Weight : std::uint8_t { kRegular, kMedium, kSemibold, kBold };
enum class Align : std::uint8_t { kLeft, kCenter, kRight };

struct TextStyle {
  float size = 13;  // px at scale 1; 11 is the least
  Weight weight = Weight::kRegular;
  Font font = Font::kText;
  Align align = Align::kLeft;  // about the given x; the given y is the text's vertical centre
  Paint paint = ColourRole::kText;
  // More text stands right behind: a file that is shown in another font keeps the width.
  bool keeps_width = false;
};

// A large grid of cells drawn through one texture: a matrix from far away to single elements.
// The pixels are immutable and shared, so that an unchanged grid is uploaded once.
struct CellGrid {
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  // rows x cols; 0 = untouched, 1..255 = heat from least to most.
  std::shared_ptr<const std::vector<std::uint8_t>> heat;
  ColourRole tint = ColourRole::kFirst;  // untouched cells and grid lines; palette.h: cell_colour()
};
// The part of a grid that is visible, in cells; fractional while zooming.
struct CellWindow {
  float first_row = 0;
  float first_col = 0;
  float rows = 0;
  float cols = 0;
};

// What lies under the pointer, so that hover explains a mark and a click selects it.
enum class HitKind : std::uint8_t {
  kNone,
  kLane,
  kWarp,
  kBlock,
  kLine,
  kParameter,
  kParameters,  // several, which keep the kernel's rules only together
  kElement,
  kEvent,
  kArgument,
  kSetting,
  kKernel,  // of the catalogue: Hit::name is its id
  kAction
};
// What the window does where a hit of kind kAction is clicked.
enum class HitAction : std::uint8_t {
  kNone,
  kActivateVariant,    // that of Hit::value
  kAddVariant,         // a copy of the active one
  kCompareFamily,      // adds more kernels of the active one's family
  kCompareGpus,        // adds the active one once more, for another GPU
  kStepThroughFamily,  // a scene for each kernel of the family, in lecture mode
};
struct HitChoice {
  std::int64_t value = 0;
  std::string words;
};
struct Hit {
  HitKind kind = HitKind::kNone;
  std::int64_t value = 0;  // lane, warp, linear block, line, event index, parameter value
  // Tells marks of one value apart: an element's column, a phase's end; of a warp the event to
  // stand at, plus one (0: where time stands).
  std::int64_t value2 = 0;
  std::string name{};                // parameter's, argument's, setting's or kernel's name
  std::string tooltip{};             // one sentence, with numbers and units; may be empty
  int variant = -1;                  // of the compared ones that it belongs to; -1: the active one
  std::vector<HitChoice> choices{};  // of a setting: a menu of its values, `value` is the present
  HitAction action = HitAction::kNone;
  std::vector<std::pair<std::string, std::int64_t>> parameters{};  // of kParameters: name, value
};

// Everything a scene draws with. Implementations: ImDrawList + OpenGL (ui), Cairo (export), a
// recording one (tests). What is exported is thus what was on screen.
class Canvas {
 public:
  virtual ~Canvas() = default;

  virtual void fill_rect(const Rect& rect, Paint paint, float corner = 0) = 0;
  virtual void stroke_rect(const Rect& rect, Paint paint, float width = 1, float corner = 0) = 0;
  virtual void line(Point from, Point to, Paint paint, float width = 1) = 0;
  virtual void polyline(std::span<const Point> points, Paint paint, float width = 1) = 0;
  virtual void fill_polygon(std::span<const Point> points, Paint paint) = 0;  // convex
  virtual void fill_circle(Point center, float radius, Paint paint) = 0;
  virtual void hatch_rect(const Rect& rect, Paint paint, float spacing = 6) = 0;  // waiting, edge
  virtual void text(Point where, std::string_view utf8, const TextStyle& style) = 0;
  [[nodiscard]] virtual float text_width(std::string_view utf8, const TextStyle& style) const = 0;
  virtual void cells(const Rect& rect, const CellGrid& grid, const CellWindow& window) = 0;
  virtual void push_clip(const Rect& rect) = 0;
  virtual void pop_clip() = 0;
  virtual void hit(const Rect& rect, Hit what) = 0;  // later ones lie on top
  // False: nobody would ever ask for a hit of this place, so that its text need not be made.
  [[nodiscard]] virtual bool wants_hit(const Rect& /*rect*/) const { return true; }
};

// A canvas that draws on another one: a base for those that change or note a part of it.
class ForwardingCanvas : public Canvas {
 public:
  explicit ForwardingCanvas(Canvas& target) : target_(target) {}

  void fill_rect(const Rect& rect, Paint paint, float corner) override {
    target_.fill_rect(rect, paint, corner);
  }
  void stroke_rect(const Rect& rect, Paint paint, float width, float corner) override {
    target_.stroke_rect(rect, paint, width, corner);
  }
  void line(Point from, Point to, Paint paint, float width) override {
    target_.line(from, to, paint, width);
  }
  void polyline(std::span<const Point> points, Paint paint, float width) override {
    target_.polyline(points, paint, width);
  }
  void fill_polygon(std::span<const Point> points, Paint paint) override {
    target_.fill_polygon(points, paint);
  }
  void fill_circle(Point center, float radius, Paint paint) override {
    target_.fill_circle(center, radius, paint);
  }
  void hatch_rect(const Rect& rect, Paint paint, float spacing) override {
    target_.hatch_rect(rect, paint, spacing);
  }
  void text(Point where, std::string_view utf8, const TextStyle& style) override {
    target_.text(where, utf8, style);
  }
  [[nodiscard]] float text_width(std::string_view utf8, const TextStyle& style) const override {
    return target_.text_width(utf8, style);
  }
  void cells(const Rect& rect, const CellGrid& grid, const CellWindow& window) override {
    target_.cells(rect, grid, window);
  }
  void push_clip(const Rect& rect) override { target_.push_clip(rect); }
  void pop_clip() override { target_.pop_clip(); }
  void hit(const Rect& rect, Hit what) override { target_.hit(rect, std::move(what)); }
  [[nodiscard]] bool wants_hit(const Rect& rect) const override { return target_.wants_hit(rect); }

 protected:
  [[nodiscard]] Canvas& target() { return target_; }

 private:
  Canvas& target_;
};

}  // namespace tilescope
