#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/buffer_recipe.h"
#include "core/result.h"
#include "gpu/device_buffer.h"
#include "gpu/protocol.h"
#include "gpu/verification.h"

namespace tilescope {

// What a recipe makes, on the GPU. Never written after it was made.
struct RecipeBuffer {
  BufferRecipe recipe;
  std::uint64_t file_hash = 0;  // of the contents, for Fill::kFile
  DeviceBuffer buffer;
  OperandStatistics statistics;  // f32 only
};

// Keeps the buffers of recent requests, so that a dragged slider uploads nothing again. Holds at
// most a quarter of the GPU's memory beyond what the present request uses.
class BufferCache {
 public:
  explicit BufferCache(const GpuDevice& gpu) : gpu_(gpu) {}

  [[nodiscard]] Result<std::shared_ptr<const RecipeBuffer>> get(const BufferRecipe& recipe,
                                                                const FileContents& files);

 private:
  [[nodiscard]] Result<std::shared_ptr<const RecipeBuffer>> keep(
      const BufferRecipe& recipe, std::uint64_t file_hash, std::span<const std::byte> contents,
      DeviceBuffer buffer);
  void make_room(std::uint64_t bytes);

  const GpuDevice& gpu_;
  std::list<std::shared_ptr<const RecipeBuffer>> entries_;  // most recently used first
};

// Buffers that kernels write to, one per argument's place, kept between requests of the same sizes.
using ScratchBuffers = std::map<std::size_t, DeviceBuffer>;

// The memory of one launch. What the kernel only reads comes from the cache as it is; what it may
// write is a copy of its own. A kernel that is no catalogue problem may write everywhere.
class LaunchBuffers {
 public:
  [[nodiscard]] static Result<LaunchBuffers> make(const GpuDevice& gpu, const RunMessage& run,
                                                  BufferCache& cache, ScratchBuffers& scratch);

  // Addresses of the pointer arguments, in order.
  [[nodiscard]] const std::vector<CUdeviceptr>& pointers() const { return pointers_; }

  // Queues what must be there before the first launch: outputs that the kernel must not read are
  // poisoned with NaN (all bits set), what it does read (C where beta is not 0) is restored.
  [[nodiscard]] Status queue_preparation() const;

  // Fails when the launch wrote next to one of the buffers.
  [[nodiscard]] Status check_guards(const std::string& kernel_id) const;

  // Of the first pointer argument with this role.
  struct Operand {
    const Argument* argument = nullptr;
    const DeviceBuffer* buffer = nullptr;    // what the kernel uses
    const RecipeBuffer* pristine = nullptr;  // its first contents; nullptr when it is poisoned
  };
  [[nodiscard]] std::optional<Operand> find(Role role) const;
  // Of every pointer argument, in order.
  [[nodiscard]] std::vector<Operand> operands() const;

 private:
  struct Slot {
    const Argument* argument = nullptr;
    std::shared_ptr<const RecipeBuffer> pristine;
    const DeviceBuffer* scratch = nullptr;  // nullptr: the kernel reads the pristine one
    [[nodiscard]] const DeviceBuffer& used() const {
      return scratch != nullptr ? *scratch : pristine->buffer;
    }
  };
  std::vector<Slot> slots_;
  std::vector<CUdeviceptr> pointers_;
};

}  // namespace tilescope
