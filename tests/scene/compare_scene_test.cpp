#include "scene/compare/compare_scene.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scene/compared_study.h"
#include "scene/recording_canvas.h"
#include "scene/view/drawn_numbers.h"
#include "scene/view_settings.h"
#include "scene/views.h"

namespace tilescope {
namespace {

struct Size {
  float width = 0;
  float height = 0;
  float text_scale = 1;
};
constexpr Size kSizes[] = {{1176, 560, 1},    {1176, 480, 1},    {1040, 360, 1},
                           {860, 420, 1},     {700, 380, 1},     {640, 420, 1},
                           {1176, 560, 1.6f}, {1900, 760, 1.6f}, {520, 400, 1}};

const ParameterSet kSquare = {{"ROWS", 256}, {"COLS", 256}};
const ParameterSet kGemm = {{"M", 256}, {"N", 256}, {"K", 64}};

using Set = std::shared_ptr<const ComparedSet>;

Set transposes() {
  static const Set kSet = compared_cases({{"transpose/naive", {}, kSquare, 3e-4},
                                          {"transpose/tiled", {{"PAD", 0}}, kSquare, 2e-4},
                                          {"transpose/tiled", {{"PAD", 1}}, kSquare, 1e-4}});
  return kSet;
}
Set gemms() {
  static const Set kSet = compared_cases({{"gemm/naive", {}, kGemm},
                                          {"gemm/shared_tile", {}, kGemm},
                                          {"gemm/prefetch", {}, kGemm},
                                          {"gemm/register_tile", {}, kGemm}});
  return kSet;
}
Set mixed() {
  static const Set kSet =
      compared_cases({{"transpose/naive", {}, kSquare}, {"gemm/naive", {}, kGemm}});
  return kSet;
}
// Its second one does not compile.
Set broken() {
  ComparedVariant gone;
  gone.name = "tiled, edited";
  gone.missing = "04_tiled.cu:12: error: identifier \"tlie\" is undefined";
  return compared_set({transposes()->variants[0], gone, transposes()->variants[2]}, 2);
}
// Kernels of nobody's catalogue.
Set files() {
  std::vector<ComparedVariant> variants;
  for (const ComparedVariant& variant : transposes()->variants) {
    auto study = std::make_shared<KernelStudy>(*variant.study);
    study->instance.problem.reset();
    study->instance.id = "pasted_1.cu";
    study->instance.parameters.clear();
    ComparedVariant& own = variants.emplace_back();
    own.study = study;
    own.prepared = variant.prepared;
  }
  return compared_set(std::move(variants), 1);
}

// As if four steps of the family had been measured; the third is slower than the second.
std::shared_ptr<const RooflineData> ladder() {
  RooflineData data;
  data.gpu = "NVIDIA H200";
  double seconds = 1e-2;
  for (const char* name : {"serial", "naive", "rows per thread", "tiled"}) {
    data.steps.push_back({std::string("transpose/") + name,
                          name,
                          {seconds, Source::kRecorded, 5e-4, "device copy"},
                          0,
                          1 << 20,
                          0});
    seconds *= data.steps.size() == 2 ? 1.6 : 0.3;
  }
  return std::make_shared<const RooflineData>(data);
}

RecordingCanvas drawn(const ViewContext& context, const Size& size = {1176, 560, 1}) {
  ViewContext scaled = context;
  scaled.text_scale = size.text_scale;
  RecordingCanvas canvas;
  draw_view(View::kCompare, canvas, {0, 0, size.width, size.height}, scaled);
  return canvas;
}

void expect_sound(const ViewContext& context, const std::string& what) {
  for (const Size& size : kSizes) {
    const RecordingCanvas canvas = drawn(context, size);
    EXPECT_EQ(canvas.complaint({0, 0, size.width, size.height}, 11 * size.text_scale), "")
        << what << " at " << size.width << " x " << size.height << " text " << size.text_scale;
    for (const auto& [rect, hit] : canvas.hits) EXPECT_FALSE(hit.tooltip.empty()) << what;
  }
}

// Skips where nothing compiles.
#define NEED_COMPILER(set) \
  if ((set)->variants.back().study == nullptr) GTEST_SKIP() << (set)->variants.back().missing

TEST(CompareLayout, IsSoundForEverySetAndSize) {
  NEED_COMPILER(transposes());
  for (const auto& [set, what] : {std::pair{transposes(), "transposes"},
                                  std::pair{gemms(), "gemms"}, std::pair{mixed(), "problems"},
                                  std::pair{broken(), "broken"}, std::pair{files(), "files"}}) {
    ViewContext context = compared_context(set);
    for (const bool with_times : {false, true}) {
      context.roofline = with_times ? ladder() : nullptr;
      for (const CompareMode mode :
           {CompareMode::kSideBySide, CompareMode::kOne, CompareMode::kOverlay}) {
        context.settings.compare_mode = mode;
        for (const int part : {0, 1, 2, 3}) {
          context.settings.compare_part = part;
          expect_sound(context, std::string(what) + (with_times ? ", timed, mode " : ", mode ") +
                                    std::to_string(static_cast<int>(mode)) + ", part " +
                                    std::to_string(part));
        }
      }
    }
  }
}

// With four beside one another each card has its variant's name, whole, and the captions are whole.
TEST(CompareLayout, NothingIsCutInTheUsualWindowsWithFourVariants) {
  NEED_COMPILER(transposes());
  auto set = std::make_shared<ComparedSet>(*transposes());
  ASSERT_GE(set->variants.size(), 3u);
  std::vector<ComparedVariant> four = set->variants;
  while (four.size() < 4) four.push_back(four.back());
  four[0].name = "Thread per element";
  four[3].name = "Swizzled float4";
  ViewContext context = compared_context(compared_set(std::move(four), 1));
  context.roofline = ladder();
  for (const Size& size : {Size{1176, 560, 1}, Size{992, 320, 1}}) {
    for (const int part : {1, 2}) {
      context.settings.compare_part = part;
      const RecordingCanvas canvas = drawn(context, size);
      EXPECT_TRUE(canvas.says("Thread per element")) << canvas.all_text();
      EXPECT_TRUE(canvas.says("Swizzled float4")) << canvas.all_text();
      for (const RecordingCanvas::Text& text : canvas.texts) {
        EXPECT_EQ(text.words.find("…"), std::string::npos) << text.words << " at " << size.width;
      }
    }
  }
}

TEST(CompareReasons, EveryPairThatDiffersHasItsLargestFactorInTheUsualWindow) {
  NEED_COMPILER(transposes());
  const Set set = compared_cases({{"transpose/naive", {}, kSquare, 3e-4},
                                  {"transpose/tiled", {{"PAD", 0}}, kSquare, 2e-4},
                                  {"transpose/tiled", {{"PAD", 1}}, kSquare, 1e-4},
                                  {"transpose/swizzled", {}, kSquare, 1.005e-4}});
  const RecordingCanvas canvas = drawn(compared_context(set));
  const auto factors = std::ranges::count_if(
      canvas.texts, [](const auto& text) { return text.words.starts_with("× "); });
  EXPECT_GE(factors, 2) << canvas.all_text();
}

// On a projector there is room for less: why comes before how far the copy is.
TEST(CompareReasons, NoPairIsWithoutItsFactorForTheLineBelowThem) {
  NEED_COMPILER(transposes());
  const Set set = compared_cases({{"transpose/naive", {}, kSquare, 6e-4},
                                  {"transpose/tiled", {{"PAD", 0}}, kSquare, 2e-4},
                                  {"transpose/tiled", {{"PAD", 1}}, kSquare, 1e-4}});
  int pictures = 0;
  for (float height = 640; height < 900; height += 4) {
    const RecordingCanvas canvas = drawn(compared_context(set), {1512, height, 1.6F});
    if (!canvas.says("faster than A") || !canvas.says("faster than B")) continue;
    ++pictures;
    const auto factors = std::ranges::count_if(
        canvas.texts, [](const auto& text) { return text.words.starts_with("× "); });
    EXPECT_TRUE(factors >= 2 || !canvas.says("C reaches")) << height << canvas.all_text();
  }
  EXPECT_GT(pictures, 20);
}

TEST(CompareLayout, PanesShowAnyViewOfEveryVariant) {
  NEED_COMPILER(transposes());
  for (const Set& set : {transposes(), gemms()}) {
    ViewContext context = compared_context(set);
    for (const View view : {View::kTiling, View::kCoalescing, View::kBanks, View::kPipeline,
                            View::kDivergence, View::kOccupancy}) {
      context.settings.compare_view = static_cast<int>(view);
      for (const Size& size : kSizes) {
        const RecordingCanvas canvas = drawn(context, size);
        EXPECT_EQ(canvas.complaint({0, 0, size.width, size.height}, 11 * size.text_scale), "")
            << name_of(view) << " at " << size.width << " x " << size.height << " text "
            << size.text_scale;
      }
    }
  }
}

TEST(CompareLayout, AHitInAPaneSaysWhoseItIs) {
  NEED_COMPILER(transposes());
  ViewContext context = compared_context(transposes());
  context.settings.compare_view = static_cast<int>(View::kCoalescing);
  const RecordingCanvas canvas = drawn(context);
  std::set<int> variants;
  for (const auto& [rect, hit] : canvas.hits) {
    if (hit.kind == HitKind::kLane) variants.insert(hit.variant);
  }
  EXPECT_EQ(variants, (std::set<int>{0, 2})) << "the base and the active one have room";
}

TEST(CompareLayout, OneVariantAloneSaysWhatToDo) {
  NEED_COMPILER(transposes());
  ViewContext context = compared_context(transposes());
  context.compared.reset();
  expect_sound(context, "alone");
  const RecordingCanvas canvas = drawn(context);
  EXPECT_TRUE(canvas.says("Only one variant"));
  std::set<HitAction> actions;
  for (const auto& [rect, hit] : canvas.hits) {
    if (hit.kind == HitKind::kAction) actions.insert(hit.action);
  }
  EXPECT_EQ(actions, (std::set{HitAction::kAddVariant, HitAction::kCompareFamily,
                               HitAction::kCompareGpus, HitAction::kStepThroughFamily}));
}

TEST(CompareLayout, TheCardsHoldTheWorstAccessesOfTheSameKind) {
  NEED_COMPILER(transposes());
  const RecordingCanvas canvas = drawn(compared_context(transposes()));
  EXPECT_TRUE(canvas.says("32 sectors")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("4 sectors")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("store · line")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("uses no shared memory")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("32 wavefronts")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("1 wavefront")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("only bank 0")) << canvas.all_text();
}

TEST(CompareLayout, AHoveredLaneIsMarkedInEveryCard) {
  NEED_COMPILER(transposes());
  ViewContext context = compared_context(transposes());
  const auto marks = [](const RecordingCanvas& canvas) {
    return std::ranges::count_if(canvas.marks, [](const RecordingCanvas::Shape& shape) {
      return shape.paint.role == ColourRole::kSelection && shape.paint.scale == Paint::Scale::kRole;
    });
  };
  context.selection.lane = 5;
  for (Selection& selection : context.compared_at) selection.lane = -1;
  const auto before = marks(drawn(context));
  context.hovered_lane = 9;
  // A lane of each card, and its bank where there is shared memory and the row is shown.
  EXPECT_GE(marks(drawn(context)), before + 4);
}

TEST(CompareLayout, ASettingFlipsTheOneThatIsShown) {
  NEED_COMPILER(transposes());
  ViewContext context = compared_context(transposes());
  change_setting(context.settings, {HitKind::kSetting, 1, 0, "compare_mode", {}});
  change_setting(context.settings, {HitKind::kSetting, 0, 0, "compare_pane", {}});
  const RecordingCanvas first = drawn(context);
  EXPECT_TRUE(first.says("Thread per element"));
  EXPECT_FALSE(first.says("Tiled, PAD 1")) << first.all_text();
  change_setting(context.settings, {HitKind::kSetting, 2, 0, "compare_pane", {}});
  EXPECT_TRUE(drawn(context).says("Tiled, PAD 1"));
}

TEST(CompareLayout, DifferencesFollowTheBase) {
  NEED_COMPILER(transposes());
  ViewContext context = compared_context(transposes());
  EXPECT_TRUE(drawn(context).says("differences from A"));
  EXPECT_TRUE(drawn(context).says("÷ 8"));
  change_setting(context.settings, {HitKind::kSetting, 1, 0, "compare_base", {}});
  const RecordingCanvas canvas = drawn(context);
  EXPECT_TRUE(canvas.says("differences from B"));
  EXPECT_TRUE(canvas.says("÷ 32")) << canvas.all_text();
}

// Each time in the unit that fits it, and the differences below the values where there is no room
// beside them.
TEST(CompareLayout, FourTimesOfAnyLengthAndTheirDifferencesAreRead) {
  const Set four = compared_cases({{"transpose/naive", {}, kSquare, 0.783},
                                   {"transpose/tiled", {{"PAD", 0}}, kSquare, 40.96e-6},
                                   {"transpose/tiled", {{"PAD", 1}}, kSquare, 1.5e-3},
                                   {"transpose/swizzled", {}, kSquare, 20.5e-6}});
  NEED_COMPILER(four);
  for (const Rect& area : {Rect{0, 0, 460, 400}, Rect{0, 0, 900, 400}}) {
    RecordingCanvas canvas;
    const ViewContext context = compared_context(four);
    Pen pen(canvas, context);
    draw_compare_table(pen, area, context);
    for (const char* words : {"783 ms", "41.0 µs", "1.50 ms", "20.5 µs"}) {
      EXPECT_TRUE(canvas.says(words)) << words << "\n" << canvas.all_text();
    }
    EXPECT_TRUE(canvas.says("÷ 522")) << canvas.all_text();
    EXPECT_TRUE(canvas.says("÷ 19,116")) << canvas.all_text();
    EXPECT_EQ(canvas.complaint(area, 11), "");
  }
}

TEST(CompareLayout, ReasonsNameTheirLine) {
  NEED_COMPILER(transposes());
  const RecordingCanvas canvas = drawn(compared_context(transposes()));
  EXPECT_TRUE(canvas.says("C is 2 × faster than B")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("a 32-way conflict at line 47 of B")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("C reaches 50 % of the device copy") ||
              canvas.says("C is 3.0 × faster than A"))
      << canvas.all_text();
}

TEST(Waterfall, IsTheLaddersUpToItsFastestStep) {
  NEED_COMPILER(transposes());
  ViewContext context = compared_context(transposes());
  context.roofline = ladder();
  const Waterfall waterfall = waterfall_of(context);
  EXPECT_TRUE(waterfall.is_ladder);
  EXPECT_TRUE(waterfall.has_both);
  EXPECT_EQ(waterfall.title, "FROM SERIAL TO THE COPY");
  ASSERT_EQ(waterfall.steps.size(), 4U);
  EXPECT_LT(waterfall.steps[2].rate, waterfall.steps[1].rate);
  const RecordingCanvas canvas = drawn(context);
  EXPECT_TRUE(canvas.says("left to gain")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("÷ 1.6")) << canvas.all_text();
}

TEST(Waterfall, ItsReferenceIsThatBesideTheKernelLookedAt) {
  NEED_COMPILER(transposes());
  ViewContext context = compared_context(transposes());
  RooflineData data = *ladder();
  data.known = KnownTime{1e-3, Source::kRecorded, 8e-4, "device copy"};
  context.roofline = std::make_shared<const RooflineData>(data);
  EXPECT_DOUBLE_EQ(waterfall_of(context).reference, (1 << 20) / 8e-4);
}

TEST(CompareOverlay, StairsOfOneHeightStandAtItAndTakeTurns) {
  NEED_COMPILER(transposes());
  ViewContext context = compared_context(transposes());
  context.settings.compare_mode = CompareMode::kOverlay;
  const RecordingCanvas canvas = drawn(context);
  // The treads of a variant: lines as long as one lane is wide, or as a part of it.
  const auto treads = [&](std::size_t variant) {
    std::vector<Rect> lines;
    for (const RecordingCanvas::Shape& mark : canvas.marks) {
      const bool level = mark.box.h < 3 && mark.box.w < 40 && mark.box.w > 3;
      if (mark.paint.role == colour_of_variant(variant) && level) lines.push_back(mark.box);
    }
    return lines;
  };
  const std::vector<Rect> plain = treads(1);
  const std::vector<Rect> padded = treads(2);
  ASSERT_EQ(plain.size(), 32U);
  ASSERT_EQ(padded.size(), 32U);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    EXPECT_FLOAT_EQ(plain[lane].y, padded[lane].y) << lane;
    EXPECT_LT(plain[lane].x, padded[lane].x) << lane;
  }
}

TEST(Waterfall, AStepThatIsOffLeavesItsGainToTheNext) {
  NEED_COMPILER(transposes());
  ViewContext context = compared_context(transposes());
  context.roofline = ladder();
  const RecordingCanvas before = drawn(context);
  const auto step = std::ranges::find_if(before.hits, [](const auto& rect_and_hit) {
    return rect_and_hit.second.name == "step:transpose/rows per thread";
  });
  ASSERT_NE(step, before.hits.end());
  change_setting(context.settings, step->second);
  EXPECT_FALSE(waterfall_of(context).steps[2].on);
  const RecordingCanvas after = drawn(context);
  EXPECT_FALSE(after.says("÷ 1.6")) << after.all_text();
  EXPECT_TRUE(after.says("2.1 ×")) << after.all_text();
  const auto again = std::ranges::find_if(after.hits, [](const auto& rect_and_hit) {
    return rect_and_hit.second.name == "step:transpose/rows per thread";
  });
  ASSERT_NE(again, after.hits.end());
  change_setting(context.settings, again->second);
  EXPECT_TRUE(waterfall_of(context).steps[2].on);
}

TEST(Waterfall, WithoutRecordedTimesItIsTheVariantsThenTheModels) {
  NEED_COMPILER(transposes());
  const Waterfall recorded = waterfall_of(compared_context(transposes()));
  EXPECT_FALSE(recorded.is_ladder);
  ASSERT_EQ(recorded.steps.size(), 3U);
  EXPECT_EQ(recorded.steps[0].source, Source::kRecorded);
  EXPECT_EQ(recorded.title, "FROM A TO THE COPY");
  const Waterfall modelled = waterfall_of(compared_context(gemms()));
  ASSERT_EQ(modelled.steps.size(), 4U);
  EXPECT_EQ(modelled.steps[3].source, Source::kModelled);
  EXPECT_EQ(modelled.unit, Unit::kFlopPerSecond);
}

// What a file's kernel moves is counted: its rate is that of the catalogue's of the same text.
TEST(Waterfall, AFileStandsInTheUnitOfThoseBesideIt) {
  NEED_COMPILER(transposes());
  const Set alone = files();
  const Waterfall files_alone = waterfall_of(compared_context(alone));
  EXPECT_EQ(files_alone.unit, Unit::kBytesPerSecond);
  ASSERT_EQ(files_alone.steps.size(), 3U);
  std::vector<ComparedVariant> shipped;
  for (const ComparedVariant& variant : transposes()->variants) {
    shipped.emplace_back().study = variant.study;
  }
  for (const bool file_first : {false, true}) {
    std::vector<ComparedVariant> both{shipped[0], alone->variants[2]};
    if (file_first) std::swap(both[0], both[1]);
    const Set set = compared_set(std::move(both), 1);
    const std::size_t file = file_first ? 0 : 1;
    const Waterfall waterfall = waterfall_of(compared_context(set));
    EXPECT_EQ(waterfall.unit, Unit::kBytesPerSecond);
    ASSERT_EQ(waterfall.steps.size(), 2U);
    const double bytes = problem_cost(shipped[0].study->instance).bytes;
    const double seconds = set->variants[file].prepared->diagnosis->bounds.total();
    EXPECT_NEAR(waterfall.steps[file].rate / (bytes / seconds), 1, 0.01) << file_first;
    EXPECT_EQ(set->comparison.pairs[0][1].comparable, Comparable::kYes);
  }
}

TEST(CompareTable, OfAnotherSizeWhatAWholeLaunchTakesIsNoDifference) {
  NEED_COMPILER(transposes());
  const Set set = compared_cases({{"transpose/tiled", {}, {{"ROWS", 1024}, {"COLS", 1024}}},
                                  {"transpose/tiled", {}, {{"ROWS", 256}, {"COLS", 256}}}});
  const RecordingCanvas canvas = drawn(compared_context(set));
  EXPECT_TRUE(canvas.says("bytes of the launch")) << canvas.all_text();
  EXPECT_FALSE(canvas.says("÷ 16")) << canvas.all_text();
  EXPECT_TRUE(canvas.says(", by rate: other size")) << canvas.all_text();
}

TEST(CompareTable, OfAnotherProblemTimesAreNoDifference) {
  NEED_COMPILER(transposes());
  const RecordingCanvas canvas = drawn(compared_context(mixed()));
  const auto row = std::ranges::find(canvas.texts, "modelled time", &RecordingCanvas::Text::words);
  ASSERT_NE(row, canvas.texts.end()) << canvas.all_text();
  for (const RecordingCanvas::Text& text : canvas.texts) {
    const float below = text.box.y - row->box.y;
    const bool in_row = below > -4 && below < 16 && text.box.x - row->box.x < 500;
    const bool is_ratio = text.words.ends_with(" ×") || text.words.starts_with("÷ ");
    EXPECT_FALSE(in_row && is_ratio) << text.words;
  }
}

TEST(Waterfall, OfDifferentProblemsThereIsNone) {
  NEED_COMPILER(transposes());
  ViewContext context = compared_context(mixed());
  EXPECT_LT(waterfall_of(context).steps.size(), 2U);
  EXPECT_TRUE(drawn(context).says("No steps to show"));
}

TEST(CompareNumbers, RowsPairsAndWaterfallAreListedAsTheyAreDrawn) {
  NEED_COMPILER(transposes());
  ViewContext context = compared_context(transposes());
  context.roofline = ladder();
  const std::vector<DrawnNumber> numbers = numbers_of(View::kCompare, context);
  const auto value = [&](std::string_view part, std::string_view item, std::string_view name) {
    const auto found = std::ranges::find_if(numbers, [&](const DrawnNumber& number) {
      return number.part == part && number.item.starts_with(item) && number.name == name;
    });
    EXPECT_NE(found, numbers.end()) << part << ", " << item << ", " << name;
    return found == numbers.end() ? 0 : found->value;
  };
  EXPECT_DOUBLE_EQ(value("store sectors per request", "A ", "store sectors per request"), 32);
  EXPECT_DOUBLE_EQ(value("store sectors per request", "C ", "store sectors per request"), 4);
  EXPECT_DOUBLE_EQ(value("C against A", "", "speedup"), 3);
  EXPECT_GT(value("waterfall", "naive", "rate"), value("waterfall", "serial", "rate"));
}

}  // namespace
}  // namespace tilescope
