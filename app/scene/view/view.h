#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "scene/drawing/canvas.h"
#include "scene/drawing/palette.h"
#include "scene/drawing/pen.h"
#include "scene/model/prepared.h"
#include "scene/model/selection.h"

namespace tilescope {

// Moments of a traced block that a person marked; indices into BlockTrace::events.
struct TimeMarks {
  std::optional<std::uint32_t> loop_in;   // playing repeats from here ...
  std::optional<std::uint32_t> loop_out;  // ... to here, both included; loop_in <= loop_out
  std::array<std::optional<std::uint32_t>, 10> bookmarks;

  [[nodiscard]] bool loops() const { return loop_in.has_value() && loop_out.has_value(); }
  friend bool operator==(const TimeMarks&, const TimeMarks&) = default;
};

struct MeasuredPhases;       // analysis/time/measured_phases.h
struct PipelineAlternative;  // analysis/time/pipeline.h
struct LayoutVariants;       // scene/banks/layout_variants.h
struct RooflineData;         // scene/roofline/roofline_figure.h
struct ComparedSet;          // scene/compare/compared.h
struct HardwareCounters;     // analysis/study/counter_check.h

// Sizes that a person may choose: of text, 1 as it is drawn by itself, and of a window or picture
// in pixels.
inline constexpr float kLeastTextScale = 0.5f;
inline constexpr float kMostTextScale = 4;
inline constexpr int kLeastPixelWidth = 320;
inline constexpr int kLeastPixelHeight = 240;
inline constexpr int kMostPixelSide = 16384;

// How the compare view shows its variants.
enum class CompareMode : std::uint8_t {
  kSideBySide,
  kOne,      // one of them, large; another one takes its place at a click
  kOverlay,  // over one another, on the same axes
};

// How a person set the views up, beside what is selected. A click on a hit of kind kSetting changes
// one of them by its name (scene/view_settings.h).
struct ViewSettings {
  bool heat = false;  // tiling: colour the matrices by how often an element is read
  int device = -1;    // occupancy: index into ViewContext::devices; -1: the study's own
  int latency_cycles =
      0;  // occupancy: of a load from device memory; 0: analysis/time/littles_law.h
  std::int64_t lane_window = 0;  // divergence: instructions around now; 0: the warp's whole time
  // Of compare.
  int compare_base = 0;  // the variant that the others are held against
  CompareMode compare_mode = CompareMode::kSideBySide;
  int compare_pane = -1;  // CompareMode::kOne: which variant; -1: the active one
  int compare_view = -1;  // a View that every pane shows; -1: what differs
  // Where one alone has room: pictures if these have none beside it, else numbers; waterfall,
  // reasons, numbers.
  int compare_part = 0;
  bool compare_ladder = true;       // the waterfall is the family's, where its times are known
  std::set<std::string> steps_off;  // of the waterfall, by WaterfallStep::key

  friend bool operator==(const ViewSettings&, const ViewSettings&) = default;
};

// What is known beside the study, of measurements and of other launches (session/view_queries.h).
// nullptr: there is none, nobody has asked, or it is not there yet.
struct ViewFacts {
  // pipeline: the same kernel with other numbers of stages.
  std::shared_ptr<const std::vector<PipelineAlternative>> alternatives;
  // pipeline: where the warps of this block were on a GPU.
  std::shared_ptr<const MeasuredPhases> phases;
  // What the hardware counts in this launch, beside what is emulated.
  std::shared_ptr<const HardwareCounters> hardware;
  std::shared_ptr<const RooflineData> roofline;  // times of this kernel and its family; may be none
  std::shared_ptr<const ComparedSet> compared;   // nullptr: this study alone
  // banks: the kernel with the other values of its own padding or swizzle.
  std::shared_ptr<const LayoutVariants> layouts;
};

// What every scene is drawn from. Pure input: the same context gives the same picture.
struct ViewContext : DrawingStyle, ViewFacts {
  const KernelStudy* study = nullptr;  // with a trace
  bool final = true;                   // else counts may still change, and are written pale
  Selection selection;
  MatrixCamera camera;
  float motion = 1;  // 0..1: how far data has travelled since the last step; 1 = arrived
  ViewSettings settings;
  float time_zoom = 1;  // pipeline: cycles shown, 2 = half as many
  TimeMarks marks;      // that the time strip shows
  // prepare() of this study, made on a job. Without it every call prepares anew: right, but slow.
  std::shared_ptr<const PreparedStudy> prepared;
  // Those that occupancy can be asked about; nullptr: only the study's own.
  std::shared_ptr<const std::vector<DeviceModel>> devices;
  const CatalogueEntry* entry = nullptr;  // that the study's kernel is of, where it is known
  std::vector<Selection> compared_at;     // of each variant compared, in step
  int hovered_lane = -1;                  // lit as the selected one is; -1: none
  // The line of the kernel that is under the pointer, in its text or in a view; 0: none. Of this
  // variant, where several are compared.
  std::uint32_t hovered_line = 0;
  int hovered_variant = -1;
};

// The sentence above the picture: runs of plain and strong text made from the real numbers.
struct SentenceRun {
  std::string text;
  bool strong = false;
};
using Sentence = std::vector<SentenceRun>;
[[nodiscard]] std::string plain(const Sentence& sentence);

enum class View : std::uint8_t {
#define VIEW(id, name) id,
#include "scene/view/views.inc"
#undef VIEW
};

// The event that a view looks at when time stands at selection.event: the last global access for
// coalescing, the last shared one for banks, of the selected warp at or before that time,
// else the first after it; where there are some on the chosen line, or with none chosen on the line
// of that time, of those. nullopt: the trace has none.
[[nodiscard]] std::optional<std::uint32_t> access_event(const ViewContext& context,
                                                        MemorySpace space);

// The context's prepared study, or one made here and now when it brings none.
[[nodiscard]] std::shared_ptr<const PreparedStudy> prepared_of(const ViewContext& context);

}  // namespace tilescope
