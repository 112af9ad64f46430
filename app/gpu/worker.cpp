#include "gpu/worker.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <thread>
#include <utility>
#include <variant>

#include "core/frame.h"
#include "gpu/gpu_device.h"
#include "gpu/kernel_runner.h"
#include "gpu/protocol.h"
#include "gpu/worker_link.h"

namespace tilescope {

int worker_main(int device) {
  if (::isatty(STDIN_FILENO) != 0) {
    std::fputs("tilescope worker: talks frames to tilescope on stdin and stdout, not to people\n",
               stderr);
    return 1;
  }
  const FrameSender output;
  const auto send = [&output](const Message& message) { output.send(encode_message(message)); };
  RequestQueue requests;
  Result<std::unique_ptr<GpuDevice>> gpu = GpuDevice::open(device);
  if (!gpu) {
    send(HelloMessage{kProtocolVersion, gpu.error()});
    end_worker(0);
  }
  send(HelloMessage{kProtocolVersion, (*gpu)->info()});
  KernelRunner runner(**gpu);
  while (true) {
    const RunMessage run = requests.next();
    Result<RunResult> result =
        runner.run(run, {.sample =
                             [&](double seconds) {
                               send(ProgressMessage{run.request_id, seconds});
                             },
                         .is_cancelled = [&] { return requests.is_cancelled(run.request_id); }});
    const bool dead = !result && !(*gpu)->alive();
    send(AnswerMessage{run.request_id, std::move(result), dead});
    if (dead) end_worker(0);
  }
}

void end_worker(int status) {
  std::fflush(stderr);
  std::_Exit(status);
}

RequestQueue::RequestQueue() {
  std::thread([this] { read_all(); }).detach();
}

RunMessage RequestQueue::next() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return !waiting_.empty(); });
  RunMessage run = std::move(waiting_.front());
  waiting_.pop_front();
  return run;
}

void RequestQueue::read_all() {
  FrameReader frames;
  std::array<std::byte, 65536> chunk{};
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) end_worker(0);
    frames.append(std::span(chunk).first(static_cast<std::size_t>(got)));
    while (auto encoded = frames.next()) {
      if (!*encoded) refuse(encoded->error());
      auto message = decode_message(std::move(**encoded));
      if (!message) refuse(message.error());
      if (const auto* cancel = std::get_if<CancelMessage>(&*message)) {
        cancelled_ = cancel->request_id;
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

void RequestQueue::refuse(const Error& error) {
  std::fprintf(stderr, "tilescope worker: %s\n", to_string(error).c_str());
  end_worker(1);
}

}  // namespace tilescope
