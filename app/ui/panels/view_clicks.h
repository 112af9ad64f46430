#pragma once
#include <optional>

#include "scene/drawing/canvas.h"
#include "scene/tiling/element_owner.h"
#include "ui/desk/desk.h"

namespace tilescope {

// Does what a click on this place of a view asks for.
void act_on(Desk& desk, const Hit& clicked);
// Of an element of the tiling view; nullopt: of anything else.
[[nodiscard]] std::optional<ElementOwner> owner_under(const Variant& variant, const Hit& hit);

}  // namespace tilescope
