#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace tilescope {

// How often opcodes ("ld.global.nc.f32") stand in the PTX of real kernels: tests/kernels/census.
struct OpcodeCensus {
  std::string compiler;
  std::uint64_t kernels = 0;
  std::map<std::string, std::uint64_t> opcodes;
};

// docs/ptx_coverage.md: the instruction table as a page, with the census beside it. A test holds
// the file against it.
[[nodiscard]] std::string coverage_page(const OpcodeCensus& census);

}  // namespace tilescope
