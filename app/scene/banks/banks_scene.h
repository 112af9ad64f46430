#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/memory/bank_conflicts.h"
#include "scene/banks/what_if.h"
#include "scene/drawing/pen.h"
#include "scene/model/access_shape.h"
#include "scene/model/shared_layout.h"
#include "scene/view/view.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {

// The one shared-memory access that the banks view looks at.
struct SharedRequest {
  std::uint32_t event = 0;
  std::uint16_t warp = 0;
  const StaticInstruction* instruction = nullptr;
  WarpAccess access;
  WavefrontCost cost;
  std::optional<SharedCost::Copy> copy;  // cp.async alone
  bool lanes_meet = false;               // in a bank; else what it costs too much has other reasons
  AccessShape shape;
  std::vector<Wavefront> wavefronts;
  const SharedRegion* region = nullptr;  // inside the context's prepared study
  bool walks_column = false;  // each lane in another row of the region, all in one column
  int busiest_bank = 0;       // the one with the most distinct words in a pass
  int busiest_words = 0;      // distinct words it delivers over all passes
  int busiest_lanes = 0;      // lanes that want one of them
  int banks_used = 0;
};
// Precondition: context.prepared.
[[nodiscard]] std::optional<SharedRequest> shared_request(const ViewContext& context);

// Moves the selection to the shared access of warp 0 with most conflicts, then most wavefronts,
// loads first; where there is none it stays.
void look_at_worst_shared(const KernelStudy& study, const PreparedStudy& prepared,
                          Selection& selection);

void draw_banks(Canvas& canvas, const Rect& area, const ViewContext& context);

// Parts of the view.
// The cells alone: a column per bank, a row per wavefront, the first `rows` of them.
void draw_bank_cells(Pen& pen, const Rect& box, int rows, const SharedRequest& request,
                     int selected_lane);
// layouts_of(): wavefronts of this access in another layout, and of the worst one.
void draw_what_if(Pen& pen, const Rect& area, const ViewContext& context,
                  const SharedRequest& request);

// The parts that make a picture alone.
[[nodiscard]] std::span<const ViewPart> banks_parts();

}  // namespace tilescope
