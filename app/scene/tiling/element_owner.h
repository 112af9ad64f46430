#pragma once
#include <cstdint>
#include <optional>

#include "scene/drawing/canvas.h"
#include "scene/model/tiling_model.h"

namespace tilescope {

struct ElementOwner {
  std::uint32_t warp = 0;
  int lane = 0;
};
// Who stores the element that was hit (HitKind::kElement). nullopt: nobody of this block does, as
// of every element of an input.
[[nodiscard]] std::optional<ElementOwner> owner_of_element(const TilingModel& model,
                                                           const Hit& hit);

}  // namespace tilescope
