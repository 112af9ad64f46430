#include "gpu/process_link.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/buffer_recipe.h"
#include "core/frame.h"
#include "core/result.h"
#include "gpu/protocol.h"
#include "gpu/worker_link.h"
#include "kernel/compile/compile.h"
#include "kernel/launch/tensor_map.h"

namespace tilescope {
namespace {

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

// The code of the kernel that says what must come out, from the cache where it was compiled before.
Status compile_reference(RunRequest* run) {
  const auto& reference = run->instance.reference_kernel;
  if (reference == nullptr || !run->timing.verify || run->reference_compiled != nullptr) {
    return ok_status();
  }
  auto compiled = compile({*reference, compute_capability_of(*run->compiled), true}, {});
  if (!compiled) return compiled.error();
  run->reference_compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
  return ok_status();
}

// The request as the worker takes it, with the contents of every file that its buffers name, read
// here. kUsage where nothing is compiled or the frame were too long; the error of a file that
// cannot be read.
Result<std::vector<std::byte>> encode_run(LinkMailbox::Request request) {
  if (request.run.compiled == nullptr) {
    return Error{ErrorCode::kUsage, "a run needs a compiled kernel", "", {}};
  }
  const auto object =
      std::ranges::find_if(request.run.instance.arguments,
                           [](const Argument& argument) { return argument.texture.has_value(); });
  if (object != request.run.instance.arguments.end()) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} is a {}: the kernel is emulated, but not run on the GPU",
                             object->name, object->texture->is_surface ? "surface" : "texture"),
                 "To run it on the GPU, start the program that it is of: tilescope exec --gpu",
                 {}};
  }
  for (const Argument& argument : request.run.instance.arguments) {
    if (!argument.behind.empty()) {
      return Error{ErrorCode::kUsage,
                   fmt::format("{} holds pointers: the kernel is emulated, but not run on the GPU",
                               argument.name),
                   "To run it on the GPU, start the program that it is of: tilescope exec --gpu",
                   {}};
    }
    if (!argument.tensor) continue;
    if (const auto map = tensor_map_of(argument, 0); !map) return map.error();
  }
  if (Status s = compile_reference(&request.run); !s) return s.error();
  auto files = read_files(request.run.instance);
  if (!files) return files.error();
  std::vector<std::byte> frame = encode_frame(
      encode_message(RunMessage{request.request_id, std::move(request.run), *std::move(files)}));
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

WorkerLink::RequestId ProcessLink::submit(const std::string& tag, RunRequest request) {
  const RequestId request_id = mailbox_.submit(tag, std::move(request));
  ::eventfd_write(wake_.get(), 1);
  return request_id;
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
  // Signals are for the program's other threads.
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
  end_session();
}

bool ProcessLink::start() {
  if (deaths_in_a_row_ > 0) {  // a moment longer each time
    std::this_thread::sleep_for(milliseconds(50) * std::min(deaths_in_a_row_, 4));
  }
  Result<ChildProcess> process = ChildProcess::start(worker_command(settings_));
  if (!process) {
    give_up("the worker " + process.error().message);
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
    Running running{request->request_id, request->run.instance.id,
                    request->run.timing.deadline_seconds};
    Result<std::vector<std::byte>> frame = encode_run(*std::move(request));
    if (!frame) {
      mailbox_.answer(running.request_id, frame.error());
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
  const auto request_id = mailbox_.take_cancelled();
  if (!request_id || !session_->running || session_->running->request_id != *request_id) return;
  queue(encode_frame(encode_message(CancelMessage{*request_id})));
}

void ProcessLink::wait_for_events() {
  const bool sending = session_->sent < session_->outgoing.size();
  std::array<pollfd, 4> files = {{
      {wake_.get(), POLLIN, 0},
      {session_->process.output(), POLLIN, 0},
      {session_->process.error_output(), POLLIN, 0},
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
  if (files[2].revents != 0) session_->process.read_errors();
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
      take_message(std::move(**message));
    } else {
      lose(fmt::format("sent something that is no message ({})", message->error().message), true);
    }
  }
  if (session_ && !open) {
    session_->process.read_last_errors();
    lose(session_->process.end(kPatienceAtEnd).how, true);
  }
}

void ProcessLink::take_message(nlohmann::json encoded) {
  Result<Message> message = decode_message(std::move(encoded));
  if (!message) {
    lose(fmt::format("sent {}", message.error().message), true);
  } else if (const auto* hello = std::get_if<HelloMessage>(&*message)) {
    take_hello(*hello);
  } else if (const auto* progress = std::get_if<ProgressMessage>(&*message)) {
    if (session_->running && session_->running->request_id == progress->request_id) {
      mailbox_.report({progress->request_id, progress->kernel_seconds});
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
  if (!session_->running || session_->running->request_id != answer.request_id || !sent_all) {
    lose("answered something that was not asked", true);
    return;
  }
  deaths_in_a_row_ = 0;
  session_->running.reset();
  session_->deadline = Clock::time_point::max();
  mailbox_.answer(answer.request_id, std::move(answer.result));
  if (answer.worker_ends) end_session();
}

void ProcessLink::enforce_deadline() {
  if (Clock::now() < session_->deadline) return;
  if (!session_->running) {
    lose(fmt::format("did not answer within {:g} s", settings_.start_deadline_seconds), true);
    return;
  }
  const Running running = *session_->running;
  end_session();
  mailbox_.answer(running.request_id,
                  Error{ErrorCode::kKernel,
                        fmt::format("{} did not finish within {:g} s: it was stopped", running.id,
                                    running.deadline_seconds),
                        "Look for a loop that never ends or a barrier that not every thread "
                        "reaches; a kernel that is only slow needs a smaller size or more time",
                        {}},
                  Loss::kHung);
}

std::string ProcessLink::last_words() const {
  std::string text = session_->process.errors();
  if (text.empty() && !session_->said_hello && is_text(session_->frames.noise())) {
    text = session_->frames.noise();
  }
  return last_line_of(std::move(text));
}

void ProcessLink::lose(const std::string& how, bool counts) {
  const std::string words = last_words();
  const std::string why = words.empty() ? how : fmt::format("{}: {}", how, words);
  const std::optional<Running> running = session_->running;
  end_session();
  if (counts) ++deaths_in_a_row_;
  if (running) {
    mailbox_.answer(running->request_id,
                    Error{ErrorCode::kMachine,
                          fmt::format("{}: the worker process {} while it ran", running->id, why),
                          "It was restarted",
                          {}},
                    Loss::kDied);
  }
  if (deaths_in_a_row_ > settings_.most_restarts) give_up(fmt::format("the worker {}", why));
}

void ProcessLink::end_session() {
  if (session_ && settings_.patience_at_end_seconds > 0) {
    session_->process.terminate();
    (void)session_->process.end(std::chrono::duration_cast<milliseconds>(
        duration<double>(settings_.patience_at_end_seconds)));
  }
  session_.reset();
}

void ProcessLink::give_up(const std::string& why) {
  end_session();
  given_up_ = true;
  mailbox_.close(no_device(why));
}

}  // namespace tilescope
