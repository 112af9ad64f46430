#pragma once
#include <memory>

#include "scene/prepared.h"
#include "scene/view.h"

namespace tilescope {

// The context's prepared study, or one made here and now when it brings none.
[[nodiscard]] std::shared_ptr<const PreparedStudy> prepared_of(const ViewContext& context);

}  // namespace tilescope
