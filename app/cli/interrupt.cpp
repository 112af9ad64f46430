#include "cli/interrupt.h"

#include <signal.h>

#include <system_error>
#include <thread>

namespace tilescope {
namespace {

bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void wait_and_end(sigset_t signals) {
  int number = 0;
  if (::sigwait(&signals, &number) != 0) return;
  ::signal(number, SIG_DFL);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  ::raise(number);
}

}  // namespace

void end_at_signals(std::initializer_list<int> numbers) {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int number : numbers) {
    if (!is_ignored(number)) ::sigaddset(&signals, number);
  }
  sigset_t all;  // the thread takes none of those that others wait for
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  bool waits = true;
  try {
    std::thread(wait_and_end, signals).detach();
  } catch (const std::system_error&) {  // the machine starts no more: as without
    waits = false;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (waits) ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace tilescope
