#include "cli/export_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "analysis/pipeline.h"
#include "cli/animation_export.h"
#include "cli/rate_lookup.h"
#include "cli/resources.h"
#include "cli/roofline_lookup.h"
#include "cli/session_export.h"
#include "export/export_view.h"
#include "export/output_file.h"
#include "scene/telling_selection.h"

namespace tilescope {
namespace {

constexpr float kNormalWidth = 1176;  // of the view in the window at scale 1
constexpr float kNormalHeight = 620;

Error usage(std::string message, std::string remedy) {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

Result<std::pair<int, int>> parse_pixels(const std::string& text) {
  int width = 0;
  int height = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, width);
  if (first.ec == std::errc() && first.ptr != end && (*first.ptr == 'x' || *first.ptr == 'X')) {
    const auto second = std::from_chars(first.ptr + 1, end, height);
    if (second.ec == std::errc() && second.ptr == end && width >= 320 && height >= 240 &&
        width <= 16384 && height <= 16384) {
      return std::pair{width, height};
    }
  }
  return usage(fmt::format("--pixels {} is not WIDTHxHEIGHT", text),
               "Give both from 320x240 to 16384x16384, for example 1920x1080");
}

Result<std::uint64_t> chosen_block(const std::string& text, const Dim3& grid) {
  Dim3 block{std::min(3u, grid.x - 1), std::min(2u, grid.y - 1), 0};
  if (!text.empty()) {
    block = {0, 0, 0};
    std::uint32_t* axes[] = {&block.x, &block.y, &block.z};
    const char* at = text.data();
    const char* end = at + text.size();
    for (std::uint32_t* axis : axes) {
      const auto parsed = std::from_chars(at, end, *axis);
      if (parsed.ec != std::errc()) {
        return usage(fmt::format("--block-index {} is not X[,Y[,Z]]", text), "For example 3,2");
      }
      at = parsed.ptr;
      if (at == end) break;
      ++at;
    }
  }
  if (block.x >= grid.x || block.y >= grid.y || block.z >= grid.z) {
    return usage(
        fmt::format("--block-index {} lies outside the grid", text),
        fmt::format("The grid has {} x {} x {} blocks, counted from 0", grid.x, grid.y, grid.z));
  }
  return flatten(block, grid);
}

constexpr std::string_view kThroughput = "throughput";  // no view of a trace, but a chart

// "tiling, coalescing, banks or throughput"
std::string view_names() {
  std::string names;
  for (const View view : all_views()) names += std::string(name_of(view)) + ", ";
  names.replace(names.size() - 2, 2, " or ");
  return names + std::string(kThroughput);
}

Status check_date(const std::string& date) {
  constexpr std::string_view kShape = "0000-00-00";
  const bool shaped = std::ranges::equal(date, kShape, [](char c, char shape) {
    return shape == '0' ? c >= '0' && c <= '9' : c == shape;
  });
  const auto number = [&](std::size_t at, std::size_t digits) {
    int value = 0;
    std::from_chars(date.data() + at, date.data() + at + digits, value);
    return value;
  };
  using std::chrono::day, std::chrono::month, std::chrono::year;
  if (date.empty()) return ok_status();
  if (shaped && (year(number(0, 4)) / month(static_cast<unsigned>(number(5, 2))) /
                 day(static_cast<unsigned>(number(8, 2))))
                    .ok()) {
    return ok_status();
  }
  return usage(fmt::format("--date {} is no date", date), "Write it as 2026-11-30");
}

// All that can be wrong before anything is compiled.
struct Picture {
  std::optional<View> view;  // nullopt: throughput
  PictureFormat format = PictureFormat::kSvg;
  PictureRequest request;  // its frame
};
Result<Picture> check(const ExportArguments& arguments) {
  Picture picture;
  const auto view = parse_view(arguments.view);
  if (!view && arguments.view != kThroughput) {
    return usage(fmt::format("there is no view '{}'", arguments.view), "Choose " + view_names());
  }
  const auto format = picture_format(arguments.output);
  if (!format) return format.error();
  auto request = picture_request(arguments, *format);
  if (!request) return request.error();
  if (is_animation(*format) && !view) {
    return usage("throughput does not run in time",
                 "End its file's name in .svg, .pdf, .png, .csv or .json");
  }
  picture.view = view;
  picture.format = *format;
  picture.request = *std::move(request);
  return picture;
}

Result<std::shared_ptr<const KernelStudy>> study_of(const ExportArguments& arguments,
                                                    int* compute_capability) {
  StudyRequest request;
  request.workers = std::max(std::thread::hardware_concurrency(), 1u);
  auto instance = resolve_instance(arguments.kernel, &request.compute_capability);
  if (!instance) return instance.error();
  request.instance = *std::move(instance);
  const auto block = chosen_block(arguments.block, request.instance.grid);
  if (!block) return block.error();
  request.block = *block;
  *compute_capability = request.compute_capability;
  return study_block(request, {});
}

// What this view needs beside the traced block: registers, and the machine code where it can be
// had.
Result<std::shared_ptr<const KernelStudy>> completed(std::shared_ptr<const KernelStudy> study,
                                                     View view, const Resources& resources,
                                                     int compute_capability, ViewContext* context) {
  if (view != View::kTiling && view != View::kPipeline && view != View::kOccupancy &&
      view != View::kRoofline && view != View::kCompare) {
    return study;
  }
  auto next = with_resources(study, device_model_for(resources.devices, compute_capability), {});
  if (view == View::kTiling) return next ? next : study;  // it shows registers where they are known
  if (next) {
    next = with_issued_counts(*next, false, std::max(std::thread::hardware_concurrency(), 1u), {});
  }
  if (!next || view != View::kPipeline) return next;
  next = with_pipeline(*next, std::nullopt, {});
  if (!next || context->entry == nullptr) return next;
  auto alternatives = pipeline_alternatives(*context->entry, **next, nullptr, {});
  if (!alternatives) return alternatives.error();
  context->alternatives =
      std::make_shared<const std::vector<PipelineAlternative>>(*std::move(alternatives));
  return next;
}

Result<std::shared_ptr<const KernelStudy>> with_whole_grid(
    std::shared_ptr<const KernelStudy> study) {
  const unsigned workers = std::max(std::thread::hardware_concurrency(), 1u);
  const auto grid = run_grid(*study, workers, {});
  if (!grid) return grid.error();
  study = with_grid(std::move(study), *grid);
  if (!study->issued_counters) return study;
  return with_issued_counts(std::move(study), true, workers, {});
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

Status apply_settings(const ExportArguments& arguments, ViewContext* context) {
  for (const std::string& setting : arguments.settings) {
    const std::size_t equals = setting.find('=');
    Hit hit{HitKind::kSetting, 0, 0, setting.substr(0, equals), {}};
    const char* end = setting.data() + setting.size();
    const bool number = equals != std::string::npos && equals > 0 &&
                        std::from_chars(setting.data() + equals + 1, end, hit.value).ptr == end &&
                        equals + 1 < setting.size();
    if (!number) {
      return usage(fmt::format("--set {} is not NAME=NUMBER", setting),
                   "For example --set lane_window=256");
    }
    change_setting(context->settings, hit);
  }
  if (arguments.camera.empty()) return ok_status();
  MatrixCamera& camera = context->camera;
  std::array<float*, 3> values = {&camera.zoom, &camera.center_x, &camera.center_y};
  const char* at = arguments.camera.data();
  const char* end = at + arguments.camera.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto parsed = std::from_chars(at, end, *values.at(i));
    const bool last = i + 1 == values.size();
    if (parsed.ec != std::errc() || (last ? parsed.ptr != end : parsed.ptr == end)) {
      return usage(fmt::format("--camera {} is not ZOOM,X,Y", arguments.camera),
                   "X and Y are 0 to 1 across the view, for example 4,0.5,0.5");
    }
    at = parsed.ptr + 1;
  }
  return ok_status();
}

// Index of the device whose name holds `part`; -1: none was asked for.
Result<int> chosen_device(const std::string& part, const std::vector<DeviceModel>& devices) {
  if (part.empty()) return -1;
  const auto found = std::ranges::find_if(devices, [&part](const DeviceModel& device) {
    return device.name.find(part) != std::string::npos;
  });
  if (found == devices.end()) {
    return usage(fmt::format("--device {} is no device that is known", part),
                 "tilescope list --devices names them");
  }
  return static_cast<int>(found - devices.begin());
}

// The compared variants, their settings and where each stands; the context is of the active one
// from here on.
Status compare_beside(const ExportArguments& arguments, const Resources& resources,
                      int compute_capability, std::shared_ptr<const KernelStudy>* study,
                      ViewContext* context) {
  const bool piped = arguments.compare.panes == name_of(View::kPipeline);
  const auto complete = [&](std::shared_ptr<const KernelStudy> traced) {
    ViewContext ignored;
    auto next = completed(std::move(traced), piped ? View::kPipeline : View::kCompare, resources,
                          compute_capability, &ignored);
    return next && arguments.whole_grid ? with_whole_grid(*next) : next;
  };
  const auto set = compared_variants(arguments.kernel, *study, arguments.compare, resources,
                                     compute_capability, complete);
  if (!set) return set.error();
  const ComparedVariant& active = (*set)->variants[(*set)->active];
  *study = active.study;
  context->study = study->get();
  context->prepared = active.prepared;
  context->entry = active.entry;
  context->compared = *set;
  return ok_status();
}

// The file with its size; what it shows in pixels where it has some.
int say_written(const ExportArguments& arguments) {
  fmt::print("{}: {}\n", arguments.output, file_size_text(arguments.output));
  return 0;
}

int export_chart(const ExportArguments& arguments, const Picture& picture,
                 const Resources& resources) {
  int compute_capability = 0;
  const auto instance = resolve_instance(arguments.kernel, &compute_capability);
  if (!instance) return report(instance.error());
  auto figure =
      rate_figure_of(resources, {*instance, device_model_for(resources.devices, compute_capability),
                                 arguments.over, arguments.history});
  if (!figure) return report(figure.error());
  PictureRequest request = picture.request;
  request.chart = *std::move(figure);
  const Status written = export_view(request, arguments.output);
  return written ? say_written(arguments) : report(written.error());
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
      std::max(1.0f, std::min(request.width / kNormalWidth, request.height / kNormalHeight));
  request.width /= request.pixel_scale;
  request.height /= request.pixel_scale;
  return request;
}

int export_picture(const ExportArguments& arguments) {
  if (!arguments.session.empty()) return export_session(arguments);
  if (arguments.kernel.kernel_or_file.empty()) {
    return report(usage("nothing is named to be exported", "Give a kernel, a file or --session"));
  }
  const auto picture = check(arguments);
  if (!picture) return report(picture.error());
  const auto resources = load_resources();
  if (!resources) return report(resources.error());
  if (!picture->view) return export_chart(arguments, *picture, *resources);
  const View view = *picture->view;
  const auto device = chosen_device(arguments.device, resources->devices);
  if (!device) return report(device.error());
  const auto settings = compare_settings(arguments.compare);
  if (!settings) return report(settings.error());
  int compute_capability = 0;
  auto study = study_of(arguments, &compute_capability);
  if (!study) return report(study.error());
  PictureRequest request = picture->request;
  request.view = view;
  request.context.entry = resources->catalogue.find((*study)->instance.id);
  const bool compares = view == View::kCompare && !arguments.compare.beside.empty();
  if (!compares) study = completed(*study, view, *resources, compute_capability, &request.context);
  if (study && arguments.whole_grid && !compares) study = with_whole_grid(*study);
  if (!study) return report(study.error());
  request.context.study = study->get();
  request.context.settings = *settings;
  if (compares) {
    std::shared_ptr<const KernelStudy> active = *study;
    const Status compared =
        compare_beside(arguments, *resources, compute_capability, &active, &request.context);
    if (!compared) return report(compared.error());
    study = active;
  } else {
    request.context.prepared = prepare(**study);
  }
  if (view == View::kRoofline || view == View::kCompare) {
    request.context.roofline =
        roofline_data_of((*study)->instance, *(*study)->device,
                         view == View::kRoofline ? CountMoved::kOn : CountMoved::kOff);
  }
  request.context.settings.heat = arguments.heat;
  request.context.settings.device = *device;
  request.context.time_zoom = arguments.time_zoom;
  if (Status set = apply_settings(arguments, &request.context); !set) return report(set.error());
  request.context.devices = std::make_shared<const std::vector<DeviceModel>>(resources->devices);
  const auto selection = select(arguments, view, **study, *request.context.prepared);
  if (!selection) return report(selection.error());
  request.context.selection = *selection;
  if (request.context.compared) stand_together(request.context);
  if (is_animation(picture->format) && !arguments.line) request.context.selection.line = 0;
  const Status written = is_animation(picture->format)
                             ? write_animation(arguments, std::move(request), arguments.output)
                             : export_view(request, arguments.output);
  return written ? say_written(arguments) : report(written.error());
}

void add_export_command(CLI::App& app, CommandContext& context) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand(
      "export", "write a view or chart into a file; needs no display and no GPU");
  add_kernel_options(*command, arguments->kernel);
  command->get_option("kernel")->required(false);
  command->add_option("--session", arguments->session, "a session file instead of a kernel");
  command->add_option("--variant", arguments->variant, "session: A to D; else the active one");
  command->add_flag("--all", arguments->all,
                    "session: every view of every variant, into the folder -o");
  command
      ->add_option("--format", arguments->format,
                   "with --all: svg, pdf, png, csv, json, gif or mp4")
      ->capture_default_str();
  command->add_option("--view", arguments->view, view_names())->capture_default_str();
  command
      ->add_option("-o,--output", arguments->output,
                   "a file ending in .svg, .pdf or .png; .csv or .json: the numbers it draws; "
                   ".gif or .mp4: the view while time runs; with --all a folder")
      ->required();
  command->add_option("--over", arguments->over,
                      "throughput: the parameter along the axis, or size");
  command->add_flag("--history", arguments->history,
                    "throughput: your own measurements (tilescope history) before the recorded "
                    "ones");
  command->add_option("--at", arguments->step, "step of the block's main loop, from 1");
  command->add_option("--moment", arguments->moment,
                      "instruction of the block's trace to stand at, from 0");
  command->add_option("--line", arguments->line, "source line whose access to show");
  command->add_option("--block-index", arguments->block, "X[,Y[,Z]]: the block to trace");
  command->add_option("--warp", arguments->warp, "warp of that block");
  command->add_option("--lane", arguments->lane, "lane to mark, 0 to 31");
  command->add_option("--theme", arguments->theme, "dark, light or paper")->capture_default_str();
  command->add_option("--pixels", arguments->pixels, "WIDTHxHEIGHT")->capture_default_str();
  command->add_option("--device", arguments->device,
                      "occupancy: show it on this one, part of a name of list --devices");
  CompareArguments& compare = arguments->compare;
  command
      ->add_option("--beside", compare.beside,
                   "compare: KERNEL[,NAME=VALUE]... or a file, up to three times; the kernel "
                   "itself is A")
      ->take_all();
  command->add_option("--panes", compare.panes, "compare: the view that each pane shows");
  command->add_option("--against", compare.against, "compare: letter of the base")
      ->capture_default_str();
  command->add_option("--subject", compare.subject,
                      "compare: letter of the one that the sentence is about; the last");
  command->add_flag("--overlay", compare.overlay, "compare: over one another");
  command->add_option("--set", arguments->settings,
                      "NAME=NUMBER, repeatable: what a click in a view sets: lane_window, "
                      "latency_cycles");
  command->add_option("--camera", arguments->camera,
                      "tiling: ZOOM,X,Y: how far the matrices are zoomed in, and where");
  command->add_option("--time-zoom", arguments->time_zoom, "pipeline: 2 shows half the cycles")
      ->check(CLI::Range(0.01, 1000.0));
  command
      ->add_option("--scale", arguments->scale,
                   ".png, .gif, .mp4: device pixels in a px of --pixels")
      ->check(CLI::Range(1.0, 4.0));
  command
      ->add_option("--text-scale", arguments->text_scale,
                   "size of the text, 1.6 for a lecture hall")
      ->check(CLI::Range(0.5, 4.0));
  command->add_option("--from", arguments->from,
                      ".gif, .mp4: the first moment, from 0, or step:N; else the block's first");
  command->add_option("--to", arguments->to, ".gif, .mp4: the last one; else the block's last");
  command->add_option("--fps", arguments->frames_per_second, ".gif, .mp4: frames a second, 1 to 50")
      ->capture_default_str();
  command->add_option("--seconds", arguments->seconds, ".gif, .mp4: how long it takes")
      ->capture_default_str();
  command->add_option("--date", arguments->date,
                      "2026-11-30: stated in the file; else SOURCE_DATE_EPOCH's, or that of the "
                      "measurements shown");
  command->add_flag("--whole-grid", arguments->whole_grid,
                    "count every block, as the window does in the end, instead of a sample");
  command->add_flag("--heat", arguments->heat, "tiling: colour by how often each element is read");
  command->callback([arguments, &context] { context.status = export_picture(*arguments); });
}

}  // namespace tilescope
