#pragma once

#include <stop_token>
#include <string>
#include <thread>

namespace tilescope {

// While it lives: after two seconds a line on stderr that says what the program is at, and for how
// long; gone in the end. Where stderr is no terminal: a line after 20 s, 40 s, 80 s ... which
// stays. Call end_at_signals() before: it has a thread.
class WaitingLine {
 public:
  explicit WaitingLine(std::string what);  // "compiling k.cu"

 private:
  static void show(const std::stop_token& stop, const std::string& what);
  static void log(const std::stop_token& stop, const std::string& what);

  std::jthread thread_;
};

}  // namespace tilescope
