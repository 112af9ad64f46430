#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

struct DecodedKernel;

// TILESCOPE_PHASE(name) markers of a CUDA source, in line order, within one function.
struct PhaseMarker {
  int line = 0;  // 1-based
  std::string name;
};

// `kernel` is the function's plain or mangled name. Where its text is not found, all markers of the
// file are taken. Comments and preprocessor lines do not count.
[[nodiscard]] std::vector<PhaseMarker> find_phases(std::string_view source,
                                                   std::string_view kernel);

// Gives the instructions of called functions the phase that the kernel's calls stand in. A function
// that is called in several phases has none of its own (-1).
void hand_phases_to_callees(DecodedKernel& kernel);

}  // namespace tilescope
