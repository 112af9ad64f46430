#include "emulator/checks/cluster_race_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/checks/checked_block.h"
#include "emulator/checks/race_message.h"
#include "emulator/execution/barriers.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/finding_log.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/place_name.h"
#include "emulator/execution/register_cells.h"

namespace tilescope {

void ClusterRaces::start_block(std::uint64_t shared_bytes, std::uint32_t cell_bytes,
                               std::size_t warps, std::size_t instructions) {
  cell_shift_ = static_cast<unsigned>(std::countr_zero(cell_bytes));
  cells_.assign((shared_bytes >> cell_shift_) + 1, {});
  visits_.assign(warps * instructions, {});
  instructions_ = instructions;
}

void ClusterRaces::visit(const Touch& now) {
  Visit& visit = visits_[now.thread / kWarpSize * instructions_ + now.instruction];
  if (visit.phase != now.phase) visit = {now.phase, now.tick};
}

bool ClusterRaces::came_from(std::uint32_t instruction, const Touch& access) const {
  const Visit& visit = visits_[access.thread / kWarpSize * instructions_ + instruction];
  return visit.phase == access.phase && visit.tick < access.tick;
}

const ClusterRaces::Race* ClusterRaces::touch(std::uint64_t offset, const Touch& now, bool writes) {
  const std::size_t index = offset >> cell_shift_;
  if (index >= cells_.size()) return nullptr;
  Cell& cell = cells_[index];
  const Race* race = nullptr;
  const auto find = [&](const Touch& past, bool past_writes) {
    if (race != nullptr || !conflicts(past, now)) return;
    found_ = {past, past_writes};
    race = &found_;
  };
  find(cell.write, true);
  find(cell.plain_write, true);
  if (writes) {
    for (const Touch& read : cell.read) find(read, false);
    cell.write = now;
    if (!now.strong) cell.plain_write = now;
    return race;
  }
  // Of two ranks each write finds another's read.
  Touch& same = cell.read[1].phase == now.phase && cell.read[1].rank == now.rank ? cell.read[1]
                                                                                 : cell.read[0];
  if (&same == cell.read.data() && cell.read[0].phase == now.phase &&
      cell.read[0].rank != now.rank) {
    cell.read[1] = now;
  } else {
    same = now;
  }
  return race;
}

ClusterRaceCheck::ClusterRaceCheck(CheckedBlock& block, RaceCheck& own_races)
    : block_(block), own_races_(own_races) {
  block.context.peer_races = &races_;
  races_.order = &block.order;
}

StepEvents ClusterRaceCheck::needs(std::uint32_t instruction) const {
  if (block_.block.code().cluster.count() == 1) return {};
  const InstructionNote& note = block_.notes.of[instruction];
  const Synchronisation kind = block_.synchronisation(instruction);
  return {
      .before = kind == Synchronisation::kWaitMbarrier || kind == Synchronisation::kStartMbarrier,
      .accesses = note.may_access(MemorySpace::kShared) || note.may_access(MemorySpace::kGlobal)};
}

void ClusterRaceCheck::on_block_begin(std::vector<Warp>&) {
  phase_ = 0;
  has_heard_ = false;
  races_.was_told = false;
  races_.may_know_more = false;
  races_.known.clear();
  starts_.clear();
  uses_.clear();
  arrivals_.clear();
  arrived_.clear();
  if (block_.context.cluster == nullptr) return;
  races_.start_block(block_.context.shared_bytes, block_.notes.shared_cell_bytes,
                     (block_.context.block_extent.count() + kWarpSize - 1) / kWarpSize,
                     block_.notes.of.size());
}

void ClusterRaceCheck::before(const WarpStep& step) {
  if (block_.synchronisation(step.op.instruction) == Synchronisation::kStartMbarrier) {
    note_start(step);
  } else {
    has_heard_ = true;
  }
}

void ClusterRaceCheck::on_cluster_arrive(const Warp& warp, std::uint32_t lanes) {
  arrived_.resize(block_.block.warps().size());
  arrived_[warp.index].lanes |= lanes;
  arrived_[warp.index].phase = phase_;
}

void ClusterRaceCheck::on_cluster_pass(const Warp& warp, std::uint32_t lanes) {
  arrived_[warp.index].lanes &= ~lanes;
}

void ClusterRaceCheck::on_release(std::uint32_t barrier, bool) {
  if (barrier != Barriers::kCluster || arrived_.empty()) return;
  for (const Warp& warp : block_.block.warps()) {
    for (const Split& split : warp.splits) {
      const bool waits = split.state == Split::State::kAtBarrier && split.barrier == barrier;
      if (waits) on_cluster_pass(warp, split.mask);
    }
  }
}

// All that the others have done so far is over.
void ClusterRaceCheck::on_cluster_sync() {
  ++phase_;
  has_heard_ = false;
  races_.was_told = false;
  races_.may_know_more = false;
  const std::vector<Cluster::Member>& members = block_.context.cluster->members;
  const std::uint64_t threads = block_.context.block_extent.count();
  races_.known.resize(members.size());
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    const ClusterRaces* const races = members[rank].context->peer_races;
    if (races == nullptr || &races_ == races) continue;
    const std::vector<std::uint32_t> by_warp = races->order->ticks();
    std::vector<std::uint32_t>& known = races_.known[rank];
    known.resize(threads);
    for (std::size_t t = 0; t < threads; ++t) known[t] = by_warp[t / kWarpSize];
  }
}

const Cluster::Member* ClusterRaceCheck::checked_member(const Dim3& block) const {
  const std::vector<Cluster::Member>& members = block_.context.cluster->members;
  const auto found = std::ranges::find_if(
      members, [&](const Cluster::Member& member) { return member.context->block == block; });
  const bool checked = found != members.end() && found->context->peer_races != nullptr;
  return checked ? &*found : nullptr;
}

void ClusterRaceCheck::learn(std::vector<std::uint32_t>& to,
                             const std::vector<std::uint32_t>& from) const {
  to.resize(from.size());
  for (std::size_t t = 0; t < from.size(); ++t) to[t] = std::max(to[t], from[t]);
}

void ClusterRaceCheck::on_peer_store(const Finding::Other&, std::uint64_t, unsigned) {
  races_.was_told = true;
}

void ClusterRaceCheck::note_start(const WarpStep& step) {
  const MicroOp& op = step.op;
  for (const unsigned lane : lanes_in(step.lanes)) {
    const bool wide = (op.flags & kWideAddress) != 0;
    const std::uint64_t named = (cell_at(step.registers, op.row[1], lane, wide) +
                                 static_cast<std::uint64_t>(op.immediate)) &
                                (kWindowBytes - 1);
    const SharedPlace place = find_shared(named, true, block_.context);
    if (place.owner != &block_.context) continue;
    const Finding::Other start{op.instruction, block_.context.block,
                               thread_of(block_.context, lane)};
    starts_[place.offset] = {phase_, start};
    const auto use = uses_.find(place.offset);
    if (use != uses_.end() && use->second.phase == phase_)
      report_use(place.offset, use->second.by, start);
  }
}

void ClusterRaceCheck::on_bulk_copy(const WarpPoint&, unsigned lane,
                                    const BulkTransfers::Copy& copy, std::span<const BulkPiece>) {
  if (lane < kWarpSize) return;
  note_use(copy.barrier, copy.issuer);
  if (const Cluster::Member* const copier = checked_member(copy.issuer.block))
    check_refill(copy, *copier->context->peer_races);
}

void ClusterRaceCheck::on_mbarrier(const WarpPoint& where, unsigned lane, std::uint64_t offset,
                                   bool waits, bool) {
  if (block_.context.cluster == nullptr) return;
  races_.known.resize(block_.context.cluster->members.size());
  if (lane < kWarpSize) {
    if (!waits) return;
    for (auto at = arrivals_.lower_bound({offset, 0});
         at != arrivals_.end() && at->first.first == offset; ++at)
      learn(races_.known[at->first.second], at->second);
    return;
  }
  if (waits) return;
  const std::uint32_t thread = where.warp * kWarpSize + lane % kWarpSize;
  const Dim3 block = unflatten(where.block, block_.launch.launch().grid);
  note_use(offset, {where.instruction, block, unflatten(thread, block_.context.block_extent)});
  const Cluster::Member* const from = checked_member(block);
  if (from == nullptr) return;
  const std::uint32_t rank = block_.context.cluster->rank_of(*from->context);
  learn(arrivals_[{offset, rank}], from->context->peer_races->order->knowledge_of(thread));
}

void ClusterRaceCheck::check_refill(const BulkTransfers::Copy& copy, const ClusterRaces& copier) {
  const std::uint32_t own = block_.context.cluster->rank_of(block_.context);
  if (copier.may_know_more || own >= copier.known.size()) return;
  const std::vector<std::uint32_t>& known = copier.known[own];
  const std::uint32_t size = block_.notes.shared_cell_bytes;
  for (std::uint64_t at = copy.to; at < copy.to + copy.data.size(); at += size) {
    // Nothing was there to be read: who did so has not waited for this copy.
    if (block_.shared_written.missing(at, size) != 0) continue;
    const bool found = own_races_.any_shared_reader(at, [&](const AccessStamp& read) {
      if (read.tick == 0 || !block_.order.is_recent(read)) return false;
      if (read.thread < known.size() && read.tick <= known[read.thread]) return false;
      if (!block_.reports.is_new(FindingKind::kSharedRace, copy.issuer.instruction)) return true;
      const Dim3& block = block_.context.block;
      const Dim3 reader = unflatten(read.thread, block_.context.block_extent);
      block_.context.findings->add(
          flatten(copy.issuer.block, block_.launch.launch().grid),
          {FindingKind::kSharedRace,
           fmt::format("writes {} of block ({},{},{}) while {} there may still have to read it "
                       "(line {}): let that block arrive, after the read, at an mbarrier that this "
                       "thread waits for before the copy",
                       name_place(block_.context, MemorySpace::kShared, at, size), block.x, block.y,
                       block.z, block_.reports.thread_text(read.thread),
                       block_.notes.of[read.instruction].line),
           copy.issuer.instruction, copy.issuer.block, copy.issuer.thread,
           Finding::Other{read.instruction, block, reader}});
      return true;
    });
    if (found) return;
  }
}

// A block that this one has told something since the cluster's barrier may know that it is ready.
void ClusterRaceCheck::note_use(std::uint64_t barrier, const Finding::Other& by) {
  const Cluster::Member* const user = checked_member(by.block);
  if (user == nullptr || user->context->peer_races->was_told) return;
  const auto [use, is_new] = uses_.try_emplace(barrier, Mention{phase_, by});
  if (!is_new && use->second.phase != phase_) use->second = {phase_, by};
  const auto start = starts_.find(barrier);
  if (start != starts_.end() && start->second.phase == phase_)
    report_use(barrier, by, start->second.by);
}

void ClusterRaceCheck::report_use(std::uint64_t barrier, const Finding::Other& use,
                                  const Finding::Other& start) {
  if (!block_.reports.is_new(FindingKind::kBarrier, use.instruction)) return;
  const Dim3& block = block_.context.block;
  block_.context.findings->add(
      flatten(use.block, block_.launch.launch().grid),
      {FindingKind::kBarrier,
       fmt::format("uses the mbarrier {} of block ({},{},{}), which that block initialises (line "
                   "{}) with no cluster.sync() between the two: put cluster.sync() between the "
                   "initialisation and the first use by another block",
                   name_place(block_.context, MemorySpace::kShared, barrier, 8), block.x, block.y,
                   block.z, block_.notes.of[start.instruction].line),
       use.instruction, use.block, use.thread, start});
}

void ClusterRaceCheck::inspect(ObservedAccess& access) {
  const CheckedAccess& checked = *block_.access;
  switch (access.access.space) {
    case MemorySpace::kLocal:
      break;
    case MemorySpace::kShared:
    case MemorySpace::kClusterShared:
      check(checked);
      break;
    default:
      has_heard_ |= checked.reads && checked.note.strong;
      races_.may_know_more |= checked.reads && checked.note.strong;
      break;
  }
}

// An access to the block's own shared memory, or to another's.
void ClusterRaceCheck::check(const CheckedAccess& access) {
  const bool had_heard = has_heard_;
  // An atomic whose result nobody looks at tells nothing.
  const bool hears = access.note.strong && access.reads &&
                     (access.lanes.kind != AccessKind::kAtomic || access.note.answers);
  has_heard_ |= hears;
  races_.may_know_more |= hears;
  const bool compares = !had_heard && access.stamp.polls == 0;
  const std::vector<Cluster::Member>& members = block_.context.cluster->members;
  const auto own = static_cast<std::uint8_t>(block_.context.cluster->rank_of(block_.context));
  const bool is_own = access.lanes.space == MemorySpace::kShared;
  ClusterRaces::Touch now;
  now.phase = now.until = phase_;
  now.instruction = access.instruction;
  now.rank = own;
  now.strong = access.note.strong;
  now.tick = access.stamp.tick;
  now.thread = static_cast<std::uint16_t>(block_.thread(0));
  races_.visit(now);
  constexpr std::uint64_t kOffset = (std::uint64_t{1} << Cluster::kRankShift) - 1;
  for (const unsigned lane : lanes_in(access.lanes.active)) {
    const std::uint64_t address = access.lanes.address[lane];
    const std::uint64_t rank = is_own ? own : address >> Cluster::kRankShift;
    if (rank >= members.size() || members[rank].context->peer_races == nullptr) continue;
    now.thread = static_cast<std::uint16_t>(block_.thread(lane));
    if (!arrived_.empty()) {
      const Arrived& arrived = arrived_[block_.context.point.warp];
      const bool between = (arrived.lanes >> lane & 1u) != 0;
      now.phase = between ? arrived.phase : phase_;
      now.until = between ? arrived.phase + 1 : phase_;
    }
    const std::uint64_t offset = is_own ? address : address & kOffset;
    const std::uint32_t size = block_.notes.shared_cell_bytes;
    for (std::uint32_t at = 0; at < access.lanes.bytes_per_lane; at += size) {
      const ClusterRaces::Race* race =
          members[rank].context->peer_races->touch(offset + at, now, access.writes);
      if (race == nullptr || !compares) continue;
      const std::byte* content = members[rank].context->shared + offset + at;
      if (access.writes && race->past_writes && stores_the_same(access, lane, at, content))
        continue;
      report(now, access.writes, *race, *members[rank].context, offset + at);
    }
  }
}

// What lies there already, so that it does not matter who comes last.
bool ClusterRaceCheck::stores_the_same(const CheckedAccess& access, unsigned lane, unsigned first,
                                       const std::byte* content) const {
  if (!access.has_value) return false;
  const std::uint32_t size = block_.notes.shared_cell_bytes;
  std::uint64_t before = 0;
  std::memcpy(&before, content, size);
  return stored_value(block_.step().op, block_.step().registers, lane, first, size,
                      block_.context) == before;
}

bool ClusterRaceCheck::reads_behind(const ClusterRaces::Touch& read,
                                    const ClusterRaces::Touch& write) const {
  const ClusterRaces& writer = *block_.context.cluster->members[write.rank].context->peer_races;
  return block_.order.comes_after(read.instruction, write.instruction) &&
         !writer.came_from(read.instruction, write);
}

// A missing barrier shows at the later access, whichever block ran ahead here.
void ClusterRaceCheck::report(const ClusterRaces::Touch& now, bool writes,
                              const ClusterRaces::Race& race, const ExecutionContext& owner,
                              std::uint64_t offset) {
  const auto side_of = [&](const ClusterRaces::Touch& touch, bool that_writes) {
    return Side{touch.instruction, block_.context.cluster->members[touch.rank].context->block,
                unflatten(touch.thread, block_.context.block_extent), that_writes};
  };
  const Side sides[] = {side_of(now, writes), side_of(race.past, race.past_writes)};
  const bool past_is_main = writes == race.past_writes ? false
                            : writes                   ? reads_behind(race.past, now)
                                                       : !reads_behind(now, race.past);
  const Side& main = sides[past_is_main ? 1 : 0];
  const Side& other = sides[past_is_main ? 0 : 1];
  if (!block_.reports.is_new(FindingKind::kSharedRace, main.instruction)) return;
  const auto access_of = [&](const Side& side) {
    const AccessKind kind = block_.instruction(side.instruction).access;
    return RaceFacts::Access{side.instruction, side.writes, kind == AccessKind::kAtomic};
  };
  const auto text_of = [](const Dim3& block) {
    return fmt::format("block ({},{},{})", block.x, block.y, block.z);
  };
  RaceFacts facts;
  facts.scope = RaceScope::kCluster;
  facts.main = access_of(main);
  facts.other = access_of(other);
  facts.bytes = block_.notes.shared_cell_bytes;
  facts.place = name_place(block_.context, MemorySpace::kShared, offset, facts.bytes) + " of " +
                text_of(owner.block);
  facts.by = text_of(other.block);
  facts.barrier = "cluster.sync()";
  facts.shared = true;
  const InstructionNote& note = block_.notes.of[main.instruction];
  const InstructionNote& other_note = block_.notes.of[other.instruction];
  facts.one_change = update_one_place(note, other_note);
  facts.mixed = note.strong || other_note.strong;
  block_.context.findings->add(
      flatten(main.block, block_.launch.launch().grid),
      {FindingKind::kSharedRace, race_message(facts, block_.launch.program(), block_.notes),
       main.instruction, main.block, main.thread,
       Finding::Other{other.instruction, other.block, other.thread}});
}

}  // namespace tilescope
