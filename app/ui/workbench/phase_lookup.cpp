#include "ui/workbench/phase_lookup.h"

#include <algorithm>

#include "session/readings.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

void PhaseLookup::update(const Workbench& bench, const std::shared_ptr<const Measurements>& opened,
                         const std::shared_ptr<const KernelStudy>& study) {
  auto& [now, before] = found_;
  const std::size_t read = bench.phases_read().size();
  if (now.study == study && read_ == read && opened_ == opened) return;
  if (now.study != study) before = now;
  now = {study, nullptr};
  in_file_.reset();
  read_ = read;
  opened_ = opened;
  if (study == nullptr) return;
  now.phases = in_file_ = read_phases(bench.phases_read(), *study, Source::kMeasured);
  if (now.phases != nullptr || opened == nullptr) return;
  now.phases = read_phases(opened->phases, *study, Source::kRecorded);
  in_file_ = read_phases(opened->phases, *study, Source::kMeasured);
}

std::shared_ptr<const MeasuredPhases> PhaseLookup::shown(const KernelStudy* study) const {
  if (study == nullptr) return nullptr;
  const auto of = [&](const Found& found) { return found.study.get() == study; };
  const auto found = std::ranges::find_if(found_, of);
  return found != found_.end() ? found->phases : nullptr;
}

}  // namespace tilescope
