#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "core/device_table.h"
#include "core/result.h"
#include "kernel/catalogue/catalogue.h"
#include "scene/view/view.h"
#include "scene/view/view_descriptor.h"
#include "session/document.h"
#include "session/known_measurements.h"
#include "session/view_queries.h"

namespace tilescope {

// Adds to a traced study what is drawn of it, on all processors: the same as the window knows in
// the end. With `whole_grid` every block is counted instead of a sample.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> complete_study(
    std::shared_ptr<const KernelStudy> traced, const ViewNeeds& needs, const DeviceModel& device,
    bool whole_grid, const std::stop_token& stop = {});

// What views are computed from. All of it must live as long as it is used.
struct StudyTools {
  const Catalogue& catalogue;
  const DeviceModel& device;  // that launches are studied for
  const std::vector<DeviceModel>& devices;
  const KnownMeasurements& known;
  unsigned workers = 1;
};

// A view of one launch, drawn from nothing but this: `context` points into `variants`, at the
// selection of the variant.
struct StudiedView {
  std::vector<ViewedVariant> variants;
  ViewContext context;
};
// Compiles and emulates; seconds. kUsage: a view of several launches.
[[nodiscard]] Result<StudiedView> studied_view(const VariantDocument& variant, View view,
                                               const ViewSettings& settings,
                                               const StudyTools& tools,
                                               const std::stop_token& stop = {});

// A variant with every value of one of its parameters with which its launch is valid and still has
// the traced block; at most kMostTurnedValues. Precondition: it is of `entry`, which has the
// parameter.
struct TurnedVariants {
  std::vector<std::int64_t> values;
  std::vector<VariantDocument> variants;
  std::size_t at = 0;  // the variant's own value
};
inline constexpr std::size_t kMostTurnedValues = 12;
[[nodiscard]] TurnedVariants turned_variants(const VariantDocument& variant,
                                             const ParameterSpec& parameter,
                                             const StudyTools& tools);

}  // namespace tilescope
