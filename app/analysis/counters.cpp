#include "analysis/counters.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

namespace tilescope {

AccessCounters& AccessCounters::operator+=(const AccessCounters& other) {
  requests += other.requests;
  lanes += other.lanes;
  sectors += other.sectors;
  sectors_ideal += other.sectors_ideal;
  wavefronts += other.wavefronts;
  wavefronts_ideal += other.wavefronts_ideal;
  return *this;
}

AccessCounters AccessCounters::scaled(std::uint64_t factor) const {
  return {requests * factor,      lanes * factor,      sectors * factor,
          sectors_ideal * factor, wavefronts * factor, wavefronts_ideal * factor};
}

// The last few address patterns of an instruction, relative to the first active lane, with their
// cost. Sectors depend on the base modulo 32 bytes alone, wavefronts on it modulo 128.
struct CountingSink::Pattern {
  static constexpr std::size_t kKept = 4;
  struct Entry {
    std::array<std::uint64_t, kWarpSize> offset{};
    AccessCounters cost;
    std::uint32_t active = 0;  // 0: empty, for such accesses are never looked up
    std::uint32_t alignment = 0;
    std::uint8_t bytes_per_lane = 0;
    MemorySpace space = MemorySpace::kNone;
  };
  std::array<Entry, kKept> entries;
  std::size_t next = 0;
};

namespace {

// Inactive lanes count as lane `first`, so that patterns compare without regard to the mask.
std::array<std::uint64_t, kWarpSize> offsets_of(const WarpAccess& access, std::uint64_t base) {
  std::array<std::uint64_t, kWarpSize> offset;
  if (access.active == 0xffffffffu) {
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) offset[lane] = access.address[lane] - base;
  } else {
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      offset[lane] = (access.active >> lane & 1u) != 0 ? access.address[lane] - base : 0;
    }
  }
  return offset;
}

AccessCounters cost_of(const WarpAccess& access) {
  AccessCounters cost;
  cost.lanes = static_cast<std::uint64_t>(std::popcount(access.active));
  cost.requests = 1;
  if (access.space == MemorySpace::kShared) {
    const WavefrontCost shared = wavefront_cost(access);
    cost.wavefronts = static_cast<std::uint64_t>(shared.wavefronts);
    cost.wavefronts_ideal = static_cast<std::uint64_t>(shared.ideal_wavefronts);
    if (access.kind ==
        AccessKind::kAsyncCopy) {  // its request and lanes were counted with the read
      cost.requests = 0;
      cost.lanes = 0;
    }
  } else {
    const SectorCost global = sector_cost(access);
    cost.sectors = static_cast<std::uint64_t>(global.sectors);
    cost.sectors_ideal = static_cast<std::uint64_t>(global.ideal_sectors);
  }
  return cost;
}

}  // namespace

CountingSink::CountingSink(const Program& program)
    : counters_(program.instructions().size()), patterns_(program.instructions().size()) {}

CountingSink::~CountingSink() = default;

void CountingSink::on_access(const WarpPoint& where, const WarpAccess& access) {
  if (access.active == 0) return;
  const std::uint64_t base =
      access.address[static_cast<std::size_t>(std::countr_zero(access.active))];
  const auto alignment =
      static_cast<std::uint32_t>(base & (access.space == MemorySpace::kShared ? 127u : 31u));
  const auto offset = offsets_of(access, base);
  Pattern& pattern = patterns_[where.instruction];
  const auto same = [&](const Pattern::Entry& entry) {
    return entry.active == access.active && entry.alignment == alignment &&
           entry.space == access.space && entry.bytes_per_lane == access.bytes_per_lane &&
           entry.offset == offset;
  };
  const auto found = std::find_if(pattern.entries.begin(), pattern.entries.end(), same);
  if (found != pattern.entries.end()) {
    counters_[where.instruction] += found->cost;
    return;
  }
  const AccessCounters cost = cost_of(access);
  pattern.entries[pattern.next] = {
      offset, cost, access.active, alignment, access.bytes_per_lane, access.space};
  pattern.next = (pattern.next + 1) % Pattern::kKept;
  counters_[where.instruction] += cost;
}

namespace {

bool is_shared(const StaticInstruction& instruction, const AccessCounters& counters) {
  if (instruction.space == MemorySpace::kGeneric) return counters.sectors == 0;
  return instruction.space == MemorySpace::kShared;
}

bool is_global(const StaticInstruction& instruction, const AccessCounters& counters) {
  if (instruction.space == MemorySpace::kGeneric) return counters.sectors != 0;
  return instruction.space == MemorySpace::kGlobal;
}

// Nsight Compute's names for what one instruction adds.
void add_metrics(const StaticInstruction& instruction, std::uint64_t executed,
                 const AccessCounters& c, std::map<std::string, std::uint64_t>* metrics) {
  const auto add = [&](const char* name, std::uint64_t value) { (*metrics)[name] += value; };
  const auto global = [&](const char* executed_name, const std::string& op) {
    add(executed_name, executed);
    add(("l1tex__t_requests_pipe_lsu_mem_global_op_" + op + ".sum").c_str(), c.requests);
    add(("l1tex__t_sectors_pipe_lsu_mem_global_op_" + op + ".sum").c_str(), c.sectors);
  };
  const auto shared = [&](const char* executed_name, const std::string& op) {
    add(executed_name, executed);
    add(("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + op + ".sum").c_str(), c.wavefronts);
    add(("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + op + ".sum").c_str(),
        c.wavefronts - c.wavefronts_ideal);
  };
  switch (instruction.access) {
    case AccessKind::kLoad:
      if (is_global(instruction, c))
        global("smsp__inst_executed_op_global_ld.sum", "ld");
      else if (is_shared(instruction, c))
        shared("smsp__inst_executed_op_shared_ld.sum", "ld");
      break;
    case AccessKind::kStore:
      if (is_global(instruction, c))
        global("smsp__inst_executed_op_global_st.sum", "st");
      else if (is_shared(instruction, c))
        shared("smsp__inst_executed_op_shared_st.sum", "st");
      break;
    case AccessKind::kAsyncCopy:
      global("smsp__inst_executed_op_ldgsts.sum", "ld");
      break;
    case AccessKind::kLdmatrix:
      shared("smsp__inst_executed_op_ldsm.sum", "ld");
      break;
    case AccessKind::kStmatrix:
      shared("smsp__inst_executed_op_shared_st.sum", "st");
      break;
    case AccessKind::kAtomic:
    case AccessKind::kNone:
      break;
  }
}

}  // namespace

std::map<std::string, std::uint64_t> metrics_of(const Program& program,
                                                const LaunchCounters& counters) {
  // A kernel without shared loads has none of them, and says so.
  std::map<std::string, std::uint64_t> metrics;
  for (const char* name :
       {"smsp__inst_executed_op_global_ld.sum", "smsp__inst_executed_op_global_st.sum",
        "smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_st.sum",
        "smsp__inst_executed_op_ldsm.sum", "smsp__inst_executed_op_ldgsts.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"}) {
    metrics[name] = 0;
  }
  for (std::size_t i = 0; i < program.instructions().size(); ++i) {
    add_metrics(program.instructions()[i], counters.executed.warps[i], counters.by_instruction[i],
                &metrics);
  }
  // Of the PTX alone nobody knows how many instructions the machine makes of it.
  if (program.is_machine_code()) {
    std::uint64_t& executed = metrics["smsp__inst_executed.sum"];
    for (std::size_t i = 0; i < program.instructions().size(); ++i) {
      if (program.instructions()[i].counts) executed += counters.executed.warps[i];
    }
  }
  return metrics;
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
    merged.back().memory += row.memory;
  }
  return merged;
}

}  // namespace tilescope
