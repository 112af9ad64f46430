#include "cli/export_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/animation_export.h"
#include "cli/export_names.h"
#include "cli/export_options.h"
#include "cli/interrupt.h"
#include "cli/kept_times.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/rate_lookup.h"
#include "cli/resources.h"
#include "cli/roofline_lookup.h"
#include "cli/session_export.h"
#include "cli/view_study.h"
#include "core/parallel.h"
#include "export/export_view.h"
#include "scene/telling_selection.h"
#include "session/recorded_counters.h"

namespace tilescope {
namespace {

// All that can be wrong before anything is compiled.
struct Picture {
  std::optional<View> view;  // nullopt: a page, or throughput
  std::optional<Page> page;
  std::optional<RateUnit> unit;  // of throughput; nullopt: the problem's own
  PictureFormat format = PictureFormat::kSvg;
  PictureRequest request;  // its frame
};
Result<Picture> check(const ExportArguments& arguments) {
  Picture picture;
  const auto view = parse_view(arguments.view);
  picture.page = parse_page(arguments.view);
  if (!view && !picture.page && arguments.view != kThroughputView && arguments.view != kTunerView) {
    return usage(fmt::format("there is no view '{}'", arguments.view), "Choose " + view_names());
  }
  const auto format = picture_format(arguments.output);
  if (!format) return format.error();
  auto request = picture_request(arguments, *format);
  if (!request) return request.error();
  if (is_animation(*format) && !view) {
    return usage(fmt::format("{} does not run in time", arguments.view),
                 "End its file's name in .svg, .pdf, .png, .csv or .json");
  }
  picture.unit = parse_rate_unit(arguments.unit);
  if (!picture.unit && !arguments.unit.empty()) {
    return usage(fmt::format("there is no unit '{}'", arguments.unit), "Choose " + unit_names());
  }
  if (Status applies = check_options(arguments); !applies) return applies.error();
  if (Status there = check_folder_of(arguments.output); !there) return there.error();
  if (view == View::kCompare && arguments.compare.beside.empty()) {
    return usage("one variant alone does not compare",
                 "Name others: --beside KERNEL[,NAME=VALUE] or --beside FILE");
  }
  picture.view = view;
  picture.format = *format;
  picture.request = *std::move(request);
  return picture;
}

Result<std::shared_ptr<const KernelStudy>> study_of(const ExportArguments& arguments,
                                                    int* compute_capability) {
  StudyRequest request;
  request.workers = processor_count();
  auto instance = resolve_or_guess(arguments.kernel, &request.compute_capability);
  if (!instance) return instance.error();
  request.instance = *std::move(instance);
  const auto block = parse_block(arguments.block, request.instance.grid);
  if (!block) return block.error();
  request.block = *block;
  *compute_capability = request.compute_capability;
  auto study = study_block(request, {});
  if (!study) return in_file(study.error(), request.instance);
  return study;
}

Result<Selection> select(const ExportArguments& arguments, View view, const KernelStudy& study,
                         const PreparedStudy& prepared) {
  Selection selection = telling_selection(view, study, prepared);
  if (arguments.warp) {
    if (*arguments.warp >= prepared.warps.size()) {
      return usage(fmt::format("--warp {} does not exist", *arguments.warp),
                   fmt::format("The block's memory instructions come from warps 0 to {}",
                               prepared.warps.empty() ? 0 : prepared.warps.size() - 1));
    }
    selection.warp = *arguments.warp;
  }
  if (arguments.lane) {
    if (*arguments.lane < 0 || *arguments.lane > 31) {
      return usage(fmt::format("--lane {} does not exist", *arguments.lane), "Lanes are 0 to 31");
    }
    selection.lane = *arguments.lane;
  }
  if (arguments.step) {
    selection.line = 0;
    selection.event =
        event_in_step(study, prepared, selection.warp, std::max(*arguments.step, 1u) - 1);
  }
  if (arguments.moment) {
    const std::size_t events = study.trace->events.size();
    if (*arguments.moment >= events) {
      return usage(fmt::format("--moment {} does not exist", *arguments.moment),
                   fmt::format("The block has {} instructions, counted from 0", events));
    }
    selection.line = 0;
    selection.event = *arguments.moment;
  }
  if (arguments.line) selection.line = *arguments.line;
  return selection;
}

Status write_chart(const ExportArguments& arguments, const Picture& picture,
                   const Resources& resources) {
  int compute_capability = 0;
  const auto instance = resolve_instance(arguments.kernel, &compute_capability);
  if (!instance) return instance.error();
  const RateRequest wanted{
      *instance,         device_model_for(resources.devices, compute_capability),
      arguments.over,    picture.unit,
      arguments.history, arguments.cold};
  PictureRequest request = picture.request;
  if (arguments.view == kTunerView) {
    auto tuned = tuned_figure_of(resources, wanted);
    if (!tuned) return tuned.error();
    request.tuned = *std::move(tuned);
    return export_view(request, arguments.output);
  }
  auto figure = rate_figure_of(resources, wanted);
  if (!figure) return figure.error();
  request.chart = *std::move(figure);
  return export_view(request, arguments.output);
}

// What the view draws from, in `context`; the study that it points to.
Result<std::shared_ptr<const KernelStudy>> fill_context(const ExportArguments& arguments, View view,
                                                        const Resources& resources,
                                                        ViewContext* context) {
  int compute_capability = 0;
  auto study = study_of(arguments, &compute_capability);
  if (!study) return study;
  const DeviceModel& device = device_model_for(resources.devices, compute_capability);
  KeptTimes kept;
  if (shows_times(view)) {
    auto loaded = kept_times(resources.catalogue, compute_capability, arguments.history);
    if (!loaded) return loaded.error();
    kept = *std::move(loaded);
  }
  const KnownTimes times = kept.times();
  if (view == View::kCompare) {
    auto set = compared_variants({arguments.kernel, *study, arguments.compare, compute_capability,
                                  arguments.whole_grid, times},
                                 resources);
    if (!set) return set.error();
    show_comparison(*set, context);
    return (*set)->variants[(*set)->active].study;
  }
  context->entry = resources.catalogue.find((*study)->instance.id);
  study = study_for_view(*study, view, device);
  if (!study) return study;
  if (Status added = add_alternatives(view, **study, device, context); !added) return added.error();
  if (arguments.whole_grid) study = with_whole_grid(*study);
  if (!study) return study;
  context->study = study->get();
  context->prepared = prepare(**study);
  if (shows_times(view)) {
    context->roofline =
        roofline_data_of({.instance = (*study)->instance,
                          .entry = context->entry,
                          .device = *(*study)->device,
                          .catalogue = resources.catalogue,
                          .times = times,
                          .count = view == View::kRoofline ? CountMoved::kOn : CountMoved::kOff});
  }
  return study;
}

Status write_view(const ExportArguments& arguments, const Picture& picture,
                  const Resources& resources) {
  const View view = *picture.view;
  const auto device = find_named_device(arguments.device, resources.devices);
  if (!device) return device.error();
  const auto settings = compare_settings(arguments.compare);
  if (!settings) return settings.error();
  PictureRequest request = picture.request;
  request.view = view;
  ViewContext& context = request.context;
  const auto study = fill_context(arguments, view, resources, &context);
  if (!study) return study.error();
  context.settings = *settings;
  context.settings.heat = arguments.heat;
  context.settings.device = *device;
  context.time_zoom = arguments.time_zoom;
  if (Status set = apply_settings(arguments.settings, &context.settings); !set) return set;
  if (Status set = apply_camera(arguments.camera, &context.camera); !set) return set;
  context.devices = std::make_shared<const std::vector<DeviceModel>>(resources.devices);
  const auto selection = select(arguments, view, **study, *context.prepared);
  if (!selection) return selection.error();
  context.selection = *selection;
  if (context.compared) stand_together(context);
  if (!is_animation(picture.format)) return export_view(request, arguments.output);
  if (!arguments.line) context.selection.line = 0;  // it follows time
  return write_animation(arguments, std::move(request), arguments.output);
}

// The source or the counters: of the whole launch, as the machine code has it.
Status write_page(const ExportArguments& arguments, const Picture& picture,
                  const Resources& resources) {
  int compute_capability = 0;
  auto study = study_of(arguments, &compute_capability);
  if (!study) return study.error();
  const DeviceModel& device = device_model_for(resources.devices, compute_capability);
  study = study_for_page(*study, device);
  if (study && arguments.whole_grid) study = with_whole_grid(*study);
  if (!study) return study.error();
  PictureRequest request = picture.request;
  request.page = picture.page;
  request.as_issued = !arguments.as_written;
  request.side_by_side = arguments.side_by_side;
  ViewContext& context = request.context;
  context.study = study->get();
  context.prepared = prepare(**study);
  context.entry = resources.catalogue.find((*study)->instance.id);
  const auto selection = select(arguments, View::kTiling, **study, *context.prepared);
  if (!selection) return selection.error();
  context.selection = *selection;
  if (picture.page == Page::kCounters && context.entry != nullptr) {
    const auto recorded = RecordedLibrary::load_shipped(resources.catalogue);
    if (!recorded) return recorded.error();
    context.hardware = recorded_counters(*recorded, *context.entry, **study);
  }
  return export_view(request, arguments.output);
}

}  // namespace

Result<PictureRequest> picture_request(const ExportArguments& arguments, PictureFormat format) {
  const auto pixels = parse_pixels(arguments.pixels);
  if (!pixels) return pixels.error();
  const auto theme = parse_theme(arguments.theme);
  if (!theme) {
    return usage(fmt::format("there is no theme '{}'", arguments.theme),
                 "Choose dark, light or paper");
  }
  if (Status date = check_date(arguments.date); !date) return date.error();
  PictureRequest request;
  request.context.theme = *theme;
  request.context.text_scale = arguments.text_scale;
  request.date = arguments.date.empty() ? stated_date() : arguments.date;
  request.width = static_cast<float>(pixels->first);
  request.height = static_cast<float>(pixels->second);
  if (format != PictureFormat::kPng && !is_animation(format)) return request;
  if (arguments.scale > 0) {
    request.pixel_scale = arguments.scale;
    return request;
  }
  // More pixels: the same picture, finer.
  request.pixel_scale =
      std::max(1.0f, std::min(request.width / kViewWidth, request.height / kViewHeight));
  request.width /= request.pixel_scale;
  request.height /= request.pixel_scale;
  return request;
}

int export_picture(const ExportArguments& arguments) {
  end_at_signals();
  if (!arguments.session.empty()) return export_session(arguments);
  if (arguments.kernel.kernel_or_file.empty()) {
    return report(usage("nothing is named to be exported", "Give a kernel, a file or --session"));
  }
  const auto picture = check(arguments);
  if (!picture) return report(picture.error());
  const auto resources = load_resources();
  if (!resources) return report(resources.error());
  const auto write = picture->view ? write_view : picture->page ? write_page : write_chart;
  const Status written = write(arguments, *picture, *resources);
  if (!written) return report(written.error());
  print_out("{}: {}\n", arguments.output, file_size_text(arguments.output));
  return 0;
}

}  // namespace tilescope
