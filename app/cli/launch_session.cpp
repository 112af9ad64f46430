#include "cli/launch_session.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>

#include "analysis/study/kernel_study.h"
#include "core/file.h"
#include "kernel/compile/compile.h"
#include "kernel/launch/file_launch.h"
#include "kernel/source/kernel_name.h"
#include "scene/view/default_selection.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// As --arg takes it.
std::vector<std::string> argument_texts(const LaunchForm& form) {
  const auto text = launch_text(form);
  return text ? text->arguments : std::vector<std::string>();
}

KernelArguments as_arguments(const RecordedLaunch& launch, bool by_source, int compute_capability) {
  KernelArguments arguments;
  arguments.kernel_or_file = by_source ? launch.source : launch.ptx;
  arguments.kernel = by_source ? launch.name : launch.symbol;
  arguments.grid = launch.form.grid;
  arguments.block = launch.form.block;
  arguments.shared_bytes = static_cast<std::uint32_t>(std::stoul(launch.form.dynamic_shared));
  arguments.arguments = argument_texts(launch.form);
  arguments.architecture = fmt::format("sm_{}", compute_capability);
  return arguments;
}

bool compiles_alone(const RecordedLaunch& launch, int compute_capability) {
  if (launch.source.empty() || launch.source.ends_with(".py")) return false;
  StudyRequest request;
  auto instance =
      resolve_instance(as_arguments(launch, true, compute_capability), &request.compute_capability);
  if (!instance) return false;
  return compile({*std::move(instance), compute_capability, false}, {}).ok();
}

// Several launches may come from one file, and a session's kernels are told apart by theirs. The
// folder, where headers are looked for, and the ending stay.
std::string file_of(const RecordedLaunch& launch, const std::string& title, bool by_source) {
  std::error_code ignored;
  const fs::path file = fs::absolute(by_source ? launch.source : launch.ptx, ignored);
  if (!by_source) return file.string();  // is of this launch alone
  const std::string name = fmt::format("{} ({})", file.stem().string(), title);
  return (file.parent_path() / (usable_name(name) + file.extension().string())).string();
}

}  // namespace

KernelArguments arguments_of(const RecordedLaunch& launch, const DeviceModel& device) {
  const int capability = device.compute_capability;
  return as_arguments(launch, compiles_alone(launch, capability), capability);
}

Document session_of(const std::vector<RecordedLaunch>& launches, const DeviceModel& device) {
  Document document;
  auto kernels = std::make_shared<OwnKernels>();
  for (const RecordedLaunch& launch : launches) {
    const bool by_source = compiles_alone(launch, device.compute_capability);
    const auto text = read_file(by_source ? launch.source : launch.ptx, kMostSourceBytes);
    if (!text) continue;
    const std::string title =
        fmt::format("{}, launch {}{}{}", short_name(launch.name), launch.number,
                    launch.variant.empty() ? "" : ": ", launch.variant);
    OwnKernelDocument kernel;
    kernel.file = file_of(launch, title, by_source);
    kernel.name = free_name(*kernels, usable_name(title), kernel.file);
    kernel.original = share_text(*text);
    kernel.launch = launch.form;
    if (!by_source) kernel.launch.kernel = launch.symbol;
    if (document.variants.size() < kMostDocumentVariants) {
      VariantDocument variant;
      variant.file = kernel.file;
      variant.name = kernel.name;
      variant.original = kernel.original;
      variant.launch = kernel.launch;
      if (const auto grid = parse_extent("grid", launch.form.grid))
        variant.selection.block = default_block(*grid);
      document.variants.push_back(std::move(variant));
    }
    kernels->push_back(std::move(kernel));
  }
  document.own_kernels = std::move(kernels);
  return document;
}

}  // namespace tilescope
