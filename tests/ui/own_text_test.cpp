// Editing a kernel and opening one's own, as a person does it in the window.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "temporary_folder.h"
#include "ui/source/source_editor.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

constexpr const char* kScale =
    "__global__ void scale(const float* in, float* out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = 2.0f * in[i];\n"
    "}\n";

// The line of the n-th place where the words stand, from 1.
std::uint32_t line_of(const std::string& text, const std::string& words, int n = 1) {
  std::size_t at = text.find(words);
  for (; n > 1 && at != std::string::npos; --n) at = text.find(words, at + 1);
  EXPECT_NE(at, std::string::npos) << words;
  return static_cast<std::uint32_t>(
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

class OwnText : public UiTest {
 protected:
  void open_small(const char* id) {
    settle();
    workbench_->choose_kernel(entry(id));
    for (const char* name : {"M", "N", "K"}) workbench_->set_extent(name, 128);
    settle();
  }
  void press(const char* item) {
    act([&](ImGuiTestContext& ctx) { ctx.ItemClick(item); });
  }
  // Clicks into a line, takes its words away and types others.
  void write_over(std::uint32_t line, const char* words) {
    show(line);
    const Point place = state().editor.place_of(line);
    act([&](ImGuiTestContext& ctx) {
      ctx.MouseMoveToPos({place.x + 2, place.y - 8});
      ctx.MouseClick();
      ctx.KeyPress(ImGuiKey_End);
      ctx.KeyPress(ImGuiMod_Shift | ImGuiKey_Home);
      ctx.KeyPress(ImGuiKey_Delete);
      if (*words != '\0') ctx.KeyChars(words);
    });
  }
  void show(std::uint32_t line) {
    state().sought_line = line;
    draw_frames(4);
  }
  // Pixels in the colour of what is wrong, in the line's row of the editor.
  std::size_t red_pixels(std::uint32_t line) {
    show(line);
    const Point place = state().editor.place_of(line);
    const Screenshot picture = platform_->read_pixels();
    std::size_t count = 0;
    for (int y = static_cast<int>(place.y) - 6; y < static_cast<int>(place.y); ++y) {
      for (int x = static_cast<int>(place.x); x < static_cast<int>(place.x) + 200; ++x) {
        const std::size_t at =
            (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
             static_cast<std::size_t>(x)) *
            4;
        const int red = picture.rgba[at];
        if (red > 150 && red > picture.rgba[at + 2] + 90) ++count;
      }
    }
    return count;
  }
  [[nodiscard]] bool says(const std::string& words) {
    const TextAudit texts = audit();
    return std::ranges::any_of(texts.texts, [&](const TextAudit::Text& text) {
      return text.words.find(words) != std::string::npos;
    });
  }
};

TEST_F(OwnText, AMistakeIsUnderlinedWhereItStandsAndThePictureKept) {
  open_small("gemm/naive");
  const auto before = variant().study;
  ASSERT_NE(before, nullptr);
  const std::string original = variant().source();
  const std::uint32_t line = line_of(original, "float sum");
  press("//Source/edit");
  write_over(line, "float sum = nonesuch;");
  EXPECT_TRUE(variant().study_pending);
  EXPECT_TRUE(variant().is_edited());
  settle();
  ASSERT_TRUE(variant().error.has_value());
  EXPECT_EQ(variant().study, before);
  ASSERT_EQ(state().marks.source.size(), 1U);
  EXPECT_EQ(state().marks.source[0].line, line);
  EXPECT_GT(state().marks.source[0].column, 1);
  EXPECT_NE(state().marks.source[0].words.find("nonesuch"), std::string::npos);
  EXPECT_GT(red_pixels(line), 20U);
  EXPECT_TRUE(says("edited, does not compile"));
  EXPECT_TRUE(says("The picture shows the last version that compiled."));

  // The message stands beside the pointer.
  const Point place = state().editor.place_of(line);
  bool shown = false;
  act([&](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos({place.x - 22, place.y - 8});
    ctx.Yield(2);
    const ImGuiWindow* tooltip = ImGui::FindWindowByName("##Tooltip_00");
    shown = tooltip != nullptr && tooltip->Active;
  });
  EXPECT_TRUE(shown);

  write_over(line, "float sum = 1.0f;");
  settle();
  EXPECT_FALSE(variant().error.has_value());
  EXPECT_NE(variant().study, before);
  EXPECT_TRUE(state().marks.source.empty());
  EXPECT_TRUE(variant().study->instance.id.ends_with("(edited)"));
  EXPECT_EQ(variant().entry->source, original);

  press("//Source/revert");
  EXPECT_FALSE(variant().is_edited());
  EXPECT_EQ(variant().source(), original);
  settle();
  EXPECT_EQ(variant().study->instance.id, "gemm/naive");
}

TEST_F(OwnText, EveryMistakeIsUnderlinedAndF8GoesFromOneToTheNext) {
  open_small("gemm/naive");
  const std::string original = variant().source();
  const std::uint32_t first = line_of(original, "float sum");
  std::string text = original;
  text.replace(text.find("float sum"), 9, "float nonesuch1 = nonesuch2; float sum");
  const std::size_t loop = text.find("sum = fmaf");
  ASSERT_NE(loop, std::string::npos);
  text.replace(loop, 3, "nonesuch3");
  const std::uint32_t second = line_of(text, "nonesuch3");
  workbench_->edit_source(text);
  settle();
  ASSERT_TRUE(variant().error.has_value());
  ASSERT_GE(state().marks.source.size(), 2U);
  EXPECT_EQ(state().marks.source[0].line, first);
  EXPECT_EQ(state().marks.source[1].line, second);
  EXPECT_GT(red_pixels(first), 20U);
  EXPECT_GT(red_pixels(second), 20U);
  EXPECT_TRUE(says("errors, F8 to the next"));
  const auto press_key = [&](ImGuiKeyChord chord) {
    act([chord](ImGuiTestContext& ctx) { ctx.KeyPress(chord); });
    return state().problem_line;
  };
  EXPECT_EQ(press_key(ImGuiKey_F8), first);
  EXPECT_EQ(press_key(ImGuiKey_F8), second);
  EXPECT_EQ(press_key(ImGuiKey_F8), first);
  EXPECT_EQ(press_key(ImGuiMod_Shift | ImGuiKey_F8), second);
  state().lecture = true;
  settle();
  EXPECT_TRUE(says("nonesuch"));  // the message stands above the picture that is kept
}

TEST_F(OwnText, AFileThatDoesNotCompileListsItsErrorsAndLeadsToThem) {
  settle();
  const auto file = std::filesystem::path(::testing::TempDir()) / "tilescope_broken.cu";
  std::ofstream(file) << "__global__ void broken(float* out, int n) {\n"
                         "  int i = nonesuch1;\n"
                         "  if (i < n) out[i] = nonesuch2;\n"
                         "}\n";
  interface_->open_dropped(file.string());
  std::filesystem::remove(file);
  settle();
  ASSERT_TRUE(variant().error.has_value());
  ASSERT_GE(state().marks.source.size(), 2U);
  EXPECT_TRUE(says("nonesuch1"));
  EXPECT_TRUE(says("nonesuch2"));
  EXPECT_TRUE(says("  if (i < n) out[i] = nonesuch2;")) << "the lines around the first error";
  press("//Tiling/to the error");
  EXPECT_EQ(state().problem_line, 2U);
}

TEST_F(OwnText, ATakenBarrierShowsItsRaceWithTheOtherThread) {
  open_small("gemm/shared_tile");
  const std::string original = variant().source();
  const std::uint32_t barrier = line_of(original, "__syncthreads", 2);
  press("//Source/edit");
  write_over(barrier, "");
  settle();
  ASSERT_FALSE(variant().error.has_value()) << to_string(*variant().error);
  const auto race = std::ranges::find_if(state().marks.source, [](const SourceMark& mark) {
    return mark.finding && mark.finding->kind == FindingKind::kSharedRace;
  });
  ASSERT_NE(race, state().marks.source.end());
  const std::uint32_t first = line_of(original, "a_tile[ty][tx] =");
  EXPECT_TRUE(race->line == first || race->line == first + 1) << race->line;
  ASSERT_TRUE(race->finding->other.has_value());
  EXPECT_NE(race->words.find("the other is thread"), std::string::npos) << race->words;
  EXPECT_GT(red_pixels(race->line), 20U);
  // Its words are written out, on two lines where one is too short.
  std::string written;
  for (const TextAudit::Text& text : audit().texts) written += text.words + " ";
  EXPECT_NE(written.find(race->words.substr(0, race->words.find('\n'))), std::string::npos)
      << race->words;

  const Finding finding = *race->finding;
  variant().selection.lane = 31;
  press("//Source/$$0/problem");
  settle();
  const auto thread = flatten(finding.thread, variant().study->launch.block);
  EXPECT_EQ(variant().selection.block, flatten(finding.block, variant().study->launch.grid));
  EXPECT_EQ(variant().selection.warp, thread / 32);
  EXPECT_EQ(variant().selection.lane, static_cast<int>(thread % 32));

  // Sliders go on working on the edited text, which comes back with its kernel.
  workbench_->set_parameter("TILE", 16);
  settle();
  EXPECT_EQ(variant().study->instance.block.count(), 256U);
  EXPECT_FALSE(state().marks.source.empty());
  workbench_->choose_kernel(entry("gemm/naive"));
  settle();
  EXPECT_TRUE(state().marks.source.empty());
  workbench_->choose_kernel(entry("gemm/shared_tile"));
  EXPECT_TRUE(variant().is_edited());
}

TEST_F(OwnText, EveryViewSaysHowManyFindingsThereAreAndLeadsToThem) {
  open(1280, 720, Theme::kDark);  // the source is a tab behind the view
  open_small("gemm/naive");
  EXPECT_FALSE(says("problem"));
  std::string text = variant().source();
  const std::size_t sum = text.find("sum = 0.0f");
  ASSERT_NE(sum, std::string::npos);
  text.replace(sum, 10, "sum = A[2000000000]");
  workbench_->edit_source(text);
  settle();
  ASSERT_FALSE(variant().error.has_value()) << to_string(*variant().error);
  ASSERT_EQ(state().marks.source.size(), 1U);
  EXPECT_TRUE(says("1 problem"));
  const Finding finding = *state().marks.source.front().finding;
  press("//Tiling/findings");
  settle();
  const auto thread = flatten(finding.thread, variant().study->launch.block);
  EXPECT_EQ(variant().selection.warp, thread / 32);
  EXPECT_EQ(variant().selection.lane, static_cast<int>(thread % 32));
  const ImGuiWindow* source = ImGui::FindWindowByName("Source");
  ASSERT_NE(source, nullptr);
  EXPECT_TRUE(source->DockTabIsVisible);
}

// One problem alone has the lines that three would have: its remedy is not cut.
TEST_F(OwnText, AdviceIsReadWholeAndIsNoProblem) {
  settle();
  const auto file = std::filesystem::path(::testing::TempDir()) / "tilescope_both.cu";
  std::ofstream(file) << "__global__ void both(float* out) {\n"
                         "  __shared__ float part[64];\n"
                         "  part[threadIdx.x] = threadIdx.x;\n"
                         "  if (threadIdx.x < 32) {\n    __syncthreads();\n"
                         "  } else {\n    __syncthreads();\n  }\n"
                         "  out[threadIdx.x] = part[63 - threadIdx.x];\n}\n"
                         "int main() {\n  float* out;\n  cudaMalloc(&out, 64 * 4);\n"
                         "  both<<<1, 64>>>(out);\n}\n";
  interface_->open_dropped(file.string());
  std::filesystem::remove(file);
  settle();
  ASSERT_EQ(state().marks.source.size(), 1U);
  EXPECT_TRUE(state().marks.source.front().is_advice());
  EXPECT_TRUE(says("no problems, but advice"));
  EXPECT_TRUE(says("advice: thread"));
  std::string all;  // the lines of the message stand below one another
  for (const TextAudit::Text& text : audit().texts) {
    all += text.words + (text.cut ? "… " : " ");
  }
  EXPECT_NE(all.find("come to equally many barriers. "), std::string::npos) << all;
}

TEST_F(OwnText, AnOpenedFileShowsAPictureAtOnceAndFollowsItsForm) {
  settle();
  const auto file = std::filesystem::path(::testing::TempDir()) / "tilescope_scale.cu";
  std::ofstream(file) << kScale;
  interface_->open_dropped(file.string());
  std::filesystem::remove(file);
  settle();
  ASSERT_TRUE(variant().own.has_value()) << state().note;
  ASSERT_FALSE(variant().error.has_value()) << to_string(*variant().error);
  ASSERT_NE(variant().study, nullptr);
  EXPECT_EQ(variant().study->launch.grid, (Dim3{4096, 1, 1}));
  EXPECT_TRUE(variant().study->findings.empty());
  EXPECT_TRUE(says("LAUNCH"));

  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Parameters");
    ctx.ItemInputValue("##grid", "16");
  });
  settle();
  EXPECT_EQ(variant().study->launch.grid, (Dim3{16, 1, 1}));

  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Parameters");
    ctx.ItemInputValue("##block", "2000");
  });
  const auto kept = variant().study;
  settle();
  ASSERT_TRUE(variant().error.has_value());
  EXPECT_NE(to_string(*variant().error).find("1024"), std::string::npos);
  EXPECT_EQ(variant().study, kept);
}

TEST_F(OwnText, AMacroThatTheFileLeavesOpenHasASlider) {
  settle();
  const auto file = std::filesystem::path(::testing::TempDir()) / "tilescope_wide.cu";
  std::ofstream(file) << "#ifndef WIDE\n#define WIDE 64\n#endif\n"
                      << kScale << "void run(float* a) { scale<<<9, WIDE>>>(a, a, 9); }\n";
  interface_->open_dropped(file.string());
  std::filesystem::remove(file);
  settle();
  ASSERT_NE(variant().study, nullptr);
  EXPECT_EQ(variant().own->launch.block, "WIDE");
  EXPECT_EQ(variant().study->launch.block, (Dim3{64, 1, 1}));
  EXPECT_TRUE(says("WIDE"));
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Parameters");
    ctx.ItemDragWithDelta("WIDE/track", ImVec2(500, 0));
  });
  settle();
  EXPECT_EQ(variant().own->launch.parameters, (ParameterSet{{"WIDE", 512}}));
  EXPECT_EQ(variant().study->launch.block, (Dim3{512, 1, 1}));
  EXPECT_EQ(variant().study->instance.parameters, (ParameterSet{{"WIDE", 512}}));
  act([](ImGuiTestContext& ctx) {  // the arrows are there while the pointer is
    ctx.SetRef("Parameters");
    ctx.MouseMove("WIDE/track");
    ctx.Yield(2);
    ctx.ItemClick("WIDE/less");
  });
  settle();
  EXPECT_EQ(variant().own->launch.parameters, (ParameterSet{{"WIDE", 256}}));
}

TEST_F(OwnText, ChartsThatNothingFillsFoldToALine) {
  const auto height = [] { return ImGui::FindWindowByName("Throughput")->Size.y; };
  for (const auto& [width, rows] : {std::pair{1920, 1080}, std::pair{1280, 720}}) {
    open(width, rows, Theme::kDark);
    workbench_->choose_kernel(entry("transpose/tiled"));  // recorded at this size
    draw_frames(4);
    const float whole = height();
    EXPECT_GT(whole, 150);
    ASSERT_TRUE(workbench_->open_text(kScale).ok());
    draw_frames(4);
    EXPECT_LT(height(), 50);
    EXPECT_TRUE(says("No times: your own kernel needs a GPU"));
    workbench_->choose_kernel(entry("transpose/tiled"));
    draw_frames(4);
    EXPECT_EQ(height(), whole);
    ASSERT_TRUE(workbench_->open_text(kScale).ok());
    state().reset_layout = true;
    draw_frames(4);
    EXPECT_LT(height(), 50);
  }
}

TEST_F(OwnText, AFileThatIsOpenedAgainKeepsWhatWasTyped) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "tilescope_again.cu";
  std::ofstream(file) << kScale;
  ASSERT_TRUE(workbench_->open_file(file.string()).ok());
  LaunchForm form = variant().own->launch;
  form.grid = "3";
  workbench_->set_launch(form);
  workbench_->edit_source("// mine\n" + std::string(kScale));
  ASSERT_TRUE(workbench_->open_file(file.string()).ok());
  EXPECT_TRUE(variant().is_edited());
  EXPECT_TRUE(variant().source().starts_with("// mine"));
  EXPECT_EQ(variant().own->launch.grid, "3");
  std::filesystem::remove(file);
}

TEST_F(OwnText, WhatIsPastedIsAKernelOfYourOwn) {
  settle();
  act([](ImGuiTestContext& ctx) {
    ImGui::SetClipboardText("no kernel here");
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_V);
  });
  EXPECT_NE(state().note.find("no kernel"), std::string::npos);
  EXPECT_NE(variant().entry, nullptr);
  act([](ImGuiTestContext& ctx) {
    ImGui::SetClipboardText(kScale);
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_V);
  });
  ASSERT_TRUE(variant().own.has_value());
  EXPECT_EQ(state().note, "");
  EXPECT_EQ(variant().file_name(), "scale");
  settle();
  ASSERT_NE(variant().study, nullptr);

  press("//Source/edit");
  write_over(3, "out[i + 1] = 2.0f * in[i];");
  settle();
  ASSERT_FALSE(state().marks.source.empty());
  EXPECT_EQ(state().marks.source[0].line, 3U);
  EXPECT_EQ(state().marks.source[0].finding->kind, FindingKind::kOutOfBounds);
  workbench_->choose_kernel(entry("gemm/naive"));
  draw_frames(3);
  press("//Kernels/scale.cu");
  EXPECT_TRUE(variant().is_edited());

  act([](ImGuiTestContext& ctx) {
    ImGui::SetClipboardText(kScale);
    ctx.ItemClick("//Kernels/paste kernel");
  });
  EXPECT_EQ(variant().file_name(), "scale (2)");
  EXPECT_EQ(workbench_->own_kernels().size(), 2U);
}

TEST_F(OwnText, TheSameTextIsOneKernelOfYours) {
  settle();
  ASSERT_TRUE(workbench_->open_text(kScale).ok());
  LaunchForm form = variant().own->launch;
  form.grid = "3";
  workbench_->set_launch(form);
  workbench_->choose_kernel(entry("gemm/naive"));
  ASSERT_TRUE(workbench_->open_text(kScale).ok());
  ASSERT_EQ(workbench_->own_kernels().size(), 1U);
  EXPECT_EQ(variant().own->launch.grid, "3") << "selected as it was left";
  ASSERT_TRUE(workbench_->open_text(kScale).ok());
  EXPECT_EQ(workbench_->own_kernels().size(), 1U);
}

TEST_F(OwnText, WhatIsNoKernelIsRefusedInASentence) {
  settle();
  const auto said = [&](std::string text) {
    const Status opened = workbench_->open_text(std::move(text));
    return opened ? std::string("nothing") : to_string(opened.error());
  };
  EXPECT_TRUE(said("").starts_with("the clipboard has no text")) << said("");
  EXPECT_TRUE(said(" \n\t\r\n").starts_with("the clipboard has no text"));
  EXPECT_NE(said("int main() {}").find("no __global__ function"), std::string::npos);
  const std::string large = kScale + std::string(5 << 20, '/');
  EXPECT_TRUE(said(large).starts_with("the clipboard has 5.0 MiB of text")) << said(large);
  EXPECT_TRUE(workbench_->own_kernels().empty());
  EXPECT_NE(variant().entry, nullptr);
  const std::string two = kScale + ("// " + std::string(2 << 20, 'x')) + "\n";
  EXPECT_EQ(said(two), "nothing");
  for (int i = 0; i < 30; ++i) (void)workbench_->open_text("// " + std::to_string(i) + "\n" + two);
  EXPECT_LT(workbench_->own_kernels().size(), 17U) << "no more than a session file can have";
  EXPECT_NE(said("// once more\n" + two).find("at most 500 of your kernels, with 32 MiB"),
            std::string::npos);
}

TEST_F(OwnText, OwnKernelsAreNamedAfterTheirKernel) {
  settle();
  const auto name_of = [&](const std::string& text) {
    const Status opened = workbench_->open_text(text);
    return opened ? variant().file_name() : to_string(opened.error());
  };
  EXPECT_EQ(name_of(kScale), "scale");
  EXPECT_EQ(name_of(std::string("// again\n") + kScale), "scale (2)");
  EXPECT_EQ(name_of("namespace lab { __global__ void sum(float* p) { *p = 1; } }\n"), "sum");
  EXPECT_EQ(name_of("template <int N> __global__ void fill(float* p) { *p = N; }\n"
                    "void run(float* p) { fill<4><<<1, 32>>>(p); }\n"),
            "fill");
  EXPECT_EQ(name_of(".version 8.0\n.target sm_90\n.address_size 64\n"
                    ".visible .entry _Z8blockSumPf(.param .u64 p) {\n  ret;\n}\n"),
            "blockSum");
  const std::string long_name(300, 'k');
  EXPECT_TRUE(
      name_of("__global__ void " + long_name + "(float* p) { *p = 1; }\n").starts_with("kkkkk"));
  EXPECT_LE(variant().file_name().size(), 100U);
  // As long as a person has given it no other name, it follows the source.
  workbench_->open_own(0);
  workbench_->edit_source("__global__ void twice(float* p) { *p *= 2; }\n");
  EXPECT_EQ(variant().file_name(), "twice");
  workbench_->rename_own("scale.cu", "Exercise 1");
  workbench_->edit_source("__global__ void thrice(float* p) { *p *= 3; }\n");
  EXPECT_EQ(variant().file_name(), "Exercise 1");
  settle();
}

TEST_F(OwnText, FilesOfOneNameAreToldApartByTheirFolder) {
  settle();
  const testing::TemporaryFolder folder;
  for (const char* name : {"lab1", "lab2"}) {
    std::filesystem::create_directory(folder / name);
    std::ofstream(folder / name / "mine.cu") << "// " << name << "\n" << kScale;
    ASSERT_TRUE(workbench_->open_file((folder / name / "mine.cu").string()).ok());
  }
  EXPECT_EQ(workbench_->own_kernels()[0].name, "mine.cu");
  EXPECT_EQ(workbench_->own_kernels()[1].name, "mine.cu (lab2)");
  workbench_->rename_own(workbench_->own_kernels()[1].file, "second");
  ASSERT_TRUE(workbench_->open_file((folder / "lab2" / ".." / "lab2" / "mine.cu").string()).ok());
  EXPECT_EQ(workbench_->own_kernels().size(), 2U);
  EXPECT_EQ(variant().file_name(), "second") << "opened again it keeps its name";
}

TEST_F(OwnText, ANewKernelStartsFromACompleteOne) {
  settle();
  press("//Kernels/new kernel");
  settle();
  EXPECT_EQ(variant().file_name(), "addVectors");
  ASSERT_NE(variant().study, nullptr) << (variant().error ? to_string(*variant().error) : "");
  EXPECT_TRUE(variant().study->findings.empty());
  EXPECT_TRUE(state().editing);
  press("//Kernels/new kernel");
  EXPECT_EQ(workbench_->own_kernels().size(), 1U) << "nothing was changed in the first";
  workbench_->edit_source(variant().source() + "// mine\n");
  press("//Kernels/new kernel");
  EXPECT_EQ(variant().file_name(), "addVectors (2)");
  EXPECT_EQ(workbench_->own_kernels().size(), 2U);
}

TEST_F(OwnText, AKernelOfYoursIsRenamedAndRemovedInTheList) {
  settle();
  ASSERT_TRUE(workbench_->open_text(kScale).ok());
  ASSERT_TRUE(workbench_->open_text("__global__ void sum(float* p) { *p = 1; }\n").ok());
  settle();
  const auto choose = [&](const char* item) {
    act([&](ImGuiTestContext& ctx) {
      ctx.MouseMove("//Kernels/scale.cu");
      ctx.MouseClick(ImGuiMouseButton_Right);
      ctx.Yield(2);
      ctx.ItemClick(("//$FOCUSED/" + std::string(item)).c_str());
    });
    draw_frames(3);
  };
  const auto type = [&](const char* words, ImGuiKey last) {
    act([&](ImGuiTestContext& ctx) {
      ctx.Yield(2);
      ctx.KeyChars(words);
      ctx.KeyPress(last);
      ctx.Yield(2);
    });
  };
  choose("Rename");
  type("given up", ImGuiKey_Escape);
  EXPECT_EQ(workbench_->own_kernels()[0].name, "scale");
  choose("Rename");
  type("first one", ImGuiKey_Enter);
  EXPECT_EQ(workbench_->own_kernels()[0].name, "first one");
  EXPECT_TRUE(says("first one"));
  EXPECT_EQ(variant().file_name(), "sum") << "what is shown stays";
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Shift | ImGuiKey_F2); });
  type("the sum", ImGuiKey_Enter);
  EXPECT_EQ(variant().file_name(), "the sum");
  choose("Remove");
  ASSERT_EQ(workbench_->own_kernels().size(), 1U);
  // Delete in the list removes the row that was clicked.
  workbench_->choose_kernel(entry("gemm/naive"));
  press("//Kernels/sum.cu");
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_Delete); });
  EXPECT_TRUE(workbench_->own_kernels().empty());
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z); });
  settle();
  ASSERT_EQ(workbench_->own_kernels().size(), 1U);
  EXPECT_EQ(variant().file_name(), "the sum");
}

// nvcc takes a second or more to say what it thinks of a name that NVRTC does not know.
TEST_F(OwnText, WhatNvrtcRefusesIsSaidBeforeNvccIsAsked) {
  settle();
  const testing::TemporaryFolder folder;
  const std::filesystem::path program = folder / "nvcc";
  std::ofstream(program) << "#!/bin/sh\nwhile [ ! -e '" << (folder / "go").string()
                         << "' ]; do sleep 0.05; done\nexit 1\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ::setenv("TILESCOPE_NVCC", program.c_str(), 1);
  ASSERT_TRUE(workbench_->open_text(std::string("#include <iostream>\n") + kScale).ok());
  settle();
  workbench_->edit_source(
      "#include <iostream>\n__global__ void scale(float* out) {\n  nowhere = 1;\n  *out = 2;\n}\n");
  for (int i = 0; i < 6000 && !variant().error; ++i) {
    draw_frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_TRUE(variant().error);
  EXPECT_EQ(variant().error->place.line, 3);
  EXPECT_TRUE(variant().study_pending) << "nvcc is at work";
  EXPECT_TRUE(says("trying nvcc"));
  EXPECT_GT(red_pixels(3), 20U);
  std::ofstream(folder / "go") << "\n";
  settle();
  ::unsetenv("TILESCOPE_NVCC");
  EXPECT_FALSE(variant().study_pending);
  ASSERT_TRUE(variant().error);
  EXPECT_EQ(variant().error->place.line, 3);
}

// Its process ends, and nothing else: the picture stays, and the next text compiles.
TEST_F(OwnText, ATextThatCrashesTheCompilerIsAnErrorAtItsLine) {
  settle();
  ::setenv("TILESCOPE_NVCC", "/bin/false", 1);
  ASSERT_TRUE(workbench_->open_text(kScale).ok());
  settle();
  const auto before = variant().study;
  ASSERT_NE(before, nullptr);
  workbench_->edit_source(std::string(kScale) +
                          "template <int N>\n__global__ void other(half* x) { x[0] = N; }\n"
                          "#pragma nv_mangled_name other<2>\n");
  settle();
  ASSERT_TRUE(variant().error);
  EXPECT_EQ(variant().error->place.line, 7);
  EXPECT_NE(variant().error->message.find("crashed"), std::string::npos);
  EXPECT_EQ(variant().study, before);
  EXPECT_TRUE(says("The picture shows the last version that compiled."));
  workbench_->edit_source(std::string(kScale) + "// again\n");
  settle();
  ::unsetenv("TILESCOPE_NVCC");
  EXPECT_FALSE(variant().error.has_value());
  EXPECT_NE(variant().study, before);
}

TEST_F(OwnText, KeysThatAreTypedMeanNothingElse) {
  open_small("gemm/naive");
  press("//Source/edit");
  const std::uint32_t line = line_of(variant().source(), "float sum");
  write_over(line, "float sum = 0.0f;  // a, b");
  EXPECT_FALSE(state().playback.playing);
  EXPECT_NE(variant().source().find("// a, b"), std::string::npos);
  settle();
  EXPECT_FALSE(variant().error.has_value());
}

TEST_F(OwnText, AChosenLineIsMarkedInPtx) {
  settle();
  state().source_tab = SourceLanguage::kPtx;
  settle();
  const std::uint32_t chosen = variant().study->program->instructions().back().outermost.line;
  variant().selection.line = chosen;
  draw_frames(6);
  const auto& origins = state().digest.ptx_origin;
  const auto linked = std::ranges::find(origins, chosen);
  ASSERT_NE(linked, origins.end());
  const auto line = static_cast<std::uint32_t>(linked - origins.begin()) + 1;
  const Point place = state().editor.place_of(line);
  EXPECT_GT(place.y, 80);  // brought in sight
  EXPECT_LT(place.y, 540);
}

TEST_F(OwnText, AGuessedLaunchIsCorrectedAfterATrial) {
  ASSERT_TRUE(workbench_
                  ->open_text("__global__ void add(float* sum, float* a, int n) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < n) sum[i] += a[2 * i];\n}\n")
                  .ok());
  for (int i = 0; i < 20 && variant().own->corrections.empty(); ++i) settle();
  settle();
  const LaunchForm& launch = variant().own->launch;
  EXPECT_EQ(launch.arguments[1].count, "2097152");
  EXPECT_TRUE(launch.arguments[1].fill.starts_with("random:"));
  EXPECT_TRUE(says("corrected after a trial: "));
  LaunchForm changed = launch;
  changed.grid = "7";
  workbench_->set_launch(changed);
  settle();
  EXPECT_FALSE(says("corrected after a trial: "));
  EXPECT_EQ(variant().own->launch.grid, "7") << "what a person sets stays";
}

TEST_F(OwnText, TheLaunchOfAnotherFunctionIsTriedToo) {
  ASSERT_TRUE(workbench_
                  ->open_text("__global__ void add(float* sum, const float* a, int n) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < n) sum[i] = a[i];\n}\n"
                              "__global__ void twice(float* x, int n) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < n) x[i] = x[i] * 2;\n}\n")
                  .ok());
  settle();
  workbench_->choose_function("add");
  workbench_->choose_function("twice");
  for (int i = 0; i < 20 && variant().own->corrections.empty(); ++i) settle();
  EXPECT_EQ(variant().own->launch.kernel, "twice");
  EXPECT_TRUE(variant().own->launch.arguments[0].fill.starts_with("random:"))
      << "it is read before it is stored";
}

}  // namespace
}  // namespace tilescope
