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

  // A buffer at an address of its own, whose contents somebody else has: for what asks where an
  // address lies. Rising addresses. emulate() does not take such a memory; emulate_on() does.
  void add_elsewhere(std::string name, ElementType type, std::uint64_t address,
                     std::uint64_t bytes);

  struct Buffer {
    std::string name;
    ElementType type = ElementType::kF32;
    std::uint64_t address = 0;                         // device address of the first byte
    std::shared_ptr<std::vector<std::byte>> contents;  // nullptr: elsewhere (add_elsewhere())
    std::uint64_t bytes_elsewhere = 0;

    [[nodiscard]] std::uint64_t bytes() const {
      return contents == nullptr ? bytes_elsewhere : contents->size();
    }
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
