#include "analysis/counters.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "analysis/async_copy_cost.h"

namespace tilescope {

AccessCounters& AccessCounters::operator+=(const AccessCounters& other) {
  requests += other.requests;
  global_requests += other.global_requests;
  lanes += other.lanes;
  distinct_bytes += other.distinct_bytes;
  sectors += other.sectors;
  sectors_ideal += other.sectors_ideal;
  wavefronts += other.wavefronts;
  wavefronts_ideal += other.wavefronts_ideal;
  return *this;
}

AccessCounters AccessCounters::scaled(std::uint64_t factor) const {
  AccessCounters product = *this;
  for (std::uint64_t AccessCounters::*member :
       {&AccessCounters::requests, &AccessCounters::global_requests, &AccessCounters::lanes,
        &AccessCounters::distinct_bytes, &AccessCounters::sectors, &AccessCounters::sectors_ideal,
        &AccessCounters::wavefronts, &AccessCounters::wavefronts_ideal}) {
    product.*member *= factor;
  }
  return product;
}

namespace {

// The addresses of an access relative to its first active lane. Its cost follows from them: sectors
// depend on the base modulo 32 bytes alone, lines and wavefronts on it modulo 128.
struct AddressPattern {
  std::uint32_t active = 0;     // 0: nothing else is set
  std::uint32_t alignment = 0;  // compared before the offsets, for it differs more often
  std::uint8_t bytes_per_lane = 0;
  MemorySpace space = MemorySpace::kNone;
  std::array<std::uint64_t, kWarpSize> offset;

  friend bool operator==(const AddressPattern& a, const AddressPattern& b) {
    return a.active == b.active && a.alignment == b.alignment &&
           a.bytes_per_lane == b.bytes_per_lane && a.space == b.space &&
           (a.active == 0 || a.offset == b.offset);
  }
};

// Inactive lanes count as the first active one, so that patterns compare without regard to the
// mask.
void describe(const WarpAccess& access, std::uint32_t alignments, AddressPattern* pattern) {
  pattern->active = access.active;
  const std::uint64_t base =
      access.address[static_cast<std::size_t>(std::countr_zero(access.active))];
  pattern->alignment = static_cast<std::uint32_t>(base & (alignments - 1));
  pattern->bytes_per_lane = access.bytes_per_lane;
  pattern->space = access.space;
  if (access.active == 0xffffffffu) {
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      pattern->offset[lane] = access.address[lane] - base;
    }
  } else {
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      const bool active = (access.active >> lane & 1u) != 0;
      pattern->offset[lane] = active ? access.address[lane] - base : 0;
    }
  }
}

// An access of this pattern.
WarpAccess access_of(const AddressPattern& pattern, AccessKind kind) {
  WarpAccess access;
  access.active = pattern.active;
  access.bytes_per_lane = pattern.bytes_per_lane;
  access.space = pattern.space;
  access.kind = kind;
  if (pattern.active == 0) return access;
  // Far enough up that no lane lies below 0.
  constexpr std::uint64_t kBase = std::uint64_t{1} << 48;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    access.address[lane] = kBase + pattern.alignment + pattern.offset[lane];
  }
  return access;
}

AccessCounters cost_of(const WarpAccess& access, AccessVariant variant) {
  AccessCounters cost;
  cost.lanes = static_cast<std::uint64_t>(std::popcount(access.active));
  cost.requests = 1;
  if (access.space == MemorySpace::kShared) {
    const WavefrontCost shared = wavefront_cost(access, variant);
    cost.wavefronts = static_cast<std::uint64_t>(shared.wavefronts);
    cost.wavefronts_ideal = static_cast<std::uint64_t>(shared.ideal_wavefronts);
  } else {
    const SectorCost global =
        access.space == MemorySpace::kLocal ? local_sector_cost(access) : sector_cost(access);
    if (access.space == MemorySpace::kLocal) {  // each word of a lane is a request of its own
      cost.requests = std::max<std::uint64_t>(access.bytes_per_lane / 4, 1);
    }
    if (access.space == MemorySpace::kGlobal) {
      cost.global_requests = 1;
      cost.distinct_bytes = static_cast<std::uint64_t>(global.useful_bytes);
    }
    cost.sectors = static_cast<std::uint64_t>(global.sectors);
    cost.sectors_ideal = static_cast<std::uint64_t>(global.ideal_sectors);
  }
  return cost;
}

AccessCounters cost_of(const WarpAccess& source, const WarpAccess& destination,
                       AccessVariant variant) {
  const AsyncCopyCost copy = async_copy_cost(source, destination, variant);
  AccessCounters cost;
  cost.lanes = static_cast<std::uint64_t>(std::popcount(source.active));
  cost.requests = static_cast<std::uint64_t>(copy.requests);
  cost.global_requests = cost.requests;
  cost.distinct_bytes = static_cast<std::uint64_t>(copy.source.useful_bytes);
  cost.sectors = static_cast<std::uint64_t>(copy.source.sectors);
  cost.sectors_ideal = static_cast<std::uint64_t>(copy.source.ideal_sectors);
  cost.wavefronts = static_cast<std::uint64_t>(copy.writes.wavefronts);
  cost.wavefronts_ideal = static_cast<std::uint64_t>(copy.writes.ideal_wavefronts);
  return cost;
}

// The last few patterns of an instruction, each with its cost.
template <typename Pattern, std::size_t Kept>
class CostMemory {
 public:
  template <typename Find>
  const AccessCounters& cost(const Pattern& pattern, Find find) {
    for (const Entry& entry : entries_) {
      if (entry.used && entry.pattern == pattern) return entry.cost;
    }
    Entry& entry = entries_[next_];
    next_ = (next_ + 1) % entries_.size();
    entry = {pattern, find(), true};
    return entry.cost;
  }

 private:
  struct Entry {
    Pattern pattern;
    AccessCounters cost;
    bool used = false;
  };
  std::array<Entry, Kept> entries_;
  std::size_t next_ = 0;
};

}  // namespace

struct CountingSink::Copy {
  AddressPattern source;
  AddressPattern destination;
  friend bool operator==(const Copy&, const Copy&) = default;
};

struct CountingSink::Instruction {
  AccessVariant variant = AccessVariant::kPlain;
  CostMemory<AddressPattern, 4> costs;
  // cp.async alone. Source and destination shift against each other from one turn of a loop to the
  // next, so that there are more patterns.
  std::unique_ptr<CostMemory<Copy, 32>> copy_costs;
};

CountingSink::CountingSink(const Program& program)
    : counters_(program.instructions().size()),
      instructions_(program.instructions().size()),
      copy_(std::make_unique<Copy>()) {
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    instructions_[i].variant = program.instructions()[i].variant;
    if (program.instructions()[i].access == AccessKind::kAsyncCopy) {
      instructions_[i].copy_costs = std::make_unique<CostMemory<Copy, 32>>();
    }
  }
}

CountingSink::~CountingSink() = default;

void CountingSink::on_access(const WarpPoint& where, const WarpAccess& access) {
  if (access.active == 0) return;
  if (access.kind == AccessKind::kAsyncCopy) {
    on_copy(where, access);
    return;
  }
  Instruction& instruction = instructions_[where.instruction];
  AddressPattern pattern;
  describe(access, access.space == MemorySpace::kShared ? 128 : 32, &pattern);
  counters_[where.instruction] +=
      instruction.costs.cost(pattern, [&] { return cost_of(access, instruction.variant); });
}

// The read comes first, unless no lane reads anything.
void CountingSink::on_copy(const WarpPoint& where, const WarpAccess& access) {
  const bool reads = access.space != MemorySpace::kShared;
  describe(access, 128, reads ? &copy_->source : &copy_->destination);
  if (reads) return;
  Instruction& instruction = instructions_[where.instruction];
  counters_[where.instruction] += instruction.copy_costs->cost(*copy_, [&] {
    return cost_of(access_of(copy_->source, AccessKind::kAsyncCopy), access, instruction.variant);
  });
  copy_->source.active = 0;
}

std::vector<LineCounters> counters_by_line(const Program& program, const LaunchCounters& counters) {
  std::vector<LineCounters> lines;
  const auto key = [](const LineCounters& line) {
    return std::tuple(line.line.file, line.line.line, line.instruction_class, line.space,
                      line.access);
  };
  for (std::size_t i = 0; i < program.instructions().size(); ++i) {
    const StaticInstruction& instruction = program.instructions()[i];
    if (counters.executed.warps[i] == 0 || !instruction.counts) continue;
    LineCounters row;
    row.line = instruction.outermost;
    row.instruction_class = instruction.instruction_class;
    row.space = instruction.space;
    row.access = instruction.access;
    row.executed = counters.executed.warps[i];
    row.lanes = counters.executed.lanes[i];
    row.divergent = counters.executed.divergent[i];
    row.memory = counters.by_instruction[i];
    lines.push_back(row);
  }
  std::sort(lines.begin(), lines.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::vector<LineCounters> merged;
  for (const LineCounters& row : lines) {
    if (merged.empty() || key(merged.back()) != key(row)) {
      merged.push_back(row);
      continue;
    }
    merged.back().executed += row.executed;
    merged.back().lanes += row.lanes;
    merged.back().divergent += row.divergent;
    merged.back().memory += row.memory;
  }
  return merged;
}

}  // namespace tilescope
