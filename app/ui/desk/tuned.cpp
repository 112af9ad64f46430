#include "ui/desk/tuned.h"

#include <utility>
#include <vector>

#include "session/recorded_combinations.h"
#include "store/measured_run.h"
#include "ui/desk/rates.h"
#include "ui/desk/roofline_lookup.h"

namespace tilescope {
namespace {

std::vector<TunedRow> tried_combinations(const Desk& desk) {
  const Tuner& tuner = desk.tuner;
  std::vector<TunedRow> rows;
  for (const TunedVariant& tried : tuner.ranked()) {
    if (tried.seconds <= 0) continue;
    TunedRow row{.parameters = tried.parameters,
                 .seconds = tried.seconds,
                 .reference_seconds = tried.reference_seconds,
                 .source = Source::kModelled};
    if (tuner.measures()) {
      row.source = Source::kMeasured;
      row.gpu = gpu_here(desk.bench);
      row.date = today();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::shared_ptr<const TunedFigure> tuned_figure(const Desk& desk) {
  const Tuner& tuner = desk.tuner;
  const Variant& active = desk.bench.active();
  TunedFigure figure;
  if (tuner.stage() != Tuner::Stage::kReady && tuner.entry() != nullptr) {
    figure =
        tuned_figure({0, tuner.entry(), tuner.start_parameters(), tuner.extents(), tuner.factors()},
                     usual_reference(tuner.entry()->problem), tried_combinations(desk));
    figure.own = "the start";
  } else if (active.entry != nullptr && !active.is_edited()) {
    figure = tuned_figure(
        {0, active.entry, active.parameters, active.extents, active.factors},
        usual_reference(active.entry->problem),
        recorded_combinations(desk.recorded, *active.entry, active.extents, active.factors));
  }
  if (figure.empty()) return nullptr;
  return std::make_shared<const TunedFigure>(std::move(figure));
}

}  // namespace tilescope
