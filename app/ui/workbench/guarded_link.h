#pragma once
#include <functional>
#include <memory>

#include "gpu/worker_link.h"

namespace tilescope {

// A link that runs only what may run: `may_run` is asked about each request, and one that it
// refuses is answered with an error and never reaches the worker.
[[nodiscard]] std::unique_ptr<WorkerLink> make_guarded_link(
    std::unique_ptr<WorkerLink> link, std::function<bool(const RunRequest&)> may_run);

}  // namespace tilescope
