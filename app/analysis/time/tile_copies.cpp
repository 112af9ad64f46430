#include "analysis/time/tile_copies.h"

#include <algorithm>
#include <bit>

namespace tilescope {
namespace {

constexpr std::uint32_t kNobody = TileEpochs::kNobody;

struct RegisterOrigin {
  std::uint32_t loaded_at = kNever;  // issue of the global load that its value comes from
  std::uint32_t landed_at = 0;       // and when that had its data
  std::uint32_t tile = kNever;       // of the shared load that wrote it
  bool from_shared = false;          // its value comes from such a load, if by way of arithmetic
};

class Follower {
 public:
  Follower(const Program& program, const BlockTrace& trace,
           const std::vector<InstructionCost>& costs, const WarpTiming& timing)
      : trace_(trace),
        instructions_(program.instructions()),
        costs_(costs),
        timing_(timing),
        epochs_(program, trace, timing.warps.size()) {
    warps_.resize(timing.warps.size());
    for (Warp& warp : warps_) warp.origins.resize(program.register_count());
  }

  TileCopies follow() {
    for (std::uint32_t e = 0; e < trace_.events.size(); ++e) {
      if (timing_.events[e].issue != kNever) follow(e);
    }
    return finish();
  }

 private:
  struct Warp {
    std::vector<RegisterOrigin> origins;
    TileUse use;
  };

  void follow(std::uint32_t e) {
    const TraceEvent& event = trace_.events[e];
    const StaticInstruction& instruction = instructions_[event.instruction];
    Warp& warp = warps_[event.warp];
    const EventTime& time = timing_.events[e];
    const TimingEffect effect = costs_[event.instruction].effect;
    warp.use.multiplies |= instruction.instruction_class == InstructionClass::kTensor;
    epochs_.pass(event.warp, effect);
    copy_in_bulk(e);
    if (effect == TimingEffect::kCommitGroup || effect == TimingEffect::kWaitAll ||
        effect == TimingEffect::kBarrier) {
      return;
    }
    RegisterOrigin written;
    const bool has_access = event.access != kNoAccess;
    if (instruction.access == AccessKind::kAsyncCopy && has_access) {
      const std::uint32_t tile = tile_of(e, true);
      if (epochs_.uses_mbarriers(event.warp)) {
        const auto lanes = std::popcount(trace_.access(event.access + 1).active);
        tiles_[tile].bytes += static_cast<std::uint64_t>(lanes) * instruction.bytes_per_lane;
        warp.use.copies = true;
      }
      tiles_[tile].issue = std::min(tiles_[tile].issue, time.issue);
      write(trace_.access(event.access + 1), tile, time.done);
      return;
    }
    const bool elsewhere =
        has_access && trace_.access(event.access).space == MemorySpace::kClusterShared;
    if (has_access && instruction.space == MemorySpace::kShared && !elsewhere) {
      const WarpAccess access = trace_.access(event.access);
      if (instruction.access == AccessKind::kStore || instruction.access == AccessKind::kStmatrix) {
        store(access, e, instruction, time);
        return;
      }
      written.tile = read(access, time);
      warp.use.reads |= written.tile != kNever;
      written.from_shared = true;
    } else if (has_access && instruction.space == MemorySpace::kGlobal) {
      written.loaded_at = time.issue;
      written.landed_at = time.done;
    } else {
      for (const std::uint32_t r : instruction.reads) {
        const RegisterOrigin& origin = warp.origins[r];
        if (origin.tile != kNever) {
          tiles_[origin.tile].last_use = std::max(tiles_[origin.tile].last_use, time.issue);
        }
        written.from_shared |= origin.from_shared;
        if (origin.loaded_at == kNever) continue;
        if (written.loaded_at == kNever || origin.loaded_at > written.loaded_at) {
          written.loaded_at = origin.loaded_at;
        }
        written.landed_at = std::max(written.landed_at, origin.landed_at);
      }
    }
    for (const std::uint32_t r : instruction.writes) warp.origins[r] = written;
    for (; next_operand_ < trace_.operand_reads.size() &&
           trace_.operand_reads[next_operand_].event <= e;
         ++next_operand_) {
      if (trace_.operand_reads[next_operand_].event == e)
        warp.use.reads |= read(trace_.operand_reads[next_operand_].offset, time) != kNever;
    }
  }

  // Also those of other blocks of the cluster, which come before the event.
  void copy_in_bulk(std::uint32_t e) {
    for (; next_copy_ < trace_.bulk_copies.size(); ++next_copy_) {
      const BulkCopy& copy = trace_.bulk_copies[next_copy_];
      if (copy.event > e) return;
      if (!copy.loads()) continue;
      const std::uint32_t number = epochs_.tile_of(copy);
      TileCopy& tile = new_tile(number, true);
      tile.is_bulk = true;
      tile.bytes += copy.bytes;
      tile.issue = std::min(tile.issue, timing_.events[e].issue);
      const bool is_own = copy.lane < kWarpSize;  // what others copy is taken as done here
      tile.arrived =
          std::max(tile.arrived, is_own ? timing_.events[e].done : timing_.events[e].issue);
      if (is_own) warps_[trace_.events[e].warp].use.copies = true;
      const std::uint64_t end = copy.shared + copy.bytes;
      for (std::uint64_t byte = copy.shared; byte < end; byte += 4)
        epochs_.write(static_cast<std::uint32_t>(byte), number);
    }
  }

  std::uint32_t tile_of(std::uint32_t e, bool is_async) {
    const std::uint32_t number = epochs_.tile_of(trace_.events[e].warp, e, is_async);
    new_tile(number, is_async);
    return number;
  }

  TileCopy& new_tile(std::uint32_t number, bool is_async) {
    if (number == tiles_.size()) {
      TileCopy tile;
      tile.is_async = is_async;
      tile.issue = kNever;
      tiles_.push_back(tile);
    }
    return tiles_[number];
  }

  void store(const WarpAccess& access, std::uint32_t e, const StaticInstruction& instruction,
             const EventTime& time) {
    const std::vector<RegisterOrigin>& origins = warps_[trace_.events[e].warp].origins;
    std::uint32_t loaded = kNever;
    std::uint32_t landed = 0;
    bool from_shared = false;
    for (const std::uint32_t r : instruction.reads) {
      loaded = std::min(loaded, origins[r].loaded_at);
      landed = std::max(landed, origins[r].landed_at);
      from_shared |= origins[r].from_shared;
    }
    if (loaded == kNever) {  // nothing is brought: what lies there is worked on, or set
      if (!from_shared) hand_over(access, kNobody);
      return;
    }
    const std::uint32_t number = tile_of(e, false);
    TileCopy& tile = tiles_[number];
    tile.landed = std::max(tile.landed, landed);
    tile.stored = std::min(tile.stored, time.issue);
    tile.issue = std::min(tile.issue, loaded);
    write(access, number, time.done);
  }

  // All that the access touches holds the tile from now on.
  void hand_over(const WarpAccess& access, std::uint32_t tile) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1u) == 0) continue;
      const auto begin = static_cast<std::uint32_t>(access.address[lane]);
      const std::uint32_t end = begin + access.bytes_per_lane;
      for (std::uint32_t byte = begin; byte < end; byte += 4) epochs_.write(byte, tile);
    }
  }

  void write(const WarpAccess& access, std::uint32_t tile, std::uint32_t done) {
    tiles_[tile].arrived = std::max(tiles_[tile].arrived, done);
    hand_over(access, tile);
  }

  // The tile that the access reads, kNever where nothing was written.
  std::uint32_t read(const WarpAccess& access, const EventTime& time) {
    if (access.active == 0) return kNever;
    const auto lane = static_cast<std::size_t>(std::countr_zero(access.active));
    return read(static_cast<std::uint32_t>(access.address[lane]), time);
  }
  std::uint32_t read(std::uint32_t offset, const EventTime& time) {
    const std::uint32_t writer = epochs_.writer(offset);
    if (writer == kNobody) return kNever;
    TileCopy& tile = tiles_[writer];
    tile.first_read = std::min(tile.first_read, time.issue);
    tile.last_use = std::max(tile.last_use, time.done);
    return writer;
  }

  TileCopies finish() {
    TileCopies found;
    found.rows = epochs_.parts();
    if (found.rows.empty()) return found;
    for (std::uint32_t i = 0; i < tiles_.size(); ++i) {
      tiles_[i].row = epochs_.part_of(i, found.rows);
    }
    for (TileCopy& tile : tiles_) {
      if (tile.is_async || tile.landed == 0) tile.landed = tile.arrived;
      tile.landed = std::max(tile.landed, tile.issue);
    }
    found.tiles = std::move(tiles_);
    for (const Warp& warp : warps_) found.warps.push_back(warp.use);
    std::ranges::stable_sort(found.tiles, {}, &TileCopy::issue);
    return found;
  }

  const BlockTrace& trace_;
  const std::vector<StaticInstruction>& instructions_;
  const std::vector<InstructionCost>& costs_;
  const WarpTiming& timing_;
  std::vector<Warp> warps_;
  std::vector<TileCopy> tiles_;  // as epochs_ counts them
  TileEpochs epochs_;
  std::size_t next_operand_ = 0;  // of BlockTrace::operand_reads
  std::size_t next_copy_ = 0;     // of BlockTrace::bulk_copies
};

template <typename Length>
std::uint32_t median(const std::vector<TileCopy>& tiles, const Length& length) {
  std::vector<std::uint32_t> lengths;
  const bool is_long = tiles.size() >= 10;
  const std::size_t begin = is_long ? tiles.size() / 5 : 0;
  const std::size_t end = is_long ? tiles.size() - 1 : tiles.size();
  for (std::size_t i = begin; i < end; ++i) {
    if (tiles[i].first_read != kNever) lengths.push_back(length(tiles[i]));
  }
  if (lengths.empty()) return 0;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

}  // namespace

std::uint32_t TileCopies::copy_cycles() const {
  return median(tiles, [](const TileCopy& t) {
    const bool rests = t.stored != kNever && t.stored > t.landed;  // in registers
    return t.arrived - std::min(t.issue, t.arrived) - (rests ? t.stored - t.landed : 0);
  });
}

std::uint32_t TileCopies::use_cycles() const {
  return median(tiles,
                [](const TileCopy& t) { return t.last_use - std::min(t.first_read, t.last_use); });
}

namespace {

// The mean of what is under way, while anything is.
template <typename Weight>
double under_way(const std::vector<TileCopy>& tiles, const Weight& weight) {
  double copying = 0;
  double any = 0;
  std::uint32_t covered = 0;
  for (const TileCopy& tile : tiles) {
    if (tile.landed <= tile.issue) continue;
    copying += weight(tile) * (tile.landed - tile.issue);
    const std::uint32_t from = std::max(tile.issue, covered);
    if (tile.landed > from) any += tile.landed - from;
    covered = std::max(covered, tile.landed);
  }
  return any == 0 ? 0 : copying / any;
}

}  // namespace

namespace {

bool only_reads(const TileUse& warp) { return warp.reads && !warp.copies; }

// Warps that only read tiles: the helpers among them, or the consumers.
std::vector<std::uint32_t> only_readers(const std::vector<TileUse>& warps, bool helpers) {
  const bool by_products = std::ranges::any_of(
      warps, [](const TileUse& warp) { return only_reads(warp) && warp.multiplies; });
  std::vector<std::uint32_t> found;
  for (std::uint32_t warp = 0; warp < warps.size(); ++warp) {
    const bool helps = by_products && !warps[warp].multiplies;
    if (only_reads(warps[warp]) && helps == helpers) found.push_back(warp);
  }
  return found;
}

}  // namespace

double TileCopies::in_flight() const {
  return under_way(tiles, [](const TileCopy&) { return 1.0; });
}

double TileCopies::bytes_in_flight() const {
  return under_way(tiles, [](const TileCopy& tile) { return static_cast<double>(tile.bytes); });
}

std::vector<std::uint32_t> TileCopies::producers() const {
  std::vector<std::uint32_t> found;
  if (consumers().empty()) return found;
  for (std::uint32_t warp = 0; warp < warps.size(); ++warp) {
    if (warps[warp].copies && !warps[warp].reads) found.push_back(warp);
  }
  return found;
}

std::vector<std::uint32_t> TileCopies::consumers() const { return only_readers(warps, false); }

std::vector<std::uint32_t> TileCopies::helpers() const { return only_readers(warps, true); }

TileCopies tile_copies(const Program& program, const BlockTrace& trace,
                       const std::vector<InstructionCost>& costs, const WarpTiming& timing) {
  return Follower(program, trace, costs, timing).follow();
}

namespace {

constexpr std::uint32_t kGranule = 4;   // bytes of shared memory that have one writer
constexpr std::size_t kMostParts = 16;  // more are no ring

}  // namespace

TileEpochs::TileEpochs(const Program& program, const BlockTrace& trace, std::size_t warps)
    : warps_(warps) {
  for (const MbarrierUse& use : trace.mbarrier_uses) {
    if (use.waits || use.elsewhere) continue;
    const TraceEvent& event = trace.events[use.event];
    if (program.instructions()[event.instruction].operation != Operation::kMbarrierCpAsync)
      continue;
    std::vector<Arrival>& arrivals = warps_[event.warp].arrivals;
    if (arrivals.empty() || arrivals.back().event != use.event)  // not for each lane
      arrivals.push_back({use.event, {use.barrier, use.phase}});
  }
}

void TileEpochs::pass(std::uint32_t warp, TimingEffect effect) {
  Warp& own = warps_[warp];
  if (effect == TimingEffect::kBarrier) ++own.barrier;
  if (effect == TimingEffect::kCommitGroup || effect == TimingEffect::kWaitAll) ++own.group;
}

bool TileEpochs::uses_mbarriers(std::uint32_t warp) const {
  return warps_[warp].next_arrival < warps_[warp].arrivals.size();
}

std::uint32_t TileEpochs::tile_of(std::uint32_t warp, std::uint32_t event, bool is_async) {
  Warp& own = warps_[warp];
  while (own.next_arrival < own.arrivals.size() && own.arrivals[own.next_arrival].event < event) {
    ++own.next_arrival;
  }
  if (is_async && uses_mbarriers(warp)) return tile_of(own.arrivals[own.next_arrival].phase);
  const auto next = static_cast<std::uint32_t>(first_byte_.size());
  const auto [at, is_new] =
      by_epoch_.try_emplace({is_async, is_async ? own.group : own.barrier}, next);
  if (is_new) first_byte_.push_back(kNobody);
  return at->second;
}

std::uint32_t TileEpochs::tile_of(const BulkCopy& copy) {
  return tile_of(Phase{copy.barrier, copy.phase});
}

std::uint32_t TileEpochs::tile_of(Phase phase) {
  const auto next = static_cast<std::uint32_t>(first_byte_.size());
  const auto [at, is_new] = by_phase_.try_emplace(phase, next);
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
