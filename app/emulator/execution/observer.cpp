#include "emulator/execution/observer.h"

namespace tilescope {

void Observers::look_at(const WarpPoint& where, const WarpAccess& access) {
  if (!executing_) return;
  ObservedAccess observed{where, access, access.active};
  for (BlockObserver* observer : all_) {
    observer->inspect(observed);
    if (observed.ignored) return;
  }
}

std::uint64_t Observers::held_bytes() const {
  std::uint64_t bytes = 0;
  for (const BlockObserver* observer : all_) bytes += observer->held_bytes();
  return bytes;
}

}  // namespace tilescope
