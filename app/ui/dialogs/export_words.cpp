#include "ui/dialogs/export_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "export/animation.h"
#include "kernel/gemm_factors.h"
#include "scene/compare/compared.h"
#include "ui/desk/desk.h"
#include "ui/desk/export_request.h"

namespace tilescope {
namespace {

// The kernel as the picture shows it.
std::string kernel_words(const std::string& id, const ParameterSet& parameters,
                         const ParameterSet& extents, const GemmFactors& factors) {
  std::string words = id;
  for (const auto& [name, value] : parameters) words += fmt::format(" -p {}={}", name, value);
  words += " --size " + size_text(extents);
  for (const auto& [name, value] : factors) words += fmt::format(" --{} {}", name, value);
  return words;
}

// In the view, or in the panes of a comparison: an option of another view is refused.
bool shows(const PictureRequest& request, View view) {
  if (request.page || !request.is_of_study()) return false;
  const bool panes = request.view == View::kCompare &&
                     request.context.settings.compare_view == static_cast<int>(view);
  return request.view == view || panes;
}

// What was set in the view beside what is selected.
std::string settings_words(const PictureRequest& request) {
  const ViewContext& context = request.context;
  const ViewSettings& settings = context.settings;
  const ViewSettings usual;
  std::string words;
  if (settings.heat && shows(request, View::kTiling)) words += " --heat";
  if (settings.device >= 0 && context.devices != nullptr && shows(request, View::kOccupancy)) {
    words +=
        " --device " + quoted((*context.devices)[static_cast<std::size_t>(settings.device)].name);
  }
  const auto set = [&words](const char* name, std::int64_t value, std::int64_t before) {
    if (value != before) words += fmt::format(" --set {}={}", name, value);
  };
  set("latency_cycles", settings.latency_cycles, usual.latency_cycles);
  set("lane_window", settings.lane_window, usual.lane_window);
  return words;
}

std::string camera_words(const PictureRequest& request) {
  std::string words;
  const ViewContext& context = request.context;
  const MatrixCamera& camera = context.camera;
  if (camera.zoom > 1 && shows(request, View::kTiling)) {
    words += fmt::format(" --camera {},{},{}", camera.zoom, camera.center_x, camera.center_y);
  }
  if (context.time_zoom != 1 && shows(request, View::kPipeline))
    words += fmt::format(" --time-zoom {}", context.time_zoom);
  return words;
}

// The compared variants but the first, and how they are arranged.
std::string beside_words(const Desk& desk, const ViewContext& context) {
  const ViewSettings& settings = context.settings;
  const ViewSettings usual;
  std::string words;
  const std::vector<Variant>& variants = desk.bench.variants();
  for (const Variant& variant : variants) {
    if (&variant == &variants.front()) continue;
    words += " --beside " + variant.study->instance.id;
    for (const auto& [name, value] : variant.study->instance.parameters) {
      words += fmt::format(",{}={}", name, value);
    }
  }
  words += " --subject " + letter_of(context.compared->active) + " --against " +
           letter_of(static_cast<std::size_t>(std::max(settings.compare_base, 0)));
  if (settings.compare_view >= 0) {
    words += fmt::format(" --panes {}", name_of(static_cast<View>(settings.compare_view)));
  }
  if (settings.compare_mode == CompareMode::kOverlay) words += " --overlay";
  const auto set = [&words](const char* name, int value, int before) {
    if (value != before) words += fmt::format(" --set {}={}", name, value);
  };
  if (settings.compare_mode == CompareMode::kOne) {
    set("compare_mode", static_cast<int>(CompareMode::kOne), 0);
  }
  set("compare_pane", settings.compare_pane, usual.compare_pane);
  set("compare_part", settings.compare_part, usual.compare_part);
  set("compare_ladder", settings.compare_ladder ? 1 : 0, 1);
  for (const std::string& step : settings.steps_off) {
    words += " --set " + quoted("step:" + step + "=0");
  }
  return words;
}

std::string architecture_words(const KernelStudy& study) {
  const std::string& architecture = study.compiled->architecture;
  return architecture == "sm_90" ? "" : " --arch " + architecture;
}

// What a chart is over, as --over takes it.
std::string axis_of(const RateFigure& figure) {
  if (figure.over == RateFigure::Over::kTime) return "time";
  return figure.over == RateFigure::Over::kSize ? "size" : figure.parameter;
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

bool is_comparison(const PictureRequest& request) {
  return request.is_of_study() && !request.page && request.view == View::kCompare &&
         request.context.compared != nullptr;
}

std::string time_words(const Desk& desk, const PictureRequest& request) {
  const AnimationRequest animation = animation_request(desk, request);
  return fmt::format(" --from {} --to {} --fps {} --seconds {}", animation.from, animation.to,
                     animation.frames_per_second, animation.seconds);
}

std::string view_words(const Desk& desk, const PictureRequest& request) {
  const bool compares = is_comparison(request);
  // Of several the first is the command's kernel, whichever is active.
  const KernelStudy& study =
      compares ? *desk.bench.variants().front().study : *request.context.study;
  const Selection& selection = request.context.selection;
  const Dim3& block = study.trace->block;
  std::string words =
      fmt::format("{} --view {} --block-index {},{},{} --warp {} --lane {} --moment {} --line {}",
                  kernel_words(study.instance.id, study.instance.parameters, study.instance.extents,
                               factors_of(study.instance)),
                  name_of(request), block.x, block.y, block.z, selection.warp, selection.lane,
                  selection.event, selection.line);
  if (compares) words += beside_words(desk, request.context);
  words += architecture_words(study);
  if (study.counters && study.counters->whole_grid) words += " --whole-grid";
  if (request.side_by_side) words += " --side-by-side";
  if (request.page) return words + (request.as_issued ? "" : " --as-written");
  return words + settings_words(request) + camera_words(request);
}

std::string session_words(const Desk& desk, const PictureRequest& request) {
  return fmt::format("--session {} --variant {} --view {}", quoted(desk.session.path()),
                     letter_of(static_cast<std::size_t>(desk.bench.active_index())),
                     name_of(request)) +
         (request.side_by_side ? " --side-by-side" : "") +
         architecture_words(*request.context.study);
}

std::string chart_words(const RateFigure& figure) {
  std::string words =
      fmt::format("{} --view throughput --over {}",
                  kernel_words(figure.kernel, figure.parameters, figure.extents, figure.factors),
                  axis_of(figure));
  if (!figure.cold) words += " --warm";
  if (!figure.is_in_own_unit) words += " --unit " + std::string(option_of(figure.unit));
  return words;
}

std::string session_chart_words(const Desk& desk, const RateFigure& figure) {
  const Variant& active = desk.bench.active();
  std::string words = fmt::format(
      "--session {} --variant {} --view throughput --over {}", quoted(desk.session.path()),
      letter_of(static_cast<std::size_t>(desk.bench.active_index())), axis_of(figure));
  if (!figure.is_in_own_unit) words += " --unit " + std::string(option_of(figure.unit));
  return active.study == nullptr ? words : words + architecture_words(*active.study);
}

std::string session_tuner_words(const Desk& desk) {
  std::string words = "--session " + quoted(desk.session.path());
  if (desk.tuner.stage() == Tuner::Stage::kReady) {
    words += " --variant " + letter_of(static_cast<std::size_t>(desk.bench.active_index()));
  }
  return words + " --view tuner";
}

std::string tuner_words(const TunedFigure& figure) {
  return kernel_words(figure.kernel, figure.parameters, figure.extents, figure.factors) +
         " --view tuner";
}

}  // namespace tilescope
