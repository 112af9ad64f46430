#include "analysis/compare/winner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/time/verdicts.h"
#include "kernel/catalogue/parameter_values.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostReasons = 3;
constexpr double kLeastWorth = 0.05;

// What a kernel does with what the part counts.
std::string_view verb_of(Part part) {
  switch (part) {
    case Part::kStores:
      return "stores with";
    case Part::kLoads:
      return "loads with";
    case Part::kShared:
      return "takes";
    case Part::kDram:
      return "moves";
    case Part::kInstructions:
      return "issues";
    case Part::kWaits:
      return "has";
  }
  return "";
}

// How much of the time a factor of the speed is.
std::string worth_of(double factor) {
  return factor >= 1 ? fmt::format("{} less time", about_percent_words(1 - 1 / factor))
                     : fmt::format("{} more time", about_percent_words(1 / factor - 1));
}

// "3.2 wavefronts per access instead of 0.8 (3 %)"
std::string cost_words(const Verdict& verdict) {
  return fmt::format("{} ({})", inside_a_sentence(verdict.fact),
                     about_percent_words(verdict.worth));
}

WinnerReason reason_of(const Difference& difference) {
  std::string sentence =
      fmt::format("{}{} {}", difference.factor >= 1 ? "It " : "Against that, it ",
                  verb_of(difference.part), difference.fact);
  if (!difference.detail.empty()) {
    sentence +=
        fmt::format(" ({}{})", difference.in_base ? "of the start: " : "", difference.detail);
  }
  sentence += fmt::format(": {}, by the model.", worth_of(difference.factor));
  return {std::move(sentence), difference.line};
}

}  // namespace

std::string changes_words(const CatalogueEntry* entry, const ParameterSet& start,
                          const ParameterSet& winner) {
  std::string words;
  for (const auto& [name, value] : in_declared_order(entry, winner)) {
    const auto before = start.find(name);
    if (before == start.end() || before->second == value) continue;
    words += fmt::format("{}{} {} → {}", words.empty() ? "" : ", ", name, before->second, value);
  }
  return words;
}

WinnerStory winner_story(const std::string& changes, const PairComparison& pair) {
  WinnerStory story;
  if (changes.empty()) {
    story.headline = "No tried combination is faster than the start.";
    return story;
  }
  if (pair.comparable != Comparable::kYes || pair.speedup <= 0) {
    story.headline = fmt::format("{}: their costs are not known yet.", changes);
    return story;
  }
  story.headline = fmt::format("{} takes {} than the start, {}.", changes, worth_of(pair.speedup),
                               name_of(pair.source));
  for (const Difference& difference : pair.differences) {
    if (story.reasons.size() == kMostReasons) break;
    story.reasons.push_back(reason_of(difference));
  }
  if (story.reasons.empty()) {
    story.reasons.push_back(
        {"Its counters equal those of the start within 2 %; the model does not know why it is "
         "faster.",
         0});
  } else if (pair.source != Source::kModelled &&
             (pair.modelled_speedup < 1) != (pair.speedup < 1) &&
             std::abs(std::log(pair.modelled_speedup / pair.speedup)) > kEqualShare) {
    story.reasons.back() = {
        fmt::format("The model is wrong here: it expects {}.", worth_of(pair.modelled_speedup)), 0};
  }
  return story;
}

WinnerReason what_became_of(const Diagnosis& start, const Diagnosis& winner) {
  if (start.verdicts.empty() || start.verdicts.front().worth < kLeastWorth) return {};
  const Verdict& first = start.verdicts.front();
  const std::string cost = cost_words(first);
  const auto now = std::ranges::find(winner.verdicts, first.cause, &Verdict::cause);
  if (now == winner.verdicts.end()) {
    return {"The largest cost of the start is gone: " + cost + ".", first.line};
  }
  if (now->fact == first.fact && std::abs(now->worth - first.worth) < kEqualShare) {
    return {"The largest cost is the same: " + cost + ".", first.line};
  }
  return {
      fmt::format("The largest cost of the start: {}; of the winner: {}.", cost, cost_words(*now)),
      first.line};
}

}  // namespace tilescope
