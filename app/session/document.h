#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "analysis/time/instruction_cost.h"
#include "core/device_table.h"
#include "core/result.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/gemm_factors.h"
#include "kernel/launch/instance.h"
#include "kernel/launch/launch_form.h"
#include "scene/drawing/palette.h"
#include "scene/model/selection.h"
#include "scene/view/view.h"

namespace tilescope {

struct Measurements;  // session/measurements.h
struct NamedScene;    // session/scene.h

// The scenes of a lecture, in order. Documents share them; nullptr: there are none.
using Scenes = std::vector<NamedScene>;
using SharedScenes = std::shared_ptr<const Scenes>;

// A text that many documents share; nullptr: there is none.
using SharedText = std::shared_ptr<const std::string>;
[[nodiscard]] bool same_text(const SharedText& a, const SharedText& b);
// `text`, shared with `known` where that is the same.
[[nodiscard]] SharedText share_text(std::string_view text, const SharedText& known = nullptr);

// Fields of a file that this version does not know, kept for when it is written again.
using UnknownFields = std::shared_ptr<const nlohmann::json>;

// A kernel of the user's own, whether a variant shows it or not.
struct OwnKernelDocument {
  std::string file;       // its path, or for pasted text a name without a folder; unique
  std::string name;       // as the user sees it; unique, usable_name()
  SharedText original;    // the text as it was opened or pasted
  SharedText edited;      // as a person changed it; nullptr: not edited
  LaunchForm launch;      // with the numbers that are set in the text
  bool allowed = false;   // recovery alone, as VariantDocument::allowed
  UnknownFields unknown;  // of its file

  [[nodiscard]] const SharedText& text() const { return edited ? edited : original; }
  [[nodiscard]] bool is_pasted() const { return file.find('/') == std::string::npos; }
};
[[nodiscard]] bool operator==(const OwnKernelDocument& a, const OwnKernelDocument& b);

// In the order of the list that the user sees. Documents share it.
using OwnKernels = std::vector<OwnKernelDocument>;
using SharedOwnKernels = std::shared_ptr<const OwnKernels>;  // nullptr: there are none
inline constexpr std::size_t kMostOwnKernels = 500;
inline constexpr std::size_t kMostOwnKernelBytes = std::size_t{32} << 20;  // of all their texts
[[nodiscard]] bool same_own_kernels(const SharedOwnKernels& a, const SharedOwnKernels& b);
[[nodiscard]] OwnKernels::const_iterator find_own_kernel(const OwnKernels& all,
                                                         std::string_view file);
[[nodiscard]] std::size_t text_bytes(const OwnKernels& all);

// `wanted` as a name of one line that is no path: slashes and control characters are replaced, and
// what is longer than 100 bytes is cut. Empty: nothing of it is left.
[[nodiscard]] std::string usable_name(std::string_view wanted);
// `wanted`, a usable name, or where another kernel than `file` has it, "wanted (2)" and so on.
[[nodiscard]] std::string free_name(const OwnKernels& all, const std::string& wanted,
                                    std::string_view file);

// One variant as a person left it; nothing that is computed.
struct VariantDocument {
  std::string kernel;    // catalogue id; empty: one of the user's own, or none
  std::string file;      // own kernel: its path, or the name that pasted text was given
  std::string name;      // own kernel: OwnKernelDocument::name; empty: the file's
  SharedText original;   // the text as it ships, or as it was opened; nullptr: no kernel
  SharedText edited;     // as a person changed it; nullptr: not edited
  bool allowed = false;  // recovery alone: this text may run on the GPU (session/trusted_texts.h)
  ParameterSet parameters;  // of a catalogue's kernel
  ParameterSet extents;
  GemmFactors factors;  // those that are not 1 and 0
  LaunchForm launch;    // of an own kernel
  // DeviceModel::name of what it is computed for and measured on; empty: the window's usual GPU.
  std::string gpu;
  Selection selection;
  TimeMarks marks;
  MatrixCamera camera;
  float time_zoom = 1;
  UnknownFields unknown;

  [[nodiscard]] bool is_own() const { return kernel.empty() && !file.empty(); }
  [[nodiscard]] bool has_kernel() const { return !kernel.empty() || !file.empty(); }
  [[nodiscard]] const SharedText& text() const { return edited ? edited : original; }
};
[[nodiscard]] bool operator==(const VariantDocument& a, const VariantDocument& b);
// What the variant is computed for: its own GPU among `devices`; `usual` where it names none, or
// one that is not there.
[[nodiscard]] const DeviceModel& device_of(const VariantDocument& variant,
                                           const std::vector<DeviceModel>& devices,
                                           const DeviceModel& usual);
// "transpose/tiled", "mine.cu", the name of pasted text, or "no kernel".
[[nodiscard]] std::string title_of(const VariantDocument& variant);

// What it asks to be compiled and launched. An edited text of the catalogue goes
// by a name of its own, so that nothing measured of it is taken for the catalogue's.
[[nodiscard]] Result<KernelInstance> instance_of(const VariantDocument& variant,
                                                 const Catalogue& catalogue,
                                                 const DeviceModel& device);

[[nodiscard]] std::string edited_id(const std::string& kernel);  // "gemm/naive (edited)"

// Block, warp and moments that this launch or its trace does not have go to its last; true: some
// did.
bool keep_inside(const KernelStudy& study, Selection* selection, TimeMarks* marks);

// How the window is arranged: kept in a file, but no step of undo.
struct Arrangement {
  std::string layout;      // ui/state/layout.h: "wide", "compact", "lecture"
  SharedText layout_text;  // where its panels stand, Dear ImGui's ini; nullptr: as they are built
  int width = 0;           // px of the window that it is of; 0: not known
  int height = 0;
  std::string focused_parameter;
  std::string family;           // unfolded on the ladder; empty: the active kernel's
  std::string source = "cuda";  // text in front: cuda, ptx, sass
  double source_line = 0;       // top of what is in sight, in lines from 1; 0: follows time
  bool editing = false;
  bool side_by_side = false;  // the texts of the source
};
[[nodiscard]] bool operator==(const Arrangement& a, const Arrangement& b);

// What the column beside the source counts.
enum class HeatColumn : std::uint8_t { kSectors, kWavefronts, kExecuted };
inline constexpr int kHeatColumns = 3;
[[nodiscard]] std::string_view name_of(HeatColumn column);  // "sectors"
[[nodiscard]] inline HeatColumn next_of(HeatColumn column) {
  return static_cast<HeatColumn>((static_cast<int>(column) + 1) % kHeatColumns);
}
// What the column beside the source counts while this view is in front; nullopt: either will do.
[[nodiscard]] std::optional<HeatColumn> heat_column_of(View view);
[[nodiscard]] std::optional<HeatColumn> parse_heat_column(std::string_view name);

// All that a session file holds: what a person chose, wrote and arranged. A plain value; copies
// share their texts.
struct Document {
  std::vector<VariantDocument> variants;  // one to kMostDocumentVariants
  SharedOwnKernels own_kernels;           // those of the variants among them
  int active = 0;
  View view = View::kTiling;
  ViewSettings settings;
  std::optional<LatencyModel> latencies;  // nullopt: the usual
  Theme theme = Theme::kDark;
  float text_scale = 1;
  bool reduce_motion = false;
  bool lecture = false;
  bool as_issued = true;  // counts of the machine code, where they are known
  HeatColumn heat_column = HeatColumn::kSectors;
  bool cold_l2 = true;                 // before each launch that is timed, else warm
  std::map<std::string, bool> panels;  // open, by title
  SharedText notes;                    // of the person; nullptr: none
  SharedScenes scenes;
  Arrangement arrangement;
  UnknownFields unknown;
  // Of a file alone: no part of what is compared or undone. nullptr: nothing was measured.
  std::shared_ptr<const Measurements> measured;
};
inline constexpr std::size_t kMostDocumentVariants = 4;

// Puts the own kernels of the variants into the list, where they are missing, and gives each
// variant the name that its kernel has there.
void complete_own_kernels(Document* document);

// Without the arrangement: whether a step of undo lies between them.
[[nodiscard]] bool same_content(const Document& a, const Document& b);
[[nodiscard]] bool operator==(const Document& a, const Document& b);

}  // namespace tilescope
