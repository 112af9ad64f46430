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
#include "scene/views.h"
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
    state().raise = view;
    settle();
    state().picture_export.file = (folder_ / name).string();
    export_picture(state());
    settle();
    return testing::read_file(folder_ / name);
  }
  // What the command that the dialog shows writes.
  std::string by_command(const std::string& name) {
    const std::string before = state().picture_export.file;
    state().picture_export.file = (folder_ / name).string();
    std::string command = export_command(state());
    state().picture_export.file = before;
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
  workbench_->choose_kernel(entry("transpose/tiled"));
  workbench_->set_extent("ROWS", 64);
  workbench_->set_extent("COLS", 96);
  workbench_->set_parameter("PAD", 0);
  settle();
  variant().selection.event += 40;
  variant().selection.lane = 7;
  for (const View view : all_views()) {
    const std::string name(name_of(view));
    const std::string window = exported(view, name + ".svg");
    ASSERT_FALSE(window.empty()) << name;
    EXPECT_NE(window.find("</svg>"), std::string::npos) << name;
    if (view == View::kCompare) {  // one variant alone, which the command refuses
      EXPECT_EQ(export_command(state()), "");
      continue;
    }
    EXPECT_TRUE(window == by_command(name + "_2.svg")) << name;
  }
  state().picture_export.scale = 2;
  state().picture_export.theme = Theme::kDark;
  state().picture_export.width = 1280;
  state().picture_export.height = 720;
  for (const char* ending : {".png", ".pdf", ".csv", ".json"}) {
    for (const View view : {View::kBanks, View::kOccupancy}) {
      const std::string window = exported(view, std::string("a") + ending);
      ASSERT_FALSE(window.empty()) << ending;
      EXPECT_TRUE(window == by_command(std::string("b") + ending)) << ending << name_of(view);
    }
  }
  state().picture_export.over = "PAD";
  const std::string page = exported(View::kBanks, "c.html");
  EXPECT_NE(page.find("<span>PAD</span>"), std::string::npos);
  EXPECT_TRUE(page == by_command("d.html"));
  state().picture_export.width_mm = 84;
  state().picture_export.height_mm = 60;
  state().picture_export.points = 8;
  state().picture_export.part = "grid";
  state().picture_export.with_sentence = false;
  state().picture_export.with_provenance = false;
  const std::string figure = exported(View::kBanks, "c.svg");
  EXPECT_NE(figure.find(R"(width="84mm" height="60mm")"), std::string::npos);
  EXPECT_TRUE(figure == by_command("d.svg"));
}

// Where counters of the hardware are recorded, too: the views leave them to the counters' page.
TEST_F(ExportTest, ThePagesAndTheCommandWriteTheSameBytes) {
  workbench_->choose_kernel(entry("transpose/naive"));
  settle();
  ASSERT_NE(state().facts.shown().hardware, nullptr) << "recorded at the usual size";
  using enum PictureExport::Subject;
  for (const auto& [subject, ending] :
       {std::pair{kSource, ".svg"}, {kSource, ".png"}, {kCounters, ".pdf"}, {kCounters, ".csv"}}) {
    state().picture_export.subject = subject;
    const std::string window = exported(View::kTiling, std::string("p") + ending);
    ASSERT_FALSE(window.empty()) << ending;
    EXPECT_TRUE(window == by_command(std::string("q") + ending)) << ending;
  }
  EXPECT_NE(testing::read_file(folder_ / "p.csv").find("least read"), std::string::npos);
  EXPECT_NE(testing::read_file(folder_ / "p.csv").find("recorded on NVIDIA H200"),
            std::string::npos);
  state().as_issued = false;
  const std::string written = exported(View::kTiling, "w.csv");
  EXPECT_FALSE(written == testing::read_file(folder_ / "p.csv"));
  EXPECT_TRUE(written == by_command("v.csv"));
  state().as_issued = true;
  state().source_beside = true;
  state().picture_export.subject = kSource;
  for (const char* ending : {".svg", ".json"}) {
    const std::string window = exported(View::kTiling, std::string("x") + ending);
    EXPECT_NE(window.find("PTX"), std::string::npos) << ending;
    EXPECT_TRUE(window == by_command(std::string("y") + ending)) << ending;
  }
  state().picture_export.subject = PictureExport::Subject::kView;
  for (const View view : {View::kCoalescing, View::kBanks}) {
    const std::string window = exported(view, "h.svg");
    EXPECT_EQ(window.find("counters of the"), std::string::npos);
    EXPECT_TRUE(window == by_command("i.svg")) << name_of(view);
  }
}

TEST_F(ExportTest, TheTunerAndTheCommandWriteTheSameBytes) {
  workbench_->choose_kernel(entry("transpose/tiled"));
  workbench_->set_parameter("PAD", 0);
  settle();
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_Escape); });
  ASSERT_TRUE(run_command(state(), "Export the tuner …"));
  EXPECT_EQ(state().picture_export.subject, PictureExport::Subject::kTuner);
  EXPECT_TRUE(state().picture_export.file.ends_with("transpose_tiled_tuner.svg"));
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
  // What it tries in this run of the program the session has to keep.
  for (const char* extent : {"ROWS", "COLS"}) workbench_->set_extent(extent, 64);
  state().picture_export.open = false;
  for (const char* name : {"TILE", "BLOCK_ROWS"}) state().tuner.explore(name, false);
  state().tuner.look();
  settle();
  state().tuner.start();
  settle();
  ASSERT_EQ(state().tuner.stage(), Tuner::Stage::kDone);
  EXPECT_EQ(export_command(state()), "");
  EXPECT_TRUE(wants_saved_session(state()));
  const std::string tried = exported(View::kTiling, "m.csv");
  EXPECT_NE(tried.find("modelled"), std::string::npos);
}

TEST_F(ExportTest, EachPageHasACommandAndAPlaceInTheDialog) {
  workbench_->choose_kernel(entry("transpose/naive"));
  workbench_->set_extent("ROWS", 64);
  workbench_->set_extent("COLS", 64);
  settle();
  ASSERT_TRUE(run_command(state(), "Export the source …"));
  EXPECT_EQ(state().picture_export.subject, PictureExport::Subject::kSource);
  EXPECT_TRUE(state().picture_export.file.ends_with("transpose_naive_source.svg"));
  draw_frames(3);
  EXPECT_TRUE(says("tilescope export transpose/naive"));
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_Escape); });
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiMod_Alt | ImGuiKey_C); });
  EXPECT_EQ(state().picture_export.subject, PictureExport::Subject::kCounters);
  EXPECT_TRUE(state().picture_export.open);
}

TEST_F(ExportTest, WhatIsSetInAViewIsInTheCommand) {
  workbench_->choose_kernel(entry("divergence/trip_counts"));
  workbench_->set_extent("ROWS", 64);
  workbench_->set_extent("COLS", 64);
  settle();
  state().view_settings.lane_window = 64;
  state().view_settings.latency_cycles = 500;
  state().view_settings.device = 2;
  state().view_settings.heat = true;
  variant().camera = {2.5F, 0.3F, 0.7F};
  variant().time_zoom = 3;
  for (const View view : all_views()) {
    const std::string name(name_of(view));
    for (const char* ending : {".csv", ".svg"}) {
      const std::string window = exported(view, name + ending);
      if (view == View::kCompare) {  // one variant alone, which the command refuses
        EXPECT_EQ(export_command(state()), "");
        EXPECT_NE(why_no_export_command(state()).find("two variants"), std::string::npos);
        continue;
      }
      EXPECT_TRUE(window == by_command(name + "_2" + ending)) << name << ending;
    }
  }
}

TEST_F(ExportTest, AChartAndTheCommandWriteTheSameBytes) {
  workbench_->choose_kernel(entry("gemm/shared_tile"));  // all of its values are recorded at 512
  for (const char* extent : {"M", "N", "K"}) workbench_->set_extent(extent, 512);
  settle();
  state().focused_parameter = "TILE";
  for (const auto subject :
       {PictureExport::Subject::kOverParameter, PictureExport::Subject::kOverSize}) {
    state().picture_export.subject = subject;
    for (const char* ending : {".svg", ".pdf", ".png", ".csv", ".json"}) {
      const std::string window = exported(View::kTiling, std::string("c") + ending);
      ASSERT_FALSE(window.empty()) << ending;
      EXPECT_TRUE(window == by_command(std::string("d") + ending)) << ending;
    }
  }
  EXPECT_NE(testing::read_file(folder_ / "c.svg").find("Throughput over size"), std::string::npos);
  for (const RateUnit unit : all_rate_units()) {
    state().preferences.rate_unit = unit;
    const std::string window = exported(View::kTiling, "u.csv");
    ASSERT_FALSE(window.empty()) << name_of(unit);
    EXPECT_TRUE(window == by_command("v.csv")) << name_of(unit);
    EXPECT_EQ(window.find("flop/s") != std::string::npos, unit == RateUnit::kFlopPerSecond);
  }
  state().preferences.rate_unit.reset();
  workbench_->choose_kernel(entry("transpose/tiled"));
  for (const char* extent : {"ROWS", "COLS"}) workbench_->set_extent(extent, 1024);
  workbench_->set_cold(false);
  settle();
  const std::string warm = exported(View::kTiling, "w.svg");
  EXPECT_NE(warm.find("with a warm L2"), std::string::npos);
  EXPECT_TRUE(warm == by_command("x.svg"));
  workbench_->add_variant();
  settle();
  EXPECT_EQ(export_command(state()), "") << "options name one kernel";
  EXPECT_TRUE(wants_saved_session(state()));
  state().session.save(state(), folder_ / "two.tilescope");
  while (state().session.writing()) draw_frame();
  settle();
  const std::string two = exported(View::kTiling, "y.svg");
  EXPECT_NE(two.find("B transpose/tiled"), std::string::npos);
  EXPECT_TRUE(two == by_command("z.svg"));
}

TEST_F(ExportTest, AnAnimationAndTheCommandWriteTheSameBytes) {
  workbench_->choose_kernel(entry("transpose/tiled"));
  workbench_->set_extent("ROWS", 64);
  workbench_->set_extent("COLS", 64);
  settle();
  PictureExport& picture = state().picture_export;
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
  workbench_->choose_kernel(entry("transpose/naive"));
  workbench_->set_extent("ROWS", 64);
  workbench_->set_extent("COLS", 64);
  settle();
  state().picture_export.open = true;
  state().picture_export.seconds = 30;
  state().picture_export.frames_per_second = 25;
  state().picture_export.scale = 2;
  state().picture_export.file = (folder_ / "long.gif").string();
  export_picture(state());
  draw_frames(2);
  EXPECT_TRUE(says("of 750"));
  cancel_export(state());
  settle();
  EXPECT_TRUE(says("Stopped"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "long.gif"));
}

TEST_F(ExportTest, TheDialogFitsAndFollowsTheEnding) {
  workbench_->choose_kernel(entry("gemm/register_tile"));
  settle();
  for (const auto& [width, height] : {std::pair{1920, 1080}, std::pair{1280, 720}}) {
    open(width, height, Theme::kLight);
    workbench_->choose_kernel(entry("gemm/register_tile"));
    settle();
    open_picture_export(state());
    for (const char* ending : {".svg", ".png", ".csv", ".gif", ".bmp"}) {
      state().picture_export.file = (folder_ / (std::string("a") + ending)).string();
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
  workbench_->choose_kernel(entry("gemm/shared_tile"));  // all of its values are recorded at 512
  for (const char* extent : {"M", "N", "K"}) workbench_->set_extent(extent, 512);
  settle();
  act([](ImGuiTestContext& ui) { ui.KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_E); });
  draw_frames(2);
  EXPECT_TRUE(state().picture_export.open);
  EXPECT_EQ(state().picture_export.subject, PictureExport::Subject::kOverParameter);
  EXPECT_TRUE(state().picture_export.file.ends_with(".svg"));
}

TEST_F(ExportTest, AChartThatIsEmptyLeadsToTheViewInFront) {
  ASSERT_TRUE(workbench_->open_text("__global__ void f(float* p) { p[threadIdx.x] = 1; }\n").ok());
  settle();
  act([](ImGuiTestContext& ui) { ui.KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_E); });
  draw_frames(2);
  EXPECT_TRUE(state().picture_export.open);
  EXPECT_EQ(state().picture_export.subject, PictureExport::Subject::kView);
  EXPECT_NE(state().picture_export.file.find("_tiling"), std::string::npos);
}

class ExportComparisonTest : public ExportTest {
 protected:
  void SetUp() override {
    ExportTest::SetUp();
    if (IsSkipped()) return;
    choose("transpose/naive", -1);
    workbench_->add_variant();
    choose("transpose/tiled", 0);
    workbench_->add_variant();
    choose("transpose/tiled", 1);
    state().raise = View::kCompare;
    settle();
    variant().selection.event += 40;
    settle();
  }
  void choose(const char* kernel, std::int64_t pad) {
    workbench_->choose_kernel(entry(kernel));
    workbench_->set_extent("ROWS", 64);
    workbench_->set_extent("COLS", 96);
    if (pad >= 0) workbench_->set_parameter("PAD", pad);
  }
  void save_session() {
    state().session.save(state(), folder_ / "it's.tilescope");
    while (state().session.writing()) draw_frame();
    settle();
  }
  // The window's file and the command's, which names a session or does not.
  void expect_same(const std::string& ending, bool by_session) {
    const std::string window = exported(View::kCompare, "window" + ending);
    ASSERT_FALSE(window.empty());
    EXPECT_EQ(export_command(state()).find("--session") != std::string::npos, by_session)
        << export_command(state());
    EXPECT_TRUE(window == by_command("command" + ending)) << export_command(state());
  }
};

TEST_F(ExportComparisonTest, IsTheSameByCommand) {
  state().view_settings.compare_base = 1;
  expect_same(".svg", false);
  EXPECT_NE(testing::read_file(folder_ / "window.svg").find("differences from B"),
            std::string::npos);
  expect_same(".json", false);
}

TEST_F(ExportComparisonTest, HoweverItWasArranged) {
  ViewSettings& settings = state().view_settings;
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
        state().picture_export.width = 700;
        settings.compare_part = 1;
      }};
  for (const auto& arrange : ways) {
    settings = usual;
    arrange();
    expect_same(".svg", false);
  }
}

TEST_F(ExportComparisonTest, RunsInTimeTheSameByCommandAndBySession) {
  PictureExport& picture = state().picture_export;
  picture.seconds = 1;
  picture.frames_per_second = 5;
  picture.stretch = PictureExport::Stretch::kBlock;
  expect_same(".gif", false);
  // The other panes follow the active one's time.
  state().view_settings.compare_mode = CompareMode::kOne;
  state().view_settings.compare_pane = 0;  // not the active one
  state().view_settings.compare_view = static_cast<int>(View::kTiling);
  const std::string moving = exported(View::kCompare, "moving.gif");
  variant().marks.loop_in = 0;
  variant().marks.loop_out = 2;
  picture.stretch = PictureExport::Stretch::kLoop;
  EXPECT_FALSE(exported(View::kCompare, "loop.gif") == moving);
}

TEST_F(ExportComparisonTest, ASessionSaysWhatOptionsCannot) {
  workbench_->activate(0);
  workbench_->edit_source(variant().source() + "// mine\n");
  settle();
  EXPECT_EQ(export_command(state()), "");
  EXPECT_TRUE(wants_saved_session(state()));
  EXPECT_NE(why_no_export_command(state()).find("Save it"), std::string::npos);
  save_session();
  EXPECT_FALSE(wants_saved_session(state()));
  expect_same(".svg", true);
  state().picture_export.seconds = 1;
  state().picture_export.frames_per_second = 4;
  state().picture_export.stretch = PictureExport::Stretch::kStep;
  expect_same(".gif", true);
  state().view_settings.compare_base = 2;
  settle();
  EXPECT_EQ(export_command(state()), "") << "the file does not hold this";
}

TEST_F(ExportComparisonTest, OtherSizesAndPlacesAreASessions) {
  workbench_->set_extent("ROWS", 128);
  settle();
  EXPECT_TRUE(wants_saved_session(state())) << "two sizes";
  workbench_->set_extent("ROWS", 64);
  workbench_->select_block(1);
  settle();
  EXPECT_TRUE(wants_saved_session(state())) << "two blocks";
  save_session();
  expect_same(".svg", true);
}

TEST_F(ExportTest, ViewsOfASessionAreTheSameByCommand) {
  workbench_->choose_kernel(entry("transpose/tiled"));
  workbench_->set_extent("ROWS", 64);
  workbench_->set_extent("COLS", 64);
  workbench_->edit_source(variant().source() + "// mine\n");
  settle();
  state().session.save(state(), folder_ / "one.tilescope");
  while (state().session.writing()) draw_frame();
  state().picture_export.seconds = 1;
  state().picture_export.frames_per_second = 3;
  for (const View view : {View::kTiling, View::kPipeline, View::kDivergence}) {
    state().raise = view;
    settle();
    state().session.save(state(), folder_ / "one.tilescope");
    while (state().session.writing()) draw_frame();
    const std::string name(name_of(view));
    for (const char* ending : {".gif", ".png"}) {
      const std::string window = exported(view, name + ending);
      ASSERT_FALSE(window.empty());
      EXPECT_TRUE(window == by_command(name + "_2" + ending)) << export_command(state());
    }
  }
}

TEST_F(ExportTest, TheDialogWritesAndSaysSo) {
  workbench_->choose_kernel(entry("transpose/naive"));
  workbench_->set_extent("ROWS", 64);
  workbench_->set_extent("COLS", 64);
  settle();
  act([](ImGuiTestContext& ui) { ui.KeyPress(ImGuiMod_Ctrl | ImGuiKey_E); });
  draw_frames(2);
  EXPECT_TRUE(state().picture_export.open);
  EXPECT_TRUE(state().picture_export.file.ends_with("transpose_naive_tiling.svg") ||
              state().picture_export.file.find("transpose_naive_tiling_") != std::string::npos);
  state().picture_export.file = (folder_ / "no such folder" / "x.svg").string();
  export_picture(state());
  settle();
  EXPECT_TRUE(says("x.svg")) << "the failure names the file";
  state().picture_export.file = (folder_ / "x.pdf").string();
  export_picture(state());
  settle();
  EXPECT_TRUE(testing::read_file(folder_ / "x.pdf").starts_with("%PDF"));
  EXPECT_TRUE(says("Written: "));
  act([](ImGuiTestContext& ui) { ui.KeyPress(ImGuiKey_Escape); });
  draw_frames(2);
  EXPECT_FALSE(state().picture_export.open);
}

}  // namespace
}  // namespace tilescope
