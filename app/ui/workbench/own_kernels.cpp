// Kernels of the user's own, and edited ones: the part of the workbench that deals with texts.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "emulator/finding_place.h"
#include "kernel/argument_text.h"
#include "kernel/kernel_name.h"
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

// "scale" of "ns::scale<4>", and of how PTX calls it.
std::string plain_name(const std::string& kernel) {
  std::string name = name_without_parameters(kernel);
  name = name.substr(0, name.find('<'));
  const std::size_t qualifier = name.rfind("::");
  return qualifier == std::string::npos ? name : name.substr(qualifier + 2);
}

// "scale.cu", or where that is taken "scale_2.cu" and so on.
std::string free_file(const OwnKernels& all, const std::string& name, const char* ending) {
  std::string file = fmt::format("{}.{}", name, ending);
  for (int number = 2; find_own_kernel(all, file) != all.end(); ++number) {
    file = fmt::format("{}_{}.{}", name, number, ending);
  }
  return file;
}

// "mine.cu", and where another file is called so "mine.cu (its folder)".
std::string name_for_file(const OwnKernels& all, const std::filesystem::path& file) {
  std::string name = usable_name(file.filename().string());
  if (free_name(all, name, file.string()) != name) {
    name = usable_name(fmt::format("{} ({})", name, file.parent_path().filename().string()));
  }
  return free_name(all, name, file.string());
}

bool shows(const Variant& variant, const std::string& file) {
  return variant.own && variant.own->file.path == file;
}

constexpr const char* kTemplate =
    "// A kernel to start from: change it, and the picture follows.\n"
    "__global__ void addVectors(const float* a, const float* b, float* sum, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) {  // the last block may reach past the end\n"
    "    sum[i] = a[i] + b[i];\n"
    "  }\n"
    "}\n";

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
  return own ? own->name : std::string();
}

OwnKernels& Workbench::change_own_kernels() {
  auto changed = std::make_shared<OwnKernels>(*own_kernels_);
  OwnKernels& all = *changed;
  own_kernels_ = std::move(changed);
  return all;
}

void Workbench::keep(const OwnKernel& kernel) {
  OwnKernels& all = change_own_kernels();
  auto known = std::ranges::find(all, kernel.file.path, &OwnKernelDocument::file);
  if (known == all.end()) {
    known = all.insert(all.end(), OwnKernelDocument{});
    known->file = kernel.file.path;
  }
  known->name = kernel.name;
  known->original = share_text(kernel.file.source, known->original);
  known->edited = kernel.edited ? share_text(*kernel.edited, known->edited) : nullptr;
  known->launch = kernel.launch;
}

// A session file with all of them can be read again.
Status Workbench::check_room(std::size_t more_bytes) const {
  const std::size_t bytes = text_bytes(*own_kernels_) + more_bytes;
  if (own_kernels_->size() < kMostOwnKernels && bytes <= kMostOwnKernelBytes) return ok_status();
  return Error{ErrorCode::kUsage,
               fmt::format("a session has at most {} kernels of yours, with {} MiB of text",
                           kMostOwnKernels, kMostOwnKernelBytes >> 20),
               "Remove one that you do not need, or begin a new session",
               {}};
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
  // The same file however it was named, and never taken for pasted text.
  std::error_code failure;
  const std::filesystem::path whole = std::filesystem::absolute(path, failure).lexically_normal();
  if (!failure) file->path = whole.string();
  OwnKernel kernel{*std::move(file), "", std::move(launch)};
  const auto known = find_own_kernel(*own_kernels_, kernel.file.path);
  if (known != own_kernels_->end()) {
    // Opened once more: what was typed and set stays, over the text as it is now.
    kernel.name = known->name;
    if (known->edited != nullptr && *known->edited != kernel.file.source) {
      kernel.edited = *known->edited;
    }
    kernel.launch = follow_signature(
        known->launch, {kernel.file.path, kernel.edited.value_or(kernel.file.source)});
  } else {
    if (Status room = check_room(kernel.file.source.size()); !room) return room;
    kernel.name = name_for_file(*own_kernels_, whole);
  }
  open(std::move(kernel));
  return ok_status();
}

Status Workbench::open_text(std::string text) {
  const auto refuse = [](std::string message, std::string remedy) {
    return Error{ErrorCode::kKernel, std::move(message), std::move(remedy), {}};
  };
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return refuse("the clipboard has no text", "Copy the kernel's source first");
  }
  if (text.size() > kMostSourceBytes) {
    return refuse(fmt::format("the clipboard has {:.1f} MiB of text, a kernel has at most {}",
                              static_cast<double>(text.size()) / (1 << 20), kMostSourceBytes >> 20),
                  "Copy the kernel alone");
  }
  const auto same = std::ranges::find_if(*own_kernels_, [&](const OwnKernelDocument& own) {
    return own.text() != nullptr && *own.text() == text;
  });
  if (same != own_kernels_->end()) {
    settings_.trusted->add(text);
    const bool is_shown = shows(active(), same->file);
    open_own(static_cast<std::size_t>(same - own_kernels_->begin()));
    const bool unmeasured = !active().measured && !active().measure_pending;
    if (is_shown && unmeasured && settings_.measure) request_measurement(active_);
    return ok_status();
  }
  KernelFile file{is_ptx(text) ? "pasted.ptx" : "pasted.cu", std::move(text)};
  LaunchForm launch = guess_launch(file);
  if (launch.kernel.empty()) {
    return refuse("the clipboard holds no kernel: it has no __global__ function",
                  "Copy the kernel's source first");
  }
  if (Status room = check_room(file.source.size()); !room) return room;
  settings_.trusted->add(file.source);
  std::string plain = usable_name(plain_name(launch.kernel));
  if (plain.empty()) plain = "kernel";
  file.path = free_file(*own_kernels_, plain, is_ptx(file.source) ? "ptx" : "cu");
  open({std::move(file), free_name(*own_kernels_, plain, ""), std::move(launch)});
  return ok_status();
}

Status Workbench::open_template() { return open_text(kTemplate); }

void Workbench::open(OwnKernel kernel) {
  kernel.find_kernels();
  keep(kernel);
  Variant variant;
  variant.own = std::move(kernel);
  active() = std::move(variant);
  live_.clear();
  changes_.clear();
  changes_.push_back({now_seconds(), active().file_name()});
  request_study(active_);
}

void Workbench::open_own(std::size_t index) {
  if (index >= own_kernels_->size()) return;
  const OwnKernelDocument& own = (*own_kernels_)[index];
  if (shows(active(), own.file)) return;
  OwnKernel kernel{{own.file, *own.original}, own.name, own.launch};
  if (own.edited != nullptr) kernel.edited = *own.edited;
  open(std::move(kernel));
}

void Workbench::give_name(const std::string& file, const std::string& name) {
  OwnKernels& all = change_own_kernels();
  const auto known = std::ranges::find(all, file, &OwnKernelDocument::file);
  if (known != all.end()) known->name = name;
  for (Variant& variant : variants_) {
    if (shows(variant, file)) variant.own->name = name;
  }
}

void Workbench::rename_own(std::string file, const std::string& wanted) {
  const auto known = find_own_kernel(*own_kernels_, file);
  const std::string usable = usable_name(wanted);
  if (known == own_kernels_->end() || usable.empty()) return;
  const std::string name = free_name(*own_kernels_, usable, file);
  if (name == known->name) return;
  give_name(file, name);
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) {
    // Pictures and files say what it is called.
    if (shows(variants_[static_cast<std::size_t>(i)], file)) request_study(i, true);
  }
}

void Workbench::follow_kernel_name(const std::string& before) {
  const OwnKernel& own = *active().own;
  const std::string now = usable_name(plain_name(own.launch.kernel));
  const bool is_pasted = own.file.path.find('/') == std::string::npos;
  const bool by_itself = own.name == before || own.name.starts_with(before + " (");
  if (!is_pasted || !by_itself || now.empty() || now == before) return;
  give_name(own.file.path, free_name(*own_kernels_, now, own.file.path));
}

void Workbench::remove_own(std::string file) {
  const auto known = find_own_kernel(*own_kernels_, file);
  if (known == own_kernels_->end()) return;
  const auto index = static_cast<std::size_t>(known - own_kernels_->begin());
  OwnKernels& all = change_own_kernels();
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(index));
  for (int i = static_cast<int>(variants_.size()) - 1; i >= 0 && variants_.size() > 1; --i) {
    if (shows(variants_[static_cast<std::size_t>(i)], file)) close_variant(i);
  }
  if (!shows(active(), file)) return;
  if (!all.empty()) {
    open_own(std::min(index, all.size() - 1));
  } else if (const CatalogueEntry* usual = usual_kernel()) {
    choose_kernel(*usual);
  }
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
    const std::string kernel_before = usable_name(plain_name(variant.own->launch.kernel));
    variant.own->launch = follow_signature(variant.own->launch, now);
    follow_kernel_name(kernel_before);
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
  if (variant.own) keep(*variant.own);
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
