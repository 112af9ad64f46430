#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "emulator/tensor_runs.h"
#include "ptx/modifiers.h"

namespace tilescope {

// One launch of a kernel that copies a box through a tensor map: into shared memory, all of which
// it then hands back, or out of shared memory.
struct TensorCopyCase {
  enum class Kind : std::uint8_t { kLoad, kMulticast, kStore, kReduction };
  static constexpr unsigned kSharedBytes = 32 * 1024;
  static constexpr unsigned kThreads = 128;

  Kind kind = Kind::kLoad;
  std::string reduction;  // "add"
  TensorMap map;          // address: from the start of the tensor's buffer
  TensorPlace place;
  std::uint32_t shared_offset = 0;  // of the box, bytes
  std::uint32_t tensor_bytes = 0;   // of the buffer

  [[nodiscard]] unsigned blocks() const { return kind == Kind::kMulticast ? 2 : 1; }
  [[nodiscard]] bool loads() const { return kind <= Kind::kMulticast; }
  [[nodiscard]] std::string name() const;
  // k(map, tensor, shared, places): the map by value; the bytes of each block's shared memory, and
  // behind them whether the mbarrier's phase ended; coordinates, offsets, the box's place.
  [[nodiscard]] std::string ptx() const;
  [[nodiscard]] std::vector<std::byte> places() const;
};

// Maps of every rank, type, swizzle, fill and stride, boxes that hang over the edges; `im2col`: of
// that mode.
[[nodiscard]] TensorCopyCase random_tensor_copy(TensorCopyCase::Kind kind, bool im2col,
                                                std::mt19937& random);
// Any numbers: many are no tensor map.
[[nodiscard]] TensorMap random_map(std::mt19937& random);

}  // namespace tilescope
