#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/gemm_factors.h"
#include "kernel/launch/instance.h"
#include "scene/rates/rate_chart_data.h"
#include "scene/view/drawn_numbers.h"
#include "scene/view/empty_view.h"
#include "scene/view/view.h"

namespace tilescope {

// A combination of parameters whose time is known.
struct TunedRow {
  ParameterSet parameters;
  double seconds = 0;            // of a launch; more than 0
  double reference_seconds = 0;  // of cuBLAS or the copy beside it; 0: none
  Source source = Source::kRecorded;
  std::string gpu = {};      // "NVIDIA H200"; empty: not known, or modelled
  std::string toolkit = {};  // "NVRTC 13.0"; empty: not known
  std::string date = {};     // UTC, "2026-11-30"; empty: not known
  std::string driver = {};   // "580.159.04"; empty: not known, or modelled
  // What else is known of it; 0: not known.
  double recorded_seconds = 0;    // of exactly this combination, recorded earlier
  std::string recorded_gpu = {};  // on which GPU
  int registers = 0;              // per thread
  double shared_bytes = 0;        // per block, static and dynamic
  double occupancy = 0;           // per cent
  friend bool operator==(const TunedRow&, const TunedRow&) = default;
};

// The tuner as a figure of its own: the combinations of a kernel's parameters at one size whose
// times are known, the fastest first. Plain values, handed in from above.
struct TunedFigure {
  std::string kernel;  // catalogue id
  std::string parameter_words;
  ParameterSet parameters;              // what differs from them is coloured
  std::string own = "the present one";  // that has them
  ParameterSet extents;
  GemmFactors factors;
  std::vector<std::string> columns;  // the parameters, as the kernel declares them
  std::string reference;             // "cuBLAS"
  std::vector<TunedRow> rows;
  // Of another GPU or driver, or another way to know a time than `rows`: never ranked among them.
  std::vector<TunedRow> apart = {};
  std::size_t slower = 0;  // so many more are ranked after `rows`, and are not here
  // Tried, and without a time (`seconds` is 0): the present run of the tuner alone has them.
  std::vector<TunedRow> untimed = {};
  std::optional<ParameterSet> start = {};  // where a run began that is still shown
  // The work of each of `rows` divided by its time, under this title; empty: not shown.
  std::string rate_title = {};
  std::vector<std::string> rates = {};

  [[nodiscard]] bool empty() const { return rows.empty(); }
  [[nodiscard]] std::size_t size() const { return rows.size() + untimed.size(); }
  // Those with a time come first.
  [[nodiscard]] const TunedRow& row(std::size_t index) const {
    return index < rows.size() ? rows[index] : untimed[index - rows.size()];
  }
  // Some of it was measured or modelled in this run of the program, and is not to be had elsewhere.
  [[nodiscard]] bool is_of_this_run() const;
  // Each once; the newest of the dates.
  [[nodiscard]] std::string gpus() const;
  [[nodiscard]] std::string toolkits() const;
  [[nodiscard]] std::string newest_date() const;
};
// Around `point`, whose size and factors the rows have, those to show first before the others.
// Ranked are the rows under the conditions of the first of them, or of the first that stands at the
// point: by time, and where that is equal by the parameters.
[[nodiscard]] TunedFigure tuned_figure(const ChartVariant& point, std::string reference,
                                       std::vector<TunedRow> rows);

// The fastest, and where the present values stand.
[[nodiscard]] Sentence tuned_sentence(const TunedFigure& figure);
// px that so many of its rows take at the most, at a text scale of 1, with what is said of others.
inline constexpr std::size_t kMostTunedRows = 100;
[[nodiscard]] float height_of(const TunedFigure& figure, std::size_t most_rows = kMostTunedRows);
// What the table needs at the least: its head, a row, and what is said of the others.
[[nodiscard]] FigureSize least_size(const TunedFigure& figure);
// Where the rows that fit into an area lie, one below the other.
struct TunedRows {
  std::size_t count = 0;
  Rect first;
  [[nodiscard]] Rect row(std::size_t index) const {
    return {first.x, first.y + static_cast<float>(index) * first.h, first.w, first.h};
  }
};
[[nodiscard]] TunedRows rows_in(const TunedFigure& figure, const Rect& area, float text_scale = 1);
// As many rows as fit; what is left out is counted in words. Of `context` the theme and the text's
// scale alone are asked. `lit`: the row under the pointer.
void draw_tuned_figure(Canvas& canvas, const Rect& area, const ViewContext& context,
                       const TunedFigure& figure, std::optional<std::size_t> lit = {});
// Of all rows.
void add_tuned_numbers(NumberList& list, const TunedFigure& figure);

}  // namespace tilescope
