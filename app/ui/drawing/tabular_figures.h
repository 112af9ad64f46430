#pragma once

struct ImFontLoader;

namespace tilescope {

// FreeType, as ImGui uses it, with all figures as wide as a zero. Inter's own tabular figures hide
// behind an OpenType feature that ImGui does not apply.
[[nodiscard]] const ImFontLoader* tabular_figures_loader();

}  // namespace tilescope
