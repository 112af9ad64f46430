#pragma once
#include <string>
#include <thread>

namespace tilescope {

// While it lives, and where stderr is a terminal: after two seconds a line there that says what the
// program is at, and for how long; gone in the end. Call end_at_signals() before: it has a thread.
class WaitingLine {
 public:
  explicit WaitingLine(std::string what);  // "compiling k.cu"

 private:
  static void show(const std::stop_token& stop, const std::string& what);

  std::jthread thread_;  // none where nobody looks
};

}  // namespace tilescope
