#include "scene/tiling/element_owner.h"

namespace tilescope {

std::optional<ElementOwner> owner_of_element(const TilingModel& model, const Hit& hit) {
  if (hit.kind != HitKind::kElement || !model.output) return std::nullopt;
  if (model.matrices[*model.output].view.name != hit.name) return std::nullopt;
  const std::uint32_t owner =
      model.owner_of(static_cast<std::uint64_t>(hit.value), static_cast<std::uint64_t>(hit.value2));
  if (owner == TilingModel::kNobody) return std::nullopt;
  return ElementOwner{owner / 32, static_cast<int>(owner % 32)};
}

}  // namespace tilescope
