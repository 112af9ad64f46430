#include "cli/interrupt.h"

#include <pthread.h>

#include <cstdlib>
#include <thread>

namespace tilescope {

Interrupt::Interrupt() {
  ::sigemptyset(&signals_);
  ::sigaddset(&signals_, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  std::thread([wanted = wanted_, signals = signals_] {
    int number = 0;
    ::sigwait(&signals, &number);
    *wanted = true;
    ::sigwait(&signals, &number);
    std::_Exit(kStoppedByUser);
  }).detach();
}

}  // namespace tilescope
