#include "emulator/device_memory.h"

#include <algorithm>

#include "emulator/memory_map.h"

namespace tilescope {
namespace {

// cudaMalloc hands out large blocks in steps of 2 MiB. Many free steps lie behind each, so that an
// access past an end hits no other buffer; small buffers lie an odd number of steps apart, so that
// an index that is wrong by a power of two does not, either.
constexpr std::uint64_t kStep = std::uint64_t{2} << 20;
constexpr std::uint64_t kFree = 24 * kStep;

std::uint64_t round_up(std::uint64_t value) { return (value + kStep - 1) / kStep * kStep; }

}  // namespace

DeviceMemory::BufferIndex DeviceMemory::add(std::string name, ElementType type,
                                            std::shared_ptr<std::vector<std::byte>> contents) {
  if (contents == nullptr) contents = std::make_shared<std::vector<std::byte>>();
  std::uint64_t address = kFirstBuffer;
  if (!buffers_.empty()) {
    const Buffer& last = buffers_.back();
    address = last.address + round_up(last.contents->size() + 1) + kFree;
  }
  buffers_.push_back({std::move(name), type, address, std::move(contents), 0});
  return static_cast<BufferIndex>(buffers_.size() - 1);
}

void DeviceMemory::add_elsewhere(std::string name, ElementType type, std::uint64_t address,
                                 std::uint64_t bytes) {
  buffers_.push_back({std::move(name), type, address, nullptr, bytes});
}

std::optional<DeviceMemory::Location> DeviceMemory::locate(std::uint64_t address,
                                                           std::uint64_t bytes) const {
  // Buffers are added at rising addresses.
  const auto after =
      std::upper_bound(buffers_.begin(), buffers_.end(), address,
                       [](std::uint64_t at, const Buffer& buffer) { return at < buffer.address; });
  if (after == buffers_.begin()) return std::nullopt;
  const auto found = after - 1;
  const std::uint64_t offset = address - found->address;
  const std::uint64_t size = found->bytes();
  if (offset > size || bytes > size - offset) return std::nullopt;
  return Location{static_cast<BufferIndex>(found - buffers_.begin()), offset};
}

}  // namespace tilescope
