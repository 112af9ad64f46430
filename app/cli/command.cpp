#include "cli/command.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "core/paths.h"
#include "core/terminal_text.h"

namespace tilescope {

int report(const Error& error) {
  print_error("tilescope: {}\n", without_controls(to_string(error)));
  switch (error.code) {
    case ErrorCode::kKernel:
      return 2;
    case ErrorCode::kMachine:
      return 3;
    case ErrorCode::kCompile:
      return 4;
    case ErrorCode::kUsage:
    case ErrorCode::kCancelled:
      return 1;
  }
  return 1;
}

Error usage(std::string message, std::string remedy) {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

Error in_file(Error error, const KernelInstance& instance) {
  if (error.place.file.empty() && instance.is_ptx()) {
    error.place.file = instance.file_name;
  }
  return error;
}

void print_paragraph(std::string_view first, std::string_view text) {
  constexpr std::size_t kLineWidth = 96;
  std::string line(first);
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    const bool begins = line.size() == first.size();
    if (!begins && line.size() + 1 + word.size() > kLineWidth) {
      print_out("{}\n", line);
      line.assign(first.size(), ' ');
    } else if (!begins) {
      line += ' ';
    }
    line += word;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  print_out("{}\n", line);
}

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

namespace {

Result<Resources> read_resources() {
  Resources resources;
  std::vector<std::filesystem::path> folders = {resource_directory() / "kernels"};
  std::error_code ignored;
  if (const auto own = data_directory() / "kernels"; std::filesystem::is_directory(own, ignored)) {
    folders.push_back(own);
  }
  auto catalogue = load_catalogue(folders);
  if (!catalogue) return std::move(catalogue).error();
  resources.catalogue = *std::move(catalogue);
  auto devices = load_devices();
  if (!devices) return std::move(devices).error();
  resources.devices = *std::move(devices);
  return resources;
}

}  // namespace

const Result<Resources>& load_resources() {
  static const Result<Resources> resources = read_resources();
  return resources;
}

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
