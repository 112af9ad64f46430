#include "ui/state/export_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analysis/study/counter_check.h"
#include "analysis/time/pipeline.h"
#include "core/text.h"
#include "export/animation.h"
#include "export/export_view.h"
#include "kernel/launch/gemm_factors.h"
#include "scene/compare/compared.h"
#include "scene/roofline/roofline_figure.h"
#include "scene/views.h"
#include "ui/state/chart_data.h"
#include "ui/state/measurements.h"
#include "ui/state/picture_export.h"
#include "ui/state/window_state.h"

namespace tilescope {

struct WindowState;

namespace {

// What follows `tilescope export` for a picture of the window, one function for each kind; whether
// options say it at all, export_command_text.cpp knows.

// The kernel as the picture shows it.
std::string kernel_words(const WindowState& state, const std::string& id,
                         const ParameterSet& parameters, const ParameterSet& extents,
                         const GemmFactors& factors) {
  std::string words = id;
  for (const auto& [name, value] : parameters) words += fmt::format(" -p {}={}", name, value);
  const CatalogueEntry* entry = state.workbench.catalogue().find(id);
  if (entry != nullptr) words += " --size " + size_text(entry->problem, extents);
  for (const auto& [name, value] : factors) words += fmt::format(" --{} {}", name, value);
  return words;
}

// The view and, of a comparison, that in its panes: an option of another view is refused.
std::vector<const ViewDescriptor*> shown_views(const PictureRequest& request) {
  if (request.page || !request.is_of_study()) return {};
  std::vector<const ViewDescriptor*> shown{&descriptor_of(request.view)};
  const int panes = request.context.settings.compare_view;
  if (shown.front()->needs.variants && panes >= 0) {
    shown.push_back(&descriptor_of(static_cast<View>(panes)));
  }
  return shown;
}

// What was set in the view beside what is selected; of a comparison beside_words() says it.
std::string settings_words(const PictureRequest& request) {
  const ViewContext& context = request.context;
  const ViewSettings& settings = context.settings;
  const ViewSettings usual;
  std::string words;
  for (const ViewDescriptor* view : shown_views(request)) {
    if (view->needs.variants) continue;
    for (const ViewSetting& setting : view->settings) {
      const std::int64_t value = setting.get(settings);
      if (value == setting.get(usual)) continue;
      if (setting.option == "--set") {
        words += fmt::format(" --set {}={}", setting.name, value);
      } else if (setting.option != "--device") {
        words += fmt::format(" {}", setting.option);  // a flag
      } else if (context.devices != nullptr) {
        words +=
            " --device " + shell_quoted((*context.devices)[static_cast<std::size_t>(value)].name);
      }
    }
  }
  return words;
}

std::string camera_words(const PictureRequest& request) {
  std::string words;
  const ViewContext& context = request.context;
  const MatrixCamera& camera = context.camera;
  for (const ViewDescriptor* view : shown_views(request)) {
    if (view->zoom == ViewZoom::kMatrices && camera.zoom > 1) {
      words += fmt::format(" --camera {},{},{}", camera.zoom, camera.center_x, camera.center_y);
    }
    if (view->zoom == ViewZoom::kTime && context.time_zoom != 1) {
      words += fmt::format(" --time-zoom {}", context.time_zoom);
    }
  }
  return words;
}

// The compared variants but the first, and how they are arranged.
std::string beside_words(const WindowState& state, const ViewContext& context) {
  const ViewSettings& settings = context.settings;
  const ViewSettings usual;
  std::string words;
  const std::vector<Variant>& variants = state.workbench.variants();
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
    words += " --set " + shell_quoted("step:" + step + "=0");
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

// Whether it shows variants side by side.
bool is_comparison(const PictureRequest& request) {
  return request.is_of_study() && !request.page && descriptor_of(request.view).needs.variants &&
         request.context.compared != nullptr;
}

// What an animation is of: " --from 0 --to 99 --fps 10 --seconds 8".
std::string time_words(const WindowState& state, const PictureRequest& request) {
  const AnimationRequest animation = animation_request(state, request);
  return fmt::format(" --from {} --to {} --fps {} --seconds {}", animation.from, animation.to,
                     animation.frames_per_second, animation.seconds);
}

// A view or a page of the catalogue's kernels, by options alone.
std::string view_words(const WindowState& state, const PictureRequest& request) {
  const bool compares = is_comparison(request);
  // Of several the first is the command's kernel, whichever is active.
  const KernelStudy& study =
      compares ? *state.workbench.variants().front().study : *request.context.study;
  const Selection& selection = request.context.selection;
  const Dim3& block = study.trace->block;
  std::string words =
      fmt::format("{} --view {} --block-index {},{},{} --warp {} --lane {} --moment {} --line {}",
                  kernel_words(state, study.instance.id, study.instance.parameters,
                               study.instance.extents, factors_of(study.instance)),
                  name_of(request), block.x, block.y, block.z, selection.warp, selection.lane,
                  selection.event, selection.line);
  if (compares) words += beside_words(state, request.context);
  words += architecture_words(study);
  if (study.counters && study.counters->whole_grid) words += " --whole-grid";
  if (request.side_by_side) words += " --side-by-side";
  if (request.page) return words + (request.as_issued ? "" : " --as-written");
  return words + settings_words(request) + camera_words(request);
}

// The same by the session's file.
std::string session_words(const WindowState& state, const PictureRequest& request) {
  return fmt::format("--session {} --variant {} --view {}", shell_quoted(state.session.path()),
                     letter_of(static_cast<std::size_t>(state.workbench.active_index())),
                     name_of(request)) +
         (request.side_by_side ? " --side-by-side" : "") +
         architecture_words(*request.context.study);
}

// A chart of what is recorded of one kernel.
std::string chart_words(const WindowState& state, const RateFigure& figure) {
  std::string words = fmt::format(
      "{} --view throughput --over {}",
      kernel_words(state, figure.kernel, figure.parameters, figure.extents, figure.factors),
      axis_of(figure));
  if (!figure.cold) words += " --warm";
  if (!figure.is_in_own_unit) words += " --unit " + std::string(option_of(figure.unit));
  return words;
}

// Of what the session measured, and of all its variants.
std::string session_chart_words(const WindowState& state, const RateFigure& figure) {
  const Variant& active = state.workbench.active();
  std::string words = fmt::format(
      "--session {} --variant {} --view throughput --over {}", shell_quoted(state.session.path()),
      letter_of(static_cast<std::size_t>(state.workbench.active_index())), axis_of(figure));
  if (!figure.is_in_own_unit) words += " --unit " + std::string(option_of(figure.unit));
  return active.study == nullptr ? words : words + architecture_words(*active.study);
}

// Of what the tuner tried: as it stands, or before it begins what it tried of the active variant.
std::string session_tuner_words(const WindowState& state) {
  std::string words = "--session " + shell_quoted(state.session.path());
  if (state.tuner.stage() == Tuner::Stage::kReady) {
    words += " --variant " + letter_of(static_cast<std::size_t>(state.workbench.active_index()));
  }
  return words + " --view tuner";
}

std::string tuner_words(const WindowState& state, const TunedFigure& figure) {
  return kernel_words(state, figure.kernel, figure.parameters, figure.extents, figure.factors) +
         " --view tuner";
}

using Subject = PictureExport::Subject;

constexpr std::string_view kWaitsForCounts = "The command is shown when all blocks are counted.";

// What a command can say of this variant: a kernel of the catalogue as it ships.
bool can_be_named(const Variant& variant) {
  return variant.entry != nullptr && !variant.is_edited() && variant.study != nullptr &&
         variant.study->traced();
}

// Whether a command that names a variant's kernel and size, and where the active one stands, finds
// this variant where the window has it (cli/compared_variants.h).
bool follows_from(const Variant& variant, const Variant& first, const PictureRequest& request) {
  const KernelStudy& study = *variant.study;
  const KernelStudy& traced = *first.study;
  const bool same_problem =
      extent_names(variant.entry->problem) == extent_names(first.entry->problem);
  const ParameterSet& size =
      same_problem ? traced.instance.extents : variant.entry->default_extents;
  const GemmFactors& factors = same_problem ? first.factors : GemmFactors{};
  const Dim3& block = traced.trace->block;
  const Dim3& grid = study.instance.grid;
  const Dim3 nearest{std::min(block.x, grid.x - 1), std::min(block.y, grid.y - 1),
                     std::min(block.z, grid.z - 1)};
  const Dim3& own = study.trace->block;
  if (study.instance.extents != size || variant.factors != factors || own.x != nearest.x ||
      own.y != nearest.y || own.z != nearest.z) {
    return false;
  }
  const Selection& at = request.context.selection;
  Selection beside =
      &study == request.context.study ? at : selection_beside(*request.context.study, at, study);
  beside.block = variant.selection.block;
  return beside == variant.selection;
}

// Whether options alone say what is compared, and how.
bool can_be_compared(const WindowState& state, const PictureRequest& request) {
  const std::vector<Variant>& variants = state.workbench.variants();
  const int base = request.context.settings.compare_base;
  if (base >= static_cast<int>(variants.size())) return false;
  return std::ranges::all_of(variants, [&](const Variant& variant) {
    return can_be_named(variant) && follows_from(variant, variants.front(), request);
  });
}

bool has_measured_times(const ViewContext& context) {
  const auto measured = [](const KnownTime& time) { return time.source == Source::kMeasured; };
  if (context.compared != nullptr &&
      std::ranges::any_of(context.compared->variants, [&](const ComparedVariant& variant) {
        return (variant.known && measured(*variant.known)) ||
               std::ranges::any_of(variant.elsewhere, measured);
      })) {
    return true;
  }
  if (context.roofline == nullptr) return false;
  const RooflineData& data = *context.roofline;
  const auto has_measured = [&](const std::vector<LadderStep>& steps) {
    return std::ranges::any_of(steps, measured, &LadderStep::time);
  };
  return (data.known && measured(*data.known)) || std::ranges::any_of(data.elsewhere, measured) ||
         has_measured(data.steps) || has_measured(data.steps_elsewhere);
}

// Whether the file shows what was measured or modelled for this session alone.
bool shows_measured(const PictureRequest& request) {
  if (request.chart) return request.chart->is_of_this_run();
  if (request.tuned) return request.tuned->is_of_this_run();
  if (request.page) {
    const auto& hardware = request.context.hardware;
    return request.page == Page::kCounters && hardware && hardware->source == Source::kMeasured;
  }
  const ViewNeeds& needs = descriptor_of(request.view).needs;
  return (needs.times && has_measured_times(request.context)) ||
         (needs.phases && request.context.phases != nullptr);
}

// What a command computes the request for without options that say another one; of the session, or
// of a kernel by its name.
DeviceModel device_of_command(const WindowState& state, const PictureRequest& request,
                              const Measurements* session) {
  const int wanted = request.context.study->device->compute_capability;
  if (session != nullptr && !session->empty() && session->device.compute_capability == wanted) {
    return session->device;
  }
  return device_model_for(*state.workbench.devices(), wanted);
}

// Whether its picture tells one GPU from another of the same architecture.
bool depends_on_device(const PictureRequest& request) {
  if (!request.is_of_study() || request.page || !request.context.study->device) return false;
  return descriptor_of(request.view).needs.issued;
}

// Of a session that was measured on another GPU than it is computed for here.
std::string device_words(const WindowState& state, const PictureRequest& request) {
  if (!depends_on_device(request)) return {};
  const Measurements measured = measurements_of(state);
  const DeviceModel& device = *request.context.study->device;
  if (device == device_of_command(state, request, &measured)) return {};
  return " --device " + shell_quoted(device.name);
}

bool is_of_listed_device(const WindowState& state, const PictureRequest& request) {
  return !depends_on_device(request) ||
         *request.context.study->device == device_of_command(state, request, nullptr);
}

// Whether options alone say what the file shows.
bool options_say(const WindowState& state, const PictureRequest& request) {
  const Variant& active = state.workbench.active();
  if (shows_measured(request) || !is_of_listed_device(state, request)) return false;
  if (request.chart) {
    return request.chart->names.size() <= 1 && active.entry != nullptr && !active.is_edited();
  }
  if (request.tuned) return true;
  if (!can_be_named(active)) return false;
  if (request.page) return true;
  if (is_comparison(request) && !can_be_compared(state, request)) return false;
  const std::vector<const ViewDescriptor*> shown = shown_views(request);
  return !state.workbench.latencies() ||
         std::ranges::none_of(shown, [](const auto* view) { return view->needs.pipeline; });
}

// A command counts a session's blocks to the last.
bool is_counted(const Variant& variant) {
  return variant.study == nullptr ||
         (variant.study->counters && !variant.grid_pending && variant.study->counters->whole_grid);
}

// A page says what the machine code costs too, so a command counts that to the last as well.
bool waits_for_counts(const WindowState& state, const PictureRequest& request) {
  if (!request.page) return false;
  const Variant& active = state.workbench.active();
  const auto& issued = request.context.study->issued_counters;
  const bool known = issued ? issued->whole_grid : !request.context.study->why_not_issued.empty();
  return !is_counted(active) || !known;
}

bool session_is_counted(const WindowState& state, const PictureRequest& request) {
  if (!is_comparison(request)) return is_counted(state.workbench.active());
  return std::ranges::all_of(state.workbench.variants(), is_counted);
}

bool session_is_saved(const WindowState& state) {
  return !state.session.path().empty() && !state.session.changed();
}

// What is drawn of what was measured must stand in the file to the last.
bool asks_for_measurements(const WindowState& state, const PictureRequest& request) {
  return request.chart || request.tuned || shows_measured(request) ||
         !is_of_listed_device(state, request);
}

bool session_has(const WindowState& state, const PictureRequest& request) {
  return session_is_saved(state) &&
         (!asks_for_measurements(state, request) || state.session.holds(measurements_of(state)));
}

// What is under way changes what the session has to keep.
bool is_measuring(const WindowState& state, const PictureRequest& request) {
  return asks_for_measurements(state, request) &&
         (!state.workbench.runs().under_way().empty() || state.tuner.running());
}

bool compares_one_alone(const WindowState& state, const PictureRequest& request) {
  return request.is_of_study() && !request.page && descriptor_of(request.view).needs.variants &&
         state.workbench.variants().size() < 2;
}

}  // namespace

bool wants_saved_session(const WindowState& state) {
  const auto request = export_request(state);
  return request && !compares_one_alone(state, *request) && !options_say(state, *request) &&
         !is_measuring(state, *request) && !session_has(state, *request);
}

std::string why_no_export_command(const WindowState& state) {
  const auto request = export_request(state);
  if (!request) return "There is nothing to export yet.";
  if (compares_one_alone(state, *request)) {
    return "No command for this: a comparison needs two variants.";
  }
  if (waits_for_counts(state, *request)) return std::string(kWaitsForCounts);
  if (options_say(state, *request)) return {};
  if (is_measuring(state, *request)) {
    return "Measuring. The command is shown when it is done.";
  }
  if (!session_has(state, *request)) {
    return asks_for_measurements(state, *request)
               ? "Options cannot describe this; a saved session can, with its measurements. Save "
                 "it (Ctrl S) to see the command."
               : "Options cannot describe this; a saved session can. Save it (Ctrl S) to see the "
                 "command.";
  }
  if (request->is_of_study() && !session_is_counted(state, *request)) {
    return std::string(kWaitsForCounts);
  }
  return {};
}

std::string export_command(const WindowState& state) {
  if (!why_no_export_command(state).empty()) return {};
  const auto request = export_request(state);
  const PictureExport& picture = state.picture_export;
  const auto format = picture_format(picture.file);
  const bool animated = format && is_animation(*format);
  std::string command = "tilescope export ";
  if (request->chart) {
    command += options_say(state, *request) ? chart_words(state, *request->chart)
                                            : session_chart_words(state, *request->chart);
  } else if (request->tuned) {
    command += options_say(state, *request) ? tuner_words(state, *request->tuned)
                                            : session_tuner_words(state);
  } else {
    const bool by_options = options_say(state, *request);
    command += by_options ? view_words(state, *request) : session_words(state, *request);
    if (!by_options) command += device_words(state, *request);
    if (animated) command += time_words(state, *request);
  }
  const bool is_page = format && *format == PictureFormat::kHtml;
  if (is_page && !picture.over.empty() && request->is_of_study() && !request->page &&
      !is_comparison(*request) && options_say(state, *request)) {
    command += " --over " + picture.over;
  }
  command += fmt::format(" --theme {}", name_of(picture.theme));
  if (picture.width_mm > 0) {
    command += fmt::format(" --paper {}mmx{}mm", picture.width_mm, picture.height_mm);
  } else {
    command += fmt::format(" --pixels {}x{}", picture.width, picture.height);
  }
  const bool is_drawn = format && *format != PictureFormat::kCsv && *format != PictureFormat::kJson;
  if (is_drawn) {
    if (request->part != nullptr) command += fmt::format(" --part {}", request->part->name);
    if (picture.points != 0) command += fmt::format(" --text {}pt", picture.points);
    if (!picture.with_sentence) command += " --no-sentence";
    if (!picture.with_provenance) command += " --no-provenance";
  }
  if (animated || (format && *format == PictureFormat::kPng)) {
    command += fmt::format(" --scale {}", picture.scale);
  }
  return command + " -o " + shell_quoted(picture.file);
}

}  // namespace tilescope
