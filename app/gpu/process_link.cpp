#include "gpu/process_link.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/buffer_recipe.h"
#include "core/result.h"
#include "gpu/frame.h"
#include "gpu/protocol.h"
#include "gpu/worker_link.h"

extern char** environ;

namespace tilescope {
namespace {

// The request as the worker takes it, with the contents of every file that its buffers name, read
// here. kUsage where nothing is compiled or the frame were too long; the error of a file that
// cannot be read.
[[nodiscard]] Result<std::vector<std::byte>> encode_run(LinkMailbox::Request request);

// Each once.
Result<FileContents> read_files(const KernelInstance& instance) {
  FileContents files;
  for (const Argument& argument : instance.arguments) {
    const BufferRecipe& recipe = argument.buffer;
    if (!argument.is_pointer || recipe.fill != Fill::kFile || files.contains(recipe.path)) continue;
    std::vector<std::byte>& contents = files[recipe.path];
    contents.resize(recipe.bytes());
    if (const Status filled = fill_buffer(recipe, contents); !filled) return filled.error();
  }
  return files;
}

Result<std::vector<std::byte>> encode_run(LinkMailbox::Request request) {
  if (request.run.compiled == nullptr) {
    return Error{ErrorCode::kUsage, "a run needs a compiled kernel", "", {}};
  }
  auto files = read_files(request.run.instance);
  if (!files) return files.error();
  std::vector<std::byte> frame = encode_frame(
      encode_message(RunMessage{request.ticket, std::move(request.run), *std::move(files)}));
  if (frame.size() > kMostFrameBytes) {
    return Error{
        ErrorCode::kUsage,
        fmt::format("{} bytes of buffers from files are more than the worker takes at once",
                    frame.size()),
        "Use fewer or smaller files",
        {}};
  }
  return frame;
}

using std::chrono::duration;
using std::chrono::milliseconds;

constexpr std::uint32_t kMostAnswerBytes = std::uint32_t{64} << 20;
constexpr milliseconds kPatienceAtEnd{200};  // for a worker that closed its output to exit

std::chrono::steady_clock::time_point from_now(double seconds) {
  using Clock = std::chrono::steady_clock;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(duration<double>(seconds));
}

// A login shell's words, say; what is no text has nothing to tell.
bool is_text(std::string_view noise) {
  return std::ranges::all_of(noise, [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\r' || c == '\t';
  });
}

}  // namespace

ProcessLink::ProcessLink(WorkerSettings settings)
    : settings_(std::move(settings)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  thread_ = std::thread([this] {
    // This thread's on Linux, and of the worker that it starts. Not as low as that of what
    // computes: a launch waits for it.
    if (settings_.beside_window) setpriority(PRIO_PROCESS, 0, 5);
    serve();
  });
}

ProcessLink::~ProcessLink() {
  closing_ = true;
  ::eventfd_write(wake_.get(), 1);
  thread_.join();
}

std::optional<Result<DeviceInfo>> ProcessLink::device() const { return mailbox_.device(); }

WorkerLink::Ticket ProcessLink::submit(const std::string& tag, RunRequest request) {
  const Ticket ticket = mailbox_.submit(tag, std::move(request));
  ::eventfd_write(wake_.get(), 1);
  return ticket;
}

void ProcessLink::cancel(const std::string& tag) {
  mailbox_.cancel(tag);
  ::eventfd_write(wake_.get(), 1);
}

void ProcessLink::poll(const std::function<void(const Progress&)>& on_progress,
                       const std::function<void(Answer)>& on_answer) {
  mailbox_.poll(on_progress, on_answer);
}

bool ProcessLink::busy() const { return mailbox_.busy(); }

void ProcessLink::serve() {
  // Signals are for the program's other threads; SIGPIPE, blocked, leaves EPIPE to tell.
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  while (!closing_ && !given_up_) {
    if (!session_ && !start()) continue;
    begin_next();
    pass_on_cancel();
    wait_for_events();
    if (session_) enforce_deadline();
  }
  session_.reset();
}

bool ProcessLink::start() {
  if (deaths_in_a_row_ > 0) {  // a moment longer each time
    std::this_thread::sleep_for(milliseconds(50) * std::min(deaths_in_a_row_, 4));
  }
  Result<WorkerProcess> process = WorkerProcess::start(worker_command(settings_));
  if (!process) {
    give_up(process.error().message);
    return false;
  }
  session_.emplace(Session{.process = *std::move(process),
                           .frames = FrameReader(kMostAnswerBytes),
                           .running = std::nullopt,
                           .outgoing = {},
                           .deadline = from_now(settings_.start_deadline_seconds)});
  const auto* preamble = reinterpret_cast<const std::byte*>(kStreamPreamble.data());
  session_->outgoing.assign(preamble, preamble + kStreamPreamble.size());
  return true;
}

void ProcessLink::begin_next() {
  while (session_->said_hello && !session_->running) {
    std::optional<LinkMailbox::Request> request = mailbox_.take();
    if (!request) return;
    Running running{request->ticket, request->run.instance.id,
                    request->run.timing.deadline_seconds};
    Result<std::vector<std::byte>> frame = encode_run(*std::move(request));
    if (!frame) {
      mailbox_.answer(running.ticket, frame.error());
      continue;
    }
    queue(*frame);
    session_->run_end = session_->outgoing.size();
    session_->deadline = from_now(running.deadline_seconds);
    session_->running = std::move(running);
  }
}

// Behind what is still to be sent.
void ProcessLink::queue(const std::vector<std::byte>& frame) {
  std::vector<std::byte>& outgoing = session_->outgoing;
  outgoing.erase(outgoing.begin(), outgoing.begin() + static_cast<std::ptrdiff_t>(session_->sent));
  session_->run_end -= std::min(session_->run_end, session_->sent);
  session_->sent = 0;
  outgoing.insert(outgoing.end(), frame.begin(), frame.end());
}

void ProcessLink::pass_on_cancel() {
  const auto ticket = mailbox_.take_cancelled();
  if (!ticket || !session_->running || session_->running->ticket != *ticket) return;
  queue(encode_frame(encode_message(CancelMessage{*ticket})));
}

void ProcessLink::wait_for_events() {
  const bool sending = session_->sent < session_->outgoing.size();
  std::array<pollfd, 4> files = {{
      {wake_.get(), POLLIN, 0},
      {session_->process.output(), POLLIN, 0},
      {session_->errors_open ? session_->process.error_output() : -1, POLLIN, 0},
      {sending ? session_->process.input() : -1, POLLOUT, 0},
  }};
  int timeout_ms = -1;
  if (session_->deadline != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<milliseconds>(session_->deadline - Clock::now()).count();
    timeout_ms = static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
  }
  if (::poll(files.data(), files.size(), timeout_ms) <= 0) return;
  if (files[0].revents != 0) {
    eventfd_t count = 0;
    ::eventfd_read(wake_.get(), &count);
  }
  if (files[2].revents != 0) session_->errors_open = session_->process.read_errors();
  if (files[3].revents != 0) send();
  if (files[1].revents != 0) receive();
}

void ProcessLink::send() {
  const auto rest = std::span(session_->outgoing).subspan(session_->sent);
  const std::optional<std::size_t> written = session_->process.write_some(rest);
  if (written) {
    session_->sent += *written;
  } else {
    // Nobody reads: its output ends too, and says more. A worker that only closed its input is dead
    // for us all the same.
    session_->sent = session_->outgoing.size();
  }
}

void ProcessLink::receive() {
  std::vector<std::byte> bytes;
  const bool open = session_->process.read_output(&bytes);
  session_->frames.append(bytes);
  while (session_) {
    std::optional<Result<nlohmann::json>> message = session_->frames.next();
    if (!message) break;
    if (*message) {
      take_message(**message);
    } else {
      lose(fmt::format("sent something that is no message ({})", message->error().message), true);
    }
  }
  if (session_ && !open) {
    while (session_->process.read_errors() && session_->errors_open) {
      // What is still in the pipe; a grandchild may hold it open, so only as long as it says more.
      pollfd more{session_->process.error_output(), POLLIN, 0};
      if (::poll(&more, 1, 0) <= 0) break;
    }
    lose(session_->process.end(kPatienceAtEnd), true);
  }
}

void ProcessLink::take_message(const nlohmann::json& encoded) {
  Result<Message> message = decode_message(encoded);
  if (!message) {
    lose(fmt::format("sent {}", message.error().message), true);
  } else if (const auto* hello = std::get_if<HelloMessage>(&*message)) {
    take_hello(*hello);
  } else if (const auto* progress = std::get_if<ProgressMessage>(&*message)) {
    if (session_->running && session_->running->ticket == progress->ticket) {
      mailbox_.report({progress->ticket, progress->kernel_seconds});
    }
  } else if (auto* answer = std::get_if<AnswerMessage>(&*message)) {
    take_answer(std::move(*answer));
  } else {
    lose("sent a request of its own", true);
  }
}

void ProcessLink::take_hello(const HelloMessage& hello) {
  if (hello.version != kProtocolVersion) {
    give_up(
        fmt::format("the worker speaks version {} of the protocol, this program version {}; "
                    "both must be the same release",
                    hello.version, kProtocolVersion));
  } else if (!hello.device) {
    give_up(hello.device.error().message);
  } else {
    session_->said_hello = true;
    session_->deadline = Clock::time_point::max();
    mailbox_.set_device(*hello.device);
  }
}

void ProcessLink::take_answer(AnswerMessage answer) {
  const bool sent_all = session_->sent >= session_->run_end;
  if (!session_->running || session_->running->ticket != answer.ticket || !sent_all) {
    lose("answered something that was not asked", true);
    return;
  }
  deaths_in_a_row_ = 0;
  session_->running.reset();
  session_->deadline = Clock::time_point::max();
  mailbox_.answer(answer.ticket, std::move(answer.result));
  if (answer.worker_ends) session_.reset();
}

void ProcessLink::enforce_deadline() {
  if (Clock::now() < session_->deadline) return;
  if (!session_->running) {
    lose(fmt::format("did not answer within {:g} s", settings_.start_deadline_seconds), true);
    return;
  }
  const Running running = *session_->running;
  session_.reset();
  mailbox_.answer(running.ticket,
                  Error{ErrorCode::kKernel,
                        fmt::format("{} did not finish within {:g} s: it was stopped", running.id,
                                    running.deadline_seconds),
                        "Look for a loop that never ends or a barrier that not every thread "
                        "reaches; a kernel that is only slow needs a smaller size or more time",
                        {}});
}

std::string ProcessLink::last_words() const {
  std::string text = session_->process.errors();
  if (text.empty() && !session_->said_hello && is_text(session_->frames.noise())) {
    text = session_->frames.noise();
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const std::size_t line = text.rfind('\n');
  if (line != std::string::npos) text.erase(0, line + 1);
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < ' '; });
  return text.substr(0, 300);
}

void ProcessLink::lose(const std::string& how, bool counts) {
  const std::string words = last_words();
  const std::string why = words.empty() ? how : fmt::format("{}: {}", how, words);
  const std::optional<Running> running = session_->running;
  session_.reset();
  if (counts) ++deaths_in_a_row_;
  if (running) {
    mailbox_.answer(running->ticket,
                    Error{ErrorCode::kMachine,
                          fmt::format("{}: the worker process {} while it ran", running->id, why),
                          "It was restarted",
                          {}});
  }
  if (deaths_in_a_row_ > settings_.most_restarts) give_up(fmt::format("the worker {}", why));
}

void ProcessLink::give_up(std::string why) {
  session_.reset();
  given_up_ = true;
  mailbox_.close(Error{ErrorCode::kMachine, fmt::format("no device: {}", std::move(why)), "", {}});
}

namespace {

using std::chrono::steady_clock;

constexpr std::size_t kMostErrorText = 4096;
constexpr milliseconds kPatienceAfterKill{300};

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

Result<Pipe> open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error{ErrorCode::kMachine,
                 fmt::format("cannot make a pipe: {}", std::generic_category().message(errno)),
                 "",
                 {}};
  }
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void make_nonblocking(const FileDescriptor& file) {
  ::fcntl(file.get(), F_SETFL, ::fcntl(file.get(), F_GETFL) | O_NONBLOCK);
}

// The child gets the ends of the pipes as 0, 1 and 2, a group of its own, and signals as a program
// expects them: the calling thread may block some.
class SpawnSettings {
 public:
  SpawnSettings(int input, int output, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::string describe_status(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
  }
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const std::vector<std::string>& argv) {
  if (argv.empty()) return Error{ErrorCode::kUsage, "the worker's command is empty", "", {}};
  auto to_child = open_pipe();
  auto from_child = open_pipe();
  auto errors = open_pipe();
  for (const auto* pipe : {&to_child, &from_child, &errors}) {
    if (!*pipe) return pipe->error();
  }
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  const SpawnSettings settings(to_child->read_end.get(), from_child->write_end.get(),
                               errors->write_end.get());
  WorkerProcess worker;
  const int failure = ::posix_spawnp(&worker.process_, argv[0].c_str(), settings.actions(),
                                     settings.attributes(), arguments.data(), environ);
  if (failure != 0) {
    worker.process_ = -1;
    return Error{ErrorCode::kMachine,
                 fmt::format("the worker \"{}\" cannot be started: {}", argv[0],
                             std::generic_category().message(failure)),
                 "Check the worker's command in the settings",
                 {}};
  }
  worker.input_ = std::move(to_child->write_end);
  worker.output_ = std::move(from_child->read_end);
  worker.error_output_ = std::move(errors->read_end);
  make_nonblocking(worker.input_);
  make_nonblocking(worker.output_);
  make_nonblocking(worker.error_output_);
  return worker;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      status_(other.status_),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      error_output_(std::move(other.error_output_)),
      errors_(std::move(other.errors_)) {}

WorkerProcess::~WorkerProcess() {
  if (process_ < 0) return;
  kill();
  if (wait(kPatienceAfterKill)) return;
  // A driver can hold a killed process for seconds while it tears a context down.
  std::thread([process = process_] { ::waitpid(process, nullptr, 0); }).detach();
}

std::optional<std::size_t> WorkerProcess::write_some(std::span<const std::byte> bytes) {
  while (true) {
    const ssize_t written = ::write(input_.get(), bytes.data(), bytes.size());
    if (written >= 0) return static_cast<std::size_t>(written);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    if (errno != EINTR) return std::nullopt;
  }
}

bool WorkerProcess::read_output(std::vector<std::byte>* bytes) {
  std::array<std::byte, 65536> chunk{};
  while (true) {
    const ssize_t got = ::read(output_.get(), chunk.data(), chunk.size());
    if (got > 0) {
      bytes->insert(bytes->end(), chunk.begin(), chunk.begin() + got);
      return true;
    }
    if (got == 0) return false;
    if (errno != EINTR) return errno == EAGAIN || errno == EWOULDBLOCK;
  }
}

bool WorkerProcess::read_errors() {
  std::array<char, 4096> chunk{};
  const ssize_t got = ::read(error_output_.get(), chunk.data(), chunk.size());
  if (got > 0) {
    errors_.append(chunk.data(), static_cast<std::size_t>(got));
    if (errors_.size() > kMostErrorText) errors_.erase(0, errors_.size() - kMostErrorText);
    return true;
  }
  return got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK);
}

void WorkerProcess::kill() {
  if (process_ >= 0) ::kill(-process_, SIGKILL);
}

bool WorkerProcess::wait(milliseconds patience) {
  const auto deadline = steady_clock::now() + patience;
  while (process_ >= 0) {
    siginfo_t ended{};
    const int failed =
        ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT);
    if ((failed == 0 && ended.si_pid == process_) || (failed != 0 && errno != EINTR)) {
      kill();  // what it may have started; before it is reaped, so that the number is still its own
      ::waitpid(process_, &status_, 0);
      process_ = -1;
      return true;
    }
    if (steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

std::string WorkerProcess::end(milliseconds patience) {
  if (wait(patience)) return describe_status(status_);
  kill();
  (void)wait(kPatienceAfterKill);
  return "had to be stopped";
}

}  // namespace tilescope
