#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/catalogue/catalogue.h"

namespace tilescope {

// A whole number that a text gives a name, and where its digits stand.
struct SourceNumber {
  std::string name;
  std::int64_t value = 0;
  std::size_t first = 0;  // bytes [first, last) of the text
  std::size_t last = 0;
  bool is_missing = false;  // no digits: " = value" belongs there
};

// Of a CUDA file: #define TILE 16 and constexpr int TILE = 16 that are there once, whatever the
// preprocessor's conditions, and that a kernel, a function of the device or a launch depends on.
// Not masks (0xff), nor the width of a warp, which is no choice.
[[nodiscard]] std::vector<SourceNumber> source_numbers(const std::string& source);

// Of a CUDA file: __constant__ int width; and the like, whole numbers that only the host fills.
// Their value is 0.
[[nodiscard]] std::vector<SourceNumber> missing_numbers(const std::string& source);

// Of a kernel's name: gemm<16, 4> under the names of its template's parameters, as far as these are
// whole numbers.
[[nodiscard]] std::vector<SourceNumber> template_numbers(const std::string& source,
                                                         std::string_view kernel);

// The text with other numbers; those that `values` does not name stay. On the same lines.
[[nodiscard]] std::string with_numbers(std::string text, const std::vector<SourceNumber>& numbers,
                                       const ParameterSet& values);

}  // namespace tilescope
