#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "emulator/checks/access_order.h"

namespace tilescope {

// The lowest `count` bits, at most 64.
[[nodiscard]] inline std::uint64_t ones(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// What is remembered of a piece of memory: who wrote it last, and two readers since. Of readers
// that do not know of each other one is kept for its warp and one from another warp: where the
// barrier of the whole block alone puts warps in order, a write finds one in its way where there is
// any. Elsewhere FurtherAccesses has the others. A plain write is kept beside the strong ones that
// follow it: these are in no other strong one's way, but it is.
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

// Accesses of shared memory for which an AccessCell has no room: of each warp the last read and the
// last strong write, by cell.
class FurtherAccesses {
 public:
  enum Kind : std::uint8_t { kReads, kWrites };

  void start(std::size_t cells) {
    slots_.assign(cells, {});
  }  // it is empty and is not asked before
  [[nodiscard]] bool any(std::size_t cell) const {
    return !slots_.empty() && (slots_[cell][kReads] | slots_[cell][kWrites]) != 0;
  }
  [[nodiscard]] bool any(Kind kind, std::size_t cell) const {
    return !slots_.empty() && slots_[cell][kind] != 0;
  }
  void add(Kind kind, std::size_t cell, const AccessStamp& access);
  // The first of a cell's for which is_it(access) is true; nullptr: none.
  template <class F>
  [[nodiscard]] const AccessStamp* find(Kind kind, std::size_t cell, F is_it) const {
    if (!any(kind, cell)) return nullptr;
    for (std::uint32_t slot = slots_[cell][kind]; slot != 0; slot = records_[slot - 1].next) {
      const Record& record = records_[slot - 1];
      for (std::uint32_t i = 0; i < record.count; ++i)
        if (is_it(record.last[i])) return &record.last[i];
    }
    return nullptr;
  }
  void forget(Kind kind, std::size_t cell);
  [[nodiscard]] std::uint64_t held_bytes() const { return records_.size() * sizeof(Record); }

 private:
  // Of a few warps; the others stand in the next one.
  struct alignas(64) Record {
    std::uint32_t next = 0;  // place in records_ + 1; 0: none
    std::uint32_t count = 0;
    std::array<AccessStamp, 7> last;
  };

  std::uint32_t take();

  std::vector<std::array<std::uint32_t, 2>> slots_;  // [cell][kind]: place in records_ + 1; 0: none
  std::vector<Record> records_;
  std::vector<std::uint32_t> free_;
};

inline void remember_write(AccessCell& cell, const AccessStamp& now) {
  if (now.strong == 0) {
    cell.plain = {};
  } else if (cell.write.strong == 0) {
    cell.plain = cell.write;
  }
  cell.write = now;
}

// is_ordered(past): does it happen before `now`? drop(reader) gets the reader of another warp for
// which there is no room any more.
template <class F, class D>
void remember_read(AccessCell& cell, const AccessStamp& now, F is_ordered, D drop) {
  const bool together = is_one_step(cell.read[0], now);
  if (together) {  // lanes that read one place at once: two of them will do
    if (is_ordered(cell.read[1])) cell.read[1] = now;
  } else if (is_ordered(cell.read[0])) {
    cell.read[0] = now;
  } else if (is_ordered(cell.read[1])) {
    cell.read[1] = now;
  } else if (cell.read[0].warp() != now.warp()) {
    if (cell.read[1].warp() != now.warp()) drop(cell.read[1]);
    cell.read[1] = now;
  } else {
    cell.read[0] = now;
  }
}
inline constexpr auto kDropped = [](const AccessStamp&) {};  // nobody asks for it
template <class D>
void remember_read(AccessCell& cell, const AccessStamp& now, const AccessOrder& order, D drop) {
  remember_read(
      cell, now, [&](const AccessStamp& past) { return order.ordered(past, now.thread); }, drop);
}

// Has the cell two readers of different warps that the reading warp knows nothing of? Where the
// barrier of the whole block alone puts warps in order, a write that comes before it is in the way
// of one of them, whoever writes: one more reader adds nothing.
[[nodiscard]] inline bool has_readers_of_two_warps(const AccessCell& cell,
                                                   const AccessOrder::KnownTicks& known) {
  const auto& [first, second] = cell.read;
  return first.tick > known[first.warp()] && second.tick > known[second.warp()] &&
         first.warp() != second.warp();
}

// remember_read() by each of some lanes of a warp that read a place together, but for the lanes
// that would change nothing. `now`: of the warp's first lane; `known` to the warp.
template <class D>
void remember_reads(AccessCell& cell, AccessStamp now, std::uint32_t lanes,
                    const AccessOrder::KnownTicks& known, const AccessOrder& order, D drop) {
  const std::uint32_t warp = now.warp();
  const auto is_known = [&](const AccessStamp& past) { return past.tick <= known[past.warp()]; };
  const auto is_ordered = [&](const AccessStamp& past) {
    return is_known(past) || order.ordered(past, now.thread);
  };
  while (true) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    now.thread = (warp * 32 + lane) & 0x3ffu;
    remember_read(cell, now, is_ordered, drop);
    lanes &= lanes - 1;
    if (lanes == 0) return;
    if (order.is_fine()) continue;
    const auto& [first, second] = cell.read;
    if (first.tick == now.tick && first.warp() == warp) {
      if (is_known(second)) continue;  // the next lane takes its place, or the lane that made it
      if (second.warp() != warp || (lanes >> second.lane() & 1u) == 0) return;
      lanes = 1u << second.lane();
    } else if (first.warp() != warp) {
      lanes = std::bit_floor(lanes);  // each takes the second place: the last one keeps it
    }
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
  // Has every byte of [begin, end) been? False where it would take long to say.
  [[nodiscard]] bool all(std::uint64_t begin, std::uint64_t end) const {
    constexpr std::uint64_t kMostWords = 16;
    const std::uint64_t last = (end - 1) / 64;
    std::uint64_t word = begin / 64;
    if (last - word >= kMostWords) return false;
    const std::uint64_t before = ~(~std::uint64_t{0} << begin % 64);
    const std::uint64_t behind = end % 64 == 0 ? 0 : ~std::uint64_t{0} << end % 64;
    std::uint64_t found = words_[word] | before;
    for (; word < last; found = words_[++word])
      if (found != ~std::uint64_t{0}) return false;
    return (found | behind) == ~std::uint64_t{0};
  }
  // Bit i: byte offset + i has not been written.
  [[nodiscard]] std::uint64_t missing(std::uint64_t offset, unsigned bytes) const {
    return ~(words_[offset / 64] >> (offset % 64)) & ones(bytes);
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace tilescope
