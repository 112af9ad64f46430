#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "core/quantity.h"
#include "scene/compare/compare_scene.h"
#include "scene/view/empty_view.h"

namespace tilescope {
namespace {

// What is drawn of a step: from the rate before it to its own.
struct WaterfallBar {
  enum class Kind { kFirst, kGain, kLoss, kOff, kLeft, kReference };
  std::string name;
  std::string key;  // empty: no step, so it cannot be switched off
  Kind kind = Kind::kGain;
  double from = 0;
  double to = 0;
  Source source = Source::kRecorded;
  bool looked_at = false;
  std::string absolute;  // "+1,320"
  std::string relative;  // "2.2 ×"
  std::string tooltip;
};

// "GB/s": what all of their figures are in.
std::string waterfall_unit(Unit unit) {
  return unit == Unit::kNone ? "launches/s" : std::string(axis_unit(unit).word);
}

std::string figure(double rate, Unit unit) {
  return format(rate / axis_unit(unit).divisor, Unit::kNone);
}
std::string with_unit(double rate, Unit unit) {
  return figure(rate, unit) + " " + waterfall_unit(unit);
}

std::string signed_figure(double change, Unit unit) {
  return (change < 0 ? "−" : "+") + figure(std::abs(change), unit);
}
std::string gain_words(double ratio) {
  if (std::abs(ratio - 1) < 0.005) return "=";
  if (ratio > 0.87 && ratio < 1.15) {
    return (ratio < 1 ? "−" : "+") + about_percent_words(std::abs(ratio - 1));
  }
  return ratio >= 1 ? times_words(ratio) : "÷ " + ratio_words(1 / ratio);
}

WaterfallBar bar_of(const WaterfallStep& step, double before, Unit unit) {
  WaterfallBar bar{step.name,
                   step.key,
                   WaterfallBar::Kind::kFirst,
                   before,
                   step.rate,
                   step.source,
                   step.looked_at,
                   {},
                   {},
                   {}};
  const std::string reached =
      fmt::format("{}: {} {}", step.name, with_unit(step.rate, unit), name_of(step.source));
  if (!step.on) {
    bar.kind = WaterfallBar::Kind::kOff;
    bar.tooltip = reached + ". It is skipped; click to include it.";
    return bar;
  }
  if (before <= 0) {
    bar.absolute = figure(step.rate, unit);
    bar.tooltip = reached + ". The first step; click to skip it.";
    return bar;
  }
  bar.kind = step.rate >= before ? WaterfallBar::Kind::kGain : WaterfallBar::Kind::kLoss;
  bar.absolute = signed_figure(step.rate - before, unit);
  bar.relative = gain_words(step.rate / before);
  bar.tooltip = fmt::format(
      "{}, {} or {} compared with the previous step. Click to skip it.", reached,
      with_unit(std::abs(step.rate - before), unit) + (step.rate >= before ? " more" : " less"),
      bar.relative);
  return bar;
}

// The steps, what is left to gain, and the reference.
std::vector<WaterfallBar> waterfall_bars(const Waterfall& waterfall) {
  std::vector<WaterfallBar> bars;
  double before = 0;
  for (const WaterfallStep& step : waterfall.steps) {
    bars.push_back(bar_of(step, before, waterfall.unit));
    if (step.on) before = step.rate;
  }
  if (waterfall.reference <= 0 || before <= 0) return bars;
  const Unit unit = waterfall.unit;
  const double left = waterfall.reference - before;
  if (left > 0.005 * waterfall.reference) {
    bars.push_back({"left to gain",
                    {},
                    WaterfallBar::Kind::kLeft,
                    before,
                    waterfall.reference,
                    waterfall.reference_source,
                    false,
                    signed_figure(left, unit),
                    gain_words(waterfall.reference / before),
                    fmt::format("{} below {} with {}.", with_unit(left, unit),
                                waterfall.reference_name, with_unit(waterfall.reference, unit))});
  }
  bars.push_back(
      {waterfall.reference_name,
       {},
       WaterfallBar::Kind::kReference,
       0,
       waterfall.reference,
       waterfall.reference_source,
       false,
       figure(waterfall.reference, unit),
       {},
       fmt::format("{}: {} {}, measured in the same run, alternating.", waterfall.reference_name,
                   with_unit(waterfall.reference, unit), name_of(waterfall.reference_source))});
  return bars;
}

void fill_bar(Pen& pen, const Rect& box, const WaterfallBar& bar) {
  const bool modelled = bar.source == Source::kModelled;
  const auto fill = [&](Paint paint) {
    if (modelled) {  // an outline, as of every modelled bar
      paint.opacity = 0.25f;
      pen.canvas.fill_rect(box, paint, 2);
      paint.opacity = 1;
      pen.outline(box, paint, pen.px(1.2f), 2);
    } else {
      pen.canvas.fill_rect(box, paint, 2);
    }
  };
  switch (bar.kind) {
    case WaterfallBar::Kind::kFirst:
      fill(ColourRole::kFirst);
      break;
    case WaterfallBar::Kind::kGain:
      fill(ColourRole::kIdeal);
      break;
    case WaterfallBar::Kind::kLoss:
      fill(ColourRole::kExcess);
      break;
    case WaterfallBar::Kind::kOff:
      pen.outline(box, ColourRole::kFaint, 1, 2);
      break;
    case WaterfallBar::Kind::kLeft:
      pen.canvas.hatch_rect(box, ColourRole::kFaint, pen.px(6));
      pen.outline(box, ColourRole::kFaint, 1, 2);
      break;
    case WaterfallBar::Kind::kReference:
      pen.canvas.fill_rect(box, Paint(ColourRole::kDim, 0.55f), 2);
      break;
  }
}

void add_hit(Pen& pen, const Rect& box, const WaterfallBar& bar) {
  if (bar.key.empty()) {
    pen.hit(box, HitKind::kNone, 0, bar.tooltip);
    return;
  }
  pen.canvas.hit(box, Hit{HitKind::kSetting, bar.kind == WaterfallBar::Kind::kOff ? 1 : 0, 0,
                          "step:" + bar.key, bar.tooltip});
}

double most_of(const std::vector<WaterfallBar>& bars) {
  double most = 0;
  for (const WaterfallBar& bar : bars) most = std::max({most, bar.from, bar.to});
  return most;
}

// A name in at most two lines of its words.
std::vector<std::string> in_two(const Pen& pen, const std::string& name, const TextStyle& style,
                                float room) {
  if (pen.width(name, style) <= room) return {name};
  std::string first;
  std::size_t at = 0;
  while (at < name.size()) {
    const std::size_t end = std::min(name.find(' ', at + 1), name.size());
    if (!first.empty() && pen.width(name.substr(0, end), style) > room) break;
    first = name.substr(0, end);
    at = end;
  }
  std::vector<std::string> lines{pen.fitted(first, style, room)};
  if (at < name.size()) lines.push_back(pen.fitted(name.substr(at + 1), style, room));
  return lines;
}

void draw_upright(Pen& pen, const Rect& area, const std::vector<WaterfallBar>& bars) {
  const double most = most_of(bars);
  const float names = pen.px(30);
  const Rect plot{area.x, area.y + pen.px(30), area.w, area.h - pen.px(30) - names};
  const float pitch = plot.w / static_cast<float>(bars.size());
  const auto y_of = [&](double rate) {
    return plot.bottom() - plot.h * static_cast<float>(rate / most);
  };
  pen.rule(plot.x, plot.right(), plot.bottom());
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const WaterfallBar& bar = bars[i];
    const float x = plot.x + pitch * static_cast<float>(i);
    const float gap = std::min(pen.px(8), pitch * 0.12f);
    const float top = y_of(std::max(bar.from, bar.to));
    const float bottom = y_of(std::min(bar.from, bar.to));
    const Rect box{x + gap / 2, std::min(top, plot.bottom() - 1.5f), pitch - gap,
                   std::max(bottom - top, 1.5f)};
    fill_bar(pen, box, bar);
    if (i + 1 < bars.size() && bars[i + 1].kind != WaterfallBar::Kind::kReference &&
        bar.kind != WaterfallBar::Kind::kOff) {
      const float level = y_of(bar.to);
      pen.canvas.line({box.right(), level}, {box.right() + gap, level}, ColourRole::kFaint, 1);
    }
    const bool off = bar.kind == WaterfallBar::Kind::kOff;
    const float middle = box.center().x;
    const TextStyle bold = pen.style(12, ColourRole::kStrong, Weight::kSemibold, Align::kCenter);
    const TextStyle small = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kCenter);
    float label = box.y - pen.px(8);
    if (!bar.relative.empty() && pen.width(bar.relative, small) <= pitch) {
      pen.text(middle, label, bar.relative, small);
      label -= pen.px(14);
    }
    if (!off && pen.width(bar.absolute, bold) <= pitch) pen.text(middle, label, bar.absolute, bold);
    const TextStyle name =
        pen.style(11,
                  off             ? ColourRole::kFaint
                  : bar.looked_at ? ColourRole::kStrong
                                  : ColourRole::kDim,
                  bar.looked_at ? Weight::kSemibold : Weight::kRegular, Align::kCenter);
    float line = plot.bottom() + pen.px(10);
    for (const std::string& words : in_two(pen, bar.name, name, pitch - 2)) {
      pen.text(middle, line, words, name);
      line += pen.px(14);
    }
    add_hit(pen, {x, plot.y - pen.px(28), pitch, area.bottom() - plot.y + pen.px(28)}, bar);
  }
}

void draw_lying(Pen& pen, const Rect& area, const std::vector<WaterfallBar>& bars) {
  const double most = most_of(bars);
  const float pitch = std::min(area.h / static_cast<float>(bars.size()), pen.px(22));
  const TextStyle bold = pen.style(11, ColourRole::kStrong, Weight::kSemibold, Align::kRight);
  const TextStyle small = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  float names = 0;
  float absolute = 0;
  float relative = 0;
  for (const WaterfallBar& bar : bars) {
    names = std::max(names, pen.width(bar.name, small));
    absolute = std::max(absolute, pen.width(bar.absolute, bold));
    relative = std::max(relative, pen.width(bar.relative, small));
  }
  names = std::min(names, area.w * 0.32f);
  const float figures = absolute + relative + pen.px(26);
  const Rect plot{area.x + names + pen.px(10), area.y, area.w - names - pen.px(10) - figures,
                  area.h};
  const auto x_of = [&](double rate) { return plot.x + plot.w * static_cast<float>(rate / most); };
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const WaterfallBar& bar = bars[i];
    const float y = area.y + pitch * (static_cast<float>(i) + 0.5f);
    const bool off = bar.kind == WaterfallBar::Kind::kOff;
    const TextStyle name =
        pen.style(11,
                  off             ? ColourRole::kFaint
                  : bar.looked_at ? ColourRole::kStrong
                                  : ColourRole::kText,
                  bar.looked_at ? Weight::kSemibold : Weight::kRegular, Align::kRight);
    pen.text(plot.x - pen.px(10), y, pen.fitted(bar.name, name, names), name);
    const float left = x_of(std::min(bar.from, bar.to));
    const float thick = std::min(pitch * 0.62f, pen.px(11));
    fill_bar(pen,
             {left, y - thick / 2, std::max(x_of(std::max(bar.from, bar.to)) - left, 1.5f), thick},
             bar);
    pen.text(area.right(), y, bar.relative, small);
    pen.text(area.right() - relative - pen.px(12), y, bar.absolute, bold);
    add_hit(pen, {area.x, y - pitch / 2, area.w, pitch}, bar);
  }
}

// Where too many stand in too little room, those that change least are left out.
Waterfall thinned(Waterfall waterfall, std::size_t most) {
  while (waterfall.steps.size() > std::max<std::size_t>(most, 2)) {
    std::size_t least = 1;
    double change = 1e300;
    for (std::size_t i = 1; i + 1 < waterfall.steps.size(); ++i) {
      const double here = std::abs(waterfall.steps[i].rate - waterfall.steps[i - 1].rate);
      if (waterfall.steps[i].looked_at || here >= change) continue;
      change = here;
      least = i;
    }
    waterfall.steps.erase(waterfall.steps.begin() + static_cast<std::ptrdiff_t>(least));
  }
  return waterfall;
}

}  // namespace

void draw_waterfall(Pen& pen, const Rect& area, const Waterfall& waterfall) {
  const float y = area.y + pen.px(8);
  if (waterfall.steps.size() < 2) {
    draw_empty(pen, area, "No steps to show",
               "This chart needs measured or modelled times of two kernels of one problem.");
    return;
  }
  const TextStyle dim = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  float right = area.right();
  if (waterfall.has_both && !pen.on_paper) {
    const CompareChoice choice{"compare_ladder",
                               "The steps of the kernel's family, or the variants.",
                               {"ladder", "variants"},
                               {1, 0},
                               waterfall.is_ladder ? 1 : 0};
    const float width = choice_width(pen, choice);
    if (width < area.w * 0.6f) {
      draw_choice(pen, right - width, y, width, choice);
      right -= width + pen.px(16);
    }
  }
  const std::string unit = waterfall_unit(waterfall.unit);
  pen.text(right, y, unit, dim);
  const float mark = right - pen.width(unit, dim) - pen.px(9);
  pen.source_mark({mark, y}, waterfall.steps.front().source, ColourRole::kDim);
  const float top = pen.px(20);
  const Rect below{area.x, area.y + top, area.w, area.h - top};
  const std::size_t ends = waterfall.reference > 0 ? 2 : 0;
  const auto columns = static_cast<float>(waterfall.steps.size() + ends);
  const bool upright = below.w / columns >= pen.px(50) && below.h >= pen.px(118);
  const float room = below.h / pen.px(13.5f);
  Waterfall shown = waterfall;
  if (!upright) {
    shown = thinned(waterfall,
                    static_cast<std::size_t>(std::max(room - static_cast<float>(ends), 2.0f)));
  }
  std::vector<std::string> more;
  if (shown.steps.size() < waterfall.steps.size()) {
    more = {fmt::format("the {} largest steps of {}", shown.steps.size(), waterfall.steps.size()),
            fmt::format("{} of {}", shown.steps.size(), waterfall.steps.size())};
  } else if (!pen.on_paper) {
    more = {"click a bar to skip that step", "click: skip"};
  }
  const float words = pen.heading(area.x, y, waterfall.title, "", mark - pen.px(10)) + pen.px(12);
  pen.first_that_fits(words, y, more, pen.style(11, ColourRole::kDim), mark - pen.px(10) - words);
  const std::vector<WaterfallBar> bars = waterfall_bars(shown);
  if (std::ranges::none_of(
          bars, [](const WaterfallBar& bar) { return bar.kind != WaterfallBar::Kind::kOff; })) {
    const TextStyle text = pen.style(12, ColourRole::kDim, Weight::kRegular, Align::kCenter);
    pen.text(below.center().x, area.y + top + pen.px(6),
             pen.fitted("All steps are skipped; click one to include it.", text, below.w), text);
  }
  if (upright) {
    draw_upright(pen, below, bars);
  } else {
    draw_lying(pen, below, bars);
  }
}

namespace {

double work_of(const LadderStep& step) { return step.flop > 0 ? step.flop : step.bytes; }

std::string capitals(std::string words) {
  for (char& c : words) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return words;
}

// "cuBLAS" of "cuBLAS SGEMM, FP32", "copy" of "device copy".
std::string short_name(const std::string& reference) {
  if (reference.starts_with("cuBLAS")) return "cuBLAS";
  return reference.find("copy") != std::string::npos ? "copy" : reference;
}

void take_reference(Waterfall* waterfall, const KnownTime& time, double work) {
  if (time.reference_seconds <= 0 || work / time.reference_seconds <= waterfall->reference) return;
  waterfall->reference = work / time.reference_seconds;
  waterfall->reference_name = short_name(time.reference);
  waterfall->reference_source = time.source;
}

// "FROM NAIVE TO CUBLAS", "FROM A TO THE COPY"
void name_ends(Waterfall* waterfall) {
  if (waterfall->steps.empty()) return;
  const std::string end = waterfall->reference <= 0             ? waterfall->steps.back().name
                          : waterfall->reference_name == "copy" ? "the copy"
                                                                : waterfall->reference_name;
  waterfall->title = "FROM " + capitals(waterfall->steps.front().name) + " TO " + capitals(end);
}

Waterfall ladder_waterfall(const ViewContext& context) {
  Waterfall waterfall;
  waterfall.is_ladder = true;
  if (context.roofline == nullptr) return waterfall;
  const auto& steps = context.roofline->steps;
  const auto best = std::ranges::max_element(
      steps, {}, [](const LadderStep& step) { return work_of(step) / step.time.seconds; });
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    waterfall.unit = step->flop > 0 ? Unit::kFlopPerSecond : Unit::kBytesPerSecond;
    const double work = work_of(*step);
    take_reference(&waterfall, step->time, work);
    if (step > best) continue;
    waterfall.steps.push_back({step->id, step->name, work / step->time.seconds, step->time.source,
                               !context.settings.steps_off.contains(step->id),
                               step->id == context.study->instance.id});
  }
  // As the other panels have it: as it ran in turn with the kernel that is looked at.
  const auto& known = context.roofline->known;
  if (known && known->reference_seconds > 0 && !steps.empty()) {
    waterfall.reference = 0;
    take_reference(&waterfall, *known, work_of(steps.front()));
  }
  name_ends(&waterfall);
  return waterfall;
}

Waterfall variant_waterfall(const ViewContext& context) {
  const ComparedSet& set = *context.compared;
  const std::size_t base = base_of(context);
  Waterfall waterfall;
  // One unit for all: what does not count in the base's does not compare with it, either.
  waterfall.unit = set.comparison.works[base].unit;
  const bool rated = waterfall.unit != Unit::kNone;
  for (std::size_t i = 0; i < set.variants.size(); ++i) {
    const ComparedVariant& variant = set.variants[i];
    if (variant.study == nullptr) continue;
    const Comparable comparable =
        i == base ? Comparable::kYes : set.comparison.pairs[base][i].comparable;
    if (comparable != Comparable::kYes && comparable != Comparable::kOtherSize) continue;
    if (rated && set.comparison.works[i].unit != waterfall.unit) continue;
    const bool modelled = set.comparison.modelled;
    const Diagnosis* diagnosis = variant.prepared->diagnosis.get();
    if (modelled && diagnosis == nullptr) continue;
    const double seconds = modelled ? diagnosis->bounds.total() : variant.known->seconds;
    const double work = rated ? set.comparison.works[i].amount : 1;
    if (!modelled && rated) take_reference(&waterfall, *variant.known, work);
    waterfall.steps.push_back({letter_of(i), letter_of(i), work / seconds,
                               modelled ? Source::kModelled : variant.known->source,
                               !context.settings.steps_off.contains(letter_of(i)),
                               i == set.active});
  }
  name_ends(&waterfall);
  return waterfall;
}

}  // namespace

Waterfall waterfall_of(const ViewContext& context) {
  Waterfall ladder = ladder_waterfall(context);
  Waterfall variants = variant_waterfall(context);
  const bool both = ladder.steps.size() >= 2 && variants.steps.size() >= 2;
  const bool climbs =
      ladder.steps.size() >= 2 && (context.settings.compare_ladder || variants.steps.size() < 2);
  Waterfall& chosen = climbs ? ladder : variants;
  chosen.has_both = both;
  return chosen;
}

}  // namespace tilescope
