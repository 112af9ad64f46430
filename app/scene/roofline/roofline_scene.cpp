#include "scene/roofline/roofline_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "analysis/memory/launch_memory.h"
#include "core/quantity.h"
#include "scene/model/prepared.h"
#include "scene/view/empty_view.h"
#include "scene/view/view.h"

namespace tilescope {

namespace {

enum class Shown : std::uint8_t { kAll, kChart, kCauses };

void draw_shown(Canvas& canvas, const Rect& area, const ViewContext& context, Shown shown) {
  Pen pen(canvas, context);
  const auto prepared = prepared_of(context);
  if (prepared->diagnosis == nullptr && !not_modelled(*context.study).empty()) {
    draw_empty(pen, area, "No time can be modelled",
               "The traced block did not finish, for example because it waits for another block.");
    return;
  }
  if (prepared->diagnosis == nullptr) {
    draw_empty(pen, area, "Waiting for the kernel's registers …",
               "The roofline needs them and a GPU of the device table.");
    return;
  }
  const Diagnosis& diagnosis = *prepared->diagnosis;
  const RooflinePicture picture{*context.study,
                                diagnosis,
                                roofline_figure(context.study->instance, *context.study->device,
                                                diagnosis, context.roofline.get()),
                                context.roofline.get(),
                                context.selection.line,
                                context.hovered_line,
                                context.final};
  if (shown == Shown::kCauses) {
    draw_verdict_row(pen, area, picture);
    return;
  }
  if (shown == Shown::kChart) {
    const auto draw = picture.figure.computes ? draw_roofline_chart : draw_bandwidth_chart;
    draw(pen, area, picture);
    return;
  }
  const float row = pen.px(18) + verdict_row_height(pen, area.w, picture);
  const bool with_row = area.h - row >= pen.px(190);
  const Rect upper{area.x, area.y, area.w, area.h - (with_row ? row : 0)};
  const bool with_parts = area.w >= pen.px(700);
  const float parts = with_parts ? std::clamp(area.w * 0.25f, pen.px(210), pen.px(300)) : 0;
  const float gap = with_parts ? pen.px(28) : 0;
  const Rect chart{upper.x, upper.y, upper.w - parts - gap, upper.h};
  if (picture.figure.computes) {
    draw_roofline_chart(pen, chart, picture);
  } else {
    draw_bandwidth_chart(pen, chart, picture);
  }
  if (with_parts) draw_time_parts(pen, {chart.right() + gap, upper.y, parts, upper.h}, picture);
  if (!with_row) return;
  const float top = upper.bottom() + pen.px(8);
  pen.rule(area.x, area.right(), top);
  draw_verdict_row(pen, {area.x, top + pen.px(10), area.w, area.bottom() - top - pen.px(10)},
                   picture);
}

template <Shown kShown>
void draw_roofline_part(Canvas& canvas, const Rect& area, const ViewContext& context) {
  draw_shown(canvas, area, context, kShown);
}

}  // namespace

void draw_roofline(Canvas& canvas, const Rect& area, const ViewContext& context) {
  draw_shown(canvas, area, context, Shown::kAll);
}

std::span<const ViewPart> roofline_parts() {
  static constexpr std::array kParts{
      ViewPart{"chart", "the roofs and the kernel", {230, 150}, draw_roofline_part<Shown::kChart>},
      ViewPart{"causes", "why it is not faster", {230, 90}, draw_roofline_part<Shown::kCauses>}};
  return kParts;
}

namespace {

struct Bar {
  std::string name;
  double rate = 0;  // bytes per second
  Source source = Source::kModelled;
  Paint paint = ColourRole::kFirst;
  bool own = false;  // the kernel that is looked at
  std::string tooltip;
};

std::string times_moved(const RooflineFigure& figure) {
  return fmt::format(" It moves {} in sectors; the minimum is {}.",
                     format(figure.moved_bytes, Unit::kBytes), format(figure.bytes, Unit::kBytes));
}

// A step, the kernel itself, or the copy beside it.
Bar bar(std::string name, double rate, Source source, double datasheet) {
  Bar made{std::move(name), rate, source, ColourRole::kFirst, false, {}};
  made.tooltip =
      fmt::format("{}: {} {}, {} of {} (datasheet).", made.name,
                  format(rate, Unit::kBytesPerSecond), name_of(source),
                  about_percent_words(rate / datasheet), format(datasheet, Unit::kBytesPerSecond));
  return made;
}

std::vector<Bar> bars_of(const RooflinePicture& picture) {
  const RooflineFigure& figure = picture.figure;
  const double datasheet = figure.dram_bandwidth;
  std::vector<Bar> bars;
  if (figure.known) {
    bars.push_back(bar("this kernel", figure.rate(), figure.source(), datasheet));
  }
  bars.push_back(bar(figure.known ? "by the model" : "this kernel",
                     figure.rate_in(figure.modelled_seconds), Source::kModelled, datasheet));
  for (Bar& own : bars) {
    own.own = true;
    own.tooltip += times_moved(figure);
  }
  if (figure.known && figure.known->reference_seconds > 0) {
    bars.push_back(bar(figure.known->reference, figure.rate_in(figure.known->reference_seconds),
                       figure.source(), datasheet));
    bars.back().paint = ColourRole::kDim;
  }
  const std::vector<LadderStep> none;
  for (const LadderStep& step : picture.data != nullptr ? picture.data->steps : none) {
    if (step.id == picture.study.instance.id) continue;
    bars.push_back(bar(step.name, step.bytes / step.time.seconds, step.time.source, datasheet));
    bars.back().paint = Paint(ColourRole::kFirst, 0.45f);
  }
  if (bars.size() == 1) {  // beside nothing that ever ran, the most there is
    bars.push_back({"datasheet", datasheet, Source::kModelled, ColourRole::kIdeal, false,
                    fmt::format("{} (datasheet): no kernel moves more.",
                                format(datasheet, Unit::kBytesPerSecond))});
  }
  return bars;
}

// What is known under other conditions, a row each: "H200: this kernel 3,249 GB/s", pale and to no
// scale.
std::vector<std::string> apart_of(const RooflinePicture& picture) {
  std::vector<std::string> rows;
  if (picture.data == nullptr) return rows;
  const Conditions& own = picture.data->under;
  const auto add = [&](const std::string& name, double bytes, const KnownTime& time) {
    rows.push_back(fmt::format("{}: {} {} {}", apart_words(time.under, own), name,
                               format(bytes / time.seconds, Unit::kBytesPerSecond),
                               name_of(time.source)));
  };
  for (const KnownTime& time : picture.data->elsewhere) {
    add("this kernel", picture.figure.bytes, time);
  }
  for (const LadderStep& step : picture.data->steps_elsewhere) {
    if (step.id != picture.study.instance.id) add(step.name, step.bytes, step.time);
  }
  return rows;
}

// Below the bars, as many as fit.
void draw_apart(Pen& pen, const Rect& area, float left, const std::vector<std::string>& rows) {
  const TextStyle style = pen.style(11, ColourRole::kFaint);
  float y = area.y + pen.px(10);
  for (const std::string& words : rows) {
    if (y + pen.px(8) > area.bottom()) return;
    pen.text(left, y, pen.fitted(words, style, area.right() - left), style);
    y += pen.px(18);
  }
}

// Parts of the datasheet's bandwidth that are marked: analysis/memory/launch_memory.h.
constexpr std::array kThresholds{0.4, 0.6, 0.75};

constexpr std::size_t kFewBars = 3;  // have taller rows

// Where the bars stand; x of a rate.
struct Scale {
  float left = 0;
  float width = 0;
  double datasheet = 1;
  [[nodiscard]] float at(double rate) const {
    return left + width * static_cast<float>(std::min(rate / datasheet, 1.0));
  }
};

// "60 % good" at the line's left; where one has no room for its word, none has.
void draw_thresholds(Pen& pen, const Scale& scale, float y, float bottom) {
  const TextStyle dim = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const std::string datasheet = format(scale.datasheet, Unit::kBytesPerSecond);
  struct Line {
    float x;
    std::string share;
    std::string word;
  };
  std::vector<Line> lines;
  for (const double part : kThresholds) {
    // What it is called from just above the line on.
    lines.push_back({scale.at(part * scale.datasheet), about_percent_words(part),
                     bandwidth_verdict(100 * part + 0.1)});
  }
  lines.push_back({scale.at(scale.datasheet), datasheet, "datasheet"});
  const auto words_of = [](const Line& line, bool in_full) {
    return in_full ? line.share + " " + line.word : line.share;
  };
  bool in_full = true;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const float room = lines[i].x - lines[i - 1].x - pen.px(10);
    in_full = in_full && pen.width(words_of(lines[i], true), dim) <= room;
  }
  float free_from = scale.left - pen.px(80);
  for (const Line& line : lines) {
    const std::string words = words_of(line, in_full);
    const bool last = &line == &lines.back();
    // A line that cannot be named says nothing.
    const bool fits = line.x - pen.width(words, dim) >= free_from + pen.px(10);
    if (!fits && !last) continue;
    pen.canvas.line({line.x, y + pen.px(9)}, {line.x, bottom},
                    last ? ColourRole::kFaint : ColourRole::kLine, 1);
    if (fits) pen.text(line.x, y, words, dim);
    pen.hit({line.x - pen.px(3), y - pen.px(8), pen.px(6), bottom - y + pen.px(8)}, HitKind::kNone,
            0,
            last ? fmt::format("{} (datasheet): no kernel moves more.", datasheet)
                 : fmt::format("{} of {} (datasheet): from here on a rule of thumb calls it {}.",
                               line.share, datasheet, line.word));
    free_from = line.x;
  }
}

void draw_bar(Pen& pen, const Rect& row, const Scale& scale, const Bar& bar) {
  const float y = row.center().y;
  const TextStyle name = pen.style(12, bar.own ? ColourRole::kStrong : ColourRole::kText,
                                   bar.own ? Weight::kSemibold : Weight::kRegular, Align::kRight);
  pen.text(scale.left - pen.px(12), y, pen.fitted(bar.name, name, scale.left - row.x - pen.px(12)),
           name);
  const float height = std::min(row.h * 0.5f, pen.px(row.h > pen.px(48) ? 36 : 20));
  const Rect filled{scale.left, y - height / 2, std::max(scale.at(bar.rate) - scale.left, 1.0f),
                    height};
  pen.canvas.fill_rect(filled, ColourRole::kBackground, 2);  // no line shows through
  if (bar.own && bar.source == Source::kModelled) {
    pen.canvas.stroke_rect(filled, bar.paint, pen.px(1.2f), 2);
  } else {
    pen.canvas.fill_rect(filled, bar.paint, 2);
  }
  const TextStyle value =
      pen.style(12, bar.own ? ColourRole::kStrong : ColourRole::kText, Weight::kMedium);
  const std::string words = format(bar.rate, Unit::kBytesPerSecond);
  float x = filled.right() + pen.px(10);
  const float needed = pen.px(20) + pen.width(words, value);
  if (x + needed > row.right()) x = filled.right() - needed - pen.px(4);  // on the bar's end
  pen.canvas.fill_rect({x - pen.px(6), y - pen.px(8), needed + pen.px(6), pen.px(16)},
                       ColourRole::kBackground, 2);
  pen.source_mark({x + pen.px(3), y}, bar.source, ColourRole::kText);
  pen.text(x + pen.px(12), y, words, value);
  pen.hit(row, HitKind::kNone, 0, bar.tooltip);
}

}  // namespace

void draw_bandwidth_chart(Pen& pen, const Rect& area, const RooflinePicture& picture) {
  const std::vector<Bar> bars = bars_of(picture);
  float y = area.y + pen.px(8);
  pen.heading(area.x, y, "BANDWIDTH",
              "GB/s, each element read once and written once; lines: shares of the datasheet value",
              area.right());
  y += pen.px(24);
  float names = pen.px(120);
  for (const Bar& bar : bars) {
    const TextStyle name = pen.style(12, ColourRole::kText, Weight::kSemibold);
    names = std::max(names, pen.width(bar.name, name) + pen.px(14));
  }
  names = std::min(names, area.w * 0.3f);
  const Scale scale{area.x + names, area.w - names - pen.px(104), picture.figure.dram_bandwidth};
  const float top = y + pen.px(14);
  const std::vector<std::string> apart = apart_of(picture);
  const float kept = std::min(pen.px(18) * static_cast<float>(apart.size()), area.h * 0.3f);
  const float pitch = std::clamp((area.bottom() - kept - top) / static_cast<float>(bars.size()),
                                 pen.px(20), pen.px(bars.size() <= kFewBars ? 84 : 48));
  const auto fit = static_cast<std::size_t>(std::max((area.bottom() - top) / pitch, 1.0f));
  const std::size_t shown = std::min(fit, bars.size());
  draw_thresholds(pen, scale, y, top + pitch * static_cast<float>(shown));
  for (std::size_t i = 0; i < shown; ++i) {
    draw_bar(pen, {area.x, top + pitch * static_cast<float>(i), area.w, pitch}, scale, bars[i]);
  }
  const float below = top + pitch * static_cast<float>(shown);
  draw_apart(pen, {area.x, below, area.w, area.bottom() - below}, scale.left, apart);
}

namespace {

struct Part {
  std::string name;
  double seconds = 0;
  Source source = Source::kModelled;
  ColourRole colour = ColourRole::kFirst;
  std::string tooltip;
};

std::vector<Part> parts_of(const RooflinePicture& picture) {
  const TimeBounds& bounds = picture.diagnosis.bounds;
  std::vector<Part> parts;
  for (std::size_t i = 0; i < kLimits; ++i) {
    const double seconds = bounds.seconds[i];
    if (seconds < 0.01 * bounds.total()) continue;
    const std::string name(name_of(static_cast<Limit>(i)));
    parts.push_back({name, seconds, Source::kModelled, ColourRole::kFirst,
                     fmt::format("If only {} mattered, the launch would take {}.", name,
                                 format(seconds, Unit::kSeconds))});
  }
  std::ranges::stable_sort(parts, std::ranges::greater{}, &Part::seconds);
  if (!parts.empty()) parts.front().colour = ColourRole::kSecond;
  return parts;
}

std::vector<Part> wholes_of(const RooflinePicture& picture) {
  const TimeBounds& bounds = picture.diagnosis.bounds;
  const auto warps = static_cast<std::uint64_t>(std::llround(bounds.resident_warps));
  std::vector<Part> wholes{
      {"all together", bounds.total(), Source::kModelled, ColourRole::kText,
       fmt::format("With {} per SM the parts overlap in part; launch and start-up take {}: {} by "
                   "the model.",
                   counted(warps, "warp"), format(bounds.launch, Unit::kSeconds),
                   time_words(bounds, picture.diagnosis.rates))}};
  if (picture.figure.known) {
    const KnownTime& known = *picture.figure.known;
    wholes.push_back({std::string(name_of(known.source)), known.seconds, known.source,
                      ColourRole::kStrong,
                      explained(picture.diagnosis, known.seconds, known.source)});
  }
  return wholes;
}

void draw_part(Pen& pen, const Rect& row, const Part& part, const std::string& words,
               double longest, bool final) {
  const float y = row.y + pen.px(8);
  const bool may_change = !final && part.source == Source::kModelled;
  const TextStyle value = pen.style(12, may_change ? ColourRole::kDim : ColourRole::kStrong,
                                    Weight::kMedium, Align::kRight);
  const float mark = row.right() - pen.width(words, value) - pen.px(12);
  pen.text(row.right(), y, words, value);
  pen.source_mark({mark, y}, part.source, ColourRole::kDim);
  const TextStyle name = pen.style(12, ColourRole::kText);
  pen.text(row.x, y, pen.fitted(part.name, name, mark - row.x - pen.px(10)), name);
  const float width = row.w * static_cast<float>(part.seconds / longest);
  const Rect track{row.x, row.y + pen.px(18), row.w, pen.px(4)};
  pen.canvas.fill_rect(track, ColourRole::kRaised, 2);
  pen.canvas.fill_rect({track.x, track.y, std::max(width, 1.0f), track.h}, part.colour, 2);
  pen.hit(row, HitKind::kNone, 0, part.tooltip);
}

// Times under other conditions, pale and without a bar, as many as fit.
void draw_times_elsewhere(Pen& pen, const Rect& area, const RooflinePicture& picture) {
  if (picture.data == nullptr) return;
  const TextStyle name = pen.style(12, ColourRole::kFaint);
  const TextStyle value = pen.style(12, ColourRole::kFaint, Weight::kRegular, Align::kRight);
  float y = area.y + pen.px(8);
  for (const KnownTime& time : picture.data->elsewhere) {
    if (y + pen.px(8) > area.bottom()) return;
    const std::string words = format(time.seconds, Unit::kSeconds);
    const float mark = area.right() - pen.width(words, value) - pen.px(12);
    pen.text(area.right(), y, words, value);
    pen.source_mark({mark, y}, time.source, ColourRole::kFaint);
    const std::string whose =
        fmt::format("{}, {}", apart_words(time.under, picture.data->under), name_of(time.source));
    pen.text(area.x, y, pen.fitted(whose, name, mark - area.x - pen.px(10)), name);
    y += pen.px(18);
  }
}

}  // namespace

void draw_time_parts(Pen& pen, const Rect& area, const RooflinePicture& picture) {
  const std::vector<Part> parts = parts_of(picture);
  const std::vector<Part> wholes = wholes_of(picture);
  std::vector<double> times;
  for (const std::vector<Part>* list : {&parts, &wholes}) {
    for (const Part& part : *list) times.push_back(part.seconds);
  }
  const double longest = std::ranges::max(times);
  const std::vector<std::string> words = format_times(times);
  float y = area.y + pen.px(8);
  pen.heading(area.x, y, "TIME EACH PART NEEDS", "alone; they overlap", area.right());
  y += pen.px(16);
  const float pitch = pen.px(30);
  const float below = pitch * static_cast<float>(wholes.size()) + pen.px(8);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (y + pitch + below > area.bottom()) break;
    draw_part(pen, {area.x, y, area.w, pen.px(26)}, parts[i], words[i], longest, picture.final);
    y += pitch;
  }
  if (y + below > area.bottom()) return;
  pen.rule(area.x, area.right(), y + pen.px(1));
  y += pen.px(8);
  for (std::size_t i = 0; i < wholes.size(); ++i) {
    draw_part(pen, {area.x, y, area.w, pen.px(26)}, wholes[i], words[parts.size() + i], longest,
              picture.final);
    y += pitch;
  }
  draw_times_elsewhere(pen, {area.x, y, area.w, area.bottom() - y}, picture);
}

namespace {

// Behind a cause whose line is under the pointer, or chosen.
void draw_ground(Pen& pen, const Rect& cell, const Verdict& verdict,
                 const RooflinePicture& picture) {
  if (verdict.line == 0) return;
  const bool chosen = verdict.line == picture.chosen_line;
  if (!chosen && verdict.line != picture.hovered_line) return;
  const float beyond = pen.px(cell.h > pen.px(20) ? 6 : 0);
  pen.canvas.fill_rect(
      {cell.x - pen.px(6), cell.y - beyond, cell.w + pen.px(12), cell.h + 2 * beyond},
      chosen ? ColourRole::kRaised : ColourRole::kHover, 4);
}

constexpr float kGap = 28;          // between causes side by side
constexpr float kLeastWidth = 250;  // of one of them
constexpr float kRank = 16;
constexpr float kLine = 18;  // of a cause on one line

// The styles and words of a cause.
struct CauseWords {
  CauseWords(const Pen& pen, const Verdict& verdict, const RooflinePicture& picture)
      : dim(pen.style(12, ColourRole::kDim)),
        fact(pen.style(13, picture.final ? ColourRole::kStrong : ColourRole::kDim,
                       Weight::kSemibold)),
        worth(pen.style(13,
                        !picture.is_sure()     ? ColourRole::kDim
                        : verdict.worth >= 0.1 ? ColourRole::kExcess
                                               : ColourRole::kSecond,
                        Weight::kSemibold, Align::kRight)),
        worth_words("−" + about_percent_words(verdict.worth)) {}
  TextStyle dim;
  TextStyle fact;
  TextStyle worth;
  std::string worth_words;
};

void hit_verdict(Pen& pen, const Rect& cell, const Verdict& verdict,
                 const RooflinePicture& picture) {
  std::string tooltip = fmt::format(
      "{}: {}. Without it the launch would take {} less time, by the model. Causes overlap, so the "
      "gains do not add up.",
      verdict.fact, verdict.detail, about_percent_words(verdict.worth));
  if (picture.figure.model_is_off()) {
    tooltip += " The model differs by more than 20 % here, so this is only a hint.";
  }
  if (!picture.final) tooltip += " Pale: instructions are still being counted.";
  if (verdict.line != 0) {
    pen.hit(cell, HitKind::kLine, verdict.line, std::move(tooltip));
  } else {
    pen.hit(cell, HitKind::kNone, 0, std::move(tooltip));
  }
}

// The fact with its worth, below it the detail, which has to end at `right`.
void draw_verdict(Pen& pen, const Rect& cell, float right, std::size_t rank, const Verdict& verdict,
                  const RooflinePicture& picture) {
  const CauseWords words(pen, verdict, picture);
  const float y = cell.y + pen.px(8);
  pen.text(cell.x, y, std::to_string(rank), words.dim);
  const float x = cell.x + pen.px(kRank);
  pen.text(x, y, verdict.fact, words.fact);
  pen.text(cell.right(), y, words.worth_words, words.worth);
  pen.text(x, y + pen.px(19), pen.fitted(verdict.detail, words.dim, right - x), words.dim);
  hit_verdict(pen, cell, verdict, picture);
}

// Fact, detail and worth on one line; `detail_x`: where the details begin.
void draw_verdict_line(Pen& pen, const Rect& row, float detail_x, std::size_t rank,
                       const Verdict& verdict, const RooflinePicture& picture) {
  const CauseWords words(pen, verdict, picture);
  const float y = row.center().y;
  const float right = row.right() - pen.width(words.worth_words, words.worth) - pen.px(12);
  pen.text(row.x, y, std::to_string(rank), words.dim);
  const float x = row.x + pen.px(kRank);
  pen.text(x, y, pen.fitted(verdict.fact, words.fact, right - x), words.fact);
  if (detail_x < right - pen.px(60)) {
    pen.text(detail_x, y, pen.fitted(verdict.detail, words.dim, right - detail_x), words.dim);
  }
  pen.text(row.right(), y, words.worth_words, words.worth);
  hit_verdict(pen, row, verdict, picture);
}

// How many stand side by side in that width.
std::size_t columns_in(const Pen& pen, float width) {
  const float gap = pen.px(kGap);
  return static_cast<std::size_t>(
      std::clamp((width + gap) / (pen.px(kLeastWidth) + gap), 1.0f, 3.0f));
}
float column_width(const Pen& pen, float width) {
  const auto columns = static_cast<float>(columns_in(pen, width));
  return (width - pen.px(kGap) * (columns - 1)) / columns;
}

// Whether the causes have room for all their words side by side; else each has a line.
bool stand_in_columns(const Pen& pen, float width, const std::vector<Verdict>& verdicts,
                      const RooflinePicture& picture) {
  const std::size_t columns = columns_in(pen, width);
  if (verdicts.size() > columns && columns < 3) return false;
  const float cell = column_width(pen, width);
  for (std::size_t i = 0; i < std::min<std::size_t>(verdicts.size(), 3); ++i) {
    const CauseWords words(pen, verdicts[i], picture);
    const float room = cell - pen.px(kRank);
    const float fact = pen.width(verdicts[i].fact, words.fact) + pen.px(10) +
                       pen.width(words.worth_words, words.worth);
    const bool last = i + 1 == std::min<std::size_t>(verdicts.size(), 3);
    const float below = pen.width(verdicts[i].detail, words.dim);
    if (fact > room ||
        below >
            (last ? width - static_cast<float>(i) * (cell + pen.px(kGap)) : cell) - pen.px(kRank)) {
      return false;
    }
  }
  return true;
}

void draw_verdict_lines(Pen& pen, const Rect& area, const RooflinePicture& picture) {
  const std::vector<Verdict>& verdicts = picture.diagnosis.verdicts;
  const std::size_t shown = std::min<std::size_t>(verdicts.size(), 3);
  float longest = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const CauseWords words(pen, verdicts[i], picture);
    longest = std::max(longest, pen.width(verdicts[i].fact, words.fact));
  }
  const float detail_x = area.x + pen.px(kRank) + longest + pen.px(20);
  for (std::size_t i = 0; i < shown; ++i) {
    const Rect row{area.x, area.y + pen.px(kLine) * static_cast<float>(i), area.w, pen.px(kLine)};
    if (row.bottom() > area.bottom() + 1) break;
    draw_ground(pen, row, verdicts[i], picture);
    draw_verdict_line(pen, row, detail_x, i + 1, verdicts[i], picture);
  }
}

// Where no time is known that the model could be held against.
std::string untimed_words(const RooflinePicture& picture) {
  const std::string elsewhere =
      picture.data != nullptr ? elsewhere_words(*picture.data) : std::string();
  return "by the model; " + (elsewhere.empty() ? "no measured or recorded time" : elsewhere);
}

}  // namespace

float verdict_row_height(const Pen& pen, float width, const RooflinePicture& picture) {
  const std::vector<Verdict>& verdicts = picture.diagnosis.verdicts;
  const std::size_t lines = std::min<std::size_t>(verdicts.size(), 3);
  const bool columns = stand_in_columns(pen, width, verdicts, picture);
  return pen.px(24) + (columns ? pen.px(42) : pen.px(kLine) * static_cast<float>(lines));
}

void draw_verdict_row(Pen& pen, const Rect& area, const RooflinePicture& picture) {
  const Diagnosis& diagnosis = picture.diagnosis;
  const float y = area.y + pen.px(8);
  const ColourRole tone = picture.figure.model_is_off() ? ColourRole::kSecond : ColourRole::kDim;
  const TextStyle dim = pen.style(12, tone, Weight::kRegular, Align::kRight);
  const std::string trust =
      picture.figure.known
          ? explained(diagnosis, picture.figure.known->seconds, picture.figure.known->source)
          : untimed_words(picture);
  const float trust_width = pen.width(trust, dim) + pen.px(30);
  const bool says_trust = trust_width < area.w * 0.5f;
  if (says_trust) {
    pen.text(area.right(), y, trust, dim);
    pen.source_mark({area.right() - trust_width + pen.px(14), y}, Source::kModelled,
                    ColourRole::kDim);
  }
  pen.heading(area.x, y, "WHY IT IS NOT FASTER",
              diagnosis.limited_by + (diagnosis.verdicts.empty() ? "." : ". Gain if removed:"),
              area.right() - (says_trust ? trust_width : 0));
  const Rect below{area.x, y + pen.px(16), area.w, area.bottom() - y - pen.px(16)};
  if (diagnosis.verdicts.empty()) {
    const TextStyle plain = pen.style(13, ColourRole::kText);
    pen.text(below.x, below.y + pen.px(8),
             pen.fitted("No known cause costs 2 % of the time.", plain, below.w), plain);
    return;
  }
  if (!stand_in_columns(pen, below.w, diagnosis.verdicts, picture)) {
    draw_verdict_lines(pen, below, picture);
    return;
  }
  const std::size_t shown = std::min(columns_in(pen, below.w), diagnosis.verdicts.size());
  const float width = column_width(pen, below.w);
  for (std::size_t i = 0; i < shown; ++i) {
    const float x = below.x + static_cast<float>(i) * (width + pen.px(kGap));
    const Rect cell{x, below.y, width, pen.px(38)};
    draw_ground(pen, cell, diagnosis.verdicts[i], picture);
    draw_verdict(pen, cell, i + 1 == shown ? below.right() : cell.right(), i + 1,
                 diagnosis.verdicts[i], picture);
  }
}

}  // namespace tilescope
