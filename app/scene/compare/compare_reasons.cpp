#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/compare/compare_scene.h"

namespace tilescope {
namespace {

constexpr double kEqual = 0.02;
constexpr float kTitle = 19;
constexpr float kLine = 17;
constexpr std::size_t kMostLines = 3;

bool as_long(const PairComparison& pair) { return std::abs(std::log(pair.speedup)) < kEqual; }

std::string verdict(const std::string& subject, const std::string& other,
                    const PairComparison& pair) {
  switch (pair.comparable) {
    case Comparable::kUnknown:
      return fmt::format("{} and {}: not known of both are time and work", subject, other);
    case Comparable::kOtherProblem:
      return fmt::format("{} and {} solve different problems", subject, other);
    case Comparable::kYes:
    case Comparable::kOtherSize:
      break;
  }
  const char* of_rate = pair.comparable == Comparable::kOtherSize ? ", by rate: other size" : "";
  if (as_long(pair)) {
    return fmt::format("{} takes as long as {}{}", subject, other, of_rate);
  }
  return pair.speedup > 1
             ? fmt::format("{} beats {} by {}{}", subject, other, lead_words(pair.speedup), of_rate)
             : fmt::format("{} trails {} by {}{}", subject, other, lead_words(1 / pair.speedup),
                           of_rate);
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
        if (as_long(*pairs[i]) != equal || pairs[i]->differences.size() <= round) continue;
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
      "{}. By the model this alone changes the time {:.2f}-fold; the factors of all differences "
      "multiply to the whole ratio.",
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
          "What explains a ratio is modelled.");
  pen.heading(area.x, y, "WHY", "factors by the time model, the largest first", mark - pen.px(14));
  y += pen.px(10);
  const float spare = area.bottom() - y - static_cast<float>(others.size()) * pen.px(kTitle + 2);
  // The line below the pairs comes before a second factor, and after the first of each pair.
  const float last = reference_words(context, subject).empty() ? 0 : pen.px(kTitle);
  const auto rows = [&](float room) {
    return static_cast<std::size_t>(std::max(room / pen.px(kLine), 0.0f));
  };
  const std::size_t room = std::max(rows(spare - last), std::min(rows(spare), others.size()));
  std::vector<const PairComparison*> pairs;
  for (const std::size_t other : others) pairs.push_back(&set.comparison.pairs[other][subject]);
  const std::vector<std::size_t> lines = lines_of(pairs, room);
  const TextStyle strong = pen.style(13, ColourRole::kStrong, Weight::kSemibold);
  for (std::size_t nth = 0; nth < others.size(); ++nth) {
    if (y + pen.px(kTitle) > area.bottom()) return y - area.y;
    const std::size_t other = others[nth];
    const PairComparison& pair = *pairs[nth];
    const float middle = y + pen.px(kTitle / 2 + 1);
    draw_letter(pen, {area.x, middle - pen.px(7), pen.px(14), pen.px(14)}, other);
    const float x = area.x + pen.px(24);
    const bool known =
        pair.comparable == Comparable::kYes || pair.comparable == Comparable::kOtherSize;
    if (known) pen.source_mark({mark, middle}, pair.source, ColourRole::kText);
    const std::string words = verdict(letter_of(subject), letter_of(other), pair);
    const std::string fitted = pen.fitted(words, strong, mark - pen.px(14) - x);
    pen.text(x, middle, fitted, strong);
    if (known) {
      pen.hit({area.x, y, area.w, pen.px(kTitle)}, HitKind::kNone, 0,
              pair.modelled_speedup > 0
                  ? fmt::format("{}, {}; the model says {}.", words, name_of(pair.source),
                                times_words(pair.modelled_speedup))
                  : fmt::format("{}, {}.", words, name_of(pair.source)));
    }
    y += pen.px(kTitle);
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
  if (reference.empty() || y + pen.px(kTitle) > area.bottom()) return y - area.y;
  const float x = area.x + pen.px(24);
  pen.text(x, y + pen.px(kTitle / 2 + 1), pen.fitted(reference, strong, mark - pen.px(14) - x),
           strong);
  pen.source_mark({mark, y + pen.px(kTitle / 2 + 1)}, set.variants[subject].known->source,
                  ColourRole::kText);
  return y + pen.px(kTitle) - area.y;
}

}  // namespace tilescope
