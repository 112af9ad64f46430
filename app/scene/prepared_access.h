#pragma once
#include <memory>
#include <string>

#include "scene/prepared.h"
#include "scene/view.h"

namespace tilescope {

// The context's prepared study, or one made here and now when it brings none.
[[nodiscard]] std::shared_ptr<const PreparedStudy> prepared_of(const ViewContext& context);

// The text of a source line without its indentation; "" where it is not known.
[[nodiscard]] std::string source_text(const PreparedStudy& prepared, SourceLine place);

}  // namespace tilescope
