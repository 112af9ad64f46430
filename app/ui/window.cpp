#include "ui/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "core/device_table.h"
#include "core/paths.h"
#include "core/text.h"
#include "ui/frame_loop.h"
#include "ui/interface.h"
#include "ui/platform/platform_glfw.h"
#include "ui/platform/platform_headless.h"

namespace tilescope {
namespace {

int fail(const Error& error) {
  std::fprintf(stderr, "tilescope: %s\n", to_string(error).c_str());
  switch (error.code) {
    case ErrorCode::kUsage:
      return 1;
    case ErrorCode::kKernel:
      return 2;
    case ErrorCode::kCompile:
      return 4;
    case ErrorCode::kMachine:
    case ErrorCode::kCancelled:
      break;
  }
  return 3;
}

std::unique_ptr<WorkerLink> start_gpu(const WindowOptions& options) {
  if (!options.measure) return make_null_link("measuring is switched off");
  if (options.workers.empty()) return start_worker({.command = {}, .beside_window = true});
  std::vector<WorkerSource> sources = options.workers;
  for (WorkerSource& source : sources) source.settings.beside_window = true;
  return std::make_unique<WorkerPool>(std::move(sources));
}

Result<std::unique_ptr<Workbench>> make_workbench(const WindowOptions& options) {
  std::vector<std::filesystem::path> folders{resource_directory() / "kernels"};
  const std::filesystem::path own = data_directory() / "kernels";
  std::error_code ignored;
  if (std::filesystem::is_directory(own, ignored)) folders.push_back(own);
  Result<Catalogue> catalogue = load_catalogue(folders);
  if (!catalogue.ok()) return catalogue.error();
  Result<std::vector<DeviceModel>> devices = load_devices();
  if (!devices.ok()) return devices.error();
  std::unique_ptr<WorkerLink> gpu = start_gpu(options);
  Workbench::Settings settings = Workbench::Settings::of_this_machine();
  settings.measure = options.measure;
  settings.view = options.view.value_or(View::kTiling);
  settings.trusted = std::make_shared<TrustedTexts>(data_directory() / "trusted");
  if (options.measure) {
    settings.history = std::make_shared<HistoryWriter>(History::default_file());
  }
  return std::make_unique<Workbench>(std::move(catalogue).value(), std::move(devices).value(),
                                     std::move(gpu), settings);
}

Status open_own(Workbench& workbench, const WindowOptions& options) {
  if (Status opened = workbench.open_file(options.kernel); !opened) return opened;
  if (!options.factors.empty()) {
    return Error{ErrorCode::kUsage,
                 "--alpha and --beta belong to catalogue kernels",
                 "For a file they are arguments of its launch",
                 {}};
  }
  for (const auto& [name, value] : options.parameters) {
    const std::vector<ParameterSpec>& offered = workbench.active().offered();
    if (std::ranges::find(offered, name, &ParameterSpec::name) == offered.end()) {
      return Error{ErrorCode::kUsage,
                   options.kernel + " has no number " + name,
                   "The window shows its numbers as sliders",
                   {}};
    }
    workbench.set_parameter(name, value);
  }
  return ok_status();
}

Status open_kernel(Workbench& workbench, const WindowOptions& options) {
  // A picture or a script begins with the kernel that has something for each view.
  const std::string wanted = options.kernel.empty() ? "gemm/register_tile" : options.kernel;
  const CatalogueEntry* entry = workbench.catalogue().find(wanted);
  if (entry == nullptr) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(wanted, ignored)) return open_own(workbench, options);
    return Error{ErrorCode::kUsage,
                 "there is no kernel or file " + wanted,
                 "tilescope list shows all kernels.",
                 {}};
  }
  workbench.choose_kernel(*entry);
  Result<ParameterSet> parameters = complete_parameters(*entry, options.parameters);
  if (!parameters.ok()) return parameters.error();
  workbench.apply(parameters.value());
  if (!options.size.empty()) {
    Result<ParameterSet> extents = parse_size(entry->problem, options.size);
    if (!extents.ok()) return extents.error();
    for (const auto& [name, value] : extents.value()) workbench.set_extent(name, value);
  }
  const std::vector<std::string> factors = factor_names(*entry);
  for (const auto& [name, value] : options.factors) {
    if (std::ranges::find(factors, name) == factors.end()) {
      return Error{ErrorCode::kUsage,
                   entry->id + " has no factor " + name,
                   "The kernels of gemm take --alpha and --beta",
                   {}};
    }
    if (!std::isfinite(static_cast<float>(value))) {
      return Error{ErrorCode::kUsage,
                   fmt::format("--{} {} is no finite f32", name, value),
                   "Give a number such as 0.5",
                   {}};
    }
    workbench.set_factor(name, value);
  }
  return ok_status();
}

// A picture or a script needs no window to be seen: where there is no display it is drawn without.
Result<std::unique_ptr<Platform>> open_platform(const PlatformOptions& size,
                                                WindowOptions* options) {
  if (options->headless) return open_headless(size);
  auto window = open_glfw_window(size);
  const bool scripted = !options->screenshot.empty() || !options->script.empty();
  if (window.ok() || !scripted) return window;
  auto drawn = open_headless(size);
  if (!drawn.ok()) return window;
  std::fprintf(stderr, "tilescope: %s: drawn without one\n", window.error().message.c_str());
  options->headless = true;
  return drawn;
}

}  // namespace

// The size of the window that the session was saved in.
std::pair<int, int> size_for(const WindowOptions& options, const Workbench& workbench) {
  std::pair<int, int> size{options.width, options.height};
  if (options.session.empty() || options.sized) return size;
  const auto loaded = read_session(options.session, {workbench.catalogue(), *workbench.devices()});
  if (!loaded) return size;  // opening it says why
  const Arrangement& arrangement = loaded->document.arrangement;
  if (arrangement.width >= kLeastPixelWidth && arrangement.height >= kLeastPixelHeight) {
    size = {arrangement.width, arrangement.height};
  }
  return size;
}

int run_window(const WindowOptions& asked) {
  WindowOptions options = asked;
  const Interface::Contexts contexts;
  Result<std::unique_ptr<Workbench>> workbench = make_workbench(options);
  if (!workbench.ok()) return fail(workbench.error());
  const auto [width, height] = size_for(options, **workbench);
  const PlatformOptions platform_options{
      .width = width, .height = height, .fits_screen = !options.sized};
  Result<std::unique_ptr<Platform>> platform = open_platform(platform_options, &options);
  if (!platform.ok()) return fail(platform.error());
  const Status opened = open_kernel(**workbench, options);
  if (!opened.ok()) return fail(opened.error());

  const bool remember = !options.headless && options.screenshot.empty() && options.script.empty();
  const InterfaceOptions interface_options{
      .remember = remember,
      .theme = options.theme,
      .view = options.view,
      .lecture = options.lecture,
      .keep = remember || options.keep,
      .recover = (remember || options.keep) && options.kernel.empty() && options.session.empty(),
      .greet = options.kernel.empty() && options.session.empty() && options.lesson.empty() &&
               options.exercise.empty(),
      .scale = options.scale > 0 ? options.scale : (*platform)->display_scale()};
  Result<std::unique_ptr<Interface>> interface = Interface::create(**workbench, interface_options);
  if (!interface.ok()) return fail(interface.error());
  if (!options.session.empty()) {
    const Status loaded = (*interface)->open_session(options.session);
    if (!loaded.ok()) return fail(loaded.error());
    WindowState& state = (*interface)->state();
    if (options.view) state.raise = options.view;
    if (options.theme) state.preferences.theme = *options.theme;
    if (options.lecture) state.lecture = true;
  }
  if (!options.lesson.empty()) {
    WindowState& state = (*interface)->state();
    if (!state.learn.open(state, options.lesson)) {
      return fail(state.learn.library().why_not(options.lesson));
    }
  }
  if (!options.exercise.empty()) {
    WindowState& state = (*interface)->state();
    if (!state.practice.open(state, options.exercise)) {
      return fail({ErrorCode::kUsage,
                   state.note.empty() ? "there is no exercise " + options.exercise : state.note,
                   "'tilescope learn' lists them",
                   {}});
    }
  }
  FrameLoop loop(options, **workbench, **platform, **interface);
  const Status prepared = loop.prepare();
  if (!prepared.ok()) return fail(prepared.error());
  const Status ended = loop.run();
  return ended.ok() ? 0 : fail(ended.error());
}

}  // namespace tilescope
