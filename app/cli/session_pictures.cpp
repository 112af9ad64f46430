#include "cli/session_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/issued_study.h"
#include "analysis/pipeline.h"
#include "cli/animation_export.h"
#include "cli/command.h"
#include "cli/export_options.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/resources.h"
#include "cli/roofline_lookup.h"
#include "cli/session_charts.h"
#include "cli/session_wanted.h"
#include "cli/view_study.h"
#include "core/parallel.h"
#include "export/export_view.h"
#include "scene/compare/compared.h"
#include "session/readings.h"
#include "session/recorded_counters.h"
#include "session/session_file.h"
#include "session/variant_instance.h"
#include "store/recorded_library.h"

namespace tilescope {
namespace {

// All that the window knows of a variant in the end.
Result<std::shared_ptr<const KernelStudy>> whole_study(const VariantDocument& variant,
                                                       const Document& document,
                                                       const Resources& resources,
                                                       const DeviceModel& device) {
  auto instance = instance_of(variant, resources.catalogue, device);
  if (!instance) return instance.error();
  StudyRequest request;
  request.instance = *std::move(instance);
  request.compute_capability = device.compute_capability;
  request.block = variant.selection.block;
  request.workers = processor_count();
  auto study = study_block(request, {});
  if (study) study = with_resources(*study, device, {});
  if (variant.is_own() || variant.edited != nullptr) {
    if (study) study = with_checks(*study, CheckedBlocks::kTraced, {});
    if (study) study = with_checks(*study, CheckedBlocks::kSample, {});
  }
  if (study) study = with_issued_counts(*study, Counted::kSample, processor_count(), {});
  if (!study) return study;
  if (auto piped = with_pipeline(*study, document.latencies, {})) study = *std::move(piped);
  return with_whole_grid(*study);
}

}  // namespace

SessionPictures::SessionPictures(const Document& document, const Resources& resources,
                                 const ExportArguments& arguments, DeviceModel device)
    : document_(document),
      resources_(resources),
      arguments_(arguments),
      device_(std::move(device)),
      studied_(document.variants.size()) {}

Status SessionPictures::write(const Wanted& wanted) {
  for (const WantedPicture& each : wanted.pictures) {
    if (each.page) {
      const Status written = write_page(wanted.variant, *each.page, each.file);
      if (!written) return written;
    } else if (each.view) {
      if (Status written = write(wanted.variant, *each.view, each.file); !written) return written;
    } else {
      const auto written = write_figure(wanted.variant, each);
      if (!written) return written.error();
      if (!*written) continue;
    }
    print_out("{}\n", each.file.string());
  }
  return ok_status();
}

Result<const SessionPictures::Studied*> SessionPictures::studied(std::size_t index) {
  std::optional<Studied>& known = studied_[index];
  if (known) return &*known;
  const VariantDocument& variant = document_.variants[index];
  const auto study = whole_study(variant, document_, resources_, device_);
  if (!study) {
    Error error = study.error();
    // What a session's kernel asks for that cannot be is the kernel's fault, not the command's.
    if (error.code == ErrorCode::kUsage) error.code = ErrorCode::kKernel;
    return error;
  }
  known = {*study, prepare(**study), variant.selection};
  TimeMarks marks = variant.marks;
  keep_inside(**study, &known->selection, &marks);
  return &*known;
}

Result<const KeptTimes*> SessionPictures::kept() {
  if (!kept_) {
    auto loaded = kept_times(resources_.catalogue, device_.compute_capability, arguments_.history);
    if (!loaded) return loaded.error();
    kept_ = *std::move(loaded);
  }
  return &*kept_;
}

Result<KnownTimes> SessionPictures::known_times() {
  const auto known = kept();
  if (!known) return known.error();
  if (document_.measured == nullptr) return (*known)->times();
  return (*known)->times(document_.measured->points);
}

Status SessionPictures::compare(std::size_t active, ViewContext* context) {
  const auto times = known_times();
  if (!times) return times.error();
  std::vector<ComparedVariant> variants;
  for (std::size_t i = 0; i < document_.variants.size(); ++i) {
    const VariantDocument& variant = document_.variants[i];
    ComparedVariant& shown = variants.emplace_back();
    shown.entry = resources_.catalogue.find(variant.kernel);
    shown.name = shown.entry != nullptr ? shown.entry->title : title_of(variant);
    context->compared_at.push_back(variant.selection);
    if (!variant.has_kernel()) {
      shown.missing = "no kernel is chosen";
      continue;
    }
    const auto found = studied(i);
    if (!found) {
      shown.missing = to_string(found.error());
      continue;
    }
    shown.study = (*found)->study;
    shown.prepared = (*found)->prepared;
    context->compared_at.back() = (*found)->selection;
    if (variant.edited != nullptr) shown.name += ", edited";
    shown.known = times->of(shown.study->instance, shown.entry);
  }
  context->compared = compared_set(std::move(variants), active);
  return ok_status();
}

Result<bool> SessionPictures::write_figure(std::size_t index, const WantedPicture& wanted) {
  const SessionCharts charts{document_, resources_, index, device_.compute_capability};
  const auto unit = parse_rate_unit(arguments_.unit);
  if (!unit && !arguments_.unit.empty()) {
    return usage(fmt::format("there is no unit '{}'", arguments_.unit), "export --help names them");
  }
  auto request = request_for(wanted.file);
  if (!request) return request.error();
  if (wanted.tuner) {
    const bool of_variant = arguments_.all || !arguments_.variant.empty();
    auto tuned = session_tuner(charts, of_variant, arguments_.history);
    if (!tuned) return tuned.error();
    if (arguments_.all && (*tuned)->empty()) return false;
    request->tuned = *std::move(tuned);
  } else {
    auto figure = session_chart(charts, wanted.over, unit, arguments_.history);
    if (!figure) return figure.error();
    if (arguments_.all && (*figure)->empty()) return false;
    request->chart = *std::move(figure);
  }
  if (Status written = export_view(*request, wanted.file); !written) return written.error();
  return true;
}

Result<PictureRequest> SessionPictures::request_for(const std::filesystem::path& file) const {
  const auto format = picture_format(file);
  if (!format) return format.error();
  return picture_request(arguments_, *format);
}

Status SessionPictures::write_page(std::size_t index, Page page,
                                   const std::filesystem::path& file) {
  const VariantDocument& variant = document_.variants[index];
  auto request = request_for(file);
  if (!request) return request.error();
  const auto found = studied(index);
  if (!found) return found.error();
  request->page = page;
  request->as_issued = !arguments_.as_written && document_.as_issued;
  request->side_by_side = arguments_.side_by_side && page == Page::kSource;
  ViewContext& context = request->context;
  context.study = (*found)->study.get();
  context.prepared = (*found)->prepared;
  context.selection = (*found)->selection;
  context.entry = resources_.catalogue.find(variant.kernel);
  const bool counted = context.study->issued != nullptr && context.study->issued_counters;
  if (page == Page::kCounters && document_.measured != nullptr && counted) {
    context.hardware =
        read_counters(document_.measured->counters, *context.study, Source::kMeasured);
  }
  if (page == Page::kCounters && context.hardware == nullptr && context.entry != nullptr &&
      variant.edited == nullptr) {
    const auto known = kept();
    if (!known) return known.error();
    context.hardware = recorded_counters((*known)->recorded, *context.entry, *context.study);
  }
  return export_view(*request, file);
}

Status SessionPictures::write(std::size_t index, View view, const std::filesystem::path& file) {
  const VariantDocument& variant = document_.variants[index];
  const auto format = picture_format(file);
  if (!format) return format.error();
  auto request = picture_request(arguments_, *format);
  if (!request) return request.error();
  const auto found = studied(index);
  if (!found) return found.error();
  const KernelStudy& study = *(*found)->study;
  request->view = view;
  ViewContext& context = request->context;
  context.study = &study;
  context.prepared = (*found)->prepared;
  context.selection = (*found)->selection;
  context.entry = resources_.catalogue.find(variant.kernel);
  context.camera = variant.camera;
  context.time_zoom = variant.time_zoom;
  context.settings = document_.settings;
  context.devices = std::make_shared<const std::vector<DeviceModel>>(resources_.devices);
  if (document_.measured != nullptr) {
    context.phases = read_phases(document_.measured->phases, study, Source::kMeasured);
  }
  if (variant.edited == nullptr) {
    if (Status added = add_alternatives(view, study, *study.device, &context); !added) {
      return added;
    }
  }
  if (shows_times(view)) {
    const auto times = known_times();
    if (!times) return times.error();
    context.roofline =
        roofline_data_of({.instance = study.instance,
                          .entry = context.entry,
                          .device = *study.device,
                          .catalogue = resources_.catalogue,
                          .times = *times,
                          .count = view == View::kRoofline ? CountMoved::kOn : CountMoved::kOff});
  }
  if (view == View::kCompare && document_.variants.size() > 1) {
    if (Status compared = compare(index, &context); !compared) return compared;
  }
  return is_animation(*format) ? write_animation(arguments_, *std::move(request), file)
                               : export_view(*request, file);
}

}  // namespace tilescope
