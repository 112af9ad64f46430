#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "analysis/time/launch_work.h"
#include "analysis/time/verdicts.h"
#include "core/conditions.h"
#include "core/quantity.h"

namespace tilescope {

struct ComparedKernel;

// The work of one launch of a compared kernel, so that its rate can be compared with others.
struct ComparedWork {
  Unit unit = Unit::kNone;  // of its rate: kFlopPerSecond or kBytesPerSecond; kNone: not known
  double amount = 0;        // flop, or bytes that it must move at the least
  double bytes = 0;         // those bytes, whatever the rate counts
};

// For kernels of the catalogue the cost of their problem. A kernel of a file has no problem: its
// work is counted, with each accessed byte of a buffer once. Its rate has the unit of the kernels
// beside it: flop beside a GEMM, bytes beside kernels that move data. With both beside it, or with
// files alone, flop are used from kLeastFlopPerByte on.
[[nodiscard]] std::vector<ComparedWork> compared_work(std::span<const ComparedKernel> kernels);

inline constexpr double kLeastFlopPerByte = 1;

// Whether two kernels that are rated alike do the same amount of work: exact for extents of the
// catalogue, which the caller compares; of counted amounts within 10 %, since a kernel of a file
// may read a bias or a flag more.
[[nodiscard]] bool same_amount(const ComparedWork& a, const ComparedWork& b);

// One kernel of a comparison.
struct ComparedKernel {
  const KernelStudy* study = nullptr;    // nullptr: not there (yet)
  const Diagnosis* diagnosis = nullptr;  // of the study; nullptr: no counts or no device yet
  std::optional<Quantity> known;         // seconds of exactly this launch, measured or recorded
  Conditions under = {};                 // of known: unlike ones form no ratio
  // Seconds of exactly this launch under others, by conditions.
  std::vector<std::pair<Conditions, Quantity>> elsewhere = {};
};

// Two numbers that differ by no larger share are called equal.
constexpr double kEqualShare = 0.02;

enum class Better : std::uint8_t { kNeither, kMore, kLess };

// One number of every kernel, in their order.
struct MetricRow {
  std::string name;     // "store sectors per request"
  std::string meaning;  // one sentence; empty: a parameter, which its kernel explains
  Better better = Better::kNeither;
  std::vector<std::optional<Quantity>> values;  // nullopt: it has none, or it is not known
  bool whole_launch = false;  // grows with the size: another size's value is no gain and no loss
  std::vector<Conditions> under = {};  // of values that were timed; else empty

  [[nodiscard]] bool differs() const;
  // Whether a difference or ratio of these two kernels' values says anything.
  [[nodiscard]] bool are_alike(std::size_t a, std::size_t b) const {
    return under.empty() || under[a] == under[b];
  }
};

// The parts of the time model whose amounts may differ between two launches.
enum class Part : std::uint8_t { kStores, kLoads, kShared, kDram, kInstructions, kWaits };
inline constexpr std::size_t kParts = 6;

// How one part changes the time from a base to another kernel.
struct Difference {
  Part part = Part::kStores;
  std::string fact;        // of the other: "1/32 of the shared load wavefronts"
  std::string detail;      // "a 32-way conflict at line 26"; empty: no line stands out
  std::uint32_t line = 0;  // of the kernel with more of it; 0: of no single line
  bool in_base = false;    // whose line it is
  // The base's time over the other's as far as this part explains it: > 1 where the other gains.
  // The factors of all parts multiply to PairComparison::modelled_speedup (Shapley values of the
  // logarithm of the modelled time: the mean over every order in which the parts could change).
  double factor = 1;
};

// Whether the times of two launches say anything about one another.
enum class Comparable : std::uint8_t {
  kYes,           // the same size
  kOtherSize,     // other amounts of the same kind of work: rates compare, times do not
  kOtherProblem,  // arithmetic here, moving bytes there
  kUnknown,       // one of them is not there, or its time or how much it does is not known
};

struct PairComparison {
  Comparable comparable = Comparable::kUnknown;
  // The base's time over the other's; with kOtherSize the other's rate over the base's. 0: unknown.
  double speedup = 0;
  Source source = Source::kModelled;    // of speedup
  double modelled_speedup = 0;          // 0: not modelled
  std::vector<Difference> differences;  // those that matter (2 %), most first; kYes only
  std::vector<Part> equal;              // amounts that are there and equal within 2 %
};

struct Comparison {
  std::vector<MetricRow> rows;
  std::vector<ComparedWork> works;  // by kernel, what their rates count
  // The times of the pairs: some kernel has no other, or those known are of unlike conditions.
  bool modelled = true;
  std::vector<std::vector<PairComparison>> pairs;  // [base][other]; a kernel with itself is empty
};

// Whether all that are there have a known time, of one GPU, driver, L2 state and alpha and beta.
[[nodiscard]] bool are_known_alike(std::span<const ComparedKernel> kernels);

// Counts are those as issued where both programs are known, else as written, each by itself.
// A millisecond or two; pure.
[[nodiscard]] Comparison compare(std::span<const ComparedKernel> kernels);

// What a part counts: "store sectors".
[[nodiscard]] std::string_view name_of(Part part);
// "1/32 of the shared load wavefronts", "4 × the store sectors", "the same load sectors".
[[nodiscard]] std::string amount_words(double base, double other, std::string_view noun);
// By how much one is ahead: "1.5 ×", "2 %". Precondition: ratio >= 1.
[[nodiscard]] std::string lead_words(double ratio);

// How much of the time model's ratio between two launches each part of their work explains: the
// base's time over the other's, as factors that multiply to the whole ratio. The Shapley value of
// the logarithm of the modelled time: 2^kParts launches that have some parts from the one and some
// from the other.
[[nodiscard]] std::array<double, kParts> time_shares(const LaunchWork& base,
                                                     const LaunchWork& other,
                                                     const MachineRates& rates);

}  // namespace tilescope
