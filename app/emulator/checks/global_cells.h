#pragma once
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/checks/access_cell.h"

namespace tilescope {

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

}  // namespace tilescope
