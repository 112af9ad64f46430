#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>

#include "core/quantity.h"
#include "scene/catalogue_study.h"
#include "scene/model/prepared.h"
#include "scene/model/shared_layout.h"
#include "scene/recording_canvas.h"
#include "scene/view/default_selection.h"
#include "scene/view/drawn_numbers.h"
#include "scene/views.h"

namespace tilescope {
namespace {

struct Drawn {
  std::vector<DrawnNumber> numbers;
  std::string words;  // every text and tooltip of the picture and its sentence
};

Drawn drawn(View view, const std::string& kernel, const ParameterSet& extents, std::string* why) {
  const auto study = catalogue_study(kernel, {}, extents, why);
  if (study == nullptr) return {};
  ViewContext context = catalogue_context(*study);
  context.selection = default_selection(view, *study, *context.prepared);
  RecordingCanvas canvas;
  draw_view(view, canvas, {0, 0, 1176, 900}, context);
  Drawn result{numbers_of(view, context), plain(sentence_of(view, context))};
  result.words += "\n" + canvas.all_text();
  for (const auto& [rect, hit] : canvas.hits) result.words += "\n" + hit.tooltip;
  return result;
}

const DrawnNumber* find(const Drawn& drawn, std::string_view part, std::string_view item,
                        std::string_view name) {
  const auto found = std::ranges::find_if(drawn.numbers, [&](const DrawnNumber& number) {
    return number.part == part && number.item == item && number.name == name;
  });
  return found == drawn.numbers.end() ? nullptr : &*found;
}

// The ways in which scenes write a number.
std::vector<std::string> spellings(const DrawnNumber& number) {
  const double value = number.value;
  if (number.unit == "%") {
    return {format(value, Unit::kPercent), fmt::format("{:.0f} %", value),
            fmt::format("{:.1f} %", value)};
  }
  if (number.unit == "s") return {format(value, Unit::kSeconds)};
  if (number.unit == "flop/s") return {format(value, Unit::kFlopPerSecond)};
  if (number.unit == "B/s") return {format(value, Unit::kBytesPerSecond)};
  std::vector<std::string> all;
  if (number.unit == "B") {
    all = {format(value, Unit::kBytes), format(std::round(value), Unit::kBytes),
           fmt::format("{:.0f} B", value)};
  }
  all.push_back(value == std::floor(value) && value >= 0
                    ? format_count(static_cast<std::uint64_t>(value))
                    : fmt::format("{:.1f}", value));
  all.push_back(fmt::format("{:.0f}", value));
  all.push_back(format(value, Unit::kNone));
  return all;
}

void expect_written(const Drawn& drawn, std::string_view part, std::string_view item,
                    std::string_view name) {
  const DrawnNumber* number = find(drawn, part, item, name);
  ASSERT_NE(number, nullptr) << part << ", " << item << ", " << name;
  const std::vector<std::string> all = spellings(*number);
  EXPECT_TRUE(std::ranges::any_of(
      all, [&](const std::string& words) { return drawn.words.find(words) != std::string::npos; }))
      << part << ", " << item << ", " << name << " = " << number->value << " " << number->unit
      << ", sought as " << all.front() << " in\n"
      << drawn.words;
}

TEST(DrawnNumbers, AreWhatThePictureSays) {
  const ParameterSet gemm = {{"M", 256}, {"N", 256}, {"K", 64}};
  const ParameterSet square = {{"ROWS", 256}, {"COLS", 256}};
  std::string why;
  const Drawn coalescing = drawn(View::kCoalescing, "transpose/naive", square, &why);
  if (coalescing.numbers.empty()) GTEST_SKIP() << why;
  for (const char* name : {"sectors", "ideal sectors", "moved", "wanted"}) {
    expect_written(coalescing, "request", "", name);
  }
  for (const DrawnNumber& number : coalescing.numbers) {
    if (number.part != "global memory instructions" || number.item.empty()) continue;
    expect_written(coalescing, number.part, number.item, number.name);
    EXPECT_NE(number.line, 0U);
  }

  const Drawn banks = drawn(View::kBanks, "transpose/tiled", square, &why);
  expect_written(banks, "request", "", "wavefronts");
  for (int pad = 0; pad <= 8; ++pad) {
    expect_written(banks, "what if", fmt::format("PAD {}", pad), "wavefronts");
  }
  expect_written(banks, "what if", "XOR", "wavefronts");

  const Drawn pipeline = drawn(View::kPipeline, "gemm/prefetch", gemm, &why);
  expect_written(pipeline, "pipeline", "", "blocks per SM");
  expect_written(pipeline, "warp time", "issued", "share");

  const Drawn divergence = drawn(View::kDivergence, "divergence/switch", square, &why);
  expect_written(divergence, "warp", divergence.numbers.front().item, "lost share");
  expect_written(divergence, "warp", divergence.numbers.front().item, "ideal warp instructions");
  for (const char* ways : {"WAYS 1", "WAYS 2", "WAYS 32"}) {
    expect_written(divergence, "what if", ways, "lost share");
  }

  const Drawn occupancy = drawn(View::kOccupancy, "gemm/register_tile", gemm, &why);
  const std::string device = occupancy.numbers.front().item;
  for (const char* name : {"occupancy", "warps per SM", "blocks per SM", "registers per thread"}) {
    expect_written(occupancy, "block", device, name);
  }
  expect_written(occupancy, "SM", "registers", "of an SM");
  expect_written(occupancy, "bytes in flight", "", "possible");
  expect_written(occupancy, "bytes in flight", "", "needed");
  expect_written(occupancy, "other devices", "NVIDIA A100 80GB", "occupancy");

  const Drawn roofline = drawn(View::kRoofline, "gemm/naive", gemm, &why);
  for (const char* name : {"DRAM bandwidth", "shared memory and L1 bandwidth", "FP32 with FMA"}) {
    expect_written(roofline, "roofs", "", name);
  }
  expect_written(roofline, "time each part needs", "all together", "time");

  const Drawn tiling = drawn(View::kTiling, "gemm/shared_tile", gemm, &why);
  expect_written(tiling, "memory", "global", "sectors per request");
  expect_written(tiling, "memory", "shared", "wavefronts per access");
  expect_written(tiling, "memory", "registers", "multiply-adds per access");
  expect_written(tiling, "matrices", "A", "rows");
  expect_written(tiling, "launch", "", "steps");
}

TEST(DrawnNumbers, TheTilingSummaryNamesWhateverTheKernelComputesWith) {
  const ParameterSet gemm = {{"M", 256}, {"N", 256}, {"K", 64}};
  const ParameterSet square = {{"ROWS", 256}, {"COLS", 256}};
  std::string why;
  const Drawn tensor = drawn(View::kTiling, "gemm/tensor_core", gemm, &why);
  if (tensor.numbers.empty()) GTEST_SKIP() << why;
  expect_written(tensor, "memory", "registers", "matrix products per access");
  EXPECT_NE(tensor.words.find(" MMA"), std::string::npos) << tensor.words;
  const Drawn integers = drawn(View::kTiling, "divergence/switch", square, &why);
  EXPECT_NE(integers.words.find("no FP arithmetic"), std::string::npos) << integers.words;
  EXPECT_EQ(integers.words.find("no arithmetic"), std::string::npos) << integers.words;
}

TEST(DrawnNumbers, EveryViewOfEveryFamilyHasThem) {
  for (const std::string kernel : {"gemm/naive", "gemm/register_tile", "transpose/tiled",
                                   "copy/plain", "divergence/trip_counts"}) {
    const ParameterSet extents = kernel.starts_with("gemm/")
                                     ? ParameterSet{{"M", 256}, {"N", 256}, {"K", 64}}
                                     : ParameterSet{{"ROWS", 256}, {"COLS", 256}};
    std::string why;
    const auto study = catalogue_study(kernel, {}, extents, &why);
    if (study == nullptr) GTEST_SKIP() << why;
    ViewContext context = catalogue_context(*study);
    for (const View view : all_views()) {
      context.selection = default_selection(view, *study, *context.prepared);
      const std::vector<DrawnNumber> numbers = numbers_of(view, context);
      const bool nothing_shared = view == View::kBanks && context.prepared->shared->regions.empty();
      const bool is_alone = view == View::kCompare;
      EXPECT_EQ(numbers.empty(), nothing_shared || is_alone) << kernel << ", " << name_of(view);
      for (const DrawnNumber& number : numbers) {
        EXPECT_TRUE(std::isfinite(number.value)) << number.name;
        EXPECT_FALSE(number.part.empty() || number.name.empty()) << number.item;
      }
    }
  }
}

TEST(DrawnNumbers, AContextWithoutAStudyHasNone) {
  for (const View view : all_views()) EXPECT_TRUE(numbers_of(view, {}).empty());
}

// "What if" of each number of ways against the same kernel with that number.
TEST(DrawnNumbers, OfWaysAreThoseThatTheyBecome) {
  const auto lost = [](std::int64_t ways, std::int64_t group) {
    std::string why;
    const auto study = catalogue_study("divergence/groups", {{"WAYS", ways}, {"GROUP", group}},
                                       {{"ROWS", 64}, {"COLS", 64}}, &why);
    std::map<std::string, double> result;
    if (study == nullptr) return result;
    ViewContext context = catalogue_context(*study);
    context.selection = default_selection(View::kDivergence, *study, *context.prepared);
    for (const DrawnNumber& number : numbers_of(View::kDivergence, context)) {
      if (number.part == "what if" && number.name == "lost share") {
        result[number.item] = number.value;
      }
    }
    return result;
  };
  for (const std::int64_t group : {1, 8, 32}) {
    const auto modelled = lost(2, group);
    if (modelled.empty()) GTEST_SKIP() << "the study has no such numbers";
    EXPECT_EQ(modelled.size(), 4U);  // the values that the kernel has
    for (const std::int64_t ways : {1, 4, 8}) {
      const std::string item = fmt::format("WAYS {}", ways);
      EXPECT_NEAR(modelled.at(item), lost(ways, group).at(item), 3) << item << " GROUP " << group;
    }
  }
}

}  // namespace
}  // namespace tilescope
