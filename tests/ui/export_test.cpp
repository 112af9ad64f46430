#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_te_context.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ui/picture_export.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

class ExportTest : public UiTest {
 protected:
  void SetUp() override {
    UiTest::SetUp();
    folder_ =
        std::filesystem::temp_directory_path() / ("tilescope_export_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    UiTest::TearDown();
    std::filesystem::remove_all(folder_);
  }
  // The file that the window writes of this view.
  std::string exported(View view, const std::string& name) {
    desk().raise = view;
    settle();
    desk().picture_export.file = (folder_ / name).string();
    export_picture(desk());
    settle();
    return contents(folder_ / name);
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
    return contents(folder_ / name);
  }

  bool says(const std::string& words) {
    const TextAudit texts = audit();
    return std::ranges::any_of(texts.texts, [&](const TextAudit::Text& text) {
      return text.words.find(words) != std::string::npos;
    });
  }

  std::filesystem::path folder_;
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
    EXPECT_TRUE(window == by_command(name + "_2.svg")) << name;
  }
  desk().picture_export.scale = 2;
  desk().picture_export.theme = Theme::kDark;
  const std::string window = exported(View::kBanks, "a.png");
  const std::string command = by_command("b.png");
  EXPECT_TRUE(window == command);
}

TEST_F(ExportTest, AComparisonIsTheSameByCommand) {
  const auto choose = [&](const char* kernel, std::int64_t pad) {
    bench_->choose_kernel(entry(kernel));
    bench_->set_extent("ROWS", 64);
    bench_->set_extent("COLS", 96);
    if (pad >= 0) bench_->set_parameter("PAD", pad);
  };
  choose("transpose/naive", -1);
  bench_->add_variant();
  choose("transpose/tiled", 0);
  bench_->add_variant();
  choose("transpose/tiled", 1);
  desk().raise = View::kCompare;
  settle();
  variant().selection.event += 40;
  desk().view_settings.compare_base = 1;
  const std::string window = exported(View::kCompare, "compare.svg");
  ASSERT_NE(window.find("differences against B"), std::string::npos);
  EXPECT_TRUE(window == by_command("compare_2.svg")) << export_command(desk());
  desk().view_settings.steps_off = {"A"};
  EXPECT_EQ(export_command(desk()), "") << "no command takes a step out";
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
  EXPECT_TRUE(contents(folder_ / "x.pdf").starts_with("%PDF"));
  EXPECT_TRUE(says("Written: "));
  act([](ImGuiTestContext& ui) { ui.KeyPress(ImGuiKey_Escape); });
  draw_frames(2);
  EXPECT_FALSE(desk().picture_export.open);
}

}  // namespace
}  // namespace tilescope
