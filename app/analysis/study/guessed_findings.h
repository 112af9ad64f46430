#pragma once

#include <vector>

#include "emulator/finding.h"
#include "kernel/launch/instance.h"

namespace tilescope {

// What is added to the message of a finding that a guessed launch may cause.
inline constexpr const char* kMayBeGuess = " (the launch is guessed, and may be the cause)";

// Whether another size, grid or content may let the kernel run without this finding: an access
// outside of a buffer, a loop that does not end, blocks that are in each other's way; and, where it
// has tensor maps, copies of other sizes than a barrier expects. Threads of a block that race, and
// barriers that not all of them reach, do so at most launches.
[[nodiscard]] bool may_come_from_launch(FindingKind kind, const KernelInstance& launched);

// Adds that to the messages of those findings, of a launch that was made up.
void note_guess(const KernelInstance& launched, std::vector<Finding>* findings);

}  // namespace tilescope
