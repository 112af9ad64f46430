#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "build_config.h"
#include "export/export_view.h"
#include "export/font_library.h"
#include "export/provenance.h"
#include "export/svg_canvas.h"
#include "scene/catalogue_study.h"
#include "scene/compared_study.h"
#include "scene/view/default_selection.h"
#include "scene/views.h"

namespace tilescope {
namespace {

// Some views of some kernels as SVG text, from real emulation, compared line by line with
// tests/golden: each for something that no other of them shows, and no longer than a person reads
// through. TILESCOPE_UPDATE_GOLDEN=1 writes them anew. The fonts' widths take part, so these need
// fonts-inter and fonts-jetbrains-mono. The compiler must say the same each time: NVRTC splits some
// 128-bit loads of gemm/register_tile in some runs and not in others where its loop over TILE_K = 8
// is unrolled whole, so no picture here is of such a variant.
struct Drawn {
  const char* name;
  const char* kernel;
  ParameterSet parameters;
  ParameterSet extents;
  std::vector<View> golden;  // compared with the file NAME_VIEW.svg
  Theme theme = Theme::kLight;
};

std::vector<Drawn> drawn_kernels() {
  using enum View;
  const ParameterSet small_gemm = {{"M", 256}, {"N", 256}, {"K", 64}};
  const ParameterSet register_gemm = {{"M", 500}, {"N", 500}, {"K", 64}};  // no multiple of tiles
  const ParameterSet small_tile = {
      {"TILE_M", 64}, {"TILE_N", 64}, {"TILE_K", 16}, {"THREAD_M", 4}, {"THREAD_N", 4}};
  const ParameterSet square = {{"ROWS", 256}, {"COLS", 256}};
  return {// One sector for a warp beside four; time below the roof.
          {"gemm_naive", "gemm/naive", {}, small_gemm, {kCoalescing, kRoofline}},
          // Tiles and a loop over them; occupancy that threads limit.
          {"gemm_shared_tile", "gemm/shared_tile", {}, small_gemm, {kTiling, kOccupancy}},
          // Vector loads; lanes beyond the edge; what a thread computes; occupancy that registers
          // limit.
          {"gemm_register_tile",
           "gemm/register_tile",
           small_tile,
           register_gemm,
           {kCoalescing, kDivergence, kTiling, kOccupancy}},
          // 32 sectors for a request; no shared memory.
          {"transpose_naive", "transpose/naive", {}, square, {kCoalescing, kBanks}},
          // 32 ways on one bank; the same permuted, in the dark theme.
          {"transpose_tiled_pad0", "transpose/tiled", {{"PAD", 0}}, square, {kBanks}},
          {"transpose_swizzled", "transpose/swizzled", {}, square, {kBanks}, Theme::kDark},
          {"transpose_tiled_pad1", "transpose/tiled", {{"PAD", 1}}, square, {}},
          // Paths one after the other; lanes that leave a loop early.
          {"divergence_switch", "divergence/switch", {}, square, {kDivergence}},
          {"divergence_trip_counts", "divergence/trip_counts", {}, square, {kDivergence}},
          {"gemm_rows_per_thread", "gemm/rows_per_thread", {}, small_gemm, {}},
          // Copies ahead of their use, between barriers.
          {"gemm_prefetch", "gemm/prefetch", {}, small_gemm, {kPipeline}},
          // 16 bytes a lane.
          {"copy_wide", "copy/wide", {}, square, {kCoalescing}}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void compare(const std::string& got, const std::string& name) {
  const auto golden =
      std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests" / "golden" / (name + ".svg");
  if (std::getenv("TILESCOPE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(golden, std::ios::binary) << got;
    return;
  }
  const auto want_lines = lines_of(read(golden));
  const auto got_lines = lines_of(got);
  ASSERT_FALSE(want_lines.empty()) << golden << " is missing: run with TILESCOPE_UPDATE_GOLDEN=1";
  for (std::size_t i = 0; i < std::max(want_lines.size(), got_lines.size()); ++i) {
    const std::string want_line = i < want_lines.size() ? want_lines[i] : "(end)";
    const std::string got_line = i < got_lines.size() ? got_lines[i] : "(end)";
    if (want_line == got_line) continue;
    const auto artifacts = std::filesystem::path(TILESCOPE_PROGRAM).parent_path() / "artifacts";
    std::filesystem::create_directories(artifacts);
    std::ofstream(artifacts / (name + ".svg"), std::ios::binary) << got;
    FAIL() << name << ".svg, line " << i + 1 << ":\n- " << want_line << "\n+ " << got_line
           << "\nThe new picture: " << (artifacts / (name + ".svg"));
  }
}

// Without the compiler's version, which may differ.
KernelStudy without_version(const KernelStudy& study) {
  KernelStudy named = study;
  auto compiled = std::make_shared<CompiledKernel>(*study.compiled);
  compiled->compiler.clear();
  named.compiled = compiled;
  return named;
}

std::string drawn(PictureRequest request, Theme theme, const FontLibrary& fonts) {
  request.context.theme = theme;
  SvgCanvas canvas(request.width, request.height, theme, fonts);
  draw_picture(canvas, request);
  // What else a file says of itself is tests/export/files_test.cpp's.
  return canvas.document(provenance_of(request).line());
}

std::string without_colours(std::string svg) {
  constexpr std::size_t kDigits = 6;
  for (std::size_t at = 0; (at = svg.find("=\"#", at)) != std::string::npos; ++at) {
    svg.replace(at + 3, kDigits, "colour");
  }
  return svg;
}

// Every view of each kernel is drawn, the same in both themes but for the colours.
TEST(Golden, ViewsOfTheCatalogue) {
  const FontLibrary fonts;
  if (!fonts.complete()) GTEST_SKIP() << "fonts-inter or fonts-jetbrains-mono is not installed";
  for (const Drawn& kernel : drawn_kernels()) {
    std::string why;
    const auto study = catalogue_study(kernel.kernel, kernel.parameters, kernel.extents, &why);
    ASSERT_NE(study, nullptr) << kernel.kernel << ": " << why;
    const KernelStudy named = without_version(*study);
    for (const View view : all_views()) {
      if (view == View::kCompare) continue;  // of several kernels: below
      PictureRequest request;
      request.view = view;
      request.context = catalogue_context(*study);
      request.context.study = &named;
      request.context.selection = default_selection(view, *study, *request.context.prepared);
      const std::string light = drawn(request, Theme::kLight, fonts);
      const std::string dark = drawn(request, Theme::kDark, fonts);
      EXPECT_NE(light, dark) << kernel.name << ", " << name_of(view);
      EXPECT_TRUE(without_colours(light) == without_colours(dark))
          << kernel.name << ", " << name_of(view);
      if (std::ranges::count(kernel.golden, view) == 0) continue;
      compare(kernel.theme == Theme::kLight ? light : dark,
              fmt::format("{}_{}", kernel.name, name_of(view)));
    }
  }
}

// Tiling as it is not seen at first: at the matrix's edge, of tensor cores, by reads, from close
// by.
TEST(Golden, MomentsOfTheTiling) {
  const FontLibrary fonts;
  if (!fonts.complete()) GTEST_SKIP() << "fonts-inter or fonts-jetbrains-mono is not installed";
  const ParameterSet gemm = {{"M", 256}, {"N", 256}, {"K", 64}};
  struct Moment {
    const char* name;
    const char* kernel;
    ParameterSet extents;
    Theme theme = Theme::kLight;
    MatrixCamera camera = {};
    bool heat = false;
    bool is_long = false;  // no person would read it through
  };
  const Moment moments[] = {
      {"edge", "gemm/register_tile", {{"M", 300}, {"N", 300}, {"K", 64}}},
      {"tensor_core", "gemm/tensor_core", gemm, Theme::kLight, {}, false, true},
      {"warpgroup", "gemm/warpgroup", gemm, Theme::kLight, {}, false, true},
      {"reads", "gemm/register_tile", gemm, Theme::kDark, {}, true},
      {"elements",
       "gemm/naive",
       {{"M", 64}, {"N", 64}, {"K", 32}},
       Theme::kLight,
       {12, 0.5f, 0.5f}},
      {"transpose_edge", "transpose/tiled", {{"ROWS", 100}, {"COLS", 70}}},
  };
  for (const Moment& moment : moments) {
    std::string why;
    const auto study = catalogue_study(moment.kernel, {}, moment.extents, &why);
    ASSERT_NE(study, nullptr) << moment.kernel << ": " << why;
    PictureRequest request;
    request.view = View::kTiling;
    request.context = catalogue_context(*study);
    const KernelStudy named = without_version(*study);
    request.context.study = &named;
    request.context.camera = moment.camera;
    request.context.settings.heat = moment.heat;
    request.context.selection = default_selection(View::kTiling, *study, *request.context.prepared);
    request.context.theme = Theme::kLight;
    const std::string light = svg_of(request);
    request.context.theme = Theme::kDark;
    const std::string dark = svg_of(request);
    // Heat is a little paler on a dark ground.
    EXPECT_TRUE(moment.heat || without_colours(light) == without_colours(dark)) << moment.name;
    if (moment.is_long) continue;
    compare(moment.theme == Theme::kLight ? light : dark, fmt::format("tiling_{}", moment.name));
  }
}

TEST(Golden, ComparisonsOfSeveralKernels) {
  const FontLibrary fonts;
  if (!fonts.complete()) GTEST_SKIP() << "fonts-inter or fonts-jetbrains-mono is not installed";
  const ParameterSet square = {{"ROWS", 256}, {"COLS", 256}};
  const ParameterSet gemm = {{"M", 256}, {"N", 256}, {"K", 64}};
  const ParameterSet tile = {
      {"TILE_M", 64}, {"TILE_N", 64}, {"TILE_K", 16}, {"THREAD_M", 4}, {"THREAD_N", 4}};
  const auto expect = [](const char* name, const std::vector<ComparedCase>& cases) {
    const auto set = compared_cases(cases);
    for (const ComparedVariant& variant : set->variants) {
      ASSERT_NE(variant.study, nullptr) << variant.missing;
    }
    PictureRequest request;
    request.view = View::kCompare;
    request.context = compared_context(set);
    const KernelStudy named = without_version(*request.context.study);
    request.context.study = &named;
    request.context.theme = Theme::kLight;
    compare(svg_of(request), name);
  };
  expect("transposes_compare", {{"transpose/naive", {}, square, 3e-4},
                                {"transpose/tiled", {{"PAD", 0}}, square, 2e-4},
                                {"transpose/tiled", {{"PAD", 1}}, square, 1e-4}});
  expect("gemms_compare", {{"gemm/naive", {}, gemm}, {"gemm/register_tile", tile, gemm}});
}

}  // namespace
}  // namespace tilescope
