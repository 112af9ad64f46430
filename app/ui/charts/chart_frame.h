#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "scene/rates/rate_unit.h"
#include "ui/state/panel_surface.h"

namespace tilescope {

// The words inside an ImPlot chart, written last, on a ground of their own, where they lie on
// neither a line, a mark nor each other. Screen pixels; for one chart of one frame.
class ChartLabels {
 public:
  explicit ChartLabels(const PanelSurface& surface) : surface_(surface) {}

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

  const PanelSurface& surface_;
  std::vector<Box> taken_;
  std::vector<Label> labels_;
};

inline constexpr float kChartTitle = 28;  // units that a chart's title takes

// A chart's frame: values upwards from 0 to a round figure, something else along x.
struct ChartFrame {
  Rect area;  // units, without the title
  RateUnit unit = RateUnit::kFlopPerSecond;
  RateScale scale;
  double top = 1;  // of the value axis, in scale.word
  int ticks = 2;   // steps of it
  double x_low = 0;
  double x_high = 1;
};
// Whether an area with a title holds a chart, whose ticks leave its plot 60 % of the height; else
// it says there what is needed.
[[nodiscard]] bool has_room_for_chart(PanelSurface& surface, const Rect& title_area);

// Below `title_area`'s title, up to the round figure above `most` (a value in `unit`).
[[nodiscard]] ChartFrame chart_frame(const Rect& title_area, double most, const RateScale& scale,
                                     RateUnit unit);

// Opens the ImPlot chart; set up the x ticks, then ImPlot::SetupFinish(). False: not visible.
[[nodiscard]] bool begin_chart(PanelSurface& surface, const char* id, const ChartFrame& frame);
void end_chart();

enum class LevelWords : std::uint8_t { kLeft, kCentre, kRight };
// A dashed line across at a value (in the frame's unit), with its words above or below it.
void draw_level(const PanelSurface& surface, const ChartFrame& frame, double value,
                const std::string& words, ChartLabels& labels,
                LevelWords place = LevelWords::kLeft);

// `more`: facts with commas between them, as many as fit.
void draw_chart_title(PanelSurface& surface, const Rect& area, const std::string& words,
                      const std::string& more);

// Where a value lies on the screen; while the chart is open.
[[nodiscard]] ImVec2 place(const ChartFrame& frame, double x, double value);
// A figure as the frame's axis counts: "46.8".
[[nodiscard]] std::string on_axis(const ChartFrame& frame, double value);
// A dashed line; `px`: screen pixels in a unit.
void dashed(ImDrawList* list, ImVec2 from, ImVec2 to, unsigned ink, float px);

// The tooltip of a point; call it where the pointer is on one.
void explain_point(PanelSurface& surface, const std::string& figure, const std::string& more);

}  // namespace tilescope
