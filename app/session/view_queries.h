#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/memory/launch_memory.h"
#include "analysis/time/pipeline.h"
#include "core/derived.h"
#include "scene/banks/layout_variants.h"
#include "scene/compare/compared.h"
#include "scene/view/view_descriptor.h"
#include "session/known_measurements.h"

namespace tilescope {

// A variant as its views show it. A command has all of it before it asks, the window what is there.
struct ViewedVariant {
  std::string name = {};                  // beside other variants; empty: by its study
  const CatalogueEntry* entry = nullptr;  // that it is of, or that its text was made from
  std::shared_ptr<const KernelStudy> study = {};
  std::shared_ptr<const PreparedStudy> prepared = {};  // of study; nullptr: made where it is needed
  std::string missing = {};  // why it cannot be compared; empty: it has a study with a trace
  friend bool operator==(const ViewedVariant&, const ViewedVariant&) = default;
};

// Launches beside a study that views are drawn from. They are emulated by jobs, each once.
class OtherLaunches {
 public:
  // `workers`: threads of a job. The catalogue must live as long.
  OtherLaunches(const Catalogue& catalogue, const RunJob& run, unsigned workers);

  // The study's kernel with other paddings and swizzles, and with other numbers of stages.
  // Preconditions: the study is of `entry` as it ships and is traced; for stages it has its
  // pipeline.
  using Layouts = Derived<SameObject, LayoutVariants>;
  [[nodiscard]] Layouts::Answer layouts(const CatalogueEntry& entry,
                                        const std::shared_ptr<const KernelStudy>& study,
                                        const DeviceModel& device);
  using Stages = Derived<SameObject, std::vector<PipelineAlternative>>;
  [[nodiscard]] Stages::Answer stages(const CatalogueEntry& entry,
                                      const std::shared_ptr<const KernelStudy>& study);

  // Bytes that the lanes of a launch of `entry` move, at the size and with the factors of `beside`;
  // 0: not counted (yet), or it cannot be launched. Counted only where `count` says so.
  [[nodiscard]] double moved_bytes(const CatalogueEntry& entry, const ParameterSet& parameters,
                                   const KernelInstance& beside, const DeviceModel& device,
                                   bool count);
  [[nodiscard]] std::size_t counted() const { return moved_.size(); }  // launches
  [[nodiscard]] const Catalogue& catalogue() const { return catalogue_; }

 private:
  const Catalogue& catalogue_;
  unsigned workers_;
  std::shared_ptr<InputCache> inputs_;  // of all jobs
  Layouts layouts_;
  Stages stages_;
  Derived<std::string, double> moved_;
};

// What views show beside a study: one description for the window, which asks at each frame and
// draws what is known, and for commands and tests, whose jobs run at once. Owned by one thread.
class ViewQueries {
 public:
  // `compare` runs the job that compares variants: some milliseconds. `launches` must live as long.
  ViewQueries(OtherLaunches& launches, RunJob compare);

  // Asks for what `needs` names, of `active` among the variants. What is on its way stays as it was
  // known before, of the same kernel. Times are compared on `device`. An error: the first of what
  // was needed that cannot be had; the rest is known.
  Status ask(const ViewNeeds& needs, const std::vector<ViewedVariant>& variants, std::size_t active,
             const DeviceModel& device, const KnownMeasurements& measurements);
  [[nodiscard]] const ViewFacts& known() const { return known_; }
  // What is known, and the active variant's study, as far as a context follows from these.
  void fill(const ViewedVariant& active, ViewContext* context) const;
  // A comparison is on its way: the next ask() after it is made has it.
  [[nodiscard]] bool pending() const {
    return known_.compared != nullptr && newest_set_ == nullptr;
  }

 private:
  void read_measurements(const ViewNeeds& needs, const ViewedVariant& active,
                         const DeviceModel& device, const KnownMeasurements& measurements);
  Status ask_launches(const ViewNeeds& needs, const ViewedVariant& active,
                      const DeviceModel& device);
  void ask_comparison(const std::vector<ViewedVariant>& variants, std::size_t active,
                      const DeviceModel& device, const KnownMeasurements& measurements);

  OtherLaunches& launches_;
  ViewFacts known_;
  std::string kernel_;      // that known_ is of
  std::size_t active_ = 0;  // likewise
  // What the measurements in known_ were read for; the number is of other launches counted.
  std::tuple<std::shared_ptr<const KernelStudy>, KnownMeasurements::Version, std::size_t, ViewNeeds>
      read_for_;
  Derived<std::tuple<std::vector<ViewedVariant>, KnownMeasurements::Version>, ComparedSet> sets_;
  std::shared_ptr<const ComparedSet> newest_set_;  // nullptr: it is being made
};

}  // namespace tilescope
