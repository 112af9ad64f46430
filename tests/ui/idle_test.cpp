#include <gtest/gtest.h>
#include <imgui.h>
#include <sys/resource.h>

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "ui/frame_loop.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRests = 8;
constexpr std::chrono::milliseconds kRest{250};
constexpr std::chrono::seconds kMost{120};  // for the study, on a busy machine

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A window that watches its loop: nobody touches it but as `touch_at` says, and it closes after
// kRests waits without an end, each of which it ends early as a spurious wake would.
class WatchedWindow final : public Platform {
 public:
  WatchedWindow(Platform& target, int touch_at = -1, std::function<void()> touch = {})
      : target_(target),
        touch_at_(touch_at),
        touch_(std::move(touch)),
        deadline_(Clock::now() + kMost) {}

  void begin_frame() override { target_.begin_frame(); }
  void end_frame() override {
    target_.end_frame();
    ++frames;
    if (rests > 0) ++frames_since_rest;
  }
  bool wait_for_input(double most_seconds) override {
    if (most_seconds >= 0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(most_seconds));
      return false;
    }
    if (rests == touch_at_) {
      touch_at_ = -1;
      if (touch_) touch_();
      return true;
    }
    if (rests == 0) cpu_at_rest_ = cpu_seconds();
    std::this_thread::sleep_for(kRest);
    ++rests;
    cpu_resting = cpu_seconds() - cpu_at_rest_;
    return false;
  }
  [[nodiscard]] bool closed() const override { return rests >= kRests || Clock::now() > deadline_; }
  void resize(int width, int height) override { target_.resize(width, height); }
  [[nodiscard]] float display_scale() const override { return target_.display_scale(); }
  [[nodiscard]] Screenshot read_pixels() const override { return target_.read_pixels(); }
  [[nodiscard]] std::string description() const override { return target_.description(); }
  [[nodiscard]] std::vector<std::string> take_dropped_files() override { return {}; }

  int frames = 0;
  int frames_since_rest = 0;
  int rests = 0;
  double cpu_resting = 0;

 private:
  Platform& target_;
  int touch_at_;
  std::function<void()> touch_;
  Clock::time_point deadline_;
  double cpu_at_rest_ = 0;
};

class Idle : public UiTest {};

TEST_F(Idle, AWindowAtRestDrawsNothingAndSleeps) {
  WatchedWindow window(*platform_);
  const WindowOptions options;
  FrameLoop loop(options, *workbench_, window, *interface_);
  ASSERT_TRUE(loop.run().ok());
  ASSERT_EQ(window.rests, kRests) << "it never came to rest";
  ASSERT_NE(variant().study, nullptr);
  EXPECT_GT(window.frames, 0);
  EXPECT_EQ(window.frames_since_rest, 0);
  const std::chrono::duration<double> rested = kRest * kRests;
  EXPECT_LT(window.cpu_resting, 0.02 * rested.count());
}

TEST_F(Idle, AnInputWakesItForAFewFrames) {
  WatchedWindow window(*platform_, kRests / 2);
  const WindowOptions options;
  FrameLoop loop(options, *workbench_, window, *interface_);
  ASSERT_TRUE(loop.run().ok());
  ASSERT_EQ(window.rests, kRests);
  EXPECT_GE(window.frames_since_rest, 1);
  EXPECT_LE(window.frames_since_rest, 16);  // and those of a fade, 0.2 s, that it may have begun
}

// Where frames are slow, much is typed between two of them.
TEST_F(Idle, KeysThatCameTogetherAreAllTaken) {
  constexpr int kPresses = 20;
  settle();
  variant().selection.lane = 3;
  WatchedWindow window(*platform_, kRests / 2, [] {
    for (int i = 0; i < kPresses; ++i) {
      ImGui::GetIO().AddKeyEvent(ImGuiKey_RightBracket, true);
      ImGui::GetIO().AddKeyEvent(ImGuiKey_RightBracket, false);
    }
  });
  const WindowOptions options;
  FrameLoop loop(options, *workbench_, window, *interface_);
  ASSERT_TRUE(loop.run().ok());
  EXPECT_EQ(variant().selection.lane, 3 + kPresses);
}

// Ctrl went down before the frame; the key and the end of both came in it.
TEST_F(Idle, AChordIsSeenWholeWhereItEndsWithinAFrame) {
  settle();
  const auto let_ctrl = [](bool down) {
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, down);
    ImGui::GetIO().AddKeyEvent(ImGuiKey_LeftCtrl, down);
  };
  let_ctrl(true);
  draw_frame();
  ASSERT_TRUE(ImGui::GetIO().KeyCtrl);
  ASSERT_FALSE(variant().marks.loop_out);
  WatchedWindow window(*platform_, kRests / 2, [&] {
    ImGui::GetIO().AddKeyEvent(ImGuiKey_O, true);
    let_ctrl(false);
    ImGui::GetIO().AddKeyEvent(ImGuiKey_O, false);
  });
  const WindowOptions options;
  FrameLoop loop(options, *workbench_, window, *interface_);
  ASSERT_TRUE(loop.run().ok());
  EXPECT_FALSE(variant().marks.loop_out) << "O alone repeats to here";
  EXPECT_EQ(state().file_dialog.question, FileQuestion::kOpen);
  EXPECT_FALSE(ImGui::GetIO().KeyCtrl);
}

}  // namespace
}  // namespace tilescope
