#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "form.h"

namespace tilescope {

struct FormReport {
  std::uint64_t lanes = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t nan_bits = 0;  // both are NaN, with other bits: counted, no mismatch
  double largest_error = 0;    // of an approximate form, in the unit of its tolerance
  std::string first;           // the first few mismatches, in words
  std::string first_nan;       // the first few NaNs with other bits
};

[[nodiscard]] FormReport compare(const Form& form,
                                 const std::vector<std::vector<std::uint64_t>>& inputs,
                                 const std::vector<std::uint64_t>& emulated,
                                 const std::vector<std::uint64_t>& measured);

}  // namespace tilescope
