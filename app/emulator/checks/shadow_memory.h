#pragma once
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/checks/access_order.h"

namespace tilescope {

// What is remembered of a piece of memory: who wrote it last, and two readers since. Of readers
// that do not know of each other one is kept for its warp and one from another warp, so that a
// write finds one in its way where there is any. A plain write is kept beside the strong ones that
// follow it: these are in no other strong one's way, but it is. Of two strong ones the later alone
// is kept: who comes after that one is not harmed by the other.
struct AccessCell {
  AccessStamp write;  // or an atomic
  AccessStamp plain;  // the last plain write, where `write` is a strong one
  AccessStamp read[2];
};

// Are two accesses, one of them a write, in each other's way? Strong ones are not, but for volatile
// ones of one warp: since Volta its lanes need not run in step, and volatile does not make them.
[[nodiscard]] inline bool conflicts(const AccessStamp& past, const AccessStamp& now,
                                    const AccessOrder& order) {
  if (past.tick == 0 || order.ordered(past, now.thread)) return false;
  if (past.strong == 0 || now.strong == 0) return true;
  const bool volatile_lanes = past.atomic == 0 && now.atomic == 0 && past.warp() == now.warp();
  return volatile_lanes && past.polls == 0 && now.polls == 0;
}

inline void remember_write(AccessCell& cell, const AccessStamp& now) {
  if (now.strong == 0) {
    cell.plain = {};
  } else if (cell.write.strong == 0) {
    cell.plain = cell.write;
  }
  cell.write = now;
}

inline void remember_read(AccessCell& cell, const AccessStamp& now, const AccessOrder& order) {
  const bool together = cell.read[0].tick == now.tick && cell.read[0].warp() == now.warp();
  if (together) {  // lanes that read one place at once: two of them will do
    if (order.ordered(cell.read[1], now.thread)) cell.read[1] = now;
    return;
  }
  if (order.ordered(cell.read[0], now.thread)) {
    cell.read[0] = now;
  } else if (order.ordered(cell.read[1], now.thread) || cell.read[0].warp() != now.warp()) {
    cell.read[1] = now;
  } else {
    cell.read[0] = now;
  }
}

// What one block did to a piece of global memory.
struct GlobalCell {
  AccessCell cell;
  AccessStamp first_read;   // plain before volatile, for the order between blocks
  AccessStamp first_write;  // plain
  AccessStamp last_strong;  // atomics and volatile stores
  std::uint32_t value = 0;  // written last
  bool several_values = false;
  bool write_after_atomic = false;  // plain writes began after an atomic of the block's own
};

// The cells of the global memory that a block touches, in chunks of 256 bytes. Bounded: what a
// block touches beyond kMostChunks is not remembered.
class GlobalCells {
 public:
  static constexpr std::uint64_t kChunkBytes = 256;
  static constexpr std::size_t kMostBytes = std::size_t{192} << 20;

  explicit GlobalCells(std::uint32_t cell_bytes)
      : cell_bytes_(cell_bytes),
        shift_(static_cast<std::uint32_t>(std::countr_zero(cell_bytes))),
        cells_per_chunk_(static_cast<std::uint32_t>(kChunkBytes / cell_bytes)) {}

  // Forgets the chunks, for a new block; cells keep their old stamps, which are older than it.
  void start_block();
  // The cell that holds an address; nullptr: no room.
  GlobalCell* at(std::uint64_t address) {
    const std::uint64_t key = address / kChunkBytes;
    if (key != last_key_) {
      last_chunk_ = find(key);
      last_key_ = key;
    }
    return last_chunk_ == nullptr ? nullptr : last_chunk_ + (address % kChunkBytes >> shift_);
  }
  [[nodiscard]] std::uint32_t cell_bytes() const { return cell_bytes_; }
  [[nodiscard]] std::uint64_t held_bytes() const {
    return chunks_.size() * cells_per_chunk_ * sizeof(GlobalCell);
  }

  // see(first address, cells) for every chunk of this block.
  template <class F>
  void for_chunks(F see) const {
    for (std::size_t i = 0; i < keys_.size(); ++i)
      see(keys_[i] * kChunkBytes, chunks_[i].get(), cells_per_chunk_);
  }

 private:
  GlobalCell* find(std::uint64_t key);
  void grow();

  std::uint32_t cell_bytes_;  // a power of two
  std::uint32_t shift_;
  std::uint32_t cells_per_chunk_;
  std::uint64_t last_key_ = ~std::uint64_t{0};
  GlobalCell* last_chunk_ = nullptr;
  std::vector<std::uint32_t> table_;  // open addressing: index + 1 into keys_; 0: free
  std::vector<std::uint64_t> keys_;   // of this block, in the order of their first use
  std::vector<std::unique_ptr<GlobalCell[]>> chunks_;  // the first keys_.size() are in use
};

// Which bytes of a memory have been written, a bit each.
class WrittenBytes {
 public:
  void reset(std::uint64_t bytes) { words_.assign(bytes / 64 + 1, 0); }
  // [offset, offset + bytes) lies within 64 aligned bytes, as every aligned access does.
  void write(std::uint64_t offset, unsigned bytes) {
    words_[offset / 64] |= ones(bytes) << (offset % 64);
  }
  // Those of bit i: byte offset + i are as if nobody had.
  void forget(std::uint64_t offset, std::uint64_t bytes) {
    words_[offset / 64] &= ~(bytes << (offset % 64));
  }
  // Bit i: byte offset + i has not been written.
  [[nodiscard]] std::uint64_t missing(std::uint64_t offset, unsigned bytes) const {
    return ~(words_[offset / 64] >> (offset % 64)) & ones(bytes);
  }

 private:
  static std::uint64_t ones(unsigned bytes) {
    return bytes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
  }
  std::vector<std::uint64_t> words_;
};

}  // namespace tilescope
