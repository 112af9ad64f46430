#pragma once

#include <string>

#include "core/result.h"
#include "session/document.h"
#include "session/exercise.h"

namespace tilescope {

// A person's file of an exercise as the window shows it: an own kernel with the exercise's launch
// at its first size. kUsage: an expression of the launch has no value.
[[nodiscard]] Result<VariantDocument> variant_of(const Exercise& exercise, const KernelFile& own);

}  // namespace tilescope
