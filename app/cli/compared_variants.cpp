#include "cli/compared_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/study/opened_file.h"
#include "cli/command.h"
#include "core/parallel.h"
#include "kernel/guess/launch_guess.h"
#include "kernel/launch/file_launch.h"
#include "kernel/launch/launch_form.h"
#include "scene/model/prepared.h"
#include "scene/views.h"
#include "session/studied_view.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostBeside = 3;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

Result<std::size_t> index_of(const std::string& letter, std::size_t count, const char* option) {
  const auto index = letter.size() == 1 ? static_cast<std::size_t>(letter[0] - 'A') : count;
  if (index < count) return index;
  return usage(fmt::format("{} {} is not one of the variants", option, letter),
               fmt::format("They are A to {}", static_cast<char>('A' + count - 1)));
}

// A file without a launch of its own.
Result<KernelInstance> guessed_instance(const std::string& path, int compute_capability) {
  const auto opened = open_kernel_file(path, compute_capability);
  if (!opened) return opened.error();
  const auto launch = launch_text(guess_launch(opened->file));
  if (!launch) return launch.error();
  return launch_file(opened->file, *launch, "--");
}

Result<KernelInstance> instance_beside(const std::string& text, const KernelArguments& first,
                                       const KernelInstance& with, const Resources& resources) {
  const std::vector<std::string> parts = split(text);
  KernelArguments own;
  own.architecture = first.architecture;
  if (can_be_opened(parts.front())) {
    if (parts.size() > 1) {
      return usage(fmt::format("--beside {}: a file has no parameters", text),
                   "Give only its name");
    }
    const auto capability = parse_architecture(first.architecture);
    if (!capability) return capability.error();
    if (first.grid.empty()) return guessed_instance(parts.front(), *capability);
    own = first;
  }
  own.kernel_or_file = parts.front();
  own.parameters.assign(parts.begin() + 1, parts.end());
  const CatalogueEntry* entry = resources.catalogue.find(parts.front());
  const bool same = entry != nullptr && with.problem &&
                    extent_names(entry->problem) == extent_names(*with.problem);
  if (same) own.size = size_text(entry->problem, with.extents);
  if (same && with.multiplies() && entry->problem->multiplies()) {
    own.alpha = first.alpha;
    own.beta = first.beta;
  }
  int ignored = 0;
  return resolve_instance(own, &ignored);
}

// Traced at this block, or as near to it as its grid has.
Result<std::shared_ptr<const KernelStudy>> study_at(const Dim3& block, KernelInstance instance,
                                                    const ComparisonRequest& request) {
  StudyRequest traced;
  traced.workers = processor_count();
  traced.compute_capability = request.compute_capability;
  const Dim3 grid = instance.grid;
  traced.block = flatten(
      {std::min(block.x, grid.x - 1), std::min(block.y, grid.y - 1), std::min(block.z, grid.z - 1)},
      grid);
  traced.instance = std::move(instance);
  return study_block(traced, {});
}

}  // namespace

Result<ViewSettings> compare_settings(const CompareArguments& arguments) {
  ViewSettings settings;
  const std::size_t count = arguments.beside.size() + 1;
  if (count > kMostBeside + 1) {
    return usage("--beside is given more than three times",
                 "At most four variants can be compared");
  }
  const auto base = index_of(arguments.against, count, "--against");
  if (!base) return base.error();
  settings.compare_base = static_cast<int>(*base);
  if (!arguments.subject.empty()) {
    const auto subject = index_of(arguments.subject, count, "--subject");
    if (!subject) return subject.error();
  }
  if (arguments.overlay && !arguments.panes.empty()) {
    return usage("--overlay draws sectors and banks on top of each other, so it has no panes",
                 "Leave out --overlay or --panes");
  }
  if (arguments.overlay) settings.compare_mode = CompareMode::kOverlay;
  if (arguments.panes.empty()) return settings;
  const auto view = parse_view(arguments.panes);
  if (!view || descriptor_of(*view).needs.variants) {
    return usage(fmt::format("--panes {} is not a view that a pane can show", arguments.panes),
                 "For example --panes coalescing");
  }
  settings.compare_view = static_cast<int>(*view);
  return settings;
}

std::size_t subject_of(const CompareArguments& arguments) {
  return arguments.subject.empty() ? arguments.beside.size()
                                   : static_cast<std::size_t>(arguments.subject[0] - 'A');
}

Result<std::vector<ViewedVariant>> compared_variants(const ComparisonRequest& request,
                                                     const Resources& resources) {
  const DeviceModel& device = device_model_for(resources.devices, request.compute_capability);
  std::vector<ViewedVariant> variants;
  const auto add = [&](std::shared_ptr<const KernelStudy> traced) -> Status {
    auto study = complete_study(std::move(traced), request.needs, device, request.whole_grid);
    if (!study) return study.error();
    variants.push_back({.entry = resources.catalogue.find((*study)->instance.id),
                        .study = *study,
                        .prepared = prepare(**study)});
    return ok_status();
  };
  if (const Status added = add(request.first); !added) return added.error();
  for (const std::string& text : request.compare.beside) {
    auto instance =
        instance_beside(text, request.first_arguments, request.first->instance, resources);
    if (!instance) return instance.error();
    auto study = study_at(request.first->trace->block, *std::move(instance), request);
    if (!study) return study.error();
    if (const Status added = add(*std::move(study)); !added) return added.error();
  }
  return variants;
}

}  // namespace tilescope
