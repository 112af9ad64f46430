#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "kernel/host_launch.h"
#include "kernel/kernel_signature.h"
#include "kernel/launch_guess.h"

namespace tilescope {

[[nodiscard]] bool is_whole_number(ElementType type);

// A number that the file's own launch hands to the parameter at this place, as a form takes it:
// "8", "2.0"; empty: none is known.
[[nodiscard]] std::string handed_value(const ParameterText& parameter, std::size_t position,
                                       const HostLaunch& launched);

// Threads of a block, and of the largest launch of numbers alone.
struct GridBound {
  std::uint64_t threads = 1;
  std::uint64_t most_threads = 1;
};
// The grid as the file launches it, where that follows from its constants and what the kernel is
// handed; empty: it does not.
[[nodiscard]] std::string launched_grid(const KernelFile& file, const KernelSignature& signature,
                                        const HostLaunch& launched, const LaunchForm& form,
                                        const GridBound& bound);

}  // namespace tilescope
