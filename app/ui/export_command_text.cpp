#include <fmt/format.h>

#include <algorithm>

#include "analysis/pipeline.h"
#include "export/animation.h"
#include "scene/compared.h"
#include "scene/roofline_data.h"
#include "ui/chart_figures.h"
#include "ui/desk.h"
#include "ui/export_request.h"

namespace tilescope {
namespace {

using Subject = PictureExport::Subject;

// "'it'\''s'": one word of a shell.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// The kernel as the picture shows it.
std::string kernel_words(const std::string& id, const ParameterSet& parameters,
                         const ParameterSet& extents) {
  std::string words = id;
  for (const auto& [name, value] : parameters) words += fmt::format(" -p {}={}", name, value);
  return words + " --size " + size_text(extents);
}

// What was set in the view beside what is selected.
std::string settings_words(const ViewSettings& settings, const ViewContext& context) {
  const ViewSettings usual;
  std::string words;
  if (settings.heat) words += " --heat";
  if (settings.device >= 0 && context.devices != nullptr) {
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

std::string camera_words(const ViewContext& context) {
  std::string words;
  const MatrixCamera& camera = context.camera;
  if (camera.zoom > 1) {
    words += fmt::format(" --camera {},{},{}", camera.zoom, camera.center_x, camera.center_y);
  }
  if (context.time_zoom != 1) words += fmt::format(" --time-zoom {}", context.time_zoom);
  return words;
}

// What a command can say of this variant: a kernel of the catalogue as it ships.
bool can_be_named(const Variant& variant) {
  return variant.entry != nullptr && !variant.is_edited() && variant.study != nullptr &&
         variant.study->traced();
}

bool is_comparison(const PictureRequest& request) {
  return request.chart == nullptr && request.view == View::kCompare &&
         request.context.compared != nullptr;
}

// The compared variants but the first; empty where no command can say what is compared.
std::string beside_words(const Desk& desk, const ViewContext& context) {
  const ViewSettings& settings = context.settings;
  if (settings.compare_mode == CompareMode::kOne || settings.compare_part != 0 ||
      !settings.compare_ladder || !settings.steps_off.empty()) {
    return {};
  }
  std::string words;
  const std::vector<Variant>& variants = desk.bench.variants();
  for (const Variant& variant : variants) {
    if (!can_be_named(variant)) return {};
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
  return words + (settings.compare_mode == CompareMode::kOverlay ? " --overlay" : "");
}

std::string view_words(const Desk& desk, const PictureRequest& request, bool animated) {
  const bool compares = is_comparison(request);
  // Of several the first is the command's kernel, whichever is active.
  const KernelStudy& study =
      compares ? *desk.bench.variants().front().study : *request.context.study;
  const Selection& selection = request.context.selection;
  const Dim3& block = study.trace->block;
  std::string words = fmt::format(
      "{} --view {} --block-index {},{},{} --warp {} --lane {} --moment {} --line {}",
      kernel_words(study.instance.id, study.instance.parameters, study.instance.extents),
      name_of(request.view), block.x, block.y, block.z, selection.warp, selection.lane,
      selection.event, selection.line);
  if (compares) words += beside_words(desk, request.context);
  if (study.compiled->architecture != "sm_90") words += " --arch " + study.compiled->architecture;
  if (study.counters && study.counters->whole_grid) words += " --whole-grid";
  words +=
      settings_words(request.context.settings, request.context) + camera_words(request.context);
  if (animated) {
    const AnimationRequest animation = animation_request(desk, request);
    words += fmt::format(" --from {} --to {} --fps {} --seconds {}", animation.from, animation.to,
                         animation.frames_per_second, animation.seconds);
  }
  return words;
}

std::string chart_words(const RateFigure& figure) {
  return fmt::format("{} --view throughput --over {}",
                     kernel_words(figure.kernel, figure.parameters, figure.extents),
                     figure.over == RateFigure::Over::kSize ? "size" : figure.parameter);
}

bool has_measured_times(const ViewContext& context) {
  const auto measured = [](const KnownTime& time) { return time.source == Source::kMeasured; };
  if (context.compared != nullptr &&
      std::ranges::any_of(context.compared->variants, [&](const ComparedVariant& variant) {
        return variant.known && measured(*variant.known);
      })) {
    return true;
  }
  if (context.roofline == nullptr) return false;
  return (context.roofline->known && measured(*context.roofline->known)) ||
         std::ranges::any_of(context.roofline->steps,
                             [&](const LadderStep& step) { return measured(step.time); });
}

}  // namespace

std::string why_no_export_command(const Desk& desk) {
  const auto request = export_request(desk);
  if (!request) return "There is nothing to export yet.";
  const Variant& variant = desk.bench.active();
  if (variant.entry == nullptr || variant.is_edited()) {
    return "No command writes this: the kernel's text may stand in no file.";
  }
  const bool sitting =
      request->chart ? request->chart->is_of_this_sitting()
                     : (request->view == View::kRoofline || request->view == View::kCompare) &&
                           has_measured_times(request->context);
  if (sitting) {
    return "No command writes this: it shows what was measured in this sitting. The history keeps "
           "it: tilescope export --history.";
  }
  if (request->chart && request->chart->names.size() > 1) {
    return "No command writes this: it compares variants.";
  }
  if (is_comparison(*request) && beside_words(desk, request->context).empty()) {
    return "No command writes this: it compares a kernel that no command can name, or was arranged "
           "by hand.";
  }
  if (!request->chart && request->view == View::kPipeline && desk.bench.latencies()) {
    return "No command writes this: the model's latencies were changed.";
  }
  return {};
}

std::string export_command(const Desk& desk) {
  if (!why_no_export_command(desk).empty()) return {};
  const auto request = export_request(desk);
  const PictureExport& picture = desk.picture_export;
  const auto format = picture_format(picture.file);
  const bool animated = format && is_animation(*format);
  std::string command = "tilescope export ";
  command += request->chart ? chart_words(*request->chart) : view_words(desk, *request, animated);
  command += fmt::format(" --theme {} --pixels {}x{}", name_of(picture.theme), picture.width,
                         picture.height);
  if (animated || (format && *format == PictureFormat::kPng)) {
    command += fmt::format(" --scale {}", picture.scale);
  }
  return command + " -o " + quoted(picture.file);
}

}  // namespace tilescope
