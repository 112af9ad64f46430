#pragma once

#include <cstdint>
#include <vector>

#include "ui/source/source_editor.h"

namespace tilescope {

struct WindowState;

// The kernel's CUDA, PTX and SASS.
void draw_source_panel(WindowState& state);

// One of the texts that a kernel has.
struct SourceText {
  SourceLanguage language{};
  bool is_source = false;  // what a person may edit; the others follow from it
};

// Those that are known, the source first: CUDA, PTX, SASS.
[[nodiscard]] std::vector<SourceText> source_texts(const Variant& variant);
// Those of them to show in so many units: the one in front, or as many side by side as have room,
// the source first, the one in front among them. At least one.
[[nodiscard]] std::vector<SourceText> shown_texts(const WindowState& state, const Variant& variant,
                                                  float width);

[[nodiscard]] SourceView source_view(const WindowState& state, const Variant& variant,
                                     const SourceText& text);
// The kernel's line that a line of the text belongs to, as the study counts them; 0: none.
[[nodiscard]] std::uint32_t studied_line(const SourceView& view, std::uint32_t line);

}  // namespace tilescope
