#pragma once
#include <cstdint>
#include <stop_token>
#include <vector>

#include "emulator/emulate.h"

namespace tilescope {

inline constexpr std::uint32_t kNoAccess = 0xffffffff;

// One executed warp instruction of the traced block, in the order of emulation.
struct TraceEvent {
  std::uint32_t instruction = 0;     // static index
  std::uint32_t active = 0;          // lanes that execute it (predicate included)
  std::uint32_t access = kNoAccess;  // BlockTrace::access(); a cp.async has two: this and the next
  std::uint16_t warp = 0;
  std::uint32_t present = 0;  // lanes that came along, also those that the predicate switched off
};

// Shared memory that a product of a warp group reads by itself, which is no access of its lanes.
struct OperandRead {
  std::uint32_t event = 0;
  std::uint32_t offset = 0;  // bytes; of every 32 pieces of 16 bytes the first one's
  std::uint32_t access = 0;  // BlockTrace::access(): all of them, in no lane's name
};

// A bulk copy from global memory into the block's own shared memory, issued by one lane; no access
// of its warp either. One for several blocks of a cluster is none.
struct BulkCopy {
  std::uint32_t event = 0;
  std::uint32_t lane = 0;
  std::uint64_t from = 0;   // address
  std::uint64_t to = 0;     // offset into shared memory
  std::uint64_t bytes = 0;  // a multiple of 16
};

// Everything one block did, bounded in memory.
class BlockTrace {
 public:
  Dim3 block;  // index in the grid
  std::vector<TraceEvent> events;
  std::vector<OperandRead> operand_reads;  // by event
  std::vector<BulkCopy> bulk_copies;       // by event
  bool truncated = false;                  // more happened than `events` holds
  std::uint64_t omitted_events = 0;
  std::vector<Finding> findings;
  ExecutionCounts counts;  // of all events, also the omitted
  bool complete = true;    // as Emulation::complete

  // Rebuilds the addresses of an access. An access is kept as a base address and the lanes'
  // distances from it: a stride where they are equal, else a pattern that accesses share.
  [[nodiscard]] WarpAccess access(std::uint32_t index) const;
  [[nodiscard]] std::size_t access_count() const { return accesses_.size(); }
  // `like`: an earlier access that probably has the same shape (the same instruction's last one),
  // or kNoAccess. Makes appending cheap, changes nothing else.
  void append(const WarpAccess& access, std::uint32_t like = kNoAccess);
  // Appends access `index` once more, moved so that its first active lane's address is `base`.
  void repeat(std::uint32_t index, std::uint64_t base);
  void reserve(std::size_t most_events);

 private:
  struct Record {
    std::uint64_t base = 0;             // of the first active lane
    std::int64_t stride = 0;            // between neighbouring lanes, when pattern is kNoAccess
    std::uint32_t pattern = kNoAccess;  // first of 32 distances from the base in patterns_
    std::uint32_t active = 0;
    std::uint8_t bytes_per_lane = 0;
    MemorySpace space = MemorySpace::kGlobal;
    AccessKind kind = AccessKind::kLoad;
  };
  [[nodiscard]] Record describe(const WarpAccess& access);
  [[nodiscard]] bool has_shape_of(const WarpAccess& access, const Record& record) const;

  std::vector<Record> accesses_;
  std::vector<std::int64_t> patterns_;
};

// Traces one block; `memory` is read and written as by emulate(). The same request always gives the
// same trace. At most `most_events` events are kept; the block runs to its end all the same, and
// `sink`, where there is one, sees every access.
[[nodiscard]] Result<BlockTrace> trace_block(const Program& program, const Launch& launch,
                                             DeviceMemory& memory, std::uint64_t linear_block,
                                             std::size_t most_events, std::stop_token stop,
                                             TraceSink* sink = nullptr);

}  // namespace tilescope
