#include <unistd.h>

#include <cstdio>
#include <utility>

#include "core/frame.h"
#include "gpu/gpu_device.h"
#include "gpu/measurement.h"
#include "gpu/protocol.h"
#include "gpu/request_queue.h"
#include "gpu/worker_link.h"

namespace tilescope {
int worker_main() {
  if (::isatty(STDIN_FILENO) != 0) {
    std::fputs("tilescope worker: talks frames to tilescope on stdin and stdout, not to people\n",
               stderr);
    return 1;
  }
  const FrameWriter output;
  const auto send = [&output](const Message& message) { output.send(encode_message(message)); };
  RequestQueue requests;
  Result<std::unique_ptr<GpuDevice>> gpu = GpuDevice::open();
  if (!gpu) {
    send(HelloMessage{kProtocolVersion, gpu.error()});
    end_worker(0);
  }
  send(HelloMessage{kProtocolVersion, (*gpu)->info()});
  Measurement measurement(**gpu);
  while (true) {
    const RunMessage run = requests.next();
    Result<RunResult> result =
        measurement.run(run, {.sample =
                                  [&](double seconds) {
                                    send(ProgressMessage{run.ticket, seconds});
                                  },
                              .is_cancelled = [&] { return requests.is_cancelled(run.ticket); }});
    const bool dead = !result && !(*gpu)->alive();
    send(AnswerMessage{run.ticket, std::move(result), dead});
    if (dead) end_worker(0);
  }
}

}  // namespace tilescope
