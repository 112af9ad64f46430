#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "analysis/bandwidth.h"
#include "scene/roofline/roofline_scene.h"

namespace tilescope {
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
  return fmt::format(" Its lanes move {} in sectors for {} that must be moved.",
                     format(figure.moved_bytes, Unit::kBytes), format(figure.bytes, Unit::kBytes));
}

// A step, the kernel itself, or the copy beside it.
Bar bar(std::string name, double rate, Source source, double datasheet) {
  Bar made{std::move(name), rate, source, ColourRole::kFirst, false, {}};
  made.tooltip =
      fmt::format("{}: {} {}, {} of the datasheet's {}.", made.name,
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
                    fmt::format("The datasheet's {}: no kernel moves more.",
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

// Parts of the datasheet's bandwidth that are marked: analysis/bandwidth.h.
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
            last ? fmt::format("The datasheet's {}: no kernel moves more.", datasheet)
                 : fmt::format("{} of the datasheet's {}: from here on a rule of thumb calls it "
                               "{}.",
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
              "GB/s, each element read once and written once; lines: parts of the datasheet's",
              area.right());
  y += pen.px(24);
  const float names = std::min(pen.px(120), area.w * 0.3f);
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

}  // namespace tilescope
