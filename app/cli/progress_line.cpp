#include "cli/progress_line.h"

#include <unistd.h>

#include "cli/command.h"

namespace tilescope {

ProgressLine::ProgressLine(std::size_t total)
    : total_(total), on_terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (on_terminal_) print_error("\r\x1b[K");
}

void ProgressLine::step(std::string_view what) {
  if (!on_terminal_) return;
  const std::scoped_lock lock(mutex_);
  print_error("\r\x1b[K{}/{}  {}", ++done_, total_, what);
}

}  // namespace tilescope
