#include "scene/roofline/roofline_figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/coalescing.h"
#include "analysis/peak_rate.h"

namespace tilescope {
namespace {

// Below this a kernel's time says nothing about arithmetic.
constexpr double kLeastFlopPerByte = 0.05;

}  // namespace

bool RooflineFigure::model_is_off() const {
  return known && misses(modelled_seconds, known->seconds);
}

RooflineFigure::Roof RooflineFigure::roof() const {
  if (!computes) return Roof::kDram;
  const double dram = dram_bandwidth * intensity_once();
  const double l1 = l1_bandwidth * intensity_moved();
  if (peak > 0 && peak <= std::min(dram, l1)) return Roof::kPeak;
  return l1 < dram ? Roof::kL1 : Roof::kDram;
}

double RooflineFigure::allowed() const {
  if (!computes) return dram_bandwidth;
  switch (roof()) {
    case Roof::kPeak:
      return peak;
    case Roof::kL1:
      return l1_bandwidth * intensity_moved();
    case Roof::kDram:
      break;
  }
  return dram_bandwidth * intensity_once();
}

RooflineFigure roofline_figure(const KernelInstance& instance, const DeviceModel& device,
                               const Diagnosis& diagnosis, const RooflineData* data) {
  const LaunchWork& work = diagnosis.work;
  const MachineRates& rates = diagnosis.rates;
  const ProblemCost cost = problem_cost(instance);
  RooflineFigure figure;
  figure.flop = cost.flop > 0 ? cost.flop : work.flop;
  figure.bytes = cost.bytes > 0 ? cost.bytes : work.dram_read_bytes + work.dram_write_bytes;
  figure.moved_bytes = (work.loads.sectors + work.stores.sectors) * kSectorBytes;
  figure.computes = figure.flop > kLeastFlopPerByte * figure.bytes;
  figure.modelled_seconds = diagnosis.bounds.total();
  if (data != nullptr) figure.known = data->known;
  figure.dram_bandwidth = rates.dram_datasheet;
  figure.l1_bandwidth = rates.wavefronts * kLineBytes * rates.multiprocessors * rates.clock_hz;
  figure.tensor = work.pipes.tensor_flop > 0;
  figure.peak = figure.tensor ? tensor_peak(rates) : device.peak_fp32_flop_per_second();
  return figure;
}

}  // namespace tilescope
