#include "emulator/tensor_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "emulator/formats/narrow_floats.h"

namespace tilescope {
namespace {

// Along the dimensions 1 and up of the box; false after the last one.
bool next_row(const TensorMap& map, std::array<std::uint32_t, TensorMap::kMostRank>& index) {
  for (unsigned i = 1; i < map.rank(); ++i) {
    index[i] += map.step[i];
    if (index[i] < map.box[i]) return true;
    index[i] = 0;
  }
  return false;
}

// Bytes along dimension 0 that a copy moves together.
constexpr std::uint32_t kUnit = 16;

using Coordinates = std::array<std::int64_t, TensorMap::kMostRank>;

// Calls see(at, to) for each row of the box: the coordinates where it starts, and its place in the
// box, in bytes.
template <class See>
void for_tiled_rows(const TensorMap& map, const TensorPlace& place, const See& see) {
  std::array<std::uint32_t, TensorMap::kMostRank> index{};
  const TensorBox box = box_of(map);
  std::uint32_t to = 0;
  do {
    Coordinates at{};
    for (unsigned i = 0; i < map.rank(); ++i) at[i] = std::int64_t{place.at[i]} + index[i];
    see(at, to);
    to += box.pitch;
  } while (next_row(map, index));
}

// PTX ISA, "Im2col mode": pixel after pixel within the bounding box of each image, then on to the
// next image. The offset into the filter moves what is copied, not the walk.
template <class See>
void for_im2col_rows(const TensorMap& map, const TensorPlace& place, const See& see) {
  const TensorBox box = box_of(map);
  const unsigned last = map.last_dimension;
  Coordinates walk{};
  for (unsigned i = 0; i < map.rank(); ++i) walk[i] = place.at[i];
  for (std::uint32_t pixel = 0; pixel < map.pixels; ++pixel) {
    Coordinates at = walk;
    for (unsigned i = 1; i < last; ++i) at[i] += place.offset[i - 1];
    see(at, pixel * box.pitch);
    unsigned i = 1;
    for (; i < last; ++i) {
      walk[i] += map.step[i];
      if (walk[i] < std::int64_t{map.extent[i]} + map.upper[i - 1]) break;
      walk[i] = map.lower[i - 1];
    }
    if (i == last) ++walk[last];
  }
}

template <class See>
void for_rows(const TensorMap& map, const TensorPlace& place, const See& see) {
  map.mode == TensorMap::Mode::kTiled ? for_tiled_rows(map, place, see)
                                      : for_im2col_rows(map, place, see);
}

}  // namespace

std::vector<TensorRun> runs_of(const TensorMap& map, const TensorPlace& place, bool loads) {
  const unsigned bytes = map.element_bytes();
  std::vector<TensorRun> runs;
  for_rows(map, place, [&](const Coordinates& at, std::uint32_t to) {
    std::uint64_t address = map.address;
    for (unsigned i = 1; i < map.rank(); ++i) {
      if (at[i] < 0 || at[i] >= std::int64_t{map.extent[i]}) return;
      address += static_cast<std::uint64_t>(at[i]) * map.stride[i - 1];
    }
    const std::uint32_t count = box_of(map).inner_bytes / bytes;
    const std::int64_t first = std::max<std::int64_t>(at[0], 0);
    const std::int64_t end = std::min<std::int64_t>(at[0] + count, map.extent[0]);
    if (first >= end) return;
    auto length = static_cast<std::uint32_t>(end - first) * bytes;
    if (!loads) length = (length + kUnit - 1) / kUnit * kUnit;
    runs.push_back({address + static_cast<std::uint64_t>(first) * bytes,
                    to + static_cast<std::uint32_t>(first - at[0]) * bytes, length});
  });
  return runs;
}

std::string mistake_in(const TensorMap& map, const TensorPlace& place, bool loads) {
  const std::int64_t offset = std::int64_t{place.at[0]} * map.element_bytes();
  if (offset % kUnit != 0) {
    return fmt::format(
        "the copy starts at element {} of dimension 0, {} bytes from its start, and the GPU stops "
        "with an illegal instruction unless that is a multiple of 16: start at a multiple of {}",
        place.at[0], offset, kUnit / map.element_bytes());
  }
  std::string mistake;
  if (loads) return mistake;
  for_rows(map, place, [&](const Coordinates& at, std::uint32_t) {
    const auto below = std::find_if(at.begin(), at.end(), [](std::int64_t c) { return c < 0; });
    if (below == at.end() || !mistake.empty()) return;
    mistake = fmt::format(
        "the copy writes to coordinate {} of dimension {}, and the GPU stops with an illegal "
        "instruction: only loads may start before 0; start at 0 or later",
        *below, below - at.begin());
  });
  return mistake;
}

void fill_box(const TensorMap& map, std::span<std::byte> bytes) {
  const bool zero = map.fill == TensorMap::Fill::kZero;
  const TensorBox box = box_of(map);
  for (std::size_t row = 0; row < bytes.size(); row += box.pitch) {
    for (std::size_t at = 0; at < box.inner_bytes; ++at)
      bytes[row + at] = zero ? std::byte{0} : at % 2 == 0 ? std::byte{0xf7} : std::byte{0x7f};
  }
}

void round_elements(const TensorMap& map, std::byte* data, std::size_t bytes) {
  using Element = TensorMap::Element;
  if (map.element != Element::kTf32 && map.element != Element::kTf32Flushed) return;
  for (std::size_t at = 0; at + 4 <= bytes; at += 4) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, data + at, sizeof bits);
    if ((bits & 0x7f800000u) != 0x7f800000u) bits = (bits + 0x1000u) & 0xffffe000u;  // away from 0
    std::memcpy(data + at, &bits, sizeof bits);
  }
}

std::uint64_t swizzled(const TensorMap& map, std::uint64_t shared_address) {
  if (map.swizzle == TensorMap::Swizzle::kNone) return shared_address;
  const unsigned skipped = map.atom == TensorMap::Atom::k32 ? 1 : 0;
  const unsigned bits = static_cast<unsigned>(map.swizzle) - skipped;
  const std::uint64_t row = (shared_address >> 7) & ((std::uint64_t{1} << bits) - 1);
  return shared_address ^ (row << (4 + skipped));
}

unsigned swizzled_unit(const TensorMap& map) {
  if (map.swizzle == TensorMap::Swizzle::kNone) return 0;
  return map.atom == TensorMap::Atom::k32 ? 32 : 16;
}

}  // namespace tilescope
