#pragma once
#include "emulator/checks/access_order.h"

namespace tilescope {

// What is remembered of a piece of memory: who wrote it last, and two readers since. Of readers
// that do not know of each other one is kept for its warp and one from another warp, so that a
// write finds one in its way where there is any. A plain write is kept beside the strong ones that
// follow it: these are in no other strong one's way, but it is. Of two strong ones the later alone
// is kept: who comes after that one is not harmed by the other.
struct AccessCell {
  AccessStamp write;  // or an atomic
  AccessStamp plain;  // the last plain write, where `write` is a strong one
  AccessStamp read[2];
};

// Are two accesses, one of them a write, in each other's way? Strong ones are not, but for volatile
// ones of one warp: since Volta its lanes need not run in step, and volatile does not make them.
[[nodiscard]] inline bool conflicts(const AccessStamp& past, const AccessStamp& now,
                                    const AccessOrder& order) {
  if (past.tick == 0 || order.ordered(past, now.thread)) return false;
  if (past.strong == 0 || now.strong == 0) return true;
  const bool volatile_lanes = past.atomic == 0 && now.atomic == 0 && past.warp() == now.warp();
  return volatile_lanes && past.polls == 0 && now.polls == 0;
}

inline void remember_write(AccessCell& cell, const AccessStamp& now) {
  if (now.strong == 0) {
    cell.plain = {};
  } else if (cell.write.strong == 0) {
    cell.plain = cell.write;
  }
  cell.write = now;
}

inline void remember_read(AccessCell& cell, const AccessStamp& now, const AccessOrder& order) {
  const bool together = cell.read[0].tick == now.tick && cell.read[0].warp() == now.warp();
  if (together) {  // lanes that read one place at once: two of them will do
    if (order.ordered(cell.read[1], now.thread)) cell.read[1] = now;
    return;
  }
  if (order.ordered(cell.read[0], now.thread)) {
    cell.read[0] = now;
  } else if (order.ordered(cell.read[1], now.thread) || cell.read[0].warp() != now.warp()) {
    cell.read[1] = now;
  } else {
    cell.read[0] = now;
  }
}

}  // namespace tilescope
