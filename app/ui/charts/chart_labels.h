#pragma once
#include <imgui.h>

#include <string>
#include <vector>

#include "ui/drawing/sheet.h"

namespace tilescope {

// The words inside an ImPlot chart, written last, on a ground of their own, where they lie on
// neither a line, a mark nor each other. Screen pixels; for one chart of one frame.
class ChartLabels {
 public:
  explicit ChartLabels(const Sheet& sheet) : sheet_(sheet) {}

  struct Label {
    std::string words;
    unsigned ink = 0;
    std::vector<ImVec2> corners;  // where it may stand, by its top left corner; the best first
    bool needed = false;  // where none of them is free it stands at the first; else it is left out
  };

  void keep_free(ImVec2 low, ImVec2 high) { taken_.push_back({low, high}); }
  void keep_mark_free(ImVec2 center, float radius);
  // A straight line, in pieces: a label may lie beside a slanted one.
  void keep_line_free(ImVec2 from, ImVec2 to);

  // Those that are needed have their place first, then the first to be added.
  void add(Label label) { labels_.push_back(std::move(label)); }
  // While the chart is open, after everything else is drawn.
  void write() const;

 private:
  struct Box {
    ImVec2 low;
    ImVec2 high;
  };
  [[nodiscard]] static bool is_free(const Box& box, const std::vector<Box>& taken);

  const Sheet& sheet_;
  std::vector<Box> taken_;
  std::vector<Label> labels_;
};

}  // namespace tilescope
