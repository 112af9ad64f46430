#pragma once
#include <vector>

#include "ui/drawing/sheet.h"
#include "ui/panels/source_texts.h"

namespace tilescope {

inline constexpr float kSourceHead = 40;  // units

// The file's name and the tabs of all texts: each that is shown stands over its column, the others
// behind the last one. Beside a tab, how many places of its text come from the chosen line.
void draw_source_head(Sheet& sheet, const Variant& variant, const std::vector<SourceText>& shown);

}  // namespace tilescope
