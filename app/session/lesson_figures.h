#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "analysis/time/littles_law.h"
#include "analysis/time/warp_timing.h"
#include "core/derived.h"
#include "core/device_table.h"
#include "core/result.h"
#include "kernel/catalogue/catalogue.h"
#include "scene/roofline/roofline_figure.h"
#include "session/kept_figures.h"
#include "session/known_measurements.h"
#include "session/lane_addresses.h"
#include "session/lesson.h"
#include "session/lesson_expression.h"

namespace tilescope {

// How much must be computed of a launch for a figure; each includes those before it.
enum class FactsDepth : std::uint8_t {
  kInstance,   // the launch itself and what was measured of it: nothing is compiled
  kTraced,     // counts of the kernel as written
  kResources,  // registers, and what follows: blocks per SM, bytes in flight
  kIssued,     // counts of the machine code, the modelled time and the roofline
  kPipelined,  // a block's modelled cycles
};

// Of a block in modelled cycles, as the pipeline view says it.
struct PipelineFigure {
  double copy_cycles = 0;  // medians over the tiles
  double use_cycles = 0;
  double in_flight = 0;                     // copies at once, on average
  std::array<double, kStallCount> waits{};  // percent of the warps' time, by Stall
};

// What is known of a lesson's launch.
struct LaunchFacts {
  const CatalogueEntry* entry = nullptr;  // nullptr: it is a file's
  std::shared_ptr<const DeviceModel> device;
  // Counted over a sample of blocks; without its trace. At kInstance only its instance.
  std::shared_ptr<const KernelStudy> study;
  std::optional<BytesInFlight> flight;     // from kResources on, where the kernel loads
  std::optional<RooflineFigure> roofline;  // from kIssued on, where its time can be modelled
  std::optional<PipelineFigure> pipeline;  // from kPipelined on, likewise
  std::vector<LineAccess> accesses;        // of the traced block
};

// A quantity that expressions can name.
struct LessonFigure {
  struct Asked {
    const LaunchFacts& facts;
    std::uint32_t line = 0;  // of the source; 0: the whole launch
    const KnownMeasurements& known;
    std::string_view word;  // Of::kName: that name
  };
  enum class Of : std::uint8_t {
    kLaunch,
    kLine,  // of a launch, or of one source line of it
    kName,  // of a launch, with a name between the parentheses: stalled("barrier")
  };
  std::string_view name;     // "sectors_per_load"
  std::string_view meaning;  // a phrase, for the author's page and tooltips
  Of of = Of::kLaunch;
  FactsDepth depth = FactsDepth::kInstance;
  Result<LessonValue> (*value)(const Asked& asked) = nullptr;
};
// All of them. A parameter or size of the kernel, as PAD or ROWS, is a quantity too.
[[nodiscard]] std::span<const LessonFigure> lesson_figures();

// A launch as deep as is asked for, its study with the traced block. Compiles and emulates.
[[nodiscard]] Result<LaunchFacts> launch_facts(KernelInstance instance, const DeviceModel& device,
                                               FactsDepth depth, unsigned workers,
                                               const std::stop_token& stop);
// What a quantity is of this launch, whatever launch the quantity names. kUsage: there is none of
// this name, or nothing to count.
[[nodiscard]] Result<LessonValue> figure_value(const LessonQuantity& quantity,
                                               const LaunchFacts& facts,
                                               const KnownMeasurements& known);
// How much must be computed for an expression.
[[nodiscard]] FactsDepth depth_of(const LessonExpression& expression);

// What lessons say in numbers: launches are studied by jobs, no deeper than is asked, and every
// expression is evaluated over that. The window, which asks at each frame, and the commands, whose
// jobs run at once, have the same. Owned by one thread.
class LessonFigures {
 public:
  // The catalogue must live as long. `workers`: threads of a job. `kept`: from where what was
  // computed before is taken, and where it is put; none: all is computed.
  LessonFigures(const Catalogue& catalogue, DeviceModel device, RunJob run, unsigned workers,
                std::optional<KeptFigures> kept = {});

  // nullopt: not computed yet. An error has no place.
  using Value = Result<std::optional<LessonValue>>;
  [[nodiscard]] Value value(const Lesson& lesson, const LessonPlace& place,
                            const LessonExpression& expression, const KnownMeasurements& known);
  // Precondition: condition.compares().
  using Compared = Result<std::optional<LessonExpression::Compared>>;
  [[nodiscard]] Compared compare(const Lesson& lesson, const LessonPlace& place,
                                 const LessonExpression& condition, const KnownMeasurements& known);
  // What expressions ask. What it is given must live as long; is_under_way() tells the error of
  // what is not computed yet.
  [[nodiscard]] LessonLookup lookup(const Lesson& lesson, const LessonPlace& place,
                                    const KnownMeasurements& known);
  [[nodiscard]] static bool is_under_way(const Error& error);
  // Starts the jobs of all that a step says, the quick ones first. true: none is under way.
  bool prepare(const Lesson& lesson, std::size_t step);

  [[nodiscard]] const DeviceModel& device() const { return device_; }
  [[nodiscard]] const Catalogue& catalogue() const { return catalogue_; }

 private:
  // nullptr: on its way.
  using Facts = Derived<std::string, LaunchFacts>::Answer;
  // As deep as is wanted or deeper. What nobody has begun is made as deep as the lesson asks.
  [[nodiscard]] Facts facts(const Lesson& lesson, const LessonLaunch& launch, FactsDepth wanted);
  [[nodiscard]] Facts begin(const Lesson& lesson, const LessonLaunch& launch, FactsDepth depth);
  // KeptFigures::key_of() this launch; empty: its figures are not kept.
  [[nodiscard]] const std::string& kept_key(const Lesson& lesson, const LessonLaunch& launch);

  const Catalogue& catalogue_;
  DeviceModel device_;
  unsigned workers_;
  Derived<std::string, LaunchFacts> plain_;  // made at once
  Derived<std::string, LaunchFacts> facts_;
  std::optional<KeptFigures> kept_;
  std::map<std::string, std::string> kept_keys_;  // by lesson and launch
};

// Every expression of a lesson with its place, in the order of its steps.
struct LessonUse {
  const LessonExpression* expression = nullptr;
  LessonPlace place;
  int line = 0;
  std::size_t step = 0;
};
[[nodiscard]] std::vector<LessonUse> expressions_of(const Lesson& lesson);

}  // namespace tilescope
