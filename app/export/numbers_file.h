#pragma once
#include <string>
#include <vector>

#include "export/export_view.h"
#include "scene/view/drawn_numbers.h"

namespace tilescope {

// The numbers that a picture draws, in full precision, with what they are of; docs/export.md has
// the columns and the schema. Both are the same whatever the locale.

[[nodiscard]] std::vector<DrawnNumber> numbers_of(const PictureRequest& request);

// RFC 4180: lines end in CR LF, the first one names the columns.
[[nodiscard]] std::string csv_of(const PictureRequest& request);
[[nodiscard]] std::string json_of(const PictureRequest& request);

}  // namespace tilescope
