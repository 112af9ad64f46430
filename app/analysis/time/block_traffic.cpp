#include "analysis/time/block_traffic.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/memory/bulk_sectors.h"
#include "analysis/memory/coalescing.h"
#include "analysis/memory/launch_memory.h"

namespace tilescope {

bool reads_global(AccessKind access) {
  return access == AccessKind::kLoad || access == AccessKind::kAsyncCopy;
}

namespace {

// The bytes that an access covers, a bit for each byte of a sector.
std::map<std::uint64_t, std::uint32_t> covered_sectors(const WarpAccess& access) {
  std::map<std::uint64_t, std::uint32_t> covered;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1U) == 0) continue;
    const std::uint64_t at = access.address[lane];
    const auto bytes = static_cast<std::uint32_t>((std::uint64_t{1} << access.bytes_per_lane) - 1);
    covered[at / kSectorBytes] |= bytes << at % kSectorBytes;
  }
  return covered;
}

class TrafficCount {
 public:
  TrafficCount(const DeviceMemory& memory, const Program& program)
      : memory_(memory), program_(program) {
    traffic_.shapes.resize(program.instructions().size());
  }

  void add(std::uint32_t instruction, const WarpAccess& access) {
    const AccessKind kind = program_.instructions()[instruction].access;
    AccessTraffic& shape = traffic_.shapes[instruction];
    shape.requests += 1;
    const SectorCost cost = sector_cost(access);
    shape.lines += cost.lines;
    shape.in_quarter += cost.in_quarter;
    if (!reads_global(kind)) {
      const auto covered = covered_sectors(access);
      shape.sectors += static_cast<double>(covered.size());
      shape.partial_sectors += static_cast<double>(
          std::ranges::count_if(covered, [](const auto& each) { return ~each.second != 0; }));
      if (kind == AccessKind::kStore) {
        for (const auto& [sector, bytes] : covered) {
          if (find_buffer(sector * kSectorBytes)) traffic_.buffers[buffer_].stored[sector] |= bytes;
        }
      }
    }
    std::uint64_t before = ~std::uint64_t{0};
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t sector = access.address[lane] / kSectorBytes;
      if ((access.active >> lane & 1U) == 0 || sector == before) continue;
      before = sector;
      if (!find_buffer(access.address[lane])) continue;
      BufferSectors& buffer = traffic_.buffers[buffer_];
      for (std::uint64_t i = 0; i * kSectorBytes < access.bytes_per_lane || i == 0; ++i) {
        (reads_global(kind) ? buffer.read : buffer.written).insert(sector + i);
      }
    }
    if (kind == AccessKind::kAtomic) add_to(access);
  }

  void add(const BulkCopy& copy) {
    if (!find_buffer(copy.global)) return;
    BufferSectors& buffer = traffic_.buffers[buffer_];
    const std::uint64_t first = copy.global / kSectorBytes;
    const std::uint64_t end = (copy.global + copy.bytes + kSectorBytes - 1) / kSectorBytes;
    for (std::uint64_t sector = first; sector < end; ++sector)
      (copy.loads() ? buffer.read_in_bulk : buffer.written_in_bulk).insert(sector);
    if (!copy.loads()) traffic_.bulk_stored_bytes += static_cast<double>(copy.bytes);
  }

  [[nodiscard]] BlockTraffic result() && { return std::move(traffic_); }

 private:
  void add_to(const WarpAccess& access) {
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1U) == 0 || !find_buffer(access.address[lane])) continue;
      traffic_.buffers[buffer_].added_to.insert(access.address[lane]);
    }
  }

  bool find_buffer(std::uint64_t address) {
    if (address >= first_ && address < last_) return true;
    const auto location = memory_.locate(address, 1);
    if (!location) return false;
    buffer_ = location->buffer;
    first_ = address - location->offset;
    last_ = first_ + memory_.buffers()[buffer_].bytes();
    return true;
  }

  const DeviceMemory& memory_;
  const Program& program_;
  BlockTraffic traffic_;
  std::size_t buffer_ = 0;
  std::uint64_t first_ = 1;  // addresses of buffer_
  std::uint64_t last_ = 0;
};

// How many of these sectors a block reads.
std::size_t read_by(const KernelStudy& study, std::uint64_t block,
                    const std::unordered_set<std::uint64_t>& sectors) {
  constexpr std::size_t kMostEvents = std::size_t{1} << 20U;
  DeviceMemory memory = writable_copy(study.instance, *study.memory);
  const auto trace =
      trace_block(*study.program, study.launch, memory, block, kMostEvents, {}, nullptr);
  if (!trace) return sectors.size();
  std::unordered_set<std::uint64_t> found;
  for (const TraceEvent& event : trace->events) {
    if (event.access == kNoAccess) continue;
    const WarpAccess access = trace->access(event.access);
    if (access.space != MemorySpace::kGlobal || !reads_global(access.kind)) continue;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t sector = access.address[lane] / kSectorBytes;
      if ((access.active >> lane & 1U) != 0 && sectors.contains(sector)) found.insert(sector);
    }
  }
  return found.size();
}

}  // namespace

BlockTraffic traffic_of(const KernelStudy& study, const Program& program, const BlockTrace& trace) {
  TrafficCount count(*study.memory, program);
  const AccessList& accesses = trace.events.accesses();
  for (std::uint32_t i = 0; i < accesses.size(); ++i) {
    if (accesses.outline(i).space != MemorySpace::kGlobal) continue;
    if (accesses.instruction(i) == kNoInstruction) continue;
    count.add(accesses.instruction(i), accesses[i]);
  }
  std::vector<BulkCopy> loads;
  std::vector<BulkCopy> stores;
  std::set<std::uint32_t> barriers;
  std::set<std::pair<std::uint32_t, std::uint32_t>> arrivals;  // barrier and phase
  for (const BulkCopy& copy : trace.bulk_copies) {
    if (copy.loads()) {
      barriers.insert(copy.barrier);
      arrivals.emplace(copy.barrier, copy.phase);
    }
    if (copy.lane >= kWarpSize) continue;  // another block's request is in its own count
    count.add(copy);
    (copy.loads() ? loads : stores).push_back(copy);
  }
  BlockTraffic traffic = std::move(count).result();
  traffic.bulk_loads = static_cast<double>(bulk_sectors(loads));
  traffic.bulk_stores = static_cast<double>(bulk_sectors(stores));
  traffic.bulk_arrivals = static_cast<double>(arrivals.size());
  traffic.bulk_barriers = static_cast<double>(barriers.size());
  const auto kept = static_cast<double>(trace.events.size());
  traffic.whole = kept / std::max(kept + static_cast<double>(trace.omitted_events), 1.0);
  return traffic;
}

namespace {

// The lines and sectors that one warp has used so far.
struct UsedLines {
  std::unordered_map<std::uint64_t, std::uint64_t> last;  // use of a line, from 1 on
  std::unordered_set<std::uint64_t> in_part;              // sectors written
  std::uint64_t uses = 0;
};

}  // namespace

L2Reuse l2_reuse_of(const Program& program, const BlockTrace& trace, double l1_lines) {
  std::map<std::uint16_t, UsedLines> warps;
  double uses = 0;
  double lines = 0;
  L2Reuse reuse;
  for (const TraceEvent& event : trace.events) {
    if (event.access == kNoAccess) continue;
    const WarpAccess access = trace.access(event.access);
    if (access.space != MemorySpace::kGlobal) continue;
    const bool stores = program.instructions()[event.instruction].access == AccessKind::kStore;
    UsedLines& used = warps[event.warp];
    for (const auto& [sector, bytes] : covered_sectors(access)) {
      std::uint64_t& last = used.last[sector * kSectorBytes / kLineBytes];
      const std::uint64_t between =
          std::min(used.uses - last, static_cast<std::uint64_t>(used.last.size()));
      const bool again = stores && ~bytes != 0 && !used.in_part.insert(sector).second;
      if (again) reuse.rewritten += 1;
      if (again || (!stores && last != 0 && static_cast<double>(between) > l1_lines)) {
        uses += 1;
        lines += static_cast<double>(between);
      }
      if (last == 0 || last != used.uses) last = ++used.uses;
    }
  }
  if (uses > 0) reuse.lines = lines / uses;
  return reuse;
}

std::uint64_t followed_block(const KernelStudy& study) {
  return study.traced() ? flatten(study.trace->block, study.launch.grid) : study.block;
}

bool reads_alone(const KernelStudy& study, const std::unordered_set<std::uint64_t>& sectors) {
  constexpr double kMostShared = 0.1;
  const std::uint64_t block = followed_block(study);
  for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{study.launch.grid.x}}) {
    if (block + step >= study.launch.grid.count()) continue;
    const auto shared = static_cast<double>(read_by(study, block + step, sectors));
    if (shared > kMostShared * static_cast<double>(sectors.size())) return false;
  }
  return true;
}

}  // namespace tilescope
