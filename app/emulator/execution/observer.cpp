#include "emulator/execution/observer.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace tilescope {

void Observers::watch(std::size_t instructions, TraceSink* next) {
  assert(all_.size() <= std::numeric_limits<Set>::digits);
  next_ = next;
  watched_.assign(instructions, {});
  for (std::size_t i = 0; i < all_.size(); ++i) {
    for (std::uint32_t instruction = 0; instruction < instructions; ++instruction) {
      const StepEvents events = all_[i]->needs(instruction);
      Watched& watched = watched_[instruction];
      const auto add = [&](bool needed, Set& set) {
        if (needed) set = static_cast<Set>(set | 1u << i);
      };
      add(events.before, watched.before);
      add(events.after, watched.after);
      add(events.accesses, watched.accesses);
      add(events.before || events.after || events.accesses, watched.any);
    }
  }
}

void Observers::follow(const BlockObserver& observer, bool every) {
  const auto index = std::find(all_.begin(), all_.end(), &observer) - all_.begin();
  const unsigned bit = 1u << index;
  followers_ = static_cast<Set>(every ? followers_ | bit : followers_ & ~bit);
}

void Observers::look_at(const WarpPoint& where, const WarpAccess& access) {
  if (step_ == nullptr) return;
  ObservedAccess observed{where, access, access.active};
  for (unsigned left = watched_[step_->op.instruction].accesses; left != 0 && !observed.ignored;
       left &= left - 1)
    all_[static_cast<std::size_t>(std::countr_zero(left))]->inspect(observed);
}

std::uint64_t Observers::held_bytes() const {
  std::uint64_t bytes = 0;
  for (const BlockObserver* observer : all_) bytes += observer->held_bytes();
  return bytes;
}

}  // namespace tilescope
