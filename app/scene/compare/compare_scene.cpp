#include "scene/compare/compare_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "core/quantity.h"
#include "scene/compare/compare_cards.h"
#include "scene/compare/compare_words.h"
#include "scene/drawing/canvas.h"
#include "scene/model/prepared.h"
#include "scene/model/tiling_model.h"
#include "scene/view/default_selection.h"
#include "scene/view/empty_view.h"
#include "scene/view/phase_paint.h"
#include "scene/view/view.h"

namespace tilescope {
namespace {

constexpr float kControls = 26;
constexpr float kBoth = 262;  // the least height for pictures and numbers together
constexpr float kChoiceGap = 16;
constexpr float kPane = 460;  // the least width in which a whole view can be read

// What fills the view where there is only one variant.
void draw_alone(Pen& pen, const Rect& area) {
  draw_empty(pen, {area.x, area.y, area.w, area.h - (pen.on_paper ? 0 : pen.px(104))},
             "Only one variant",
             "A comparison needs two to four variants: this kernel with another parameter or on "
             "another GPU, another kernel, or a file.");
  const auto offer = [](std::string words, HitAction action, std::string tooltip) {
    return Offer{std::move(words),
                 {.kind = HitKind::kAction, .tooltip = std::move(tooltip), .action = action}};
  };
  const std::array offers{
      offer("+ add a variant", HitAction::kAddVariant,
            "Adds a copy of this variant in its own tab, to change and compare."),
      offer("compare with the other kernels of this family", HitAction::kCompareFamily,
            "Adds up to three more kernels of this family, each in its own tab."),
      offer("step through the whole family", HitAction::kStepThroughFamily,
            "Shows each kernel of this family as a scene, in order: Page Down and Page Up turn, "
            "Escape comes back here. The scenes stay in the panel Scenes."),
      offer("compare with another GPU", HitAction::kCompareGpus,
            "Adds this kernel once more, for another GPU: measured where a worker has one, else by "
            "the time model. The menu of the GPU's name, at the top, has all of them.")};
  draw_offers(pen, area, offers);
}

CompareChoice view_choice(const ViewContext& context, std::span<const ViewDescriptor> views) {
  CompareChoice choice{"compare_view", "The view in each pane.", {"what differs"}, {-1}, 0};
  for (const ViewDescriptor& view : views) {
    if (!view.in_panes) continue;
    choice.words.emplace_back(view.name);
    choice.values.push_back(static_cast<int>(view.view));
  }
  choice.chosen = context.settings.compare_view;
  return choice;
}

CompareChoice base_choice(const ViewContext& context) {
  CompareChoice choice{
      "compare_base", "The variant the others are compared with (base).", {}, {}, 0};
  const ComparedSet& set = *context.compared;
  for (std::size_t i = 0; i < set.variants.size(); ++i) {
    if (set.variants[i].study == nullptr) continue;
    choice.words.push_back("base " + letter_of(i));
    choice.values.push_back(static_cast<int>(i));
  }
  choice.chosen = static_cast<int>(base_of(context));
  return choice;
}

CompareChoice mode_choice(const ViewContext& context) {
  return {"compare_mode",
          "Side by side; one at a time (X switches); or on top of each other.",
          {"side by side", "A / B", "overlay"},
          {0, 1, 2},
          static_cast<int>(context.settings.compare_mode)};
}

std::size_t pane_of(const ViewContext& context) {
  const auto count = context.compared->variants.size();
  const int wanted = context.settings.compare_pane;
  return wanted >= 0 && static_cast<std::size_t>(wanted) < count ? static_cast<std::size_t>(wanted)
                                                                 : context.compared->active;
}

// A letter per variant: which one is looked at, or works.
float draw_letters(Pen& pen, float x, float y, const ViewContext& context) {
  const ComparedSet& set = *context.compared;
  const bool one = context.settings.compare_mode == CompareMode::kOne;
  const std::size_t chosen = one ? pane_of(context) : set.active;
  for (std::size_t i = 0; i < set.variants.size(); ++i) {
    const Rect box{x, y - pen.px(9), pen.px(18), pen.px(18)};
    draw_letter(pen, box, i);
    if (i == chosen) pen.outline(box.inset(-2), ColourRole::kSelection, 1.5f, 5);
    Hit hit{.kind = one ? HitKind::kSetting : HitKind::kAction,
            .value = static_cast<std::int64_t>(i),
            .name = one ? "compare_pane" : "",
            .action = one ? HitAction::kNone : HitAction::kActivateVariant};
    hit.tooltip = fmt::format("{}: {}. {}", letter_of(i), full_label_of(set, i),
                              one ? "Click to show it." : "Click to select it.");
    pen.canvas.hit(box, std::move(hit));
    x += pen.px(26);
  }
  return x;
}

void draw_controls(Pen& pen, const Rect& row, const ViewContext& context,
                   std::span<const ViewDescriptor> views) {
  const float y = row.center().y;
  const CompareChoice mode = mode_choice(context);
  const bool roomy = row.w >= pen.px(820);
  const float mode_width = roomy ? choice_width(pen, mode)
                                 : pen.width(mode.words[static_cast<std::size_t>(mode.chosen)],
                                             pen.style(12, ColourRole::kText, Weight::kMedium)) +
                                       pen.px(14);
  draw_choice(pen, row.right() - mode_width, y, roomy ? mode_width : 0, mode);
  float x = draw_letters(pen, row.x + 2, y, context) + pen.px(8);
  x += draw_choice(pen, x, y, 0, base_choice(context)) + pen.px(24);
  if (context.settings.compare_mode == CompareMode::kOverlay) return;
  const float room = row.right() - mode_width - pen.px(24) - x;
  if (room > pen.px(90)) draw_choice(pen, x, y, roomy ? room : 0, view_choice(context, views));
}

// All of them, or as many as have room, the base and the subject first.
std::vector<std::size_t> shown_panes(const Pen& pen, const Rect& area, const ViewContext& context) {
  if (context.settings.compare_mode == CompareMode::kOne) return {pane_of(context)};
  const std::size_t count = context.compared->variants.size();
  std::size_t room = count;
  if (context.settings.compare_view >= 0) {
    room = static_cast<std::size_t>(
        std::clamp((area.w + pen.px(16)) / pen.px(kPane + 16), 1.0f, static_cast<float>(count)));
  }
  std::vector<std::size_t> order{subject_of(context), base_of(context)};
  for (std::size_t i = 0; i < count; ++i) order.push_back(i);
  std::vector<std::size_t> shown;
  for (const std::size_t i : order) {
    if (shown.size() < room && std::ranges::find(shown, i) == shown.end()) shown.push_back(i);
  }
  std::ranges::sort(shown);
  return shown;
}

// ViewSettings::compare_part: the first is what there is first, the pictures or the numbers.
enum class ComparePart : std::uint8_t { kFirst, kWaterfall, kReasons, kNumbers };

// One part, and words to choose another. `draw_pictures`: where these are one of the parts.
void draw_one_part(Pen& pen, const Rect& area, const ViewContext& context, bool with_table,
                   const std::function<void(const Rect&)>& draw_pictures = {}) {
  CompareChoice parts{"compare_part", "What is shown here (there is room for one).", {}, {}, 0};
  const auto offer = [&](const char* words, ComparePart part) {
    parts.words.emplace_back(words);
    parts.values.push_back(static_cast<int>(part));
  };
  if (draw_pictures) offer("pictures", ComparePart::kFirst);
  if (with_table) offer("numbers", draw_pictures ? ComparePart::kNumbers : ComparePart::kFirst);
  offer("waterfall", ComparePart::kWaterfall);
  offer("reasons", ComparePart::kReasons);
  parts.chosen = context.settings.compare_part;
  if (std::ranges::find(parts.values, parts.chosen) == parts.values.end()) {
    parts.chosen = with_table ? 0 : static_cast<int>(ComparePart::kReasons);
  }
  const float head = pen.on_paper ? 0 : pen.px(20);
  if (!pen.on_paper) draw_choice(pen, area.x, area.y + pen.px(8), area.w, parts);
  const Rect below{area.x, area.y + head, area.w, area.h - head};
  const auto chosen = static_cast<ComparePart>(parts.chosen);
  if (chosen == ComparePart::kFirst && draw_pictures) {
    draw_pictures(below);
  } else if (chosen == ComparePart::kWaterfall) {
    draw_waterfall(pen, below, waterfall_of(context));
  } else if (chosen == ComparePart::kReasons) {
    draw_compare_reasons(pen, below, context);
  } else {
    draw_compare_table(pen, below, context, pen.on_paper ? Titled::kYes : Titled::kNo);
  }
}

// Numbers, where the time goes, and the way up.
void draw_lower(Pen& pen, const Rect& area, const ViewContext& context) {
  if (area.h < pen.px(64)) return;
  if (area.w < pen.px(880)) {
    draw_one_part(pen, area, context, true);
    return;
  }
  const float gap = pen.px(36);
  const float left = area.w * 0.53f;
  draw_compare_table(pen, {area.x, area.y, left, area.h}, context);
  const Rect right{area.x + left + gap, area.y, area.w - left - gap, area.h};
  if (area.h < pen.px(200)) {
    draw_one_part(pen, right, context, false);
    return;
  }
  const float most = std::max(right.h - pen.px(150), right.h * 0.42f);
  const float top =
      draw_compare_reasons(pen, {right.x, right.y, right.w, most}, context) + pen.px(12);
  draw_waterfall(pen, {right.x, right.y + top, right.w, right.h - top}, waterfall_of(context));
}

}  // namespace

float choice_width(const Pen& pen, const CompareChoice& choice) {
  const TextStyle style = pen.style(12, ColourRole::kStrong, Weight::kSemibold);
  float width = pen.px(kChoiceGap) * static_cast<float>(choice.words.size() - 1);
  for (const std::string& word : choice.words) width += pen.width(word, style);
  return width;
}

float draw_choice(Pen& pen, float x, float y, float room, const CompareChoice& choice) {
  const float gap = pen.px(kChoiceGap);
  const TextStyle measure = pen.style(12, ColourRole::kStrong, Weight::kSemibold);
  const float needed = choice_width(pen, choice);
  const auto at = std::ranges::find(choice.values, choice.chosen);
  const std::size_t chosen =
      at == choice.values.end() ? 0 : static_cast<std::size_t>(at - choice.values.begin());
  const auto hit = [&](const Rect& box, std::size_t index) {
    pen.canvas.hit(box, Hit{HitKind::kSetting, choice.values[index], 0, std::string(choice.setting),
                            std::string(choice.tooltip)});
  };
  if (needed > room + 0.5f) {
    const TextStyle style = pen.style(12, ColourRole::kText, Weight::kMedium);
    const std::string words = choice.words[chosen];
    const float width = pen.width(words, style);
    pen.text(x, y, words, style);
    if (choice.words.size() < 2) return width;
    const Point tip{x + width + pen.px(9), y + pen.px(3)};  // there is more
    const std::array<Point, 3> arrow = {Point{tip.x - pen.px(3), tip.y - pen.px(4)},
                                        Point{tip.x + pen.px(3), tip.y - pen.px(4)}, tip};
    pen.canvas.fill_polygon(arrow, ColourRole::kDim);
    Hit menu{HitKind::kSetting, choice.values[chosen], 0, std::string(choice.setting),
             std::string(choice.tooltip)};
    for (std::size_t i = 0; i < choice.words.size(); ++i) {
      menu.choices.push_back({choice.values[i], choice.words[i]});
    }
    pen.canvas.hit({x - 4, y - pen.px(11), width + pen.px(18), pen.px(22)}, std::move(menu));
    return width + pen.px(14);
  }
  for (std::size_t i = 0; i < choice.words.size(); ++i) {
    const TextStyle style = i == chosen ? measure : pen.style(12, ColourRole::kDim);
    const float width = pen.width(choice.words[i], style);
    pen.text(x, y, choice.words[i], style);
    if (i == chosen) {
      pen.canvas.fill_rect({x, y + pen.px(9), width, pen.px(1.5f)}, ColourRole::kFirst);
    }
    hit({x - gap / 2, y - pen.px(11), width + gap, pen.px(22)}, i);
    x += width + gap;
  }
  return needed;
}

void draw_letter(Pen& pen, const Rect& box, std::size_t variant) {
  const Paint colour = colour_of_variant(variant);
  pen.canvas.fill_rect(box, colour, 3);
  pen.text(box.center().x, box.center().y, letter_of(variant),
           pen.style(11, text_on(colour, pen.theme), Weight::kBold, Align::kCenter));
}

void draw_compare(Canvas& canvas, const Rect& area, const ViewContext& context,
                  const ComparePanes& compare_panes) {
  Pen pen(canvas, context);
  if (context.compared == nullptr || context.compared->variants.size() < 2) {
    draw_alone(pen, area);
    return;
  }
  const auto& variants = context.compared->variants;
  if (std::ranges::all_of(variants, [](const auto& each) { return each.study == nullptr; })) {
    draw_empty(pen, area, "Comparing the variants …", "The differences appear here shortly.");
    return;
  }
  float top = area.y;
  if (!pen.on_paper) {
    draw_controls(pen, {area.x, area.y, area.w, pen.px(kControls)}, context, compare_panes.views);
    top += pen.px(kControls + 6);
  }
  const Rect below{area.x, top, area.w, area.bottom() - top};
  const bool overlay = context.settings.compare_mode == CompareMode::kOverlay;
  const std::vector<std::size_t> shown = shown_panes(pen, below, context);
  if (!overlay && context.settings.compare_view >= 0) {
    draw_compare_views(pen, below, context,
                       {static_cast<View>(context.settings.compare_view), compare_panes.draw},
                       shown);
    return;
  }
  const auto draw_pictures = [&](const Rect& panes) {
    if (overlay) {
      draw_compare_overlay(pen, panes, context);
    } else {
      draw_compare_cards(pen, panes, context, shown);
    }
  };
  // Where they would be dots beside the numbers, one thing at a time.
  if (!pen.on_paper && below.h < pen.px(kBoth)) {
    draw_one_part(pen, below, context, true, draw_pictures);
    return;
  }
  const bool large = overlay || context.settings.compare_mode == CompareMode::kOne;
  const float share = large ? 0.5f : 0.38f;
  const float most = large ? pen.px(340) : pen.px(196);
  const float height = std::clamp(below.h * share, std::min(pen.px(112), below.h), most);
  const Rect panes{below.x, below.y, below.w, height};
  draw_pictures(panes);
  const float gap = pen.px(14);
  draw_lower(pen, {below.x, panes.bottom() + gap, below.w, below.bottom() - panes.bottom() - gap},
             context);
}

namespace {

constexpr float kPaneHead = 24;  // px at scale 1

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
    const float y = pane.y + pen.px(kPaneHead / 2);
    const Rect letter{pane.x + 2, y - pen.px(8), pen.px(16), pen.px(16)};
    draw_letter(pen, letter, variant);
    const TextStyle name = pen.style(13, ColourRole::kStrong, Weight::kSemibold);
    const float x = letter.right() + pen.px(9);
    pen.text(x, y, pen.fitted(label_of(*context.compared, variant), name, pane.right() - x), name);
    const Rect below{pane.x, pane.y + pen.px(kPaneHead), pane.w, pane.h - pen.px(kPaneHead)};
    const ComparedVariant& compared = context.compared->variants[variant];
    const TextStyle dim = pen.style(12, ColourRole::kDim, Weight::kRegular, Align::kCenter);
    if (compared.study == nullptr || !compared.missing.empty()) {
      pen.text(below.center().x, below.center().y, pen.fitted(compared.missing, dim, below.w), dim);
      continue;
    }
    PaneCanvas canvas(pen.canvas, variant);
    pane_view.draw(pane_view.view, canvas, below, context_of_variant(context, variant));
  }
}

void draw_compared_time(Pen& pen, const Rect& row, const ViewContext& context,
                        std::size_t variant) {
  const KernelStudy& study = *context.compared->variants[variant].study;
  const ViewContext own = context_of_variant(context, variant);
  const auto events = static_cast<std::uint32_t>(study.trace->events.size());
  const std::uint32_t event = own.selection.event;
  const auto prepared = prepared_of(own);
  const WarpTime time = time_of(study, *prepared, own.selection.warp);
  const std::size_t steps = time.steps().size();
  const StepTiles& tiles = prepared->tiling->by_tile;
  const std::string words =
      steps > 1 ? step_in_words(tiles, study.timeline->step_of(time.warp, event), steps)
                : fmt::format("position {:.0f} %", 100.0 * event / std::max(events - 1.0, 1.0));
  const TextStyle dim = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  float widest = pen.width("position 100 %", dim);  // at the first step, or the last
  for (const std::size_t step : {std::size_t{1}, steps}) {
    if (steps <= 1) break;
    const auto number = static_cast<std::uint32_t>(step - 1);
    widest = std::max(widest, pen.width(step_in_words(tiles, number, steps), dim));
  }
  const float text = widest + pen.px(10);
  const bool says = text < row.w * 0.6f;
  const Rect strip{row.x, row.center().y - pen.px(2.5f), row.w - (says ? text : 0), pen.px(5)};
  if (says) pen.text(row.right(), row.center().y, words, dim);
  const auto event_at = [&](float x) {
    return static_cast<std::uint32_t>(std::clamp((x - strip.x) / strip.w, 0.0f, 1.0f) *
                                      static_cast<float>(events - 1));
  };
  float start = strip.x;
  std::int16_t phase = time.phase_at(0);
  for (float x = strip.x + 2; start < strip.right(); x += 2) {
    const bool last = x >= strip.right();
    const std::int16_t here = last ? std::int16_t{-2} : time.phase_at(event_at(x + 1));
    if (here == phase) continue;
    const float end = std::min(x, strip.right());
    fill_time(pen, {start, strip.y, end - start, strip.h}, phase_paint(*study.program, phase));
    start = end;
    phase = here;
  }
  const float share = static_cast<float>(event) / std::max(static_cast<float>(events) - 1.0f, 1.0f);
  const float x = strip.x + strip.w * share;
  pen.canvas.fill_rect(
      {std::min(x, strip.right() - 2), strip.y - pen.px(3), 2, strip.h + pen.px(6)},
      ColourRole::kSelection);
  constexpr int kPlaces = 24;  // that a click can go to
  for (int i = 0; i < kPlaces; ++i) {
    const Rect place{strip.x + strip.w * static_cast<float>(i) / kPlaces, row.y, strip.w / kPlaces,
                     row.h};
    const std::uint32_t there = event_at(place.center().x);
    Hit hit{HitKind::kEvent, there, 0, {}, {}};
    hit.tooltip = fmt::format("{}: about event {} of {}. Click to move all variants there.",
                              phase_name(*study.program, time.phase_at(there)), format_count(there),
                              format_count(events));
    hit.variant = static_cast<int>(variant);
    pen.canvas.hit(place, std::move(hit));
  }
}

namespace {

constexpr float kPairTitle = 19;
constexpr float kLine = 17;
constexpr std::size_t kMostLines = 3;

std::string verdict(const std::string& subject, const std::string& other,
                    const PairComparison& pair) {
  switch (pair.comparable) {
    case Comparable::kUnknown:
      return fmt::format("{} and {}: time or work of one is not known", subject, other);
    case Comparable::kOtherProblem:
      return fmt::format("{} and {} solve different problems", subject, other);
    case Comparable::kYes:
    case Comparable::kOtherSize:
      break;
  }
  const char* of_rate = pair.comparable == Comparable::kOtherSize ? ", by rate: other size" : "";
  if (same_time(pair.speedup)) {
    return fmt::format("{} is as fast as {}{}", subject, other, of_rate);
  }
  return pair.speedup > 1 ? fmt::format("{} is {} faster than {}{}", subject,
                                        lead_words(pair.speedup), other, of_rate)
                          : fmt::format("{} is {} slower than {}{}", subject,
                                        lead_words(1 / pair.speedup), other, of_rate);
}

// How many differences stand under each pair where all have `spare` lines together: one each, then
// a second, the pairs that take as long as each other last.
std::vector<std::size_t> lines_of(const std::vector<const PairComparison*>& pairs,
                                  std::size_t spare) {
  std::vector<std::size_t> lines(pairs.size(), 0);
  for (const bool equal : {false, true}) {
    for (std::size_t round = 0; round < kMostLines; ++round) {
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (spare == 0) return lines;
        if (same_time(pairs[i]->speedup) != equal || pairs[i]->differences.size() <= round)
          continue;
        ++lines[i];
        --spare;
      }
    }
  }
  return lines;
}

void draw_difference(Pen& pen, const Rect& row, const Difference& difference, std::size_t owner,
                     bool hovered) {
  const float y = row.center().y;
  if (hovered) {
    pen.canvas.fill_rect({row.x - pen.px(4), row.y, row.w + pen.px(4), row.h}, ColourRole::kHover,
                         3);
  }
  const Paint tone = difference.factor > 1 ? ColourRole::kIdeal : ColourRole::kSecond;
  const TextStyle factor = pen.style(12, tone, Weight::kSemibold, Align::kRight);
  const std::string words = fmt::format("× {:.2f}", difference.factor);
  const float right = row.right() - pen.width("× 99.99", factor) - pen.px(10);
  pen.text(row.right(), y, words, factor);
  const TextStyle plain = pen.style(12, ColourRole::kText);
  std::string detail = difference.detail;
  if (!detail.empty()) detail += fmt::format(" of {}", letter_of(owner));
  const std::string whole =
      detail.empty() ? difference.fact : fmt::format("{}: {}", difference.fact, detail);
  const float x = row.x + pen.px(24);
  // Whose line it is can be done without: it is mostly the one that the pair's letter names. Then
  // the detail, which is in the tooltip.
  const std::string short_words = difference.detail.empty()
                                      ? difference.fact
                                      : fmt::format("{}: {}", difference.fact, difference.detail);
  if (!pen.text_if_fits(x, y, whole, plain, right - x) &&
      !pen.text_if_fits(x, y, short_words, plain, right - x)) {
    pen.text(x, y, pen.fitted(difference.fact, plain, right - x), plain);
  }
  Hit hit{difference.line != 0 ? HitKind::kLine : HitKind::kNone,
          static_cast<std::int64_t>(difference.line),
          0,
          {},
          {}};
  hit.tooltip = fmt::format(
      "{}. By the model this alone changes the time by a factor of {:.2f}; the factors of all "
      "differences multiply to the whole ratio.",
      whole, difference.factor);
  hit.variant = static_cast<int>(owner);
  pen.canvas.hit(row, std::move(hit));
}

// How close the subject comes to cuBLAS or the copy that was timed beside it.
std::string reference_words(const ViewContext& context, std::size_t subject) {
  const auto& known = context.compared->variants[subject].known;
  if (!known || known->reference_seconds <= 0) return {};
  const double share = known->reference_seconds / known->seconds;
  const std::string name =
      known->reference.starts_with("cuBLAS") ? known->reference : "the " + known->reference;
  return fmt::format("{} reaches {} of {}", letter_of(subject), about_percent_words(share), name);
}

}  // namespace

float draw_compare_reasons(Pen& pen, const Rect& area, const ViewContext& context) {
  const ComparedSet& set = *context.compared;
  const std::size_t subject = subject_of(context);
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < set.variants.size(); ++i) {
    if (i != subject && set.variants[i].study != nullptr) others.push_back(i);
  }
  if (others.empty()) return 0;
  float y = area.y + pen.px(8);
  const float mark = area.right() - pen.px(6);
  pen.source_mark({mark, y}, Source::kModelled, ColourRole::kDim);
  pen.hit({mark - pen.px(8), y - pen.px(8), pen.px(16), pen.px(16)}, HitKind::kNone, 0,
          "The explanation of a ratio is modelled.");
  pen.heading(area.x, y, "WHY", "factors by the time model, the largest first", mark - pen.px(14));
  y += pen.px(10);
  const float spare =
      area.bottom() - y - static_cast<float>(others.size()) * pen.px(kPairTitle + 2);
  // The line below the pairs comes before a second factor, and after the first of each pair.
  const float last = reference_words(context, subject).empty() ? 0 : pen.px(kPairTitle);
  const auto rows = [&](float room) {
    return static_cast<std::size_t>(std::max(room / pen.px(kLine), 0.0f));
  };
  const std::size_t room = std::max(rows(spare - last), std::min(rows(spare), others.size()));
  std::vector<const PairComparison*> pairs;
  for (const std::size_t other : others) pairs.push_back(&set.comparison.pairs[other][subject]);
  const std::vector<std::size_t> lines = lines_of(pairs, room);
  const TextStyle strong = pen.style(13, ColourRole::kStrong, Weight::kSemibold);
  for (std::size_t nth = 0; nth < others.size(); ++nth) {
    if (y + pen.px(kPairTitle) > area.bottom()) return y - area.y;
    const std::size_t other = others[nth];
    const PairComparison& pair = *pairs[nth];
    const float middle = y + pen.px(kPairTitle / 2 + 1);
    draw_letter(pen, {area.x, middle - pen.px(7), pen.px(14), pen.px(14)}, other);
    const float x = area.x + pen.px(24);
    const bool known =
        pair.comparable == Comparable::kYes || pair.comparable == Comparable::kOtherSize;
    if (known) pen.source_mark({mark, middle}, pair.source, ColourRole::kText);
    const std::string words = verdict(letter_of(subject), letter_of(other), pair);
    const std::string fitted = pen.fitted(words, strong, mark - pen.px(14) - x);
    pen.text(x, middle, fitted, strong);
    if (known) {
      pen.hit({area.x, y, area.w, pen.px(kPairTitle)}, HitKind::kNone, 0,
              pair.modelled_speedup > 0
                  ? fmt::format("{}, {}; the model says {}.", words, name_of(pair.source),
                                times_words(pair.modelled_speedup))
                  : fmt::format("{}, {}.", words, name_of(pair.source)));
    }
    y += pen.px(kPairTitle);
    for (std::size_t i = 0; i < lines[nth]; ++i) {
      const Difference& difference = pair.differences[i];
      const std::size_t owner = difference.in_base ? other : subject;
      draw_difference(pen, {area.x, y, area.w, pen.px(kLine)}, difference, owner,
                      is_hovered_line(context, owner, difference.line));
      y += pen.px(kLine);
    }
    y += pen.px(2);
  }
  const std::string reference = reference_words(context, subject);
  if (reference.empty() || y + pen.px(kPairTitle) > area.bottom()) return y - area.y;
  const float x = area.x + pen.px(24);
  pen.text(x, y + pen.px(kPairTitle / 2 + 1), pen.fitted(reference, strong, mark - pen.px(14) - x),
           strong);
  pen.source_mark({mark, y + pen.px(kPairTitle / 2 + 1)}, set.variants[subject].known->source,
                  ColourRole::kText);
  return y + pen.px(kPairTitle) - area.y;
}

namespace {

constexpr float kRow = 19;
constexpr float kDifferenceRow = 14;  // more, where it stands below its value
constexpr double kEqualNumbers = 0.005;
constexpr const char* kNoDifference = "=";
constexpr double kFactorFrom = 1.5;  // smaller ratios are written in per cent

struct Painted {
  std::string text;
  Paint paint = ColourRole::kText;
};

std::string value_words(const Quantity& value) {
  const bool whole = std::abs(value.value - std::round(value.value)) < 1e-9;
  if (value.unit == Unit::kNone && whole && value.value >= 0) {
    return format_count(static_cast<std::uint64_t>(std::llround(value.value)));
  }
  return value.unit == Unit::kSeconds ? format_time(value.value) : format(value);
}

std::vector<std::string> row_words(const MetricRow& row) {
  std::vector<std::string> words;
  for (const auto& value : row.values) words.push_back(value ? value_words(*value) : "–");
  return words;
}

// Per cents differ by points; less than half a point is no gain and no loss.
Painted points_words(double change, double larger, Paint paint) {
  const int decimals = larger < 10 ? 1 : 0;
  if (std::abs(change) < (decimals == 1 ? 0.05 : 0.5)) return {kNoDifference, ColourRole::kDim};
  if (std::abs(change) < 0.5) paint = ColourRole::kDim;
  return {fmt::format("{}{:.{}f} pts", change > 0 ? "+" : "−", std::abs(change), decimals), paint};
}

// "2.2 ×", "÷ 8" from 1.5 on, "+7 %" below, "+6.1 pts" of percents, "=".
Painted difference_words(const MetricRow& row, const Quantity& base, const Quantity& other) {
  if (base.unit != other.unit) return {};
  const double change = other.value - base.value;
  const double larger = std::max(std::abs(base.value), std::abs(other.value));
  if (std::abs(change) <= kEqualNumbers * larger) return {kNoDifference, ColourRole::kDim};
  const bool more = change > 0;
  const bool gain = more == (row.better == Better::kMore);
  const Paint paint = row.better == Better::kNeither ? ColourRole::kDim
                      : gain                         ? ColourRole::kIdeal
                                                     : ColourRole::kSecond;
  if (base.unit == Unit::kPercent) return points_words(change, larger, paint);
  if (base.value <= 0 || other.value <= 0) return {"", paint};
  const double ratio = other.value / base.value;
  if (ratio > 1 / kFactorFrom && ratio < kFactorFrom) {
    return {(more ? "+" : "−") + about_percent_words(std::max(std::abs(ratio - 1), 0.01)), paint};
  }
  return {more ? times_words(ratio) : "÷ " + ratio_words(1 / ratio), paint};
}

// What stands in one row, as it will be written.
struct Line {
  const MetricRow* row = nullptr;
  Source source = Source::kEmulated;  // of the first value
  std::vector<std::string> values;    // by variant; "–": none
  std::vector<Painted> differences;   // by variant
};

// Of another size or another problem, what a whole launch takes is no difference to speak of.
Line line_of(const MetricRow& row, const Comparison& comparison, std::size_t base) {
  Line line{&row, Source::kEmulated, {}, {}};
  const bool parameter = row.meaning.empty();
  line.values = row_words(row);
  bool first = true;
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const auto& value = row.values[i];
    if (value && std::exchange(first, false)) line.source = value->source;
    const Comparable comparable =
        i == base ? Comparable::kYes : comparison.pairs[base][i].comparable;
    const bool other_work =
        comparable == Comparable::kOtherSize || comparable == Comparable::kOtherProblem;
    const bool differs = !parameter && value && row.values[base] && row.are_alike(base, i) &&
                         !(row.whole_launch && other_work);
    line.differences.push_back(differs ? difference_words(row, *row.values[base], *value)
                                       : Painted{});
  }
  return line;
}

// Where the differences stand.
enum class Differences { kBeside, kBelow };

struct Column {
  std::size_t variant = 0;
  float right = 0;       // of its value
  float difference = 0;  // right end of its difference; 0: none
};
struct Columns {
  std::vector<Column> all;
  Differences differences = Differences::kBeside;
  float names = 0;  // room for them
};

struct Styles {
  TextStyle name;
  TextStyle value;
  TextStyle difference;
};

// Columns of these variants from the right end leftwards; what is left of them is for the names.
float place(const Pen& pen, const Rect& area, const Styles& styles, const std::vector<Line>& lines,
            std::size_t base, Differences differences, std::vector<Column>* columns) {
  float right = area.right();
  for (auto column = columns->rbegin(); column != columns->rend(); ++column) {
    float value = pen.px(16);
    float difference = 0;
    for (const Line& line : lines) {
      value = std::max(value, pen.width(line.values[column->variant], styles.value));
      difference = std::max(difference,
                            pen.width(line.differences[column->variant].text, styles.difference));
    }
    const bool differs = column->variant != base && difference > 0;
    const bool beside = differs && differences == Differences::kBeside;
    column->difference = differs ? right : 0;
    if (beside) right -= difference + pen.px(12);
    column->right = right;
    right -= (beside ? value : std::max(value, difference)) + pen.px(20);
  }
  return right - area.x;
}

Columns columns_of(const Pen& pen, const Rect& area, const ViewContext& context,
                   const Styles& styles, const std::vector<Line>& lines) {
  const std::size_t base = base_of(context);
  std::vector<Column> all;
  for (std::size_t i = 0; i < context.compared->variants.size(); ++i) all.push_back({i, 0, 0});
  std::vector<Column> two{{base, 0, 0}, {subject_of(context), 0, 0}};
  if (two[1].variant < base) std::swap(two[0], two[1]);
  const float least = pen.px(110);
  float whole = least;  // with every name whole, as far as that is a usual one
  for (const Line& line : lines) {
    whole = std::max(whole, pen.px(20) + pen.width(line.row->name, styles.name));
  }
  whole = std::min(whole, pen.px(200));
  struct Try {
    const std::vector<Column>* columns;
    Differences differences;
    float names;
  };
  constexpr Differences kBeside = Differences::kBeside;
  constexpr Differences kBelow = Differences::kBelow;
  Columns chosen;
  for (const Try& with :
       {Try{&all, kBeside, whole}, Try{&all, kBelow, whole}, Try{&all, kBelow, least},
        Try{&two, kBeside, least}, Try{&two, kBelow, 0}}) {
    chosen = {*with.columns, with.differences, 0};
    chosen.names = place(pen, area, styles, lines, base, with.differences, &chosen.all);
    if (chosen.names >= with.names) break;
  }
  return chosen;
}

// Of a row of the table, in a picture of scale 1.
float height_of(const Line& line, Differences differences) {
  const bool below = differences == Differences::kBelow &&
                     std::ranges::any_of(line.differences, [](const Painted& difference) {
                       return !difference.text.empty() && difference.text != kNoDifference;
                     });
  return below ? kRow + kDifferenceRow : kRow;
}

// Those that differ before those that do not, in their order, as many as fit.
std::vector<Line> chosen_lines(const std::vector<Line>& all, float height,
                               Differences differences) {
  std::vector<bool> fits(all.size());
  float left = std::max(height, 0.0f);
  for (const bool differs : {true, false}) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].row->differs() != differs) continue;
      const float needed = height_of(all[i], differences);
      if (needed > left) {
        left = 0;
        break;
      }
      left -= needed;
      fits[i] = true;
    }
  }
  std::vector<Line> chosen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (fits[i]) chosen.push_back(all[i]);
  }
  return chosen;
}

void draw_line(Pen& pen, const Rect& box, const ViewContext& context, const Styles& styles,
               const Columns& columns, const Line& line) {
  const float y = box.y + pen.px(kRow) / 2;
  const bool below = columns.differences == Differences::kBelow;
  const bool parameter = line.row->meaning.empty();
  const float x = box.x + pen.px(16);
  if (!parameter) pen.source_mark({box.x + pen.px(5), y}, line.source, ColourRole::kDim);
  TextStyle name = styles.name;
  if (parameter) name.font = Font::kMono;
  const float room = columns.names - pen.px(16);
  pen.text(x, y, pen.fitted(line.row->name, name, room), name);
  std::string sources;
  for (const Column& column : columns.all) {
    const std::string& words = line.values[column.variant];
    const auto& value = line.row->values[column.variant];
    TextStyle style = styles.value;
    if (!value) style.paint = ColourRole::kDim;
    if (column.variant == context.compared->active) style.weight = Weight::kSemibold;
    pen.text(column.right, y, words, style);
    if (value && value->source != line.source) {
      pen.source_mark({column.right - pen.width(words, style) - pen.px(9), y}, value->source,
                      ColourRole::kDim);
    }
    if (value && !parameter) {
      sources += fmt::format("{}{} {} {}", sources.empty() ? " " : ", ", letter_of(column.variant),
                             words, name_of(value->source));
    }
    if (column.difference == 0) continue;
    const Painted& difference = line.differences[column.variant];
    if (below && difference.text == kNoDifference) continue;
    TextStyle tone = styles.difference;
    tone.paint = difference.paint;
    pen.text(column.difference, below ? y + pen.px(kDifferenceRow) : y, difference.text, tone);
  }
  pen.hit(box, HitKind::kNone, 0,
          parameter ? fmt::format("The compile-time parameter {}.", line.row->name)
                    : fmt::format("{}: {}{}.", line.row->name, line.row->meaning, sources));
}

void draw_head(Pen& pen, const Rect& area, float y, const ViewContext& context,
               const std::vector<Column>& columns) {
  const std::size_t base = base_of(context);
  for (const Column& column : columns) {
    const Rect box{column.right - pen.px(16), y - pen.px(8), pen.px(16), pen.px(16)};
    draw_letter(pen, box, column.variant);
    if (column.variant == base) pen.outline(box.inset(-2), ColourRole::kDim, 1, 4);
    Hit hit{HitKind::kSetting, static_cast<std::int64_t>(column.variant), 0, "compare_base", {}};
    hit.tooltip = fmt::format("{}: {}. Click to use it as the base.", letter_of(column.variant),
                              full_label_of(*context.compared, column.variant));
    pen.canvas.hit(box, std::move(hit));
  }
  pen.rule(area.x, area.right(), y + pen.px(13));
}

}  // namespace

void draw_compare_table(Pen& pen, const Rect& area, const ViewContext& context, Titled titled) {
  const std::size_t base = base_of(context);
  const Styles styles{pen.style(12, ColourRole::kText),
                      pen.style(12, ColourRole::kStrong, Weight::kMedium, Align::kRight),
                      pen.style(12, ColourRole::kDim, Weight::kSemibold, Align::kRight)};
  std::vector<Line> all;
  const Comparison& comparison = context.compared->comparison;
  for (const MetricRow& row : comparison.rows) all.push_back(line_of(row, comparison, base));
  const float y = area.y + pen.px(8);
  const float first = y + pen.px(16);
  const float height = (area.bottom() - first) / pen.px(1);
  // Rows that are not shown take no width.
  std::vector<Line> lines = chosen_lines(all, height, Differences::kBeside);
  const Columns columns = columns_of(pen, area, context, styles, lines);
  lines = chosen_lines(all, height, columns.differences);
  const bool with_differences =
      std::ranges::any_of(columns.all, [](const Column& column) { return column.difference != 0; });
  std::string more = with_differences ? fmt::format("differences from {}", letter_of(base)) : "";
  if (const std::size_t hidden = all.size() - lines.size(); hidden > 0) {
    more +=
        fmt::format("{}{} more row{}", more.empty() ? "" : ", ", hidden, hidden == 1 ? "" : "s");
  }
  float left = area.right();
  for (const Column& column : columns.all) left = std::min(left, column.right - pen.px(24));
  // Whole in a narrow table too: the columns say that they are differences.
  const std::string_view kLong = "differences ";
  const float title = titled == Titled::kYes ? pen.px(76) : 0;
  if (more.starts_with(kLong) && pen.width(more, pen.style(11)) > left - area.x - title) {
    more.erase(0, kLong.size());
  }
  if (titled == Titled::kYes) {
    pen.heading(area.x, y, "NUMBERS", more, left);
  } else {
    const TextStyle dim = pen.style(11, ColourRole::kDim);
    pen.text(area.x, y, pen.fitted(more, dim, left - area.x), dim);
  }
  draw_head(pen, area, y, context, columns.all);
  Rect box{area.x, first, area.w, 0};
  for (const Line& line : lines) {
    box.h = pen.px(height_of(line, columns.differences));
    draw_line(pen, box, context, styles, columns, line);
    box.y = box.bottom();
  }
}

}  // namespace tilescope
