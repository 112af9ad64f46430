#include "scene/rates/tuned_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/conditions.h"
#include "core/quantity.h"
#include "kernel/catalogue/parameter_values.h"
#include "scene/drawing/pen.h"
#include "scene/view/empty_view.h"

namespace tilescope {
namespace {

constexpr float kHead = 28;         // px above the rows
constexpr float kRow = 20;          // px
constexpr float kRank = 48;         // px of the place and the mark
constexpr float kLeastColumn = 40;  // px of a parameter
constexpr float kGap = 18;          // px between columns
constexpr float kTime = 84;         // px
constexpr float kStart = 44;        // px of the word beside the row where a run began
constexpr float kBar = 56;          // px, with the gap before it

std::string joined(const std::vector<TunedRow>& rows, std::string TunedRow::*what) {
  std::set<std::string> words;
  for (const TunedRow& row : rows) {
    if (!(row.*what).empty()) words.insert(row.*what);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::int64_t value_in(const ParameterSet& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? 0 : found->second;
}

double reference_share(const TunedRow& row) { return 100 * row.reference_seconds / row.seconds; }

// "recorded", "measured", "modelled", or "known" of several sources.
std::string_view how_known(const TunedFigure& figure) {
  const Source first = figure.rows.front().source;
  const bool one =
      std::ranges::all_of(figure.rows, [&](const auto& r) { return r.source == first; });
  return one ? name_of(first) : "known";
}

// "TILE_M 64, STAGES 4", of those that differ; empty: none does.
std::string difference(const TunedFigure& figure, const ParameterSet& parameters) {
  std::string words;
  for (const std::string& name : figure.columns) {
    const std::int64_t value = value_in(parameters, name);
    if (value == value_in(figure.parameters, name)) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, value);
  }
  return words;
}

// What a row's time is known by, and on what: times alike in this alone are ranked.
std::pair<Conditions, bool> known_by(const TunedRow& row) {
  return {{row.gpu, row.driver}, row.source == Source::kModelled};
}

// Leaves those that are ranked; the others.
std::vector<TunedRow> take_apart(const ParameterSet& present, std::vector<TunedRow>* rows) {
  if (rows->empty()) return {};
  const auto stands = std::ranges::find(*rows, present, &TunedRow::parameters);
  const auto own = known_by(stands != rows->end() ? *stands : rows->front());
  const auto apart = std::ranges::stable_partition(
      *rows, [&](const TunedRow& row) { return known_by(row) == own; });
  std::vector<TunedRow> others(apart.begin(), apart.end());
  rows->erase(apart.begin(), apart.end());
  return others;
}

// "12 more are recorded on the H200: another GPU's times are not ranked among these." Empty: none.
std::string apart_sentence(const TunedFigure& figure) {
  if (figure.apart.empty()) return {};
  std::set<std::string> words;
  for (const TunedRow& row : figure.apart) {
    words.insert(row.source == Source::kModelled
                     ? "modelled"
                     : apart_words(known_by(row).first, known_by(figure.rows.front()).first));
  }
  return fmt::format("{} more not ranked here: {}", format_count(figure.apart.size()),
                     fmt::join(words, "; "));
}

// A line below the rows is about those that the figure does not have among them.
bool says_of_others(const TunedFigure& figure) {
  return !figure.apart.empty() || figure.slower > 0;
}

// What is known of each row beside its parameters and its time: a column where there is room.
struct Fact {
  std::string title;
  std::string meaning;
  int rank = 0;                    // the largest goes first where room is short
  std::vector<std::string> words;  // of each shown row; empty: not known
  float width = 0;                 // px
};

// Of the first `count` rows; those that say something of one of them.
std::vector<Fact> facts_of(const TunedFigure& figure, std::size_t count) {
  std::vector<double> recorded;
  std::string recorded_gpu;
  for (std::size_t i = 0; i < count; ++i) {
    const TunedRow& row = figure.row(i);
    recorded.push_back(row.recorded_seconds);
    if (!row.recorded_gpu.empty()) recorded_gpu = row.recorded_gpu;
  }
  const auto earlier = format_times(recorded);
  const bool same_gpu = !figure.rows.empty() && figure.rows.front().gpu == recorded_gpu;
  std::vector<Fact> facts;
  const auto add = [&](std::string title, std::string meaning, int rank, const auto& words_of) {
    Fact fact{std::move(title), std::move(meaning), rank, {}, 0};
    for (std::size_t i = 0; i < count; ++i) fact.words.push_back(words_of(i, figure.row(i)));
    const bool says =
        std::ranges::any_of(fact.words, [](const std::string& words) { return !words.empty(); });
    if (says) facts.push_back(std::move(fact));
  };
  const auto known = [](double value, Unit unit) {
    return value > 0 ? format(value, unit) : std::string();
  };
  add(figure.rate_title, "Work divided by the time.", 1, [&](std::size_t i, const TunedRow&) {
    return i < figure.rates.size() ? figure.rates[i] : std::string();
  });
  add("of " + figure.reference, "Share of " + figure.reference + ", measured in the same run.", 0,
      [&](std::size_t, const TunedRow& row) {
        return row.seconds > 0 ? known(reference_share(row), Unit::kPercent) : std::string();
      });
  add(same_gpu ? "recorded" : "on " + short_gpu(recorded_gpu),
      "Recorded earlier on " + recorded_gpu + ".", 2, [&](std::size_t i, const TunedRow& row) {
        return row.recorded_seconds > 0 ? earlier[i] : std::string();
      });
  add("registers", "Registers per thread, from ptxas.", 4,
      [&](std::size_t, const TunedRow& row) { return known(row.registers, Unit::kNone); });
  add("shared", "Shared memory per block.", 5, [&](std::size_t, const TunedRow& row) {
    return row.registers > 0 ? format(row.shared_bytes, Unit::kBytes) : std::string();
  });
  add("occupancy", "Resident warps per SM, as a share of the maximum.", 3,
      [&](std::size_t, const TunedRow& row) { return known(row.occupancy, Unit::kPercent); });
  return facts;
}

class TunedPicture {
 public:
  TunedPicture(Pen& pen, const Rect& area, const TunedFigure& figure,
               std::optional<std::size_t> lit)
      : pen_(pen), area_(area), figure_(figure), lit_(lit) {
    rows_ = rows_in(figure, area, pen.px(1));
    std::vector<double> seconds;
    for (std::size_t i = 0; i < rows_.count; ++i) seconds.push_back(figure.row(i).seconds);
    times_ = format_times(seconds);
    facts_ = facts_of(figure, rows_.count);
    place_columns();
  }

  void draw() {
    draw_head();
    for (std::size_t i = 0; i < rows_.count; ++i) draw_row(i, rows_.row(i));
    draw_rest(rows_.count, rows_.row(rows_.count).center().y);
  }

 private:
  // Parameters are as wide as their names, facts as what they say; where room is short, facts go,
  // then parameters share what is left.
  void place_columns() {
    float wide = pen_.px(kRank + kTime);
    for (const std::string& name : figure_.columns) {
      columns_.push_back(
          std::max(pen_.px(kLeastColumn), pen_.width(name, head_style()) + pen_.px(kGap)));
      wide += columns_.back();
    }
    const float others = pen_.px(kBar + (figure_.start ? kStart : 0));
    for (Fact& fact : facts_) {
      fact.width = pen_.width(fact.title, head_style());
      for (const std::string& words : fact.words)
        fact.width = std::max(fact.width, pen_.width(words, pen_.style(12, ColourRole::kText)));
      fact.width += pen_.px(kGap);
      wide += fact.width;
    }
    while (!facts_.empty() && wide + others > area_.w) {
      const auto least = std::ranges::max_element(facts_, {}, &Fact::rank);
      wide -= least->width;
      facts_.erase(least);
    }
    if (wide <= area_.w) return;
    const auto count = static_cast<float>(std::max<std::size_t>(columns_.size(), 1));
    const float share = std::max((area_.w - pen_.px(kRank + kTime)) / count, pen_.px(kLeastColumn));
    std::ranges::fill(columns_, share);
  }

  // What is not shown: slower ones, those without a time, and those that stand apart.
  void draw_rest(std::size_t shown, float y) {
    const TextStyle style = pen_.style(11, ColourRole::kDim);
    const float x = area_.x + pen_.px(kRank);
    std::vector<std::string> parts;
    const std::size_t slower =
        figure_.rows.size() + figure_.slower - std::min(shown, figure_.rows.size());
    if (slower > 0) parts.push_back("and " + format_count(slower) + " slower ones");
    if (const std::size_t left = figure_.size() - std::max(shown, figure_.rows.size()); left > 0)
      parts.push_back(format_count(left) + " without a time");
    if (const std::string apart = apart_sentence(figure_); !apart.empty()) parts.push_back(apart);
    if (y + pen_.px(kRow) / 2 > area_.bottom() + 1) return;
    pen_.text(x, y,
              pen_.fitted(fmt::format("{}", fmt::join(parts, "; ")), style, area_.right() - x),
              style);
  }

  void cell(float right, float y, const std::string& words, Paint ink,
            Weight weight = Weight::kRegular) {
    pen_.text(right, y, words, pen_.style(12, ink, weight, Align::kRight));
  }

  [[nodiscard]] TextStyle head_style() const {
    return pen_.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  }

  void draw_head() {
    const float y = area_.y + pen_.px(10);
    const TextStyle style = head_style();
    float right = area_.x + pen_.px(kRank);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      right += columns_[i];
      pen_.text(right, y, pen_.fitted(figure_.columns[i], style, columns_[i] - pen_.px(6)), style);
    }
    right += pen_.px(kTime);
    pen_.text(right, y, "time", style);
    for (const Fact& fact : facts_) {
      right += fact.width;
      pen_.text(right, y, fact.title, style);
      pen_.hit({right - fact.width, y - pen_.px(10), fact.width, pen_.px(20)}, HitKind::kNone, 0,
               fact.meaning);
    }
    pen_.rule(area_.x, area_.right(), y + pen_.px(10));
  }

  void draw_row(std::size_t index, const Rect& place) {
    const TunedRow& row = figure_.row(index);
    const bool timed = row.seconds > 0;
    const float y = place.center().y;
    const bool present = row.parameters == figure_.parameters;
    if (present || lit_ == index) {
      pen_.canvas.fill_rect(place, present ? ColourRole::kRaised : ColourRole::kHover, 3);
    }
    const ColourRole ink = timed ? ColourRole::kText : ColourRole::kFaint;
    cell(area_.x + pen_.px(24), y, timed ? std::to_string(index + 1) : "–", ColourRole::kDim);
    if (timed) pen_.source_mark({area_.x + pen_.px(36), y}, row.source, ColourRole::kText);
    float right = area_.x + pen_.px(kRank);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& name = figure_.columns[i];
      right += columns_[i];
      const std::int64_t value = value_in(row.parameters, name);
      const bool changed = timed && value != value_in(figure_.parameters, name);
      cell(right, y, std::to_string(value), changed ? ColourRole::kFirst : ink,
           changed ? Weight::kSemibold : Weight::kRegular);
    }
    right += pen_.px(kTime);
    cell(right, y, timed ? times_[index] : "–", timed ? ColourRole::kStrong : ink, Weight::kMedium);
    for (const Fact& fact : facts_) {
      right += fact.width;
      cell(right, y, fact.words[index], ink);
    }
    if (figure_.start) {
      if (row.parameters == *figure_.start && right + pen_.px(kStart) <= area_.right()) {
        pen_.text(right + pen_.px(10), y, "start", pen_.style(11, ColourRole::kDim));
      }
      right += pen_.px(kStart);
    }
    if (timed) draw_bar(right + pen_.px(16), y, row);
  }

  // As long as its time is, of the longest that is shown.
  void draw_bar(float x, float y, const TunedRow& row) {
    const float room = area_.right() - x;
    if (room < pen_.px(kBar - 16)) return;
    const std::size_t longest = std::min(rows_.count, figure_.rows.size()) - 1;
    const auto share = static_cast<float>(row.seconds / figure_.rows[longest].seconds);
    const bool fastest = &row == &figure_.rows.front();
    pen_.canvas.fill_rect({x, y - pen_.px(4), room * share, pen_.px(8)},
                          fastest ? ColourRole::kIdeal : ColourRole::kFirst, 0);
  }

  Pen& pen_;
  Rect area_;
  const TunedFigure& figure_;
  std::optional<std::size_t> lit_;
  TunedRows rows_;
  std::vector<std::string> times_;
  std::vector<Fact> facts_;
  std::vector<float> columns_;  // the widths of the parameters
};

}  // namespace

bool TunedFigure::is_of_this_run() const {
  return std::ranges::any_of(rows, [](const auto& row) { return row.source != Source::kRecorded; });
}

std::string TunedFigure::gpus() const { return joined(rows, &TunedRow::gpu); }

std::string TunedFigure::toolkits() const { return joined(rows, &TunedRow::toolkit); }

std::string TunedFigure::newest_date() const {
  std::string newest;
  for (const TunedRow& row : rows) newest = std::max(newest, row.date);
  return newest;
}

TunedFigure tuned_figure(const ChartVariant& point, std::string reference,
                         std::vector<TunedRow> rows) {
  TunedFigure figure;
  figure.apart = take_apart(point.parameters, &rows);
  std::ranges::sort(rows, [](const TunedRow& a, const TunedRow& b) {
    return std::tie(a.seconds, a.parameters) < std::tie(b.seconds, b.parameters);
  });
  figure.kernel = point.entry->id;
  figure.parameter_words =
      with_factors_text(values_words(point.entry, point.parameters), point.factors);
  figure.parameters = point.parameters;
  figure.extents = point.extents;
  figure.factors = point.factors;
  for (const ParameterSpec& spec : point.entry->parameters) figure.columns.push_back(spec.name);
  figure.reference = std::move(reference);
  figure.rows = std::move(rows);
  return figure;
}

Sentence tuned_sentence(const TunedFigure& figure) {
  if (figure.empty()) {
    return {{fmt::format("No time of {} is known at this size.", figure.kernel), false}};
  }
  const auto present = std::ranges::find(figure.rows, figure.parameters, &TunedRow::parameters);
  const TunedRow& best = figure.rows.front();
  const double own = present != figure.rows.end() ? present->seconds : best.seconds;
  const auto times = format_times(std::array{best.seconds, own});
  Sentence sentence = {
      {fmt::format("Of {} {} of {} at this size ", counted(figure.rows.size(), "combination"),
                   how_known(figure), figure.kernel),
       false}};
  const std::string share =
      best.reference_seconds > 0
          ? fmt::format(", {} of {}'s speed", format(reference_share(best), Unit::kPercent),
                        figure.reference.starts_with("cuBLAS") ? figure.reference
                                                               : "the " + figure.reference)
          : std::string();
  const std::string apart = difference(figure, best.parameters);
  if (apart.empty()) {
    sentence.push_back({fmt::format("{} is the fastest: {}{}", figure.own, times[0], share), true});
    sentence.push_back({".", false});
    return sentence;
  }
  sentence.push_back({fmt::format("the fastest takes {}{}", times[0], share), true});
  sentence.push_back({": " + apart + ". ", false});
  std::string who = figure.own;
  who.front() = 'T';
  sentence.push_back({present == figure.rows.end()
                          ? who + " is not among them."
                          : fmt::format("{} takes {}, place {}.", who, times[1],
                                        present - figure.rows.begin() + 1),
                      false});
  return sentence;
}

float height_of(const TunedFigure& figure, std::size_t most_rows) {
  std::size_t rows = std::min(figure.size(), most_rows + 1);
  if (says_of_others(figure) && figure.size() <= most_rows) ++rows;
  return kHead + kRow * static_cast<float>(rows);
}

TunedRows rows_in(const TunedFigure& figure, const Rect& area, float text_scale) {
  const float top = area.y + kHead * text_scale;
  const float row = kRow * text_scale;
  const auto fitting =
      static_cast<std::size_t>(std::max(0.0F, (area.bottom() - top) / row + 0.01F));
  const std::size_t wanted = std::min(figure.size(), kMostTunedRows);
  const bool all = figure.size() <= std::min(fitting, kMostTunedRows);
  const bool has_line = !all || says_of_others(figure);
  return {has_line ? std::min(wanted, fitting > 0 ? fitting - 1 : 0) : wanted,
          {area.x, top, area.w, row}};
}

FigureSize least_size(const TunedFigure& figure) {
  const float columns = kLeastColumn * static_cast<float>(figure.columns.size());
  return {std::max(kRank + kTime + columns, 240.0F),
          std::min(kHead + 2 * kRow, std::max(height_of(figure), kHead + kRow))};
}

void draw_tuned_figure(Canvas& canvas, const Rect& area, const ViewContext& context,
                       const TunedFigure& figure, std::optional<std::size_t> lit) {
  Pen pen(canvas, context);
  if (!has_room(pen, area, least_size(figure))) return;
  if (figure.size() == 0) {
    draw_empty(
        pen, area, "Nothing to draw yet",
        "This table needs measurements: tilescope sweep, or the tuner on a machine with a GPU.");
    return;
  }
  TunedPicture(pen, area, figure, lit).draw();
}

void add_tuned_numbers(NumberList& list, const TunedFigure& figure) {
  list.part("combinations");
  for (std::size_t i = 0; i < figure.rows.size(); ++i) {
    const TunedRow& row = figure.rows[i];
    list.item(fmt::format("place {}", i + 1));
    list.source(row.source);
    for (const std::string& name : figure.columns) list.add(name, value_in(row.parameters, name));
    list.add("time", row.seconds, "s");
    if (row.reference_seconds > 0) {
      list.add("time of " + figure.reference, row.reference_seconds, "s");
    }
  }
}

}  // namespace tilescope
