#include "cli/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "cli/command.h"

namespace tilescope {

void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    // Open the other way round: reading stdin or writing the others still fails.
    const int opened = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != -1 && opened != stream) ::close(opened);  // another one took the number
  }
}

int end_output(int status) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  const std::string why = errno == 0 ? "" : ": " + std::generic_category().message(errno);
  return report({ErrorCode::kMachine,
                 "the output could not be written" + why,
                 "Check what stdout goes to",
                 {}});
}

}  // namespace tilescope
