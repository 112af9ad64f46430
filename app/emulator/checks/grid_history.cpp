#include "emulator/checks/grid_history.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilescope {

GridHistory::GridHistory(const MemoryMap& memory, std::uint32_t cell_bytes, bool tells)
    : tells_(tells),
      cell_bytes_(cell_bytes),
      cells_per_page_(static_cast<std::uint32_t>(kPageBytes / cell_bytes)) {
  std::uint64_t bytes = 0;
  for (const MemoryRegion& region : memory.regions()) bytes += region.bytes;
  const std::uint64_t cells = bytes * 4 / cell_bytes;  // smaller cells cost more
  one_of_ = std::max<std::uint64_t>(1, (cells + kMostBytes - 1) / kMostBytes);
}

void GridHistory::note(std::unique_ptr<Pair[]>& pairs, std::uint32_t cell,
                       const GridUse& use) const {
  if (pairs == nullptr) pairs = std::make_unique<Pair[]>(cells_per_page_);
  Pair& pair = pairs[cell];
  if (pair.low.block == GridUse::kNever || use.block < pair.low.block) pair.low = use;
  if (pair.high.block == GridUse::kNever || use.block > pair.high.block) pair.high = use;
}

template <class F>
void GridHistory::note_first(std::unique_ptr<Pair[]>& pairs, std::uint32_t cell, const GridUse& use,
                             F comes_first) const {
  if (pairs == nullptr) pairs = std::make_unique<Pair[]>(cells_per_page_);
  Pair& pair = pairs[cell];
  const auto is_first = [&](const GridUse& kept) {
    return kept.block == GridUse::kNever || comes_first(use, kept);
  };
  if (is_first(pair.low)) {
    pair.high = pair.low;
    pair.low = use;
  } else if (is_first(pair.high)) {
    pair.high = use;
  }
}

void GridHistory::add_write(Page& page, std::uint32_t cell, const GridRecord& record) const {
  if (page.writes == nullptr) {
    page.values = std::make_unique<std::uint32_t[]>(cells_per_page_);
    page.values_differ.assign(cells_per_page_, false);
    page.after_atomic.assign(cells_per_page_, true);
  }
  const bool first = page.writes == nullptr || page.writes[cell].low.block == GridUse::kNever;
  if (record.several_values || (!first && page.values[cell] != record.value))
    page.values_differ[cell] = true;
  if (!record.write_after_atomic) page.after_atomic[cell] = false;
  page.values[cell] = record.value;
  note(page.writes, cell, record.write);
}

void GridHistory::compare_with_last(Page& page, std::uint32_t cell,
                                    const GridRecord& record) const {
  const bool reads = record.read.block != GridUse::kNever;
  const bool writes = record.write.block != GridUse::kNever;
  if (!reads && !writes) return;
  if (page.last == nullptr) page.last = std::make_unique<Pair[]>(cells_per_page_);
  Pair& last = page.last[cell];
  const auto compare = [&](const GridUse& read, const GridUse& write) {
    if (read.block == GridUse::kNever || write.block == GridUse::kNever ||
        read.block == write.block || is_before(read, write) || is_before(write, read))
      return;
    page.unordered_pairs.try_emplace(cell, Pair{read, write});
  };
  if (reads) compare(record.read, last.high);
  if (writes) compare(last.low, record.write);
  if (reads) last.low = record.read;
  if (writes) last.high = record.write;
}

void GridHistory::add(std::uint64_t first, const GridRecord* records, std::uint32_t count) {
  const std::uint64_t key = first / kPageBytes;
  Shard& shard = shards_[key / one_of_ % shards_.size()];
  const std::scoped_lock lock(shard.mutex);
  Page& page = shard.pages[key];
  const auto cell = static_cast<std::uint32_t>(first % kPageBytes / cell_bytes_);
  for (std::uint32_t i = 0; i < count; ++i) {
    const GridRecord& record = records[i];
    if (record.read.block != GridUse::kNever) note(page.reads, cell + i, record.read);
    if (record.strong.block != GridUse::kNever) note(page.strong, cell + i, record.strong);
    if (record.write.block != GridUse::kNever) add_write(page, cell + i, record);
    if (record.announced.block != GridUse::kNever) note(page.announced, cell + i, record.announced);
    if (record.informed.block != GridUse::kNever) note(page.informed, cell + i, record.informed);
    if (!tells_) continue;
    compare_with_last(page, cell + i, record);
    // Of two that are alike the lower block, so that the order of the blocks does not count.
    if (record.read.block != GridUse::kNever) {
      note_first(page.weak_reads, cell + i, record.read, [&](const GridUse& a, const GridUse& b) {
        if (a.acquired == b.acquired) return a.block < b.block;
        return std::pair(knowledge_.amount(a.acquired), a.block) <
               std::pair(knowledge_.amount(b.acquired), b.block);
      });
    }
    if (record.write.block != GridUse::kNever) {
      note_first(page.weak_writes, cell + i, record.write, [](const GridUse& a, const GridUse& b) {
        return std::pair(~a.published, a.block) < std::pair(~b.published, b.block);
      });
    }
  }
}

// Beyond kMostTickets there are none that anybody knows of.
std::uint32_t GridHistory::draw_ticket(std::uint64_t address, std::uint32_t block) {
  const std::scoped_lock lock(tickets_mutex_);
  if (ticket_addresses_.size() >= kMostTickets) return 0;
  ticket_addresses_.push_back(address);
  const auto ticket = static_cast<std::uint32_t>(ticket_addresses_.size());
  tickets_of_[block].push_back(ticket);
  last_tickets_[address] = ticket;
  return ticket;
}

std::uint32_t GridHistory::last_ticket(std::uint64_t address) {
  const std::scoped_lock lock(tickets_mutex_);
  const auto found = last_tickets_.find(address);
  return found == last_tickets_.end() ? 0 : found->second;
}

std::map<std::uint64_t, const GridHistory::Page*> GridHistory::sorted_pages() const {
  std::map<std::uint64_t, const Page*> pages;
  for (Shard& shard : shards_) {
    for (const auto& [key, page] : shard.pages) {
      const bool two_kinds = page.strong != nullptr && page.reads != nullptr;
      const bool announced = page.announced != nullptr && page.informed != nullptr;
      if (page.writes != nullptr || two_kinds || announced) pages.emplace(key, &page);
    }
  }
  return pages;
}

// A volatile store and a volatile read are in each other's way only where the kernel means them to
// be in order: by an atomic after the store, and one that the reader drew later at the same place.
bool GridHistory::announces(const GridUse& store, const GridUse& read) const {
  const auto found = tickets_of_.find(store.block);
  if (store.ticket == 0 || read.ticket == 0 || found == tickets_of_.end()) return false;
  const std::uint64_t counter = ticket_addresses_[read.ticket - 1];
  return std::any_of(found->second.begin(), found->second.end(), [&](std::uint32_t ticket) {
    return ticket >= store.ticket && ticket <= read.ticket &&
           ticket_addresses_[ticket - 1] == counter;
  });
}

bool GridHistory::find_announced(const Page& page, std::uint32_t cell, Race* race) const {
  if (page.announced == nullptr || page.informed == nullptr) return false;
  const Pair& stores = page.announced[cell];
  const Pair& reads = page.informed[cell];
  for (const GridUse* store : {&stores.low, &stores.high}) {
    for (const GridUse* read : {&reads.low, &reads.high}) {
      if (store->block == read->block || !announces(*store, *read) || is_before(*store, *read))
        continue;
      const bool in_order = store->block < read->block;
      *race = {};
      race->first = in_order ? *store : *read;
      race->second = in_order ? *read : *store;
      race->first_writes = in_order;
      race->second_writes = !in_order;
      race->announced = true;
      return true;
    }
  }
  return false;
}

// Has one block alone used the cell, or none?
bool GridHistory::has_one_block(const Page& page, std::uint32_t cell) {
  std::uint32_t one = GridUse::kNever;
  for (const auto* const pairs : {&page.reads, &page.writes, &page.strong, &page.informed}) {
    if (*pairs == nullptr) continue;
    const auto& [low, high] = (*pairs)[cell];
    if (low.block == GridUse::kNever) continue;
    if (low.block != high.block || (one != GridUse::kNever && one != low.block)) return false;
    one = low.block;
  }
  return true;
}

bool GridHistory::find_race(const Page& page, std::uint32_t cell, Race* race) const {
  if (has_one_block(page, cell)) return false;
  const auto of = [&](const std::unique_ptr<Pair[]>& pairs, const std::unique_ptr<Pair[]>& more) {
    const Pair none;
    const Pair& two = pairs == nullptr ? none : pairs[cell];
    const Pair& others = more == nullptr ? none : more[cell];
    return std::array{two.low, two.high, others.low, others.high};
  };
  const auto writes = of(page.writes, page.weak_writes);
  const auto reads = of(page.reads, page.weak_reads);
  const auto strong = of(page.strong, nullptr);
  const auto wrote = [&](const GridUse& use) {
    return std::ranges::any_of(writes, [&](const GridUse& one) { return one.block == use.block; });
  };
  const auto are_ordered = [&](const GridUse& x, const GridUse& y) {
    return x.block == y.block || is_before(x, y) || is_before(y, x);
  };
  const auto compare = [&](const auto& a, const auto& b, bool b_writes, bool a_writes) {
    for (const GridUse& x : a) {
      if (x.block == GridUse::kNever) continue;
      for (const GridUse& y : b) {
        if (y.block == GridUse::kNever || are_ordered(x, y)) continue;
        if (&a == &strong && y.is_volatile) continue;
        const bool in_order = x.block < y.block;
        *race = {0,
                 in_order ? x : y,
                 in_order ? y : x,
                 in_order ? a_writes : b_writes,
                 in_order ? b_writes : a_writes,
                 &a == &strong || &b == &strong,
                 wrote(x) && wrote(y),
                 false};
        return true;
      }
    }
    return false;
  };
  if (writes[0].block != GridUse::kNever) {
    if (compare(writes, reads, false, true)) return true;
    if (const auto pair = page.unordered_pairs.find(cell); pair != page.unordered_pairs.end()) {
      const std::array<GridUse, 4> read{pair->second.low};
      const std::array<GridUse, 4> write{pair->second.high};
      if (compare(write, read, false, true)) return true;
    }
    if (page.values_differ[cell] && compare(writes, writes, true, true)) return true;
    // One block that finds itself the last may set the counter back; several may not.
    const bool sets_back = page.after_atomic[cell] && are_ordered(writes[0], writes[1]);
    if (!sets_back && compare(writes, strong, true, true)) return true;
  }
  return compare(strong, reads, false, true) || find_announced(page, cell, race);
}

}  // namespace tilescope
