#pragma once
#include <span>
#include <string>
#include <vector>

#include "scene/drawing/free_labels.h"

namespace tilescope {

// A limit in the roofline chart: what it is called, in full and in short, and where it runs, from
// left to right, level or rising.
struct Roof {
  std::vector<std::string> names;
  ColourRole colour = ColourRole::kText;
  Point begin;
  Point end;
  std::string tooltip = {};
};

// No label is to lie on a limit.
void keep_roofs_free(FreeLabels& labels, std::span<const Roof> roofs);
// Each with the longest of its names that finds room among `labels`, which keep off all of them.
void draw_roofs(Pen& pen, FreeLabels& labels, std::span<const Roof> roofs);

}  // namespace tilescope
