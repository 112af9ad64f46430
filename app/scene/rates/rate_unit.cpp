#include "scene/rates/rate_unit.h"

#include <array>

namespace tilescope {
namespace {

constexpr std::array kUnits{RateUnit::kFlopPerSecond, RateUnit::kBytesPerSecond, RateUnit::kTime,
                            RateUnit::kPeakShare, RateUnit::kReferenceShare};

std::optional<double> quotient(double part, double whole) {
  if (part <= 0 || whole <= 0) return std::nullopt;
  return part / whole;
}

}  // namespace

std::span<const RateUnit> all_rate_units() { return kUnits; }

std::string_view name_of(RateUnit unit) {
  switch (unit) {
    case RateUnit::kFlopPerSecond:
      return "flop/s";
    case RateUnit::kBytesPerSecond:
      return "bytes/s";
    case RateUnit::kTime:
      return "time";
    case RateUnit::kPeakShare:
      return "% of peak";
    case RateUnit::kReferenceShare:
      return "% of reference";
  }
  return "";
}

std::optional<RateUnit> parse_rate_unit(std::string_view name) {
  for (const RateUnit unit : kUnits) {
    if (name_of(unit) == name || option_of(unit) == name) return unit;
  }
  return std::nullopt;
}

std::string_view option_of(RateUnit unit) {
  const std::string_view name = name_of(unit);
  return name.substr(name.find_last_of(' ') + 1);  // npos + 1 is 0
}

RateUnit own_unit(const Problem& problem) {
  return problem->rated_in_flop ? RateUnit::kFlopPerSecond : RateUnit::kBytesPerSecond;
}

std::string why_not_in(RateUnit unit, const Problem& problem) {
  if (unit == RateUnit::kFlopPerSecond && problem->flop.empty()) {
    return "This problem only moves bytes; it has no arithmetic.";
  }
  return "";
}

RateBasis basis_of(const Problem& problem, const ProblemCost& cost, double peak, double reference) {
  return {.own = problem->rated_in_flop ? cost.flop : cost.bytes,
          .flop = cost.flop,
          .bytes = cost.bytes,
          .peak = peak,
          .reference = reference};
}

std::optional<double> in_unit(double rate, RateUnit unit, const RateBasis& basis) {
  const auto seconds = quotient(basis.own, rate);
  switch (unit) {
    case RateUnit::kFlopPerSecond:
      return seconds ? quotient(basis.flop, *seconds) : std::nullopt;
    case RateUnit::kBytesPerSecond:
      return seconds ? quotient(basis.bytes, *seconds) : std::nullopt;
    case RateUnit::kTime:
      return seconds;
    case RateUnit::kPeakShare:
      if (const auto share = quotient(rate, basis.peak)) return 100 * *share;
      return std::nullopt;
    case RateUnit::kReferenceShare:
      if (const auto share = quotient(rate, basis.reference)) return 100 * *share;
      return std::nullopt;
  }
  return std::nullopt;
}

std::string format_in(double value, RateUnit unit) { return format(value, quantity_unit(unit)); }

Unit quantity_unit(RateUnit unit) {
  switch (unit) {
    case RateUnit::kFlopPerSecond:
      return Unit::kFlopPerSecond;
    case RateUnit::kBytesPerSecond:
      return Unit::kBytesPerSecond;
    case RateUnit::kTime:
      return Unit::kSeconds;
    case RateUnit::kPeakShare:
    case RateUnit::kReferenceShare:
      return Unit::kPercent;
  }
  return Unit::kNone;
}

RateScale scale_for(RateUnit unit, double most, std::string_view reference) {
  switch (unit) {
    case RateUnit::kFlopPerSecond:
      if (most > 0 && most < 1e12) return {1e9, "GFLOP/s"};
      return {1e12, "TFLOP/s"};
    case RateUnit::kBytesPerSecond:
      return {1e9, "GB/s"};
    case RateUnit::kTime:
      if (most > 0 && most < 1e-4) return {1e-6, "µs"};
      return {1e-3, "ms"};
    case RateUnit::kPeakShare:
      return {1, "% of peak"};
    case RateUnit::kReferenceShare:
      return {1, "% of " + std::string(reference)};
  }
  return {};
}

}  // namespace tilescope
