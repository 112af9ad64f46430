#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/result.h"
#include "emulator/device_memory.h"
#include "emulator/launch.h"
#include "emulator/program.h"
#include "kernel/launch/instance.h"

namespace tilescope {

// Contents of input buffers by recipe, so that a dragged slider does not fill the same matrices
// again. Thread-safe; keeps the most recently used ones up to a number of bytes.
class InputCache {
 public:
  explicit InputCache(std::uint64_t most_bytes = std::uint64_t{1} << 30)
      : most_bytes_(most_bytes) {}
  [[nodiscard]] Result<std::shared_ptr<std::vector<std::byte>>> get(const BufferRecipe& recipe);

 private:
  using Contents = std::shared_ptr<std::vector<std::byte>>;
  std::mutex mutex_;
  std::list<std::pair<BufferRecipe, Contents>> entries_;  // most recently used first
  std::uint64_t bytes_ = 0;
  std::uint64_t most_bytes_;
};

// Buffers that pointers in buffers may lead to.
inline constexpr std::uint64_t kMostLinkedBuffers = 1U << 15;

// A launch's global memory: every pointer argument a buffer made from its recipe, in order; then
// those that pointers in these lead to, each before what it leads to itself; then the objects of
// textures (emulator/texture.h).
struct LaunchMemory {
  DeviceMemory memory;
  std::vector<LaunchArgument> arguments;
};
[[nodiscard]] Result<LaunchMemory> make_launch_memory(const KernelInstance& instance,
                                                      InputCache* inputs);

// Where the blocks of a cooperative launch meet (Launch::grid_workspace), in a buffer of its own
// after those of the arguments. 0: the kernel does not ask for it, with this_grid().sync().
[[nodiscard]] std::uint64_t add_grid_workspace(const Program& program, DeviceMemory& memory);

// The same buffers at the same addresses, with copies of its own of those that the kernel writes
// and of those that are no argument's, as the grid's workspace.
[[nodiscard]] DeviceMemory writable_copy(const KernelInstance& instance,
                                         const DeviceMemory& memory);

// A rule of thumb for a kernel that moves more than it computes, by the part of the memory's
// bandwidth that it reaches, in percent: from 40 "okay", from 60 "good", above 75 "excellent",
// below 40 "low". From the course notes (001) in docs/seeds.md.
[[nodiscard]] const char* bandwidth_verdict(double percent);

}  // namespace tilescope
