// Scripts as they run: what a command cannot do ends them with its line and the reason.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "build_config.h"
#include "temporary_folder.h"
#include "ui/script.h"
#include "ui/state/window_state.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class ScriptRun : public UiTest {
 protected:
  // Empty: it came to its end.
  std::string run(const std::string& text) {
    auto commands = parse_script(text, "s");
    if (!commands.ok()) return to_string(commands.error());
    Script script(*std::move(commands));
    const ScriptHost host{
        .screenshot = [](const std::string&) { return ok_status(); },
        .idle = [this] { return !workbench_->busy() && !interface_->animating(); },
        .resize = [](int, int) {},
        .report_frames = [] {}};
    while (true) {
      const Result<bool> going_on = script.advance(state(), host);
      if (!going_on.ok()) return to_string(going_on.error());
      if (!*going_on) return "";
      draw_frame();
    }
  }
  void expect_failure(const std::string& text, const std::string& reason) {
    const std::string error = run(text);
    EXPECT_NE(error.find(reason), std::string::npos) << text << ": " << error;
  }
  testing::TemporaryFolder folder_;
};

TEST_F(ScriptRun, WhatACommandCannotDoIsSaid) {
  ASSERT_EQ(run("kernel transpose/tiled\nsize ROWS 256\nsize COLS 256\nwait-idle\n"), "");
  expect_failure("set NOSUCH 5\n", "no parameter NOSUCH");
  expect_failure("frames 1\nset TILE 7\n", "TILE is one of ");
  expect_failure("size Q 5\n", "there is no size Q, but COLS, ROWS");
  expect_failure("size ROWS 0\n", "a size is 1 or more");
  expect_failure("variant 9\n", "variants are 0 to 0");
  expect_failure("warp 99999\n", "warps are 0 to ");
  expect_failure("lane 32\n", "lanes are 0 to 31");
  expect_failure("text-scale nan\n", "nan is no number from 0.5 to 4");
  expect_failure("zoom x\n", "x is no number from 1 to 4096");
  expect_failure("line 5000\n", "the text has lines 1 to ");
  expect_failure("panel Nowhere on\n", "there is no panel Nowhere");
  expect_failure("frames 1\nsetting lane_windw 64\n",
                 "line 2, setting: there is no setting lane_windw. Did you mean lane_window? "
                 "Settings: heat, lane_window, ");
  expect_failure("setting compare_mode 9\n", "compare_mode cannot be 9. It is 0 to 2");
  EXPECT_EQ(state().view_settings, ViewSettings{});
  ASSERT_EQ(run("setting lane_window 64\n"), "");
  EXPECT_EQ(state().view_settings.lane_window, 64);
  expect_failure("view bank\n", "there is no view bank. Did you mean banks?");
  expect_failure("unit parsecs\n", "It is one of flop/s, bytes/s");
  expect_failure("kernel gemm/naiv\n", "Did you mean gemm/naive?");
  expect_failure("frames 1\nopen nowhere.tilescope\n", "line 2, open: ");
  expect_failure(
      "type-line 43 nonsense here;\nwait-idle\nexport " + (folder_ / "a.svg").string() + "\n",
      "line 3, export: ");
  EXPECT_FALSE(fs::exists(folder_ / "a.svg"));
  const std::string error = run("frames 1\n\nvariant 9\n");
  EXPECT_NE(error.find("line 3, variant"), std::string::npos) << error;
}

TEST_F(ScriptRun, AFileIsWrittenWhenTheNextCommandActs) {
  const std::string svg = (folder_ / "a.svg").string();
  const std::string session = (folder_ / "a.tilescope").string();
  EXPECT_EQ(run("kernel transpose/tiled\nsize ROWS 256\nsize COLS 256\nwait-idle\nexport " + svg +
                "\nsave " + session + "\n"),
            "");
  EXPECT_TRUE(fs::exists(svg));
  EXPECT_TRUE(fs::exists(session));
  expect_failure("export " + svg + "/b.svg\n", "line 1, export: ");
  expect_failure("save " + svg + "/b.tilescope\n", "line 1, save: ");
  expect_failure("export " + (folder_ / "a.bmp").string() + "\n", ".svg");
  expect_failure("frames 1\nexport " + (folder_ / "no/a.svg").string() + "\n",
                 "No such file or directory. Choose a folder that exists");
  expect_failure("export " + svg + " tables\n", "there is no picture tables");
  const std::string source = (folder_ / "source.csv").string();
  EXPECT_EQ(run("export " + source + " source\n"), "");
  EXPECT_NE(testing::read_file(source).find("view,source"), std::string::npos);
}

TEST_F(ScriptRun, TheTunerWaitsForItsCountAndSaysWhyItCannotStart) {
  EXPECT_EQ(run("kernel transpose/tiled\nsize ROWS 256\nsize COLS 256\nwait-idle\ntune start\n"),
            "");
  EXPECT_TRUE(state().tuner.running());
  state().tuner.stop();
  state().tuner.reset();
  workbench_->edit_source(variant().source() + "\n// mine\n");
  settle();
  expect_failure("tune start\n", "The text is edited");
  state().tuner.start();
  EXPECT_FALSE(state().tuner.running()) << "nor by another way";
}

int status_of(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(ScriptRun, WithoutADisplayAPictureIsDrawnAllTheSame) {
  const std::string program = "env -u DISPLAY -u WAYLAND_DISPLAY '" TILESCOPE_PROGRAM "' --no-gpu ";
  const std::string picture = (folder_ / "a.png").string();
  const std::string errors = (folder_ / "errors").string();
  ASSERT_EQ(status_of(program + "transpose/naive --size 64 --screenshot '" + picture + "' 2>'" +
                      errors + "'"),
            0)
      << testing::read_file(errors);
  EXPECT_TRUE(fs::exists(picture));
  EXPECT_NE(testing::read_file(errors).find("no display"), std::string::npos);
  folder_.write("wrong.script", "frames 2\nset NOSUCH 5\n");
  EXPECT_EQ(status_of(program + "--script '" + (folder_ / "wrong.script").string() + "' 2>'" +
                      errors + "'"),
            1);
  EXPECT_NE(testing::read_file(errors).find("no parameter NOSUCH"), std::string::npos);
}

TEST_F(ScriptRun, APictureIsNotWaitedForWithoutEnd) {
  const std::string picture = (folder_ / "a.png").string();
  const std::string errors = (folder_ / "errors").string();
  EXPECT_EQ(status_of("'" TILESCOPE_PROGRAM
                      "' --no-gpu --headless --wait 0 transpose/naive --screenshot '" +
                      picture + "' 2>'" + errors + "'"),
            3);
  EXPECT_TRUE(fs::exists(picture));
  EXPECT_NE(testing::read_file(errors).find("not everything is computed"), std::string::npos)
      << testing::read_file(errors);
}

}  // namespace
}  // namespace tilescope
