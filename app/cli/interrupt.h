#pragma once
#include <csignal>
#include <initializer_list>

namespace tilescope {

// These signals end the program as they do elsewhere, also while NVRTC compiles: it puts handlers
// of its own in place that would end it with a status of theirs. A thread waits for the signals,
// which all others block: they inherit that, so call this before any is started. A signal that is
// ignored stays so.
void end_at_signals(std::initializer_list<int> numbers = {SIGINT, SIGTERM});

}  // namespace tilescope
