#include <algorithm>

#include "emulator/checks/block_check.h"

// What a block hands to the launch's history when it is done.
namespace tilescope {
namespace {

GridUse use_of(std::uint64_t block, const AccessStamp& stamp) {
  GridUse use;
  use.block = static_cast<std::uint32_t>(block);
  use.thread = stamp.thread;
  use.instruction = stamp.instruction;
  return use;
}

}  // namespace

// When other blocks that have seen it may rely on an access being over.
std::uint32_t BlockCheck::published_at(const AccessStamp& stamp) const {
  for (const Publication& publication : publications_) {
    if (AccessOrder::covers(publication.covered, stamp)) return publication.time;
  }
  // Too many to be kept: taken to be published with the last one that was.
  return publications_.size() < kMostReleases ? GridUse::kNever : publications_.back().time;
}

// Up to when the block knew of others as it made an access.
std::uint32_t BlockCheck::acquired_at(const AccessStamp& stamp) const {
  std::uint32_t time = 0;
  for (const Acquisition& acquisition : acquisitions_) {
    if (acquisition.ticks[stamp.warp()] > stamp.tick) break;
    time = acquisition.time;
  }
  return time;
}

void BlockCheck::hand_to_grid() {
  if (!launch_.many_blocks()) return;
  GridHistory& grid = launch_.grid();
  const std::uint64_t block = context_.point.block;
  std::vector<GridRecord> records;
  global_.for_chunks([&](std::uint64_t first, const GlobalCell* cells, std::uint32_t count) {
    if (!grid.watches(first)) return;
    records.assign(count, {});
    bool any = false;
    for (std::uint32_t i = 0; i < count; ++i) {
      const GlobalCell& cell = cells[i];
      GridRecord& record = records[i];
      if (order_.is_recent(cell.first_read)) {
        record.read = use_of(block, cell.first_read);
        record.read.acquired = acquired_at(cell.first_read);
        std::uint32_t last = published_at(cell.first_read);
        for (const AccessStamp& read : cell.cell.read) {
          if (order_.is_recent(read)) last = std::max(last, published_at(read));
        }
        record.read.published = last;
        any = true;
      }
      if (order_.is_recent(cell.first_write)) {
        const AccessStamp& write = cell.cell.write;
        record.write = use_of(block, cell.first_write);
        record.write.acquired = acquired_at(cell.first_write);
        record.write.published = published_at(write.strong != 0 ? cell.first_write : write);
        record.value = cell.value;
        record.several_values = cell.several_values;
        record.write_after_atomic = cell.write_after_atomic;
        any = true;
      }
      if (order_.is_recent(cell.last_strong)) {
        record.strong = use_of(block, cell.last_strong);
        record.strong.acquired = acquired_at(cell.last_strong);
        record.strong.published = published_at(cell.last_strong);
        any = true;
      }
    }
    if (any) grid.add(first, records.data(), count);
  });
}

}  // namespace tilescope
