#pragma once
#include <algorithm>
#include <string>

#include "temporary_folder.h"
#include "ui/state/session.h"
#include "ui_fixture.h"

namespace tilescope {

inline constexpr const char* kOwn =
    "__global__ void scale(const float* in, float* out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = 2.0f * in[i];\n"
    "}\n";

inline constexpr const char* kSum =
    "__global__ void blockSum(const float* in, float* out, int n) {\n"
    "  __shared__ float part[256];\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  part[threadIdx.x] = i < n ? in[i] : 0.0f;\n"
    "  __syncthreads();\n"
    "  for (int step = blockDim.x / 2; step > 0; step /= 2) {\n"
    "    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (threadIdx.x == 0) out[blockIdx.x] = part[0];\n"
    "}\n";

// The window with a folder for its sessions.
class SessionTest : public UiTest {
 protected:
  [[nodiscard]] std::string file(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] Document document() { return document_of(state(), Document{}); }
  void save(const std::string& name) {
    state().session.save(state(), name);
    while (state().session.writing()) draw_frame();
    draw_frames(2);
    ASSERT_EQ(state().session.path(), name);
    ASSERT_FALSE(state().session.changed());
  }
  void open_session(const std::string& name) {
    const Status opened = state().session.open(state(), name);
    ASSERT_TRUE(opened.ok()) << to_string(opened.error());
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
    workbench_->set_parameter("PAD", 1);
    settle();
    workbench_->add_variant();
    choose("gemm/naive", 64);
    workbench_->edit_source(variant().source() + "// a line of mine\n");
    settle();
    workbench_->activate(0);
    variant().selection.lane = 9;
    variant().selection.event += 30;
    variant().marks.bookmarks[4] = 12;
    state().raise = View::kBanks;
    state().preferences.theme = Theme::kLight;
    state().panel_open["Counters"] = false;
    state().notes = "First without padding.";
    settle();
  }

  testing::TemporaryFolder folder_;
};

}  // namespace tilescope
