// Help: its terms, its search and its keys; and the search box, which knows the terms too.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <string>

#include "scene/views.h"
#include "session/glossary.h"
#include "ui/dialogs/command_palette.h"
#include "ui/state/actions.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

class Help : public UiTest {
 protected:
  [[nodiscard]] bool shows(const std::string& words) {
    const TextAudit texts = audit();
    return std::ranges::any_of(
        texts.texts, [&](const TextAudit::Text& text) { return text.words.find(words) == 0; });
  }
  // The middle of the control of this name on the screen.
  [[nodiscard]] ImVec2 place_of_control(const std::string& id) {
    const TextAudit texts = audit();
    const auto found = std::ranges::find(texts.controls, id, &TextAudit::Control::id);
    if (found == texts.controls.end()) return {-1, -1};
    return {found->screen.center().x, found->screen.center().y};
  }
  void click(const std::string& id) {
    const ImVec2 at = place_of_control(id);
    ASSERT_GE(at.x, 0) << id;
    act([at](ImGuiTestContext& ctx) {
      ctx.MouseMoveToPos(at);
      ctx.MouseClick();
    });
    draw_frames(2);
  }
  void type(const char* words) {
    act([words](ImGuiTestContext& ctx) {
      ctx.Yield(3);
      ctx.KeyChars(words);
      ctx.Yield(3);
    });
  }
  void press(int chord) {
    act([chord](ImGuiTestContext& ctx) { ctx.KeyPress(chord); });
    draw_frames(2);
  }
  [[nodiscard]] std::string first_found(std::string_view words) {
    const std::vector<PaletteRow> rows = palette_rows(state());
    const std::vector<std::size_t> found = rows_found(rows, words);
    return found.empty() ? "" : rows[found.front()].name;
  }
};

TEST_F(Help, F1OpensTheTermsTypingSearchesAndTheButtonShowsTheExample) {
  settle();
  const std::string before = variant().entry->id;
  press(ImGuiKey_F1);
  ASSERT_TRUE(state().help.open);
  EXPECT_TRUE(shows("SM"));
  type("conflict bank");
  EXPECT_EQ(state().help.words, "conflict bank");
  EXPECT_TRUE(shows("A bank conflict occurs if lanes"));
  click("try");
  settle();
  EXPECT_FALSE(state().help.open);
  ASSERT_NE(variant().entry, nullptr);
  EXPECT_EQ(variant().entry->id, "transpose/tiled");
  EXPECT_EQ(variant().parameters.at("PAD"), 0);
  EXPECT_EQ(state().view, View::kBanks);
  const std::string undone = *state().session.history().undo_name();
  run_command(state(), "Undo");
  settle();
  EXPECT_EQ(variant().entry->id, before) << "one step back, not '" << undone << "'";
}

TEST_F(Help, EscapeAndTheCloseMarkGiveBackWhatWasThere) {
  settle();
  const View view = state().view;
  const std::string kernel = variant().entry->id;
  for (const bool by_key : {true, false}) {
    press(ImGuiKey_F1);
    type("wavefront");
    ASSERT_TRUE(state().help.open);
    if (by_key) {
      press(ImGuiKey_Escape);
    } else {
      click("close help");
    }
    EXPECT_FALSE(state().help.open) << by_key;
    EXPECT_EQ(state().view, view);
    EXPECT_EQ(variant().entry->id, kernel);
    state().help.words.clear();
  }
  press(ImGuiKey_F1);
  press(ImGuiKey_F1);
  EXPECT_FALSE(state().help.open);
}

TEST_F(Help, TheArrowsChooseATermWhileTheSearchHasTheFocus) {
  settle();
  open_help(state());
  type("scoreboard");
  const std::string first = state().glossary.search("scoreboard").at(0)->term;
  const std::string second = state().glossary.search("scoreboard").at(1)->term;
  EXPECT_TRUE(shows(first));
  press(ImGuiKey_DownArrow);
  EXPECT_EQ(state().help.term, second);
  press(ImGuiKey_UpArrow);
  EXPECT_EQ(state().help.term, first);
  press(ImGuiKey_UpArrow);
  EXPECT_EQ(state().help.term, first) << "it stops at the first";
}

TEST_F(Help, WhatIsNotFoundIsSaid) {
  settle();
  open_help(state());
  type("zqzq");
  EXPECT_TRUE(shows("Nothing found."));
}

TEST_F(Help, TheTabsShowTermsOrKeys) {
  settle();
  open_help(state());
  draw_frames(2);
  click("Keys");
  EXPECT_EQ(state().help.tab, HelpState::Tab::kKeys);
  EXPECT_TRUE(shows("Where a number comes from"));
  click("Terms");
  EXPECT_EQ(state().help.tab, HelpState::Tab::kTerms);
}

TEST_F(Help, F1OverACounterOpensItsTerm) {
  settle();
  state().hovered_term = state().glossary.find("Wavefront");
  toggle_help(state());
  EXPECT_TRUE(state().help.open);
  EXPECT_EQ(state().help.term, "Wavefront");
}

TEST_F(Help, ACountersRowExplainsItsTerm) {
  workbench_->choose_kernel(entry("transpose/naive"));
  state().panel_open["Counters"] = true;
  state().focus_panel = "Counters";
  settle();
  const ImVec2 at = place_of_control("line");
  ASSERT_GE(at.x, 0);
  act([&](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos(at);
    ctx.Yield(3);
    EXPECT_NE(state().hovered_term, nullptr);
    ctx.KeyPress(ImGuiKey_F1);
    ctx.Yield(2);
  });
  EXPECT_TRUE(state().help.open);
  EXPECT_EQ(state().help.term, "Sector");
}

TEST_F(Help, ANumberOfAComparisonExplainsItsTerm) {
  workbench_->choose_kernel(entry("transpose/naive"));
  workbench_->add_variant();
  workbench_->choose_kernel(entry("transpose/tiled"));
  state().raise = View::kCompare;
  settle();
  const TextAudit texts = audit();
  const auto name =
      std::ranges::find(texts.texts, "store sectors per request", &TextAudit::Text::words);
  ASSERT_NE(name, texts.texts.end());
  const ImVec2 at{name->screen.center().x, name->screen.center().y};
  act([&](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos(at);
    ctx.Yield(3);
    ASSERT_NE(state().hovered_term, nullptr);
    EXPECT_EQ(state().hovered_term->term, "Sector");
  });
}

TEST_F(Help, TheSearchBoxFindsKernelsByWordsAndTerms) {
  settle();
  EXPECT_EQ(first_found("transpose naive"), "Kernel: transpose/naive, Thread per element");
  EXPECT_EQ(first_found("naive transpose"), "Kernel: transpose/naive, Thread per element");
  EXPECT_EQ(first_found("what is a wavefront"), "Term: Wavefront");
  EXPECT_EQ(first_found("bank conflict"), "Term: Bank conflict");
  EXPECT_EQ(first_found("uncoalesced"), "Term: Coalesced access");
  EXPECT_TRUE(first_found("padding transpose").find("transpose") != std::string::npos);
  EXPECT_EQ(first_found("view roofline"), "View: Roofline");
  EXPECT_FALSE(first_found("vwrfln").empty()) << "letters in their order, as a last resort";
}

TEST_F(Help, ATermOfTheSearchBoxOpensHelpThere) {
  settle();
  press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
  type("what is a wavefront");
  press(ImGuiKey_Enter);
  EXPECT_TRUE(state().help.open);
  EXPECT_EQ(state().help.term, "Wavefront");
  EXPECT_TRUE(shows("A wavefront is what L1"));
}

}  // namespace
}  // namespace tilescope
