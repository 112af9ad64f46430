#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "emulator/block/cluster.h"
#include "emulator/block/finding_log.h"
#include "emulator/block/lane_access.h"
#include "emulator/checks/block_check.h"
#include "emulator/checks/place_name.h"
#include "emulator/checks/stored_value.h"

// Races between the blocks of a cluster on their shared memory. What orders them is the cluster's
// barrier; a block that has tested an mbarrier or read a flag since may know of others by these and
// is not compared until the cluster meets again.
namespace tilescope {

void BlockCheck::meet_cluster() {
  ++cluster_phase_;
  has_heard_ = false;
}

// An access to the block's own shared memory, or to another's.
void BlockCheck::check_cluster(const Access& access) {
  if (context_.cluster == nullptr) return;
  const bool had_heard = has_heard_;
  has_heard_ |= access.note.strong && access.reads;
  const bool compares = !had_heard && access.stamp.polls == 0;
  const std::vector<Cluster::Member>& members = context_.cluster->members;
  const auto own = static_cast<std::uint8_t>(context_.cluster->rank_of(context_));
  const bool is_own = access.lanes.space == MemorySpace::kShared;
  ClusterRaces::Touch now;
  now.phase = cluster_phase_;
  now.instruction = access.instruction;
  now.rank = own;
  now.strong = access.note.strong;
  constexpr std::uint64_t kOffset = (std::uint64_t{1} << Cluster::kRankShift) - 1;
  for (std::uint32_t left = access.lanes.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = access.lanes.address[lane];
    const std::uint64_t rank = is_own ? own : address >> Cluster::kRankShift;
    if (rank >= members.size() || members[rank].check == nullptr) continue;
    now.thread = static_cast<std::uint16_t>(context_.point.warp * 32 + lane);
    const std::uint64_t offset = is_own ? address : address & kOffset;
    const std::uint32_t size = notes_.shared_cell_bytes;
    for (std::uint32_t at = 0; at < access.lanes.bytes_per_lane; at += size) {
      const ClusterRaces::Race* race =
          members[rank].check->cluster_races_.touch(offset + at, now, access.writes);
      if (race == nullptr || !compares) continue;
      const std::byte* content = members[rank].context->shared + offset + at;
      if (access.writes && race->past_writes && stores_the_same(access, lane, at, content))
        continue;
      report_cluster_race(access, lane, *race, *members[rank].context, offset + at);
    }
  }
}

// What lies there already, so that it does not matter who comes last.
bool BlockCheck::stores_the_same(const Access& access, unsigned lane, unsigned first,
                                 const std::byte* content) const {
  if (!access.has_value) return false;
  const std::uint32_t size = notes_.shared_cell_bytes;
  std::uint64_t before = 0;
  std::memcpy(&before, content, size);
  return stored_value(*op_, registers_, lane, first, size, context_) == before;
}

void BlockCheck::report_cluster_race(const Access& access, unsigned lane,
                                     const ClusterRaces::Race& race, const ExecutionContext& owner,
                                     std::uint64_t offset) {
  if (!is_new(FindingKind::kSharedRace, access.instruction)) return;
  const Dim3& other = context_.cluster->members[race.past.rank].context->block;
  const Dim3& where = owner.block;
  const std::string place =
      name_place(context_, MemorySpace::kShared, offset, notes_.shared_cell_bytes) +
      fmt::format(" of block ({},{},{})", where.x, where.y, where.z);
  const std::string by = fmt::format("block ({},{},{})", other.x, other.y, other.z);
  const std::uint32_t line = notes_.of[race.past.instruction].line;
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
  context_.findings->add(context_.point.block,
                         {FindingKind::kSharedRace, message, access.instruction, context_.block,
                          thread_of(context_, lane),
                          Finding::Other{race.past.instruction, other,
                                         unflatten(race.past.thread, context_.block_extent)}});
}

}  // namespace tilescope
