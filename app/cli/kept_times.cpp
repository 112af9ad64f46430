#include "cli/kept_times.h"

#include <filesystem>
#include <system_error>

namespace tilescope {

Result<KeptTimes> kept_times(const Catalogue& catalogue, int compute_capability,
                             bool with_history) {
  auto recorded = RecordedLibrary::load_shipped(catalogue);
  if (!recorded) return recorded.error();
  KeptTimes kept{*std::move(recorded), {}};
  std::error_code ignored;
  if (!with_history || !std::filesystem::exists(History::default_file(), ignored)) return kept;
  const auto history = History::open(History::default_file());
  if (!history) return history.error();
  auto entries = history->find({});
  if (!entries) return entries.error();
  kept.history = *std::move(entries);
  std::erase_if(kept.history, [&](const HistoryEntry& each) {
    return each.machine.compute_capability != compute_capability;
  });
  return kept;
}

}  // namespace tilescope
