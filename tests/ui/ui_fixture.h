#pragma once
#include <gtest/gtest.h>

#include <climits>
#include <functional>
#include <memory>
#include <string>

#include "ui/drawing/imgui_canvas.h"
#include "ui/interface.h"
#include "ui/platform/platform.h"
#include "ui/workbench/workbench.h"

struct ImGuiTestContext;
struct ImGuiTestEngine;

namespace tilescope {

// The whole interface without a display, driven by the test engine's mouse and keys. Skips, saying
// so, on a machine whose EGL gives no OpenGL.
class UiTest : public ::testing::Test {
 protected:
  void SetUp() override { open(1920, 1080, Theme::kDark); }
  void TearDown() override;
  // The GPU of the tests: by default there is none.
  [[nodiscard]] virtual std::unique_ptr<WorkerLink> make_link() const;
  // By default nothing is compiled or computed ahead.
  [[nodiscard]] virtual Workbench::Settings settings() const {
    return {.ahead_threads = 0, .makes_ready = false};
  }

  // Anew at another size or in another theme.
  void open(int width, int height, Theme theme);
  // Runs `body` between frames, as a person would act; it may yield frames through its context.
  void act(const std::function<void(ImGuiTestContext&)>& body);
  void draw_frame();
  void draw_frames(int count);
  // Draws until nothing is computed any more and nothing moves.
  void settle();

  [[nodiscard]] WindowState& state() { return interface_->state(); }
  [[nodiscard]] Variant& variant() { return workbench_->active(); }
  [[nodiscard]] const CatalogueEntry& entry(const char* id) const;
  // This kernel with each of its sizes so large; settled.
  void choose(const char* id, std::int64_t size);
  // The texts of one more frame.
  [[nodiscard]] TextAudit audit();
  // Where two pictures differ within a part of the screen.
  struct Difference {
    std::size_t pixels = 0;
    int left = INT_MAX;
    int top = INT_MAX;
    int right = 0;
    int bottom = 0;
    [[nodiscard]] std::string place() const;
  };
  [[nodiscard]] static Difference difference(const Screenshot& a, const Screenshot& b,
                                             const Rect& part);

  std::unique_ptr<Interface::Contexts> contexts_;
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<Workbench> workbench_;
  std::unique_ptr<Interface> interface_;
  ImGuiTestEngine* engine_ = nullptr;

 private:
  void close();
};

}  // namespace tilescope
