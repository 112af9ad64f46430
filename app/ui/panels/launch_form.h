#pragma once

namespace tilescope {

class Sheet;

// The launch of the active variant's own kernel, field by field, from `y` on; a change is compiled
// soon. Returns the y below it. Precondition: the variant has a kernel of the user's own.
[[nodiscard]] float draw_launch_form(Sheet& sheet, float y);

}  // namespace tilescope
