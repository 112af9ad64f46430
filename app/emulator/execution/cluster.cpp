#include "emulator/execution/cluster.h"

#include <algorithm>

namespace tilescope {

std::uint64_t ClusterGrid::block_of(std::uint64_t cluster, std::uint32_t rank) const {
  const Dim3 clusters_of{grid.x / extent.x, grid.y / extent.y, grid.z / extent.z};
  const Dim3 at = unflatten(cluster, clusters_of);
  const Dim3 inside = unflatten(rank, extent);
  return flatten(
      {at.x * extent.x + inside.x, at.y * extent.y + inside.y, at.z * extent.z + inside.z}, grid);
}

std::uint64_t ClusterGrid::cluster_of(std::uint64_t block) const {
  const Dim3 clusters_of{grid.x / extent.x, grid.y / extent.y, grid.z / extent.z};
  const Dim3 at = unflatten(block, grid);
  return flatten({at.x / extent.x, at.y / extent.y, at.z / extent.z}, clusters_of);
}

std::uint32_t Cluster::rank_of(const ExecutionContext& context) const {
  const auto found = std::ranges::find(members, &context, &Member::context);
  return static_cast<std::uint32_t>(found - members.begin());
}

SharedPlace find_shared(std::uint64_t address, bool reaches_cluster, ExecutionContext& context) {
  const Cluster* cluster = context.cluster;
  if (cluster == nullptr) return {&context, address, 0, false};
  constexpr std::uint64_t kOffset = (std::uint64_t{1} << Cluster::kRankShift) - 1;
  const std::uint64_t number = address >> Cluster::kRankShift;
  const std::uint32_t own = cluster->rank_of(context);
  const bool says_nothing = number == 0 && (!cluster->is_machine_code || !reaches_cluster);
  if (says_nothing || number > Cluster::kMostRanks + 1) return {&context, address, own, false};
  const auto rank = static_cast<std::uint32_t>(number - (cluster->is_machine_code ? 0 : 1));
  const std::uint64_t offset = address & kOffset;
  if (rank == own) return {&context, offset, own, false};
  if (rank >= cluster->members.size() || !reaches_cluster) return {nullptr, offset, rank, false};
  const Cluster::Member& member = cluster->members[rank];
  return {member.context, offset, rank, member.ended};
}

}  // namespace tilescope
