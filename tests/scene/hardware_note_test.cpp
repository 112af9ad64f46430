#include "scene/view/hardware_note.h"

#include <gtest/gtest.h>

#include "analysis/study/counter_check.h"
#include "scene/catalogue_study.h"
#include "scene/compare/compared.h"
#include "scene/recording_canvas.h"
#include "scene/view/default_selection.h"
#include "scene/views.h"

namespace tilescope {
namespace {

// What an H200 would answer: the emulated counters, but for `changed`, which is read as these.
std::shared_ptr<const HardwareCounters> hardware(const std::string& changed, std::uint64_t least,
                                                 std::uint64_t most) {
  HardwareCounters counters;
  counters.device = "NVIDIA H200";
  counters.readings = 3;
  counters.whole_grid = true;
  for (const char* name : {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"}) {
    const bool other = changed == name;
    counters.counters.push_back({name, 64, other ? least : 64, other ? most : 64});
  }
  return std::make_shared<const HardwareCounters>(std::move(counters));
}

std::string drawn(View view, std::shared_ptr<const HardwareCounters> counters, Rect area = {}) {
  std::string why;
  const auto study = catalogue_study("transpose/tiled", {}, {{"ROWS", 64}, {"COLS", 64}}, &why);
  if (study == nullptr) return why;
  ViewContext context = catalogue_context(*study);
  context.hardware = std::move(counters);
  if (area.w == 0) area = {0, 0, 1176, 560};
  RecordingCanvas canvas;
  draw_view(view, canvas, area, context);
  EXPECT_EQ(canvas.complaint(area, 11), "");
  return canvas.all_text();
}

bool has(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

// Of a comparison's panes only that of the launch that was read.
TEST(HardwareNote, IsNotOfTheOthersThatAreCompared) {
  std::string why;
  const auto study = catalogue_study("transpose/tiled", {}, {{"ROWS", 64}, {"COLS", 64}}, &why);
  ASSERT_NE(study, nullptr) << why;
  ViewContext context = catalogue_context(*study);
  context.hardware = hardware("", 0, 0);
  std::vector<ComparedVariant> variants(2);
  for (ComparedVariant& variant : variants) variant.study = study;
  context.compared = compared_set(std::move(variants), 1);
  EXPECT_EQ(context_of_variant(context, 0).hardware, nullptr);
  EXPECT_NE(context_of_variant(context, 1).hardware, nullptr);
}

TEST(HardwareNote, SaysThatBothSidesAreEqual) {
  for (const View view : {View::kCoalescing, View::kBanks}) {
    EXPECT_TRUE(
        has(drawn(view, hardware("", 0, 0)), "equal to the hardware counters (NVIDIA H200)"))
        << name_of(view);
    EXPECT_FALSE(has(drawn(view, nullptr), "H200")) << name_of(view);
  }
}

TEST(HardwareNote, EachViewSpeaksOfItsOwnCounters) {
  const auto other = hardware("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 65, 65);
  EXPECT_TRUE(
      has(drawn(View::kCoalescing, other), "sectors of loads: 64 emulated, 65 on the NVIDIA H200"));
  EXPECT_TRUE(has(drawn(View::kBanks, other), "equal to the hardware counters (NVIDIA H200)"));
  const auto contended = hardware("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 70, 71);
  EXPECT_TRUE(has(drawn(View::kBanks, contended),
                  "the NVIDIA H200 counts more, and differently each time (busy pipe)"));
}

TEST(HardwareNote, IsShortOrLeftOutWhereThereIsLittleRoom) {
  for (const View view : {View::kCoalescing, View::kBanks}) {
    drawn(view, hardware("", 0, 0), {0, 0, 700, 400});  // complains of what is cut or overlaps
    drawn(view, hardware("", 0, 0), {0, 0, 640, 420});
  }
}

TEST(HardwareNote, WaitsForTheWholeGrid) {
  HardwareCounters sample = *hardware("", 0, 0);
  sample.whole_grid = false;
  EXPECT_TRUE(has(drawn(View::kCoalescing, std::make_shared<const HardwareCounters>(sample)),
                  "all blocks"));
}

}  // namespace
}  // namespace tilescope
