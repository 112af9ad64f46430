#include "emulator/checks/shadow_memory.h"

#include <algorithm>
#include <utility>

namespace tilescope {
namespace {

std::size_t hash(std::uint64_t key) {
  return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 20);
}

}  // namespace

void GlobalCells::start_block() {
  keys_.clear();
  std::fill(table_.begin(), table_.end(), 0u);
  last_key_ = ~std::uint64_t{0};
  last_chunk_ = nullptr;
}

GlobalCell* GlobalCells::find(std::uint64_t key) {
  if (2 * (keys_.size() + 1) > table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash(key) & mask;
  for (; table_[slot] != 0; slot = (slot + 1) & mask) {
    if (keys_[table_[slot] - 1] == key) return chunks_[table_[slot] - 1].get();
  }
  if (keys_.size() == chunks_.size()) {
    const std::size_t bytes = cells_per_chunk_ * sizeof(GlobalCell);
    if ((chunks_.size() + 1) * bytes > kMostBytes) return nullptr;
    chunks_.push_back(std::make_unique<GlobalCell[]>(cells_per_chunk_));
  }
  keys_.push_back(key);
  table_[slot] = static_cast<std::uint32_t>(keys_.size());
  return chunks_[keys_.size() - 1].get();
}

void GlobalCells::grow() {
  table_.assign(std::max<std::size_t>(256, 2 * table_.size()), 0u);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    std::size_t slot = hash(keys_[i]) & mask;
    while (table_[slot] != 0) slot = (slot + 1) & mask;
    table_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

void FurtherAccesses::add(Kind kind, std::size_t cell, const AccessStamp& access) {
  if (slots_.empty()) return;
  std::uint32_t slot = slots_[cell][kind];
  for (; slot != 0; slot = records_[slot - 1].next) {
    Record& record = records_[slot - 1];
    for (std::uint32_t i = 0; i < record.count; ++i) {
      if (record.last[i].warp() != access.warp()) continue;
      record.last[i] = access;
      return;
    }
    if (record.count < record.last.size()) break;
  }
  if (slot == 0) {
    slot = take();
    records_[slot - 1].next = std::exchange(slots_[cell][kind], slot);
  }
  Record& record = records_[slot - 1];
  record.last[record.count++] = access;
}

void FurtherAccesses::forget(Kind kind, std::size_t cell) {
  if (!any(kind, cell)) return;
  for (std::uint32_t slot = std::exchange(slots_[cell][kind], 0u); slot != 0;
       slot = records_[slot - 1].next)
    free_.push_back(slot);
}

std::uint32_t FurtherAccesses::take() {
  if (free_.empty()) {
    records_.emplace_back();
    return static_cast<std::uint32_t>(records_.size());
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  records_[slot - 1].next = 0;
  records_[slot - 1].count = 0;
  return slot;
}

}  // namespace tilescope
