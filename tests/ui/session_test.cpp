// Sessions in the window: saved and opened again, undone, damaged.
#include <imgui.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/file.h"
#include "session/session_file.h"
#include "session_fixture.h"
#include "ui/state/actions.h"
#include "ui/state/layout.h"

namespace tilescope {
namespace {

TEST_F(SessionTest, ReopensPixelForPixel) {
  settle();
  make_lesson();
  const Screenshot before = platform_->read_pixels();
  save(file("lesson.tilescope"));
  settle();
  const Document saved = document();
  // A little of the top bar says which file this is.
  const Screenshot named = platform_->read_pixels();
  const Difference by_name = difference(before, named, {310, 0, 1610, 1080});
  EXPECT_EQ(by_name.pixels, 0U) << by_name.place();

  // However soon the study comes: while frames are drawn, or before the first of them.
  for (const bool at_once : {false, true}) {
    open(1920, 1080, Theme::kDark);
    settle();
    const Status opened = state().session.open(state(), file("lesson.tilescope"));
    ASSERT_TRUE(opened.ok()) << to_string(opened.error());
    while (at_once && workbench_->busy()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      workbench_->tick();
    }
    settle();
    EXPECT_TRUE(same_content(document(), saved));
    EXPECT_FALSE(state().session.changed());
    const Difference anew = difference(named, platform_->read_pixels(), {0, 0, 1920, 1080});
    EXPECT_EQ(anew.pixels, 0U) << anew.place() << (at_once ? ", the study was there at once" : "");
  }
}

TEST_F(SessionTest, WhatAnotherWindowSavedIsReplacedOnlyWhenAskedTwice) {
  const std::string name = file("shared.tilescope");
  save(name);
  workbench_->add_variant();
  settle();
  save(name);  // its own file is no other's
  { std::ofstream(name) << "of another window"; }
  std::filesystem::last_write_time(
      name, std::filesystem::last_write_time(name) + std::chrono::seconds(2));
  workbench_->add_variant();
  settle();
  state().session.save(state(), name);
  while (state().session.writing()) draw_frame();
  draw_frames(2);
  EXPECT_TRUE(state().session.changed());
  EXPECT_EQ(*read_file(name, 1000), "of another window");
  EXPECT_TRUE(says("shared.tilescope was written elsewhere since it was opened here."));
  save(name);
  EXPECT_FALSE(says("written elsewhere"));
  EXPECT_EQ(read_file(name, 1 << 20)->front(), '{');
}

TEST_F(SessionTest, UndoGoesBackAHundredAndFiftySteps) {
  choose("transpose/tiled", 64);
  draw_frames(3);
  const Document first = document();
  const std::size_t before = state().session.history().depth();
  for (int i = 0; i < 150; ++i) {
    switch (i % 6) {
      case 0:
        workbench_->set_extent("ROWS", 65 + i);
        break;
      case 1:
        workbench_->set_parameter("PAD", variant().parameters.at("PAD") == 0 ? 1 : 0);
        break;
      case 2:
        variant().selection.lane = (variant().selection.lane + 1) % 32;
        break;
      case 3:
        state().preferences.theme = state().theme() == Theme::kDark ? Theme::kLight : Theme::kDark;
        break;
      case 4:
        state().view_settings.heat = !state().view_settings.heat;
        break;
      default:
        variant().marks.bookmarks[static_cast<std::size_t>(i % 10)] = static_cast<unsigned>(i);
    }
    draw_frame();
  }
  settle();
  const Document last = document();
  const std::size_t depth = state().session.history().depth() - before;
  EXPECT_GE(depth, 150U);
  for (std::size_t i = 0; i < depth; ++i) {
    state().session.undo(state());
    if (i % 16 == 0) draw_frame();
  }
  settle();
  EXPECT_TRUE(same_content(document(), first));
  EXPECT_EQ(state().session.history().depth(), before);
  for (std::size_t i = 0; i < depth; ++i) state().session.redo(state());
  settle();
  EXPECT_TRUE(same_content(document(), last));
}

// A study may be there before the frame that would have seen what was changed for it.
TEST_F(SessionTest, WhatAChangeMovesDoesNotMoveTheDocumentBeforeIt) {
  choose("transpose/tiled", 64);
  draw_frames(3);
  const Document first = document();
  workbench_->set_extent("ROWS", 65);
  while (workbench_->busy()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    workbench_->tick();
  }
  ASSERT_NE(variant().selection.event, first.variants[0].selection.event);
  settle();
  state().session.undo(state());
  settle();
  EXPECT_TRUE(same_content(document(), first));
}

// A macro that the file leaves open, one that it defines, and a number of the kernel's template.
TEST_F(SessionTest, NumbersOfAnOwnKernelAreUndoneComparedAndComeBack) {
  settle();
  ASSERT_TRUE(workbench_
                  ->open_text("#ifndef SKEW\n#define SKEW 0\n#endif\n#define TILE 16\n"
                              "template <int BY> __global__ void turn(float* out, const float* in,"
                              " int n) {\n  __shared__ float tile[TILE][TILE + SKEW];\n"
                              "  int x = blockIdx.x * TILE + threadIdx.x;\n"
                              "  int y = blockIdx.y * TILE + threadIdx.y;\n"
                              "  tile[threadIdx.y][threadIdx.x] = in[y * n + x];\n"
                              "  __syncthreads();\n"
                              "  out[y * n + x] = BY * tile[threadIdx.x][threadIdx.y];\n}\n"
                              "void run(float* a, float* b, int n) {\n"
                              "  dim3 grid(n / TILE, n / TILE), block(TILE, TILE);\n"
                              "  turn<2><<<grid, block>>>(a, b, n);\n}\n")
                  .ok());
  settle();
  ASSERT_NE(variant().study, nullptr) << (variant().error ? to_string(*variant().error) : "");
  EXPECT_EQ(variant().own->launch.grid, "n / TILE, n / TILE");
  const Document first = document();
  const ParameterSet last{{"BY", 8}, {"SKEW", 1}, {"TILE", 8}};
  for (const auto& [name, value] : last) {
    workbench_->set_parameter(name, value);
    settle();
    draw_frames(2);
  }
  ASSERT_NE(variant().study, nullptr);
  EXPECT_EQ(variant().study->instance.parameters, last);
  EXPECT_EQ(variant().study->instance.kernel, "turn<8>");
  EXPECT_EQ(variant().study->launch.block, (Dim3{8, 8, 1}));
  EXPECT_NE(variant().shown_source().find("#define TILE 8\n"), std::string::npos);
  EXPECT_FALSE(variant().is_edited());
  while (!same_content(document(), first)) {
    ASSERT_NE(state().session.history().undo_name(), nullptr);
    state().session.undo(state());
    settle();
  }
  EXPECT_EQ(variant().study->instance.parameters,
            (ParameterSet{{"BY", 2}, {"SKEW", 0}, {"TILE", 16}}));
  EXPECT_EQ(variant().study->launch.block, (Dim3{16, 16, 1}));
  while (state().session.history().redo_name() != nullptr) state().session.redo(state());
  settle();
  EXPECT_EQ(variant().study->instance.parameters, last);

  workbench_->add_variant();
  workbench_->set_parameter("SKEW", 0);
  workbench_->set_parameter("TILE", 32);
  state().raise = View::kCompare;
  settle();
  ASSERT_NE(state().facts.shown().compared, nullptr);
  EXPECT_EQ(state().facts.shown().compared->variants[0].study->instance.parameters, last);
  EXPECT_EQ(state().facts.shown().compared->variants[1].study->instance.parameters,
            (ParameterSet{{"BY", 8}, {"SKEW", 0}, {"TILE", 32}}));
  EXPECT_TRUE(says("TILE"));
  EXPECT_TRUE(says("SKEW"));
  save(file("numbers.tilescope"));
  const Document saved = document();
  open(1920, 1080, Theme::kDark);
  settle();
  open_session(file("numbers.tilescope"));
  EXPECT_TRUE(same_content(document(), saved));
  EXPECT_EQ(variant().study->launch.block, (Dim3{32, 32, 1}));

  // Who writes on has the numbers as they stand, and one that is typed takes its slider's place.
  std::string text = variant().shown_source();
  text.replace(text.find("TILE 32"), 7, "TILE 4 ");
  workbench_->edit_source(text);
  settle();
  EXPECT_EQ(variant().study->launch.block, (Dim3{4, 4, 1}));
  EXPECT_EQ(variant().study->instance.parameters.at("TILE"), 4);
}

TEST_F(SessionTest, VariantsAndTextsComeBack) {
  settle();
  choose("transpose/naive", 64);
  const Document first = document();
  workbench_->add_variant();
  draw_frame();
  workbench_->edit_source(variant().source() + "// mine\n");
  draw_frame();
  ASSERT_TRUE(workbench_->open_text(kOwn).ok());
  draw_frame();
  workbench_->close_variant(0);
  draw_frame();
  const Document last = document();
  EXPECT_EQ(*state().session.history().undo_name(), "variant A closed");
  for (int i = 0; i < 4; ++i) state().session.undo(state());
  settle();
  EXPECT_TRUE(same_content(document(), first));
  for (int i = 0; i < 4; ++i) state().session.redo(state());
  settle();
  EXPECT_TRUE(same_content(document(), last));
  EXPECT_FALSE(variant().error.has_value());
  EXPECT_NE(variant().study, nullptr);
}

TEST_F(SessionTest, OwnKernelsOutsideTheTabsAreSavedAsTheyWereLeft) {
  choose("transpose/naive", 64);
  std::ofstream(file("mine.cu")) << kOwn;
  ASSERT_TRUE(workbench_->open_file(file("mine.cu")).ok());
  ASSERT_TRUE(workbench_->open_text(std::string("#define TILE 16\n") + kSum).ok());
  settle();
  workbench_->set_parameter("TILE", 32);
  LaunchForm form = variant().own->launch;
  form.grid = "3";
  workbench_->set_launch(form);
  workbench_->edit_source("// mine\n" + variant().shown_source());
  settle();
  const OwnKernel left = *variant().own;
  ASSERT_TRUE(workbench_->open_text(std::string("// pasted\n") + kOwn).ok());
  choose("transpose/naive", 64);
  save(file("all.tilescope"));
  const Document saved = document();
  std::filesystem::remove(file("mine.cu"));

  open(1920, 1080, Theme::kDark);
  settle();
  EXPECT_TRUE(workbench_->own_kernels().empty());
  open_session(file("all.tilescope"));
  EXPECT_TRUE(same_content(document(), saved));
  EXPECT_FALSE(state().session.changed());
  ASSERT_EQ(workbench_->own_kernels().size(), 3U);
  for (const char* name : {"mine.cu", "blockSum", "scale"}) EXPECT_TRUE(says(name)) << name;
  workbench_->open_own(1);
  settle();
  ASSERT_NE(variant().study, nullptr);
  EXPECT_EQ(variant().own->launch, left.launch);
  EXPECT_EQ(variant().own->edited, left.edited);
  EXPECT_EQ(variant().shown_source(), left.shown);
  EXPECT_EQ(variant().study->launch.grid.x, 3U);
  EXPECT_EQ(variant().study->instance.title, "blockSum");
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_N); });
  EXPECT_TRUE(workbench_->own_kernels().empty()) << "they belong to their session";
}

TEST_F(SessionTest, PastingRenamingAndRemovingAnOwnKernelAreUndone) {
  choose("transpose/naive", 64);
  draw_frames(3);
  const Document first = document();
  ASSERT_TRUE(workbench_->open_text(kOwn).ok());
  draw_frame();
  ASSERT_TRUE(workbench_->open_text(kSum).ok());
  draw_frame();
  EXPECT_EQ(*state().session.history().undo_name(), "kernel blockSum");
  workbench_->rename_own("blockSum.cu", " lab 2/b ");
  draw_frame();
  EXPECT_EQ(variant().file_name(), "lab 2-b");
  EXPECT_EQ(*state().session.history().undo_name(), "blockSum renamed to lab 2-b");
  workbench_->rename_own("blockSum.cu", "scale");
  draw_frame();
  EXPECT_EQ(variant().file_name(), "scale (2)") << "another one has that name";
  workbench_->rename_own("blockSum.cu", " \n");
  EXPECT_EQ(variant().file_name(), "scale (2)") << "nothing is left of it";
  workbench_->add_variant();
  draw_frame();
  // Both tabs show it: one is closed, the other goes on to its neighbour.
  workbench_->remove_own("blockSum.cu");
  draw_frame();
  EXPECT_EQ(*state().session.history().undo_name(), "scale (2) removed");
  ASSERT_EQ(workbench_->variants().size(), 1U);
  EXPECT_EQ(variant().own->file.path, "scale.cu");
  workbench_->remove_own("scale.cu");
  draw_frames(3);
  EXPECT_TRUE(workbench_->own_kernels().empty());
  EXPECT_EQ(variant().entry, workbench_->usual_kernel());
  const Document last = document();

  state().session.undo(state());
  state().session.undo(state());
  settle();
  ASSERT_EQ(workbench_->variants().size(), 2U);
  EXPECT_EQ(variant().file_name(), "scale (2)");
  EXPECT_EQ(variant().study->instance.title, "scale (2)");
  while (state().session.history().undo_name() != nullptr && !same_content(document(), first)) {
    state().session.undo(state());
    draw_frames(3);
  }
  EXPECT_TRUE(same_content(document(), first));
  EXPECT_TRUE(workbench_->own_kernels().empty()) << "pasting is undone too";
  while (state().session.history().redo_name() != nullptr) state().session.redo(state());
  draw_frames(3);
  EXPECT_TRUE(same_content(document(), last));
}

TEST_F(SessionTest, ARemovedKernelClosesItsTabAndNoOther) {
  choose("transpose/naive", 64);
  workbench_->add_variant();
  ASSERT_TRUE(workbench_->open_text(kOwn).ok());
  settle();
  workbench_->remove_own("scale.cu");
  settle();
  ASSERT_EQ(workbench_->variants().size(), 1U);
  EXPECT_EQ(variant().entry->id, "transpose/naive");
  state().session.undo(state());
  settle();
  ASSERT_EQ(workbench_->variants().size(), 2U);
  EXPECT_EQ(variant().file_name(), "scale");
  EXPECT_NE(variant().study, nullptr);
}

TEST_F(SessionTest, AHundredPastedKernelsOfOneNameAreToldApartAndKept) {
  settle();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(workbench_->open_text("// " + std::to_string(i) + "\n" + kOwn).ok());
  }
  settle();
  EXPECT_EQ(workbench_->own_kernels()[99].name, "scale (100)");
  EXPECT_EQ(workbench_->own_kernels()[99].file, "scale_100.cu");
  workbench_->remove_own("scale_50.cu");
  choose("transpose/naive", 64);
  save(file("hundred.tilescope"));
  const Document saved = document();
  open(1920, 1080, Theme::kDark);
  open_session(file("hundred.tilescope"));
  EXPECT_EQ(workbench_->own_kernels().size(), 99U);
  EXPECT_TRUE(same_content(document(), saved));
}

TEST_F(SessionTest, KeysUndoAndRedo) {
  settle();
  const std::int64_t before = variant().parameters.at("STAGES");
  state().focused_parameter = "STAGES";
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_RightArrow); });
  EXPECT_EQ(variant().parameters.at("STAGES"), before + 1);
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z); });
  EXPECT_EQ(variant().parameters.at("STAGES"), before);
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_Y); });
  EXPECT_EQ(variant().parameters.at("STAGES"), before + 1);
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z); });
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z); });
  EXPECT_EQ(variant().parameters.at("STAGES"), before + 1);
}

TEST_F(SessionTest, ADragOfASliderIsOneStep) {
  settle();
  const std::size_t before = state().session.history().depth();
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Parameters");
    ctx.ItemDragWithDelta("TILE_K/track", ImVec2(-200, 0));
  });
  EXPECT_EQ(state().session.history().depth(), before + 1);
  EXPECT_TRUE(state().session.history().undo_name()->starts_with("TILE_K "));
}

TEST_F(SessionTest, ADamagedFileSaysWhereAndChangesNothing) {
  settle();
  make_lesson();
  save(file("lesson.tilescope"));
  std::string text = testing::read_file(file("lesson.tilescope"));
  text.replace(text.find("\"lane\": 9"), 9, "\"lane\": 99");
  std::ofstream(file("damaged.tilescope")) << text;
  const Document open = document();
  open_path(state(), file("damaged.tilescope"));
  draw_frames(3);
  EXPECT_TRUE(same_content(document(), open));
  EXPECT_EQ(state().session.path(), file("lesson.tilescope"));
  EXPECT_TRUE(says("variants[0].selection.lane: 99 is outside 0 to 31"));
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//notices/**/dismiss"); });
  draw_frames(2);
  EXPECT_FALSE(says("is outside"));
}

TEST_F(SessionTest, TheLayoutThatIsSavedIsTakenBack) {
  settle();
  const std::string layout = *layout_text_of();
  EXPECT_TRUE(is_sound_layout(layout)) << layout;
  EXPECT_EQ(layout.find("LastUsed"), std::string::npos) << "another text each day";
  std::string dated = layout;  // as files of before have it
  dated.insert(dated.find("Collapsed="), "LastUsed=20261130\n");
  EXPECT_TRUE(is_sound_layout(dated));
  dated.insert(dated.find("LastUsed=") + 9, "x");
  EXPECT_FALSE(is_sound_layout(dated));
}

TEST_F(SessionTest, AHostileLayoutIsNotLoaded) {
  settle();
  make_lesson();
  save(file("lesson.tilescope"));
  const std::string text = testing::read_file(file("lesson.tilescope"));
  for (const char* ini :
       {"[Window][Source]\\nDockId=0x00000099,0\\n", "[Docking][Data]\\nDockNode ID=0x1 Parent=0x1",
        "[Docking][Data]\\nDockSpace ID=0x1 Size=9999999999,1"}) {
    std::string changed = text;
    const std::size_t at = changed.find("\"layout_ini\": \"") + 15;
    changed.replace(at, changed.find("\"\n", at) - at, ini);
    std::ofstream(file("hostile.tilescope")) << changed;
    open_session(file("hostile.tilescope"));
    EXPECT_EQ(state().view, View::kBanks);
  }
}

// As a later program writes it: with a view in front and in the layout that is not here.
TEST_F(SessionTest, AViewOfALaterProgramIsSaidAndStaysInTheFile) {
  settle();
  make_lesson();
  save(file("lesson.tilescope"));
  auto later = nlohmann::json::parse(testing::read_file(file("lesson.tilescope")));
  auto ini = later["window"]["layout_ini"].get<std::string>();
  const std::size_t window = ini.find("[Window][Banks]");
  ASSERT_NE(window, std::string::npos);
  const std::size_t node = ini.find("DockId=", window);
  const std::string dock = ini.substr(node, ini.find(',', node) - node);
  ini.insert(window, "[Window][Memory]\nPos=10,10\nSize=400,300\nCollapsed=0\n" + dock + ",9\n\n");
  later["version"] = 2;
  later["view"] = "memory";
  later["window"]["layout_ini"] = ini;
  later["interface"]["panels"]["Memory"] = true;
  std::ofstream(file("later.tilescope")) << later.dump(2);

  open_session(file("later.tilescope"));
  EXPECT_EQ(state().view, View::kTiling);
  EXPECT_TRUE(says("There is no view memory in this version"));
  EXPECT_FALSE(state().session.changed());
  EXPECT_EQ(variant().selection.lane, 9);
  save(file("kept.tilescope"));
  const auto kept = nlohmann::json::parse(testing::read_file(file("kept.tilescope")));
  EXPECT_EQ(kept["view"], "memory");
  EXPECT_EQ(kept["interface"]["panels"]["Memory"], true);
  EXPECT_NE(kept["window"]["layout_ini"].get<std::string>().find("[Window][Memory]"),
            std::string::npos);
}

TEST_F(SessionTest, NewAndOpenShowWhatTheySay) {
  settle();
  make_lesson();
  EXPECT_EQ(interface_->title(), "not saved * – Tilescope");
  save(file("lesson.tilescope"));
  EXPECT_EQ(interface_->title(), "lesson.tilescope – Tilescope");
  variant().selection.lane = 3;
  draw_frames(2);
  EXPECT_EQ(interface_->title(), "lesson.tilescope * – Tilescope");
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_N); });
  draw_frames(5);  // what it opens is large
  EXPECT_EQ(workbench_->variants().size(), 1U);
  EXPECT_TRUE(state().session.path().empty());
  EXPECT_EQ(interface_->title(), "Tilescope");
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_O); });
  act([&](ImGuiTestContext& ctx) {
    ctx.Yield(2);
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
    ctx.KeyChars(file("lesson.tilescope").c_str());
    ctx.ItemClick("//file/Open");
  });
  settle();
  EXPECT_EQ(state().session.path(), file("lesson.tilescope"));
  EXPECT_EQ(workbench_->variants().size(), 2U);
}

}  // namespace
}  // namespace tilescope
