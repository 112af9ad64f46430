#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "emulator/checks/block_knowledge.h"
#include "emulator/memory_map.h"

namespace tilescope {

// How one block used a piece of global memory in one way.
struct GridUse {
  static constexpr std::uint32_t kNever = 0xffffffff;
  std::uint32_t block = kNever;
  std::uint32_t thread = 0;
  std::uint32_t instruction = 0;
  // When the block told others that it is over, and what its thread knew of others then: a time
  // and a number of BlockKnowledge.
  std::uint32_t published = kNever;
  std::uint32_t acquired = 0;
  bool is_volatile = false;  // a read that races with plain writes only
  // A volatile store: the first atomic that announced it without a fence; a volatile read: the last
  // one that its thread had drawn (draw_ticket()).
  std::uint32_t ticket = 0;
};

// A piece of global memory as one block leaves it to the history. Where the block has waited for
// others between its plain uses of one kind (a barrier of the grid), those before that stand for
// all: what comes later has an order of its own, and the two together have none.
struct GridRecord {
  GridUse read;    // plain, or volatile without waiting for a flag
  GridUse write;   // plain
  GridUse strong;  // atomics and volatile stores
  std::uint32_t value = 0;
  bool several_values = false;
  bool write_after_atomic = false;
  GridUse announced;  // a volatile store, by a ticket without a fence
  GridUse informed;   // a volatile read that follows a ticket
};

// Which blocks used which pieces of global memory. Of each kind of use only the lowest and the
// highest block are kept, so that the memory is bounded and what is found does not depend on the
// order in which the blocks ran; where blocks tell each other things, also the two that read
// knowing the least, and the two that told last of what they wrote, and each read and write is
// compared with the last of the other kind. Where the buffers together are
// larger than kMostBytes, one 4 KiB page of several is watched. Thread-safe.
class GridHistory {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{24} << 20;
  static constexpr std::size_t kMostTickets = std::size_t{1} << 20;

  // `tells`: blocks may tell each other that they are done with something.
  GridHistory(const MemoryMap& memory, std::uint32_t cell_bytes, bool tells);

  [[nodiscard]] bool watches(std::uint64_t address) const {
    return address / kPageBytes % one_of_ == 0;
  }
  // Adds records[i] of the cells from `first` on; both lie in one page.
  void add(std::uint64_t first, const GridRecord* records, std::uint32_t count);

  [[nodiscard]] BlockKnowledge& knowledge() { return knowledge_; }
  // Is one use over before the other begins?
  [[nodiscard]] bool is_before(const GridUse& use, const GridUse& other) const {
    return use.published != GridUse::kNever &&
           use.published <= knowledge_.time_of(other.acquired, use.block);
  }

  // A block executes an atomic at the address. Tickets rise in the order of these.
  [[nodiscard]] std::uint32_t draw_ticket(std::uint64_t address, std::uint32_t block);
  [[nodiscard]] std::uint32_t last_ticket(std::uint64_t address);  // 0: none

  // Two uses by different blocks that nothing orders, at least one of them a plain write.
  struct Race {
    std::uint64_t address = 0;
    GridUse first;  // of the lower block
    GridUse second;
    bool first_writes = false;
    bool second_writes = false;
    bool strong = false;      // one of them is an atomic
    bool both_write = false;  // each of the two blocks, one after the other
    bool announced = false;   // the write by an atomic that the reader has seen, but no fence
  };
  // Calls see(race) in the order of addresses. After all blocks are done.
  template <class F>
  void for_races(F see) const {
    for (const auto& [key, page] : sorted_pages()) {
      for (std::uint32_t cell = 0; cell < cells_per_page_; ++cell) {
        Race race;
        if (find_race(*page, cell, &race)) {
          race.address = key * kPageBytes + std::uint64_t{cell} * cell_bytes_;
          see(race);
        }
      }
    }
  }

 private:
  struct Pair {
    GridUse low;
    GridUse high;
  };
  struct Page {
    std::unique_ptr<Pair[]> reads;
    std::unique_ptr<Pair[]> writes;
    std::unique_ptr<Pair[]> strong;
    std::unique_ptr<Pair[]> announced;
    std::unique_ptr<Pair[]> informed;
    std::unique_ptr<Pair[]> weak_reads;   // those of two blocks that knew the least
    std::unique_ptr<Pair[]> weak_writes;  // those of two blocks that others learn of last
    // Of the last blocks that read and wrote (low, high): as they ended, for what a block did is
    // best compared with what the one before it did.
    std::unique_ptr<Pair[]> last;
    std::unordered_map<std::uint32_t, Pair> unordered_pairs;  // by cell: the first such read, write
    std::unique_ptr<std::uint32_t[]> values;                  // with writes
    std::vector<bool> values_differ;
    std::vector<bool> after_atomic;  // every plain write came after an atomic of its own block
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, Page> pages;
  };
  [[nodiscard]] std::map<std::uint64_t, const Page*> sorted_pages() const;
  [[nodiscard]] static bool has_one_block(const Page& page, std::uint32_t cell);
  [[nodiscard]] bool find_race(const Page& page, std::uint32_t cell, Race* race) const;
  [[nodiscard]] bool announces(const GridUse& store, const GridUse& read) const;
  [[nodiscard]] bool find_announced(const Page& page, std::uint32_t cell, Race* race) const;
  void compare_with_last(Page& page, std::uint32_t cell, const GridRecord& record) const;
  void add_write(Page& page, std::uint32_t cell, const GridRecord& record) const;
  void note(std::unique_ptr<Pair[]>& pairs, std::uint32_t cell, const GridUse& use) const;
  // Keeps the two uses that come first.
  template <class F>
  void note_first(std::unique_ptr<Pair[]>& pairs, std::uint32_t cell, const GridUse& use,
                  F comes_first) const;

  bool tells_;
  std::uint32_t cell_bytes_;
  std::uint32_t cells_per_page_;
  std::uint64_t one_of_ = 1;
  mutable std::array<Shard, 64> shards_;
  BlockKnowledge knowledge_;
  std::mutex tickets_mutex_;
  std::vector<std::uint64_t> ticket_addresses_;                               // by ticket - 1
  std::unordered_map<std::uint64_t, std::uint32_t> last_tickets_;             // by address
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> tickets_of_;  // by block, rising
};

}  // namespace tilescope
