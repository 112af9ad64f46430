#include "ui_fixture.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>
#include <imgui_te_engine.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "core/device_table.h"
#include "core/paths.h"
#include "store/recorded_library.h"
#include "ui/platform/platform_glfw.h"
#include "ui/platform/platform_headless.h"

namespace tilescope {
namespace {

constexpr double kMostSeconds = 120;  // for one study on a busy machine

// With TILESCOPE_TEST_WINDOW the real window. An X server that its last client left starts anew and
// takes nobody meanwhile.
Result<std::unique_ptr<Platform>> open_platform(int width, int height) {
  if (std::getenv("TILESCOPE_TEST_WINDOW") == nullptr) return open_headless({width, height});
  constexpr int kTries = 50;
  Result<std::unique_ptr<Platform>> window = open_glfw_window({width, height});
  for (int i = 0; i < kTries && !window.ok(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    window = open_glfw_window({width, height});
  }
  return window;
}

// Read once: the kernels of the catalogue are the same in every test.
std::shared_ptr<const RecordedLibrary> recorded_runs(const Workbench& workbench) {
  static const std::shared_ptr<const RecordedLibrary> kRead = [&] {
    Result<RecordedLibrary> library = RecordedLibrary::load_shipped(workbench.catalogue());
    return library.ok() ? std::make_shared<const RecordedLibrary>(std::move(library).value())
                        : nullptr;
  }();
  return kRead;
}

}  // namespace

void UiTest::open(int width, int height, Theme theme) {
  close();
  contexts_ = std::make_unique<Interface::Contexts>();
  Result<std::unique_ptr<Platform>> platform = open_platform(width, height);
  if (!platform.ok()) {
    contexts_.reset();
    GTEST_SKIP() << to_string(platform.error());
  }
  platform_ = std::move(platform).value();
  Result<Catalogue> catalogue = load_catalogue({resource_directory() / "kernels"});
  ASSERT_TRUE(catalogue.ok()) << to_string(catalogue.error());
  Result<std::vector<DeviceModel>> devices =
      load_device_table(resource_directory() / "assets" / "devices.json");
  ASSERT_TRUE(devices.ok()) << to_string(devices.error());
  workbench_ = std::make_unique<Workbench>(std::move(catalogue).value(), std::move(devices).value(),
                                           make_link(), settings());
  workbench_->choose_kernel(entry("gemm/register_tile"));
  // Small, so that the whole grid is counted within a test.
  for (const char* name : {"M", "N", "K"}) workbench_->set_extent(name, 256);
  Result<std::unique_ptr<Interface>> interface =
      Interface::create(*workbench_, {.theme = theme, .recorded = recorded_runs(*workbench_)});
  ASSERT_TRUE(interface.ok()) << to_string(interface.error());
  interface_ = std::move(interface).value();

  // What a user of a debug build would see as a red box.
  ImGui::GetCurrentContext()->ErrorCallback = [](ImGuiContext*, void*, const char* message) {
    ADD_FAILURE() << "Dear ImGui: " << message;
  };
  engine_ = ImGuiTestEngine_CreateContext();
  ImGuiTestEngineIO& io = ImGuiTestEngine_GetIO(engine_);
  io.ConfigRunSpeed = ImGuiTestRunSpeed_Fast;
  io.ConfigVerboseLevel = ImGuiTestVerboseLevel_Error;
  io.ConfigVerboseLevelOnError = ImGuiTestVerboseLevel_Info;
  io.ConfigLogToTTY = true;
  io.ConfigSavedSettings = false;
  io.ConfigRestoreFocusAfterTests = false;  // what a person brought to the front stays there
  io.ConfigNoThrottle = true;
  ImGuiTestEngine_Start(engine_, ImGui::GetCurrentContext());
  draw_frames(4);
}

void UiTest::close() {
  if (engine_ != nullptr) ImGuiTestEngine_Stop(engine_);
  interface_.reset();
  workbench_.reset();
  platform_.reset();
  contexts_.reset();
  if (engine_ != nullptr) ImGuiTestEngine_DestroyContext(engine_);
  engine_ = nullptr;
}

void UiTest::TearDown() { close(); }

std::unique_ptr<WorkerLink> UiTest::make_link() const { return make_null_link("a test has none"); }

void UiTest::choose(const char* id, std::int64_t size) {
  workbench_->choose_kernel(entry(id));
  const ParameterSet extents = variant().extents;
  for (const auto& [name, value] : extents) workbench_->set_extent(name, size);
  settle();
}

const CatalogueEntry& UiTest::entry(const char* id) const {
  const CatalogueEntry* found = workbench_->catalogue().find(id);
  EXPECT_NE(found, nullptr) << id;
  return *found;
}

void UiTest::draw_frame() {
  workbench_->tick();
  platform_->begin_frame();
  interface_->prepare_frame();
  ImGui::NewFrame();
  interface_->frame();
  ImGui::Render();
  platform_->end_frame();
  ImGuiTestEngine_PostSwap(engine_);
}

void UiTest::draw_frames(int count) {
  for (int i = 0; i < count; ++i) draw_frame();
}

void UiTest::settle() {
  const double deadline = workbench_->now_seconds() + kMostSeconds;
  for (int quiet = 0; quiet < 8;) {
    draw_frame();
    quiet = workbench_->busy() || interface_->animating() ? 0 : quiet + 1;
    ASSERT_LT(workbench_->now_seconds(), deadline) << "still busy";
    // Frames take processor time from what they wait for.
    if (quiet == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void UiTest::act(const std::function<void(ImGuiTestContext&)>& body) {
  ImGuiTest* test = ImGuiTestEngine_RegisterTest(engine_, "ui", "act");
  test->UserData = const_cast<std::function<void(ImGuiTestContext&)>*>(&body);
  test->TestFunc = [](ImGuiTestContext* context) {
    (*static_cast<const std::function<void(ImGuiTestContext&)>*>(context->Test->UserData))(
        *context);
  };
  ImGuiTestEngine_QueueTest(engine_, test);
  while (!ImGuiTestEngine_IsTestQueueEmpty(engine_)) draw_frame();
  EXPECT_EQ(test->Output.Status, ImGuiTestStatus_Success) << "an item was not found or not reached";
  ImGuiTestEngine_UnregisterTest(engine_, test);
}

TextAudit UiTest::audit() {
  TextAudit audit;
  state().audit = &audit;
  draw_frame();
  state().audit = nullptr;
  return audit;
}

UiTest::Difference UiTest::difference(const Screenshot& a, const Screenshot& b, const Rect& part) {
  EXPECT_EQ(a.rgba.size(), b.rgba.size());
  Difference difference;
  for (int y = static_cast<int>(part.y); y < static_cast<int>(part.bottom()); ++y) {
    for (int x = static_cast<int>(part.x); x < static_cast<int>(part.right()); ++x) {
      const std::ptrdiff_t at = (std::ptrdiff_t{y} * a.width + x) * 4;
      if (std::equal(a.rgba.begin() + at, a.rgba.begin() + at + 3, b.rgba.begin() + at)) continue;
      ++difference.pixels;
      difference.left = std::min(difference.left, x);
      difference.top = std::min(difference.top, y);
      difference.right = std::max(difference.right, x + 1);
      difference.bottom = std::max(difference.bottom, y + 1);
    }
  }
  return difference;
}

std::string UiTest::Difference::place() const {
  return fmt::format("from ({}, {}) to ({}, {})", left, top, right, bottom);
}

}  // namespace tilescope
