#pragma once
#include <memory>
#include <vector>

#include "core/result.h"
#include "emulator/code.h"
#include "emulator/device_memory.h"
#include "emulator/execution/execution_context.h"
#include "emulator/launch.h"
#include "emulator/memory_map.h"

namespace tilescope {

// Fails with kUsage where the launch cannot be: no threads, a block too large, too little or too
// many arguments, a block index outside the grid.
[[nodiscard]] Status check_launch(const Program& program, const Launch& launch);

// Global memory while a launch runs: the caller's buffers and the module's own variables.
class LaunchRegions {
 public:
  LaunchRegions(const Code& code, DeviceMemory& memory);
  [[nodiscard]] MemoryMap& map() { return map_; }

 private:
  MemoryMap map_;
  std::vector<std::vector<std::byte>> globals_;
};

// Tells a runner where each argument goes.
void bind_arguments(const Program& program, ExecutionContext& context);

}  // namespace tilescope
