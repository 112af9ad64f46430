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

// Whether the file shows what was measured since the window opened, which no command can.
bool is_of_this_sitting(const PictureRequest& request) {
  if (request.chart) return false;  // the session keeps it
  if (request.tuned) return request.tuned->is_of_this_sitting();
  if (request.page) {
    const auto& hardware = request.context.hardware;
    return request.page == Page::kCounters && hardware && hardware->source == Source::kMeasured;
  }
  const bool shows_times = request.view == View::kRoofline || request.view == View::kCompare;
  return (shows_times && has_measured_times(request.context)) ||
         (request.view == View::kPipeline && request.context.phases != nullptr);
}

// Whether options alone say what the file shows.
bool options_say(const Desk& desk, const PictureRequest& request) {
  const Variant& active = desk.bench.active();
  if (request.chart) {
    return request.chart->names.size() <= 1 && active.entry != nullptr && !active.is_edited() &&
           !request.chart->is_of_this_sitting();
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

// The file has the document and all that its charts show as measured.
bool session_has_charts(const Desk& desk) {
  return session_is_saved(desk) && desk.session.holds(measurements_of(desk));
}

// Of a chart that options alone do not say.
std::string why_no_chart_command(const Desk& desk) {
  if (!desk.bench.measuring().empty()) {
    return "A measurement is under way. The command stands here when it is done.";
  }
  if (session_has_charts(desk)) return {};
  return "No options say this; a session does, it keeps what was measured. Save it (Ctrl S), and "
         "the command stands here.";
}

}  // namespace

bool wants_saved_session(const Desk& desk) {
  const auto request = export_request(desk);
  if (request && request->chart) {
    return !options_say(desk, *request) && desk.bench.measuring().empty() &&
           !session_has_charts(desk);
  }
  return request && request->is_of_study() && !is_of_this_sitting(*request) &&
         (request->page || request->view != View::kCompare || desk.bench.variants().size() > 1) &&
         !options_say(desk, *request) && !session_is_saved(desk);
}

std::string why_no_export_command(const Desk& desk) {
  const auto request = export_request(desk);
  if (!request) return "There is nothing to export yet.";
  if (is_of_this_sitting(*request) && request->page) {
    return "No command writes this: it shows counters that were read in this sitting.";
  }
  if (request->tuned && request->tuned->rows.front().source == Source::kModelled) {
    return "No command writes this: it shows times that were modelled in this sitting.";
  }
  if (is_of_this_sitting(*request)) {
    return "No command writes this: it shows what was measured in this sitting. The history keeps "
           "it: tilescope export --history.";
  }
  const bool alone = desk.bench.variants().size() < 2;
  if (request->is_of_study() && !request->page && request->view == View::kCompare && alone) {
    return "No command writes this: one variant alone does not compare.";
  }
  if (waits_for_counts(desk, *request)) return std::string(kWaitsForCounts);
  if (options_say(desk, *request)) return {};
  if (request->chart) return why_no_chart_command(desk);
  if (!session_is_saved(desk)) {
    return "No options say this; a session does. Save it (Ctrl S), and the command stands here.";
  }
  if (!session_is_counted(desk, *request)) {
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
    command += tuner_words(*request->tuned);
  } else {
    command +=
        options_say(desk, *request) ? view_words(desk, *request) : session_words(desk, *request);
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
