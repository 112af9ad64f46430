#pragma once
#include <span>
#include <vector>

#include "core/quantity.h"

namespace tilescope {

struct ComparedKernel;

// What one launch of a compared kernel gets done, so that its rate can be held against others.
struct ComparedWork {
  Unit unit = Unit::kNone;  // of its rate: kFlopPerSecond or kBytesPerSecond; kNone: not known
  double amount = 0;        // flop, or bytes that it must move at the least
  double bytes = 0;         // those bytes, whatever the rate counts
};

// Of kernels of the catalogue the cost of their problem. A kernel of a file states no problem: its
// amounts are counted, each byte of a buffer that the launch reaches once. It is rated in what the
// kernels beside it are rated in: in flop beside a GEMM, in bytes beside those that move data.
// Where both stand beside it, or files alone, flop count from kLeastFlopPerByte on.
[[nodiscard]] std::vector<ComparedWork> compared_work(std::span<const ComparedKernel> kernels);

inline constexpr double kLeastFlopPerByte = 1;

// Whether two kernels that are rated alike do the same amount of work: exact for extents of the
// catalogue, which the caller compares; of counted amounts within 10 %, since a kernel of a file
// may read a bias or a flag more.
[[nodiscard]] bool same_amount(const ComparedWork& a, const ComparedWork& b);

}  // namespace tilescope
