#include "gpu/messages.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/quantity.h"

namespace tilescope {

std::string throttle_text(std::uint64_t reasons) {
  constexpr std::array<std::pair<std::uint64_t, const char*>, 4> kWords = {{
      {kPowerCap, "power cap"},
      {kThermal | kHardwareThermal, "temperature"},
      {kPowerBrake, "power brake"},
      {kHardwareSlowdown, "hardware slowdown"},
  }};
  std::string text;
  for (const auto& [bits, words] : kWords) {
    if ((reasons & bits) != 0) text += (text.empty() ? "" : ", ") + std::string(words);
  }
  return text;
}

bool MeasuredConditions::clock_moved() const {
  if (!sm_clock_before_hz || !sm_clock_after_hz) return false;
  return std::abs(*sm_clock_after_hz - *sm_clock_before_hz) > 0.02 * *sm_clock_before_hz;
}

namespace {

std::string clock_text(const std::optional<double>& clock) {
  return clock ? format(*clock, Unit::kHertz) : "not readable";
}

std::string degrees_text(const std::optional<double>& celsius) {
  return celsius ? fmt::format("{:.0f} °C", *celsius) : "temperature not readable";
}

}  // namespace

bool is_doubtful(const MeasuredConditions& conditions) {
  return conditions.all_throttled || conditions.clock_moved() || conditions.other_programs > 0;
}

const char* doubt_mark(const MeasuredConditions& conditions) {
  return is_doubtful(conditions) ? "!" : " ";
}

std::string conditions_text(const MeasuredConditions& conditions) {
  std::string text = fmt::format("SM clock {} before, {} after; {} before, {} after",
                                 clock_text(conditions.sm_clock_before_hz),
                                 clock_text(conditions.sm_clock_after_hz),
                                 degrees_text(conditions.temperature_before_celsius),
                                 degrees_text(conditions.temperature_after_celsius));
  const std::string reasons = throttle_text(conditions.throttle_reasons);
  if (conditions.all_throttled) {
    text += fmt::format(
        "\nWARNING: every sample was throttled ({}): the GPU is slower than it could be", reasons);
  } else if (conditions.throttled_samples > 0) {
    text +=
        fmt::format("\n{} throttled samples dropped ({})", conditions.throttled_samples, reasons);
  }
  if (conditions.clock_moved()) {
    text += "\nWARNING: the clock moved during the samples: compare with care";
  }
  if (conditions.other_programs > 0) {
    text += fmt::format("\nWARNING: {} used the GPU meanwhile: compare with care",
                        conditions.other_programs == 1
                            ? "another program"
                            : fmt::format("{} other programs", conditions.other_programs));
  }
  return text;
}

std::string certainty_text(const TimeSummary& times) {
  constexpr double kTooFewSamples = 1;  // relative_error_of()
  const bool on_record = times.relative_error > 0 || !times.samples.empty();
  if (!on_record || times.relative_error >= kTooFewSamples) return {};
  return fmt::format("{:.2g} %", 100 * times.relative_error);
}

std::uint64_t throttle_reasons_of(std::string_view text) {
  std::uint64_t reasons = 0;
  for (const ThrottleReason reason :
       {kPowerCap, kHardwareSlowdown, kThermal, kHardwareThermal, kPowerBrake}) {
    if (text.find(throttle_text(reason)) != std::string_view::npos) reasons |= reason;
  }
  return reasons;
}

}  // namespace tilescope
