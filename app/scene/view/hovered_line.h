#pragma once

#include <cstdint>
#include <vector>

#include "scene/model/prepared.h"
#include "scene/view/view.h"

namespace tilescope {

// Whether this line of the kernel is under the pointer, in its text or in a row of another picture.
[[nodiscard]] inline bool is_lit(const ViewContext& context, std::uint32_t line) {
  return line != 0 && line == context.hovered_line;
}
// Whether the event, of the study's trace, is of that line.
[[nodiscard]] bool is_lit_event(const ViewContext& context, std::uint32_t event);

// The selected warp's accesses on that line, global and shared, ascending: those of the step that
// time stands in, at most 256; without any there, the one of each space that lies nearest. []:
// no line is under the pointer, or it accesses nothing.
[[nodiscard]] std::vector<std::uint32_t> lit_accesses(const ViewContext& context);

}  // namespace tilescope
