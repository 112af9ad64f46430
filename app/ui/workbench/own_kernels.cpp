// Kernels of the user's own, and edited ones: the part of the workbench that deals with texts.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/finding_place.h"
#include "kernel/argument_text.h"
#include "kernel/source_parameters.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

constexpr double kTypingPause = 0.3;  // seconds without a key before the text is compiled

std::string name_without_folder(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

bool is_ptx(std::string_view text) {
  return text.find(".version") != std::string_view::npos &&
         text.find(".entry") != std::string_view::npos;
}

// What the form's extents may be written in, its numbers as far as they are ones.
ParameterSet names_of(const KernelFile& file, const LaunchForm& form) {
  LaunchText text;
  text.kernel = form.kernel;
  text.parameters = form.parameters;
  std::vector<Argument> arguments;
  for (const ArgumentForm& argument : form.arguments) {
    if (argument.is_buffer) continue;
    auto made = file_arguments(argument.text(), 0);
    if (!made) continue;
    made->front().name = argument.name;
    arguments.push_back(std::move(made->front()));
  }
  return launch_names(file, text, arguments);
}

}  // namespace

void OwnKernel::find_kernels() {
  const KernelFile now{file.path, edited.value_or(file.source)};
  kernels.clear();
  parameters = source_parameters(now, launch.kernel);
  shown = with_parameters(now, launch.kernel, launch.parameters);
  names = names_of(now, launch);
  for (KernelSignature& signature : find_signatures(now.path, now.source)) {
    if (std::ranges::find(kernels, signature.name) == kernels.end()) {
      kernels.push_back(std::move(signature.name));
    }
  }
}

const std::string& Variant::source() const {
  const std::optional<std::string>& text = own ? own->edited : edited;
  return text ? *text : original_source();
}

const IncludedFiles* Variant::included() const {
  return study != nullptr && study->compiled != nullptr ? study->compiled->included.get() : nullptr;
}

const std::string& Variant::original_source() const {
  return entry != nullptr ? entry->source : own->file.source;
}

const std::vector<ParameterSpec>& Variant::offered() const {
  static const std::vector<ParameterSpec> kNone;
  return entry != nullptr ? entry->parameters : own ? own->parameters : kNone;
}

std::int64_t Variant::value_of(const ParameterSpec& spec) const {
  const ParameterSet& values = own ? own->launch.parameters : parameters;
  const auto value = values.find(spec.name);
  return value != values.end() ? value->second : spec.default_value;
}

std::string Variant::file_name() const {
  if (entry != nullptr) return entry->source_file.filename().string();
  return own ? name_without_folder(own->file.path) : std::string();
}

Status Workbench::open_file(const std::string& path) {
  if (!is_kernel_file(path)) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} is no kernel", name_without_folder(path)),
                 "A file of yours ends in .cu or .ptx",
                 {}};
  }
  auto file = read_kernel_file(path);
  if (!file) return std::move(file).error();
  LaunchForm launch = guess_launch(*file);
  if (launch.kernel.empty()) {
    return Error{ErrorCode::kKernel,
                 path.ends_with(".ptx") ? "the file has no .entry function"
                                        : "the file has no __global__ function",
                 "Open one that has",
                 {path, 0, 0}};
  }
  OwnKernel kernel{*std::move(file), std::move(launch)};
  // Opened once more: what was typed and set stays, over the text as it is now.
  const auto known = std::ranges::find_if(
      own_kernels_, [&](const OwnKernel& own) { return own.file.path == path; });
  if (known != own_kernels_.end()) {
    if (known->edited != kernel.file.source) kernel.edited = known->edited;
    kernel.launch =
        follow_signature(known->launch, {path, kernel.edited.value_or(kernel.file.source)});
  }
  open(std::move(kernel));
  return ok_status();
}

Status Workbench::open_text(std::string text) {
  const char* ending = is_ptx(text) ? "ptx" : "cu";
  std::size_t number = 1;
  const auto name = [&] { return fmt::format("pasted_{}.{}", number, ending); };
  const auto taken = [&](const OwnKernel& own) { return own.file.path == name(); };
  while (std::ranges::any_of(own_kernels_, taken)) ++number;
  KernelFile file{name(), std::move(text)};
  LaunchForm launch = guess_launch(file);
  if (launch.kernel.empty()) {
    return Error{ErrorCode::kKernel,
                 "the clipboard holds no kernel: it has no __global__ function",
                 "Copy the kernel's source first",
                 {}};
  }
  settings_.trusted->add(file.source);
  open({std::move(file), std::move(launch)});
  return ok_status();
}

void Workbench::open(OwnKernel kernel) {
  kernel.find_kernels();
  const auto same = [&](const OwnKernel& own) { return own.file.path == kernel.file.path; };
  const auto known = std::ranges::find_if(own_kernels_, same);
  if (known == own_kernels_.end()) {
    own_kernels_.push_back(kernel);
  } else {
    *known = kernel;
  }
  Variant variant;
  variant.own = std::move(kernel);
  active() = std::move(variant);
  live_.clear();
  changes_.clear();
  changes_.push_back({now_seconds(), active().file_name()});
  request_study(active_);
}

void Workbench::open_own(std::size_t index) {
  if (index < own_kernels_.size()) open(OwnKernel(own_kernels_[index]));
}

void Workbench::set_launch(LaunchForm form) {
  Variant& variant = active();
  if (!variant.own || variant.own->launch == form) return;
  variant.own->launch = std::move(form);
  variant.own->find_kernels();
  compile_soon();
}

void Workbench::edit_source(std::string text) {
  Variant& variant = active();
  if (!variant.has_kernel() || text == variant.shown_source()) return;
  // Who writes on in a text that may run, knows what runs.
  if (may_run(variant)) {
    settings_.trusted->add(text);
    settings_.trusted->add(program_text(text, variant.included()));
  }
  std::optional<std::string>& edited = variant.own ? variant.own->edited : variant.edited;
  edited = std::move(text);
  if (*edited == variant.original_source()) edited.reset();
  if (variant.own) {
    const KernelFile now{variant.own->file.path, variant.source()};
    variant.own->launch = follow_signature(variant.own->launch, now);
    const std::vector<ParameterSpec> before = std::move(variant.own->parameters);
    variant.own->find_kernels();
    // A number that is written now takes the place of what its slider said.
    for (const ParameterSpec& spec : variant.own->parameters) {
      const auto old = std::ranges::find(before, spec.name, &ParameterSpec::name);
      const bool kept = old != before.end() && old->default_value == spec.default_value;
      if (!kept) variant.own->launch.parameters.erase(spec.name);
    }
    variant.own->find_kernels();
  } else if (edited) {
    edits_[variant.entry->id] = *edited;
  } else {
    edits_.erase(variant.entry->id);
  }
  compile_soon();
}

void Workbench::revert_source() {
  if (active().has_kernel()) edit_source(std::string(active().original_source()));
}

void Workbench::compile_soon() {
  Variant& variant = active();
  if (variant.own) {
    const auto known = std::ranges::find_if(own_kernels_, [&](const OwnKernel& own) {
      return own.file.path == variant.own->file.path;
    });
    if (known != own_kernels_.end()) *known = *variant.own;
  }
  variant.request = next_request_++;  // what is under way is of another text
  variant.study_pending = true;
  variant.grid_pending = false;
  variant.due_seconds = now_seconds() + kTypingPause;
}

// The error that stands is kept until the compiler has spoken again.
void Workbench::compile_typed() {
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) {
    Variant& variant = variants_[static_cast<std::size_t>(i)];
    if (!variant.due_seconds || now_seconds() < *variant.due_seconds) continue;
    const std::optional<Error> standing = variant.error;
    request_study(i, true);
    if (variant.study_pending && !variant.error) variant.error = standing;
  }
}

void Workbench::go_to(const Finding& finding) {
  Variant& variant = active();
  if (variant.study == nullptr) return;
  const Launch& launch = variant.study->launch;
  const auto thread = static_cast<std::uint32_t>(flatten(finding.thread, launch.block));
  select_block(flatten(finding.block, launch.grid));
  variant.selection.warp = thread / 32;
  variant.selection.lane = static_cast<int>(thread % 32);
  variant.selection.line = finding.instruction < variant.study->program->instructions().size()
                               ? FindingPlaces(*variant.study->program).line_of(finding.instruction)
                               : 0;
  if (variant.study_pending || !variant.study->traced()) return;
  const auto& events = variant.study->trace->events;
  const auto there = std::ranges::find_if(events, [&](const TraceEvent& event) {
    return event.instruction == finding.instruction && event.warp == thread / 32;
  });
  if (there != events.end()) {
    variant.selection.event = static_cast<std::uint32_t>(there - events.begin());
  }
}

}  // namespace tilescope
