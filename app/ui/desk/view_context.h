#pragma once
#include "scene/view.h"
#include "ui/desk/desk.h"

namespace tilescope {

inline constexpr float kLectureText = 1.6F;

// What a view of this variant is drawn from as the desk stands. `study` may be an older one of it.
[[nodiscard]] ViewContext view_context(const Desk& desk, const KernelStudy* study,
                                       const Variant& variant);

}  // namespace tilescope
