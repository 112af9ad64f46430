#include <algorithm>
#include <cctype>

#include "scene/compare/compare_scene.h"

namespace tilescope {
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
