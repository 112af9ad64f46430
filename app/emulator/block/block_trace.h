#pragma once
#include <cstdint>
#include <stop_token>
#include <vector>

#include "emulator/block/event_list.h"
#include "emulator/emulate.h"

namespace tilescope {

// Shared memory that a product of a warp group reads by itself, which is no access of its lanes.
struct OperandRead {
  std::uint32_t event = 0;
  std::uint32_t offset = 0;  // bytes; of every 32 pieces of 16 bytes the first one's
  std::uint32_t access = 0;  // BlockTrace::access(): all of them, in no lane's name
};

// A bulk copy between global memory and the block's own shared memory, issued by one lane; no
// access of its warp either. A load into several blocks of a cluster is here with this block's
// part. A copy of a tensor's box is several, one for each piece that stays together.
struct BulkCopy {
  enum class Kind : std::uint8_t { kLoad, kStore, kReduction };
  Kind kind = Kind::kLoad;
  std::uint32_t event = 0;   // the next one where another block issues it
  std::uint32_t lane = 0;    // kWarpSize and more: of another block
  std::uint64_t global = 0;  // address
  std::uint64_t shared = 0;  // offset
  std::uint64_t bytes = 0;   // a multiple of 16; less where a tensor ends within 16 bytes
  // Of a load: the mbarrier that will announce it (offset), and how many of its phases are over.
  std::uint32_t barrier = 0;
  std::uint32_t phase = 0;
  [[nodiscard]] bool loads() const { return kind == Kind::kLoad; }
};

// What a warp does to an mbarrier of the block: it arrives in a phase, or goes on because one is
// over. Phases are numbered from 0.
struct MbarrierUse {
  std::uint32_t event = 0;    // the next one where another block does it
  std::uint32_t barrier = 0;  // offset into shared memory
  std::uint32_t phase = 0;
  bool waits = false;
  bool elsewhere = false;  // it is another block's warp
  friend bool operator==(const MbarrierUse&, const MbarrierUse&) = default;
};

// Everything one block did, bounded in memory.
struct BlockTrace {
  Dim3 block;                              // index in the grid
  EventList events;                        // in the order of emulation
  std::vector<OperandRead> operand_reads;  // by event
  std::vector<BulkCopy> bulk_copies;       // by event
  std::vector<MbarrierUse> mbarrier_uses;  // by event
  bool truncated = false;                  // more happened than `events` holds
  std::uint64_t omitted_events = 0;
  std::vector<Finding> findings;
  ExecutionCounts counts;  // of all events, also the omitted
  bool complete = true;    // as Emulation::complete

  [[nodiscard]] WarpAccess access(std::uint32_t index) const { return events.accesses()[index]; }
  [[nodiscard]] AccessOutline outline(std::uint32_t index) const {
    return events.accesses().outline(index);
  }
  [[nodiscard]] std::size_t access_count() const { return events.accesses().size(); }
};

// Traces one block; `memory` is read and written as by emulate(). The same request always gives the
// same trace. At most `most_events` events are kept; the block runs to its end all the same, and
// `sink`, where there is one, sees every access.
[[nodiscard]] Result<BlockTrace> trace_block(const Program& program, const Launch& launch,
                                             DeviceMemory& memory, std::uint64_t linear_block,
                                             std::size_t most_events, std::stop_token stop,
                                             TraceSink* sink = nullptr);
// The same on memory as emulate_on() has it.
[[nodiscard]] Result<BlockTrace> trace_block_on(const MemoryMap& memory, const Program& program,
                                                const Launch& launch, std::uint64_t linear_block,
                                                std::size_t most_events, std::stop_token stop,
                                                TraceSink* sink = nullptr);

}  // namespace tilescope
