#include "cli/export_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "cli/command.h"
#include "cli/compared_variants.h"
#include "cli/export_options.h"
#include "cli/kernel_arguments.h"
#include "cli/measured_rates.h"
#include "cli/options.h"
#include "cli/parser/command_line.h"
#include "cli/session_export.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/text.h"
#include "export/animation.h"
#include "export/export_view.h"
#include "export/picture_page.h"
#include "kernel/launch/source_parameters.h"
#include "scene/pages/page.h"
#include "scene/rates/rate_unit.h"
#include "scene/view/default_selection.h"
#include "scene/views.h"
#include "session/studied_view.h"
#include "session/view_queries.h"

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
    return usage(fmt::format("{} has no animation", arguments.view),
                 "Use a file name ending in .svg, .pdf, .png, .html, .csv or .json");
  }
  picture.unit = parse_rate_unit(arguments.unit);
  if (!picture.unit && !arguments.unit.empty()) {
    return usage(fmt::format("there is no unit '{}'", arguments.unit), "Choose " + unit_names());
  }
  if (Status applies = check_options(arguments); !applies) return applies.error();
  if (Status there = check_folder_of(arguments.output); !there) return there.error();
  if (view && descriptor_of(*view).needs.variants && arguments.compare.beside.empty()) {
    return usage("a comparison needs two variants",
                 "Add others: --beside KERNEL[,NAME=VALUE] or --beside FILE");
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
  Selection selection = default_selection(view, study, prepared);
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
  const auto instance = resolve_or_guess(arguments.kernel, &compute_capability);
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

// What is drawn from, as far as it follows from the kernel, in `context`; what keeps it alive.
Result<std::vector<ViewedVariant>> fill_context(const ExportArguments& arguments,
                                                const ViewNeeds& needs, const Resources& resources,
                                                ViewContext* context) {
  int compute_capability = 0;
  auto study = study_of(arguments, &compute_capability);
  if (!study) return study.error();
  const DeviceModel& device = device_model_for(resources.devices, compute_capability);
  KeptMeasurements kept;
  if (needs.times || needs.hardware) {
    auto loaded = kept_measurements(resources.catalogue, arguments.history, compute_capability);
    if (!loaded) return loaded.error();
    kept = *std::move(loaded);
  }
  std::vector<ViewedVariant> variants;
  if (needs.variants) {
    auto compared = compared_variants({arguments.kernel, *study, arguments.compare, needs,
                                       compute_capability, arguments.whole_grid},
                                      resources);
    if (!compared) return compared.error();
    variants = *std::move(compared);
  } else {
    study = complete_study(*study, needs, device, arguments.whole_grid);
    if (!study) return study.error();
    variants.push_back({.entry = resources.catalogue.find((*study)->instance.id),
                        .study = *study,
                        .prepared = prepare(**study)});
  }
  OtherLaunches launches(resources.catalogue, run_now, processor_count());
  ViewQueries queries(launches, run_now);
  const std::size_t active = needs.variants ? subject_of(arguments.compare) : 0;
  if (Status asked = queries.ask(needs, variants, active, device, kept.known()); !asked) {
    return asked.error();
  }
  queries.fill(variants[active], context);
  return variants;
}

// The view that the arguments name, with what it points into.
Result<KeptPicture> pictured(const ExportArguments& arguments, const Picture& picture,
                             const Resources& resources) {
  const View view = *picture.view;
  const auto device = find_named_device(arguments.device, resources.devices);
  if (!device) return device.error();
  const auto settings = compare_settings(arguments.compare);
  if (!settings) return settings.error();
  PictureRequest request = picture.request;
  request.view = view;
  ViewContext& context = request.context;
  context.settings = *settings;
  context.settings.heat = arguments.heat;
  context.settings.device = *device;
  context.time_zoom = arguments.time_zoom;
  if (Status set = apply_settings(arguments.settings, &context.settings); !set) return set.error();
  if (Status set = apply_camera(arguments.camera, &context.camera); !set) return set.error();
  context.devices = std::make_shared<const std::vector<DeviceModel>>(resources.devices);
  auto drawn = fill_context(arguments, needs_of(view, context.settings), resources, &context);
  if (!drawn) return drawn.error();
  const auto selection = select(arguments, view, *context.study, *context.prepared);
  if (!selection) return selection.error();
  context.selection = *selection;
  if (context.compared) stand_together(context);
  return KeptPicture{std::move(request),
                     std::make_shared<const std::vector<ViewedVariant>>(*std::move(drawn))};
}

// The parameter of a page's slider, and the arguments with each of its values.
struct TurnedArguments {
  std::vector<std::string> values;
  std::vector<ExportArguments> arguments;
  std::size_t at = 0;  // the value that was asked for, or the kernel's own
};
Result<TurnedArguments> turned(const ExportArguments& arguments, const Resources& resources) {
  int ignored = 0;
  const auto instance = resolve_or_guess(arguments.kernel, &ignored);
  if (!instance) return instance.error();
  const CatalogueEntry* entry = resources.catalogue.find(instance->id);
  const std::vector<ParameterSpec> offered =
      entry != nullptr ? entry->parameters
                       : source_parameters({arguments.kernel.kernel_or_file, instance->source},
                                           arguments.kernel.kernel);
  const auto spec = std::ranges::find(offered, arguments.over, &ParameterSpec::name);
  if (spec == offered.end()) {
    std::vector<std::string> names;
    for (const ParameterSpec& each : offered) names.push_back(each.name);
    return usage(fmt::format("--over {}: the kernel has no such parameter", arguments.over),
                 names.empty() ? "Leave it out" : did_you_mean(arguments.over, names));
  }
  const auto present = instance->parameters.find(spec->name);
  const std::int64_t now =
      present == instance->parameters.end() ? spec->default_value : present->second;
  TurnedArguments all;
  for (const std::int64_t value : spec->values) {
    ExportArguments one = arguments;
    one.kernel.parameters.push_back(fmt::format("{}={}", spec->name, value));
    const auto other = resolve_or_guess(one.kernel, &ignored);
    if (!other || !parse_block(one.block, other->grid)) continue;  // against the kernel's rules
    if (value != now) {  // a trace of its own: where the view has most to tell
      one.step.reset();
      one.moment.reset();
      one.warp.reset();
    }
    if (value == now) all.at = all.values.size();
    all.values.push_back(std::to_string(value));
    all.arguments.push_back(std::move(one));
    if (all.values.size() == kMostPageValues) break;
  }
  return all;
}

Status write_html(const ExportArguments& arguments, const Picture& picture,
                  const Resources& resources) {
  PictureFrames frames;
  frames.moments = arguments.moments;
  std::vector<ExportArguments> each{arguments};
  if (!arguments.over.empty()) {
    auto all = turned(arguments, resources);
    if (!all) return all.error();
    frames.parameter = arguments.over;
    frames.values = std::move(all->values);
    frames.at = all->at;
    each = std::move(all->arguments);
  }
  frames.picture = [&](std::size_t value) { return pictured(each[value], picture, resources); };
  const auto page = page_of(frames);
  if (!page) return page.error();
  return write_file(arguments.output, *page);
}

Status write_view(const ExportArguments& arguments, const Picture& picture,
                  const Resources& resources) {
  if (picture.format == PictureFormat::kHtml) return write_html(arguments, picture, resources);
  auto drawn = pictured(arguments, picture, resources);
  if (!drawn) return drawn.error();
  if (!is_animation(picture.format)) return export_view(drawn->request, arguments.output);
  if (!arguments.line) drawn->request.context.selection.line = 0;  // it follows time
  return write_animation(arguments, std::move(drawn->request), arguments.output);
}

// The source or the counters: of the whole launch, as the machine code has it.
Status write_page(const ExportArguments& arguments, const Picture& picture,
                  const Resources& resources) {
  PictureRequest request = picture.request;
  request.page = picture.page;
  request.as_issued = !arguments.as_written;
  request.side_by_side = arguments.side_by_side;
  ViewContext& context = request.context;
  const auto drawn = fill_context(arguments, needs_of(*picture.page), resources, &context);
  if (!drawn) return drawn.error();
  const auto selection = select(arguments, View::kTiling, *context.study, *context.prepared);
  if (!selection) return selection.error();
  context.selection = *selection;
  return export_view(request, arguments.output);
}

// A size on paper is understood behind --size too, which is a kernel's.
void take_paper(ExportArguments& arguments) {
  if (!is_paper(arguments.kernel.size)) return;
  arguments.paper = std::exchange(arguments.kernel.size, {});
  std::ranges::replace(arguments.given, std::string("--size"), std::string("--paper"));
}

Result<const ViewPart*> parse_part(const ExportArguments& arguments) {
  const auto view = parse_view(arguments.view);
  if (!view) return usage(fmt::format("{} has no parts", arguments.view), "Leave out --part");
  const ViewDescriptor& descriptor = descriptor_of(*view);
  if (const ViewPart* part = descriptor.part(arguments.part)) return part;
  std::vector<std::string> names;
  for (const ViewPart& each : descriptor.parts) names.emplace_back(each.name);
  return usage(fmt::format("{} has no part '{}'", arguments.view, arguments.part),
               names.empty() ? "Leave out --part" : "It has " + joined(names));
}

}  // namespace

Result<PictureRequest> picture_request(const ExportArguments& arguments, PictureFormat format) {
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
  request.with_sentence = arguments.with_sentence;
  request.with_provenance = arguments.with_provenance;
  if (!arguments.part.empty()) {
    const auto part = parse_part(arguments);
    if (!part) return part.error();
    request.part = *part;
  }
  if (!arguments.text.empty()) {
    const auto scale = parse_text_size(arguments.text);
    if (!scale) return scale.error();
    request.context.text_scale = *scale;
  }
  if (!arguments.paper.empty()) {
    auto paper = parse_paper(arguments.paper);
    if (!paper) return paper.error();
    request.paper = std::move(paper->words);
    request.width = paper->width;
    request.height = paper->height;
    request.pixel_scale = arguments.scale > 0 ? arguments.scale : kPrintedPixelScale;
    return request;
  }
  const bool sized = std::ranges::find(arguments.given, "--pixels") != arguments.given.end();
  const auto pixels = format == PictureFormat::kHtml && !sized
                          ? Result<std::pair<int, int>>(std::pair{kPageWidth, kPageHeight})
                          : parse_pixels(arguments.pixels);
  if (!pixels) return pixels.error();
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
    return report(usage("nothing to export is given", "Give a kernel, a file or --session"));
  }
  const auto picture = check(arguments);
  if (!picture) return report(picture.error());
  const auto& resources = load_resources();
  if (!resources) return report(resources.error());
  const auto write = picture->view ? write_view : picture->page ? write_page : write_chart;
  const Status written = write(arguments, *picture, *resources);
  if (!written) return report(written.error());
  print_out("{}: {}\n", arguments.output, file_size_text(arguments.output));
  return 0;
}

void add_export_command(CommandOptions app, CommandContext& context) {
  auto arguments = std::make_shared<ExportArguments>();
  CommandOptions command = app.add_subcommand(
      "export", "write a view or chart into a file; needs no display and no GPU");
  add_export_options(command, *arguments);
  command.callback([arguments, command, &context] {
    arguments->given = command.given_options();
    take_paper(*arguments);
    context.status = export_picture(*arguments);
  });
}

std::string view_names() {
  std::string names;
  for (const View view : all_views()) names += std::string(name_of(view)) + ", ";
  for (const Page page : all_pages()) names += std::string(name_of(page)) + ", ";
  return names + std::string(kTunerView) + " or " + std::string(kThroughputView);
}

std::string unit_names() {
  std::string names;
  for (const RateUnit unit : all_rate_units()) {
    if (!names.empty()) names += unit == all_rate_units().back() ? " or " : ", ";
    names += option_of(unit);
  }
  return names;
}

Status write_animation(const ExportArguments& arguments, PictureRequest picture,
                       const std::filesystem::path& file) {
  const KernelStudy& study = *picture.context.study;
  AnimationRequest request;
  request.to = static_cast<std::uint32_t>(study.trace->events.size() - 1);
  request.frames_per_second = arguments.frames_per_second;
  request.seconds = arguments.seconds;
  if (!arguments.from.empty()) {
    const auto from = parse_moment("--from", arguments.from, false, study);
    if (!from) return from.error();
    request.from = *from;
  }
  if (!arguments.to.empty()) {
    const auto to = parse_moment("--to", arguments.to, true, study);
    if (!to) return to.error();
    request.to = *to;
  }
  request.picture = std::move(picture);
  return export_animation(request, file, {}, {});
}

}  // namespace tilescope
