#include "scene/compare/compare_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/conditions.h"
#include "core/quantity.h"
#include "core/text.h"
#include "scene/compare/compare_scene.h"
#include "scene/compare/compared.h"
#include "scene/view/drawn_numbers.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostFacts = 2;

using Against = CompareFacts::Against;

bool has_ratio(const Against& against) {
  return against.comparable == Comparable::kYes || against.comparable == Comparable::kOtherSize;
}

// "1.5 × faster than B", "4 % slower than B", "as fast as B"
std::string ratio_phrase(const Against& against) {
  if (same_time(against.speedup)) return fmt::format("as fast as {}", against.letter);
  return against.speedup > 1
             ? fmt::format("{} faster than {}", lead_words(against.speedup), against.letter)
             : fmt::format("{} slower than {}", lead_words(1 / against.speedup), against.letter);
}

// What stands behind the nearest one's ratio.
std::string facts_phrase(const Against& nearest) {
  std::string same;
  if (!nearest.same.empty()) same = "the same " + joined(nearest.same);
  std::vector<std::string> facts = nearest.facts;
  if (facts.size() > kMostFacts) facts.resize(kMostFacts);
  if (facts.empty()) return same.empty() || same_time(nearest.speedup) ? std::string() : same;
  return same.empty() ? joined(facts)
                      : same + (same_time(nearest.speedup) ? " and " : ", but ") + joined(facts);
}

Sentence with_ratios(const CompareFacts& facts, const std::vector<const Against*>& ratios) {
  Sentence sentence;
  if (facts.modelled) sentence.push_back({"By the model ", false});
  const Against& nearest = *ratios.front();
  if (!nearest.change.empty() && !same_time(nearest.speedup)) {
    sentence.push_back({fmt::format("{} makes {} ", nearest.change, facts.letter), false});
  } else if (!nearest.change.empty()) {
    sentence.push_back({fmt::format("{} leaves {} ", nearest.change, facts.letter), false});
  } else {
    sentence.push_back({fmt::format("{} ({}) is ", facts.letter, facts.name), false});
  }
  std::vector<std::string> phrases;
  for (const Against* against : ratios) phrases.push_back(ratio_phrase(*against));
  sentence.push_back({joined(phrases), true});
  const bool other_size = std::ranges::any_of(
      ratios, [](const Against* against) { return against->comparable == Comparable::kOtherSize; });
  if (other_size) sentence.push_back({", by rate (their sizes differ)", false});
  const std::string why = facts_phrase(nearest);
  if (why.empty()) {
    sentence.push_back({".", false});
  } else if (ratios.size() == 1) {
    sentence.push_back({": " + why + ".", false});
  } else {
    sentence.push_back({fmt::format(". Against {} it has {}.", nearest.letter, why), false});
  }
  return sentence;
}

// What `variant` does not have to say of itself: "PAD 1 instead of 0".
std::string only_change(const KernelInstance& from, const KernelInstance& to) {
  if (from.id != to.id || from.source != to.source || from.extents != to.extents) return {};
  std::string change;
  for (const auto& [name, value] : to.parameters) {
    const auto before = from.parameters.find(name);
    if (before == from.parameters.end()) return {};
    if (before->second == value) continue;
    if (!change.empty()) return {};
    change = fmt::format("{} {} instead of {}", name, value, before->second);
  }
  return change;
}

// "H100 SXM5 instead of H200", where the launches are the same.
std::string gpu_change(const KernelStudy& from, const KernelStudy& to) {
  if (from.device == nullptr || to.device == nullptr || from.device->name == to.device->name ||
      !same_instance(from.instance, to.instance)) {
    return {};
  }
  return fmt::format("{} instead of {}", short_gpu(to.device->name), short_gpu(from.device->name));
}

// What sets two GPUs apart, of what a kernel is limited by most often.
std::vector<std::string> gpu_facts(const DeviceModel& from, const DeviceModel& to) {
  std::vector<std::string> facts;
  const double before = from.memory_bytes_per_second;
  const double now = to.memory_bytes_per_second;
  if (before > 0 && now > 0 && !same_time(now / before)) {
    facts.push_back(fmt::format("{} of DRAM bandwidth instead of {}",
                                format(now, Unit::kBytesPerSecond),
                                format(before, Unit::kBytesPerSecond)));
  }
  if (from.multiprocessors != to.multiprocessors) {
    facts.push_back(fmt::format("{} SMs instead of {}", to.multiprocessors, from.multiprocessors));
  }
  return facts;
}

Against against_of(const ComparedSet& set, std::size_t other, std::size_t subject) {
  const PairComparison& pair = set.comparison.pairs[other][subject];
  Against against;
  against.letter = letter_of(other);
  against.comparable = pair.comparable;
  against.speedup = pair.speedup;
  against.change =
      only_change(set.variants[other].study->instance, set.variants[subject].study->instance);
  const KernelStudy& from = *set.variants[other].study;
  const KernelStudy& to = *set.variants[subject].study;
  const std::string other_gpu = gpu_change(from, to);
  if (!other_gpu.empty()) against.change = other_gpu;
  if (gpus_differ(set.variants) && from.device && to.device) {
    against.facts = gpu_facts(*from.device, *to.device);
  }
  for (const Difference& difference : pair.differences) {
    // What works against the ratio does not explain it.
    const bool explains = same_time(pair.speedup) || (difference.factor > 1) == (pair.speedup > 1);
    if (explains) against.facts.push_back(difference.fact);
  }
  for (const Part part : {Part::kStores, Part::kLoads}) {
    if (!other_gpu.empty()) break;  // it is one launch: all of it is the same
    if (std::ranges::find(pair.equal, part) == pair.equal.end()) continue;
    against.same.emplace_back(name_of(part));
  }
  return against;
}

}  // namespace

bool same_time(double speedup) { return std::abs(std::log(speedup)) < kEqualShare; }

Sentence compare_sentence(const CompareFacts& facts) {
  const std::string pending =
      facts.pending.empty()
          ? std::string()
          : fmt::format(" {} {} still being computed.", facts.pending,
                        facts.pending.find(' ') == std::string::npos ? "is" : "are");
  if (facts.against.empty()) {
    if (!pending.empty()) return {{pending.substr(1), false}};
    return {
        {"Add a second variant to see what differs and how much of the time it explains.", false}};
  }
  std::vector<const Against*> ratios;
  std::vector<std::string> others;
  std::vector<std::string> unknown;
  for (const Against& against : facts.against) {
    if (has_ratio(against)) ratios.push_back(&against);
    if (against.comparable == Comparable::kOtherProblem) others.push_back(against.letter);
    if (against.comparable == Comparable::kUnknown) unknown.push_back(against.letter);
  }
  Sentence sentence;
  if (!ratios.empty()) sentence = with_ratios(facts, ratios);
  if (!others.empty()) {
    sentence.push_back(
        {fmt::format("{}{} and {} solve different problems: their times cannot be compared, "
                     "only the cost of a request.",
                     sentence.empty() ? "" : " ", facts.letter, joined(others)),
         false});
  }
  if (!unknown.empty()) {
    sentence.push_back(
        {fmt::format("{}No time of {} is known yet to compare with {}.",
                     sentence.empty() ? "" : " ", joined(unknown, " or "), facts.letter),
         false});
  }
  if (!pending.empty()) sentence.push_back({pending, false});
  return sentence;
}

Sentence compare_sentence(const ViewContext& context) {
  CompareFacts facts;
  if (context.compared == nullptr || context.compared->variants.size() < 2) {
    return compare_sentence(facts);
  }
  const ComparedSet& set = *context.compared;
  const std::size_t subject = subject_of(context);
  facts.letter = letter_of(subject);
  facts.name = label_of(set, subject);
  facts.modelled = set.comparison.modelled;
  std::vector<std::string> pending;
  for (std::size_t i = 0; i < set.variants.size(); ++i) {
    if (set.variants[i].study == nullptr) {
      pending.push_back(letter_of(i));
    } else if (i != subject) {
      facts.against.push_back(against_of(set, i, subject));
    }
  }
  facts.pending = joined(pending);
  std::ranges::stable_sort(facts.against, {}, [](const Against& against) {
    return against.speedup > 0 ? std::abs(std::log(against.speedup)) : 1e9;
  });
  return compare_sentence(facts);
}

namespace {

void add_rows(NumberList& list, const ComparedSet& set) {
  for (const MetricRow& row : set.comparison.rows) {
    list.part(row.name);
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      if (!row.values[i]) continue;
      list.item(letter_of(i) + " " + label_of(set, i));
      list.source(row.values[i]->source);
      list.add(row.name, row.values[i]->value, symbol_of(row.values[i]->unit));
    }
  }
}

// What each part of the work does to the time, against the base that was chosen.
void add_pairs(NumberList& list, const ViewContext& context) {
  const ComparedSet& set = *context.compared;
  const std::size_t base = base_of(context);
  for (std::size_t i = 0; i < set.variants.size(); ++i) {
    const PairComparison& pair = set.comparison.pairs[base][i];
    if (i == base || pair.speedup <= 0) continue;
    list.part(fmt::format("{} against {}", letter_of(i), letter_of(base)), pair.source);
    list.add(pair.comparable == Comparable::kOtherSize ? "speedup by rate, other size" : "speedup",
             pair.speedup);
    for (const Difference& difference : pair.differences) {
      list.source(Source::kModelled);
      list.item(difference.fact, difference.line);
      list.add("factor", difference.factor);
    }
  }
}

void add_waterfall(NumberList& list, const ViewContext& context) {
  const Waterfall waterfall = waterfall_of(context);
  list.part("waterfall");
  for (const WaterfallStep& step : waterfall.steps) {
    if (!step.on) continue;
    list.item(step.name);
    list.source(step.source);
    list.add("rate", step.rate, symbol_of(waterfall.unit));
  }
  if (waterfall.reference <= 0) return;
  list.item(waterfall.reference_name);
  list.source(waterfall.reference_source);
  list.add("rate", waterfall.reference, symbol_of(waterfall.unit));
}

}  // namespace

void add_compare_numbers(NumberList& list, const ViewContext& context) {
  if (context.compared == nullptr) return;
  add_rows(list, *context.compared);
  add_pairs(list, context);
  add_waterfall(list, context);
}

}  // namespace tilescope
