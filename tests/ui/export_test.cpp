#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_te_context.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "build_config.h"
#include "export/png_file.h"
#include "temporary_folder.h"
#include "ui/state/export_command.h"
#include "ui/state/picture_export.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

class ExportTest : public UiTest {
 protected:
  // The file that the window writes of this view.
  std::string exported(View view, const std::string& name) {
    desk().raise = view;
    settle();
    desk().picture_export.file = (folder_ / name).string();
    export_picture(desk());
    settle();
    return testing::read_file(folder_ / name);
  }
  // What the command that the dialog shows writes.
  std::string by_command(const std::string& name) {
    const std::string before = desk().picture_export.file;
    desk().picture_export.file = (folder_ / name).string();
    std::string command = export_command(desk());
    desk().picture_export.file = before;
    const std::string program = "tilescope ";
    EXPECT_TRUE(command.starts_with(program)) << command;
    command.replace(0, program.size(), "'" + std::string(TILESCOPE_PROGRAM) + "' ");
    EXPECT_EQ(std::system((command + " > /dev/null 2>&1").c_str()), 0) << command;
    return testing::read_file(folder_ / name);
  }

  bool says(const std::string& words) {
    const TextAudit texts = audit();
    return std::ranges::any_of(texts.texts, [&](const TextAudit::Text& text) {
      return text.words.find(words) != std::string::npos;
    });
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ExportTest, TheWindowAndTheCommandWriteTheSameBytes) {
  bench_->choose_kernel(entry("transpose/tiled"));
  bench_->set_extent("ROWS", 64);
  bench_->set_extent("COLS", 96);
  bench_->set_parameter("PAD", 0);
  settle();
  variant().selection.event += 40;
  variant().selection.lane = 7;
  for (const View view : all_views()) {
    const std::string name(name_of(view));
    const std::string window = exported(view, name + ".svg");
    ASSERT_FALSE(window.empty()) << name;
    EXPECT_NE(window.find("</svg>"), std::string::npos) << name;
    if (view == View::kCompare) {  // one variant alone, which the command refuses
      EXPECT_EQ(export_command(desk()), "");
      continue;
    }
    EXPECT_TRUE(window == by_command(name + "_2.svg")) << name;
  }
  desk().picture_export.scale = 2;
  desk().picture_export.theme = Theme::kDark;
  desk().picture_export.width = 1280;
  desk().picture_export.height = 720;
  for (const char* ending : {".png", ".pdf", ".csv", ".json"}) {
    for (const View view : {View::kBanks, View::kOccupancy}) {
      const std::string window = exported(view, std::string("a") + ending);
      ASSERT_FALSE(window.empty()) << ending;
      EXPECT_TRUE(window == by_command(std::string("b") + ending)) << ending << name_of(view);
    }
  }
}

// Where counters of the hardware are recorded, too: the views leave them to the counters' page.
TEST_F(ExportTest, ThePagesAndTheCommandWriteTheSameBytes) {
  bench_->choose_kernel(entry("transpose/naive"));
  settle();
  ASSERT_NE(desk().hardware.counters(), nullptr) << "recorded at the usual size";
  using enum PictureExport::Subject;
  for (const auto& [subject, ending] :
       {std::pair{kSource, ".svg"}, {kSource, ".png"}, {kCounters, ".pdf"}, {kCounters, ".csv"}}) {
    desk().picture_export.subject = subject;
    const std::string window = exported(View::kTiling, std::string("p") + ending);
    ASSERT_FALSE(window.empty()) << ending;
    EXPECT_TRUE(window == by_command(std::string("q") + ending)) << ending;
  }
  EXPECT_NE(testing::read_file(folder_ / "p.csv").find("least read"), std::string::npos);
  EXPECT_NE(testing::read_file(folder_ / "p.csv").find("recorded on NVIDIA H200"),
            std::string::npos);
  desk().as_issued = false;
  const std::string written = exported(View::kTiling, "w.csv");
  EXPECT_FALSE(written == testing::read_file(folder_ / "p.csv"));
  EXPECT_TRUE(written == by_command("v.csv"));
  desk().as_issued = true;
  desk().source_beside = true;
  desk().picture_export.subject = kSource;
  for (const char* ending : {".svg", ".json"}) {
    const std::string window = exported(View::kTiling, std::string("x") + ending);
    EXPECT_NE(window.find("PTX"), std::string::npos) << ending;
    EXPECT_TRUE(window == by_command(std::string("y") + ending)) << ending;
  }
  desk().picture_export.subject = PictureExport::Subject::kView;
  for (const View view : {View::kCoalescing, View::kBanks}) {
    const std::string window = exported(view, "h.svg");
    EXPECT_EQ(window.find("counters of the"), std::string::npos);
    EXPECT_TRUE(window == by_command("i.svg")) << name_of(view);
  }
}

TEST_F(ExportTest, TheTunerAndTheCommandWriteTheSameBytes) {
  bench_->choose_kernel(entry("transpose/tiled"));
  bench_->set_parameter("PAD", 0);
  settle();
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_Escape); });
  ASSERT_TRUE(run_command(desk(), "Export the tuner …"));
  EXPECT_EQ(desk().picture_export.subject, PictureExport::Subject::kTuner);
  EXPECT_TRUE(desk().picture_export.file.ends_with("transpose_tiled_tuner.svg"));
  draw_frames(3);
  EXPECT_TRUE(says("Tuner"));
  for (const char* ending : {".svg", ".pdf", ".png", ".csv", ".json"}) {
    const std::string window = exported(View::kTiling, std::string("t") + ending);
    ASSERT_FALSE(window.empty()) << ending;
    EXPECT_TRUE(window == by_command(std::string("u") + ending)) << ending;
  }
  const std::string table = testing::read_file(folder_ / "t.csv");
  EXPECT_NE(table.find("place 1"), std::string::npos);
  EXPECT_NE(table.find("recorded on NVIDIA H200 with a cold L2"), std::string::npos);
  // What it tries in this sitting the session has to keep.
  for (const char* extent : {"ROWS", "COLS"}) bench_->set_extent(extent, 64);
  desk().picture_export.open = false;
  for (const char* name : {"TILE", "BLOCK_ROWS"}) desk().tuner.explore(name, false);
  desk().tuner.look();
  settle();
  desk().tuner.start();
  settle();
  ASSERT_EQ(desk().tuner.stage(), Tuner::Stage::kDone);
  EXPECT_EQ(export_command(desk()), "");
  EXPECT_TRUE(wants_saved_session(desk()));
  const std::string tried = exported(View::kTiling, "m.csv");
  EXPECT_NE(tried.find("modelled"), std::string::npos);
}

TEST_F(ExportTest, EachPageHasACommandAndAPlaceInTheDialog) {
  bench_->choose_kernel(entry("transpose/naive"));
  bench_->set_extent("ROWS", 64);
  bench_->set_extent("COLS", 64);
  settle();
  ASSERT_TRUE(run_command(desk(), "Export the source …"));
  EXPECT_EQ(desk().picture_export.subject, PictureExport::Subject::kSource);
  EXPECT_TRUE(desk().picture_export.file.ends_with("transpose_naive_source.svg"));
  draw_frames(3);
  EXPECT_TRUE(says("tilescope export transpose/naive"));
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_Escape); });
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiMod_Alt | ImGuiKey_C); });
  EXPECT_EQ(desk().picture_export.subject, PictureExport::Subject::kCounters);
  EXPECT_TRUE(desk().picture_export.open);
}

TEST_F(ExportTest, WhatIsSetInAViewIsInTheCommand) {
  bench_->choose_kernel(entry("divergence/trip_counts"));
  bench_->set_extent("ROWS", 64);
  bench_->set_extent("COLS", 64);
  settle();
  desk().view_settings.lane_window = 64;
  desk().view_settings.latency_cycles = 500;
  desk().view_settings.device = 2;
  desk().view_settings.heat = true;
  variant().camera = {2.5F, 0.3F, 0.7F};
  variant().time_zoom = 3;
  for (const View view : all_views()) {
    const std::string name(name_of(view));
    for (const char* ending : {".csv", ".svg"}) {
      const std::string window = exported(view, name + ending);
      if (view == View::kCompare) {  // one variant alone, which the command refuses
        EXPECT_EQ(export_command(desk()), "");
        EXPECT_NE(why_no_export_command(desk()).find("alone"), std::string::npos);
        continue;
      }
      EXPECT_TRUE(window == by_command(name + "_2" + ending)) << name << ending;
    }
  }
}

TEST_F(ExportTest, AChartAndTheCommandWriteTheSameBytes) {
  bench_->choose_kernel(entry("gemm/shared_tile"));  // all of its values are recorded at 512
  for (const char* extent : {"M", "N", "K"}) bench_->set_extent(extent, 512);
  settle();
  desk().focused_parameter = "TILE";
  for (const auto subject :
       {PictureExport::Subject::kOverParameter, PictureExport::Subject::kOverSize}) {
    desk().picture_export.subject = subject;
    for (const char* ending : {".svg", ".pdf", ".png", ".csv", ".json"}) {
      const std::string window = exported(View::kTiling, std::string("c") + ending);
      ASSERT_FALSE(window.empty()) << ending;
      EXPECT_TRUE(window == by_command(std::string("d") + ending)) << ending;
    }
  }
  EXPECT_NE(testing::read_file(folder_ / "c.svg").find("Throughput over size"), std::string::npos);
  for (const RateUnit unit : all_rate_units()) {
    desk().preferences.rate_unit = unit;
    const std::string window = exported(View::kTiling, "u.csv");
    ASSERT_FALSE(window.empty()) << name_of(unit);
    EXPECT_TRUE(window == by_command("v.csv")) << name_of(unit);
    EXPECT_EQ(window.find("flop/s") != std::string::npos, unit == RateUnit::kFlopPerSecond);
  }
  desk().preferences.rate_unit.reset();
  bench_->choose_kernel(entry("transpose/tiled"));
  for (const char* extent : {"ROWS", "COLS"}) bench_->set_extent(extent, 1024);
  bench_->set_cold(false);
  settle();
  const std::string warm = exported(View::kTiling, "w.svg");
  EXPECT_NE(warm.find("with a warm L2"), std::string::npos);
  EXPECT_TRUE(warm == by_command("x.svg"));
  bench_->add_variant();
  settle();
  EXPECT_EQ(export_command(desk()), "") << "options name one kernel";
  EXPECT_TRUE(wants_saved_session(desk()));
  desk().session.save(desk(), folder_ / "two.tilescope");
  while (desk().session.writing()) draw_frame();
  settle();
  const std::string two = exported(View::kTiling, "y.svg");
  EXPECT_NE(two.find("B transpose/tiled"), std::string::npos);
  EXPECT_TRUE(two == by_command("z.svg"));
}

TEST_F(ExportTest, AnAnimationAndTheCommandWriteTheSameBytes) {
  bench_->choose_kernel(entry("transpose/tiled"));
  bench_->set_extent("ROWS", 64);
  bench_->set_extent("COLS", 64);
  settle();
  PictureExport& picture = desk().picture_export;
  picture.seconds = 4;
  picture.frames_per_second = 5;
  picture.stretch = PictureExport::Stretch::kStep;
  const std::string window = exported(View::kTiling, "a.gif");
  ASSERT_TRUE(window.starts_with("GIF89a"));
  EXPECT_TRUE(window == by_command("b.gif"));
  // What ffmpeg is asked for, and every frame that it is given.
  const std::string path = std::getenv("PATH");
  std::ofstream(folder_ / "ffmpeg")
      << "#!/bin/sh\nfor last; do :; done\n"
         "{ echo \"$*\" | sed 's|/[^ ]*mp4||'; cat; } > \"${last#file:}\"\n";
  std::filesystem::permissions(folder_ / "ffmpeg", std::filesystem::perms::owner_all);
  ::setenv("PATH", (folder_.path().string() + ":" + path).c_str(), 1);
  const std::string movie = exported(View::kTiling, "a.mp4");
  const std::string by_ffmpeg = by_command("b.mp4");
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_GT(movie.size(), 20U * 1176 * 620 * 4);
  EXPECT_TRUE(movie == by_ffmpeg);
}

TEST_F(ExportTest, AnAnimationCanBeStopped) {
  bench_->choose_kernel(entry("transpose/naive"));
  bench_->set_extent("ROWS", 64);
  bench_->set_extent("COLS", 64);
  settle();
  desk().picture_export.open = true;
  desk().picture_export.seconds = 30;
  desk().picture_export.frames_per_second = 25;
  desk().picture_export.scale = 2;
  desk().picture_export.file = (folder_ / "long.gif").string();
  export_picture(desk());
  draw_frames(2);
  EXPECT_TRUE(says("of 750"));
  cancel_export(desk());
  settle();
  EXPECT_TRUE(says("Stopped"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "long.gif"));
}

TEST_F(ExportTest, TheDialogFitsAndFollowsTheEnding) {
  bench_->choose_kernel(entry("gemm/register_tile"));
  settle();
  for (const auto& [width, height] : {std::pair{1920, 1080}, std::pair{1280, 720}}) {
    open(width, height, Theme::kLight);
    bench_->choose_kernel(entry("gemm/register_tile"));
    settle();
    open_picture_export(desk());
    for (const char* ending : {".svg", ".png", ".csv", ".gif", ".bmp"}) {
      desk().picture_export.file = (folder_ / (std::string("a") + ending)).string();
      draw_frames(3);
      const bool animated = std::string(ending) == ".gif";
      EXPECT_EQ(says("80 frames of 1176 × 620"), animated) << ending;
      EXPECT_EQ(says("Use a file name ending in"), std::string(ending) == ".bmp");
      EXPECT_TRUE(says("Throughput over"));
      if (std::getenv("TILESCOPE_UI_PICTURES") != nullptr) {
        ASSERT_TRUE(write_png(platform_->read_pixels(),
                              std::string(std::getenv("TILESCOPE_UI_PICTURES")) + "/dialog" +
                                  std::to_string(width) + ending + ".png")
                        .ok());
      }
    }
  }
}

TEST_F(ExportTest, AChartsTitleLeadsToItsExport) {
  bench_->choose_kernel(entry("gemm/shared_tile"));  // all of its values are recorded at 512
  for (const char* extent : {"M", "N", "K"}) bench_->set_extent(extent, 512);
  settle();
  act([](ImGuiTestContext& ui) { ui.KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_E); });
  draw_frames(2);
  EXPECT_TRUE(desk().picture_export.open);
  EXPECT_EQ(desk().picture_export.subject, PictureExport::Subject::kOverParameter);
  EXPECT_TRUE(desk().picture_export.file.ends_with(".svg"));
}

TEST_F(ExportTest, AChartThatIsEmptyLeadsToTheViewInFront) {
  ASSERT_TRUE(bench_->open_text("__global__ void f(float* p) { p[threadIdx.x] = 1; }\n").ok());
  settle();
  act([](ImGuiTestContext& ui) { ui.KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_E); });
  draw_frames(2);
  EXPECT_TRUE(desk().picture_export.open);
  EXPECT_EQ(desk().picture_export.subject, PictureExport::Subject::kView);
  EXPECT_NE(desk().picture_export.file.find("_tiling"), std::string::npos);
}

class ExportComparisonTest : public ExportTest {
 protected:
  void SetUp() override {
    ExportTest::SetUp();
    if (IsSkipped()) return;
    choose("transpose/naive", -1);
    bench_->add_variant();
    choose("transpose/tiled", 0);
    bench_->add_variant();
    choose("transpose/tiled", 1);
    desk().raise = View::kCompare;
    settle();
    variant().selection.event += 40;
    settle();
  }
  void choose(const char* kernel, std::int64_t pad) {
    bench_->choose_kernel(entry(kernel));
    bench_->set_extent("ROWS", 64);
    bench_->set_extent("COLS", 96);
    if (pad >= 0) bench_->set_parameter("PAD", pad);
  }
  void save_session() {
    desk().session.save(desk(), folder_ / "it's.tilescope");
    while (desk().session.writing()) draw_frame();
    settle();
  }
  // The window's file and the command's, which names a session or does not.
  void expect_same(const std::string& ending, bool by_session) {
    const std::string window = exported(View::kCompare, "window" + ending);
    ASSERT_FALSE(window.empty());
    EXPECT_EQ(export_command(desk()).find("--session") != std::string::npos, by_session)
        << export_command(desk());
    EXPECT_TRUE(window == by_command("command" + ending)) << export_command(desk());
  }
};

TEST_F(ExportComparisonTest, IsTheSameByCommand) {
  desk().view_settings.compare_base = 1;
  expect_same(".svg", false);
  EXPECT_NE(testing::read_file(folder_ / "window.svg").find("differences from B"),
            std::string::npos);
  expect_same(".json", false);
}

TEST_F(ExportComparisonTest, HoweverItWasArranged) {
  ViewSettings& settings = desk().view_settings;
  const ViewSettings usual = settings;
  const std::vector<std::function<void()>> ways = {
      [&] { settings.steps_off = {"A"}; },
      [&] { settings.compare_ladder = false; },
      [&] {
        settings.compare_mode = CompareMode::kOne;
        settings.compare_pane = 1;
      },
      [&] { settings.compare_mode = CompareMode::kOverlay; },
      [&] { settings.compare_view = static_cast<int>(View::kBanks); },
      [&] {
        desk().picture_export.width = 700;
        settings.compare_part = 1;
      }};
  for (const auto& arrange : ways) {
    settings = usual;
    arrange();
    expect_same(".svg", false);
  }
}

TEST_F(ExportComparisonTest, RunsInTimeTheSameByCommandAndBySession) {
  PictureExport& picture = desk().picture_export;
  picture.seconds = 1;
  picture.frames_per_second = 5;
  picture.stretch = PictureExport::Stretch::kBlock;
  expect_same(".gif", false);
  // The other panes follow the active one's time.
  desk().view_settings.compare_mode = CompareMode::kOne;
  desk().view_settings.compare_pane = 0;  // not the active one
  desk().view_settings.compare_view = static_cast<int>(View::kTiling);
  const std::string moving = exported(View::kCompare, "moving.gif");
  variant().marks.loop_in = 0;
  variant().marks.loop_out = 2;
  picture.stretch = PictureExport::Stretch::kLoop;
  EXPECT_FALSE(exported(View::kCompare, "loop.gif") == moving);
}

TEST_F(ExportComparisonTest, ASessionSaysWhatOptionsCannot) {
  bench_->activate(0);
  bench_->edit_source(variant().source() + "// mine\n");
  settle();
  EXPECT_EQ(export_command(desk()), "");
  EXPECT_TRUE(wants_saved_session(desk()));
  EXPECT_NE(why_no_export_command(desk()).find("Save it"), std::string::npos);
  save_session();
  EXPECT_FALSE(wants_saved_session(desk()));
  expect_same(".svg", true);
  desk().picture_export.seconds = 1;
  desk().picture_export.frames_per_second = 4;
  desk().picture_export.stretch = PictureExport::Stretch::kStep;
  expect_same(".gif", true);
  desk().view_settings.compare_base = 2;
  settle();
  EXPECT_EQ(export_command(desk()), "") << "the file does not hold this";
}

TEST_F(ExportComparisonTest, OtherSizesAndPlacesAreASessions) {
  bench_->set_extent("ROWS", 128);
  settle();
  EXPECT_TRUE(wants_saved_session(desk())) << "two sizes";
  bench_->set_extent("ROWS", 64);
  bench_->select_block(1);
  settle();
  EXPECT_TRUE(wants_saved_session(desk())) << "two blocks";
  save_session();
  expect_same(".svg", true);
}

TEST_F(ExportTest, ViewsOfASessionAreTheSameByCommand) {
  bench_->choose_kernel(entry("transpose/tiled"));
  bench_->set_extent("ROWS", 64);
  bench_->set_extent("COLS", 64);
  bench_->edit_source(variant().source() + "// mine\n");
  settle();
  desk().session.save(desk(), folder_ / "one.tilescope");
  while (desk().session.writing()) draw_frame();
  desk().picture_export.seconds = 1;
  desk().picture_export.frames_per_second = 3;
  for (const View view : {View::kTiling, View::kPipeline, View::kDivergence}) {
    desk().raise = view;
    settle();
    desk().session.save(desk(), folder_ / "one.tilescope");
    while (desk().session.writing()) draw_frame();
    const std::string name(name_of(view));
    for (const char* ending : {".gif", ".png"}) {
      const std::string window = exported(view, name + ending);
      ASSERT_FALSE(window.empty());
      EXPECT_TRUE(window == by_command(name + "_2" + ending)) << export_command(desk());
    }
  }
}

TEST_F(ExportTest, TheDialogWritesAndSaysSo) {
  bench_->choose_kernel(entry("transpose/naive"));
  bench_->set_extent("ROWS", 64);
  bench_->set_extent("COLS", 64);
  settle();
  act([](ImGuiTestContext& ui) { ui.KeyPress(ImGuiMod_Ctrl | ImGuiKey_E); });
  draw_frames(2);
  EXPECT_TRUE(desk().picture_export.open);
  EXPECT_TRUE(desk().picture_export.file.ends_with("transpose_naive_tiling.svg") ||
              desk().picture_export.file.find("transpose_naive_tiling_") != std::string::npos);
  desk().picture_export.file = (folder_ / "no such folder" / "x.svg").string();
  export_picture(desk());
  settle();
  EXPECT_TRUE(says("x.svg")) << "the failure names the file";
  desk().picture_export.file = (folder_ / "x.pdf").string();
  export_picture(desk());
  settle();
  EXPECT_TRUE(testing::read_file(folder_ / "x.pdf").starts_with("%PDF"));
  EXPECT_TRUE(says("Written: "));
  act([](ImGuiTestContext& ui) { ui.KeyPress(ImGuiKey_Escape); });
  draw_frames(2);
  EXPECT_FALSE(desk().picture_export.open);
}

}  // namespace
}  // namespace tilescope
