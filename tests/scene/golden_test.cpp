#include <fmt/format.h>
#include <gtest/gtest.h>

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
#include "scene/view/telling_selection.h"

namespace tilescope {
namespace {

// Every view of each kernel as SVG text, from real emulation, compared line by line with
// tests/golden. TILESCOPE_UPDATE_GOLDEN=1 writes them anew. The fonts' widths take part, so these
// need fonts-inter and fonts-jetbrains-mono. The compiler must say the same each time: NVRTC splits
// some 128-bit loads of gemm/register_tile in some runs and not in others where its loop over
// TILE_K = 8 is unrolled whole, so no picture here is of such a variant.
struct Golden {
  const char* name;
  const char* kernel;
  ParameterSet parameters;
  ParameterSet extents;
  Theme theme = Theme::kLight;
};

std::vector<Golden> goldens() {
  const ParameterSet small_gemm = {{"M", 256}, {"N", 256}, {"K", 64}};
  const ParameterSet register_gemm = {{"M", 500}, {"N", 500}, {"K", 64}};  // no multiple of tiles
  const ParameterSet small_tile = {
      {"TILE_M", 64}, {"TILE_N", 64}, {"TILE_K", 16}, {"THREAD_M", 4}, {"THREAD_N", 4}};
  const ParameterSet square = {{"ROWS", 256}, {"COLS", 256}};
  return {
      {"gemm_naive", "gemm/naive", {}, small_gemm},
      {"gemm_shared_tile", "gemm/shared_tile", {}, small_gemm},
      {"gemm_register_tile", "gemm/register_tile", small_tile, register_gemm},
      {"gemm_register_tile_dark", "gemm/register_tile", small_tile, register_gemm, Theme::kDark},
      {"transpose_naive", "transpose/naive", {}, square},
      {"transpose_tiled_pad0", "transpose/tiled", {{"PAD", 0}}, square},
      {"transpose_tiled_pad0_dark", "transpose/tiled", {{"PAD", 0}}, square, Theme::kDark},
      {"transpose_tiled_pad1", "transpose/tiled", {{"PAD", 1}}, square},
      {"divergence_switch", "divergence/switch", {}, square},
      {"divergence_trip_counts", "divergence/trip_counts", {}, square},
      {"gemm_rows_per_thread", "gemm/rows_per_thread", {}, small_gemm},
      {"gemm_prefetch", "gemm/prefetch", {}, small_gemm},
      {"transpose_swizzled", "transpose/swizzled", {}, square},
      {"copy_wide", "copy/wide", {}, square}};
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

TEST(Golden, EveryViewOfEveryKernel) {
  const FontLibrary fonts;
  if (!fonts.complete()) GTEST_SKIP() << "fonts-inter or fonts-jetbrains-mono is not installed";
  for (const Golden& golden : goldens()) {
    std::string why;
    const auto study = catalogue_study(golden.kernel, golden.parameters, golden.extents, &why);
    ASSERT_NE(study, nullptr) << golden.kernel << ": " << why;
    KernelStudy named = *study;  // without the compiler's version, which may differ
    auto compiled = std::make_shared<CompiledKernel>(*study->compiled);
    compiled->compiler.clear();
    named.compiled = compiled;
    for (const View view : all_views()) {
      if (view == View::kCompare) continue;  // of several kernels: below
      PictureRequest request;
      request.view = view;
      request.context = catalogue_context(*study);
      request.context.study = &named;
      request.context.theme = golden.theme;
      request.context.selection = telling_selection(view, *study, *request.context.prepared);
      SvgCanvas canvas(request.width, request.height, request.context.theme, fonts);
      draw_picture(canvas, request);
      // What else a file says of itself is export/export_formats_test.cpp's.
      compare(canvas.document(provenance_of(request).line()),
              fmt::format("{}_{}", golden.name, name_of(view)));
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
  };
  const Moment moments[] = {
      {"edge", "gemm/register_tile", {{"M", 300}, {"N", 300}, {"K", 64}}},
      {"tensor_core", "gemm/tensor_core", gemm},
      {"warpgroup", "gemm/warpgroup", gemm, Theme::kDark},
      {"reads", "gemm/register_tile", gemm, Theme::kDark, {}, true},
      {"elements", "gemm/naive", gemm, Theme::kLight, {24, 0.16f, 0.5f}},
      {"transpose_edge", "transpose/tiled", {{"ROWS", 100}, {"COLS", 70}}},
  };
  for (const Moment& moment : moments) {
    std::string why;
    const auto study = catalogue_study(moment.kernel, {}, moment.extents, &why);
    ASSERT_NE(study, nullptr) << moment.kernel << ": " << why;
    PictureRequest request;
    request.view = View::kTiling;
    request.context = catalogue_context(*study);
    KernelStudy named = *study;  // without the compiler's version
    auto compiled = std::make_shared<CompiledKernel>(*study->compiled);
    compiled->compiler.clear();
    named.compiled = compiled;
    request.context.study = &named;
    request.context.theme = moment.theme;
    request.context.camera = moment.camera;
    request.context.settings.heat = moment.heat;
    request.context.selection = telling_selection(View::kTiling, *study, *request.context.prepared);
    compare(svg_of(request), fmt::format("tiling_{}", moment.name));
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
    KernelStudy named = *request.context.study;  // without the compiler's version
    auto compiled = std::make_shared<CompiledKernel>(*named.compiled);
    compiled->compiler.clear();
    named.compiled = compiled;
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
