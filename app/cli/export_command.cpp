#include "cli/export_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <thread>
#include <utility>

#include "analysis/pipeline.h"
#include "cli/resources.h"
#include "cli/roofline_lookup.h"
#include "export/export_view.h"
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

// "tiling, coalescing, banks or occupancy"
std::string view_names() {
  std::string names;
  const auto views = all_views();
  for (std::size_t i = 0; i < views.size(); ++i) {
    const bool last = i + 1 == views.size();
    names += (i == 0 ? "" : last ? " or " : ", ") + std::string(name_of(views[i]));
  }
  return names;
}

// All that can be wrong before anything is compiled.
struct Picture {
  View view = View::kTiling;
  Theme theme = Theme::kLight;
  std::pair<int, int> pixels;
  PictureFormat format = PictureFormat::kSvg;
};
Result<Picture> check(const ExportArguments& arguments) {
  Picture picture;
  const auto view = parse_view(arguments.view);
  if (!view) {
    return usage(fmt::format("there is no view '{}'", arguments.view), "Choose " + view_names());
  }
  const auto theme = parse_theme(arguments.theme);
  if (!theme) {
    return usage(fmt::format("there is no theme '{}'", arguments.theme),
                 "Choose dark, light or paper");
  }
  const auto pixels = parse_pixels(arguments.pixels);
  if (!pixels) return pixels.error();
  const auto format = picture_format(arguments.output);
  if (!format) return format.error();
  picture.view = *view;
  picture.theme = *theme;
  picture.pixels = *pixels;
  picture.format = *format;
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
  if (view != View::kPipeline && view != View::kOccupancy && view != View::kRoofline &&
      view != View::kCompare) {
    return study;
  }
  auto next =
      with_resources(std::move(study), device_model_for(resources.devices, compute_capability), {});
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

void stand_together(ViewContext* context) {
  for (const ComparedVariant& variant : context->compared->variants) {
    context->compared_at.push_back(
        variant.study.get() == context->study
            ? context->selection
            : selection_beside(*context->study, context->selection, *variant.study));
  }
}

}  // namespace

int export_picture(const ExportArguments& arguments) {
  const auto picture = check(arguments);
  if (!picture) return report(picture.error());
  const auto resources = load_resources();
  if (!resources) return report(resources.error());
  const auto device = chosen_device(arguments.device, resources->devices);
  if (!device) return report(device.error());
  const auto settings = compare_settings(arguments.compare);
  if (!settings) return report(settings.error());
  int compute_capability = 0;
  auto study = study_of(arguments, &compute_capability);
  if (!study) return report(study.error());
  PictureRequest request;
  request.view = picture->view;
  request.context.entry = resources->catalogue.find((*study)->instance.id);
  const bool compares = picture->view == View::kCompare && !arguments.compare.beside.empty();
  if (!compares) {
    study = completed(*study, picture->view, *resources, compute_capability, &request.context);
  }
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
  if (picture->view == View::kRoofline || picture->view == View::kCompare) {
    request.context.roofline = roofline_data_of(
        (*study)->instance, device_model_for(resources->devices, compute_capability),
        picture->view == View::kRoofline ? CountMoved::kOn : CountMoved::kOff);
  }
  request.context.theme = picture->theme;
  request.context.text_scale = arguments.text_scale;
  request.context.settings.heat = arguments.heat;
  request.context.settings.device = *device;
  request.context.devices = std::make_shared<const std::vector<DeviceModel>>(resources->devices);
  const auto selection = select(arguments, picture->view, **study, *request.context.prepared);
  if (!selection) return report(selection.error());
  request.context.selection = *selection;
  if (request.context.compared) stand_together(&request.context);
  request.width = static_cast<float>(picture->pixels.first);
  request.height = static_cast<float>(picture->pixels.second);
  if (picture->format == PictureFormat::kPng) {  // more pixels: the same picture, finer
    request.pixel_scale =
        std::max(1.0f, std::min(request.width / kNormalWidth, request.height / kNormalHeight));
    request.width /= request.pixel_scale;
    request.height /= request.pixel_scale;
  }
  const Status written = export_view(request, arguments.output);
  return written ? 0 : report(written.error());
}

void add_export_command(CLI::App& app, CommandContext& context) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command =
      app.add_subcommand("export", "draw a view into a file; needs no display and no GPU");
  add_kernel_options(*command, arguments->kernel);
  command->add_option("--view", arguments->view, view_names())->capture_default_str();
  command->add_option("-o,--output", arguments->output, "a file ending in .svg, .pdf or .png")
      ->required();
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
  command
      ->add_option("--text-scale", arguments->text_scale,
                   "size of the text, 1.6 for a lecture hall")
      ->check(CLI::Range(0.5, 4.0));
  command->add_flag("--whole-grid", arguments->whole_grid,
                    "count every block, as the window does in the end, instead of a sample");
  command->add_flag("--heat", arguments->heat, "tiling: colour by how often each element is read");
  command->callback([arguments, &context] { context.status = export_picture(*arguments); });
}

}  // namespace tilescope
