// The tuner's table as a picture.
#include "scene/rates/tuned_figure.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/test_catalogue.h"
#include "scene/recording_canvas.h"

namespace tilescope {
namespace {

// transpose/tiled: TILE, BLOCK_ROWS and PAD.
TunedRow row(int tile, int pad, double seconds) {
  return {.parameters = {{"TILE", tile}, {"BLOCK_ROWS", 8}, {"PAD", pad}},
          .seconds = seconds,
          .reference_seconds = 80e-6,
          .gpu = "NVIDIA H200",
          .date = "2026-11-21"};
}

TunedFigure figure(std::vector<TunedRow> rows, int tile, int pad) {
  return tuned_figure({0,
                       &testing::entry("transpose/tiled"),
                       row(tile, pad, 0).parameters,
                       {{"ROWS", 4096}, {"COLS", 4096}}},
                      "device copy", std::move(rows));
}

std::string words(const TunedFigure& figure) { return plain(tuned_sentence(figure)); }

TEST(TunedFigure, SaysTheFastestAndWhereThePresentOneStands) {
  const std::vector<TunedRow> rows{row(32, 0, 200e-6), row(32, 1, 100e-6), row(16, 1, 160e-6)};
  EXPECT_EQ(words(figure(rows, 32, 0)),
            "Of 3 combinations recorded of transpose/tiled at this size the fastest takes "
            "0.100 ms, 80.0 % of the device copy's speed: PAD 1. The present one takes 0.200 ms, "
            "place 3.");
  EXPECT_EQ(words(figure(rows, 32, 1)),
            "Of 3 combinations recorded of transpose/tiled at this size the present one is the "
            "fastest: 0.100 ms, 80.0 % of the device copy's speed.");
  EXPECT_TRUE(words(figure(rows, 64, 0))
                  .ends_with(": TILE 32, PAD 1. The present one is not "
                             "among them."))
      << words(figure(rows, 64, 0));
  TunedFigure tried = figure(rows, 32, 0);
  tried.own = "the start";
  for (TunedRow& each : tried.rows) each.source = Source::kModelled;
  EXPECT_NE(words(tried).find("3 combinations modelled"), std::string::npos);
  EXPECT_NE(words(tried).find("The start takes"), std::string::npos);
  EXPECT_TRUE(tried.is_of_this_run());
  EXPECT_EQ(words(figure({}, 32, 0)), "No time of transpose/tiled is known at this size.");
}

TEST(TunedFigure, IsInOrderOfTimeWhereverItCameFrom) {
  const auto one = figure({row(64, 1, 3), row(32, 1, 1), row(16, 1, 1)}, 32, 1);
  const auto other = figure({row(16, 1, 1), row(32, 1, 1), row(64, 1, 3)}, 32, 1);
  ASSERT_EQ(one.rows.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(one.rows[i].parameters, other.rows[i].parameters) << i;
  }
  EXPECT_EQ(one.rows[0].parameters.at("TILE"), 16);
  EXPECT_EQ(one.newest_date(), "2026-11-21");
  EXPECT_EQ(one.gpus(), "NVIDIA H200");
}

TEST(TunedFigure, ShowsAllItsRowsInItsHeightAndCountsTheOthers) {
  std::vector<TunedRow> rows;
  for (int pad = 0; pad < 150; ++pad) rows.push_back(row(32, pad, (100 + pad) * 1e-6));
  const TunedFigure many = figure(rows, 32, 3);
  rows.resize(12);
  const TunedFigure few = figure(rows, 32, 3);
  const auto drawn = [](const TunedFigure& shown, float width, float height, float scale) {
    RecordingCanvas canvas;
    ViewContext context;
    context.text_scale = scale;
    const Rect area{0, 0, width, height};
    draw_tuned_figure(canvas, area, context, shown);
    EXPECT_EQ(canvas.complaint(area, 11), "") << width << " x " << height;
    return canvas.all_text();
  };
  for (const float width : {1128.0F, 640.0F}) {
    const std::string text = drawn(few, width, height_of(few), 1);
    EXPECT_EQ(text.find("slower"), std::string::npos) << text;
    EXPECT_NE(text.find("BLOCK_ROWS"), std::string::npos);
    EXPECT_NE(text.find("80.0 %"), std::string::npos) << text;
  }
  EXPECT_EQ(drawn(few, 1128, 1.6F * height_of(few), 1.6F).find("slower"), std::string::npos);
  EXPECT_NE(drawn(few, 1128, 150, 1).find("slower ones"), std::string::npos);
  EXPECT_NE(drawn(many, 1128, height_of(many), 1).find("and 50 slower ones"), std::string::npos);
  NumberList list;
  add_tuned_numbers(list, many);
  EXPECT_EQ(list.take().size(), 150U * 5);  // three parameters and two times
}

// Of a run of the tuner that is still going on.
TEST(TunedFigure, ShowsWhatElseIsKnownWhereThereIsRoom) {
  TunedRow known = row(32, 1, 100e-6);
  known.registers = 30;
  known.shared_bytes = 4224;
  known.occupancy = 87.5;
  known.recorded_seconds = 90e-6;
  known.recorded_gpu = "NVIDIA H100 PCIe";
  TunedFigure run = figure({known, row(16, 1, 150e-6)}, 32, 0);
  run.untimed = {row(64, 1, 0)};
  run.slower = 7;
  run.start = row(16, 1, 0).parameters;
  run.rate_title = "GB/s";
  run.rates = {"1,342", "895"};
  const auto drawn = [&](float width, float height) {
    RecordingCanvas canvas;
    const Rect area{0, 0, width, height};
    draw_tuned_figure(canvas, area, {}, run);
    EXPECT_EQ(canvas.complaint(area, 11), "") << width << " x " << height;
    return canvas.all_text();
  };
  const std::string wide = drawn(1128, height_of(run));
  for (const char* words : {"registers", "occupancy", "87.5 %", "on H100 PCIe", "90.00 µs", "1,342",
                            "start", "–", "and 7 slower ones"}) {
    EXPECT_NE(wide.find(words), std::string::npos) << words << " in " << wide;
  }
  EXPECT_EQ(drawn(640, height_of(run)).find("shared"), std::string::npos) << "the first to go";
  EXPECT_NE(drawn(640, height_of(run)).find("80.0 %"), std::string::npos) << "the last";
  EXPECT_NE(drawn(1128, height_of(run) - 40).find("8 slower ones; 1 without a time"),
            std::string::npos)
      << drawn(1128, height_of(run) - 40);
}

}  // namespace
}  // namespace tilescope
