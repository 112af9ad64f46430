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
#include "core/paths.h"
#include "emulator/finding_place.h"
#include "gpu/gpu_device.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/compile/device_code.h"
#include "kernel/guess/launch_guess.h"
#include "kernel/launch/instance.h"
#include "kernel/launch/source_parameters.h"
#include "kernel/source/kernel_name.h"
#include "scene/view/default_selection.h"
#include "scene/views.h"
#include "session/document.h"
#include "session/trusted_texts.h"
#include "store/measurement.h"
#include "store/source_digest.h"
#include "ui/workbench/guarded_link.h"
#include "ui/workbench/study_jobs.h"

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
      gpus_(std::move(devices), settings.compute_capability),
      gpu_(make_guarded_link(std::move(gpu),
                             [this](const RunRequest& request) {
                               return request.compiled != nullptr &&
                                      may_run(request.instance, *request.compiled);
                             })),
      settings_(settings),
      mailbox_(std::make_shared<StudyMailbox>()),
      start_(std::chrono::steady_clock::now()),
      runs_(*gpu_, variants_, settings_.history, start_),
      look_ahead_(catalogue_, settings.ahead_threads, settings.around_threads),
      program_(settings.tilescope.empty() ? program_file() : settings.tilescope, catalogue_,
               gpus_.table()),
      pool_(settings.job_threads) {
  if (settings_.trusted == nullptr) settings_.trusted = std::make_shared<TrustedTexts>();
  variants_.emplace_back();
}

Workbench::~Workbench() = default;

double Workbench::now_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool Workbench::busy() const {
  if (!pool_.idle() || gpu_->busy() || program_.running()) return true;
  return std::any_of(variants_.begin(), variants_.end(), [](const Variant& variant) {
    return variant.study_pending || variant.grid_pending || variant.measure_pending;
  });
}

bool Workbench::tick() {
  compile_typed();
  const bool device = take_device() | take_workers();
  take_cubins();
  const bool trials = take_trials();
  const bool files = take_files();
  const bool studies = take_studies();
  const bool ready = ready_.take(pool_);
  const bool background = background_done_->exchange(false);
  const bool measurements = runs_.take();
  const bool listened = listener_ && listener_();
  const bool program = program_.tick();
  look_around();
  return device || files || trials || studies || ready || background || measurements ||
         look_ahead_.take_news() || listened || program;
}

// The worker answers some seconds after the window opened: limits and architecture become the
// device's own, and what stands on screen is measured.
bool Workbench::take_device() {
  const auto device = gpu_->device();
  if (device_taken_ || !device) return false;
  device_taken_ = true;
  if (!device->ok()) return true;
  const bool other = gpus_.take_present(**device);
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) {
    if (other) {
      request_study(i, true);
    } else if (settings_.measure) {
      request_measurement(i);
    }
  }
  return true;
}

// A kind of GPU that joins later has variants that wait for it.
bool Workbench::take_workers() {
  constexpr std::size_t kMostNews = 8;
  std::vector<std::string> news = gpu_->take_news();
  for (std::string& words : news) worker_news_.push_back({now_seconds(), std::move(words)});
  if (worker_news_.size() > kMostNews) {
    worker_news_.erase(worker_news_.begin(), worker_news_.end() - kMostNews);
  }
  const std::vector<const DeviceModel*> joined = gpus_.take_workers(gpu_->gpus());
  for (const DeviceModel* model : joined) {
    for (int index = 0; index < static_cast<int>(variants_.size()); ++index) {
      if (variants_[static_cast<std::size_t>(index)].gpu == model->name) request_study(index, true);
    }
  }
  return !news.empty() || !joined.empty();
}

void Workbench::set_gpu(const std::string& name) {
  Variant& variant = active();
  std::string wanted = name == device_model().name ? std::string() : name;
  if (variant.gpu == wanted) return;
  variant.gpu = std::move(wanted);
  variant.measured.reset();
  variant.measure_error.reset();
  variant.measure_pending = false;
  variant.reading = {};
  request_study(active_);
}

void Workbench::set_view(View view) {
  if (view == settings_.view) return;
  settings_.view = view;
  Variant& variant = active();
  const bool is_chosen = !variant.put || !(*variant.put == variant.selection);
  if (is_chosen || variant.study_pending || variant.study == nullptr ||
      variant.prepared == nullptr || !variant.study->traced() ||
      variant.study->trace->events.empty()) {
    return;
  }
  VariantDocument before = document_of(variant);
  variant.selection = first_look(view, *variant.study, *variant.prepared);
  variant.selection.block = before.selection.block;
  variant.put = variant.selection;
  if (before.selection == variant.selection) return;
  moves_.push_back(
      {static_cast<std::size_t>(active_), std::move(before), variant.selection, variant.marks});
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
  copy.reading.request_id.reset();
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
  runs_.forget_variants();
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
  variant->violations = violations_on(gpus_.find(variant->gpu));
  if (!variant->gpu.empty()) return;  // nothing else was asked for
  const auto foreign = std::ranges::find_if(variant->violations, of_the_gpu);
  if (foreign == variant->violations.end() || &gpus_.usual() == &gpus_.recorded()) return;
  auto there = violations_on(gpus_.recorded());
  if (std::ranges::any_of(there, of_the_gpu)) return;
  variant->not_here = std::move(foreign->message);
  variant->violations = std::move(there);
}

const CatalogueEntry* Workbench::usual_kernel() const {
  const CatalogueEntry* usual = catalogue_.find("transpose/naive");
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
    runs_.clear_live();
  }
  runs_.changed(entry.title);
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
  runs_.changed(std::move(label));
  request_study(active_);
}

void Workbench::set_parameter(const std::string& name, std::int64_t value) {
  if (active().own) {
    const OwnKernel& own = *active().own;
    const auto spec = std::ranges::find(own.parameters, name, &ParameterSpec::name);
    if (spec == own.parameters.end() || active().value_of(*spec) == value) return;
    runs_.changed(fmt::format("{} {}", name, value));
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
  runs_.changed(fmt::format("{} {}", name, value));
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
  runs_.changed(fmt::format("{} {}", name, factor_of(variant.factors, name)));
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

Status Workbench::open_file(const std::string& path) {
  return open_read(read_own_file(path, device_model().compute_capability));
}

void Workbench::open_file_soon(const std::string& path) {
  constexpr const char* kTag = "open file";
  pool_.cancel(kTag);
  opening_.clear();
  if (is_kernel_file(path) || !is_device_code(path)) {
    opened_ = Opened{path, open_file(path)};
    return;
  }
  opening_ = path;
  pool_.submit(kTag, [path, capability = device_model().compute_capability,
                      mailbox = mailbox_](const std::stop_token&) {
    mailbox->opened.put({path, read_own_file(path, capability)});
  });
}

bool Workbench::take_files() {
  bool taken = false;
  for (StudyMailbox::Opened& arrived : mailbox_->opened.take()) {
    if (arrived.path != opening_) continue;  // another one was asked for since
    opening_.clear();
    opened_ = Opened{arrived.path, open_read(std::move(arrived.read))};
    taken = true;
  }
  return taken;
}

Status Workbench::open_read(Result<ReadFile> read) {
  if (!read) return std::move(read).error();
  auto kernel = own_kernels_.from_file(*std::move(read));
  if (!kernel) return std::move(kernel).error();
  const bool is_new = !own_kernels_.has(kernel->file.path);
  open(*std::move(kernel));
  if (is_new) try_guess();
  return ok_status();
}

Status Workbench::open_text(std::string text) {
  if (const auto known = own_kernels_.find_text(text)) {
    settings_.trusted->add(text);
    const bool is_shown = shows(active(), own_kernels()[*known].file);
    open_own(*known);
    const bool unmeasured = !active().measured && !active().measure_pending;
    if (is_shown && unmeasured && settings_.measure) request_measurement(active_);
    return ok_status();
  }
  auto kernel = own_kernels_.from_text(std::move(text));
  if (!kernel) return std::move(kernel).error();
  settings_.trusted->add(kernel->file.source);
  open(*std::move(kernel));
  try_guess();
  return ok_status();
}

Status Workbench::open_template() { return open_text(kTemplate); }

void Workbench::open(OwnKernel kernel) {
  kernel.find_kernels();
  own_kernels_.keep(kernel);
  Variant variant;
  variant.own = std::move(kernel);
  active() = std::move(variant);
  runs_.clear_live();
  runs_.changed(active().file_name());
  request_study(active_);
}

void Workbench::open_own(std::size_t index) {
  if (index >= own_kernels().size() || shows(active(), own_kernels()[index].file)) return;
  open(own_kernels_.at(index));
}

void Workbench::give_name(const std::string& file, const std::string& name) {
  for (Variant& variant : variants_) {
    if (shows(variant, file)) variant.own->name = name;
  }
}

void Workbench::rename_own(std::string file, const std::string& wanted) {
  const auto name = own_kernels_.rename(file, wanted);
  if (!name) return;
  give_name(file, *name);
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) {
    // Pictures and files say what it is called.
    if (shows(variants_[static_cast<std::size_t>(i)], file)) request_study(i, true);
  }
}

void Workbench::remove_own(std::string file) {
  const auto index = own_kernels_.remove(file);
  if (!index) return;
  for (int i = static_cast<int>(variants_.size()) - 1; i >= 0 && variants_.size() > 1; --i) {
    if (shows(variants_[static_cast<std::size_t>(i)], file)) close_variant(i);
  }
  if (!shows(active(), file)) return;
  if (!own_kernels().empty()) {
    open_own(std::min(*index, own_kernels().size() - 1));
  } else if (const CatalogueEntry* usual = usual_kernel()) {
    choose_kernel(*usual);
  }
}

void Workbench::try_guess() {
  const OwnKernel& own = *active().own;
  pool_.submit("trial " + own.file.path,
               [file = KernelFile{own.file.path, active().source()}, guess = own.launch,
                device = device_model(), mailbox = mailbox_](const std::stop_token& stop) {
                 auto trial = try_launch({file, guess, {}, device, true}, stop);
                 if (!trial || (trial->launch == guess && !trial->is_made_up)) return;
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
    active().own->is_made_up = arrived.trial.is_made_up;
    taken = true;
  }
  return taken;
}

void Workbench::set_launch(LaunchForm form) {
  Variant& variant = active();
  if (!variant.own || variant.own->launch == form) return;
  variant.own->launch = std::move(form);
  variant.own->corrections.clear();
  variant.own->is_made_up = false;
  variant.own->find_kernels();
  compile_soon();
}

void Workbench::choose_function(const std::string& name) {
  const Variant& variant = active();
  if (!variant.own || variant.own->launch.kernel == name) return;
  set_launch(guess_launch({variant.own->file.path, variant.source()}, name));
  try_guess();
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
    const std::string kernel_before = listed_name(variant.own->launch.kernel);
    variant.own->launch = follow_signature(variant.own->launch, now);
    if (const auto name = own_kernels_.follow_kernel(*variant.own, kernel_before)) {
      give_name(variant.own->file.path, *name);
    }
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
  if (variant.own) own_kernels_.keep(*variant.own);
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

// Whether the instance's text is this one, which may run with these headers, with other whole
// numbers: a person allows the text that they see, and its sliders write numbers into it.
bool is_with_numbers(const KernelInstance& instance, const std::string& text,
                     const IncludedFiles* included, const TrustedTexts& trusted) {
  if (instance.parameters.empty() || !trusted.knows(text, included)) return false;
  const KernelFile file{instance.file_name, text};
  return with_parameters(file, instance.kernel, instance.parameters) == instance.source;
}

}  // namespace

// Of a variant that comes from a document.
void Workbench::keep_texts(const Variant& variant) {
  if (variant.own && !own_kernels_.has(variant.own->file.path)) own_kernels_.keep(*variant.own);
  if (variant.entry == nullptr) return;
  if (variant.edited) {
    edits_[variant.entry->id] = *variant.edited;
  } else {
    edits_.erase(variant.entry->id);
  }
}

void Workbench::make_ready(const std::vector<Next>& next) {
  if (!settings_.makes_ready) return;
  std::vector<ReadyStudies::Wanted> wanted;
  for (const auto& [document, view] : next) {
    if (latencies_) break;  // the pipelines of what is made ready have the usual ones
    Variant variant = variant_of(document, catalogue_);
    check_parameters(&variant);
    if (!variant.violations.empty() || !variant.has_kernel()) continue;
    auto request = study_request(variant);
    const DeviceModel* device = &device_model(variant);
    if (request) wanted.push_back({std::move(variant), *std::move(request), view, device});
  }
  ready_.want(std::move(wanted), variants_, pool_);
}

const Variant* Workbench::ready(const VariantDocument& variant) const {
  return ready_.find(variant_of(variant, catalogue_));
}

void Workbench::restore(const std::vector<VariantDocument>& documents, int active,
                        SharedOwnKernels own_kernels) {
  own_kernels_.replace(std::move(own_kernels));
  const bool same_count = documents.size() == variants_.size();
  if (!same_count) drop_requests();
  const std::vector<Variant> old = std::exchange(variants_, {});
  std::vector<int> to_ask;
  std::vector<int> to_complete;
  for (std::size_t i = 0; i < documents.size() && i < kMostDocumentVariants; ++i) {
    const Variant wanted = variant_of(documents[i], catalogue_);
    keep_texts(wanted);
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
    } else if (const Variant* ready = ready_.find(wanted)) {
      variants_.push_back(with_results_of(*ready, wanted));
      Variant& shown = variants_.back();
      shown.request = next_request_++;
      shown.placed = false;
      keep_inside(*shown.study, &shown.selection, &shown.marks);
      to_complete.push_back(static_cast<int>(i));
    } else {
      variants_.push_back(wanted);
      // The old picture stays until there is a new one.
      const bool same = i < old.size() && same_file(old[i], wanted);
      if (same) {
        variants_.back().study = old[i].study;
        variants_.back().prepared = old[i].prepared;
        variants_.back().measured = old[i].measured;
      } else {
        runs_.clear_live();
      }
      to_ask.push_back(static_cast<int>(i));
    }
  }
  if (variants_.empty()) variants_.emplace_back();
  active_ = std::clamp(active, 0, static_cast<int>(variants_.size()) - 1);
  for (const int index : to_ask) request_study(index);
  for (const int index : to_complete) {
    if (same_count) cancel_requests(index);
    request_rest(index);
  }
}

bool Workbench::may_run(const KernelInstance& instance, const CompiledKernel& compiled) const {
  const auto comes_with_the_program = [&](const CatalogueEntry& entry) {
    return entry.id == instance.id && entry.source == instance.source;
  };
  const IncludedFiles* included = compiled.included.get();
  return std::ranges::any_of(catalogue_.entries, comes_with_the_program) ||
         settings_.trusted->knows(instance.source, included) ||
         std::ranges::any_of(variants_, [&](const Variant& v) {
           return v.own && is_with_numbers(instance, v.source(), included, *settings_.trusted);
         });
}

bool Workbench::may_run(const Variant& variant) const {
  if (variant.entry != nullptr && !variant.edited) return true;
  return !variant.has_kernel() || settings_.trusted->knows(variant.source(), variant.included());
}

void Workbench::allow_gpu() {
  std::set<int> allowed;
  for (const Variant& variant : variants_) {
    if (may_run(variant)) continue;
    allowed.insert(static_cast<int>(&variant - variants_.data()));
    settings_.trusted->allow(variant.source(), variant.included());
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

}  // namespace

void Workbench::cancel_requests(int index) {
  pool_.cancel(study_tag(index));
  pool_.cancel(grid_tag(index));
  runs_.cancel(index, pool_);
}

// Precondition: it has a kernel and check_parameters() found nothing.
Result<StudyRequest> Workbench::study_request(const Variant& variant) const {
  const DeviceModel& device = device_model(variant);
  auto instance = instance_of(document_of(variant), catalogue_, device);
  if (!instance) return std::move(instance).error();
  StudyRequest request;
  request.instance = *std::move(instance);
  request.compute_capability = device.compute_capability;
  request.block = variant.selection.block;
  request.workers = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  return request;
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
  variant.phases_asked = false;
  variant.study_pending = variant.grid_pending = false;
  variant.due_seconds.reset();
  if (!variant.violations.empty() || !variant.has_kernel()) return;

  const DeviceModel& device = device_model(variant);
  auto asked = study_request(variant);
  if (!asked) {
    variant.error = asked.error();
    return;
  }
  StudyRequest& request = *asked;
  put_in_block(index, request.instance.grid, by_itself);
  request.block = variant.selection.block;
  variant.asked = {request.instance.grid, request.instance.block, request.block};
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
  variant.selection.block = default_block(grid);
  if (!variant.put) variant.put = variant.selection;
  variant.put->block = variant.selection.block;
  if (by_itself && !(before.selection == variant.selection)) {
    moves_.push_back(
        {static_cast<std::size_t>(index), std::move(before), variant.selection, variant.marks});
  }
}

void Workbench::move_by_itself(std::size_t index, const Selection& to) {
  Variant& variant = variants_[index];
  if (variant.selection == to) return;
  VariantDocument before = document_of(variant);
  variant.selection = to;
  moves_.push_back({index, std::move(before), to, variant.marks});
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

void Workbench::submit(std::string tag, JobPool::Work work, JobPool::Priority priority) {
  const auto job = [work = std::move(work), done = background_done_](const std::stop_token& stop) {
    work(stop);
    *done = true;
  };
  pool_.submit(std::move(tag), job, priority);
}

namespace {

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
      // Another view may be in front by now.
      if (arrived.stage == Stage::kTraced && arrived.view != settings_.view &&
          (*arrived.study)->traced())
        arrived.first = first_look(settings_.view, **arrived.study, *arrived.prepared);
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
  variant.move_to_study(before.get(), first);
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
  runs_.study_arrived(index);
}

// What follows a study that is complete but for the whole grid.
void Workbench::request_rest(int index) {
  const Variant& variant = variants_[static_cast<std::size_t>(index)];
  if (!variant.study->counters->whole_grid || !variant.study->verification) request_grid(index);
  if (settings_.measure && variant.measure_request != variant.request) request_measurement(index);
}

void Workbench::measure_again() { request_measurement(active_); }

void Workbench::request_measurement(int index) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  if (variant.study == nullptr || !variant.study->compiled->can_be_loaded() ||
      !runs_.kind_of(variant) || !variant.not_here.empty() ||
      !may_run(variant.study->instance, *variant.study->compiled))
    return;
  runs_.time(index, std::make_shared<const KernelInstance>(variant.study->instance),
             variant.study->compiled);
}

void Workbench::set_cold(bool cold) {
  if (cold == runs_.cold()) return;
  runs_.set_cold(cold);
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) {
    const bool is_there = !variants_[static_cast<std::size_t>(i)].study_pending;
    if (settings_.measure && is_there) request_measurement(i);
  }
}

// The study traces first and compiles for the GPU after; a measurement does not wait for that.
void Workbench::request_cubin(int index, const KernelInstance& instance) {
  const std::string tag = "cubin " + std::to_string(index);
  pool_.cancel(tag);
  const Variant& variant = variants_[static_cast<std::size_t>(index)];
  if (!settings_.measure || !runs_.kind_of(variant) || !variant.not_here.empty()) return;
  const StudyJobs jobs{index, variant.request, mailbox_};
  pool_.submit(tag, jobs.cubin(instance, device_model(variant).compute_capability));
}

void Workbench::take_cubins() {
  for (StudyMailbox::Cubin& cubin : mailbox_->cubins.take()) {
    const Variant* variant = waiting_for(cubin.variant, cubin.request);
    if (variant == nullptr || variant->measure_request == cubin.request) continue;
    if (!may_run(*cubin.instance, *cubin.compiled)) continue;
    runs_.time(cubin.variant, std::move(cubin.instance), std::move(cubin.compiled));
  }
}

void Workbench::look_ahead(const std::string& parameter) {
  look_ahead_.look_ahead(active(), device_model(active()), parameter);
}

void Workbench::look_around() {
  constexpr double kPause = 1;  // seconds; a person who changes one thing may change the next
  if (!look_ahead_.may_look_around() || active().entry == nullptr || busy()) return;
  const std::vector<TimedChange>& changes = runs_.live().changes();
  if (!changes.empty() && now_seconds() - changes.back().at_seconds < kPause) return;
  look_ahead_.look_around(active(), device_model(active()));
}

bool Workbench::compiled_ahead(const std::string& parameter, std::int64_t value) const {
  return look_ahead_.compiled(active(), parameter, value);
}

std::optional<Error> Workbench::why_no_counters() const {
  const Variant& variant = active();
  const auto device = gpu_->device();
  if (!device) return Error{ErrorCode::kMachine, "the worker is still starting", "", {}};
  if (!device->ok()) return device->error();
  if (runs_.kind_of(variant) != std::size_t{0}) {
    return Error{ErrorCode::kUsage,
                 fmt::format("hardware counters are read on the {} alone", device_model().name),
                 "Choose it in the menu of the GPU's name, at the top",
                 {}};
  }
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
  if (const auto why = why_no_counters()) {
    active().reading.error = *why;
  } else {
    runs_.read_counters(active_);
  }
}

}  // namespace tilescope
