#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "session/document.h"

namespace tilescope {

// What a window moves to, in a lesson or a lecture: kernels as they are set, the view of them in
// front, and what is selected in it.
struct Scene {
  std::vector<VariantDocument> variants;  // one to kMostDocumentVariants
  int active = 0;
  View view = View::kTiling;
  ViewSettings settings;
  bool as_issued = true;
  HeatColumn heat_column = HeatColumn::kSectors;
  std::string control;      // the parameter that the arrow keys turn; empty: none
  bool at_default = false;  // shown where the view shows most, not where the variant's selection is
};
[[nodiscard]] bool operator==(const Scene& a, const Scene& b);

// One of a lecture.
struct NamedScene {
  std::string name;  // of one line
  std::string note;  // what the speaker says, for the speaker alone
  Scene scene;
  UnknownFields unknown;  // of its file
};
[[nodiscard]] bool operator==(const NamedScene& a, const NamedScene& b);

inline constexpr std::size_t kMostScenes = 200;
inline constexpr std::size_t kMostSceneNoteBytes = std::size_t{64} << 10;

[[nodiscard]] bool same_scenes(const SharedScenes& a, const SharedScenes& b);

// What a document shows, without texts' names and panels.
[[nodiscard]] Scene scene_of(const Document& document);
// "Banks: transpose/tiled, PAD 0", with the parameters that are not the defaults; of several
// variants "Compare: transpose/naive and 2 more".
[[nodiscard]] std::string name_for(const Scene& scene, const Catalogue& catalogue);

// The list with the own kernels of these variants as the variants have them: their texts and
// launches take the place of the list's.
[[nodiscard]] SharedOwnKernels with_kernels_of(const SharedOwnKernels& own_kernels,
                                               const std::vector<VariantDocument>& variants);

}  // namespace tilescope
