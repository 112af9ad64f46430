#include "ui/window.h"

#include <imgui.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/device_table.h"
#include "core/paths.h"
#include "ui/frame_times.h"
#include "ui/interface.h"
#include "ui/platform.h"
#include "ui/script.h"

namespace tilescope {
namespace {

constexpr double kBusyPollSeconds = 0.008;  // between looks at the mailbox while work is under way
constexpr int kFramesAfterInput = 3;        // ImGui settles hover and layout within these
constexpr int kQuietFrames = 12;            // that end a screenshot's wait: fades have ended

int fail(const Error& error) {
  std::fprintf(stderr, "tilescope: %s\n", to_string(error).c_str());
  switch (error.code) {
    case ErrorCode::kUsage:
      return 1;
    case ErrorCode::kKernel:
      return 2;
    case ErrorCode::kMachine:
    case ErrorCode::kCancelled:
      break;
  }
  return 3;
}

Result<std::unique_ptr<Workbench>> make_workbench(const WindowOptions& options) {
  std::vector<std::filesystem::path> folders{resource_directory() / "kernels"};
  const std::filesystem::path own = data_directory() / "kernels";
  std::error_code ignored;
  if (std::filesystem::is_directory(own, ignored)) folders.push_back(own);
  Result<Catalogue> catalogue = load_catalogue(folders);
  if (!catalogue.ok()) return catalogue.error();
  Result<std::vector<DeviceModel>> devices =
      load_device_table(resource_directory() / "assets" / "devices.json");
  if (!devices.ok()) return devices.error();
  std::unique_ptr<WorkerLink> gpu =
      options.measure ? start_worker({}) : make_null_link("measuring was switched off");
  Workbench::Settings settings;
  settings.job_threads = std::max(2U, std::thread::hardware_concurrency() / 2);
  settings.measure = options.measure;
  if (options.measure) {
    settings.history = std::make_shared<HistoryWriter>(History::default_file());
  }
  return std::make_unique<Workbench>(std::move(catalogue).value(), std::move(devices).value(),
                                     std::move(gpu), settings);
}

Status open_kernel(Workbench& bench, const WindowOptions& options) {
  const std::string wanted = options.kernel.empty() ? "gemm/register_tile" : options.kernel;
  const CatalogueEntry* entry = bench.catalogue().find(wanted);
  if (entry == nullptr) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(wanted, ignored)) return bench.open_file(wanted);
    return Error{ErrorCode::kUsage,
                 "there is no kernel or file " + wanted,
                 "tilescope list shows what there is.",
                 {}};
  }
  bench.choose_kernel(*entry);
  Result<ParameterSet> parameters = complete_parameters(*entry, options.parameters);
  if (!parameters.ok()) return parameters.error();
  bench.apply(parameters.value());
  if (!options.size.empty()) {
    Result<ParameterSet> extents = parse_size(entry->problem, options.size);
    if (!extents.ok()) return extents.error();
    for (const auto& [name, value] : extents.value()) bench.set_extent(name, value);
  }
  return ok_status();
}

// Everything that was asked for is there: the workbench rests and the worker has answered.
bool is_idle(const Workbench& bench) { return !bench.busy() && bench.gpu().device().has_value(); }

class FrameLoop {
 public:
  FrameLoop(const WindowOptions& options, Workbench& bench, Platform& platform,
            Interface& interface)
      : options_(options), bench_(bench), platform_(platform), interface_(interface) {
    if (scripted() || !options_.script.empty())
      (void)platform_.read_pixels();  // keep them from now on
  }

  // Loads the script, if there is one.
  Status prepare() {
    if (options_.script.empty()) return ok_status();
    std::ifstream stream(options_.script);
    if (!stream)
      return Error{ErrorCode::kUsage, "cannot read " + options_.script, "", {options_.script}};
    const std::string text{std::istreambuf_iterator<char>(stream),
                           std::istreambuf_iterator<char>()};
    Result<std::vector<ScriptCommand>> commands = parse_script(text, options_.script);
    if (!commands.ok()) return commands.error();
    script_.emplace(std::move(commands).value());
    return ok_status();
  }

  int run() {
    while (!platform_.closed()) {
      if (script_) {
        const Result<bool> going_on = script_->advance(interface_.desk(), host());
        if (!going_on.ok()) return fail(going_on.error());
        if (!going_on.value()) {
          script_.reset();
          if (options_.screenshot.empty()) return 0;
        }
      }
      wait();
      for (const std::string& file : platform_.take_dropped_files()) interface_.open_dropped(file);
      if (bench_.tick()) frames_due_ = std::max(frames_due_, 1);
      stand_at_step();
      if (frames_due_ == 0 && !interface_.animating() && !scripted()) continue;
      frames_due_ = std::max(0, frames_due_ - 1);
      draw();
      if (!script_ && !options_.screenshot.empty() && picture_is_complete()) {
        const Status written = write_png(platform_.read_pixels(), options_.screenshot);
        return written.ok() ? 0 : fail(written.error());
      }
    }
    return 0;
  }

 private:
  [[nodiscard]] bool scripted() const {
    return script_.has_value() || !options_.screenshot.empty();
  }

  // Sleeps until there is a reason to look again; draws nothing meanwhile.
  void wait() {
    double most = -1;
    if (!is_idle(bench_)) most = kBusyPollSeconds;
    if (frames_due_ > 0 || interface_.animating() || scripted()) most = 0;
    if (platform_.wait_for_input(most)) frames_due_ = kFramesAfterInput;
  }

  void draw() {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    platform_.begin_frame();
    interface_.prepare_frame();
    ImGui::NewFrame();
    interface_.frame();
    ImGui::Render();
    const auto drawn = Clock::now();
    platform_.end_frame();
    const auto end = Clock::now();
    times_.add({std::chrono::duration<double>(drawn - begin).count(),
                std::chrono::duration<double>(end - begin).count()});
    if (options_.headless && scripted()) pace(begin);
  }

  // A script's frames come at a display's pace, so that a drag over N frames takes as long as by
  // hand.
  static void pace(std::chrono::steady_clock::time_point begin) {
    std::this_thread::sleep_until(begin + std::chrono::microseconds(16667));
  }

  void stand_at_step() {
    if (!options_.step || stood_at_step_) return;
    Variant& variant = bench_.active();
    if (variant.study == nullptr || !variant.study->timeline || variant.study_pending) return;
    const auto& begins = variant.study->timeline->step_begin;
    if (!begins.empty()) {
      variant.selection.event = begins[std::min<std::size_t>(*options_.step, begins.size() - 1)];
    }
    stood_at_step_ = true;
  }

  bool picture_is_complete() {
    const bool quiet = is_idle(bench_) && !interface_.animating();
    quiet_frames_ = quiet ? quiet_frames_ + 1 : 0;
    return quiet_frames_ >= kQuietFrames;
  }

  ScriptHost host() {
    return {
        .screenshot =
            [this](const std::string& file) { return write_png(platform_.read_pixels(), file); },
        .idle = [this] { return is_idle(bench_) && !interface_.animating(); },
        .resize = [this](int width, int height) { platform_.resize(width, height); },
        .report_frames = [this] { report_frames(); }};
  }

  void report_frames() {
    const FrameTimes::Frame slowest = times_.slowest();
    const FrameTimes::Frame median = times_.median();
    std::printf(
        "%zu frames: own part median %.2f ms, slowest %.2f ms; with drawing median %.2f ms, "
        "slowest %.2f ms (%s)\n",
        times_.count(), median.own_seconds * 1e3, slowest.own_seconds * 1e3,
        median.whole_seconds * 1e3, slowest.whole_seconds * 1e3, platform_.description().c_str());
    std::fflush(stdout);
    times_.forget();
  }

  const WindowOptions& options_;
  Workbench& bench_;
  Platform& platform_;
  Interface& interface_;
  std::optional<Script> script_;
  FrameTimes times_;
  int frames_due_ = kFramesAfterInput;
  int quiet_frames_ = 0;
  bool stood_at_step_ = false;
};

}  // namespace

int run_window(const WindowOptions& options) {
  const PlatformOptions platform_options{options.width, options.height};
  const bool headless = options.headless;
  const Interface::Contexts contexts;
  Result<std::unique_ptr<Platform>> platform =
      headless ? open_headless(platform_options) : open_glfw_window(platform_options);
  if (!platform.ok()) return fail(platform.error());
  Result<std::unique_ptr<Workbench>> bench = make_workbench(options);
  if (!bench.ok()) return fail(bench.error());
  const Status opened = open_kernel(**bench, options);
  if (!opened.ok()) return fail(opened.error());

  const bool remember = !headless && options.screenshot.empty() && options.script.empty();
  const InterfaceOptions interface_options{
      .remember = remember,
      .theme = options.theme,
      .view = options.view,
      .lecture = options.lecture,
      .scale = options.scale > 0 ? options.scale : (*platform)->display_scale()};
  Result<std::unique_ptr<Interface>> interface = Interface::create(**bench, interface_options);
  if (!interface.ok()) return fail(interface.error());
  FrameLoop loop(options, **bench, **platform, **interface);
  const Status prepared = loop.prepare();
  if (!prepared.ok()) return fail(prepared.error());
  return loop.run();
}

}  // namespace tilescope
