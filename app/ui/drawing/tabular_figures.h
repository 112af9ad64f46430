#pragma once

struct ImFontLoader;

namespace tilescope {

// FreeType, as ImGui uses it, but for the size that a glyph is loaded at: ImGui's takes the one
// that stands where it believes the font's size to be the last it set, and goes by the address of
// what it keeps of a size, which moves.
[[nodiscard]] const ImFontLoader* sized_loader();

// The same with all figures as wide as a zero. Inter's own tabular figures hide
// behind an OpenType feature that ImGui does not apply.
[[nodiscard]] const ImFontLoader* tabular_figures_loader();

}  // namespace tilescope
