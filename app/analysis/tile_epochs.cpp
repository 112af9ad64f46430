#include "analysis/tile_epochs.h"

#include <algorithm>

namespace tilescope {
namespace {

constexpr std::uint32_t kGranule = 4;   // bytes of shared memory that have one writer
constexpr std::size_t kMostParts = 16;  // more are no ring

}  // namespace

void TileEpochs::pass(std::uint32_t warp, TimingEffect effect) {
  Warp& own = warps_[warp];
  if (effect == TimingEffect::kBarrier) ++own.barrier;
  if (effect == TimingEffect::kCommitGroup || effect == TimingEffect::kWaitAll) ++own.group;
}

std::uint32_t TileEpochs::tile_of(std::uint32_t warp, bool is_async) {
  const Warp& own = warps_[warp];
  const auto next = static_cast<std::uint32_t>(first_byte_.size());
  const auto [at, is_new] =
      by_epoch_.try_emplace({is_async, is_async ? own.group : own.barrier}, next);
  if (is_new) first_byte_.push_back(kNobody);
  return at->second;
}

void TileEpochs::write(std::uint32_t byte, std::uint32_t tile) {
  const std::uint32_t granule = byte / kGranule;
  if (tile != kNobody) first_byte_[tile] = std::min(first_byte_[tile], byte);
  if (writer_.size() <= granule) writer_.resize(granule + 1, kNobody);
  writer_[granule] = tile;
}

std::uint32_t TileEpochs::writer(std::uint32_t byte) const {
  const std::uint32_t granule = byte / kGranule;
  return granule < writer_.size() ? writer_[granule] : kNobody;
}

std::vector<std::uint32_t> TileEpochs::parts() const {
  std::vector<std::uint32_t> bytes = first_byte_;
  std::ranges::sort(bytes);
  bytes.erase(std::unique(bytes.begin(), bytes.end()), bytes.end());
  if (bytes.size() > kMostParts) bytes.clear();
  return bytes;
}

std::uint32_t TileEpochs::part_of(std::uint32_t tile,
                                  const std::vector<std::uint32_t>& parts) const {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(parts, first_byte_[tile]) -
                                    parts.begin());
}

}  // namespace tilescope
