#include "ui/workbench/workbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "analysis/memory/counters.h"
#include "analysis/study/moment.h"
#include "analysis/study/opened_file.h"
#include "emulator/finding_place.h"
#include "gpu/gpu_device.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/instance.h"
#include "kernel/launch/source_parameters.h"
#include "kernel/source/kernel_name.h"
#include "scene/view/telling_selection.h"
#include "session/variant_instance.h"
#include "store/measurement.h"
#include "store/source_digest.h"
#include "ui/workbench/guarded_link.h"
#include "ui/workbench/study_jobs.h"

// What a person chooses of the active variant: kernel, parameters, size and block. Each choice asks
// for a study.

// Kernels of the user's own, and edited ones: the part of the workbench that deals with texts.

// The part of the workbench that turns variants into documents and back, and that knows which of
// their texts may run.

// What a Workbench has computed for its variants (ui/workbench/workbench.h).

// How a Workbench takes what was computed for its variants (ui/workbench/workbench.h).

// The part of the workbench that measures: what is sent to the worker, and what its answers fill.

// What makes a changed parameter's first point come soon: the part of the workbench that compiles
// for the GPU beside the study, and ahead of the person.

// The part of the workbench that has the GPU's counters read: a few readings of one launch, one
// after the other, apart from whatever is timed.

namespace tilescope {

Workbench::Settings Workbench::Settings::of_this_machine() {
  const unsigned processors = std::thread::hardware_concurrency();
  Settings settings;
  settings.job_threads = std::max(2U, processors / 2);
  settings.ahead_threads = std::clamp(processors / 4, 1U, 4U);
  // What may never be asked for is not worth a small machine's time.
  settings.around_threads = std::min(processors / 8, 4U);
  return settings;
}

Workbench::Workbench(Catalogue catalogue, std::vector<DeviceModel> devices,
                     std::unique_ptr<WorkerLink> gpu, Settings settings)
    : catalogue_(std::move(catalogue)),
      devices_(std::make_shared<const std::vector<DeviceModel>>(std::move(devices))),
      recorded_model_(find_device(*devices_, settings.compute_capability)),
      gpu_(make_guarded_link(std::move(gpu),
                             [this](const RunRequest& request) {
                               return request.compiled != nullptr &&
                                      may_run(request.instance, *request.compiled);
                             })),
      settings_(settings),
      mailbox_(std::make_shared<StudyMailbox>()),
      start_(std::chrono::steady_clock::now()),
      look_ahead_(catalogue_, settings.ahead_threads, settings.around_threads),
      pool_(settings.job_threads) {
  if (recorded_model_ == nullptr) recorded_model_ = &devices_->front();
  device_model_ = recorded_model_;
  if (settings_.trusted == nullptr) settings_.trusted = std::make_shared<TrustedTexts>();
  variants_.emplace_back();
}

Workbench::~Workbench() = default;

double Workbench::now_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool Workbench::busy() const {
  if (!pool_.idle() || gpu_->busy()) return true;
  return std::any_of(variants_.begin(), variants_.end(), [](const Variant& variant) {
    return variant.study_pending || variant.grid_pending || variant.measure_pending;
  });
}

bool Workbench::tick() {
  compile_typed();
  const bool device = take_device();
  take_cubins();
  const bool trials = take_trials();
  const bool studies = take_studies();
  const bool stages = take_stages();
  const bool measurements = take_measurements();
  const bool listened = listener_ && listener_();
  look_around();
  return device || trials || studies || stages || measurements || look_ahead_.take_news() ||
         listened;
}

// The worker answers some seconds after the window opened: limits and architecture become the
// device's own, and what stands on screen is measured.
bool Workbench::take_device() {
  const auto device = gpu_->device();
  if (device_taken_ || !device) return false;
  device_taken_ = true;
  if (!device->ok()) return true;
  own_model_ = model_of(**device, *devices_);
  const bool other = own_model_ != *device_model_;
  device_model_ = &*own_model_;
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) {
    if (other) {
      request_study(i, true);
    } else if (settings_.measure) {
      request_measurement(i);
    }
  }
  return true;
}

void Workbench::activate(int index) {
  active_ = std::clamp(index, 0, static_cast<int>(variants_.size()) - 1);
}

void Workbench::add_variant() {
  if (variants_.size() >= kMostDocumentVariants) return;
  Variant copy = active();
  copy.study_pending = false;
  copy.grid_pending = false;
  copy.measure_pending = false;
  copy.reading.ticket.reset();
  variants_.push_back(std::move(copy));
  active_ = static_cast<int>(variants_.size()) - 1;
  request_study(active_);
}

void Workbench::close_variant(int index) {
  if (variants_.size() == 1) return;
  drop_requests();
  variants_.erase(variants_.begin() + index);
  active_ =
      std::min(active_ > index ? active_ - 1 : active_, static_cast<int>(variants_.size()) - 1);
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) request_study(i);
}

// Results address variants by index.
void Workbench::drop_requests() {
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) cancel_requests(i);
  std::erase_if(measuring_, [](const Measuring& m) { return m.variant != Measuring::kAside; });
  early_.clear();
}

// A rule that names no parameter speaks of the GPU alone.
void Workbench::check_parameters(Variant* variant) const {
  variant->violations.clear();
  variant->not_here.clear();
  if (variant->entry == nullptr) return;
  const auto violations_on = [&](const DeviceModel& device) {
    return check_rules(*variant->entry, variant->parameters, variant->extents, device);
  };
  const auto of_the_gpu = [](const RuleViolation& rule) { return rule.parameters.empty(); };
  variant->violations = violations_on(*device_model_);
  const auto foreign = std::ranges::find_if(variant->violations, of_the_gpu);
  if (foreign == variant->violations.end() || device_model_ == recorded_model_) return;
  auto there = violations_on(*recorded_model_);
  if (std::ranges::any_of(there, of_the_gpu)) return;
  variant->not_here = std::move(foreign->message);
  variant->violations = std::move(there);
}

const CatalogueEntry* Workbench::usual_kernel() const {
  const CatalogueEntry* usual = catalogue_.find("gemm/register_tile");
  if (usual != nullptr || catalogue_.entries.empty()) return usual;
  return &catalogue_.entries.front();
}

void Workbench::choose_kernel(const CatalogueEntry& entry) {
  Variant& variant = active();
  const bool same_problem = variant.entry != nullptr && variant.entry->problem == entry.problem;
  ParameterSet extents = same_problem ? variant.extents : entry.default_extents;
  GemmFactors factors = same_problem ? variant.factors : GemmFactors{};
  variant = Variant{};
  variant.entry = &entry;
  variant.factors = std::move(factors);
  variant.extents = std::move(extents);
  if (const auto edit = edits_.find(entry.id); edit != edits_.end()) variant.edited = edit->second;
  variant.parameters = default_parameters(entry);
  look_ahead_.drop();
  if (!same_problem) {  // GB/s and FLOP/s share no axis
    live_.clear();
    changes_.clear();
  }
  changes_.push_back({now_seconds(), entry.title});
  request_study(active_);
}

void Workbench::apply(const ParameterSet& parameters) {
  Variant& variant = active();
  if (variant.entry == nullptr || parameters == variant.parameters) return;
  std::string label;
  for (const auto& [name, value] : parameters) {
    const auto old = variant.parameters.find(name);
    if (old != variant.parameters.end() && old->second == value) continue;
    label += fmt::format("{}{} {}", label.empty() ? "" : ", ", name, value);
  }
  variant.parameters = parameters;
  changes_.push_back({now_seconds(), std::move(label)});
  request_study(active_);
}

void Workbench::set_parameter(const std::string& name, std::int64_t value) {
  if (active().own) {
    const OwnKernel& own = *active().own;
    const auto spec = std::ranges::find(own.parameters, name, &ParameterSpec::name);
    if (spec == own.parameters.end() || active().value_of(*spec) == value) return;
    changes_.push_back({now_seconds(), fmt::format("{} {}", name, value)});
    set_launch(with_parameter(own.launch, {own.file.path, active().source()}, *spec, value));
    return;
  }
  ParameterSet parameters = active().parameters;
  parameters[name] = value;
  apply(parameters);
  look_ahead(name);
}

void Workbench::set_extent(const std::string& name, std::int64_t value) {
  Variant& variant = active();
  if (variant.entry == nullptr || value < 1 || variant.extents[name] == value) return;
  variant.extents[name] = value;
  changes_.push_back({now_seconds(), fmt::format("{} {}", name, value)});
  request_study(active_);
}

void Workbench::set_factor(const std::string& name, double value) {
  Variant& variant = active();
  if (variant.entry == nullptr || !std::isfinite(static_cast<float>(value))) return;
  const std::vector<std::string> known = factor_names(*variant.entry);
  if (std::ranges::find(known, name) == known.end()) return;
  GemmFactors factors = with_factor(variant.factors, name, value);
  if (factors == variant.factors) return;
  variant.factors = std::move(factors);
  changes_.push_back({now_seconds(), fmt::format("{} {}", name, factor_of(variant.factors, name))});
  request_study(active_);
}

void Workbench::reset_parameters() {
  if (active().entry == nullptr) return;
  apply(default_parameters(*active().entry));
}

void Workbench::select_block(std::uint64_t linear_block) {
  if (active().selection.block == linear_block) return;
  active().selection.block = linear_block;
  active().selection.warp = 0;
  request_study(active_);
}

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
    "// A kernel to start from: change it, and the picture changes with it.\n"
    "__global__ void addVectors(const float* a, const float* b, float* sum, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) {  // the last block may reach past the end\n"
    "    sum[i] = a[i] + b[i];\n"
    "  }\n"
    "}\n";

}  // namespace

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
               fmt::format("a session has at most {} of your kernels, with {} MiB of text",
                           kMostOwnKernels, kMostOwnKernelBytes >> 20),
               "Remove one that you do not need, or start a new session",
               {}};
}

Status Workbench::open_file(const std::string& path) {
  if (!can_be_opened(path)) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} is not a kernel", name_without_folder(path)),
                 "Use a .cu or .ptx file, or one with device code",
                 {}};
  }
  auto opened = open_kernel_file(path, device_model_->compute_capability);
  if (!opened) return std::move(opened).error();
  KernelFile& file = opened->file;
  LaunchForm launch = guess_launch(file);
  if (launch.kernel.empty()) {
    return Error{ErrorCode::kKernel,
                 file.path.ends_with(".ptx") ? "the file has no .entry function"
                                             : "the file has no __global__ function",
                 "Open a file that has one",
                 {path, 0, 0}};
  }
  // The same file however it was named, and never taken for pasted text.
  std::error_code failure;
  const std::filesystem::path whole =
      std::filesystem::absolute(file.path, failure).lexically_normal();
  if (!failure) file.path = whole.string();
  OwnKernel kernel{std::move(file), "", std::move(launch)};
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
  const bool is_new = known == own_kernels_->end();
  open(std::move(kernel));
  if (is_new) try_guess();
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
    return refuse(fmt::format("the clipboard has {:.1f} MiB of text; a kernel has at most {}",
                              static_cast<double>(text.size()) / (1 << 20), kMostSourceBytes >> 20),
                  "Copy only the kernel");
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
    return refuse("the clipboard has no kernel: there is no __global__ function",
                  "Copy the kernel's source first");
  }
  if (Status room = check_room(file.source.size()); !room) return room;
  settings_.trusted->add(file.source);
  std::string plain = usable_name(plain_name(launch.kernel));
  if (plain.empty()) plain = "kernel";
  file.path = free_file(*own_kernels_, plain, is_ptx(file.source) ? "ptx" : "cu");
  open({std::move(file), free_name(*own_kernels_, plain, ""), std::move(launch)});
  try_guess();
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

void Workbench::try_guess() {
  const OwnKernel& own = *active().own;
  pool_.submit("trial " + own.file.path,
               [file = KernelFile{own.file.path, active().source()}, guess = own.launch,
                device = *device_model_, mailbox = mailbox_](const std::stop_token& stop) {
                 auto trial = try_launch({file, guess, {}, device}, stop);
                 if (!trial || trial->launch == guess) return;
                 mailbox->trials.put({file.path, guess, *std::move(trial)});
               });
}

bool Workbench::take_trials() {
  bool taken = false;
  for (StudyMailbox::Trial& arrived : mailbox_->trials.take()) {
    const Variant& variant = active();
    if (!variant.own || variant.own->file.path != arrived.file ||
        variant.own->launch != arrived.guess) {
      continue;
    }
    set_launch(std::move(arrived.trial.launch));
    active().own->corrections = std::move(arrived.trial.corrections);
    taken = true;
  }
  return taken;
}

void Workbench::set_launch(LaunchForm form) {
  Variant& variant = active();
  if (!variant.own || variant.own->launch == form) return;
  variant.own->launch = std::move(form);
  variant.own->corrections.clear();
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

namespace {

// Whether what was computed for one stands for the other.
bool same_request(const Variant& a, const Variant& b) {
  const bool same_own =
      a.own.has_value() == b.own.has_value() &&
      (!a.own || (a.own->file.path == b.own->file.path && a.own->name == b.own->name &&
                  a.own->launch == b.own->launch && a.source() == b.source()));
  return a.entry == b.entry && same_own && a.edited == b.edited && a.parameters == b.parameters &&
         a.extents == b.extents && a.factors == b.factors && a.selection.block == b.selection.block;
}

// All that is known of `from`, with the choices of `to`.
Variant with_results_of(const Variant& from, const Variant& to) {
  Variant variant = from;
  variant.own = to.own;
  variant.selection = to.selection;
  variant.marks = to.marks;
  variant.camera = to.camera;
  variant.time_zoom = to.time_zoom;
  variant.unknown = to.unknown;
  return variant;
}

bool same_file(const Variant& a, const Variant& b) {
  return a.entry == b.entry && a.own.has_value() == b.own.has_value() &&
         (!a.own || a.own->file.path == b.own->file.path);
}

// Whether the instance's text is this one, which may run with these headers, with other whole
// numbers: a person allows the text that they see, and its sliders write numbers into it.
bool is_with_numbers(const KernelInstance& instance, const std::string& text,
                     const IncludedFiles* included, const TrustedTexts& trusted) {
  if (instance.parameters.empty() || !trusted.knows(program_text(text, included))) return false;
  const KernelFile file{instance.file_name, text};
  return with_parameters(file, instance.kernel, instance.parameters) == instance.source;
}

}  // namespace

VariantDocument Workbench::document_of(const Variant& variant, const VariantDocument* known) {
  const SharedText none;
  VariantDocument document;
  if (variant.entry != nullptr) document.kernel = variant.entry->id;
  if (variant.own) {
    document.file = variant.own->file.path;
    document.name = variant.own->name;
    document.launch = variant.own->launch;
  }
  if (variant.has_kernel()) {
    document.original =
        share_text(variant.original_source(), known != nullptr ? known->original : none);
  }
  if (variant.is_edited()) {
    document.edited = share_text(variant.source(), known != nullptr ? known->edited : none);
  }
  document.parameters = variant.parameters;
  document.extents = variant.extents;
  document.factors = variant.factors;
  document.selection = variant.selection;
  document.marks = variant.marks;
  document.camera = variant.camera;
  document.time_zoom = variant.time_zoom;
  document.unknown = variant.unknown;
  return document;
}

Variant Workbench::variant_of(const VariantDocument& document) {
  Variant variant;
  variant.selection = document.selection;
  variant.marks = document.marks;
  variant.camera = document.camera;
  variant.time_zoom = document.time_zoom;
  variant.unknown = document.unknown;
  variant.placed = true;
  if (document.is_own()) {
    OwnKernel own{{document.file, *document.original}, title_of(document), document.launch};
    if (document.edited != nullptr) own.edited = *document.edited;
    own.find_kernels();
    if (find_own_kernel(*own_kernels_, document.file) == own_kernels_->end()) keep(own);
    variant.own = std::move(own);
  } else if (const CatalogueEntry* entry = catalogue_.find(document.kernel)) {
    variant.entry = entry;
    variant.parameters = document.parameters;
    variant.extents = document.extents;
    variant.factors = document.factors;
    if (document.edited != nullptr) {
      variant.edited = *document.edited;
      edits_[entry->id] = *document.edited;
    } else {
      edits_.erase(entry->id);
    }
  }
  return variant;
}

void Workbench::restore(const std::vector<VariantDocument>& documents, int active,
                        SharedOwnKernels own_kernels) {
  own_kernels_ =
      own_kernels != nullptr ? std::move(own_kernels) : std::make_shared<const OwnKernels>();
  const bool same_count = documents.size() == variants_.size();
  if (!same_count) drop_requests();
  const std::vector<Variant> old = std::exchange(variants_, {});
  std::vector<int> to_ask;
  for (std::size_t i = 0; i < documents.size() && i < kMostDocumentVariants; ++i) {
    const Variant wanted = variant_of(documents[i]);
    const bool stays = same_count && same_request(old[i], wanted);
    const auto known = std::ranges::find_if(
        old, [&](const Variant& variant) { return same_request(variant, wanted); });
    if (stays) {
      variants_.push_back(with_results_of(old[i], wanted));
      variants_.back().placed = old[i].study_pending;
    } else if (known != old.end() && known->study != nullptr && !known->study_pending &&
               !known->grid_pending && !known->error) {
      variants_.push_back(with_results_of(*known, wanted));
      variants_.back().request = next_request_++;
      variants_.back().measure_pending = false;
      variants_.back().alternatives_asked = known->alternatives != nullptr;
    } else {
      variants_.push_back(wanted);
      // The old picture stays until there is a new one.
      const bool same = i < old.size() && same_file(old[i], wanted);
      if (same) {
        variants_.back().study = old[i].study;
        variants_.back().prepared = old[i].prepared;
        variants_.back().measured = old[i].measured;
      } else {
        live_.clear();
        changes_.clear();
      }
      to_ask.push_back(static_cast<int>(i));
    }
  }
  if (variants_.empty()) variants_.emplace_back();
  active_ = std::clamp(active, 0, static_cast<int>(variants_.size()) - 1);
  for (const int index : to_ask) request_study(index);
}

bool Workbench::may_run(const KernelInstance& instance, const CompiledKernel& compiled) const {
  const auto comes_with_the_program = [&](const CatalogueEntry& entry) {
    return entry.id == instance.id && entry.source == instance.source;
  };
  const IncludedFiles* included = compiled.included.get();
  return std::ranges::any_of(catalogue_.entries, comes_with_the_program) ||
         settings_.trusted->knows(program_text(instance.source, included)) ||
         std::ranges::any_of(variants_, [&](const Variant& v) {
           return v.own && is_with_numbers(instance, v.source(), included, *settings_.trusted);
         });
}

bool Workbench::may_run(const Variant& variant) const {
  if (variant.entry != nullptr && !variant.edited) return true;
  return !variant.has_kernel() ||
         settings_.trusted->knows(program_text(variant.source(), variant.included()));
}

// Where a macro says what is included, what runs is not known byte by byte: that is asked again in
// the next sitting.
void Workbench::allow_gpu() {
  std::set<int> allowed;
  for (const Variant& variant : variants_) {
    if (may_run(variant)) continue;
    allowed.insert(static_cast<int>(&variant - variants_.data()));
    const IncludedFiles* included = variant.included();
    const std::string text = program_text(variant.source(), included);
    if (included == nullptr || included->complete) {
      settings_.trusted->remember(text);
    } else {
      settings_.trusted->add(text);
    }
  }
  if (!settings_.measure) return;
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) {
    const Variant& variant = variants_[static_cast<std::size_t>(i)];
    const bool wanted = !variant.measured && !variant.measure_pending;
    if (wanted || allowed.contains(i)) request_measurement(i);
  }
}

namespace {

std::string study_tag(int variant) { return fmt::format("study {}", variant); }
std::string grid_tag(int variant) { return fmt::format("grid {}", variant); }
std::string stages_tag(int variant) { return fmt::format("stages {}", variant); }

}  // namespace

void Workbench::cancel_requests(int index) {
  pool_.cancel(study_tag(index));
  pool_.cancel(grid_tag(index));
  pool_.cancel(stages_tag(index));
  gpu_->cancel(measure_tag(index));
  phase_runs_.cancel(index, pool_, *gpu_);
  cancel_reading(index);
}

// Compile and trace one block (urgent), then the cubin's resources, each put into the mailbox as it
// is done; the whole grid follows in the background.
void Workbench::request_study(int index, bool by_itself) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  variant.error.reset();
  variant.errors.clear();
  check_parameters(&variant);
  cancel_requests(index);
  look_ahead_.stop_looking_around();
  variant.alternatives_asked = variant.phases_asked = false;
  variant.study_pending = variant.grid_pending = false;
  variant.due_seconds.reset();
  if (!variant.violations.empty() || !variant.has_kernel()) return;

  StudyRequest request;
  const DeviceModel& device = device_model(variant);
  auto instance = instance_of(document_of(variant), catalogue_, device);
  if (!instance) {
    variant.error = instance.error();
    return;
  }
  request.instance = *std::move(instance);
  put_in_block(index, request.instance.grid, by_itself);
  request.compute_capability = device.compute_capability;
  request.block = variant.selection.block;
  request.workers = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  variant.study_pending = true;
  variant.request = next_request_++;
  const StudyJobs jobs{index, variant.request, mailbox_};
  pool_.submit(study_tag(index),
               jobs.block(request, device, variant.own || variant.is_edited(), settings_.view));
  request_cubin(index, request.instance);
}

// Out of the corner, as long as nobody has chosen a block. A block that goes with what a person
// changed is part of that change.
void Workbench::put_in_block(int index, const Dim3& grid, bool by_itself) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  const bool chosen = variant.put ? variant.put->block != variant.selection.block
                                  : variant.study != nullptr || variant.selection.block != 0;
  if (variant.placed || chosen) return;
  VariantDocument before = document_of(variant);
  variant.selection.block = telling_block(grid);
  if (!variant.put) variant.put = variant.selection;
  variant.put->block = variant.selection.block;
  if (by_itself && !(before.selection == variant.selection)) {
    moves_.push_back(
        {static_cast<std::size_t>(index), std::move(before), variant.selection, variant.marks});
  }
}

void Workbench::request_grid(int index) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  variant.grid_pending = true;
  const StudyJobs jobs{index, variant.request, mailbox_};
  pool_.submit(
      grid_tag(index),
      jobs.grid(variant.study, variant.prepared, variant.own || variant.is_edited(), latencies_),
      JobPool::Priority::kBackground);
}

void Workbench::set_latencies(const std::optional<LatencyModel>& latencies) {
  if (latencies_ == latencies) return;
  latencies_ = latencies;
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) {
    Variant& variant = variants_[static_cast<std::size_t>(i)];
    variant.alternatives.reset();
    variant.alternatives_asked = false;
    if (variant.study == nullptr || variant.study->device == nullptr) continue;
    if (variant.grid_pending) {
      pool_.cancel(grid_tag(i));
      request_grid(i);
      continue;
    }
    const StudyJobs jobs{i, variant.request, mailbox_};
    pool_.submit(grid_tag(i), jobs.pipeline(variant.study, variant.prepared, latencies));
  }
}

void Workbench::want_stages() {
  Variant& variant = active();
  if (variant.entry == nullptr || variant.is_edited() || variant.study == nullptr ||
      !variant.study->pipeline || variant.alternatives_asked || variant.study_pending ||
      stages_parameter(*variant.entry) == nullptr)
    return;
  variant.alternatives_asked = true;
  const StudyJobs jobs{active_, variant.request, mailbox_};
  pool_.submit(stages_tag(active_), jobs.stages(*variant.entry, variant.study),
               JobPool::Priority::kBackground);
}

namespace {

// What a person marked, in the trace of changed parameters.
TimeMarks same_moments(const KernelStudy& from, TimeMarks marks, const KernelStudy& to,
                       std::uint32_t warp) {
  const auto move = [&](std::optional<std::uint32_t>& event) {
    if (event) event = same_moment(from, *event, to, warp);
  };
  move(marks.loop_in);
  move(marks.loop_out);
  for (std::optional<std::uint32_t>& bookmark : marks.bookmarks) move(bookmark);
  return marks;
}

// However it is edited.
bool same_kernel(const KernelInstance& a, const KernelInstance& b) {
  return a.file_name == b.file_name && a.kernel == b.kernel;
}

// Where the variant stands in a study that took the place of `before` (nullptr: of none), and what
// a person marked there. `first`: first_look() of this study.
void stand_in(const KernelStudy* before, const KernelStudy& now, const Selection& first,
              Variant* variant) {
  Selection& selection = variant->selection;
  const auto put = [&] { variant->put = selection = first; };
  if (variant->placed) {
    keep_inside(now, &selection, &variant->marks);
    variant->placed = false;
  } else if (before == nullptr || !same_kernel(before->instance, now.instance)) {
    put();
    variant->marks = {};
  } else if (before->trace != now.trace) {
    // Where nobody has moved, it goes on standing where most is to be seen.
    if (variant->put == selection) {
      put();
    } else {
      selection.event = same_moment(*before, selection.event, now, selection.warp);
    }
    variant->marks = same_moments(*before, variant->marks, now, selection.warp);
  }
}

// Those of a person's that went into the code, as one text.
std::string headers_of(const KernelStudy& study) {
  return program_text("", study.compiled != nullptr ? study.compiled->included.get() : nullptr);
}

}  // namespace

Variant* Workbench::waiting_for(int index, std::uint64_t request) {
  if (static_cast<std::size_t>(index) >= variants_.size()) return nullptr;
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  return variant.request == request ? &variant : nullptr;
}

bool Workbench::take_stages() {
  bool changed = false;
  for (auto& stages : mailbox_->stages.take()) {
    Variant* variant = waiting_for(stages.variant, stages.request);
    if (variant == nullptr) continue;
    variant->alternatives =
        std::make_shared<const std::vector<PipelineAlternative>>(std::move(stages.alternatives));
    changed = true;
  }
  return changed;
}

bool Workbench::take_studies() {
  using Stage = StudyMailbox::Stage;
  bool changed = false;
  for (auto& arrived : mailbox_->studies.take()) {
    Variant* variant = waiting_for(arrived.variant, arrived.request);
    if (variant == nullptr) continue;
    changed = true;
    if (arrived.stage != Stage::kComplaint) variant->study_pending = false;
    if (arrived.stage == Stage::kGridUnderWay) variant->grid_pending = true;
    if (arrived.stage == Stage::kGridDone) variant->grid_pending = false;
    if (arrived.study) {
      adopt(arrived.variant, *std::move(arrived.study), std::move(arrived.prepared), arrived.first);
      if (arrived.stage == Stage::kWithResources) request_rest(arrived.variant);
    } else if (arrived.study.error().code != ErrorCode::kCancelled) {
      variant->error = arrived.study.error();
      variant->errors = std::move(arrived.errors);
    }
  }
  return changed;
}

void Workbench::adopt(int index, std::shared_ptr<const KernelStudy> study,
                      std::shared_ptr<const PreparedStudy> prepared, const Selection& first) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  variant.error.reset();
  variant.errors.clear();
  const std::shared_ptr<const KernelStudy> before = std::exchange(variant.study, std::move(study));
  const KernelStudy& now = *variant.study;
  variant.prepared = std::move(prepared);
  VariantDocument moved = document_of(variant);
  // What comes later for the same request has the same trace: nothing moves.
  stand_in(before.get(), now, first, &variant);
  if (!(moved.selection == variant.selection) || !(moved.marks == variant.marks)) {
    moves_.push_back(
        {static_cast<std::size_t>(index), std::move(moved), variant.selection, variant.marks});
  }
  if (before == nullptr || !same_instance(before->instance, now.instance) ||
      headers_of(*before) != headers_of(now)) {
    variant.measured.reset();
    variant.measure_error.reset();
    variant.reading = {};
  }
  if (const auto early = early_.find(index); early != early_.end()) {
    if (early->second.first == variant.request) {
      show_answer(std::move(early->second.second), &variant);
    }
    early_.erase(early);
  }
}

// What follows a study that is complete but for the whole grid.
void Workbench::request_rest(int index) {
  const Variant& variant = variants_[static_cast<std::size_t>(index)];
  if (!variant.study->counters->whole_grid || !variant.study->verification) request_grid(index);
  if (settings_.measure && variant.measure_request != variant.request) request_measurement(index);
}

namespace {

constexpr std::size_t kMostLivePoints = 20000;
constexpr int kFirstLooks = 3;  // launches until there is a first point

}  // namespace

std::string Workbench::measure_tag(int variant) { return fmt::format("measure {}", variant); }

void Workbench::measure_again() { request_measurement(active_); }

void Workbench::request_measurement(int index) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  const auto device = gpu_->device();
  if (variant.study == nullptr || !variant.study->compiled->can_be_loaded() || !device ||
      !device->ok() || !variant.not_here.empty() ||
      !may_run(variant.study->instance, *variant.study->compiled))
    return;
  measure(index, std::make_shared<const KernelInstance>(variant.study->instance),
          variant.study->compiled);
}

void Workbench::measure(int index, std::shared_ptr<const KernelInstance> instance,
                        std::shared_ptr<const CompiledKernel> compiled) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  RunRequest request;
  request.instance = *instance;
  request.compiled = compiled;
  request.timing.first_looks = kFirstLooks;
  request.timing.cold = cold_;
  variant.measure_pending = true;
  variant.measure_request = variant.request;
  early_.erase(index);
  const auto ticket = gpu_->submit(measure_tag(index), std::move(request));
  measuring_.push_back({ticket, index, variant.request, std::move(instance), std::move(compiled)});
  measuring_.back().cold = cold_;
}

void Workbench::set_cold(bool cold) {
  if (cold == cold_) return;
  cold_ = cold;
  early_.clear();
  if (!live_.empty()) changes_.push_back({now_seconds(), cold ? "cold L2" : "warm L2"});
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) {
    Variant& variant = variants_[static_cast<std::size_t>(i)];
    variant.measured.reset();
    variant.measure_error.reset();
    variant.measure_request = 0;  // what is not there yet to be measured is, once it comes
    if (settings_.measure && !variant.study_pending) request_measurement(i);
  }
}

bool Workbench::take_measurements() {
  bool changed = false;
  phase_runs_.submit(*gpu_);
  const auto take_phases = [&](const PhaseRuns::Wanted& wanted,
                               const std::shared_ptr<const MeasuredPhases>& phases) {
    keep_phases(wanted, *phases);
  };
  const auto find = [&](WorkerLink::Ticket ticket) {
    return std::find_if(measuring_.begin(), measuring_.end(),
                        [&](const Measuring& m) { return m.ticket == ticket; });
  };
  gpu_->poll(
      [&](const WorkerLink::Progress& progress) {
        const auto measuring = find(progress.ticket);
        if (measuring == measuring_.end()) return;
        measuring->seconds.push_back(progress.kernel_seconds);
        if (measuring->variant == Measuring::kAside) return;
        changed = true;
        live_date_ = today();
        live_.push_back({now_seconds(), progress.kernel_seconds, measuring->variant,
                         problem_cost(*measuring->instance), measuring->instance, measuring->cold});
      },
      [&](WorkerLink::Answer answer) {
        changed |= phase_runs_.take(answer, take_phases);
        changed |= take_counters(answer);
        const auto found = find(answer.ticket);
        if (found == measuring_.end()) return;
        changed = true;
        const Measuring measuring = std::move(*found);
        measuring_.erase(found);
        if (settings_.history && answer.result && answer.result->correct) {
          settings_.history->keep(
              history_entry(measurement_of(*measuring.instance, *answer.result,
                                           machine_of(**gpu_->device(), *measuring.compiled))));
        }
        if (measuring.variant == Measuring::kAside) {
          if (answer.result) keep_point(measuring, *answer.result);
          measuring.done(std::move(answer.result));
          return;
        }
        Variant& variant = variants_[static_cast<std::size_t>(measuring.variant)];
        variant.measure_pending =
            std::any_of(measuring_.begin(), measuring_.end(),
                        [&](const Measuring& m) { return m.variant == measuring.variant; });
        take_answer(std::move(answer.result), measuring, &variant);
      });
  if (live_.size() > kMostLivePoints) {
    live_.erase(live_.begin(), live_.begin() + static_cast<std::ptrdiff_t>(kMostLivePoints / 4));
  }
  return changed;
}

void Workbench::keep_point(const Measuring& measuring, const RunResult& result) {
  const KernelInstance& instance = *measuring.instance;
  const auto device = gpu_->device();
  Measurement point = measurement_of(
      instance, result,
      machine_of(device && device->ok() ? **device : DeviceInfo{}, *measuring.compiled));
  point.of.source = text_digest(instance.source);
  measured_.add(std::move(point));
}

void Workbench::keep_phases(const PhaseRuns::Wanted& wanted, const MeasuredPhases& phases) {
  const auto device = gpu_->device();
  const KernelStudy& study = *wanted.study;
  phases_read_.push_back({session_key(study.instance, /*cold=*/true), study.trace->block, phases});
  phases_read_.back().phases.gpu = device && device->ok() ? (*device)->name : std::string();
  phases_read_.back().phases.date = today();
}

void Workbench::take_answer(Result<RunResult> result, const Measuring& measuring,
                            Variant* variant) {
  if (result) {
    keep_point(measuring, *result);
  } else if (result.error().code == ErrorCode::kCancelled) {
    return;
  }
  if (measuring.cold != cold_) return;
  if (variant->study != nullptr && same_instance(variant->study->instance, *measuring.instance)) {
    show_answer(std::move(result), variant);
  } else if (variant->request == measuring.request) {
    early_.insert_or_assign(measuring.variant, std::pair(measuring.request, std::move(result)));
  }
}

void Workbench::show_answer(Result<RunResult> result, Variant* variant) {
  if (!result) {
    variant->measure_error = result.error();
    return;
  }
  variant->measured = *std::move(result);
  variant->measure_error.reset();
}

void Workbench::measure_aside(RunRequest request, std::function<void(Result<RunResult>)> done) {
  Measuring measuring;
  measuring.variant = Measuring::kAside;
  measuring.instance = std::make_shared<const KernelInstance>(request.instance);
  measuring.compiled = request.compiled;
  measuring.done = std::move(done);
  measuring.cold = request.timing.cold;
  measuring.ticket = gpu_->submit("aside", std::move(request));
  measuring_.push_back(std::move(measuring));
}

void Workbench::cancel_aside() { gpu_->cancel("aside"); }

void Workbench::want_phases() {
  Variant& variant = active();
  if (!variant.measured || variant.phases_asked || variant.study_pending) return;
  variant.phases_asked = true;
  phase_runs_.want({active_, variant.request, variant.study, device_model_->compute_capability,
                    variant.measured->kernel.median_seconds},
                   pool_);
}

// The study traces first and compiles for the GPU after; a measurement does not wait for that.
void Workbench::request_cubin(int index, const KernelInstance& instance) {
  const std::string tag = "cubin " + std::to_string(index);
  pool_.cancel(tag);
  const auto device = gpu_->device();
  const Variant& variant = variants_[static_cast<std::size_t>(index)];
  if (!settings_.measure || !device || !device->ok() || !variant.not_here.empty()) return;
  const StudyJobs jobs{index, variant.request, mailbox_};
  pool_.submit(tag, jobs.cubin(instance, device_model_->compute_capability));
}

void Workbench::take_cubins() {
  for (StudyMailbox::Cubin& cubin : mailbox_->cubins.take()) {
    const Variant* variant = waiting_for(cubin.variant, cubin.request);
    if (variant == nullptr || variant->measure_request == cubin.request) continue;
    if (!may_run(*cubin.instance, *cubin.compiled)) continue;
    measure(cubin.variant, std::move(cubin.instance), std::move(cubin.compiled));
  }
}

void Workbench::look_ahead(const std::string& parameter) {
  look_ahead_.look_ahead(active(), device_model(active()), parameter);
}

void Workbench::look_around() {
  constexpr double kPause = 1;  // seconds; a person who changes one thing may change the next
  if (!look_ahead_.may_look_around() || active().entry == nullptr || busy()) return;
  if (!changes_.empty() && now_seconds() - changes_.back().time_seconds < kPause) return;
  look_ahead_.look_around(active(), device_model(active()));
}

bool Workbench::compiled_ahead(const std::string& parameter, std::int64_t value) const {
  return look_ahead_.compiled(active(), parameter, value);
}

namespace {

constexpr double kDeadlineSeconds = 120;  // several passes, each with the buffers as they were

std::string counters_tag(int variant) { return "counters " + std::to_string(variant); }

}  // namespace

std::optional<Error> Workbench::why_no_counters() const {
  const Variant& variant = active();
  const auto device = gpu_->device();
  if (!device) return Error{ErrorCode::kMachine, "the worker is still starting", "", {}};
  if (!device->ok()) return device->error();
  if (variant.study == nullptr || variant.study->compiled == nullptr ||
      !variant.study->compiled->can_be_loaded() || variant.study_pending) {
    return Error{ErrorCode::kKernel, "the kernel is still being compiled", "", {}};
  }
  if (!variant.not_here.empty()) return Error{ErrorCode::kUsage, variant.not_here, "", {}};
  if (!may_run(variant)) {
    return Error{ErrorCode::kUsage,
                 "this kernel came from a file and is not allowed to run",
                 "Allow it in the bar at the top",
                 {}};
  }
  return std::nullopt;
}

void Workbench::read_counters() {
  Variant& variant = active();
  if (const auto why = why_no_counters()) {
    variant.reading.error = *why;
    return;
  }
  variant.reading = {};
  variant.reading.study = variant.study;
  submit_reading(active_);
}

void Workbench::submit_reading(int index) {
  CounterReading& reading = variants_[static_cast<std::size_t>(index)].reading;
  RunRequest request;
  request.instance = reading.study->instance;
  request.compiled = reading.study->compiled;
  request.timing.verify = false;
  request.timing.deadline_seconds = kDeadlineSeconds;
  request.counters = metric_names();
  reading.ticket = gpu_->submit(counters_tag(index), std::move(request));
}

// What belongs to older parameters is not read to the end.
void Workbench::cancel_reading(int index) {
  CounterReading& reading = variants_[static_cast<std::size_t>(index)].reading;
  if (!reading.pending()) return;
  reading.ticket.reset();
  gpu_->cancel(counters_tag(index));
}

void Workbench::keep_counters(const CounterReading& reading) {
  const KernelStudy& study = *reading.study;
  counters_read_.push_back({session_key(study.instance, /*cold=*/true),
                            study.compiled->architecture, study.compiled->compiler, reading.values,
                            (*gpu_->device())->name, today()});
}

bool Workbench::take_counters(const WorkerLink::Answer& answer) {
  const auto found = std::ranges::find_if(
      variants_, [&](const Variant& variant) { return variant.reading.ticket == answer.ticket; });
  if (found == variants_.end()) return false;
  CounterReading& reading = found->reading;
  reading.ticket.reset();
  if (!answer.result) {
    reading.error = answer.result.error();
    return true;
  }
  reading.values.push_back(answer.result->counters);
  if (!reading.complete()) {
    submit_reading(static_cast<int>(found - variants_.begin()));
    return true;
  }
  keep_counters(reading);
  if (settings_.history && found->measured && found->measured->correct && found->measured->cold &&
      found->study == reading.study) {
    // The history keeps counters beside the times of the same launch; both begin with a cold L2.
    RunResult counted = *found->measured;
    counted.counters = reading.values.front();
    settings_.history->keep(history_entry(measurement_of(
        reading.study->instance, counted, machine_of(**gpu_->device(), *reading.study->compiled))));
  }
  return true;
}

}  // namespace tilescope
