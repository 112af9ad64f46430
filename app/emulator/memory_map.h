#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/buffer_recipe.h"

namespace tilescope {

class RegionHistory;

// Generic addresses of the spaces that have windows. An address inside such a space is an offset
// into it; cvta adds the window's start.
inline constexpr std::uint64_t kSharedWindow = 0x7e0000000000;
inline constexpr std::uint64_t kLocalWindow = 0x7d0000000000;
inline constexpr std::uint64_t kConstantWindow = 0x7c0000000000;
inline constexpr std::uint64_t kParameterWindow = 0x7b0000000000;
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kFunctionAddresses =
    0x790000000000;  // one for each function, no memory
inline constexpr std::uint64_t kFunctionStride = 16;
inline constexpr std::uint64_t kModuleGlobals = 0x7a0000000000;
inline constexpr std::uint64_t kFirstBuffer = 0x7f0000000000;

// A stretch of global memory that may be accessed.
struct MemoryRegion {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::byte* data = nullptr;
  std::string name;
  ElementType type = ElementType::kU8;
  // Of a region that outlives the launch; nullptr: all of it counts as written.
  RegionHistory* history = nullptr;
};

// Global memory of a launch while it runs: regions in the order of their addresses.
class MemoryMap {
 public:
  void add(MemoryRegion region);  // any order; then finish()
  void finish();
  // The region that holds `address`; nullptr: none.
  [[nodiscard]] const MemoryRegion* find(std::uint64_t address) const;
  // The region that begins at or before `address`, else the first; nullptr when there is none at
  // all.
  [[nodiscard]] const MemoryRegion* nearest(std::uint64_t address) const;
  [[nodiscard]] const std::vector<MemoryRegion>& regions() const { return regions_; }

 private:
  std::vector<MemoryRegion> regions_;
};

}  // namespace tilescope
