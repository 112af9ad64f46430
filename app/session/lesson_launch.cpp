#include "session/lesson_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/moment.h"
#include "analysis/study/opened_file.h"
#include "core/quantity.h"
#include "core/text.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/guess/launch_guess.h"
#include "kernel/launch/instance.h"
#include "scene/view/default_selection.h"
#include "scene/view_settings.h"
#include "scene/views.h"
#include "session/document.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

Error usage(std::string message, std::string remedy) {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

Result<VariantDocument> file_variant(const LessonLaunch& launch, const fs::path& path,
                                     const DeviceModel& device) {
  auto opened = open_kernel_file(path.string(), device.compute_capability);
  if (!opened) return std::move(opened).error();
  VariantDocument variant;
  variant.file = opened->file.path;
  variant.original = share_text(opened->file.source);
  variant.launch = guess_launch(opened->file);
  variant.launch.parameters = launch.values;
  return variant;
}

// Sizes and parameters have one list in a lesson.
Result<VariantDocument> catalogue_variant(const LessonLaunch& launch, const CatalogueEntry& entry) {
  VariantDocument variant;
  variant.kernel = entry.id;
  variant.original = share_text(entry.source);
  variant.extents = entry.default_extents;
  ParameterSet changes;
  for (const auto& [name, value] : launch.values) {
    const auto extent = variant.extents.find(name);
    if (extent == variant.extents.end()) {
      changes[name] = value;
    } else if (value < 1) {
      return usage(fmt::format("{} is {}", name, value), "A size is 1 or more");
    } else {
      extent->second = value;
    }
  }
  auto parameters = complete_parameters(entry, changes);
  if (!parameters) return std::move(parameters).error();
  variant.parameters = *std::move(parameters);
  return variant;
}

Status check_view(const LessonScene& scene) {
  if (scene.is_chart()) return ok_status();
  const auto view = parse_view(scene.view);
  if (!view) {
    std::vector<std::string> names;
    for (const ViewDescriptor& each : view_descriptors()) names.emplace_back(each.name);
    return usage(fmt::format("there is no view {}", scene.view), did_you_mean(scene.view, names));
  }
  if (descriptor_of(*view).needs.variants) {
    return usage(fmt::format("a scene cannot show {}", scene.view), "Show one launch");
  }
  for (const auto& [name, value] : scene.settings) {
    if (Status known = check_setting(name, value); !known) return known;
  }
  return ok_status();
}

// A control is a parameter of the catalogue's kernel, that of a chart a number of the lesson.
Status check_control(const Lesson& lesson, const LessonScene& scene, const CatalogueEntry* entry) {
  if (scene.control.empty()) return ok_status();
  std::vector<std::string> names;
  if (scene.is_chart()) {
    for (const LessonNumber& number : lesson.numbers) names.push_back(number.name);
    if (lesson.number(scene.control) != nullptr) return ok_status();
    return usage(fmt::format("the head has no number {}", scene.control),
                 did_you_mean(scene.control, names));
  }
  if (entry != nullptr) {
    for (const ParameterSpec& spec : entry->parameters) names.push_back(spec.name);
  }
  if (std::ranges::find(names, scene.control) != names.end()) return ok_status();
  return usage(fmt::format("the kernel has no parameter {}", scene.control),
               names.empty() ? "Leave out 'control:'" : did_you_mean(scene.control, names));
}

}  // namespace

Error at_line(const Lesson& lesson, int line, Error error) {
  error.place = {lesson.file.string(), line};
  return error;
}

Result<VariantDocument> variant_of(const Lesson& lesson, const LessonLaunch& launch,
                                   const Catalogue& catalogue, const DeviceModel& device) {
  const CatalogueEntry* entry = catalogue.find(launch.kernel);
  const fs::path path = lesson.file.parent_path() / launch.kernel;
  std::error_code ignored;
  if (entry == nullptr && !fs::is_regular_file(path, ignored)) {
    std::vector<std::string> ids;
    for (const CatalogueEntry& each : catalogue.entries) ids.push_back(each.id);
    return at_line(lesson, launch.line,
                   usage(fmt::format("there is no kernel or file {}", launch.kernel),
                         did_you_mean(launch.kernel, ids, kListsKernels)));
  }
  auto variant =
      entry != nullptr ? catalogue_variant(launch, *entry) : file_variant(launch, path, device);
  if (!variant) return at_line(lesson, launch.line, std::move(variant).error());
  const auto instance = instance_of(*variant, catalogue, device);
  if (!instance) return at_line(lesson, launch.line, instance.error());
  return variant;
}

Result<std::uint32_t> find_source_line(std::string_view source, std::string_view text) {
  std::uint32_t line = 0;
  std::uint32_t found = 0;
  while (!source.empty()) {
    const std::size_t end = source.find('\n');
    ++line;
    if (source.substr(0, end).find(text) != std::string_view::npos) {
      if (found != 0) {
        return usage(fmt::format("lines {} and {} of the kernel have '{}'", found, line, text),
                     "Write more of the line");
      }
      found = line;
    }
    source.remove_prefix(end == std::string_view::npos ? source.size() : end + 1);
  }
  if (found == 0) {
    return usage(fmt::format("no line of the kernel has '{}'", text),
                 "Write a part of the line as it stands in the source");
  }
  return found;
}

Result<VariantDocument> variant_of(const Lesson& lesson, const LessonScene& scene,
                                   const Catalogue& catalogue, const DeviceModel& device) {
  if (Status right = check_view(scene); !right) {
    return at_line(lesson, scene.line, std::move(right).error());
  }
  auto variant = variant_of(lesson, *lesson.launch(scene.launch), catalogue, device);
  if (!variant) return variant;
  const auto instance = instance_of(*variant, catalogue, device);
  if (Status right = check_control(lesson, scene, catalogue.find(variant->kernel)); !right) {
    return at_line(lesson, scene.line, std::move(right).error());
  }
  Selection& selection = variant->selection;
  if (scene.block) {
    const auto [x, y] = *scene.block;
    if (x >= instance->grid.x || y >= instance->grid.y) {
      return at_line(
          lesson, scene.line,
          usage(fmt::format("there is no block {} {}", x, y),
                fmt::format("The grid has {} x {} blocks", instance->grid.x, instance->grid.y)));
    }
    selection.block = flatten({x, y, 0}, instance->grid);
  } else {
    selection.block = default_block(instance->grid);
  }
  selection.warp = scene.warp.value_or(0);
  const std::uint64_t warps = (instance->block.count() + 31) / 32;
  if (selection.warp >= warps) {
    return at_line(lesson, scene.line,
                   usage(fmt::format("there is no warp {}", selection.warp),
                         fmt::format("The block has {}", counted(warps, "warp"))));
  }
  selection.lane = scene.lane.value_or(5);
  if (!scene.source_line.empty()) {
    const auto line = find_source_line(*variant->text(), scene.source_line);
    if (!line) return at_line(lesson, scene.line, line.error());
    selection.line = *line;
  }
  variant->camera = {scene.zoom, scene.centre_x, scene.centre_y};
  variant->time_zoom = scene.zoom;
  return variant;
}

View view_of(const LessonScene& scene) {
  return parse_view(scene.view).value_or(View::kTiling);  // a chart covers it
}

ViewSettings settings_of(const LessonScene& scene) {
  ViewSettings settings;
  for (const auto& [name, value] : scene.settings) {
    change_setting(settings, {.kind = HitKind::kSetting, .value = value, .name = name});
  }
  return settings;
}

namespace {

// The warp's first access on the selected line, else its first instruction there.
std::optional<std::uint32_t> first_on_line(std::span<const std::uint32_t> own,
                                           const Selection& selection, const KernelStudy& study) {
  const auto& events = study.trace->events;
  const auto& instructions = study.program->instructions();
  std::optional<std::uint32_t> first;
  for (const std::uint32_t event : own) {
    const StaticInstruction& instruction = instructions[events[event].instruction];
    if (instruction.outermost.line != selection.line) continue;
    if (instruction.access != AccessKind::kNone) return event;
    if (!first) first = event;
  }
  return first;
}

}  // namespace

Selection selection_of(const LessonScene& scene, Selection selection, const KernelStudy& study,
                       const PreparedStudy& prepared) {
  if (study.trace->events.empty()) return selection;
  const Selection usual = default_selection(view_of(scene), study, prepared);
  if (!scene.warp && scene.source_line.empty()) selection.warp = usual.warp;
  if (!scene.lane && scene.source_line.empty()) selection.lane = usual.lane;
  const std::span<const std::uint32_t> own = time_of(study, prepared, selection.warp).own;
  selection.event = usual.event;
  if (scene.time.kind == SceneTime::Kind::kStep) {
    const auto step = static_cast<std::uint32_t>(scene.time.value);
    selection.event = event_in_step(study, prepared, selection.warp, step);
  } else if (scene.time.kind == SceneTime::Kind::kShare && !own.empty()) {
    const double at = scene.time.value / 100 * static_cast<double>(own.size() - 1);
    selection.event = own[static_cast<std::size_t>(at)];
  } else if (selection.line != 0) {
    selection.event = first_on_line(own, selection, study).value_or(usual.event);
  }
  return selection;
}

}  // namespace tilescope
