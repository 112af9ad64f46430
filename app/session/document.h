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

#include "analysis/latency_model.h"
#include "kernel/catalogue.h"
#include "kernel/gemm_factors.h"
#include "kernel/launch_guess.h"
#include "scene/drawing/palette.h"
#include "scene/selection.h"
#include "scene/time_marks.h"
#include "scene/view.h"

namespace tilescope {

struct Measurements;  // session/measurements.h

// A text that many documents share; nullptr: there is none.
using SharedText = std::shared_ptr<const std::string>;
[[nodiscard]] bool same_text(const SharedText& a, const SharedText& b);
// `text`, shared with `known` where that is the same.
[[nodiscard]] SharedText share_text(std::string_view text, const SharedText& known = nullptr);

// Fields of a file that this version does not know, kept for when it is written again.
using UnknownFields = std::shared_ptr<const nlohmann::json>;

// One variant as a person left it; nothing that is computed.
struct VariantDocument {
  std::string kernel;    // catalogue id; empty: one of the user's own, or none
  std::string file;      // own kernel: its path, or the name that pasted text was given
  SharedText original;   // the text as it ships, or as it was opened; nullptr: no kernel
  SharedText edited;     // as a person changed it; nullptr: not edited
  bool allowed = false;  // recovery alone: this text may run on the GPU (session/trusted_texts.h)
  ParameterSet parameters;  // of a catalogue's kernel
  ParameterSet extents;
  GemmFactors factors;  // those that are not 1 and 0
  LaunchForm launch;    // of an own kernel
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
// "transpose/tiled", "mine.cu" or "no kernel".
[[nodiscard]] std::string title_of(const VariantDocument& variant);

// How the window is arranged: kept in a file, but no step of undo.
struct Arrangement {
  std::string layout;      // ui/layout.h: "wide", "compact", "lecture"
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
[[nodiscard]] std::optional<HeatColumn> parse_heat_column(std::string_view name);

// All that a session file holds: what a person chose, wrote and arranged. A plain value; copies
// share their texts.
struct Document {
  std::vector<VariantDocument> variants;  // one to kMostDocumentVariants
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
  Arrangement arrangement;
  UnknownFields unknown;
  // Of a file alone: no part of what is compared or undone. nullptr: nothing was measured.
  std::shared_ptr<const Measurements> measured;
};
inline constexpr std::size_t kMostDocumentVariants = 4;

// Without the arrangement: whether a step of undo lies between them.
[[nodiscard]] bool same_content(const Document& a, const Document& b);
[[nodiscard]] bool operator==(const Document& a, const Document& b);

}  // namespace tilescope
