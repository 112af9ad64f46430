#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

#include "core/result.h"
#include "gpu/protocol.h"

namespace tilescope {

// Ends the worker's process at once: after a fault, or with a kernel still running, no destructor
// of CUDA's could be trusted to come back.
[[noreturn]] void end_worker(int status);

// The worker's side of its stdin: requests in the order in which they arrive. They are read on a
// thread of its own, which ends the process with 0 at the end of stdin, even while a kernel hangs:
// a client that was killed leaves no kernel behind, here or on a remote host. Bytes that are no
// request or cancellation end it with 1 and a line on stderr. One per process, alive to its end.
class RequestQueue {
 public:
  RequestQueue();

  [[nodiscard]] RunMessage next();  // waits for it
  // Whether the client has taken this one back; only the newest cancellation is kept. Any thread.
  [[nodiscard]] bool is_cancelled(std::uint64_t request_id) const {
    return cancelled_ == request_id;
  }

 private:
  [[noreturn]] void read_all();
  [[noreturn]] static void refuse(const Error& error);

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<RunMessage> waiting_;
  std::atomic<std::uint64_t> cancelled_ = 0;  // ids begin at 1
};

}  // namespace tilescope
