#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "ui/chart_figures.h"
#include "ui/picture_export.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

fs::path fake_worker() { return fs::read_symlink("/proc/self/exe").parent_path() / "tests_gpu"; }

// With a worker that measures without a GPU.
class UiWithWorker : public UiTest {
 protected:
  void SetUp() override {
    if (!fs::exists(fake_worker())) {
      GTEST_SKIP() << "tests_gpu, which serves as the worker, is not built";
    }
    UiTest::SetUp();
  }
  [[nodiscard]] std::unique_ptr<WorkerLink> make_link() const override {
    WorkerSettings settings;
    settings.command = {fake_worker().string(), "--fake-worker", "measures"};
    return start_worker(settings);
  }
  void wait_for_measurement() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (!variant().measured && std::chrono::steady_clock::now() < end) {
      draw_frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_TRUE(variant().measured.has_value());
    draw_frames(4);
  }
};

TEST_F(UiWithWorker, WhatIsMeasuredStandsInThePanels) {
  for (const auto& [width, height] : {std::pair{1920, 1080}, std::pair{1280, 720}}) {
    open(width, height, Theme::kDark);
    wait_for_measurement();
    bool live = false;
    bool equal = false;
    for (const auto& text : audit().texts) {
      live |= text.words.find("Live") != std::string::npos;
      equal |= text.words.find("result equal") != std::string::npos;
    }
    EXPECT_TRUE(equal) << width;
    EXPECT_TRUE(live || width < 1920) << width;
  }
}

TEST_F(UiWithWorker, MeasuredChartsAreExportedAndSayThatNoCommandCan) {
  wait_for_measurement();
  const fs::path file =
      fs::temp_directory_path() / ("tilescope_measured_" + std::to_string(getpid()) + ".svg");
  for (const auto& [kind, subject] :
       {std::pair{ChartKind::kLive, PictureExport::Subject::kLive},
        std::pair{ChartKind::kOverSize, PictureExport::Subject::kOverSize}}) {
    const auto figure = chart_figure(desk(), kind);
    ASSERT_NE(figure, nullptr);
    EXPECT_TRUE(figure->is_of_this_sitting());
    EXPECT_EQ(figure->newest_date().size(), 10U);
    desk().picture_export.subject = subject;
    desk().picture_export.file = file.string();
    EXPECT_EQ(export_command(desk()), "");
    EXPECT_NE(why_no_export_command(desk()).find("this sitting"), std::string::npos);
    export_picture(desk());
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!fs::exists(file) && std::chrono::steady_clock::now() < end) {
      draw_frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_TRUE(fs::remove(file));
  }
}

}  // namespace
}  // namespace tilescope
