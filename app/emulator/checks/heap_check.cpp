#include "emulator/checks/heap_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "core/quantity.h"
#include "emulator/execution/kernel_heap.h"
#include "emulator/execution/register_cells.h"
#include "emulator/memory_map.h"
#include "ptx/syntax.h"

namespace tilescope {
namespace {

// Empty: the bytes lie in a live allocation.
std::string fault_of(std::span<std::byte> heap, std::uint64_t offset, const CheckedAccess& access) {
  const std::uint64_t bytes = access.lanes.bytes_per_lane;
  const std::string_view verb = access.writes ? "writes" : "reads";
  const std::optional<HeapAllocation> found = allocation_before(heap, offset);
  if (!found) {
    return fmt::format(
        "{} the kernel's heap before its first allocation: use only the addresses that malloc or "
        "new gave",
        verb);
  }
  if (!found->live)
    return fmt::format("{} memory of malloc or new after it was freed: free it after its last use",
                       verb);
  const std::uint64_t at = offset - found->begin;
  if (at > found->bytes || bytes > found->bytes - at) {
    return fmt::format(
        "{} {} byte{} at byte {} of an allocation of {} byte{} (malloc or new): allocate more "
        "(elements times sizeof), or check the index",
        verb, bytes, bytes == 1 ? "" : "s", format_count(at), format_count(found->bytes),
        found->bytes == 1 ? "" : "s");
  }
  return {};
}

}  // namespace

HeapCheck::HeapCheck(CheckedBlock& block) : block_(block) {
  const auto& regions = block.context.memory->regions();
  const auto found = std::ranges::find(regions, kDeviceHeap, &MemoryRegion::name);
  if (found != regions.end()) heap_ = &*found;
}

StepEvents HeapCheck::needs(std::uint32_t instruction) const {
  return {.accesses =
              heap_ != nullptr && block_.notes.of[instruction].may_access(MemorySpace::kGlobal)};
}

void HeapCheck::inspect(ObservedAccess& access) {
  const CheckedAccess& checked = *block_.access;
  if (heap_ == nullptr || access.access.space != MemorySpace::kGlobal) return;
  const std::uint64_t end = heap_->begin + heap_->bytes;
  if (checked.end() <= heap_->begin || checked.lowest >= end) return;
  for_lanes(access.lanes, [&](unsigned lane) {
    const std::uint64_t address = checked.lanes.address[lane];
    if (address < heap_->begin || address >= end) return;
    const std::string fault =
        fault_of({heap_->data, heap_->bytes}, address - heap_->begin, checked);
    if (fault.empty()) return;
    access.lanes &= ~(1u << lane);
    if (block_.reports.is_new(FindingKind::kOutOfBounds, checked.instruction))
      block_.reports.add(FindingKind::kOutOfBounds, checked.instruction, block_.thread(lane),
                         fault);
  });
}

}  // namespace tilescope
