#include "scene/roofline/roofline_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/memory/coalescing.h"
#include "analysis/time/machine_rates.h"
#include "core/device_table.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/gemm_factors.h"
#include "kernel/launch/instance.h"

namespace tilescope {
namespace {

// Below this a kernel's time says nothing about arithmetic.
constexpr double kLeastFlopPerByte = 0.05;

}  // namespace

bool RooflineFigure::model_is_off() const {
  return known && misses(modelled_seconds, known->seconds);
}

double RooflineFigure::intensity_under(Roof roof) const {
  switch (roof) {
    case Roof::kDram:
      return intensity_once();
    case Roof::kL2:
      return intensity_l2();
    case Roof::kL1:
    case Roof::kPeak:
      break;
  }
  return intensity_moved();
}

double RooflineFigure::allowed_by(Roof roof) const {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  switch (roof) {
    case Roof::kDram:
      return dram_bandwidth * intensity_once();
    case Roof::kL2:
      return l2_bandwidth > 0 && l2_bytes > 0 ? l2_bandwidth * intensity_l2() : kUnknown;
    case Roof::kL1:
      return l1_bandwidth * intensity_moved();
    case Roof::kPeak:
      break;
  }
  return peak > 0 ? peak : kUnknown;
}

RooflineFigure::Roof RooflineFigure::roof() const {
  if (!computes) return Roof::kDram;
  Roof lowest = Roof::kPeak;
  for (const Roof roof : {Roof::kDram, Roof::kL2, Roof::kL1}) {
    if (allowed_by(roof) < allowed_by(lowest)) lowest = roof;
  }
  return lowest;
}

double RooflineFigure::allowed() const { return computes ? allowed_by(roof()) : dram_bandwidth; }

RooflineFigure roofline_figure(const KernelInstance& instance, const DeviceModel& device,
                               const Diagnosis& diagnosis, const RooflineData* data) {
  const LaunchWork& work = diagnosis.work;
  const MachineRates& rates = diagnosis.rates;
  const ProblemCost cost = problem_cost(instance);
  RooflineFigure figure;
  figure.flop = cost.flop > 0 ? cost.flop : work.flop;
  figure.bytes = cost.bytes > 0 ? cost.bytes : work.dram_read_bytes + work.dram_write_bytes;
  figure.moved_bytes = (work.loads.sectors + work.stores.sectors) * kSectorBytes;
  const bool rated_in_bytes = instance.problem && !instance.rated_in_flop();
  figure.computes = !rated_in_bytes && figure.flop > kLeastFlopPerByte * figure.bytes;
  figure.l2_bandwidth = rates.l2_sectors * kSectorBytes * rates.clock_hz;
  figure.l2_bytes = (work.block_sectors + work.bulk_sectors + work.stores.sectors) * kSectorBytes;
  figure.modelled_seconds = diagnosis.bounds.total();
  if (data != nullptr) figure.known = data->known;
  figure.dram_bandwidth = rates.dram_datasheet;
  figure.l1_bandwidth = rates.wavefronts * kLineBytes * rates.multiprocessors * rates.clock_hz;
  figure.tensor = work.pipes.tensor_flop > 0;
  figure.peak = figure.tensor ? tensor_peak(rates) : device.peak_fp32_flop_per_second();
  return figure;
}

namespace {

// A step with a time of each way it is known.
struct TimedStep {
  LadderStep step;
  std::vector<KnownTime> times;
};

std::vector<TimedStep> ladder_steps(const RooflineLaunch& of, const LadderQuestions& questions) {
  std::vector<TimedStep> steps;
  for (const CatalogueEntry& step : of.catalogue.entries) {
    if (step.family != of.entry->family || step.arithmetic != of.entry->arithmetic) {
      continue;
    }
    const ParameterSet defaults = default_parameters(step);
    auto times = questions.times_of(step, defaults);
    if (times.empty()) continue;
    const auto instance =
        instantiate(step, defaults, of.launch.extents, factors_of(of.launch), of.device);
    if (!instance) continue;
    const ProblemCost cost = problem_cost(*instance);
    const double flop = instance->rated_in_flop() ? cost.flop : 0;
    steps.push_back(
        {{step.id, step.title, times.front(), flop, cost.bytes, questions.moved_by(step, defaults)},
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
