#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/quantity.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/instance.h"

namespace tilescope {

// How a person reads a throughput. A rate is kept in its problem's own unit (flop/s of a GEMM,
// bytes/s of the rest) and turned into one of these where it is shown.
enum class RateUnit : std::uint8_t {
  kFlopPerSecond,
  kBytesPerSecond,  // of what the problem must move at the least
  kTime,            // of a launch: less is faster
  kPeakShare,       // per cent of what the GPU can do
  kReferenceShare,  // per cent of cuBLAS or the device copy, measured beside it
};
[[nodiscard]] std::span<const RateUnit> all_rate_units();
[[nodiscard]] std::string_view name_of(
    RateUnit unit);  // "flop/s", "% of peak", as preferences keep it
[[nodiscard]] std::string_view option_of(RateUnit unit);  // "flop/s", "peak", as commands take it
// A name or an option.
[[nodiscard]] std::optional<RateUnit> parse_rate_unit(std::string_view name);
// What a problem's rates are kept in.
[[nodiscard]] RateUnit own_unit(const Problem& problem);
// Whether its values are shares of what the GPU itself can do or does.
[[nodiscard]] constexpr bool is_share(RateUnit unit) {
  return unit == RateUnit::kPeakShare || unit == RateUnit::kReferenceShare;
}
// Why rates of this problem cannot be shown so; empty: they can.
[[nodiscard]] std::string why_not_in(RateUnit unit, const Problem& problem);

// What a rate is turned into another unit with. Rates are in the problem's own unit.
struct RateBasis {
  double own = 0;        // of one launch: flop or bytes, whatever the rate counts
  double flop = 0;       // of one launch; 0: the problem has none
  double bytes = 0;      // that one launch must move at the least; 0: not known
  double peak = 0;       // 0: not known
  double reference = 0;  // 0: none was measured beside it
};

// What turns a rate of the problem into another unit.
[[nodiscard]] RateBasis basis_of(const Problem& problem, const ProblemCost& cost, double peak,
                                 double reference);

// flop/s, bytes/s, seconds or per cent. nullopt: the basis does not have what that takes.
[[nodiscard]] std::optional<double> in_unit(double rate, RateUnit unit, const RateBasis& basis);

// "46.8 TFLOP/s", "1,234 GB/s", "0.918 ms", "70.1 %" of a value in that unit.
[[nodiscard]] std::string format_in(double value, RateUnit unit);
// That a value of it is in: kSeconds of kTime, kPercent of a share.
[[nodiscard]] Unit quantity_unit(RateUnit unit);

// A scale that several values share: what to divide by, and the word at the axis.
struct RateScale {
  double divisor = 1;
  std::string word;  // "TFLOP/s", "GFLOP/s", "GB/s", "ms", "µs", "% of peak", "% of cuBLAS"
};
// `most`: the largest value in that unit; `reference`: what stands beside it ("cuBLAS").
[[nodiscard]] RateScale scale_for(RateUnit unit, double most, std::string_view reference);

}  // namespace tilescope
