// Every figure at every size: it is laid out right, or says what it needs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "export/export_view.h"
#include "scene/catalogue_study.h"
#include "scene/compared_study.h"
#include "scene/recording_canvas.h"
#include "scene/telling_selection.h"

namespace tilescope {
namespace {

constexpr std::array<float, 12> kSides{100, 140, 180, 240,  320,  400,
                                       480, 640, 800, 1176, 1600, 2000};
struct Extent {
  float width;
  float height;
};

std::vector<Extent> sizes() {
  std::vector<Extent> all{{8000, 200}, {200, 4000}, {336, 240}, {1040, 330}};
  for (const float width : kSides) {
    for (const float height : kSides) all.push_back({width, height});
  }
  return all;
}

struct Kernel {
  std::string id;
  ParameterSet parameters;
  ParameterSet extents;
};
std::vector<Kernel> kernels() {
  return {{"gemm/naive", {}, {{"M", 256}, {"N", 256}, {"K", 64}}},
          {"gemm/register_tile", {}, {{"M", 512}, {"N", 512}, {"K", 64}}},
          {"gemm/tensor_core", {}, {{"M", 256}, {"N", 256}, {"K", 64}}},
          {"transpose/naive", {}, {{"ROWS", 256}, {"COLS", 128}}},
          {"transpose/tiled", {{"PAD", 0}}, {{"ROWS", 256}, {"COLS", 256}}},
          {"copy/plain", {}, {{"ROWS", 256}, {"COLS", 256}}},
          {"divergence/switch", {{"WAYS", 32}}, {{"ROWS", 64}, {"COLS", 64}}}};
}

// Whether the canvas shows what is needed in the figure's place, and nothing else.
bool is_refused(const RecordingCanvas& canvas) {
  return canvas.texts.size() <= 1 && canvas.grids.empty() && canvas.marks.empty() &&
         (canvas.texts.empty() || canvas.says("at least") || canvas.says("≥"));
}

TEST(EverySize, AViewIsLaidOutRightOrSaysWhatItNeeds) {
  RecordingCanvas fonts;
  for (const Kernel& kernel : kernels()) {
    std::string why;
    const auto study = catalogue_study(kernel.id, kernel.parameters, kernel.extents, &why);
    ASSERT_NE(study, nullptr) << why;
    ViewContext context = catalogue_context(*study);
    for (const View view : all_views()) {
      context.selection = telling_selection(view, *study, *context.prepared);
      for (const float text_scale : {1.0f, 1.6f}) {
        context.text_scale = text_scale;
        const FigureSize least = least_size(view);
        for (const Extent& size : sizes()) {
          RecordingCanvas canvas;
          canvas.share_fonts(fonts);
          const Rect area{0, 0, size.width, size.height};
          draw_view(view, canvas, area, context);
          EXPECT_EQ(canvas.complaint(area, 11 * text_scale), "")
              << kernel.id << ", " << name_of(view) << " at " << size.width << " x " << size.height
              << " text " << text_scale;
          const bool fits = size.width >= std::ceil(least.width * text_scale) &&
                            size.height >= std::ceil(least.height * text_scale);
          EXPECT_NE(is_refused(canvas), fits)
              << name_of(view) << " at " << size.width << " x " << size.height;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilescope
