#include "ui/dialogs/export_command_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/counter_check.h"
#include "analysis/pipeline.h"
#include "export/animation.h"
#include "scene/compare/compared.h"
#include "scene/roofline/roofline_data.h"
#include "ui/charts/chart_figures.h"
#include "ui/desk/desk.h"
#include "ui/desk/desk_measurements.h"
#include "ui/desk/export_request.h"
#include "ui/dialogs/export_words.h"
#include "ui/dialogs/picture_export.h"

namespace tilescope {
namespace {

using Subject = PictureExport::Subject;

constexpr std::string_view kWaitsForCounts = "The command stands here when every block is counted.";

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
      (variant.entry->problem == Problem::kGemm) == (first.entry->problem == Problem::kGemm);
  const ParameterSet& size =
      same_problem ? traced.instance.extents : variant.entry->default_extents;
  const GemmFactors& factors = same_problem ? first.factors : GemmFactors{};
  const Dim3& block = traced.trace->block;
  const Dim3& grid = study.instance.grid;
  const Dim3 nearest{std::min(block.x, grid.x - 1), std::min(block.y, grid.y - 1),
                     std::min(block.z, grid.z - 1)};
  const Dim3& own = study.trace->block;
  if (size_text(study.instance.extents) != size_text(size) || variant.factors != factors ||
      own.x != nearest.x || own.y != nearest.y || own.z != nearest.z) {
    return false;
  }
  const Selection& at = request.context.selection;
  Selection beside =
      &study == request.context.study ? at : selection_beside(*request.context.study, at, study);
  beside.block = variant.selection.block;
  return beside == variant.selection;
}

// Whether options alone say what is compared, and how.
bool can_be_compared(const Desk& desk, const PictureRequest& request) {
  const std::vector<Variant>& variants = desk.bench.variants();
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
        return variant.known && measured(*variant.known);
      })) {
    return true;
  }
  if (context.roofline == nullptr) return false;
  return (context.roofline->known && measured(*context.roofline->known)) ||
         std::ranges::any_of(context.roofline->steps,
                             [&](const LadderStep& step) { return measured(step.time); });
}

// Whether the file shows what was measured or modelled for this session alone.
bool shows_measured(const PictureRequest& request) {
  if (request.chart) return request.chart->is_of_this_sitting();
  if (request.tuned) return request.tuned->is_of_this_sitting();
  if (request.page) {
    const auto& hardware = request.context.hardware;
    return request.page == Page::kCounters && hardware && hardware->source == Source::kMeasured;
  }
  const bool shows_times = request.view == View::kRoofline || request.view == View::kCompare ||
                           request.view == View::kPipeline;
  return (shows_times && has_measured_times(request.context)) ||
         (request.view == View::kPipeline && request.context.phases != nullptr);
}

// What a command computes the request for without options that say another one; of the session, or
// of a kernel by its name.
DeviceModel device_of_command(const Desk& desk, const PictureRequest& request,
                              const Measurements* session) {
  const int wanted = request.context.study->device->compute_capability;
  if (session != nullptr && !session->empty() && session->device.compute_capability == wanted) {
    return session->device;
  }
  return device_model_for(*desk.bench.devices(), wanted);
}

// Whether its picture tells one GPU from another of the same architecture.
bool depends_on_device(const PictureRequest& request) {
  if (!request.is_of_study() || request.page || !request.context.study->device) return false;
  return request.view == View::kOccupancy || request.view == View::kPipeline ||
         request.view == View::kRoofline || request.view == View::kCompare;
}

// Of a session that was measured on another GPU than it is computed for here.
std::string device_words(const Desk& desk, const PictureRequest& request) {
  if (!depends_on_device(request)) return {};
  const Measurements measured = measurements_of(desk);
  const DeviceModel& device = *request.context.study->device;
  if (device == device_of_command(desk, request, &measured)) return {};
  return " --device " + quoted(device.name);
}

bool is_of_listed_device(const Desk& desk, const PictureRequest& request) {
  return !depends_on_device(request) ||
         *request.context.study->device == device_of_command(desk, request, nullptr);
}

// Whether options alone say what the file shows.
bool options_say(const Desk& desk, const PictureRequest& request) {
  const Variant& active = desk.bench.active();
  if (shows_measured(request) || !is_of_listed_device(desk, request)) return false;
  if (request.chart) {
    return request.chart->names.size() <= 1 && active.entry != nullptr && !active.is_edited();
  }
  if (request.tuned) return true;
  if (!can_be_named(active)) return false;
  if (request.page) return true;
  if (is_comparison(request)) {
    const bool piped = request.context.settings.compare_view == static_cast<int>(View::kPipeline);
    return can_be_compared(desk, request) && !(piped && desk.bench.latencies());
  }
  return request.view != View::kPipeline || !desk.bench.latencies();
}

// A command counts a session's blocks to the last.
bool is_counted(const Variant& variant) {
  return variant.study == nullptr ||
         (variant.study->counters && !variant.grid_pending && variant.study->counters->whole_grid);
}

// A page says what the machine code costs too, so a command counts that to the last as well.
bool waits_for_counts(const Desk& desk, const PictureRequest& request) {
  if (!request.page) return false;
  const Variant& active = desk.bench.active();
  const auto& issued = request.context.study->issued_counters;
  const bool known = issued ? issued->whole_grid : !request.context.study->why_not_issued.empty();
  return !is_counted(active) || !known;
}

bool session_is_counted(const Desk& desk, const PictureRequest& request) {
  if (!is_comparison(request)) return is_counted(desk.bench.active());
  return std::ranges::all_of(desk.bench.variants(), is_counted);
}

bool session_is_saved(const Desk& desk) {
  return !desk.session.path().empty() && !desk.session.changed();
}

// What is drawn of what was measured must stand in the file to the last.
bool asks_for_measurements(const Desk& desk, const PictureRequest& request) {
  return request.chart || request.tuned || shows_measured(request) ||
         !is_of_listed_device(desk, request);
}

bool session_has(const Desk& desk, const PictureRequest& request) {
  return session_is_saved(desk) &&
         (!asks_for_measurements(desk, request) || desk.session.holds(measurements_of(desk)));
}

// What is under way changes what the session has to keep.
bool is_measuring(const Desk& desk, const PictureRequest& request) {
  return asks_for_measurements(desk, request) &&
         (!desk.bench.measuring().empty() || desk.tuner.running());
}

bool compares_one_alone(const Desk& desk, const PictureRequest& request) {
  return request.is_of_study() && !request.page && request.view == View::kCompare &&
         desk.bench.variants().size() < 2;
}

}  // namespace

bool wants_saved_session(const Desk& desk) {
  const auto request = export_request(desk);
  return request && !compares_one_alone(desk, *request) && !options_say(desk, *request) &&
         !is_measuring(desk, *request) && !session_has(desk, *request);
}

std::string why_no_export_command(const Desk& desk) {
  const auto request = export_request(desk);
  if (!request) return "There is nothing to export yet.";
  if (compares_one_alone(desk, *request)) {
    return "No command writes this: one variant alone does not compare.";
  }
  if (waits_for_counts(desk, *request)) return std::string(kWaitsForCounts);
  if (options_say(desk, *request)) return {};
  if (is_measuring(desk, *request)) {
    return "A measurement is under way. The command stands here when it is done.";
  }
  if (!session_has(desk, *request)) {
    return asks_for_measurements(desk, *request)
               ? "No options say this; a session does, it keeps what was measured. Save it "
                 "(Ctrl S), and the command stands here."
               : "No options say this; a session does. Save it (Ctrl S), and the command stands "
                 "here.";
  }
  if (request->is_of_study() && !session_is_counted(desk, *request)) {
    return std::string(kWaitsForCounts);
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
  if (request->chart) {
    command += options_say(desk, *request) ? chart_words(*request->chart)
                                           : session_chart_words(desk, *request->chart);
  } else if (request->tuned) {
    command +=
        options_say(desk, *request) ? tuner_words(*request->tuned) : session_tuner_words(desk);
  } else {
    const bool by_options = options_say(desk, *request);
    command += by_options ? view_words(desk, *request) : session_words(desk, *request);
    if (!by_options) command += device_words(desk, *request);
    if (animated) command += time_words(desk, *request);
  }
  command += fmt::format(" --theme {} --pixels {}x{}", name_of(picture.theme), picture.width,
                         picture.height);
  if (animated || (format && *format == PictureFormat::kPng)) {
    command += fmt::format(" --scale {}", picture.scale);
  }
  return command + " -o " + quoted(picture.file);
}

}  // namespace tilescope
