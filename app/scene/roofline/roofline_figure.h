#pragma once
#include <optional>
#include <string>

#include "analysis/verdicts.h"
#include "kernel/instance.h"
#include "scene/roofline/roofline_data.h"

namespace tilescope {

// Where a kernel stands under its roofs.
struct RooflineFigure {
  bool computes = false;   // it has arithmetic to speak of; else its rate is in bytes
  double flop = 0;         // of the problem where there is one, else as counted
  double bytes = 0;        // that must come from and go to DRAM, each once
  double moved_bytes = 0;  // sectors that the lanes move x 32 B
  double l2_bytes = 0;     // that pass between the L1s and the L2, by the model; 0: not known
  double modelled_seconds = 0;
  std::optional<KnownTime> known;

  double dram_bandwidth = 0;  // bytes per second, by the datasheet
  double l2_bandwidth = 0;    // by the model
  double l1_bandwidth = 0;    // clock x multiprocessors x 128 B
  double peak = 0;            // flop per second; 0: not known for what it computes with
  bool tensor = false;        // the peak is that of the tensor cores

  [[nodiscard]] double seconds() const { return known ? known->seconds : modelled_seconds; }
  [[nodiscard]] Source source() const { return known ? known->source : Source::kModelled; }
  // Whether the model misses the known time by more than a fifth: what it says of causes is then a
  // share of its own time alone.
  [[nodiscard]] bool model_is_off() const;
  // Flop or bytes per second.
  [[nodiscard]] double rate() const { return rate_in(seconds()); }
  [[nodiscard]] double rate_in(double time) const { return (computes ? flop : bytes) / time; }
  // Flop per byte.
  [[nodiscard]] double intensity_moved() const { return flop / moved_bytes; }
  [[nodiscard]] double intensity_l2() const { return l2_bytes > 0 ? flop / l2_bytes : 0; }
  [[nodiscard]] double intensity_once() const { return flop / bytes; }

  // The lowest roof over it, and what that allows.
  enum class Roof : std::uint8_t { kDram, kL2, kL1, kPeak };
  [[nodiscard]] Roof roof() const;
  [[nodiscard]] double allowed() const;
  // What one of them allows, infinity where it is not known; and the flop per byte by which it does
  // so: each roof has its own bytes, the peak those that the lanes move.
  [[nodiscard]] double allowed_by(Roof roof) const;
  [[nodiscard]] double intensity_under(Roof roof) const;
};
[[nodiscard]] RooflineFigure roofline_figure(const KernelInstance& instance,
                                             const DeviceModel& device, const Diagnosis& diagnosis,
                                             const RooflineData* data);

}  // namespace tilescope
