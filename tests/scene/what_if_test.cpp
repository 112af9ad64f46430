#include "scene/banks/what_if.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/paths.h"
#include "kernel/catalogue/parameter_values.h"
#include "scene/banks/banks_scene.h"
#include "scene/catalogue_study.h"
#include "scene/recording_canvas.h"
#include "scene/views.h"

namespace tilescope {
namespace {

using Count = LayoutAlternative::Count;
using LineKind = std::pair<std::uint32_t, AccessKind>;

const Catalogue& catalogue() {
  static const auto loaded = load_catalogue({resource_directory() / "kernels"});
  return *loaded;
}

std::shared_ptr<const KernelStudy> study_of(const std::string& id, const ParameterSet& parameters,
                                            const ParameterSet& extents) {
  std::string why;
  auto study = catalogue_study(id, parameters, extents, &why);
  EXPECT_NE(study, nullptr) << id << ": " << why;
  return study;
}

// As many elements as one block works on, so that the launch's counters are the traced block's.
ParameterSet one_block(const CatalogueEntry& entry) {
  const auto defaults = default_parameters(entry);
  const auto at = [&](const char* name) { return defaults.at(name); };
  if (entry.problem->reference == ReferenceKind::kTranspose)
    return {{"ROWS", at("TILE")}, {"COLS", at("TILE")}};
  if (defaults.contains("SEGMENT")) return {{"N", at("SEGMENT")}};
  if (defaults.contains("TILE")) return {{"M", at("TILE")}, {"N", at("TILE")}, {"K", 64}};
  return {{"M", at("TILE_M")}, {"N", at("TILE_N")}, {"K", 128}};
}

std::vector<std::uint32_t> shared_events(const ViewContext& context) {
  std::vector<std::uint32_t> events;
  for (const PreparedStudy::WarpAccesses& warp : context.prepared->warps) {
    events.insert(events.end(), warp.shared.begin(), warp.shared.end());
  }
  return events;
}

LayoutStrip strip_at(ViewContext context, std::uint32_t event) {
  context.selection.warp = context.study->trace->events[event].warp;
  context.selection.event = event;
  const auto request = shared_request(context);
  EXPECT_TRUE(request && request->event == event);
  return request ? layouts_of(context, *request) : LayoutStrip{};
}

std::map<LineKind, std::uint64_t> counted_wavefronts(const KernelStudy& study) {
  std::map<LineKind, std::uint64_t> sums;
  for (const LineCounters& line : counters_by_line(*study.program, *study.counters)) {
    if (line.memory.wavefronts > 0) sums[{line.line.line, line.access}] += line.memory.wavefronts;
  }
  return sums;
}

const LayoutAlternative* named(const LayoutStrip& strip, const std::string& name) {
  const auto found = std::ranges::find(strip.layouts, name, &LayoutAlternative::name);
  return found == strip.layouts.end() ? nullptr : &*found;
}

// Every chip at every access, summed over the block, against the counters of a study whose
// parameters are the chip's.
TEST(WhatIf, EachChipIsWhatAStudyWithItsParametersCounts) {
  int kernels = 0;
  for (const CatalogueEntry& entry : catalogue().entries) {
    const ParameterSet defaults = default_parameters(entry);
    if (pad_parameter(defaults) == nullptr && swizzle_parameter(defaults) == nullptr) continue;
    SCOPED_TRACE(entry.id);
    ++kernels;
    const ParameterSet extents = one_block(entry);
    const auto study = study_of(entry.id, {}, extents);
    ASSERT_NE(study, nullptr);
    ASSERT_EQ(study->launch.grid.count(), 1U);
    const ViewContext context = catalogue_context(*study);
    ASSERT_NE(context.layouts, nullptr);
    std::vector<std::map<LineKind, std::uint64_t>> sums(context.layouts->layouts.size());
    std::vector<LayoutAlternative> chips;
    for (const std::uint32_t event : shared_events(context)) {
      const StaticInstruction& instruction =
          study->program->instructions()[study->trace->events[event].instruction];
      LayoutStrip strip = strip_at(context, event);
      std::erase_if(strip.layouts, [](const LayoutAlternative& layout) {
        return layout.source == Source::kModelled;
      });
      ASSERT_EQ(strip.layouts.size(), sums.size());
      for (std::size_t i = 0; i < sums.size(); ++i) {
        ASSERT_EQ(strip.layouts[i].count, Count::kKnown);
        const auto wavefronts = static_cast<std::uint64_t>(strip.layouts[i].wavefronts);
        if (wavefronts == 0) continue;
        sums[i][{instruction.outermost.line, instruction.access}] += wavefronts;
      }
      chips = strip.layouts;
    }
    EXPECT_EQ(std::ranges::count_if(chips, &LayoutAlternative::current), 1);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      ParameterSet parameters = defaults;
      for (const auto& [name, value] : chips[i].sets) parameters[name] = value;
      const auto other = study_of(entry.id, parameters, extents);
      ASSERT_NE(other, nullptr);
      EXPECT_EQ(sums[i], counted_wavefronts(*other)) << chips[i].name;
    }
  }
  EXPECT_GE(kernels, 5);
}

TEST(WhatIf, OffersTheLegalValuesAlone) {
  const auto names = [](const std::string& id, const ParameterSet& parameters) {
    const auto study = study_of(id, parameters, one_block(*catalogue().find(id)));
    std::string all;
    if (study == nullptr) return all;
    const ViewContext context = catalogue_context(*study);
    const LayoutStrip strip = strip_at(context, shared_events(context).front());
    for (const LayoutAlternative& layout : strip.layouts) {
      all += layout.name + (layout.current ? "*" : "") + " ";
    }
    return all;
  };
  EXPECT_EQ(names("gemm/transposed_b", {}), "PAD 0 PAD 1* PAD 2 PAD 3 PAD 4 XOR ");
  EXPECT_EQ(names("gemm/tensor_core", {}), "PAD 0 PAD 8 XOR* ");
  EXPECT_EQ(names("gemm/tensor_core", {{"SWIZZLE", 0}, {"PAD", 8}}), "PAD 0 PAD 8* XOR ");
  EXPECT_EQ(names("transpose/swizzled", {}), "plain XOR* ");
  EXPECT_EQ(names("transpose/swizzled", {{"SWIZZLE", 0}}), "plain* XOR ");
}

TEST(WhatIf, OneClickSetsWhatKeepsTheRules) {
  const auto study =
      study_of("gemm/tensor_core", {}, one_block(*catalogue().find("gemm/tensor_core")));
  ASSERT_NE(study, nullptr);
  const ViewContext context = catalogue_context(*study);
  const LayoutStrip strip = strip_at(context, shared_events(context).front());
  EXPECT_EQ(strip.pad_unit, "bf16 elements");
  RecordingCanvas canvas;
  draw_view(View::kBanks, canvas, {0, 0, 1176, 560}, context);
  const auto click = [&](const std::string& words) -> const Hit* {
    const auto found = std::ranges::find_if(canvas.hits, [&](const auto& hit) {
      return hit.second.tooltip.find(words) != std::string::npos;
    });
    return found == canvas.hits.end() ? nullptr : &found->second;
  };
  const Hit* padded = click("padded by 8 bf16 elements");
  ASSERT_NE(padded, nullptr);
  EXPECT_EQ(padded->kind, HitKind::kParameters);
  EXPECT_EQ(padded->parameters, (decltype(padded->parameters){{"PAD", 8}, {"SWIZZLE", 0}}));
  const Hit* bare = click("without padding");
  ASSERT_NE(bare, nullptr);
  EXPECT_EQ(bare->kind, HitKind::kParameter);
  EXPECT_EQ(bare->name, "SWIZZLE");
  const Hit* present = click("This is the current layout.");
  ASSERT_NE(present, nullptr);
  EXPECT_EQ(present->kind, HitKind::kNone);
}

TEST(WhatIf, CountsTheChosenAccessAndNotesTheWorst) {
  const auto study = study_of("transpose/tiled", {{"PAD", 1}}, {{"ROWS", 64}, {"COLS", 64}});
  ASSERT_NE(study, nullptr);
  const ViewContext context = catalogue_context(*study);
  const std::vector<std::uint32_t>& shared = context.prepared->warps[0].shared;
  const LayoutStrip store = strip_at(context, shared.front());  // along a row
  const LayoutStrip load = strip_at(context, shared.back());    // down a column
  const LayoutAlternative* unpadded = named(store, "PAD 0");
  ASSERT_NE(unpadded, nullptr);
  EXPECT_EQ(unpadded->wavefronts, 1);
  ASSERT_TRUE(unpadded->worst.has_value());
  EXPECT_EQ(unpadded->worst->wavefronts, 32);
  ASSERT_NE(named(load, "PAD 0"), nullptr);
  EXPECT_EQ(named(load, "PAD 0")->wavefronts, 32);
  EXPECT_FALSE(named(load, "PAD 0")->worst.has_value());
}

TEST(WhatIf, AKernelWithoutAParameterHasNoCurrentLayout) {
  const auto study = study_of("gemm/register_tile", {}, {{"M", 256}, {"N", 256}, {"K", 64}});
  ASSERT_NE(study, nullptr);
  const ViewContext context = catalogue_context(*study);
  for (const std::uint32_t event :
       {context.prepared->warps[0].shared.front(), context.prepared->warps[0].shared.back()}) {
    const LayoutStrip strip = strip_at(context, event);
    EXPECT_EQ(strip.source, Source::kModelled);
    EXPECT_EQ(strip.layouts.size(), 10U);
    EXPECT_TRUE(std::ranges::none_of(strip.layouts, &LayoutAlternative::current));
    EXPECT_TRUE(std::ranges::all_of(strip.layouts, [](const auto& l) { return l.sets.empty(); }));
  }
}

// The same kernel as a file of the user's: nothing is emulated ahead of it.
TEST(WhatIf, WhatIsMovedAlreadyIsNotMovedTwice) {
  const auto study = study_of("transpose/swizzled", {}, {{"ROWS", 64}, {"COLS", 64}});
  ASSERT_NE(study, nullptr);
  KernelStudy own = *study;
  own.instance.id = "own.cu";
  const auto strip_of = [&] {
    const ViewContext context = catalogue_context(own);
    return strip_at(context, context.prepared->warps[0].shared.back());
  };
  EXPECT_TRUE(strip_of().layouts.empty());
  EXPECT_TRUE(strip_of().why_none.starts_with("SWIZZLE already permutes")) << strip_of().why_none;
  own.instance.parameters.erase("SWIZZLE");
  EXPECT_TRUE(strip_of().layouts.empty());
  EXPECT_NE(strip_of().why_none.find("already permuted"), std::string::npos) << strip_of().why_none;
}

TEST(WhatIf, RowsOfTwoByteElementsAreKnown) {
  const auto study = study_of("gemm/tensor_core", {{"SWIZZLE", 0}, {"PAD", 8}},
                              {{"M", 256}, {"N", 256}, {"K", 128}});
  ASSERT_NE(study, nullptr);
  const ViewContext context = catalogue_context(*study);
  const ParameterSet& parameters = study->instance.parameters;
  for (const SharedRegion& region : context.prepared->shared->regions) {
    const std::int64_t row = region.name == "A" ? parameters.at("TILE_K") : parameters.at("TILE_N");
    ASSERT_TRUE(region.pitch_known) << region.name;
    EXPECT_EQ(region.pitch_words, static_cast<std::uint64_t>(row + 8) / 2) << region.name;
    EXPECT_EQ(region.used_words, static_cast<std::uint64_t>(row) / 2) << region.name;
    EXPECT_FALSE(region.moved_in_rows);
  }
}

TEST(WhatIf, BelongsToOneKernelAndItsOtherParameters) {
  const auto study = study_of("transpose/tiled", {}, {{"ROWS", 64}, {"COLS", 64}});
  ASSERT_NE(study, nullptr);
  const ViewContext context = catalogue_context(*study);
  KernelStudy other = *study;
  other.instance.parameters["PAD"] = 3;
  EXPECT_TRUE(context.layouts->belong_to(other));
  other.instance.parameters["BLOCK_ROWS"] = 16;
  EXPECT_FALSE(context.layouts->belong_to(other));
}

// A column of words of a tile that a tensor copy fills with rows of 128 bytes.
TEST(SwizzleAlternatives, CountTheSameElementsUnderEachSwizzleOfATensorMap) {
  SharedRegion region;
  region.words = 32 * 32;
  region.pitch_words = region.used_words = 32;
  region.pitch_known = region.by_tensor_copies = true;
  SharedCost column;
  column.access.bytes_per_lane = 4;
  column.access.active = 0xffffffff;
  column.access.space = MemorySpace::kShared;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) column.access.address[lane] = 128 * lane;
  const auto plain = swizzle_alternatives(column, region);
  ASSERT_EQ(plain.size(), 2u) << "none, and 128 B: a row is wider than the others";
  EXPECT_EQ(plain[0].name, "no swizzle");
  EXPECT_TRUE(plain[0].current);
  EXPECT_EQ(plain[0].wavefronts, 32);
  EXPECT_EQ(plain[1].wavefronts, 4) << "eight chunks of four banks";
  for (std::uint64_t& address : column.access.address) address = swizzled_byte(address, 128);
  region.swizzle_bytes = 128;
  region.moved_in_rows = true;
  const auto swizzled = swizzle_alternatives(column, region);
  ASSERT_EQ(swizzled.size(), 2u);
  EXPECT_TRUE(swizzled[1].current);
  EXPECT_EQ(swizzled[0].wavefronts, 32);
  EXPECT_EQ(swizzled[1].wavefronts, 4);
  region.by_tensor_copies = false;
  EXPECT_TRUE(swizzle_alternatives(column, region).empty());
}

}  // namespace
}  // namespace tilescope
