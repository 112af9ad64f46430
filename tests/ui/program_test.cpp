// A whole program that is opened: what is offered, what runs, and what comes back.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/paths.h"
#include "exec/host_program.h"
#include "exec/program_build.h"
#include "kernel/compile/nvcc.h"
#include "session_fixture.h"
#include "ui/state/program_offer.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// Two kernels; the size is an argument. `body`: at the end of main().
std::string program_text_with(const std::string& body) {
  return R"(#include <cstdio>
#include <cstdlib>
#include <unistd.h>
__global__ void scale(const float* in, float* out, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * in[i];
}
__global__ void add(float* out, float term, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += term;
}
int main(int argc, char** argv) {
  std::fclose(std::fopen("ran", "w"));
  const int n = argc > 1 ? std::atoi(argv[1]) : 100;
  float* in;
  float* out;
  cudaMallocManaged(&in, n * sizeof(float));
  cudaMallocManaged(&out, n * sizeof(float));
  for (int i = 0; i < n; ++i) in[i] = i;
  scale<<<(n + 63) / 64, 64>>>(in, out, 3.0f, n);
  for (int step = 0; step < 3; ++step) add<<<(n + 63) / 64, 64>>>(out, 1.0f, n);
  cudaDeviceSynchronize();
  std::printf("the last one is %g\n", out[n - 1]);
  std::fflush(stdout);
)" + body +
         "}\n";
}

class ProgramTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    if (IsSkipped()) return;
    if (!nvcc()) GTEST_SKIP() << "there is no nvcc, which compiles the programs";
    before_ = fs::current_path();
    fs::current_path(file("."));  // programs write there
  }
  void TearDown() override {
    if (!before_.empty()) fs::current_path(before_);
    SessionTest::TearDown();
  }
  [[nodiscard]] Workbench::Settings settings() const override {
    Workbench::Settings settings;
    settings.tilescope = program_file().parent_path().parent_path() / "tilescope";
    return settings;
  }
  // Drops mine.cu.
  void drop(const std::string& text) {
    settle();
    std::ofstream(file("mine.cu")) << text;
    interface_->open_dropped(file("mine.cu"));
    settle();
    ASSERT_TRUE(variant().own.has_value()) << state().note;
  }
  void type(const char* field, const char* text) {
    act([&](ImGuiTestContext& ctx) {
      ctx.SetRef("program");
      ctx.ItemInputValue(field, text);
    });
  }
  void press(const std::string& button) {
    act([&](ImGuiTestContext& ctx) { ctx.ItemClick(("//program/" + button).c_str()); });
  }
  [[nodiscard]] bool has_run() const { return fs::exists(file("ran")); }
  [[nodiscard]] std::vector<std::string> tabs() {
    std::vector<std::string> names;
    for (const Variant& tab : workbench_->variants()) names.push_back(tab.file_name());
    return names;
  }
  [[nodiscard]] const ProgramRun::Shown& shown() { return *workbench_->program().shown(); }

 private:
  fs::path before_;
};

TEST_F(ProgramTest, RunsWhenAPersonAsksAndItsLaunchesTakeThePlaceOfTheGuess) {
  drop(program_text_with(""));
  EXPECT_TRUE(says("mine.cu is a whole program"));
  draw_frames(20);
  EXPECT_FALSE(has_run()) << "host code runs when a person asks for it, not before";
  const Dim3 guessed = variant().study->launch.grid;
  type("##arguments", "300");
  EXPECT_FALSE(has_run());
  press("Run it and take its launches");
  EXPECT_TRUE(workbench_->program().running());
  EXPECT_TRUE(says("Compiling mine.cu") || says("Running mine.cu"));
  EXPECT_EQ(tabs(), std::vector<std::string>{"mine.cu"}) << "the guess stays until then";
  settle();
  EXPECT_TRUE(has_run());
  EXPECT_EQ(shown().error, "");
  EXPECT_NE(shown().output.find("the last one is 900"), std::string::npos) << shown().output;
  EXPECT_TRUE(says("mine.cu exited with status 0: 4 launches, no problems found"));
  EXPECT_EQ(tabs(), (std::vector<std::string>{"scale, launch 1", "add, launch 2"}));
  EXPECT_EQ(workbench_->own_kernels().size(), 3U) << "with the guess";
  ASSERT_NE(variant().study, nullptr);
  EXPECT_EQ(variant().study->launch.grid, (Dim3{5, 1, 1}));
  EXPECT_NE(variant().study->launch.grid, guessed);
  EXPECT_FALSE(variant().error.has_value());
  // The data is the program's own: what scale wrote is what add reads.
  workbench_->activate(1);
  settle();
  const ArgumentForm& out = variant().own->launch.arguments.front();
  ASSERT_TRUE(out.fill.starts_with("@")) << out.fill;
  std::ifstream data(out.fill.substr(1), std::ios::binary);
  std::vector<float> values(300);
  data.read(reinterpret_cast<char*>(values.data()), 1200);
  EXPECT_EQ(data.gcount(), 1200);
  EXPECT_EQ(values[299], 897.0F);
  EXPECT_FALSE(says("is a whole program")) << "a launch of it is none";

  workbench_->activate(0);
  draw_frames(2);
  while (tabs().size() > 1 && state().session.history().undo_name() != nullptr) {
    state().session.undo(state());
    draw_frames(2);
  }
  settle();
  EXPECT_EQ(tabs(), std::vector<std::string>{"mine.cu"});
  EXPECT_EQ(variant().study->launch.grid, guessed);
}

TEST_F(ProgramTest, OtherTabsStay) {
  settle();
  workbench_->choose_kernel(entry("transpose/naive"));
  workbench_->add_variant();
  drop(program_text_with(""));
  press("Run it and take its launches");
  settle();
  ASSERT_EQ(tabs().size(), 3U);
  EXPECT_EQ(workbench_->variants()[0].entry, &entry("transpose/naive"));
  EXPECT_EQ(workbench_->active_index(), 1);
  EXPECT_EQ(tabs()[1], "scale, launch 1");
}

TEST_F(ProgramTest, OneThatDoesNotEndIsStoppedAndItsLaunchesAreTaken) {
  drop(program_text_with("  while (true) pause();\n"));
  press("Run it and take its launches");
  const double deadline = workbench_->now_seconds() + 120;
  while (shown().progress.launches == 0 || shown().output.empty()) {
    ASSERT_LT(workbench_->now_seconds(), deadline);
    ASSERT_TRUE(workbench_->program().running()) << shown().error;
    draw_frame();
  }
  press("Stop");
  settle();
  EXPECT_TRUE(says("mine.cu was stopped"));
  EXPECT_EQ(tabs(), (std::vector<std::string>{"scale, launch 1", "add, launch 2"}));
}

TEST_F(ProgramTest, OneThatDoesNotCompileSaysSoAndChangesNothing) {
  drop(program_text_with("  nonesuch();\n"));
  const auto before = document();
  press("Run it and take its launches");
  settle();
  EXPECT_TRUE(says("mine.cu does not compile: mine.cu("));
  EXPECT_NE(shown().output.find("nonesuch"), std::string::npos) << shown().output;
  EXPECT_FALSE(has_run());
  EXPECT_TRUE(same_content(before, document()));
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//program/hide program"); });
  EXPECT_FALSE(says("does not compile"));
  EXPECT_TRUE(says("is a whole program")) << "it can be tried again";
}

TEST_F(ProgramTest, OneWithoutLaunchesSaysSo) {
  std::string text = program_text_with("");
  text.insert(text.find("const int n"), "if (argc == 1) return 3; ");
  drop(text);
  press("Run it and take its launches");
  settle();
  EXPECT_TRUE(says("mine.cu gave no launches: the program launches nothing"));
  EXPECT_EQ(tabs(), std::vector<std::string>{"mine.cu"});
}

TEST_F(ProgramTest, ACompiledProgramIsOfferedToo) {
  std::ofstream(file("source.cu")) << program_text_with("");
  const auto built = build_program({file("source.cu"), {}, 90}, {});
  ASSERT_TRUE(built) << to_string(built.error());
  fs::copy_file(*built, file("program"));
  settle();
  interface_->open_dropped(file("program"));
  EXPECT_EQ(workbench_->opening(), file("program")) << "device code is read in the background";
  settle();
  EXPECT_EQ(workbench_->opening(), "");
  ASSERT_TRUE(variant().own.has_value()) << state().note;
  EXPECT_TRUE(says("program is a program"));
  EXPECT_FALSE(has_run());
  press("Run it and take its launches");
  settle();
  EXPECT_TRUE(says("program exited with status 0: 4 launches"));
  EXPECT_TRUE(has_run());
  EXPECT_EQ(tabs().size(), 2U);
}

TEST_F(ProgramTest, OneThatWasPastedRunsAsItIsWritten) {
  settle();
  ASSERT_TRUE(workbench_->open_text(program_text_with("")).ok());
  workbench_->edit_source(variant().source() + "// one line more\n");
  settle();
  EXPECT_TRUE(says("scale.cu is a whole program"));
  EXPECT_FALSE(has_run());
  press("Run it and take its launches");
  settle();
  EXPECT_TRUE(says("scale.cu exited with status 0: 4 launches"));
  EXPECT_EQ(tabs(), (std::vector<std::string>{"scale, launch 1", "add, launch 2"}));
  EXPECT_TRUE(variant().source().ends_with("// one line more\n"));
}

TEST_F(ProgramTest, IsNotOfferedWhereThereIsNoneOrItWasHidden) {
  drop(kOwn);
  EXPECT_FALSE(says("is a whole program"));
  drop(program_text_with("// another text\n"));
  EXPECT_TRUE(says("is a whole program"));
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//program/hide program"); });
  EXPECT_FALSE(says("is a whole program"));
  EXPECT_FALSE(has_run());
}

}  // namespace
}  // namespace tilescope
