#include "ui/desk/tuned.h"

#include <utility>

#include "session/readings.h"
#include "session/recorded_combinations.h"
#include "store/rates.h"
#include "ui/desk/desk.h"
#include "ui/desk/desk_measurements.h"

namespace tilescope {

std::shared_ptr<const TunedFigure> tuned_figure(const Desk& desk) {
  const Variant& active = desk.bench.active();
  const bool ready = desk.tuner.stage() == Tuner::Stage::kReady;
  const bool ships = active.entry != nullptr && !active.is_edited();
  if (const auto run = tuned_run(desk);
      run && (!ready || (ships && is_of(*run, *active.entry, active.extents, active.factors)))) {
    auto figure = tuned_figure(*run, desk.bench.catalogue());
    if (figure) return std::make_shared<const TunedFigure>(*std::move(figure));
  }
  if (!ready || !ships) return nullptr;
  TunedFigure figure = tuned_figure(
      {0, active.entry, active.parameters, active.extents, active.factors},
      usual_reference(active.entry->problem),
      recorded_combinations(desk.recorded, *active.entry, active.extents, active.factors));
  if (figure.empty()) return nullptr;
  return std::make_shared<const TunedFigure>(std::move(figure));
}

}  // namespace tilescope
