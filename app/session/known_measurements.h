#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/study/counter_check.h"
#include "analysis/study/kernel_study.h"
#include "analysis/time/measured_phases.h"
#include "core/quantity.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/instance.h"
#include "scene/rates/rate_chart_data.h"
#include "scene/roofline/roofline_figure.h"
#include "session/measurements.h"
#include "store/history.h"
#include "store/measurement.h"
#include "store/recorded_library.h"

namespace tilescope {

// A measurement of a launch, and the mark under which its time is shown.
struct KnownMeasurement {
  const Measurement* measurement = nullptr;
  Source source = Source::kMeasured;
};

// All places that have measurements: this window, the file of its document, the user's history, and
// what comes with the program. The window and the commands ask the same questions of it. What it
// refers to must live as long.
struct KnownMeasurements {
  const RecordedLibrary& recorded;
  const MeasuredPoints* measured = nullptr;     // in this window; nullptr: nothing
  std::span<const ReadCounters> counters = {};  // in this window
  std::span<const ReadPhases> phases = {};      // likewise
  const Measurements* opened = nullptr;         // the document's file has them; nullptr: nothing
  Source opened_as = Source::kRecorded;         // the mark of those
  std::span<const HistoryEntry> history = {};   // newest first

  // Of exactly this launch: of this window, the document, the history, then recorded; of each the
  // newest first.
  [[nodiscard]] std::vector<KnownMeasurement> of(const ChartVariant& launch, bool cold) const;
  // `entry`: of the catalogue, that the launch is of or that its text was made from; nullptr for a
  // file of the user's. Recorded measurements are of the catalogue's own text.
  [[nodiscard]] std::vector<KnownMeasurement> of(const KernelInstance& launch,
                                                 const CatalogueEntry* entry, bool cold) const;
  // What others published of the same idea at this size; nullopt: nothing, or the text is edited.
  [[nodiscard]] std::optional<ChartQuestions::Published> published(
      const ChartVariant& launch) const;
  // The sizes at which the same kernel was measured with the same parameters and factors; a size
  // may come several times.
  [[nodiscard]] std::vector<ParameterSet> sizes_of(const ChartVariant& launch, bool cold) const;
  // What the hardware counts in just this launch of the study's machine code, beside the emulated
  // counters: the newest, of the same places in the same order. `entry` as above. nullptr: nothing
  // is known, or the machine code was not counted (yet).
  [[nodiscard]] std::shared_ptr<const HardwareCounters> counters_of(
      const KernelStudy& study, const CatalogueEntry* entry) const;
  // Where the warps of the study's block were, measured in this window, else in the document.
  [[nodiscard]] std::shared_ptr<const MeasuredPhases> phases_of(const KernelStudy& study) const;

  // As long as this is the same, so is every answer.
  using Version = std::tuple<std::size_t, std::size_t, std::size_t, const Measurements*, Source,
                             const HistoryEntry*>;
  [[nodiscard]] Version version() const {
    return {measured != nullptr ? measured->all().size() : 0,
            counters.size(),
            phases.size(),
            opened,
            opened_as,
            history.data()};
  }

 private:
  void add_kept(LaunchKey of, std::string_view source, std::vector<KnownMeasurement>* known) const;
};

// Their times, the first of each GPU and driver.
[[nodiscard]] std::vector<KnownTime> times_of(std::span<const KnownMeasurement> known);

}  // namespace tilescope
