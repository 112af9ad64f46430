#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/quantity.h"
#include "scene/compare/compared.h"
#include "scene/drawing/pen.h"
#include "scene/view/view.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {

// Its panes can show other views: those that are offered for them, and draw_view() of
// scene/views.h.
using DrawView = void (*)(View view, Canvas& canvas, const Rect& area, const ViewContext& context);
struct ComparePanes {
  std::span<const ViewDescriptor> views;
  DrawView draw = nullptr;
};
void draw_compare(Canvas& canvas, const Rect& area, const ViewContext& context,
                  const ComparePanes& panes);

// Words of which one is chosen; a click on another chooses it. Where they do not fit, the chosen
// one alone, and a click opens a menu of all. Returns how wide it was.
struct CompareChoice {
  std::string_view setting;
  std::string_view tooltip;  // what the choice is about, one sentence
  std::vector<std::string> words;
  std::vector<int> values;  // of the words
  int chosen = 0;           // one of the values
};
float draw_choice(Pen& pen, float x, float y, float room, const CompareChoice& choice);
[[nodiscard]] float choice_width(const Pen& pen, const CompareChoice& choice);  // of all its words

// The letter of a variant on its colour; `size` px at scale 1.
void draw_letter(Pen& pen, const Rect& box, std::size_t variant);

// Parts of the view.
// What differs: a card per variant with the sectors of its worst global access and the banks of its
// worst shared one, all standing at the same share of their time.
void draw_compare_cards(Pen& pen, const Rect& area, const ViewContext& context,
                        std::span<const std::size_t> shown);
// The phases of a variant's block over its time, and where that stands; its study is there.
void draw_compared_time(Pen& pen, const Rect& row, const ViewContext& context, std::size_t variant);
// Any view of the chosen variants beside one another.
struct PaneView {
  View view{};
  DrawView draw = nullptr;
};
void draw_compare_views(Pen& pen, const Rect& area, const ViewContext& context,
                        const PaneView& pane_view, std::span<const std::size_t> shown);
// The variants' sectors lane by lane and words bank by bank, over one another.
void draw_compare_overlay(Pen& pen, const Rect& area, const ViewContext& context);
// Every number of every variant, with its difference to the base.
enum class Titled : bool { kNo, kYes };
void draw_compare_table(Pen& pen, const Rect& area, const ViewContext& context,
                        Titled titled = Titled::kYes);
// What of each pair's ratio is whose doing. Returns the height it took.
float draw_compare_reasons(Pen& pen, const Rect& area, const ViewContext& context);

// One step of the waterfall: a kernel of the family, or a variant.
struct WaterfallStep {
  std::string key;  // of ViewSettings::steps_off
  std::string name;
  double rate = 0;  // flop or bytes per second; launches where neither is known
  Source source = Source::kRecorded;
  bool on = true;
  bool looked_at = false;  // the active variant's kernel
};
struct Waterfall {
  std::string title;                 // "FROM NAIVE TO REGISTER TILE"
  std::vector<WaterfallStep> steps;  // in order; rates as they are, not sums
  double reference = 0;              // rate of cuBLAS or the copy; 0: not known
  std::string reference_name;
  Source reference_source = Source::kRecorded;
  Unit unit = Unit::kFlopPerSecond;  // kNone: launches per second
  bool is_ladder = false;
  bool has_both = false;  // the other one could be shown too
};
// The family's ladder up to its fastest step where two steps' times are known and the settings ask
// for it, else the variants.
[[nodiscard]] Waterfall waterfall_of(const ViewContext& context);
void draw_waterfall(Pen& pen, const Rect& area, const Waterfall& waterfall);

}  // namespace tilescope
