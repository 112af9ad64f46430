#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/execution/access_list.h"
#include "emulator/finding.h"
#include "emulator/memory_map.h"
#include "emulator/micro_operation.h"
#include "emulator/trace_sink.h"
#include "emulator/warp_access.h"

namespace tilescope {

class AsyncCopies;
class BulkTransfers;
class PendingWords;
class ClusterRaces;
class FindingLog;
class DeviceWorkLog;
class PrintLog;
class Observers;
struct Cluster;
struct Code;
class Program;
struct Warp;

using LaneArray = std::array<std::uint64_t, kWarpSize>;

// How the lanes of a full warp's access lie to each other.
enum class LaneShape : std::uint8_t {
  kAny,         // and of a warp that is not full
  kSame,        // all on one address
  kNeighbours,  // one element after the other
};

// What an instruction's last access looked like to the sink (TraceSink::on_repeat).
struct LastAccess {
  std::uint32_t active = 0;  // 0: nothing to compare with
  MemorySpace space = MemorySpace::kNone;
  LaneShape shape = LaneShape::kAny;
  std::uint32_t logged = 0;  // its shape in the trace's AccessList
  LaneArray distance{};      // of each lane from the first active one; 0 for an inactive lane

  // A shape says all about the lanes, unless it is kAny.
  [[nodiscard]] bool has(LaneShape of_lanes, MemorySpace in) const {
    return of_lanes != LaneShape::kAny && shape == of_lanes && active != 0 && space == in;
  }
};

// How often an instruction's last access came again, by its base modulo kRepeatBases, until the
// sink is told (TraceSink::takes_repeats_late).
struct Repeats {
  std::uint32_t instruction = 0;
  std::array<std::uint64_t, TraceSink::kRepeatBases / 64> came{};  // a bit for each base
  std::array<std::uint64_t, TraceSink::kRepeatBases> times{};

  [[gnu::always_inline]] void add(std::uint32_t of_instruction, std::uint64_t base) {
    instruction = of_instruction;
    const std::size_t at = base % TraceSink::kRepeatBases;
    came[at / 64] |= std::uint64_t{1} << at % 64;
    ++times[at];
  }
};

// All that an executor may touch besides the register file. One per worker; the runner points it at
// the block and warp that execute.
struct ExecutionContext {
  // Memory of the spaces. Offsets that pass the check against *_bytes may be used.
  const MemoryMap* memory = nullptr;
  std::vector<const MemoryRegion*> site_region;  // per MicroOp::site: the region hit last
  std::byte* shared = nullptr;
  std::uint64_t shared_bytes = 0;
  std::uint64_t reserved_shared = 0;  // where CUDA's own part begins; shared_bytes: it has none
  std::uint64_t shared_origin = 0;    // address at which it begins (execution/cluster.h)
  Cluster* cluster = nullptr;         // nullptr: the block is alone
  // The last access of another block to this one's shared memory, as long as nothing has told this
  // block that it is over.
  std::optional<Finding::Other> peer_access;
  std::byte* local = nullptr;  // this warp's, lane after lane
  std::uint64_t local_bytes = 0;
  std::byte* parameters = nullptr;
  std::uint64_t parameter_bytes = 0;
  std::byte* constants = nullptr;
  std::uint64_t constant_bytes = 0;

  TraceSink* sink = nullptr;  // nullptr: nobody looks
  WarpPoint point;
  WarpAccess access;                    // built here
  std::vector<LastAccess> last_access;  // per MicroOp::site; empty without a sink
  std::vector<Repeats> repeats;         // the same; empty where the sink wants them at once
  AccessLog* access_log = nullptr;      // a trace's, besides the sink; nullptr: nobody traces

  AsyncCopies* async = nullptr;  // this warp's; nullptr: the kernel has no cp.async
  PendingWords* pending = nullptr;
  BulkTransfers* transfers = nullptr;  // the block's
  Observers* observers = nullptr;      // the block's; never nullptr while it executes
  ClusterRaces* peer_races = nullptr;  // of other blocks on its shared memory; nullptr: nobody asks
  FindingLog* findings = nullptr;
  PrintLog* prints = nullptr;            // nullptr: nobody reads what threads print
  DeviceWorkLog* device_work = nullptr;  // nullptr: nobody does what threads ask for
  const Code* code = nullptr;
  const Program* program = nullptr;  // that `code` is of
  Warp* warp = nullptr;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      arguments;  // offset and size of each parameter
  Dim3 block;
  Dim3 block_extent;
  std::uint64_t clock = 0;  // warp instructions this worker has executed
  bool read_clock = false;  // since somebody cleared it
};

// Code::rows[op.extra + index], for executors with more operands than MicroOp::row holds.
[[nodiscard]] std::uint32_t further_row(const MicroOp& op, const ExecutionContext& context,
                                        unsigned index);

// A lane's value of operand `index` of an instruction that decode_operands decoded: of a register,
// or an address with its displacement. Two further rows each; MicroOp::flags bit i: operand i has
// 64 bits.
[[nodiscard]] std::uint64_t operand_at(const MicroOp& op, const std::byte* registers, unsigned lane,
                                       unsigned index, const ExecutionContext& context);

// Tells the sink what came again at this site, and forgets it.
void tell_repeats(Repeats& repeats, ExecutionContext& context);

// What the fast path of a memory executor could not settle: lanes in different spaces or regions,
// out of bounds or misaligned. Does the whole access lane by lane, with findings.
void access_slowly(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                   ExecutionContext& context, const LaneArray& addresses);

}  // namespace tilescope
