#include "emulator/execution/access_list.h"

#include <bit>

#include "emulator/lanes_in.h"

namespace tilescope {

std::uint64_t base_of(const WarpAccess& access) {
  if (access.active == 0) return 0;
  return access.address[static_cast<std::size_t>(std::countr_zero(access.active))];
}

WarpAccess AccessList::operator[](std::uint32_t index) const {
  const AccessRecord& found = record(index);
  const Shape& shape = shapes_[found.shape];
  WarpAccess access;
  access.active = shape.active;
  access.bytes_per_lane = shape.bytes_per_lane;
  access.space = shape.space;
  access.kind = shape.kind;
  const auto first = static_cast<std::int64_t>(std::countr_zero(shape.active));
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    const std::int64_t distance = shape.pattern != kNoAccess
                                      ? patterns_[shape.pattern + lane]
                                      : shape.stride * (static_cast<std::int64_t>(lane) - first);
    access.address[lane] = found.base + static_cast<std::uint64_t>(distance);
  }
  return access;
}

bool AccessList::lies_as(const WarpAccess& access, const Shape& shape) const {
  const auto first = static_cast<std::size_t>(std::countr_zero(access.active));
  const std::uint64_t base = base_of(access);
  if (shape.active == 0xffffffff) {
    std::uint64_t different = 0;
    if (shape.pattern != kNoAccess) {
      const std::int64_t* pattern = patterns_.data() + shape.pattern;
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        different |= access.address[lane] - base - static_cast<std::uint64_t>(pattern[lane]);
      }
    } else {
      std::uint64_t expected = base;
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        different |= access.address[lane] - expected;
        expected += static_cast<std::uint64_t>(shape.stride);
      }
    }
    return different == 0;
  }
  for (const unsigned lane : lanes_in(access.active)) {
    const std::uint64_t distance = shape.pattern != kNoAccess
                                       ? static_cast<std::uint64_t>(patterns_[shape.pattern + lane])
                                       : static_cast<std::uint64_t>(shape.stride) * (lane - first);
    if (access.address[lane] - base != distance) return false;
  }
  return true;
}

bool AccessList::fits(const WarpAccess& access, const Shape& shape) const {
  return shape.active == access.active && shape.space == access.space &&
         shape.kind == access.kind && shape.bytes_per_lane == access.bytes_per_lane &&
         lies_as(access, shape);
}

AccessList::Shape AccessList::describe(const WarpAccess& access) {
  Shape shape;
  shape.active = access.active;
  shape.bytes_per_lane = access.bytes_per_lane;
  shape.space = access.space;
  shape.kind = access.kind;
  if (access.active == 0) return shape;
  const auto first = static_cast<std::size_t>(std::countr_zero(access.active));
  const std::uint32_t rest = access.active & (access.active - 1);
  if (rest != 0) {
    const auto second = static_cast<std::size_t>(std::countr_zero(rest));
    const auto gap = static_cast<std::int64_t>(access.address[second] - access.address[first]);
    shape.stride = gap / static_cast<std::int64_t>(second - first);
  }
  if (lies_as(access, shape)) return shape;
  shape.pattern = static_cast<std::uint32_t>(patterns_.size());
  for (const std::uint64_t address : access.address) {
    patterns_.push_back(static_cast<std::int64_t>(address - access.address[first]));
  }
  return shape;
}

AccessRecord* AccessList::add_chunk() {
  chunks_.push_back(std::make_shared_for_overwrite<Chunk>());
  return chunks_.back()->data();
}

void AccessList::append(const AccessRecord& record) {
  if (size_ % kChunk == 0) (void)add_chunk();
  (*chunks_[size_ / kChunk])[size_ % kChunk] = record;
  ++size_;
}

std::uint32_t AccessList::shape_of(const WarpAccess& access, std::uint32_t like) {
  if (like != kNoAccess && fits(access, shapes_[like])) return like;
  shapes_.push_back(describe(access));
  return static_cast<std::uint32_t>(shapes_.size() - 1);
}

void AccessLog::go_on() {
  next_ = list_.add_chunk();
  end_ = next_ + AccessList::kChunk;
  full_ += AccessList::kChunk;
}

}  // namespace tilescope
