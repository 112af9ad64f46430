// The pages beside the views: the source with its lines' costs, the counters.
#include "scene/pages/page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/study/counter_check.h"
#include "scene/catalogue_study.h"
#include "scene/pages/source_page.h"
#include "scene/recording_canvas.h"
#include "scene/views.h"

namespace tilescope {
namespace {

class PageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    study_ = catalogue_study("transpose/naive", {}, {{"ROWS", 64}, {"COLS", 64}}, &why);
    ASSERT_NE(study_, nullptr) << why;
    context_ = catalogue_context(*study_);
  }
  [[nodiscard]] PageRequest request(Page page) const { return {page, context_, true}; }
  // What a page says in a picture of this size; complains of what is cut or overlaps.
  [[nodiscard]] std::string drawn(Page page, float width, float height) const {
    RecordingCanvas canvas;
    const Rect area{0, 0, width, height};
    draw_page(canvas, area, request(page));
    EXPECT_EQ(canvas.complaint(area, 11), "") << name_of(page);
    return canvas.all_text();
  }
  [[nodiscard]] double number(Page page, const std::string& item, const std::string& name) const {
    for (const DrawnNumber& number : numbers_of(request(page))) {
      if (number.item == item && number.name == name) return number.value;
    }
    return -1;
  }
  std::shared_ptr<const KernelStudy> study_;
  ViewContext context_;
};

class EachPage : public PageTest, public ::testing::WithParamInterface<Page> {};

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST_P(EachPage, ShowsAllItsRowsInItsHeightAndSaysWhatIsLeftOutInLess) {
  for (const float width : {1176.0f, 900.0f}) {
    const float height = height_of(request(GetParam()));
    EXPECT_FALSE(has(drawn(GetParam(), width, height), "more line")) << width;
  }
  EXPECT_TRUE(has(drawn(Page::kSource, 1176, 200), "more line"));
  EXPECT_FALSE(numbers_of(request(GetParam())).empty());
}

TEST_P(EachPage, SaysWhichLineCostsMostMoreThanItMust) {
  EXPECT_TRUE(has(plain(sentence_of(request(GetParam()))), "sectors of 32 B; "))
      << name_of(GetParam());
  EXPECT_EQ(parse_page(name_of(GetParam())), GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, EachPage, ::testing::ValuesIn(all_pages()),
                         [](const auto& page) { return std::string(title_of(page.param)); });

// 64 x 64 floats: 128 warps load 4 sectors each, and store 32.
TEST_F(PageTest, CountsTheSourcesLines) {
  const auto numbers = numbers_of(request(Page::kSource));
  const auto of = [&](double value) {
    return std::ranges::any_of(numbers, [&](const DrawnNumber& number) {
      return number.name == "sectors" && number.value == value && number.line > 0;
    });
  };
  EXPECT_TRUE(of(512)) << "the load";
  EXPECT_TRUE(of(4096)) << "the store";
  const std::string text = drawn(Page::kSource, 1176, height_of(request(Page::kSource)));
  EXPECT_TRUE(has(text, "__global__"));
  EXPECT_TRUE(has(text, "lines without instructions")) << "the file's head";
  EXPECT_TRUE(has(text, "4,096"));
}

// Each text shows what comes from the marked line, in however little room.
TEST_F(PageTest, SideBySideThePtxStandsWhereTheSourcesLineIs) {
  PageRequest both = request(Page::kSource);
  both.side_by_side = true;
  const auto texts = listed_texts(both);
  ASSERT_EQ(texts.size(), 2U) << "no machine code is known";
  EXPECT_EQ(texts[1].title, "PTX");
  const auto store = std::ranges::find_if(
      texts[1].costs, [](const CountedLine& line) { return line.sectors == 4096; });
  ASSERT_NE(store, texts[1].costs.end());
  const auto place = static_cast<std::size_t>(store - texts[1].costs.begin());
  EXPECT_TRUE(has(texts[1].lines[place], "st.global")) << texts[1].lines[place];
  const std::uint32_t line = texts[1].origins[place];
  EXPECT_EQ(texts[0].costs[line - 1].sectors, 4096U) << "that line of the source";
  context_.selection.line = line;
  for (const float width : {1176.0f, 1920.0f}) {
    RecordingCanvas canvas;
    const Rect area{0, 0, width, 300};
    draw_page(canvas, area, both);
    EXPECT_EQ(canvas.complaint(area, 11), "") << width;
    EXPECT_TRUE(has(canvas.all_text(), "st.global")) << canvas.all_text();
    EXPECT_TRUE(has(canvas.all_text(), "lines above")) << canvas.all_text();
  }
  EXPECT_FALSE(has(drawn(Page::kSource, 1176, 300), "st.global")) << "alone";
  const auto numbers = numbers_of(both);
  const auto same = std::ranges::find_if(numbers, [&](const DrawnNumber& number) {
    return number.part == "PTX lines" && number.line == line && number.name == "sectors";
  });
  ASSERT_NE(same, numbers.end());
  EXPECT_EQ(same->value, 4096);
}

TEST_F(PageTest, NamesTotalsAsNsightDoesAndSetsTheHardwaresBeside) {
  const std::string name = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
  EXPECT_EQ(number(Page::kCounters, name, "emulated"), 4096);
  EXPECT_EQ(number(Page::kCounters, name, "least read"), -1);
  HardwareCounters hardware;
  hardware.device = "NVIDIA H200";
  hardware.source = Source::kRecorded;
  hardware.whole_grid = true;
  hardware.counters.push_back({name, 4096, 4099, 4099});
  context_.hardware = std::make_shared<const HardwareCounters>(hardware);
  EXPECT_EQ(number(Page::kCounters, name, "least read"), -1) << "of the machine code alone";
  auto issued = std::make_shared<KernelStudy>(*study_);
  issued->issued = issued->program;
  issued->issued_counters = issued->counters;
  context_.study = issued.get();
  EXPECT_EQ(number(Page::kCounters, name, "least read"), 4099);
  const std::string text = drawn(Page::kCounters, 1176, height_of(request(Page::kCounters)));
  EXPECT_TRUE(has(text, "recorded on the NVIDIA H200"));
  EXPECT_TRUE(has(text, "4,099"));
  EXPECT_TRUE(has(text, "≠"));
}

}  // namespace
}  // namespace tilescope
