#include "emulator/block/saved_frames.h"

#include <bit>
#include <cstring>

namespace tilescope {
namespace {

std::size_t depth_of(const Code& code, const std::byte* registers, unsigned lane) {
  std::uint64_t frame = 0;
  std::memcpy(&frame, registers + code.frame_row + std::size_t{lane} * 8, sizeof frame);
  return static_cast<std::size_t>((frame - code.frame_start) / code.frame_bytes);
}

// One lane's cells of all rows.
void copy_lane(const FrameRows& rows, std::byte* to, const std::byte* from, unsigned lane) {
  for (std::uint32_t row = rows.wide; row < rows.wide_end; row += 8 * kWarpSize)
    std::memcpy(to + row + std::size_t{lane} * 8, from + row + std::size_t{lane} * 8, 8);
  for (std::uint32_t row = rows.narrow; row < rows.narrow_end; row += 4 * kWarpSize)
    std::memcpy(to + row + std::size_t{lane} * 4, from + row + std::size_t{lane} * 4, 4);
  for (std::uint32_t row = rows.predicates; row < rows.predicates_end; row += 4) {
    std::uint32_t bits = 0;
    std::uint32_t source = 0;
    std::memcpy(&bits, to + row, sizeof bits);
    std::memcpy(&source, from + row, sizeof source);
    const std::uint32_t one = 1u << lane;
    bits = (bits & ~one) | (source & one);
    std::memcpy(to + row, &bits, sizeof bits);
  }
}

}  // namespace

void SavedFrames::save(const Code& code, const FrameRows& rows, const std::byte* registers,
                       std::uint32_t mask) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::size_t depth = depth_of(code, registers, lane);
    if (depths_.size() <= depth) depths_.resize(depth + 1);
    if (depths_[depth].empty()) depths_[depth].resize(code.register_bytes);
    copy_lane(rows, depths_[depth].data(), registers, lane);
  }
}

void SavedFrames::restore(const Code& code, const FrameRows& rows, std::byte* registers,
                          std::uint32_t mask) const {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::size_t depth = depth_of(code, registers, lane);
    if (depth < depths_.size() && !depths_[depth].empty())
      copy_lane(rows, registers, depths_[depth].data(), lane);
  }
}

}  // namespace tilescope
