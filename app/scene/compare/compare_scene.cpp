#include "scene/compare/compare_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scene/drawing/empty_view.h"

namespace tilescope {
namespace {

constexpr float kControls = 26;
constexpr float kChoiceGap = 16;
constexpr float kPane = 460;  // the least width in which a whole view can be read

constexpr std::array kPaneViews{View::kTiling,   View::kCoalescing, View::kBanks,
                                View::kPipeline, View::kDivergence, View::kOccupancy};

// What fills the view where there is only one variant.
void draw_alone(Pen& pen, const Rect& area) {
  draw_empty(pen, {area.x, area.y, area.w, area.h - (pen.on_paper ? 0 : pen.px(72))},
             "One variant alone",
             "A comparison needs two to four: this kernel with another parameter, another "
             "kernel, or a file.");
  const std::array offers{
      Offer{"+ add a variant", "add_variant",
            "A copy of this one in a tab of its own, to change and compare."},
      Offer{"compare its family's ladder", "compare_ladder",
            "Up to three more steps of this kernel's family, each in a tab of its own."}};
  draw_offers(pen, area, offers);
}

CompareChoice view_choice(const ViewContext& context) {
  CompareChoice choice{"compare_view", "What each pane shows.", {"what differs"}, {-1}, 0};
  for (const View view : kPaneViews) {
    choice.words.emplace_back(name_of(view));
    choice.values.push_back(static_cast<int>(view));
  }
  choice.chosen = context.settings.compare_view;
  return choice;
}

CompareChoice base_choice(const ViewContext& context) {
  CompareChoice choice{"compare_base", "The variant that the others are held against.", {}, {}, 0};
  const ComparedSet& set = *context.compared;
  for (std::size_t i = 0; i < set.variants.size(); ++i) {
    if (set.variants[i].study == nullptr) continue;
    choice.words.push_back("against " + letter_of(i));
    choice.values.push_back(static_cast<int>(i));
  }
  choice.chosen = static_cast<int>(base_of(context));
  return choice;
}

CompareChoice mode_choice(const ViewContext& context) {
  return {"compare_mode",
          "Side by side; one at a time, where X flips between two; or over one another.",
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
    Hit hit{one ? HitKind::kSetting : HitKind::kAction,
            static_cast<std::int64_t>(i),
            0,
            one ? "compare_pane" : "activate",
            {}};
    hit.tooltip = fmt::format("{}: {}. {}", letter_of(i), full_label_of(set, i),
                              one ? "Click to look at it." : "Click to work on it.");
    pen.canvas.hit(box, std::move(hit));
    x += pen.px(26);
  }
  return x;
}

void draw_controls(Pen& pen, const Rect& row, const ViewContext& context) {
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
  if (room > pen.px(90)) draw_choice(pen, x, y, roomy ? room : 0, view_choice(context));
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

// One part, and words to choose another.
void draw_one_part(Pen& pen, const Rect& area, const ViewContext& context, bool with_table) {
  CompareChoice parts{"compare_part", "What stands here: there is room for one.", {}, {}, 0};
  if (with_table) {
    parts.words.emplace_back("numbers");
    parts.values.push_back(0);
  }
  parts.words.insert(parts.words.end(), {"waterfall", "reasons"});
  parts.values.insert(parts.values.end(), {1, 2});
  parts.chosen = context.settings.compare_part;
  if (!with_table && parts.chosen == 0) parts.chosen = 2;
  const float head = pen.on_paper ? 0 : pen.px(20);
  if (!pen.on_paper) draw_choice(pen, area.x, area.y + pen.px(8), area.w, parts);
  const Rect below{area.x, area.y + head, area.w, area.h - head};
  if (parts.chosen == 1) {
    draw_waterfall(pen, below, waterfall_of(context));
  } else if (parts.chosen == 2) {
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
    hit({x - 4, y - pen.px(11), width + pen.px(18), pen.px(22)},
        (chosen + 1) % choice.words.size());
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
                  DrawView draw_view) {
  Pen pen(canvas, context);
  if (context.compared == nullptr || context.compared->variants.size() < 2) {
    draw_alone(pen, area);
    return;
  }
  const auto& variants = context.compared->variants;
  if (std::ranges::all_of(variants, [](const auto& each) { return each.study == nullptr; })) {
    draw_empty(pen, area, "The variants are being compared",
               "What differs stands here in a moment.");
    return;
  }
  float top = area.y;
  if (!pen.on_paper) {
    draw_controls(pen, {area.x, area.y, area.w, pen.px(kControls)}, context);
    top += pen.px(kControls + 6);
  }
  const Rect below{area.x, top, area.w, area.bottom() - top};
  const bool overlay = context.settings.compare_mode == CompareMode::kOverlay;
  const std::vector<std::size_t> shown = shown_panes(pen, below, context);
  if (!overlay && context.settings.compare_view >= 0) {
    draw_compare_views(pen, below, context,
                       {static_cast<View>(context.settings.compare_view), draw_view}, shown);
    return;
  }
  const bool large = overlay || context.settings.compare_mode == CompareMode::kOne;
  const float share = large ? 0.5f : 0.38f;
  const float most = large ? pen.px(340) : pen.px(196);
  const float height = std::clamp(below.h * share, std::min(pen.px(112), below.h), most);
  const Rect panes{below.x, below.y, below.w, height};
  if (overlay) {
    draw_compare_overlay(pen, panes, context);
  } else {
    draw_compare_cards(pen, panes, context, shown);
  }
  const float gap = pen.px(14);
  draw_lower(pen, {below.x, panes.bottom() + gap, below.w, below.bottom() - panes.bottom() - gap},
             context);
}

}  // namespace tilescope
