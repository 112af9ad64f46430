#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "ui_fixture.h"

namespace tilescope {

// tests_gpu pretends to be a worker with a GPU.
inline std::filesystem::path fake_worker() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "tests_gpu";
}
inline std::unique_ptr<WorkerLink> start_fake_worker(const std::string& start = "measures") {
  WorkerSettings settings;
  settings.command = {fake_worker().string(), "--fake-worker", start};
  return start_worker(settings);
}

// The interface with a worker that measures without a GPU.
class UiWithWorker : public UiTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(fake_worker())) {
      GTEST_SKIP() << "tests_gpu, which serves as the worker, is not built";
    }
    UiTest::SetUp();
  }
  [[nodiscard]] std::unique_ptr<WorkerLink> make_link() const override {
    return start_fake_worker();
  }
  // Draws until it holds; a study on a busy machine takes its time.
  void draw_until(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (!condition()) {
      draw_frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ASSERT_LT(std::chrono::steady_clock::now(), end);
    }
    draw_frames(4);
  }
  void wait_for_measurement() {
    draw_until([this] { return variant().measured.has_value(); });
  }
  [[nodiscard]] bool says(const std::string& words) {
    for (const auto& text : audit().texts) {
      if (text.words.find(words) != std::string::npos) return true;
    }
    return false;
  }
};

}  // namespace tilescope
