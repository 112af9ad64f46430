#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <string>

#include "analysis/occupancy/occupancy.h"
#include "scene/views.h"
#include "ui/panels/panels.h"
#include "ui/state/actions.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

// Letters of two texts that share more than a hair's breadth.
bool collide(const Rect& a, const Rect& b) {
  const float w = std::min(a.right(), b.right()) - std::max(a.x, b.x);
  const float h = std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
  return w > 1.5F && h > 0.35F * std::min(a.h, b.h);
}

std::string collisions(const TextAudit& audit) {
  std::string found;
  for (std::size_t i = 0; i < audit.texts.size(); ++i) {
    for (std::size_t j = i + 1; j < audit.texts.size(); ++j) {
      if (collide(audit.texts[i].screen, audit.texts[j].screen)) {
        found += "\"" + audit.texts[i].words + "\" on \"" + audit.texts[j].words + "\"\n";
      }
    }
  }
  return found;
}

std::string cut_texts(const TextAudit& audit) {
  std::string found;
  for (const TextAudit::Text& text : audit.texts) {
    if (text.cut) found += "\"" + text.words + "\"\n";
  }
  return found;
}

struct Size {
  int width;
  int height;
};
class Fit : public UiTest, public ::testing::WithParamInterface<Size> {
 protected:
  void SetUp() override { open(GetParam().width, GetParam().height, Theme::kDark); }
};

// A kernel that spills has more to say of its registers.
TEST_P(Fit, WhatAKernelCostsHasRoom) {
  settle();
  ASSERT_TRUE(
      workbench_
          ->open_text("__global__ void __launch_bounds__(1024, 2) k(float* p) {\n"
                      "  float a[64];\n"
                      "#pragma unroll\n"
                      "  for (int i = 0; i < 64; ++i) a[i] = p[i * 32 + threadIdx.x];\n"
                      "  __syncthreads();\n"
                      "#pragma unroll\n"
                      "  for (int i = 0; i < 64; ++i) p[i * 32 + threadIdx.x] = a[63 - i];\n"
                      "}\n")
          .ok());
  settle();
  ASSERT_NE(variant().study, nullptr);
  ASSERT_GT(variant().study->compiled->resources.spill_store_bytes, 0);
  EXPECT_EQ(collisions(audit()), "");
}

TEST_P(Fit, PanelsLieWithinTheScreenAndBesideOneAnother) {
  for (const Panel& panel : all_panels()) state().panel_open[panel.title] = true;
  settle();
  std::vector<ImRect> places;
  for (const Panel& panel : all_panels()) {
    const ImGuiWindow* window = ImGui::FindWindowByName(panel.title);
    ASSERT_NE(window, nullptr) << panel.title;
    if (!window->DockTabIsVisible) continue;  // behind another tab
    const ImRect rect = window->Rect();
    EXPECT_GE(rect.Min.x, 0) << panel.title;
    EXPECT_GE(rect.Min.y, 0) << panel.title;
    EXPECT_LE(rect.Max.x, static_cast<float>(GetParam().width)) << panel.title;
    EXPECT_LE(rect.Max.y, static_cast<float>(GetParam().height)) << panel.title;
    EXPECT_GT(rect.GetWidth(), 100) << panel.title;
    EXPECT_GT(rect.GetHeight(), 40) << panel.title;
    for (const ImRect& other : places) EXPECT_FALSE(rect.Overlaps(other)) << panel.title;
    places.push_back(rect);
  }
  EXPECT_GE(places.size(), 7U);
}

TEST_P(Fit, NoTextIsCutOrLiesOnAnother) {
  for (const char* id : {"gemm/register_tile", "transpose/tiled"}) {
    workbench_->choose_kernel(entry(id));
    for (const View view : all_views()) {
      state().raise = view;
      settle();
      const TextAudit texts = audit();
      EXPECT_GT(texts.texts.size(), 40U);
      EXPECT_EQ(cut_texts(texts), "") << id << " " << name_of(view);
      EXPECT_EQ(collisions(texts), "") << id << " " << name_of(view);
    }
  }
}

TEST_P(Fit, HelpIsSeenWhole) {
  for (const HelpState::Tab tab : {HelpState::Tab::kTerms, HelpState::Tab::kKeys}) {
    state().help.tab = tab;
    open_help(state());
    settle();
    const ImGuiWindow* window = ImGui::FindWindowByName("Help");
    ASSERT_NE(window, nullptr);
    EXPECT_EQ(window->ScrollMax.y, 0) << "nothing tells that there is more";
    EXPECT_EQ(window->ScrollMax.x, 0);
    EXPECT_GE(window->Rect().Min.y, 0);
    if (tab == HelpState::Tab::kTerms) continue;
    for (const ImGuiWindow* part : ImGui::GetCurrentContext()->Windows) {
      if (part->ParentWindow != window || !part->Active) continue;
      EXPECT_EQ(part->ScrollMax.y, 0) << part->Name;
    }
  }
}

TEST_P(Fit, ALectureShowsItsTabsItsSelectionAndItsMarksWhole) {
  state().lecture = true;
  for (const View view : all_views()) {
    state().raise = view;
    settle();
    const TextAudit texts = audit();
    EXPECT_EQ(cut_texts(texts), "") << name_of(view);
    EXPECT_EQ(collisions(texts), "") << name_of(view);
    const auto says = [&](const char* words) {
      return std::ranges::any_of(texts.texts, [&](const TextAudit::Text& text) {
        return text.words.find(words) != std::string::npos;
      });
    };
    for (const char* words : {"warp ", "measured", "recorded", "emulated", "modelled"}) {
      EXPECT_TRUE(says(words)) << words << " in " << name_of(view);
    }
    const ImGuiWindow* window = ImGui::FindWindowByName(title_of(view).data());
    ASSERT_NE(window, nullptr);
    ASSERT_NE(window->DockNode, nullptr);
    const ImGuiTabBar& tabs = *window->DockNode->TabBar;
    EXPECT_LE(tabs.WidthAllTabsIdeal, tabs.BarRect.GetWidth()) << name_of(view);
  }
}

TEST_P(Fit, NoTextIsCutWhereAKernelOfYourOwnIsWrong) {
  ASSERT_TRUE(workbench_
                  ->open_text("__global__ void add(const float* left, const float* right,\n"
                              "                    float* sum, int count) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  sum[i + 1] = left[i] + right[i];\n}\n")
                  .ok());
  state().editing = true;
  settle();
  ASSERT_EQ(state().marks.source.size(), 1U);
  const TextAudit texts = audit();
  EXPECT_EQ(collisions(texts), "");
  EXPECT_EQ(cut_texts(texts), "");
}

// All that stop the next block stand in the costs too, not the first of them alone.
TEST_P(Fit, TheCostsNameAllLimits) {
  workbench_->choose_kernel(entry("gemm/warpgroup"));
  settle();
  if (!variant().study->occupancy) GTEST_SKIP() << "nothing compiles";
  const std::string words = "limit: " + limits_in_words(*variant().study->occupancy);
  const TextAudit texts = audit();
  EXPECT_TRUE(std::ranges::any_of(texts.texts, [&](const TextAudit::Text& text) {
    return text.words == words && !text.cut;
  })) << words;
  EXPECT_EQ(collisions(texts), "");
}

TEST_P(Fit, ParametersNeedNoScrolling) {
  settle();
  EXPECT_EQ(ImGui::FindWindowByName("Parameters")->ScrollMax.y, 0);
  EXPECT_EQ(ImGui::FindWindowByName("Costs")->ScrollMax.y, 0);
}

TEST_P(Fit, ALecturesParametersNeedNoScrolling) {
  workbench_->choose_kernel(entry("gemm/tensor_core"));  // eight of them
  state().lecture = true;
  settle();
  EXPECT_EQ(ImGui::FindWindowByName("Parameters")->ScrollMax.y, 0);
}

class SmallWindow : public UiTest {
 protected:
  void SetUp() override { open(1280, 720, Theme::kDark); }

  [[nodiscard]] bool says(const std::string& words) {
    const TextAudit texts = audit();
    return std::ranges::any_of(texts.texts, [&](const TextAudit::Text& text) {
      return text.words.find(words) != std::string::npos;
    });
  }
};

TEST_F(SmallWindow, OffersEveryChartAndKeepsTheChosenOneInEveryView) {
  workbench_->choose_kernel(entry("transpose/tiled"));
  settle();
  EXPECT_TRUE(says("over TILE"));
  for (const char* word : {"Live", "Size", "Parameter"}) EXPECT_TRUE(says(word)) << word;
  state().raise = View::kCompare;
  settle();
  EXPECT_TRUE(says("over TILE")) << "another view is no other question";
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Throughput");
    ctx.ItemClick("show size");
  });
  EXPECT_TRUE(says("over size, rows = columns"));
  state().raise = View::kTiling;
  settle();
  EXPECT_TRUE(says("over size, rows = columns"));
}

TEST_F(SmallWindow, TabsWithoutRoomForTheirNamesSayWhatTellsThemApart) {
  workbench_->choose_kernel(entry("gemm/register_tile"));
  for (const char* extent : {"M", "N", "K"}) workbench_->set_extent(extent, 256);
  settle();
  for (const int stages : {2, 4}) {
    workbench_->add_variant();
    workbench_->set_parameter("STAGES", stages);
    settle();
  }
  workbench_->add_variant();
  workbench_->choose_kernel(entry("gemm/naive"));
  settle();
  const TextAudit texts = audit();
  for (const char* title : {"STAGES 3", "STAGES 2", "STAGES 4", "Naive"}) {
    EXPECT_TRUE(std::ranges::any_of(texts.texts, [&](const TextAudit::Text& text) {
      return text.words == title && text.screen.y < kTopBarHeight;
    })) << title;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Fit,
                         ::testing::Values(Size{1920, 1080}, Size{1280, 720}, Size{2560, 1440}),
                         [](const auto& size) {
                           return std::to_string(size.param.width) + "x" +
                                  std::to_string(size.param.height);
                         });

}  // namespace
}  // namespace tilescope
