#pragma once
#include <span>
#include <vector>

#include "session/readings.h"
#include "store/history.h"
#include "store/recorded_library.h"

namespace tilescope {

// Where a command finds times of launches that it does not measure itself.
struct KeptTimes {
  RecordedLibrary recorded;
  std::vector<HistoryEntry> history;  // newest first; empty: it was not asked for

  // Of these and, before them, of what a session measured; as long as all three are there.
  [[nodiscard]] KnownTimes times(std::span<const MeasuredPoint> measured = {}) const {
    return {measured, {}, Source::kMeasured, recorded, history};
  }
};

// What is recorded; and, where `with_history` says so, what the person measured on GPUs of this
// compute capability, which stands beside a model of it.
[[nodiscard]] Result<KeptTimes> kept_times(const Catalogue& catalogue, int compute_capability,
                                           bool with_history);

}  // namespace tilescope
