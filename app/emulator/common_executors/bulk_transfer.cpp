#include "emulator/common_executors/bulk_transfer.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "emulator/execution/barriers.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/observer.h"

namespace tilescope {
namespace {

// To one block's shared memory. A lane of another block is none of the owner's.
void deliver_to(ExecutionContext& owner, unsigned lane, const BulkTransfers::Copy& copy,
                std::span<const BulkPiece> pieces, const ExecutionContext& context) {
  const unsigned shown = &owner == &context ? lane : lane + kWarpSize;
  owner.observers->tell(&BlockObserver::on_bulk_copy, context.point, shown, copy, pieces);
  owner.transfers->copy_later(copy, owner);
}

// To the same offset in every block of the cluster that the mask names, each told at its own
// mbarrier. False: it names one that is not there.
bool deliver_to_all(std::uint32_t blocks, unsigned lane, const BulkTransfers::Copy& copy,
                    std::span<const BulkPiece> pieces, ExecutionContext& context) {
  if (context.cluster == nullptr) {
    if ((blocks & 1u) != 0) deliver_to(context, lane, copy, pieces, context);
    return blocks <= 1;
  }
  const std::vector<Cluster::Member>& members = context.cluster->members;
  bool all = (blocks >> members.size()) == 0;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    if (((blocks >> rank) & 1u) == 0) continue;
    all &= !members[rank].ended;
    if (!members[rank].ended) deliver_to(*members[rank].context, lane, copy, pieces, context);
  }
  return all;
}

}  // namespace

std::optional<LanePlace> place_range(const MicroOp& op, unsigned lane, const BulkRange& range,
                                     ExecutionContext& context) {
  MicroOp piece = op;
  piece.bytes = 1;
  const auto first = place_lane(piece, lane, range.address, range.space, range.writes, context);
  if (!first) return std::nullopt;
  if (first->shown_address % range.alignment != 0) {
    piece.bytes = range.alignment;  // whose placing says what is wrong
    place_lane(piece, lane, range.address, range.space, range.writes, context).reset();
    return std::nullopt;
  }
  const std::uint64_t more = range.bytes - 1;
  const auto last =
      place_lane(piece, lane, range.address + more, range.space, range.writes, context);
  if (!last || last->data != first->data + more) return std::nullopt;
  return first;
}

void deliver(const MicroOp& op, unsigned lane, const BulkDelivery& delivery,
             std::vector<std::byte> data, ExecutionContext& context) {
  MicroOp object = op;
  object.bytes = 8;
  const auto barrier =
      place_lane(object, lane, delivery.barrier, MemorySpace::kShared, true, context);
  if (!barrier) return;
  if (delivery.to.owner != barrier->owner) {
    report(context, FindingKind::kBarrier, op, lane,
           "the mbarrier lies in another block's shared memory than what is copied: map both to "
           "one block");
    return;
  }
  const BulkTransfers::Copy copy{barrier->offset(),
                                 delivery.to.offset(),
                                 std::move(data),
                                 delivery.reduction,
                                 BulkTransfers::issuer_of(op, lane, context),
                                 delivery.element_bytes,
                                 delivery.counted_bytes};
  context.point.instruction = op.instruction;
  if (!delivery.blocks) {
    deliver_to(*delivery.to.owner, lane, copy, delivery.pieces, context);
    return;
  }
  const std::uint32_t blocks = *delivery.blocks & 0xffffu;
  if (deliver_to_all(blocks, lane, copy, delivery.pieces, context)) return;
  report(context, FindingKind::kOutOfBounds, op, lane,
         fmt::format("the mask of blocks ({:#x}) names one that its cluster does not have, or "
                     "that has left the kernel",
                     blocks));
}

void store_in_bulk(const MicroOp& op, unsigned lane, const BulkStore& store,
                   ExecutionContext& context) {
  context.point.instruction = op.instruction;
  context.observers->tell(&BlockObserver::on_bulk_read, context.point, lane,
                          BulkRead{store.offset, store.bytes, false});
  context.observers->tell(&BlockObserver::on_bulk_store, context.point, lane, store.pieces,
                          store.reduces);
}

}  // namespace tilescope
