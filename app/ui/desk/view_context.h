#pragma once
#include <string>

#include "scene/view.h"

namespace tilescope {

struct Desk;
struct Variant;

inline constexpr float kLectureText = 1.6F;

// What a view of this variant is drawn from as the desk stands. `study` may be an older one of it.
[[nodiscard]] ViewContext view_context(const Desk& desk, const KernelStudy* study,
                                       const Variant& variant);

// "block 3, 2  ·  warp 0  ·  lane 5". Precondition: the variant has a study.
[[nodiscard]] std::string selection_words(const Variant& variant);

}  // namespace tilescope
