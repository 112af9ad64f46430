#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/buffer_recipe.h"

namespace tilescope {

// Global memory of one launch: named buffers at device addresses that are aligned as cudaMalloc's
// (512 bytes) and lie apart, so that an access past an end hits no other buffer.
class DeviceMemory {
 public:
  using BufferIndex = std::uint32_t;

  // `contents` may be shared between launches when the kernel does not write to it; a written
  // buffer is given an own copy by the caller. Contents are padded by the callee as it needs.
  BufferIndex add(std::string name, ElementType type,
                  std::shared_ptr<std::vector<std::byte>> contents);

  struct Buffer {
    std::string name;
    ElementType type = ElementType::kF32;
    std::uint64_t address = 0;  // device address of the first byte
    std::shared_ptr<std::vector<std::byte>> contents;
  };
  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }

  // The buffer that holds [address, address + bytes), or none.
  struct Location {
    BufferIndex buffer = 0;
    std::uint64_t offset = 0;  // bytes
  };
  [[nodiscard]] std::optional<Location> locate(std::uint64_t address, std::uint64_t bytes) const;

 private:
  std::vector<Buffer> buffers_;
};

}  // namespace tilescope
