// Everything a person can do by key, from the one table of commands.
#include "ui/state/commands.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "ui/dialogs/command_palette.h"
#include "ui/panels/panels.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

class Commands : public UiTest {};

TEST_F(Commands, EachHasANameAndKeysOfItsOwn) {
  std::set<std::string> names;
  std::map<int, std::vector<const Command*>> chords;
  for (const Command& command : state().commands) {
    EXPECT_FALSE(command.name.empty());
    EXPECT_TRUE(command.act != nullptr) << command.name;
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    for (const int chord : command.chords) {
      chords[chord].push_back(&command);
      EXPECT_FALSE(name_of_chord(chord).empty()) << command.name;
    }
    // A plain letter is typed into texts.
    const bool plain = std::ranges::any_of(command.chords, [](int chord) {
      return (chord & (ImGuiMod_Ctrl | ImGuiMod_Alt)) == 0 && chord >= ImGuiKey_0 &&
             chord <= ImGuiKey_Z;
    });
    EXPECT_FALSE(plain && command.while_typing) << command.name;
  }
  // Keys may mean one thing in a lesson, and another elsewhere.
  const auto expect_one_meaning = [&](const char* where) {
    for (const auto& [chord, commands] : chords) {
      const auto meant = std::ranges::count_if(commands, [this](const Command* command) {
        return !command->keys_when || command->keys_when(state());
      });
      EXPECT_LE(meant, 1) << name_of_chord(chord) << where;
    }
  };
  expect_one_meaning(" in the window");
  state().learn.show_page(Learn::Page::kLessons);
  expect_one_meaning(" on a page");
  ASSERT_TRUE(state().learn.open(state(), "transpose"));
  expect_one_meaning(" in a lesson");
  state().learn.leave(state());
  for (const char* name : {"Save", "Open …", "Undo", "Redo", "Commands", "Help"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  for (const Panel& panel : all_panels()) {
    EXPECT_TRUE(!panel.view || names.contains(std::string("View: ") + panel.title));
  }
}

TEST_F(Commands, TheHelpNamesThemWithTheirKeys) {
  settle();
  state().help.tab = HelpState::Tab::kKeys;
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_F1); });
  draw_frames(2);
  const TextAudit texts = audit();
  for (const Command& command : state().commands) {
    if (command.help.empty()) continue;
    const std::string keys = command.keys.empty() ? keys_of(command) : command.keys;
    const auto shown = [&](const std::string& words) {
      return std::ranges::any_of(texts.texts,
                                 [&](const TextAudit::Text& text) { return text.words == words; });
    };
    EXPECT_TRUE(shown(keys)) << keys;
    EXPECT_TRUE(shown(command.help)) << command.help;
  }
}

TEST_F(Commands, EachActsWithoutHarm) {
  settle();
  for (const std::string& name : [&] {
         std::vector<std::string> all;
         for (const Command& command : state().commands) all.push_back(command.name);
         return all;
       }()) {
    EXPECT_TRUE(run_command(state(), name)) << name;
    draw_frame();
  }
  EXPECT_FALSE(run_command(state(), "no such command"));
}

TEST_F(Commands, ThePaletteListsThemInTheTablesOrderAndNoneThatDoesNothing) {
  settle();
  const auto offers = [this](const char* name) {
    const auto rows = palette_rows(state());
    return std::ranges::find(rows, name, &PaletteRow::name) != rows.end();
  };
  constexpr std::array kNotNow = {"Variant B",
                                  "Close this variant",
                                  "Go to bookmark 4",
                                  "Stop repeating",
                                  "Remove bookmark 4",
                                  "Revert the source",
                                  "Undo: nothing",
                                  "Variant D",
                                  "Allow texts that came with a file to run on the GPU",
                                  "Compare: show one variant, then the base, and back"};
  for (const char* name : kNotNow) EXPECT_FALSE(offers(name)) << name;
  for (const char* name : {"Add a variant", "Set bookmark 4", "Repeat to here"}) {
    ASSERT_TRUE(offers(name)) << name;
    run_command(state(), name);
  }
  state().view = View::kCompare;
  for (const char* name :
       {kNotNow[0], kNotNow[1], kNotNow[2], kNotNow[3], kNotNow[4], kNotNow[9]}) {
    EXPECT_TRUE(offers(name)) << name;
  }
  const std::vector<PaletteRow> rows = palette_rows(state());
  const std::vector<std::size_t> all = rows_found(rows, "");
  ASSERT_EQ(all.size(), rows.size());
  EXPECT_TRUE(std::ranges::is_sorted(all));
  const auto place = [&](const std::string& name) {
    return std::ranges::find(rows, name, &PaletteRow::name) - rows.begin();
  };
  EXPECT_LT(place("View: Tiling"), place("View: Roofline"));
  EXPECT_LT(place("Variant A"), place("Variant B"));
  for (const PaletteRow& row : rows) EXPECT_FALSE(row.name.ends_with(": nothing")) << row.name;
  const std::vector<std::size_t> found = rows_found(rows, "roofl");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(rows[found.front()].name, "View: Roofline");
  for (const std::size_t row : rows_found(rows, "zqzq")) ADD_FAILURE() << rows[row].name;
}

TEST_F(Commands, ThePaletteRunsOneByItsName) {
  settle();
  act([](ImGuiTestContext& ctx) {
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    ctx.Yield(3);
    ctx.KeyChars("theme paper");
    ctx.Yield(3);
    ctx.KeyPress(ImGuiKey_Enter);
    ctx.Yield(3);
  });
  EXPECT_EQ(state().theme(), Theme::kPaper);
}

TEST_F(Commands, ViewsVariantsLanesAndParametersByKeys) {
  settle();
  int number = 0;
  for (const Panel& panel : all_panels()) {
    if (!panel.view || ++number > 9) continue;
    const auto key = static_cast<ImGuiKey>(ImGuiKey_0 + number);
    act([&](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | key); });
    draw_frames(2);
    EXPECT_EQ(state().view, *panel.view) << panel.title;
  }
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_D); });
  EXPECT_EQ(workbench_->active_index(), 1);
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Alt | ImGuiKey_1); });
  EXPECT_EQ(workbench_->active_index(), 0);
  const int lane = variant().selection.lane;
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_RightBracket); });
  EXPECT_EQ(variant().selection.lane, lane + 1);
  const std::string first = state().focused_parameter;
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_DownArrow); });
  EXPECT_NE(state().focused_parameter, first);
}

TEST_F(Commands, ThePictureZoomsAndMovesByKey) {
  settle();
  const auto press = [this](int chord) {
    act([chord](ImGuiTestContext& ctx) { ctx.KeyPress(chord); });
  };
  ASSERT_EQ(state().view, View::kTiling);
  for (int i = 0; i < 6; ++i) press(ImGuiKey_Equal);
  EXPECT_NEAR(variant().camera.zoom, 8, 0.01);
  press(ImGuiKey_Minus);
  EXPECT_NEAR(variant().camera.zoom, 5.66, 0.01);
  press(ImGuiMod_Alt | ImGuiKey_LeftArrow);
  EXPECT_LT(variant().camera.center_x, 0.5F);
  for (int i = 0; i < 24; ++i) press(ImGuiMod_Alt | ImGuiKey_UpArrow);  // to the edge
  EXPECT_NEAR(variant().camera.center_y, 0.5F / variant().camera.zoom, 1e-4);
  press(ImGuiKey_Home);
  EXPECT_EQ(variant().camera, MatrixCamera{});
  // A click does the same.
  press(ImGuiKey_Equal);
  EXPECT_GT(variant().camera.zoom, 1);
  EXPECT_LT(variant().camera.center_x, 0.5F);  // towards the block, which lies at the left
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("**/show all"); });
  EXPECT_EQ(variant().camera, MatrixCamera{});
  run_command(state(), "View: Pipeline");
  draw_frames(3);
  press(ImGuiKey_Equal);
  EXPECT_NEAR(variant().time_zoom, 1.414, 0.01);
  press(ImGuiKey_Home);
  EXPECT_EQ(variant().time_zoom, 1);
  EXPECT_EQ(variant().camera, MatrixCamera{});
}

TEST_F(Commands, TabReachesControlsAndShowsTheFocus) {
  settle();
  act([](ImGuiTestContext& ctx) {
    ctx.WindowFocus("//Transport");
    std::set<ImGuiID> reached;
    for (int i = 0; i < 12; ++i) {
      ctx.KeyPress(ImGuiKey_Tab);
      ctx.Yield();
      IM_CHECK(ImGui::GetIO().NavVisible);
      reached.insert(ImGui::GetCurrentContext()->NavId);
    }
    IM_CHECK_GT(reached.size(), 4U);
  });
  // Space presses what has the focus instead of playing.
  act([](ImGuiTestContext& ctx) {
    ctx.WindowFocus("//top bar");
    ctx.NavMoveTo("//top bar/lecture");
    ctx.KeyPress(ImGuiKey_Space);
    ctx.Yield(2);
  });
  EXPECT_TRUE(state().lecture);
  EXPECT_FALSE(state().playback.playing);
}

}  // namespace
}  // namespace tilescope
