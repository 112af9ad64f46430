#include "emulator/memory_map.h"

#include <algorithm>

namespace tilescope {

void MemoryMap::add(MemoryRegion region) { regions_.push_back(std::move(region)); }

void MemoryMap::finish() {
  std::sort(regions_.begin(), regions_.end(),
            [](const MemoryRegion& a, const MemoryRegion& b) { return a.begin < b.begin; });
}

const MemoryRegion* MemoryMap::nearest(std::uint64_t address) const {
  if (regions_.empty()) return nullptr;
  const auto after = std::upper_bound(
      regions_.begin(), regions_.end(), address,
      [](std::uint64_t at, const MemoryRegion& region) { return at < region.begin; });
  return after == regions_.begin() ? &regions_.front() : &*(after - 1);
}

const MemoryRegion* MemoryMap::find(std::uint64_t address) const {
  const MemoryRegion* region = nearest(address);
  if (region == nullptr || address - region->begin >= region->bytes) return nullptr;
  return region;
}

}  // namespace tilescope
