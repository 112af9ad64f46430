#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/common_executors/families.h"
#include "emulator/common_executors/library_call.h"
#include "emulator/execution/kernel_heap.h"
#include "emulator/execution/lane_access.h"
#include "emulator/lanes_in.h"
#include "emulator/region_history.h"

// malloc and free of the device's run-time library (library_call.h); the immediate is the heap's
// address.
namespace tilescope {
namespace {

template <class Do>
void for_lanes(const MicroOp& op, std::uint32_t mask, const ExecutionContext& context,
               const Do& f) {
  const auto address = static_cast<std::uint64_t>(op.immediate);
  const MemoryRegion* heap = context.memory->find(address);
  if (heap == nullptr) return;
  if (heap->history != nullptr) heap->history->note_use(true, true);
  const std::span<std::byte> bytes(heap->data, heap->bytes);
  for (const unsigned lane : lanes_in(mask)) f(lane, bytes, heap->begin);
}

// The first place has the size, the second one gets the address.
void execute_allocate(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                      ExecutionContext& context) {
  for_lanes(op, mask, context, [&](unsigned lane, std::span<std::byte> heap, std::uint64_t begin) {
    const std::uint64_t offset =
        allocate_in(heap, library_argument<std::uint64_t>(op, registers, lane, 0, context));
    set_library_result(op, registers, lane, 1, context, offset == 0 ? 0 : begin + offset);
  });
}

void execute_free(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                  ExecutionContext& context) {
  for_lanes(op, mask, context, [&](unsigned lane, std::span<std::byte> heap, std::uint64_t begin) {
    const auto address = library_argument<std::uint64_t>(op, registers, lane, 0, context);
    const std::uint64_t offset = address - begin;
    if (address == 0 || (offset < heap.size() && release_in(heap, offset))) return;
    report(context, FindingKind::kOutOfBounds, op, lane,
           "frees memory that is not allocated: it was freed before, or malloc or new did not give "
           "this address; free each allocation once, by the pointer that it was given as");
  });
}

}  // namespace

Executor find_device_allocation(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kHeapAllocate:
      return execute_allocate;
    case Operation::kHeapFree:
      return execute_free;
    default:
      return nullptr;
  }
}

}  // namespace tilescope
