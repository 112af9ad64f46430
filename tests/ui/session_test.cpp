// Sessions in the window: saved and opened again, undone, damaged, trusted.
#include <imgui.h>
#include <imgui_te_context.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "session/session_file.h"
#include "temporary_folder.h"
#include "ui/actions.h"
#include "ui/desk/desk_document.h"
#include "ui/layout_text.h"
#include "ui/workbench/guarded_link.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwn =
    "__global__ void scale(const float* in, float* out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = 2.0f * in[i];\n"
    "}\n";

class SessionTest : public UiTest {
 protected:
  [[nodiscard]] std::string file(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] Document document() { return document_of(desk(), Document{}); }
  void save(const std::string& name) {
    desk().session.save(desk(), name);
    while (desk().session.writing()) draw_frame();
    draw_frames(2);
    ASSERT_EQ(desk().session.path(), name);
    ASSERT_FALSE(desk().session.changed());
  }
  void open_session(const std::string& name) {
    const Status opened = desk().session.open(desk(), name);
    ASSERT_TRUE(opened.ok()) << to_string(opened.error());
    settle();
  }
  void choose(const char* id, std::int64_t size) {
    bench_->choose_kernel(entry(id));
    const ParameterSet extents = variant().extents;
    for (const auto& [name, value] : extents) bench_->set_extent(name, size);
    settle();
  }
  [[nodiscard]] bool says(const std::string& words) {
    const TextAudit texts = audit();
    return std::ranges::any_of(texts.texts, [&](const TextAudit::Text& text) {
      return text.words.find(words) != std::string::npos;
    });
  }
  // Something different from what is open, in several ways.
  void make_lesson() {
    choose("transpose/tiled", 96);
    bench_->set_parameter("PAD", 1);
    settle();
    bench_->add_variant();
    choose("gemm/naive", 64);
    bench_->edit_source(variant().source() + "// a line of mine\n");
    settle();
    bench_->activate(0);
    variant().selection.lane = 9;
    variant().selection.event += 30;
    variant().marks.bookmarks[4] = 12;
    desk().raise = View::kBanks;
    desk().preferences.theme = Theme::kLight;
    desk().panel_open["Counters"] = false;
    desk().notes = "First without padding.";
    settle();
  }

  testing::TemporaryFolder folder_;
};

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
    const Status opened = desk().session.open(desk(), file("lesson.tilescope"));
    ASSERT_TRUE(opened.ok()) << to_string(opened.error());
    while (at_once && bench_->busy()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      bench_->tick();
    }
    settle();
    EXPECT_TRUE(same_content(document(), saved));
    EXPECT_FALSE(desk().session.changed());
    const Difference anew = difference(named, platform_->read_pixels(), {0, 0, 1920, 1080});
    EXPECT_EQ(anew.pixels, 0U) << anew.place() << (at_once ? ", the study was there at once" : "");
  }
}

TEST_F(SessionTest, UndoGoesBackAHundredAndFiftySteps) {
  choose("transpose/tiled", 64);
  draw_frames(3);
  const Document first = document();
  const std::size_t before = desk().session.history().depth();
  for (int i = 0; i < 150; ++i) {
    switch (i % 6) {
      case 0:
        bench_->set_extent("ROWS", 65 + i);
        break;
      case 1:
        bench_->set_parameter("PAD", variant().parameters.at("PAD") == 0 ? 1 : 0);
        break;
      case 2:
        variant().selection.lane = (variant().selection.lane + 1) % 32;
        break;
      case 3:
        desk().preferences.theme = desk().theme() == Theme::kDark ? Theme::kLight : Theme::kDark;
        break;
      case 4:
        desk().view_settings.heat = !desk().view_settings.heat;
        break;
      default:
        variant().marks.bookmarks[static_cast<std::size_t>(i % 10)] = static_cast<unsigned>(i);
    }
    draw_frame();
  }
  settle();
  const Document last = document();
  const std::size_t depth = desk().session.history().depth() - before;
  EXPECT_GE(depth, 150U);
  for (std::size_t i = 0; i < depth; ++i) {
    desk().session.undo(desk());
    if (i % 16 == 0) draw_frame();
  }
  settle();
  EXPECT_TRUE(same_content(document(), first));
  EXPECT_EQ(desk().session.history().depth(), before);
  for (std::size_t i = 0; i < depth; ++i) desk().session.redo(desk());
  settle();
  EXPECT_TRUE(same_content(document(), last));
}

// A study may be there before the frame that would have seen what was changed for it.
TEST_F(SessionTest, WhatAChangeMovesDoesNotMoveTheDocumentBeforeIt) {
  choose("transpose/tiled", 64);
  draw_frames(3);
  const Document first = document();
  bench_->set_extent("ROWS", 65);
  while (bench_->busy()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    bench_->tick();
  }
  ASSERT_NE(variant().selection.event, first.variants[0].selection.event);
  settle();
  desk().session.undo(desk());
  settle();
  EXPECT_TRUE(same_content(document(), first));
}

// A macro that the file leaves open, one that it defines, and a number of the kernel's template.
TEST_F(SessionTest, NumbersOfAnOwnKernelAreUndoneComparedAndComeBack) {
  settle();
  ASSERT_TRUE(bench_
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
    bench_->set_parameter(name, value);
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
    ASSERT_NE(desk().session.history().undo_name(), nullptr);
    desk().session.undo(desk());
    settle();
  }
  EXPECT_EQ(variant().study->instance.parameters,
            (ParameterSet{{"BY", 2}, {"SKEW", 0}, {"TILE", 16}}));
  EXPECT_EQ(variant().study->launch.block, (Dim3{16, 16, 1}));
  while (desk().session.history().redo_name() != nullptr) desk().session.redo(desk());
  settle();
  EXPECT_EQ(variant().study->instance.parameters, last);

  bench_->add_variant();
  bench_->set_parameter("SKEW", 0);
  bench_->set_parameter("TILE", 32);
  desk().raise = View::kCompare;
  settle();
  ASSERT_NE(desk().compare.set(), nullptr);
  EXPECT_EQ(desk().compare.set()->variants[0].study->instance.parameters, last);
  EXPECT_EQ(desk().compare.set()->variants[1].study->instance.parameters,
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
  bench_->edit_source(text);
  settle();
  EXPECT_EQ(variant().study->launch.block, (Dim3{4, 4, 1}));
  EXPECT_EQ(variant().study->instance.parameters.at("TILE"), 4);
}

TEST_F(SessionTest, VariantsAndTextsComeBack) {
  settle();
  choose("transpose/naive", 64);
  const Document first = document();
  bench_->add_variant();
  draw_frame();
  bench_->edit_source(variant().source() + "// mine\n");
  draw_frame();
  ASSERT_TRUE(bench_->open_text(kOwn).ok());
  draw_frame();
  bench_->close_variant(0);
  draw_frame();
  const Document last = document();
  EXPECT_EQ(*desk().session.history().undo_name(), "variant A closed");
  for (int i = 0; i < 4; ++i) desk().session.undo(desk());
  settle();
  EXPECT_TRUE(same_content(document(), first));
  for (int i = 0; i < 4; ++i) desk().session.redo(desk());
  settle();
  EXPECT_TRUE(same_content(document(), last));
  EXPECT_FALSE(variant().error.has_value());
  EXPECT_NE(variant().study, nullptr);
}

TEST_F(SessionTest, KeysUndoAndRedo) {
  settle();
  const std::int64_t before = variant().parameters.at("STAGES");
  desk().focused_parameter = "STAGES";
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
  const std::size_t before = desk().session.history().depth();
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Parameters");
    ctx.ItemDragWithDelta("TILE_K/track", ImVec2(-200, 0));
  });
  EXPECT_EQ(desk().session.history().depth(), before + 1);
  EXPECT_TRUE(desk().session.history().undo_name()->starts_with("TILE_K "));
}

TEST_F(SessionTest, ADamagedFileSaysWhereAndChangesNothing) {
  settle();
  make_lesson();
  save(file("lesson.tilescope"));
  std::string text = testing::read_file(file("lesson.tilescope"));
  text.replace(text.find("\"lane\": 9"), 9, "\"lane\": 99");
  std::ofstream(file("damaged.tilescope")) << text;
  const Document open = document();
  open_path(desk(), file("damaged.tilescope"));
  draw_frames(3);
  EXPECT_TRUE(same_content(document(), open));
  EXPECT_EQ(desk().session.path(), file("lesson.tilescope"));
  EXPECT_TRUE(says("variants[0].selection.lane: 99 lies outside 0 to 31"));
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//notices/**/dismiss"); });
  draw_frames(2);
  EXPECT_FALSE(says("lies outside"));
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
    EXPECT_EQ(desk().view, View::kBanks);
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
  EXPECT_EQ(desk().view, View::kTiling);
  EXPECT_TRUE(says("There is no view memory in this version"));
  EXPECT_FALSE(desk().session.changed());
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
  EXPECT_EQ(bench_->variants().size(), 1U);
  EXPECT_TRUE(desk().session.path().empty());
  EXPECT_EQ(interface_->title(), "Tilescope");
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_O); });
  act([&](ImGuiTestContext& ctx) {
    ctx.Yield(2);
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
    ctx.KeyChars(file("lesson.tilescope").c_str());
    ctx.ItemClick("//file/Open");
  });
  settle();
  EXPECT_EQ(desk().session.path(), file("lesson.tilescope"));
  EXPECT_EQ(bench_->variants().size(), 2U);
}

// A worker that has a device and remembers what it was asked to run.
class RecordingLink final : public WorkerLink {
 public:
  explicit RecordingLink(std::shared_ptr<std::vector<std::string>> asked)
      : asked_(std::move(asked)) {
    device_.name = "Recording GPU";
    device_.compute_capability = 90;
  }
  std::optional<Result<DeviceInfo>> device() const override { return Result<DeviceInfo>(device_); }
  Ticket submit(const std::string&, RunRequest request) override {
    asked_->push_back(request.instance.id);
    return asked_->size();
  }
  void poll(const std::function<void(const Progress&)>&,
            const std::function<void(Answer)>&) override {}
  void cancel(const std::string&) override {}
  bool busy() const override { return false; }

 private:
  DeviceInfo device_;
  std::shared_ptr<std::vector<std::string>> asked_;
};

class TrustTest : public SessionTest {
 protected:
  [[nodiscard]] std::unique_ptr<WorkerLink> make_link() const override {
    return std::make_unique<RecordingLink>(asked_);
  }
  // Measuring never ends with this link, so settle() would not.
  void compute() {
    const double deadline = bench_->now_seconds() + 120;
    for (int quiet = 0; quiet < 8 && bench_->now_seconds() < deadline;) {
      draw_frame();
      const bool waits = std::ranges::any_of(bench_->variants(), [](const Variant& v) {
        const bool has_machine_code = v.study != nullptr && v.study->device != nullptr;
        return v.study_pending || v.grid_pending || v.due_seconds || !has_machine_code;
      });
      quiet = waits ? 0 : quiet + 1;
    }
  }
  [[nodiscard]] bool asked_for(const std::string& id) const {
    return std::ranges::find(*asked_, id) != asked_->end();
  }
  std::shared_ptr<std::vector<std::string>> asked_ = std::make_shared<std::vector<std::string>>();
};

TEST_F(TrustTest, NothingOutOfAFileRunsBeforeItIsAllowed) {
  compute();
  EXPECT_TRUE(asked_for("gemm/register_tile"));
  bench_->choose_kernel(entry("transpose/naive"));
  for (const char* name : {"ROWS", "COLS"}) bench_->set_extent(name, 64);
  compute();
  bench_->edit_source(variant().source() + "// mine\n");
  compute();
  EXPECT_TRUE(asked_for("transpose/naive (edited)")) << "typed here";
  bench_->add_variant();
  ASSERT_TRUE(bench_->open_text(kOwn).ok());
  compute();
  EXPECT_TRUE(asked_for("pasted_1.cu")) << "pasted here";
  desk().session.save(desk(), file("a.tilescope"));
  while (desk().session.writing()) draw_frame();

  // Another installation: nothing of it is known there.
  open(1920, 1080, Theme::kDark);
  compute();
  asked_->clear();
  ASSERT_TRUE(desk().session.open(desk(), file("a.tilescope")).ok());
  compute();
  EXPECT_TRUE(asked_->empty());
  EXPECT_TRUE(says("came with a file"));
  bench_->measure_again();
  // Writing on in it does not make it known.
  bench_->edit_source(variant().source() + "// more\n");
  compute();
  desk().session.undo(desk());
  compute();
  EXPECT_TRUE(asked_->empty());
  // What comes with the program may run beside it.
  bench_->activate(0);
  bench_->revert_source();
  compute();
  EXPECT_EQ(*asked_, std::vector<std::string>{"transpose/naive"});
  desk().session.undo(desk());
  compute();
  EXPECT_EQ(asked_->size(), 1U);
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//notices/**/Run on the GPU"); });
  compute();
  EXPECT_TRUE(asked_for("transpose/naive (edited)"));
  EXPECT_TRUE(asked_for("pasted_1.cu"));
  EXPECT_FALSE(says("came with a file"));
}

TEST_F(TrustTest, AKernelFileToo) {
  compute();
  std::ofstream(file("mine.cu")) << kOwn;
  asked_->clear();
  open_path(desk(), file("mine.cu"));
  compute();
  EXPECT_TRUE(asked_->empty());
  EXPECT_NE(variant().study, nullptr) << "it is shown all the same";
  bench_->allow_gpu();
  compute();
  EXPECT_EQ(asked_->size(), 1U);
}

// The leave is for what was compiled: the text and every header that went in with it.
TEST_F(TrustTest, AHeaderThatChangedMustBeAllowedAnew) {
  compute();
  const std::string text =
      "#include \"first.h\"\n"
      "__global__ void scale(const float* in, float* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) out[i] = factor() * in[i];\n"
      "}\n";
  std::ofstream(file("mine.cu")) << text;
  std::ofstream(file("first.h")) << "#include <second.h>\n";
  std::ofstream(file("second.h")) << "__device__ float factor() { return 2.0f; }\n";
  asked_->clear();
  open_path(desk(), file("mine.cu"));
  compute();
  ASSERT_NE(variant().included(), nullptr);
  EXPECT_EQ(variant().included()->files.size(), 2U);
  EXPECT_TRUE(asked_->empty());
  EXPECT_TRUE(says("mine.cu with first.h and 1 more header came with files"));
  bench_->allow_gpu();
  compute();
  EXPECT_EQ(asked_->size(), 1U);
  EXPECT_FALSE(says("came with files"));
  // Who writes on here, with the same headers, knows what runs.
  bench_->edit_source(text + "// more\n");
  compute();
  EXPECT_EQ(asked_->size(), 2U);

  std::ofstream(file("second.h")) << "__device__ float factor() { return 3.0f; }\n";
  bench_->edit_source(text);
  compute();
  EXPECT_EQ(asked_->size(), 2U) << "another header under the text that was allowed";
  EXPECT_FALSE(bench_->may_run(variant()));
  EXPECT_FALSE(bench_->may_run(variant().study->instance, *variant().study->compiled));
  EXPECT_TRUE(says("one of them has changed"));
  bench_->measure_again();
  bench_->read_counters();
  compute();
  EXPECT_EQ(asked_->size(), 2U);
  bench_->allow_gpu();
  compute();
  EXPECT_EQ(asked_->size(), 3U);
  std::ofstream(file("second.h")) << "__device__ float factor() { return 2.0f; }\n";
  bench_->edit_source(text + "// more\n");
  compute();
  EXPECT_EQ(asked_->size(), 4U) << "as it was allowed first";
}

TEST_F(TrustTest, TheLinkItselfRefuses) {
  const auto guarded =
      make_guarded_link(std::make_unique<RecordingLink>(asked_),
                        [](const RunRequest& request) { return request.instance.id == "good"; });
  asked_->clear();
  RunRequest request;
  request.instance.id = "bad";
  const WorkerLink::Ticket refused = guarded->submit("a", request);
  request.instance.id = "good";
  EXPECT_NE(guarded->submit("b", request), refused);
  EXPECT_EQ(*asked_, std::vector<std::string>{"good"});
  EXPECT_TRUE(guarded->busy());
  int answers = 0;
  guarded->poll([](const auto&) {},
                [&](const WorkerLink::Answer& answer) {
                  ++answers;
                  EXPECT_EQ(answer.ticket, refused);
                  EXPECT_FALSE(answer.result.ok());
                });
  EXPECT_EQ(answers, 1);
  EXPECT_FALSE(guarded->busy());
}

}  // namespace
}  // namespace tilescope
