#include "scene/roofline/roofline_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/device_table.h"
#include "kernel/gemm_factors.h"
#include "kernel/instance.h"
#include "kernel/parameter_values.h"

namespace tilescope {
namespace {

// A step with a time of each way it is known.
struct TimedStep {
  LadderStep step;
  std::vector<KnownTime> times;
};

std::vector<TimedStep> ladder_steps(const RooflineLaunch& of, const LadderQuestions& questions) {
  std::vector<TimedStep> steps;
  for (const CatalogueEntry& step : of.catalogue.entries) {
    if (step.family != of.entry->family || multiplies_fp32(step) != multiplies_fp32(*of.entry)) {
      continue;
    }
    const ParameterSet defaults = default_parameters(step);
    auto times = questions.times_of(step, defaults);
    if (times.empty()) continue;
    const auto instance =
        instantiate(step, defaults, of.launch.extents, factors_of(of.launch), of.device);
    if (!instance) continue;
    const ProblemCost cost = problem_cost(*instance);
    steps.push_back({{step.id, step.title, times.front(), cost.flop, cost.bytes,
                      questions.moved_by(step, defaults)},
                     std::move(times)});
  }
  return steps;
}

}  // namespace

const KnownTime* find_alike(std::span<const KnownTime> times, const Conditions& under) {
  const auto found = std::ranges::find(times, under, &KnownTime::under);
  return found == times.end() ? nullptr : &*found;
}

const KnownTime* find_on(std::span<const KnownTime> times, const std::string& gpu) {
  const auto found =
      std::ranges::find_if(times, [&](const KnownTime& time) { return time.under.gpu == gpu; });
  return found == times.end() ? nullptr : &*found;
}

std::string elsewhere_words(const RooflineData& data) {
  if (data.elsewhere.empty()) return {};
  const KnownTime& time = data.elsewhere.front();
  const std::string apart = apart_words(time.under, data.under);
  const bool other_gpu = time.under.gpu != data.under.gpu;
  return fmt::format("{} {}{}: {}", name_of(time.source), other_gpu ? "on the " : "with ", apart,
                     format(time.seconds, Unit::kSeconds));
}

RooflineData roofline_data(const RooflineLaunch& of, std::vector<KnownTime> known,
                           const LadderQuestions& questions) {
  const std::vector<TimedStep> steps =
      of.entry != nullptr ? ladder_steps(of, questions) : std::vector<TimedStep>{};
  RooflineData data;
  // The launch's own time says what all others must be like; without one the first step's does.
  const KnownTime* own = find_on(known, of.device.name);
  for (auto step = steps.begin(); own == nullptr && step != steps.end(); ++step) {
    own = find_on(step->times, of.device.name);
  }
  data.under.gpu = of.device.name;
  if (own != nullptr) {
    data.under = own->under;
    data.gpu = own->under.gpu;
  }
  for (KnownTime& time : known) {
    const bool alike = own != nullptr && time.under == data.under;
    if (alike && !data.known) {
      data.known = std::move(time);
    } else if (!alike) {
      data.elsewhere.push_back(std::move(time));
    }
  }
  for (const TimedStep& each : steps) {
    LadderStep step = each.step;
    const KnownTime* alike = own != nullptr ? find_alike(each.times, data.under) : nullptr;
    if (alike != nullptr) step.time = *alike;
    (alike != nullptr ? data.steps : data.steps_elsewhere).push_back(std::move(step));
  }
  return data;
}

}  // namespace tilescope
