#include "emulator/execution/async_copies.h"
#include "emulator/execution/lane_access.h"
#include "emulator/executors/families.h"
#include "emulator/executors/memory_access.h"

// cp.async: row[0] the shared address, row[1] the global one, row[2] the source's size or the
// predicate that ignores it; immediate: the shared displacement above the global one, 32 bits each.
namespace tilescope::TILESCOPE_ISA {
namespace {

// How many bytes each lane takes from global memory; the rest of its copy is zeros.
void find_sizes(const MicroOp& op, std::byte* registers, std::uint32_t* sizes) {
  const Row32* given = row_at<std::uint32_t>(registers, op.row[2]);
  for (int l = 0; l < kLanes; ++l) sizes[l] = op.bytes;
  if ((op.flags & kSourceSize) != 0) {
    for (int l = 0; l < kLanes; ++l) sizes[l] = given[l] < op.bytes ? given[l] : op.bytes;
  } else if ((op.flags & kIgnoreSource) != 0) {
    std::uint32_t ignore = predicate_at(registers, op.row[2]);
    if ((op.flags & kNegated) != 0) ignore = ~ignore;
    for (int l = 0; l < kLanes; ++l) sizes[l] = ((ignore >> l) & 1u) != 0 ? 0u : op.bytes;
  }
}

// Lane by lane: some lane is out of bounds or misaligned, or takes less than a whole copy.
void copy_slowly(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                 const LaneArray& shared, const LaneArray& global, ExecutionContext& context) {
  std::uint32_t sizes[kLanes];
  find_sizes(op, registers, sizes);
  std::uint32_t reading = 0;
  for (int l = 0; l < kLanes; ++l) reading |= sizes[l] != 0 ? 1u << l : 0u;
  const PlacedLanes from = place_lanes(op, mask & reading, MemorySpace::kGlobal,
                                       AccessKind::kAsyncCopy, global, context);
  const PlacedLanes to =
      place_lanes(op, mask, MemorySpace::kShared, AccessKind::kAsyncCopy, shared, context);
  if (to.mask == 0) return;
  AsyncCopies::Copy& copy = context.async->issue(op, to.mask);
  for (std::uint32_t left = to.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const auto offset = static_cast<std::uint64_t>(to.data[lane] - context.shared);
    copy.offset[lane] = static_cast<std::uint32_t>(offset);
    copy.data[lane].fill(std::byte{0});
    const bool good = ((from.mask >> lane) & 1u) != 0;
    if (good) std::memcpy(copy.data[lane].data(), from.data[lane], sizes[lane]);
    context.pending->add(offset, op.bytes);
  }
}

// Its two accesses one after the other; each has a site of its own.
inline __attribute__((noinline)) void tell_copy(const MicroOp& op, std::uint32_t mask,
                                                std::uint64_t shown_base, const LaneArray& global,
                                                const LaneArray& shared,
                                                ExecutionContext& context) {
  context.point.instruction = op.instruction;
  const std::uint32_t to = op.site + 1;
  const bool reads_alike =
      repeats_last(op.site, mask, MemorySpace::kGlobal, global, LaneShape::kAny, context);
  const bool writes_alike =
      repeats_last(to, mask, MemorySpace::kShared, shared, LaneShape::kAny, context);
  const std::uint64_t source = global[0] + shown_base;
  if (reads_alike && writes_alike &&
      context.sink->on_copy_repeat(context.point, source, shared[0])) {
    if (AccessLog* log = context.access_log; log != nullptr) {
      log->add({source, context.last_access[op.site].logged, op.instruction});
      log->add({shared[0], context.last_access[to].logged, op.instruction});
    }
    return;
  }
  describe_access(op, mask, MemorySpace::kGlobal, AccessKind::kAsyncCopy, shown_base, global,
                  op.site, context);
  describe_access(op, mask, MemorySpace::kShared, AccessKind::kAsyncCopy, 0, shared, to, context);
}

template <unsigned Bytes, AddressForm Form>
void execute_async_copy(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                        ExecutionContext& context) {
  const auto to_displacement = static_cast<std::uint64_t>(op.immediate >> 32);
  const auto from_displacement = static_cast<std::uint64_t>(
      static_cast<std::int64_t>(static_cast<std::int32_t>(op.immediate & 0xffffffff)));
  alignas(64) LaneArray shared;
  alignas(64) LaneArray global;
  const auto load = [&] {
    load_row_addresses<Form>(registers, op.row[0], to_displacement, mask, shared);
    load_row_addresses<AddressForm::kWide>(registers, op.row[1], from_displacement, mask, global);
  };
  load();
  const Target from = target_of(op, global[0], context);
  const Target to = shared_target(context, 0);
  const bool whole = (op.flags & (kSourceSize | kIgnoreSource)) == 0;
  if (!whole || from.data == nullptr || !check_lanes(from, Bytes, global) ||
      !check_lanes(to, Bytes, shared)) [[unlikely]] {
    load();
    copy_slowly(op, registers, mask, shared, global, context);
    return;
  }
  if (context.sink != nullptr) tell_copy(op, mask, from.shown_base, global, shared, context);
  AsyncCopies::Copy& copy = context.async->issue(op, mask);
  const std::byte* const data = from.data;
  for (std::size_t l = 0; l < kLanes; ++l) {  // inactive lanes copy the first active one's, unused
    copy.offset[l] = static_cast<std::uint32_t>(shared[l]);
    std::memcpy(copy.data[l].data(), data + global[l], Bytes);
  }
  PendingWords& pending = *context.pending;
  for (std::size_t l = 0; l < kLanes; ++l) pending.add(shared[l], Bytes);
}

template <unsigned Bytes>
Executor with_form(const OperationKey& key) {
  return key.address == AddressForm::kWide ? execute_async_copy<Bytes, AddressForm::kWide>
                                           : execute_async_copy<Bytes, AddressForm::kNarrow>;
}

}  // namespace

Executor find_async_copy(const OperationKey& key) {
  switch (key.vector) {
    case 4:
      return with_form<4>(key);
    case 8:
      return with_form<8>(key);
    case 16:
      return with_form<16>(key);
    default:
      return nullptr;
  }
}

}  // namespace tilescope::TILESCOPE_ISA
