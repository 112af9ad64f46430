#include <bit>
#include <cstring>

#include "emulator/code.h"
#include "emulator/common_executors/families.h"
#include "emulator/execution/execution_context.h"
#include "emulator/execution/kernel_heap.h"
#include "emulator/executors/lanes.h"
#include "emulator/region_history.h"

// malloc and free of the device's run-time library. Their argument and result stand in .param
// variables of the caller, as those of printf do (device_print.cpp); the immediate is the heap's
// address.
namespace tilescope {
namespace {

using portable::row_at;

// Where the i-th .param variable of the call lies in the lane's local memory; nullptr: nowhere.
std::byte* place_of(const MicroOp& op, std::byte* registers, unsigned lane, unsigned i,
                    const ExecutionContext& context) {
  const std::uint64_t frame = op.flags != 0 ? row_at<std::uint64_t>(registers, op.row[0])[lane] : 0;
  const std::uint64_t offset =
      frame + row_at<std::uint32_t>(registers, further_row(op, context, i))[lane];
  if (offset + sizeof(std::uint64_t) > context.local_bytes) return nullptr;
  return context.local + lane * context.local_bytes + offset;
}

template <class Do>
void for_lanes(const MicroOp& op, std::uint32_t mask, const ExecutionContext& context,
               const Do& f) {
  const auto address = static_cast<std::uint64_t>(op.immediate);
  const MemoryRegion* heap = context.memory->find(address);
  if (heap == nullptr) return;
  if (heap->history != nullptr) heap->history->note_use(true, true);
  const std::span<std::byte> bytes(heap->data, heap->bytes);
  for (std::uint32_t left = mask; left != 0; left &= left - 1)
    f(static_cast<unsigned>(std::countr_zero(left)), bytes, heap->begin);
}

// The first place has the size, the second one gets the address.
void execute_allocate(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                      ExecutionContext& context) {
  for_lanes(op, mask, context, [&](unsigned lane, std::span<std::byte> heap, std::uint64_t begin) {
    const std::byte* size_at = place_of(op, registers, lane, 0, context);
    std::byte* result_at = place_of(op, registers, lane, 1, context);
    if (size_at == nullptr || result_at == nullptr) return;
    std::uint64_t size = 0;
    std::memcpy(&size, size_at, sizeof size);
    const std::uint64_t offset = allocate_in(heap, size);
    const std::uint64_t address = offset == 0 ? 0 : begin + offset;
    std::memcpy(result_at, &address, sizeof address);
  });
}

void execute_free(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                  ExecutionContext& context) {
  for_lanes(op, mask, context, [&](unsigned lane, std::span<std::byte> heap, std::uint64_t begin) {
    const std::byte* pointer_at = place_of(op, registers, lane, 0, context);
    if (pointer_at == nullptr) return;
    std::uint64_t address = 0;
    std::memcpy(&address, pointer_at, sizeof address);
    if (address - begin < heap.size()) release_in(heap, address - begin);
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
