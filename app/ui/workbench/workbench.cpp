#include "ui/workbench/workbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "analysis/issued_study.h"
#include "analysis/launch_memory.h"
#include "analysis/moment.h"
#include "core/inbox.h"
#include "gpu/device_model.h"
#include "kernel/compile_errors.h"
#include "kernel/same_instance.h"
#include "scene/telling_selection.h"
#include "session/variant_instance.h"
#include "ui/workbench/guarded_link.h"

namespace tilescope {
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

constexpr std::size_t kMostVariants = kMostDocumentVariants;
std::string study_tag(int variant) { return fmt::format("study {}", variant); }
std::string grid_tag(int variant) { return fmt::format("grid {}", variant); }
std::string stages_tag(int variant) { return fmt::format("stages {}", variant); }

// However it is edited.
bool same_kernel(const KernelInstance& a, const KernelInstance& b) {
  return a.file_name == b.file_name && a.kernel == b.kernel;
}

// Where to look in a study that nobody has looked at yet. Lines are chosen by people: without one
// the views follow time.
Selection first_look(View view, const KernelStudy& study, const PreparedStudy& prepared) {
  Selection selection = telling_selection(view, study, prepared);
  selection.line = 0;
  return selection;
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

}  // namespace

// Finished work, put here by the pool's threads and taken by tick().
struct Workbench::Mailbox {
  // How far a request has come with this.
  enum class Stage : std::uint8_t {
    kTraced,         // one block; resources follow, unless it failed
    kWithResources,  // all that is urgent
    kGridUnderWay,   // counts and checks of the background's; more follow
    kGridDone,
  };
  struct Study {
    int variant = 0;
    std::uint64_t request = 0;
    Result<std::shared_ptr<const KernelStudy>> study = Error{};
    std::shared_ptr<const PreparedStudy> prepared;  // of study, where it has a trace
    Stage stage = Stage::kTraced;
    std::vector<Error> errors{};  // all of the compiler's, where it failed
    Selection first{};            // where to look, in the first of a request
  };
  struct Stages {
    int variant = 0;
    std::uint64_t request = 0;
    std::vector<PipelineAlternative> alternatives;
  };
  Inbox<Study> studies;
  Inbox<Stages> stages;
  InputCache inputs;
};

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
      mailbox_(std::make_shared<Mailbox>()),
      start_(std::chrono::steady_clock::now()),
      cubins_(make_cubins()),
      ahead_(settings.ahead_threads),
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
  const bool studies = take_studies();
  const bool stages = take_stages();
  const bool measurements = take_measurements();
  const bool listened = listener_ && listener_();
  return device || studies || stages || measurements || ahead_.take_news() || listened;
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
  if (variants_.size() >= kMostVariants) return;
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
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) {
    pool_.cancel(study_tag(i));
    pool_.cancel(grid_tag(i));
    pool_.cancel(stages_tag(i));
    gpu_->cancel(measure_tag(i));
    phase_runs_.cancel(i, pool_, *gpu_);
    cancel_reading(i);
  }
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

// Compile and trace one block (urgent), then the cubin's resources, each put into the mailbox as it
// is done; the whole grid follows in the background.
void Workbench::request_study(int index, bool by_itself) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  variant.error.reset();
  variant.errors.clear();
  check_parameters(&variant);
  pool_.cancel(study_tag(index));
  pool_.cancel(grid_tag(index));
  pool_.cancel(stages_tag(index));
  gpu_->cancel(measure_tag(index));
  phase_runs_.cancel(index, pool_, *gpu_);
  cancel_reading(index);
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
  pool_.submit(study_tag(index), [request, index, id = variant.request, mailbox = mailbox_, device,
                                  view = settings_.view](const std::stop_token& stop) mutable {
    using Stage = Mailbox::Stage;
    request.inputs = &mailbox->inputs;
    auto study = study_block(request, stop);
    const bool failed = !study.ok();
    const auto prepared = failed ? nullptr : prepare(**study);
    std::vector<Error> errors;
    if (failed && study.error().code == ErrorCode::kKernel && study.error().place.line > 0) {
      errors = compile_errors({request.instance, request.compute_capability}, stop);
    }
    mailbox->studies.put({index, id, study, prepared, Stage::kTraced, std::move(errors),
                          failed ? Selection{} : first_look(view, **study, *prepared)});
    if (failed || stop.stop_requested()) return;
    auto complete = with_resources(*study, device, stop);
    const auto diagnosed = complete.ok() ? prepare(**complete) : prepared;
    mailbox->studies.put({index, id, std::move(complete), diagnosed, Stage::kWithResources});
  });
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
  pool_.submit(
      grid_tag(index),
      [study = variant.study, prepared = variant.prepared, own = variant.own || variant.is_edited(),
       index, id = variant.request, mailbox = mailbox_,
       latencies = latencies_](const std::stop_token& stop) mutable {
        using Stage = Mailbox::Stage;
        const auto put = [&](Result<std::shared_ptr<const KernelStudy>> counted,
                             std::shared_ptr<const PreparedStudy> from_it, Stage stage) {
          mailbox->studies.put({index, id, std::move(counted), std::move(from_it), stage});
        };
        // What comes with the program is known to be sound.
        for (const CheckedBlocks blocks : {CheckedBlocks::kTraced, CheckedBlocks::kSample}) {
          if (!own) break;
          auto checked = with_checks(study, blocks, stop);
          if (!checked) return;
          study = *std::move(checked);
          put(study, prepared, Stage::kGridUnderWay);
        }
        // What the machine issues, over a sample; the whole grid as written; then that as issued.
        auto issued = with_issued_counts(study, Counted::kSample, 1, stop);
        if (!issued) return;
        put(issued, prepare(**issued), Stage::kGridUnderWay);
        if (auto piped = with_pipeline(*issued, latencies, stop)) {
          issued = std::move(piped);
          put(issued, prepare(**issued), Stage::kGridUnderWay);
        }
        auto grid = run_grid(**issued, 1, stop);
        if (!grid) {
          put(std::move(grid).error(), nullptr, Stage::kGridDone);
          return;
        }
        const auto counted = with_grid(*issued, *grid);
        prepared = prepare(*counted);
        const auto& sample = counted->issued_counters;
        const bool done = sample == nullptr || sample->whole_grid;
        put(counted, prepared, done ? Stage::kGridDone : Stage::kGridUnderWay);
        if (done) return;
        issued = with_issued_counts(counted, Counted::kGrid, 1, stop);
        if (!issued) return;
        const auto last = prepare(**issued);
        put(std::move(issued), last, Stage::kGridDone);
      },
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
    pool_.submit(
        grid_tag(i), [study = variant.study, prepared = variant.prepared, i, id = variant.request,
                      mailbox = mailbox_, latencies](const std::stop_token& stop) {
          mailbox->studies.put(
              {i, id, with_pipeline(study, latencies, stop), prepared, Mailbox::Stage::kGridDone});
        });
  }
}

void Workbench::want_stages() {
  Variant& variant = active();
  if (variant.entry == nullptr || variant.is_edited() || variant.study == nullptr ||
      !variant.study->pipeline || variant.alternatives_asked || variant.study_pending ||
      stages_parameter(*variant.entry) == nullptr)
    return;
  variant.alternatives_asked = true;
  pool_.submit(
      stages_tag(active_),
      [entry = *variant.entry, study = variant.study, index = active_, id = variant.request,
       mailbox = mailbox_](const std::stop_token& stop) {
        auto alternatives = pipeline_alternatives(entry, *study, &mailbox->inputs, stop);
        if (!alternatives) return;
        mailbox->stages.put({index, id, *std::move(alternatives)});
      },
      JobPool::Priority::kBackground);
}

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
  using Stage = Mailbox::Stage;
  bool changed = false;
  for (auto& arrived : mailbox_->studies.take()) {
    Variant* variant = waiting_for(arrived.variant, arrived.request);
    if (variant == nullptr) continue;
    changed = true;
    variant->study_pending = false;
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

namespace {

// Those of a person's that went into the code, as one text.
std::string headers_of(const KernelStudy& study) {
  return program_text("", study.compiled != nullptr ? study.compiled->included.get() : nullptr);
}

}  // namespace

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

}  // namespace tilescope
