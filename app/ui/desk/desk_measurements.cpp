#include "ui/desk/desk_measurements.h"

#include <set>

#include "session/variant_instance.h"
#include "ui/desk/desk.h"

namespace tilescope {
namespace {

// The ids under which the document's kernels are measured.
std::set<std::string> measured_ids(const Desk& desk) {
  std::set<std::string> ids;
  for (const Variant& variant : desk.bench.variants()) {
    if (variant.study != nullptr) ids.insert(variant.study->instance.id);
    if (variant.entry == nullptr) continue;
    ids.insert(variant.entry->id);
    ids.insert(edited_id(variant.entry->id));
  }
  return ids;
}

// Those of the document's kernels.
template <typename Read>
void add(const std::vector<Read>& read, const std::set<std::string>& ids, std::vector<Read>* to) {
  for (const Read& each : read) {
    if (ids.contains(each.of.kernel)) to->push_back(each);
  }
}

void add_launches(const Desk& desk, Measurements* measured) {
  measured->date = desk.bench.live_date();
  measured->live_seconds = desk.charts.live_seconds;
  measured->live_end = desk.charts.live_end;
  measured->launches.clear();
  measured->changes.clear();
  for (const LivePoint& point : desk.bench.live()) {
    measured->launches.push_back({point.time_seconds, point.kernel_seconds, point.variant,
                                  point.cold, point.work.flop, point.work.bytes});
  }
  for (const LiveChange& change : desk.bench.changes()) {
    measured->changes.push_back({change.time_seconds, change.label});
  }
}

}  // namespace

std::shared_ptr<const TunedRun> tuned_run(const Desk& desk) {
  if (auto own = desk.tuner.found()) return own;
  if (desk.opened == nullptr || !desk.opened->tuned) return nullptr;
  return {desk.opened, &*desk.opened->tuned};
}

const DeviceModel& charted_device(const Desk& desk) {
  const bool own = !desk.bench.live().empty() || !desk.bench.measured().empty();
  return own || desk.opened == nullptr ? desk.bench.device_model() : desk.opened->device;
}

Measurements measurements_of(const Desk& desk) {
  Measurements measured = desk.opened != nullptr ? *desk.opened : Measurements{};
  measured.device = charted_device(desk);
  const std::set<std::string> ids = measured_ids(desk);
  add(desk.bench.measured(), ids, &measured.points);
  add(desk.bench.counters_read(), ids, &measured.counters);
  add(desk.bench.phases_read(), ids, &measured.phases);
  if (const auto run = tuned_run(desk)) measured.tuned = *run;
  if (!desk.bench.live().empty()) add_launches(desk, &measured);
  return measured;
}

}  // namespace tilescope
