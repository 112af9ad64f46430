#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "scene/compare/compare_scene.h"

namespace tilescope {
namespace {

constexpr float kRow = 19;
constexpr float kDifferenceRow = 14;  // more, where it stands below its value
constexpr double kEqualNumbers = 0.005;
constexpr const char* kNoDifference = "=";
constexpr double kFactorFrom = 1.5;  // smaller ratios are written in per cent

struct Words {
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
Words points_words(double change, double larger, Paint paint) {
  const int decimals = larger < 10 ? 1 : 0;
  if (std::abs(change) < (decimals == 1 ? 0.05 : 0.5)) return {kNoDifference, ColourRole::kDim};
  if (std::abs(change) < 0.5) paint = ColourRole::kDim;
  return {fmt::format("{}{:.{}f} pts", change > 0 ? "+" : "−", std::abs(change), decimals), paint};
}

// "2.2 ×", "÷ 8" from 1.5 on, "+7 %" below, "+6.1 pts" of percents, "=".
Words difference_words(const MetricRow& row, const Quantity& base, const Quantity& other) {
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
  std::vector<Words> differences;     // by variant
};

// Of another size, what a whole launch takes is no difference to speak of.
Line line_of(const MetricRow& row, const Comparison& comparison, std::size_t base) {
  Line line{&row, Source::kEmulated, {}, {}};
  const bool parameter = row.meaning.empty();
  line.values = row_words(row);
  bool first = true;
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const auto& value = row.values[i];
    if (value && std::exchange(first, false)) line.source = value->source;
    const bool other_size =
        i != base && comparison.pairs[base][i].comparable == Comparable::kOtherSize;
    const bool differs =
        !parameter && value && row.values[base] && !(row.whole_launch && other_size);
    line.differences.push_back(differs ? difference_words(row, *row.values[base], *value)
                                       : Words{});
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
                     std::ranges::any_of(line.differences, [](const Words& difference) {
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
    const Words& difference = line.differences[column.variant];
    if (below && difference.text == kNoDifference) continue;
    TextStyle tone = styles.difference;
    tone.paint = difference.paint;
    pen.text(column.difference, below ? y + pen.px(kDifferenceRow) : y, difference.text, tone);
  }
  pen.hit(box, HitKind::kNone, 0,
          parameter ? fmt::format("The parameter {} that each is compiled with.", line.row->name)
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
    hit.tooltip =
        fmt::format("{}: {}. Click to hold the others against it.", letter_of(column.variant),
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
  std::string more = with_differences ? fmt::format("differences against {}", letter_of(base)) : "";
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
