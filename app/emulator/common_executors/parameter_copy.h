#pragma once
#include <cstdint>
#include <optional>

namespace tilescope {

// MicroOp::flags of kCopyParameter: the offset counts from the lane's frame, whose start is row[0].
inline constexpr std::uint8_t kFromFrame = 1;
inline constexpr std::uint8_t kToFrame = 2;

// Offsets into a lane's local memory.
struct ParameterPlace {
  std::uint64_t offset = 0;
  bool framed = false;
};
struct ParameterCopy {
  ParameterPlace from;
  ParameterPlace to;
  std::uint64_t bytes = 0;
};
// As MicroOp::immediate: from << 40 | to << 16 | bytes. nullopt: too large for that.
[[nodiscard]] inline std::optional<std::int64_t> pack_parameter_copy(const ParameterCopy& copy) {
  if (copy.from.offset >= (1u << 23) || copy.to.offset >= (1u << 23) || copy.bytes >= (1u << 16))
    return std::nullopt;
  return static_cast<std::int64_t>((copy.from.offset << 40) | (copy.to.offset << 16) | copy.bytes);
}

}  // namespace tilescope
