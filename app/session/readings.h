#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/study/counter_check.h"
#include "analysis/study/kernel_study.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/gemm_factors.h"
#include "scene/rates/tuned_figure.h"
#include "scene/roofline/roofline_figure.h"
#include "session/measurements.h"
#include "store/recorded_library.h"

namespace tilescope {

// What of that which was measured belongs to a study, a launch or a kernel, for the views: the
// newest, else nothing.

// Of just this machine code. Precondition: the study has one and its counts.
[[nodiscard]] std::shared_ptr<const HardwareCounters> read_counters(
    std::span<const ReadCounters> read, const KernelStudy& study, Source source);
// Of the study's traced block.
[[nodiscard]] std::shared_ptr<const MeasuredPhases> read_phases(std::span<const ReadPhases> read,
                                                                const KernelStudy& study,
                                                                Source source);

// A launch's time to compare, and those that stand apart.
struct TimesToCompare {
  std::optional<KnownTime> known;
  std::vector<KnownTime> elsewhere;  // all others: of other GPUs or drivers
};
// Of each of several launches: times that are all of one GPU, which `device` is, with one driver;
// where there are no such, of each the first of that GPU, which says little of the others.
[[nodiscard]] std::vector<TimesToCompare> times_to_compare(
    std::span<const std::vector<KnownTime>> known, const std::string& device);

// Whether the tuner ran from a kernel at this size, with these factors and this text.
[[nodiscard]] bool is_of(const TunedRun& run, const CatalogueEntry& entry,
                         const ParameterSet& extents, const GemmFactors& factors);
// nullopt: of another text of the kernel, or with other parameters than it has.
[[nodiscard]] std::optional<TunedFigure> tuned_figure(const TunedRun& run,
                                                      const Catalogue& catalogue);

// A kept run as a row of the tuner's figure.
[[nodiscard]] TunedRow tuned_row(const Measurement& run);
// All combinations that were recorded of a kernel at this size, with these factors.
[[nodiscard]] std::vector<TunedRow> recorded_combinations(const RecordedLibrary& recorded,
                                                          const CatalogueEntry& entry,
                                                          const ParameterSet& extents,
                                                          const GemmFactors& factors);

// What was recorded of the hardware's counters in just this launch of the catalogue's kernel,
// beside the emulated ones; nullptr: nobody recorded any. Precondition as of read_counters().
[[nodiscard]] std::shared_ptr<const HardwareCounters> recorded_counters(
    const RecordedLibrary& recorded, const CatalogueEntry& entry, const KernelStudy& study);

}  // namespace tilescope
