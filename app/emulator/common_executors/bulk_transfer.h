#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "emulator/execution/async_copies.h"
#include "emulator/execution/execution_context.h"
#include "emulator/execution/lane_access.h"
#include "emulator/warp_access.h"

namespace tilescope {

// What bulk copies and tensor copies share.

// Memory that one of them reads or writes.
struct BulkRange {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  MemorySpace space = MemorySpace::kShared;
  bool writes = false;
  std::uint8_t alignment = 16;  // bytes; a power of two
};
// Where it begins, or nullopt after reporting what is wrong with it. Precondition: bytes > 0.
[[nodiscard]] std::optional<LanePlace> place_range(const MicroOp& op, unsigned lane,
                                                   const BulkRange& range,
                                                   ExecutionContext& context);

// A copy into shared memory that an mbarrier will announce.
struct BulkDelivery {
  std::uint64_t barrier = 0;  // address of the mbarrier
  LanePlace to;
  std::span<const BulkPiece> pieces = {};              // what of it comes from global memory
  std::optional<std::uint32_t> blocks = std::nullopt;  // .multicast::cluster: a bit for each rank
  BulkTransfers::Combine reduction = nullptr;          // nullptr: replaces what is there
  unsigned element_bytes = 0;                          // of a reduction
  std::optional<std::uint32_t> counted_bytes =
      std::nullopt;  // at the mbarrier, where not the data's
};
// Hands the bytes to the block that owns the destination, or to all that the mask names, at the
// same offset in each; reports what cannot be. `op` and `lane` issue it.
void deliver(const MicroOp& op, unsigned lane, const BulkDelivery& delivery,
             std::vector<std::byte> data, ExecutionContext& context);

// A bulk store or reduction begins to read these bytes of the block's shared memory, and goes on
// until its bulk group has been waited for; `pieces` of them it writes to global memory.
struct BulkStore {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::span<const BulkPiece> pieces;
  bool reduces = false;
};
void store_in_bulk(const MicroOp& op, unsigned lane, const BulkStore& store,
                   ExecutionContext& context);

}  // namespace tilescope
