#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kernel/host/launch_site.h"
#include "kernel/launch/launch_form.h"
#include "kernel/source/kernel_signature.h"

namespace tilescope {

// What the host computes of numbers that it hands to the kernel, in the kernel's own names and
// numbers: blocks = ceil_div(n, 32) beside n. `form` has the numbers.
class HandedNumbers {
 public:
  HandedNumbers(const KernelFile& file, const KernelSignature& signature,
                const LaunchSite& launched, const LaunchForm& form);

  struct Text {
    std::string text;                // in the kernel's names and the file's constants
    std::string numbers;             // in the kernel's names and numbers
    bool follows_arguments = false;  // it names some of them
    bool follows_constants = false;
    std::optional<std::int64_t> value;
  };
  [[nodiscard]] Text read(const std::string& host_text) const;

 private:
  ParameterSet numbers_;
  ParameterSet names_;                         // with the file's constants
  std::map<std::string, std::string> handed_;  // what the host calls them
};

// Lets the arguments that the host computes of others, the dynamic shared memory and the buffers
// that it allocates for so many elements follow those.
void derive_arguments(const KernelFile& file, const KernelSignature& signature,
                      const LaunchSite& launched, LaunchForm* form);

// Threads of a block, and of the largest launch of numbers alone.
struct GridBound {
  std::uint64_t threads = 1;
  std::uint64_t most_threads = 1;
  bool numbers_count = false;  // the arguments are the file's own, so numbers alone are meant
};
// The grid as the file launches it, where that follows from its constants and what the kernel is
// handed; empty: it does not.
[[nodiscard]] std::string launched_grid(const KernelFile& file, const KernelSignature& signature,
                                        const LaunchSite& launched, const LaunchForm& form,
                                        const GridBound& bound);

}  // namespace tilescope
