#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "gpu/file_descriptor.h"
#include "gpu/frame.h"
#include "gpu/gpu_device.h"
#include "gpu/measurement.h"
#include "gpu/protocol.h"
#include "gpu/worker_link.h"

namespace tilescope {
namespace {

// Ends the process at once: after a fault, or with a kernel still running, no destructor of CUDA's
// could be trusted to come back.
[[noreturn]] void leave(int status) {
  std::fflush(stderr);
  std::_Exit(status);
}

// The stream to the client. Whatever else prints, a library or a kernel's printf, goes to stderr.
class Output {
 public:
  Output() : file_(::dup(STDOUT_FILENO)) {
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    write(std::as_bytes(std::span(kStreamPreamble)));
  }
  void send(const Message& message) const { write(encode_frame(encode_message(message))); }

 private:
  void write(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) leave(0);  // the client is gone
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }
  FileDescriptor file_;
};

// Reads requests on a thread of its own, so that the end of stdin ends the worker even while a
// kernel hangs: a client that was killed leaves no kernel behind, here or on a remote host.
class Input {
 public:
  Input() {
    std::thread([this] { read_all(); }).detach();
  }
  [[nodiscard]] RunMessage next() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !waiting_.empty(); });
    RunMessage run = std::move(waiting_.front());
    waiting_.pop_front();
    return run;
  }
  [[nodiscard]] bool is_cancelled(std::uint64_t ticket) const { return cancelled_ == ticket; }

 private:
  [[noreturn]] void read_all() {
    FrameReader frames;
    std::array<std::byte, 65536> chunk{};
    while (true) {
      const ssize_t got = ::read(STDIN_FILENO, chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) leave(0);
      frames.append(std::span(chunk).first(static_cast<std::size_t>(got)));
      while (auto encoded = frames.next()) {
        if (!*encoded) refuse(encoded->error());
        auto message = decode_message(**encoded);
        if (!message) refuse(message.error());
        if (const auto* cancel = std::get_if<CancelMessage>(&*message)) {
          cancelled_ = cancel->ticket;
          continue;
        }
        auto* run = std::get_if<RunMessage>(&*message);
        if (run == nullptr) refuse(Error{ErrorCode::kMachine, "a message that is no run", "", {}});
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(*run));
        arrived_.notify_one();
      }
    }
  }
  [[noreturn]] static void refuse(const Error& error) {
    std::fprintf(stderr, "tilescope worker: %s\n", to_string(error).c_str());
    leave(1);
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<RunMessage> waiting_;
  std::atomic<std::uint64_t> cancelled_ = 0;  // tickets begin at 1
};

}  // namespace

int worker_main() {
  if (::isatty(STDIN_FILENO) != 0) {
    std::fputs("tilescope worker: talks frames to tilescope on stdin and stdout, not to people\n",
               stderr);
    return 1;
  }
  std::signal(SIGPIPE, SIG_IGN);
  const Output output;
  Input input;
  Result<std::unique_ptr<GpuDevice>> gpu = GpuDevice::open();
  if (!gpu) {
    output.send(HelloMessage{kProtocolVersion, gpu.error()});
    leave(0);
  }
  output.send(HelloMessage{kProtocolVersion, (*gpu)->info()});
  Measurement measurement(**gpu);
  while (true) {
    const RunMessage run = input.next();
    Result<RunResult> result =
        measurement.run(run, {.sample =
                                  [&](double seconds) {
                                    output.send(ProgressMessage{run.ticket, seconds});
                                  },
                              .is_cancelled = [&] { return input.is_cancelled(run.ticket); }});
    const bool dead = !result && !(*gpu)->alive();
    output.send(AnswerMessage{run.ticket, std::move(result), dead});
    if (dead) leave(0);
  }
}

}  // namespace tilescope
