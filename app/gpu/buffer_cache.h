#pragma once
#include <cstdint>
#include <list>
#include <memory>
#include <span>

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

}  // namespace tilescope
