#include <string>

#include "scene/compare/compare_scene.h"
#include "scene/drawing/forwarding_canvas.h"

namespace tilescope {
namespace {

constexpr float kHead = 24;  // px at scale 1
// What a view needs to be readable, px at scale 1.
constexpr float kLeastHeight = 250;

// Draws on another canvas, and says of each hit whose it is.
class PaneCanvas final : public ForwardingCanvas {
 public:
  PaneCanvas(Canvas& below, std::size_t variant)
      : ForwardingCanvas(below), variant_(static_cast<int>(variant)) {}

  void hit(const Rect& rect, Hit what) override {
    what.variant = variant_;
    target().hit(rect, std::move(what));
  }

 private:
  int variant_;
};

}  // namespace

void draw_compare_views(Pen& pen, const Rect& area, const ViewContext& context,
                        const PaneView& pane_view, std::span<const std::size_t> shown) {
  const float gap = pen.px(16);
  const auto count = static_cast<float>(shown.size());
  const float width = (area.w - gap * (count - 1)) / count;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::size_t variant = shown[i];
    const Rect pane{area.x + static_cast<float>(i) * (width + gap), area.y, width, area.h};
    if (i > 0) {
      pen.canvas.line({pane.x - gap / 2, pane.y}, {pane.x - gap / 2, pane.bottom()},
                      ColourRole::kLine, 1);
    }
    const float y = pane.y + pen.px(kHead / 2);
    const Rect letter{pane.x + 2, y - pen.px(8), pen.px(16), pen.px(16)};
    draw_letter(pen, letter, variant);
    const TextStyle name = pen.style(13, ColourRole::kStrong, Weight::kSemibold);
    const float x = letter.right() + pen.px(9);
    pen.text(x, y, pen.fitted(label_of(*context.compared, variant), name, pane.right() - x), name);
    const Rect below{pane.x, pane.y + pen.px(kHead), pane.w, pane.h - pen.px(kHead)};
    const ComparedVariant& compared = context.compared->variants[variant];
    const TextStyle dim = pen.style(12, ColourRole::kDim, Weight::kRegular, Align::kCenter);
    std::string instead = compared.missing;
    if (below.h < pen.px(kLeastHeight)) instead = "needs a taller window";
    if (compared.study == nullptr || !instead.empty()) {
      pen.text(below.center().x, below.center().y, pen.fitted(instead, dim, below.w), dim);
      continue;
    }
    PaneCanvas canvas(pen.canvas, variant);
    pane_view.draw(pane_view.view, canvas, below, context_of_variant(context, variant));
  }
}

}  // namespace tilescope
