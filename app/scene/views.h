#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scene/view/default_selection.h"
#include "scene/view/drawn_numbers.h"
#include "scene/view/empty_view.h"
#include "scene/view/view.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {

// Every view, in the order of the tabs, which is that of scene/view/views.inc.
[[nodiscard]] std::span<const ViewDescriptor> view_descriptors();
[[nodiscard]] const ViewDescriptor& descriptor_of(View view);
// Of the view and, where it compares, of the view that its panes show.
[[nodiscard]] ViewNeeds needs_of(View view, const ViewSettings& settings);

[[nodiscard]] std::span<const View> all_views();
[[nodiscard]] std::string_view name_of(View view);   // "tiling"
[[nodiscard]] std::string_view title_of(View view);  // "Tiling"
[[nodiscard]] std::optional<View> parse_view(std::string_view name);

// Where to look when nobody has chosen yet: for tiling the middle of the middle step; for
// coalescing the line that wastes most sectors; for banks the access with most conflicts, most
// wavefronts, loads first; for divergence the warp that loses most lane slots. Warp 0, lane 5 of
// the traced block unless the thing to see lies elsewhere.
[[nodiscard]] Selection default_selection(View view, const KernelStudy& study,
                                          const PreparedStudy& prepared);

// Each view's sentence, picture and numbers. Without a traced study: an empty sentence, a picture
// that says so, no numbers.
[[nodiscard]] Sentence sentence_of(View view, const ViewContext& context);

// What a view needs at the least to be laid out right, its margins included.
[[nodiscard]] FigureSize least_size(View view);
// The view inside `area`, without its sentence; where that is too small, what the view needs.
void draw_view(View view, Canvas& canvas, const Rect& area, const ViewContext& context);
// The same of a part of it alone.
void draw_part(const ViewPart& part, Canvas& canvas, const Rect& area, const ViewContext& context);

// All numbers that a view draws where it has the room, in full precision. What is not a number (no
// time known, an intensity without bytes) is left out.
[[nodiscard]] std::vector<DrawnNumber> numbers_of(View view, const ViewContext& context);

}  // namespace tilescope
