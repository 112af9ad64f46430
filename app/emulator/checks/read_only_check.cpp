#include "emulator/checks/read_only_check.h"

#include <fmt/format.h>

#include "emulator/execution/place_name.h"
#include "emulator/execution/register_cells.h"

namespace tilescope {

void ReadOnlyCheck::inspect(ObservedAccess& access) {
  const CheckedAccess& checked = *block_.access;
  if (!is_read_only(checked.instruction) || checked.lanes.space != MemorySpace::kGlobal) return;
  const std::uint32_t size = block_.notes.global_cell_bytes;
  for_lanes(access.lanes, [&](unsigned lane) {
    for (std::uint32_t at = 0; at < checked.lanes.bytes_per_lane; at += size) {
      const std::uint64_t address = checked.lanes.address[lane] + at;
      const AccessStamp* const write = races_.last_global_write(address);
      if (write == nullptr || !block_.order.ordered(*write, block_.thread(lane))) continue;
      if (!block_.reports.is_new(FindingKind::kGlobalRace, checked.instruction)) return;
      block_.reports.add(
          FindingKind::kGlobalRace, checked.instruction, block_.thread(lane),
          fmt::format("reads {} by the read-only path (__ldg, const __restrict__), which {} writes "
                      "(line {}) in the same launch: the old value may still be there; read it "
                      "without __ldg, by a pointer that is not const __restrict__",
                      name_place(block_.context, MemorySpace::kGlobal, address, size),
                      block_.reports.thread_text(write->thread),
                      block_.notes.of[write->instruction].line),
          write);
      return;
    }
  });
}

}  // namespace tilescope
