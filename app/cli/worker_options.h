#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpu/worker_pool.h"

namespace tilescope {

class CommandOptions;

// Which GPUs measure: none of these options means the first of this machine.
struct WorkerOptions {
  bool local = false;                  // --workers: each GPU of this machine
  std::vector<std::string> commands;   // --worker "ssh node3 tilescope worker"
  std::vector<std::string> launchers;  // --launch "srun -N1 --gpus=1"
  int most_launches = 1;               // --launches: of each launcher

  [[nodiscard]] bool any() const { return local || !commands.empty() || !launchers.empty(); }
};
void add_worker_options(CommandOptions command, WorkerOptions& options);

// A launcher is started no more often than there are requests at most.
[[nodiscard]] std::vector<WorkerSource> worker_sources(const WorkerOptions& options,
                                                       std::size_t most_requests);

}  // namespace tilescope
