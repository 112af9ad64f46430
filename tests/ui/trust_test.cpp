// What of a file runs on the GPU, and what waits until it is allowed.
#include <imgui.h>
#include <imgui_te_context.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "session_fixture.h"
#include "ui/state/actions.h"
#include "ui/workbench/guarded_link.h"

namespace tilescope {
namespace {

// A worker that has a device and remembers what it was asked to run.
class RecordingLink final : public WorkerLink {
 public:
  explicit RecordingLink(std::shared_ptr<std::vector<std::string>> asked)
      : asked_(std::move(asked)) {
    device_.name = "Recording GPU";
    device_.compute_capability = 90;
  }
  std::optional<Result<DeviceInfo>> device() const override { return Result<DeviceInfo>(device_); }
  RequestId submit(const std::string&, RunRequest request) override {
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
    const double deadline = workbench_->now_seconds() + 120;
    for (int quiet = 0; quiet < 8 && workbench_->now_seconds() < deadline;) {
      draw_frame();
      const bool waits = std::ranges::any_of(workbench_->variants(), [](const Variant& v) {
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
  workbench_->choose_kernel(entry("transpose/naive"));
  for (const char* name : {"ROWS", "COLS"}) workbench_->set_extent(name, 64);
  compute();
  workbench_->edit_source(variant().source() + "// mine\n");
  compute();
  EXPECT_TRUE(asked_for("transpose/naive (edited)")) << "typed here";
  workbench_->add_variant();
  ASSERT_TRUE(workbench_->open_text(kOwn).ok());
  compute();
  EXPECT_TRUE(asked_for("scale")) << "pasted here";
  state().session.save(state(), file("a.tilescope"));
  while (state().session.writing()) draw_frame();

  // Another installation: nothing of it is known there.
  open(1920, 1080, Theme::kDark);
  compute();
  asked_->clear();
  ASSERT_TRUE(state().session.open(state(), file("a.tilescope")).ok());
  compute();
  EXPECT_TRUE(asked_->empty());
  EXPECT_TRUE(says("came from a file"));
  workbench_->measure_again();
  // Writing on in it does not make it known.
  workbench_->edit_source(variant().source() + "// more\n");
  compute();
  state().session.undo(state());
  compute();
  EXPECT_TRUE(asked_->empty());
  // What comes with the program may run beside it.
  workbench_->activate(0);
  workbench_->revert_source();
  compute();
  EXPECT_EQ(*asked_, std::vector<std::string>{"transpose/naive"});
  state().session.undo(state());
  compute();
  EXPECT_EQ(asked_->size(), 1U);
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//notices/**/Run on the GPU"); });
  compute();
  EXPECT_TRUE(asked_for("transpose/naive (edited)"));
  EXPECT_TRUE(asked_for("scale"));
  EXPECT_FALSE(says("came from a file"));
}

TEST_F(TrustTest, AnOwnKernelThatNoTabShowsWaitsToo) {
  compute();
  ASSERT_TRUE(workbench_->open_text(kOwn).ok());
  compute();
  workbench_->choose_kernel(entry("transpose/naive"));
  for (const char* name : {"ROWS", "COLS"}) workbench_->set_extent(name, 64);
  compute();
  state().session.save(state(), file("list.tilescope"));
  while (state().session.writing()) draw_frame();

  open(1920, 1080, Theme::kDark);
  compute();
  ASSERT_TRUE(state().session.open(state(), file("list.tilescope")).ok());
  compute();
  asked_->clear();
  EXPECT_FALSE(says("came from a file")) << "what is shown comes with the program";
  workbench_->open_own(0);
  compute();
  EXPECT_TRUE(asked_->empty());
  EXPECT_TRUE(says("scale came from a file"));
  workbench_->allow_gpu();
  compute();
  EXPECT_TRUE(asked_for("scale"));
}

TEST_F(TrustTest, AKernelFileToo) {
  compute();
  std::ofstream(file("mine.cu")) << kOwn;
  asked_->clear();
  open_path(state(), file("mine.cu"));
  compute();
  EXPECT_TRUE(asked_->empty());
  EXPECT_NE(variant().study, nullptr) << "it is shown all the same";
  workbench_->allow_gpu();
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
  open_path(state(), file("mine.cu"));
  compute();
  ASSERT_NE(variant().included(), nullptr);
  EXPECT_EQ(variant().included()->files.size(), 2U);
  EXPECT_TRUE(asked_->empty());
  EXPECT_TRUE(says("mine.cu with first.h and 1 more header came from files"));
  workbench_->allow_gpu();
  compute();
  EXPECT_EQ(asked_->size(), 1U);
  EXPECT_FALSE(says("came from files"));
  // Who writes on here, with the same headers, knows what runs.
  workbench_->edit_source(text + "// more\n");
  compute();
  EXPECT_EQ(asked_->size(), 2U);

  std::ofstream(file("second.h")) << "__device__ float factor() { return 3.0f; }\n";
  workbench_->edit_source(text);
  compute();
  EXPECT_EQ(asked_->size(), 2U) << "another header under the text that was allowed";
  EXPECT_FALSE(workbench_->may_run(variant()));
  EXPECT_FALSE(workbench_->may_run(variant().study->instance, *variant().study->compiled));
  EXPECT_TRUE(says("one of them has changed"));
  workbench_->measure_again();
  workbench_->read_counters();
  compute();
  EXPECT_EQ(asked_->size(), 2U);
  workbench_->allow_gpu();
  compute();
  EXPECT_EQ(asked_->size(), 3U);
  std::ofstream(file("second.h")) << "__device__ float factor() { return 2.0f; }\n";
  workbench_->edit_source(text + "// more\n");
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
  const WorkerLink::RequestId refused = guarded->submit("a", request);
  request.instance.id = "good";
  EXPECT_NE(guarded->submit("b", request), refused);
  EXPECT_EQ(*asked_, std::vector<std::string>{"good"});
  EXPECT_TRUE(guarded->busy());
  int answers = 0;
  guarded->poll([](const auto&) {},
                [&](const WorkerLink::Answer& answer) {
                  ++answers;
                  EXPECT_EQ(answer.request_id, refused);
                  EXPECT_FALSE(answer.result.ok());
                });
  EXPECT_EQ(answers, 1);
  EXPECT_FALSE(guarded->busy());
}

}  // namespace
}  // namespace tilescope
