#include "emulator/checks/cluster_races.h"

namespace tilescope {

void ClusterRaces::start_block(std::uint64_t shared_bytes, std::uint32_t cell_bytes) {
  cell_bytes_ = cell_bytes;
  cells_.assign(shared_bytes / cell_bytes + 1, {});
}

const ClusterRaces::Race* ClusterRaces::touch(std::uint64_t offset, const Touch& now, bool writes) {
  const std::size_t index = offset / cell_bytes_;
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

}  // namespace tilescope
