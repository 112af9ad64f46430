// The program's own part of a frame, from its beginning until the draw data are ready for OpenGL,
// in every view: the whole window at 1920 x 1080 without a display, a block of more than a million
// events, time moving through the whole of it. Compare p99 with 4 ms. Beside it what OpenGL then
// takes until the picture is finished (gl_…): on a machine without a GPU that is a rasteriser on
// the same cores. tuner_at_work is the same window, 60 frames a second, with the Tuner in front and
// at work: by the time model, or with the worker that TILESCOPE_WORKER names. And the window at
// rest for half a minute: it should draw nothing.
#include <benchmark/benchmark.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/device_table.h"
#include "core/job_pool.h"
#include "core/paths.h"
#include "gpu/worker_link.h"
#include "kernel/compile/nvrtc_process.h"
#include "scene/views.h"
#include "ui/frame_loop.h"
#include "ui/interface.h"
#include "ui/platform/gl.h"
#include "ui/platform/platform_glfw.h"
#include "ui/platform/platform_headless.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

constexpr int kFrames = 200;
constexpr double kRestSeconds = 30;
constexpr double kTunedSeconds = 30;
constexpr std::int64_t kTunedExtent = 1024;
constexpr std::int64_t kExtent = 2048;  // of M, N and K: matrices of 2048 x 2048 cells

double in_seconds(const timespec& t) {
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// By the wall, and what this thread had of a core: on a machine that others share, the fairer one.
struct Seconds {
  double wall = 0;
  double thread = 0;
};
Seconds now() {
  timespec wall{};
  timespec thread{};
  clock_gettime(CLOCK_MONOTONIC, &wall);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &thread);
  return {in_seconds(wall), in_seconds(thread)};
}

// Of all threads.
double process_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return in_seconds(time);
}

class Window {
 public:
  using Opener = Result<std::unique_ptr<Platform>> (*)(const PlatformOptions&);

  Status open(Opener open_platform, std::int64_t extent,
              std::unique_ptr<WorkerLink> gpu = make_null_link("drawing is timed"),
              Workbench::Settings settings = {}) {
    auto platform = open_platform({});
    if (!platform.ok()) return platform.error();
    platform_ = std::move(platform).value();
    auto catalogue = load_catalogue({resource_directory() / "kernels"});
    if (!catalogue.ok()) return catalogue.error();
    auto devices = load_device_table(resource_directory() / "assets" / "devices.json");
    if (!devices.ok()) return devices.error();
    workbench_ =
        std::make_unique<Workbench>(std::move(catalogue).value(), std::move(devices).value(),
                                    std::move(gpu), std::move(settings));
    workbench_->choose_kernel(*workbench_->catalogue().find("gemm/register_tile"));
    for (const char* name : {"M", "N", "K"}) workbench_->set_extent(name, extent);
    auto interface = Interface::create(*workbench_, {.theme = Theme::kDark});
    if (!interface.ok()) return interface.error();
    interface_ = std::move(interface).value();
    settle();
    if (variant().study == nullptr || !variant().study->traced()) {
      return Error{ErrorCode::kKernel, "gemm/register_tile has no trace", "", {}};
    }
    return ok_status();
  }

  // Until nothing is computed and nothing moves any more.
  void settle() {
    for (int quiet = 0; quiet < 4;) {
      draw();
      quiet = workbench_->busy() || interface_->animating() ? 0 : quiet + 1;
      while (workbench_->busy()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        workbench_->tick();
      }
    }
  }

  // One frame: the program's own part, then OpenGL's.
  struct Frame {
    Seconds own;
    double gl_wall = 0;
  };
  Frame draw_finished() {
    Frame frame;
    frame.own = draw();
    // Nobody sees a headless picture, so nothing is drawn before its pixels are read: the draw data
    // go here into the framebuffer that is bound.
    const double begin = now().wall;
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    glFinish();
    frame.gl_wall = now().wall - begin + end_frame_wall_;
    return frame;
  }

  // The program's own part of one frame.
  Seconds draw() {
    const Seconds begin = now();
    workbench_->tick();
    platform_->begin_frame();
    interface_->prepare_frame();
    ImGui::NewFrame();
    interface_->frame();
    ImGui::Render();
    const Seconds end = now();
    platform_->end_frame();
    end_frame_wall_ = now().wall - end.wall;
    return {end.wall - begin.wall, end.thread - begin.thread};
  }

  void show(View view) {
    interface_->state().view = view;
    interface_->state().raise = view;
    interface_->state().view_settings.heat = view == View::kTiling;
    settle();
  }

  [[nodiscard]] Variant& variant() { return workbench_->active(); }
  [[nodiscard]] Platform& platform() { return *platform_; }
  [[nodiscard]] Workbench& workbench() { return *workbench_; }
  [[nodiscard]] Interface& interface() { return *interface_; }

 private:
  double end_frame_wall_ = 0;  // of the last frame
  Interface::Contexts contexts_;
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<Workbench> workbench_;
  std::unique_ptr<Interface> interface_;
};

// One window for all views; a study of this size takes seconds.
std::unique_ptr<Window>& shared_window() {
  static std::unique_ptr<Window> window;
  return window;
}

double percentile(std::vector<double> times, double part) {
  std::sort(times.begin(), times.end());
  const double place = std::ceil(part * static_cast<double>(times.size())) - 1;
  return times[static_cast<std::size_t>(std::max(place, 0.0))];
}

void draw_while_time_moves(benchmark::State& state, View view) {
  std::unique_ptr<Window>& window = shared_window();
  if (window == nullptr) {
    window = std::make_unique<Window>();
    const Status opened = window->open(open_headless, kExtent);
    if (!opened.ok()) return state.SkipWithError(to_string(opened.error()).c_str());
  }
  Variant& variant = window->variant();
  const std::size_t events = variant.study->trace->events.size();
  window->show(view);
  std::vector<double> wall;
  std::vector<double> thread;
  std::vector<double> gl;
  for (auto _ : state) {
    for (std::size_t frame = 0; frame < kFrames; ++frame) {
      variant.selection.event = static_cast<std::uint32_t>(frame * (events - 1) / (kFrames - 1));
      const Window::Frame drawn = window->draw_finished();
      wall.push_back(drawn.own.wall * 1e3);
      thread.push_back(drawn.own.thread * 1e3);
      gl.push_back(drawn.gl_wall * 1e3);
    }
  }
  state.counters["events"] = static_cast<double>(events);
  state.counters["p50_ms"] = percentile(wall, 0.50);
  state.counters["p99_ms"] = percentile(wall, 0.99);
  state.counters["core_p50_ms"] = percentile(thread, 0.50);
  state.counters["core_p99_ms"] = percentile(thread, 0.99);
  state.counters["gl_p50_ms"] = percentile(gl, 0.50);
  state.counters["gl_p99_ms"] = percentile(gl, 0.99);
}

// Compiled before, a variant would take no time.
class EmptyCache {
 public:
  EmptyCache() : folder_(std::filesystem::temp_directory_path() / "tilescope_bench_frames") {
    std::filesystem::remove_all(folder_);
    ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  ~EmptyCache() { std::filesystem::remove_all(folder_); }
  EmptyCache(const EmptyCache&) = delete;
  EmptyCache& operator=(const EmptyCache&) = delete;

 private:
  std::filesystem::path folder_;
};

void draw_while_tuning(benchmark::State& state) {
  shared_window().reset();
  const EmptyCache cache;
  const bool measures = std::getenv("TILESCOPE_WORKER") != nullptr;
  WorkerSettings worker;
  worker.beside_window = true;
  Window window;
  const Status opened = window.open(open_headless, kTunedExtent,
                                    measures ? start_worker(worker) : make_null_link("none"),
                                    Workbench::Settings::of_this_machine());
  if (!opened.ok()) return state.SkipWithError(to_string(opened.error()).c_str());
  work_before_others();  // as FrameLoop does
  Tuner& tuner = window.interface().state().tuner;
  window.interface().state().focus_panel = "Tuner";
  const auto start = [&] {
    if (tuner.stage() == Tuner::Stage::kDone) tuner.reset();
    tuner.look();
    for (int frame = 0; frame < 500 && !tuner.count(); ++frame) {
      window.draw();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    tuner.start();
  };
  std::vector<double> wall;
  std::vector<double> thread;
  for (auto _ : state) {
    const double end = now().wall + kTunedSeconds;
    while (now().wall < end) {
      if (!tuner.running()) start();
      const double begin = now().wall;
      const Seconds own = window.draw();
      wall.push_back(own.wall * 1e3);
      thread.push_back(own.thread * 1e3);
      const double left = 1.0 / 60 - (now().wall - begin);
      if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
    }
  }
  state.counters["frames"] = static_cast<double>(wall.size());
  state.counters["tried"] = static_cast<double>(tuner.done());
  state.counters["p50_ms"] = percentile(wall, 0.50);
  state.counters["p99_ms"] = percentile(wall, 0.99);
  state.counters["most_ms"] = percentile(wall, 1);
  state.counters["core_p50_ms"] = percentile(thread, 0.50);
  state.counters["core_p99_ms"] = percentile(thread, 0.99);
  tuner.stop();
}

// Passes everything on, counts the frames and closes when its time is up.
class CountingPlatform final : public Platform {
 public:
  explicit CountingPlatform(Platform& target) : target_(target) {}

  void begin_frame() override { target_.begin_frame(); }
  void end_frame() override {
    target_.end_frame();
    ++frames;
  }
  bool wait_for_input(double most_seconds) override {
    const double left = std::max(end_ - now().wall, 0.0);
    return target_.wait_for_input(most_seconds < 0 ? left : std::min(most_seconds, left));
  }
  [[nodiscard]] bool closed() const override { return now().wall >= end_ || target_.closed(); }
  void resize(int width, int height) override { target_.resize(width, height); }
  [[nodiscard]] float display_scale() const override { return target_.display_scale(); }
  [[nodiscard]] Screenshot read_pixels() const override { return target_.read_pixels(); }
  [[nodiscard]] std::string description() const override { return target_.description(); }
  [[nodiscard]] std::vector<std::string> take_dropped_files() override { return {}; }

  void close_in(double seconds) { end_ = now().wall + seconds; }
  int frames = 0;

 private:
  Platform& target_;
  double end_ = 0;
};

// A window on a display, as a person leaves it.
void rest(benchmark::State& state) {
  shared_window().reset();
  Window window;
  const Status opened = window.open(open_glfw_window, kExtent);
  if (!opened.ok()) return state.SkipWithError(to_string(opened.error()).c_str());
  CountingPlatform platform(window.platform());
  const WindowOptions options;
  FrameLoop loop(options, window.workbench(), platform, window.interface());
  platform.close_in(2);  // what a window that has just opened still wants
  if (!loop.run().ok()) return state.SkipWithError("the loop ended");
  const int frames_before = platform.frames;
  const double before = process_seconds();
  for (auto _ : state) {
    platform.close_in(kRestSeconds);
    if (!loop.run().ok()) return state.SkipWithError("the loop ended");
  }
  state.counters["frames"] = platform.frames - frames_before;
  state.counters["core_percent"] = 100 * (process_seconds() - before) / kRestSeconds;
}

void register_all() {
  for (const View view : all_views()) {
    benchmark::RegisterBenchmark(std::string(name_of(view)).c_str(), draw_while_time_moves, view)
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  }
  benchmark::RegisterBenchmark("tuner_at_work", draw_while_tuning)
      ->Unit(benchmark::kSecond)
      ->Iterations(1)
      ->UseRealTime();
  benchmark::RegisterBenchmark("at_rest", rest)
      ->Unit(benchmark::kSecond)
      ->Iterations(1)
      ->UseRealTime();
}

}  // namespace
}  // namespace tilescope

int main(int argc, char** argv) {
  if (const auto status = tilescope::serve_as_compile_worker(argc, argv)) return *status;
  tilescope::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  tilescope::shared_window().reset();  // before what its fonts and style stand in
}
