#pragma once
#include <imgui.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ui/charts/chart_data.h"
#include "ui/charts/chart_frame.h"
#include "ui/charts/chart_values.h"
#include "ui/drawing/sheet.h"

namespace tilescope {

// What stands inside a chart of rates, drawn into the present plot.

// One level where the values hardly vary, that of the present place if it has one, else a dashed
// line through them.
void draw_line(const Sheet& sheet, const ChartFrame& frame, const RateChart& chart,
               const ChartLine& line, std::optional<double> now, const std::string& name,
               LevelWords words, ChartLabels& labels);

// A point on screen that can be touched.
struct Spot {
  ImVec2 at;
  std::size_t series = 0;
  std::size_t point = 0;
};

// The points of a series with their spread, and its letter; `spots` gets them.
void draw_series(const Sheet& sheet, const ChartFrame& frame, const LinkedChart& chart,
                 const ChartValues& values, std::size_t index, std::vector<Spot>* spots,
                 ChartLabels& labels);

// What a mark beside the points says.
struct Note {
  ImVec2 at;
  std::string figure;
  std::string words;
};

// What others published, and what was recorded of exactly this; what each mark says.
[[nodiscard]] std::vector<Note> draw_marks(const Sheet& sheet, const ChartFrame& frame,
                                           const LinkedChart& chart, const ChartValues& values,
                                           ChartLabels& labels);

}  // namespace tilescope
