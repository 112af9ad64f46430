#pragma once
#include <csignal>
#include <initializer_list>

namespace tilescope {

// These signals end the program as they do elsewhere, whatever handlers a library that it loads puts
// in place. A thread waits for the signals, which all others block. Threads inherit that, so call
// this before any is started. A signal that is ignored stays ignored.
void end_at_signals(std::initializer_list<int> numbers = {SIGINT, SIGTERM});

}  // namespace tilescope
