#include "emulator/checks/cluster_race_check.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "emulator/checks/checked_block.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/place_name.h"

namespace tilescope {

void ClusterRaces::start_block(std::uint64_t shared_bytes, std::uint32_t cell_bytes) {
  cell_shift_ = static_cast<unsigned>(std::countr_zero(cell_bytes));
  cells_.assign((shared_bytes >> cell_shift_) + 1, {});
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
  if (writes) {
    for (const Touch& read : cell.read) find(read, false);
    cell.write = now;
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

ClusterRaceCheck::ClusterRaceCheck(CheckedBlock& block) : block_(block) {
  block.context.peer_races = &races_;
}

StepEvents ClusterRaceCheck::needs(std::uint32_t instruction) const {
  if (block_.block.code().cluster.count() == 1) return {};
  const InstructionNote& note = block_.notes.of[instruction];
  return {
      .before = note.tests,
      .accesses = note.may_access(MemorySpace::kShared) || note.may_access(MemorySpace::kGlobal)};
}

void ClusterRaceCheck::on_block_begin(std::vector<Warp>&) {
  phase_ = 0;
  has_heard_ = false;
  if (block_.context.cluster != nullptr)
    races_.start_block(block_.context.shared_bytes, block_.notes.shared_cell_bytes);
}

void ClusterRaceCheck::before(const WarpStep&) { has_heard_ = true; }

void ClusterRaceCheck::on_cluster_sync() {
  ++phase_;
  has_heard_ = false;
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
      break;
  }
}

// An access to the block's own shared memory, or to another's.
void ClusterRaceCheck::check(const CheckedAccess& access) {
  const bool had_heard = has_heard_;
  has_heard_ |= access.note.strong && access.reads;
  const bool compares = !had_heard && access.stamp.polls == 0;
  const std::vector<Cluster::Member>& members = block_.context.cluster->members;
  const auto own = static_cast<std::uint8_t>(block_.context.cluster->rank_of(block_.context));
  const bool is_own = access.lanes.space == MemorySpace::kShared;
  ClusterRaces::Touch now;
  now.phase = phase_;
  now.instruction = access.instruction;
  now.rank = own;
  now.strong = access.note.strong;
  constexpr std::uint64_t kOffset = (std::uint64_t{1} << Cluster::kRankShift) - 1;
  for (std::uint32_t left = access.lanes.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = access.lanes.address[lane];
    const std::uint64_t rank = is_own ? own : address >> Cluster::kRankShift;
    if (rank >= members.size() || members[rank].context->peer_races == nullptr) continue;
    now.thread = static_cast<std::uint16_t>(block_.thread(lane));
    const std::uint64_t offset = is_own ? address : address & kOffset;
    const std::uint32_t size = block_.notes.shared_cell_bytes;
    for (std::uint32_t at = 0; at < access.lanes.bytes_per_lane; at += size) {
      const ClusterRaces::Race* race =
          members[rank].context->peer_races->touch(offset + at, now, access.writes);
      if (race == nullptr || !compares) continue;
      const std::byte* content = members[rank].context->shared + offset + at;
      if (access.writes && race->past_writes && stores_the_same(access, lane, at, content))
        continue;
      report(access, lane, *race, *members[rank].context, offset + at);
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

void ClusterRaceCheck::report(const CheckedAccess& access, unsigned lane,
                              const ClusterRaces::Race& race, const ExecutionContext& owner,
                              std::uint64_t offset) {
  if (!block_.reports.is_new(FindingKind::kSharedRace, access.instruction)) return;
  const Dim3& other = block_.context.cluster->members[race.past.rank].context->block;
  const Dim3& where = owner.block;
  const std::string place =
      name_place(block_.context, MemorySpace::kShared, offset, block_.notes.shared_cell_bytes) +
      fmt::format(" of block ({},{},{})", where.x, where.y, where.z);
  const std::string by = fmt::format("block ({},{},{})", other.x, other.y, other.z);
  const std::uint32_t line = block_.notes.of[race.past.instruction].line;
  const std::string message =
      !race.past_writes ? fmt::format(
                              "writes {} while {} may still have to read it (line {}): put "
                              "cluster.sync() between the read and this write",
                              place, by, line)
      : access.writes
          ? fmt::format(
                "writes {}, which {} also writes (line {}) with no cluster.sync() between "
                "them: put one there, or use an atomic",
                place, by, line)
          : fmt::format(
                "reads {}, which {} writes (line {}) with no cluster.sync() between them: "
                "put one between the write and this read",
                place, by, line);
  block_.reports.add({FindingKind::kSharedRace, message, access.instruction, block_.context.block,
                      thread_of(block_.context, lane),
                      Finding::Other{race.past.instruction, other,
                                     unflatten(race.past.thread, block_.context.block_extent)}});
}

}  // namespace tilescope
