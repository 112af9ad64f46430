#include "ui/state/view_context.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "analysis/memory/launch_memory.h"
#include "analysis/study/study_counts.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/instance.h"
#include "session/readings.h"
#include "session/variant_instance.h"
#include "store/recorded_library.h"
#include "ui/state/measurements.h"
#include "ui/state/window_state.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

ViewContext view_context(const WindowState& state, const KernelStudy* study,
                         const Variant& variant) {
  ViewContext context;
  context.study = study;
  context.prepared = variant.prepared;
  context.selection = variant.selection;
  context.camera = variant.camera;
  context.theme = state.theme();
  context.settings = state.view_settings;
  context.time_zoom = variant.time_zoom;
  context.alternatives = variant.alternatives;
  context.phases = state.phases.shown(study);
  context.layouts = state.layouts.variants();
  context.devices = state.workbench.devices();
  context.entry = variant.entry;
  context.roofline = state.roofline.data();
  context.hardware = state.hardware.counters();
  context.compared = state.compare.set();
  if (context.compared) {
    for (std::size_t i = 0; i < context.compared->variants.size(); ++i) {
      const ComparedVariant& shown = context.compared->variants[i];
      const Variant& own = state.workbench.variants()[i];
      Selection& at = context.compared_at.emplace_back(own.selection);
      TimeMarks ignored;
      // While a newer set is made, this one shows an older study.
      if (shown.study && shown.study != own.study) keep_inside(*shown.study, &at, &ignored);
    }
  }
  if (state.hovered.kind == HitKind::kLane) {
    context.hovered_lane = static_cast<int>(state.hovered.value);
  }
  if (state.hovered.kind == HitKind::kLine) {
    context.hovered_line = static_cast<std::uint32_t>(state.hovered.value);
    context.hovered_variant =
        state.hovered.variant >= 0 ? state.hovered.variant : state.workbench.active_index();
  } else if (state.hovered_line != 0) {
    context.hovered_line = state.hovered_line;
    context.hovered_variant = state.workbench.active_index();
  }
  context.text_scale = state.lecture ? kLectureText : 1.0F;
  return context;
}

std::string selection_words(const Variant& variant) {
  const Dim3& grid = variant.study->launch.grid;
  const Dim3 block = unflatten(variant.selection.block, grid);
  std::string words = "block " + std::to_string(block.x) + ", " + std::to_string(block.y);
  if (grid.z > 1) words += ", " + std::to_string(block.z);
  return words + "  ·  warp " + std::to_string(variant.selection.warp) + "  ·  lane " +
         std::to_string(variant.selection.lane);
}

namespace {

std::string key_of(const CatalogueEntry& step, const ParameterSet& parameters,
                   const KernelInstance& launch) {
  std::string key = step.id;
  for (const ParameterSet* set : {&parameters, &launch.extents}) {
    for (const auto& [name, value] : *set)
      key.append(" ").append(name).append(std::to_string(value));
  }
  return with_factors_text(std::move(key), factors_of(launch));
}

}  // namespace

struct RooflineLookup::Counts {
  mutable std::mutex mutex;
  std::map<std::string, double> moved;  // by key_of()
  InputCache inputs;

  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex);
    return moved.size();
  }
};

RooflineLookup::RooflineLookup() : counts_(std::make_shared<Counts>()) {}

double RooflineLookup::moved(const std::string& key) const {
  const std::lock_guard lock(counts_->mutex);
  const auto found = counts_->moved.find(key);
  return found == counts_->moved.end() ? 0 : found->second;
}

void RooflineLookup::ask(Workbench& workbench, const CatalogueEntry& step,
                         const ParameterSet& parameters, const KernelInstance& launch) {
  const std::string key = key_of(step, parameters, launch);
  if (!asked_.insert(key).second) return;
  auto instance =
      instantiate(step, parameters, launch.extents, factors_of(launch), workbench.device_model());
  if (!instance) return;
  StudyRequest request;
  request.instance = *std::move(instance);
  request.compute_capability = workbench.device_model().compute_capability;
  workbench.submit_background(
      "moved " + key, [request, key, counts = counts_](const std::stop_token& stop) mutable {
        request.inputs = &counts->inputs;
        const auto bytes = moved_bytes(request, stop);
        const std::lock_guard lock(counts->mutex);
        counts->moved[key] = bytes ? *bytes : 0;
      });
}

std::shared_ptr<const RooflineData> RooflineLookup::make(Workbench& workbench,
                                                         const KnownMeasurements& all,
                                                         const CatalogueEntry* entry) {
  const KernelInstance& launch = study_->instance;
  std::vector<KnownTime> known = times_of(all.of(launch, entry, /*cold=*/true));
  if (entry == nullptr && known.empty()) return nullptr;
  const DeviceModel& device =
      study_->device != nullptr ? *study_->device : workbench.device_model();
  return std::make_shared<const RooflineData>(roofline_data(
      {workbench.catalogue(), entry, launch, device}, std::move(known),
      {[&](const CatalogueEntry& step, const ParameterSet& parameters) {
         return times_of(all.of({0, &step, parameters, launch.extents, factors_of(launch)},
                                /*cold=*/true));
       },
       [&](const CatalogueEntry& step, const ParameterSet& parameters) {
         if (!step.problem->rated_in_flop) return 0.0;
         if (looked_at_) ask(workbench, step, parameters, launch);
         return moved(key_of(step, parameters, launch));
       }}));
}

void RooflineLookup::update(Workbench& workbench, const std::shared_ptr<const Measurements>& opened,
                            const RecordedLibrary& recorded, const Variant& variant,
                            bool looked_at) {
  const std::size_t counted = counts_->size();
  if (study_ == variant.study && measured_ == workbench.measured().size() && opened_ == opened &&
      counted_ == counted && (looked_at_ || !looked_at)) {
    return;
  }
  study_ = variant.study;
  measured_ = workbench.measured().size();
  opened_ = opened;
  counted_ = counted;
  looked_at_ = looked_at;
  data_.reset();
  in_file_.reset();
  if (study_ == nullptr) return;
  data_ = in_file_ =
      make(workbench, known_measurements(workbench, opened.get(), recorded), variant.entry);
  if (opened == nullptr) return;
  in_file_ =
      make(workbench, known_measurements(workbench, opened.get(), recorded, Source::kMeasured),
           variant.entry);
}

namespace {

constexpr const char* kTag = "compare";

bool is_traced(const Variant& variant) {
  return variant.study != nullptr && variant.study->traced() &&
         !variant.study->trace->events.empty();
}

// Why a variant has no study.
std::string missing_words(const Variant& variant) {
  if (is_traced(variant)) return {};
  if (variant.error) return to_string(*variant.error);
  if (!variant.violations.empty()) return variant.violations.front().message;
  return variant.study_pending ? "compiling and tracing the block …" : "no kernel is chosen";
}

std::string name_of(const Variant& variant) {
  std::string name = variant.entry != nullptr ? variant.entry->title : variant.file_name();
  if (variant.is_edited()) name += ", edited";
  return name;
}

}  // namespace

struct CompareLookup::Mailbox {
  std::mutex mutex;
  std::uint64_t number = 0;
  std::shared_ptr<const ComparedSet> set;
  std::shared_ptr<const ComparedSet> in_file;
};

CompareLookup::CompareLookup() : mailbox_(std::make_shared<Mailbox>()), pool_(1) {}

void CompareLookup::ask(Workbench& workbench, const RecordedLibrary& recorded) {
  const KnownMeasurements here = known_measurements(workbench, opened_.get(), recorded);
  const KnownMeasurements in_its_file =
      known_measurements(workbench, opened_.get(), recorded, Source::kMeasured);
  std::vector<ComparedVariant> variants;
  std::vector<std::vector<KnownTime>> known;       // of those that are traced
  std::vector<std::vector<KnownTime>> known_file;  // as a file of the session has them
  std::vector<std::size_t> timed;                  // whose times these are
  const std::vector<Variant>& all = workbench.variants();
  for (std::size_t i = 0; i < all.size(); ++i) {
    ComparedVariant& shown = variants.emplace_back();
    shown.name = seen_[i].name;
    shown.entry = all[i].entry;
    shown.missing = seen_[i].missing;
    if (!is_traced(all[i])) continue;
    shown.study = all[i].study;
    shown.prepared = all[i].prepared;
    known.push_back(times_of(here.of(all[i].study->instance, all[i].entry, true)));
    known_file.push_back(times_of(in_its_file.of(all[i].study->instance, all[i].entry, true)));
    timed.push_back(i);
    const bool is_kept = set_ != nullptr && i < set_->variants.size();
    if (is_kept && set_->variants[i].study != nullptr &&
        set_->variants[i].study->trace == shown.study->trace) {
      shown.accesses = set_->variants[i].accesses;
    }
  }
  const auto chosen = times_to_compare(known, workbench.device_model().name);
  const auto chosen_file = times_to_compare(known_file, workbench.device_model().name);
  std::vector<TimesToCompare> in_file;  // by variant, where a file was opened
  if (opened_ != nullptr) in_file.resize(all.size());
  for (std::size_t i = 0; i < timed.size(); ++i) {
    variants[timed[i]].known = chosen[i].known;
    variants[timed[i]].elsewhere = chosen[i].elsewhere;
    if (!in_file.empty()) in_file[timed[i]] = chosen_file[i];
  }
  pending_ = true;
  pool_.submit(kTag,
               [variants = std::move(variants), in_file = std::move(in_file), number = ++asked_,
                mailbox = mailbox_, active = static_cast<std::size_t>(workbench.active_index())](
                   const std::stop_token&) mutable {
                 const auto set = compared_set(std::move(variants), active);
                 auto file_set = set;
                 if (!in_file.empty()) {
                   variants = set->variants;
                   for (std::size_t i = 0; i < variants.size(); ++i) {
                     variants[i].known = std::move(in_file[i].known);
                     variants[i].elsewhere = std::move(in_file[i].elsewhere);
                   }
                   file_set = compared_set(std::move(variants), active);
                 }
                 const std::lock_guard lock(mailbox->mutex);
                 mailbox->number = number;
                 mailbox->set = set;
                 mailbox->in_file = std::move(file_set);
               });
}

void CompareLookup::take() {
  const std::lock_guard lock(mailbox_->mutex);
  if (!pending_ || mailbox_->number != asked_) return;
  set_ = std::exchange(mailbox_->set, nullptr);
  in_file_ = std::exchange(mailbox_->in_file, nullptr);
  pending_ = false;
}

// Until the first set of so many is there.
void CompareLookup::show_names(std::size_t active) {
  auto names = std::make_shared<ComparedSet>();
  for (const Seen& seen : seen_) {
    ComparedVariant& shown = names->variants.emplace_back();
    shown.name = seen.name;
    shown.missing = seen.missing.empty() ? "comparing …" : seen.missing;
  }
  names->active = active;
  names->comparison = compare(std::vector<ComparedKernel>(seen_.size()));
  set_ = in_file_ = std::move(names);
}

// Where the active one moved, the others follow; a variant that was only brought to the front
// moves nothing.
void CompareLookup::stand_together(Workbench& workbench) {
  std::vector<Variant>& all = workbench.variants();
  const Variant& active = workbench.active();
  if (!is_traced(active)) return;
  stood_.resize(all.size());
  auto& [active_study, active_event] = stood_[static_cast<std::size_t>(workbench.active_index())];
  const bool moved = active_study != active.study || active_event != active.selection.event;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Variant& other = all[i];
    if (&other == &active || !is_traced(other)) continue;
    other.selection.lane = active.selection.lane;
    if (!moved && stood_[i].first == other.study) continue;
    const std::uint64_t block = other.selection.block;
    other.selection = selection_beside(*active.study, active.selection, *other.study);
    other.selection.block = block;
    stood_[i] = {other.study, other.selection.event};
  }
  active_study = active.study;
  active_event = active.selection.event;
}

void CompareLookup::update(Workbench& workbench, const std::shared_ptr<const Measurements>& opened,
                           const RecordedLibrary& recorded, bool looked_at) {
  if (workbench.variants().size() < 2) {
    pool_.cancel(kTag);
    set_.reset();
    in_file_.reset();
    seen_.clear();
    stood_.clear();
    pending_ = false;
    return;
  }
  std::vector<Seen> seen;
  for (const Variant& variant : workbench.variants()) {
    seen.push_back(
        {variant.study, variant.measured.has_value(), missing_words(variant), name_of(variant)});
  }
  const auto active = static_cast<std::size_t>(workbench.active_index());
  take();
  if (seen != seen_ || measured_ != workbench.measured().size() || opened_ != opened) {
    seen_ = std::move(seen);
    measured_ = workbench.measured().size();
    opened_ = opened;
    ask(workbench, recorded);
  }
  if (set_ == nullptr || set_->variants.size() != seen_.size()) show_names(active);
  if (set_->active != active) {
    for (std::shared_ptr<const ComparedSet>* each : {&set_, &in_file_}) {
      auto other = std::make_shared<ComparedSet>(**each);
      other->active = active;
      *each = std::move(other);
    }
  }
  if (looked_at) {
    stand_together(workbench);
  } else {
    stood_.clear();
  }
}

void flip_compared(WindowState& state) {
  const auto& set = state.compare.set();
  if (set == nullptr) return;
  const Variant& variant = state.workbench.active();
  const ViewContext context = view_context(state, variant.study.get(), variant);
  ViewSettings& settings = state.view_settings;
  const auto base = static_cast<int>(base_of(context));
  const auto subject = static_cast<int>(subject_of(context));
  const bool one = settings.compare_mode == CompareMode::kOne;
  const int shown =
      settings.compare_pane >= 0 ? settings.compare_pane : state.workbench.active_index();
  settings.compare_mode = CompareMode::kOne;
  settings.compare_pane = one && shown != base ? base : subject;
}

void compare_ladder(Workbench& workbench) {
  const CatalogueEntry* own = workbench.active().entry;
  if (own == nullptr) return;
  const ParameterSet extents = workbench.active().extents;
  std::vector<const CatalogueEntry*> steps;
  for (const CatalogueEntry& step : workbench.catalogue().entries) {
    const bool fits =
        step.family == own->family && step.id != own->id &&
        computes_fp32(step) == computes_fp32(*own) &&
        check_rules(step, default_parameters(step), extents, workbench.device_model()).empty();
    if (fits) steps.push_back(&step);
  }
  if (steps.size() > 3) steps = {steps.front(), steps[steps.size() / 2], steps.back()};
  for (const CatalogueEntry* step : steps) {
    const std::size_t before = workbench.variants().size();
    workbench.add_variant();
    if (workbench.variants().size() == before) return;
    workbench.choose_kernel(*step);
  }
}

struct LayoutLookup::Arrived {
  std::mutex mutex;
  std::shared_ptr<const LayoutVariants> newest;
  unsigned answered = 0;  // the number of the last question, be it that there are none
  InputCache inputs;
};

LayoutLookup::LayoutLookup() : arrived_(std::make_shared<Arrived>()) {}

void LayoutLookup::update(Workbench& workbench, const Variant& variant, bool looked_at) {
  {
    const std::lock_guard lock(arrived_->mutex);
    if (arrived_->newest != nullptr) variants_ = std::exchange(arrived_->newest, nullptr);
    pending_ = arrived_->answered != questions_;
  }
  const std::shared_ptr<const KernelStudy>& study = variant.study;
  if (!looked_at || study == nullptr || !study->traced() || variant.entry == nullptr ||
      study->device == nullptr || variant.study_pending || asked_.lock() == study ||
      !has_layout_variants(*variant.entry, *study) ||
      (variants_ != nullptr && variants_->belong_to(*study))) {
    return;
  }
  asked_ = study;
  pending_ = true;
  ++questions_;
  workbench.submit_background("layouts", [entry = *variant.entry, study, arrived = arrived_,
                                          question = questions_](const std::stop_token& stop) {
    auto variants = layout_variants(entry, *study, *study->device, &arrived->inputs, stop);
    const std::lock_guard lock(arrived->mutex);
    arrived->answered = question;
    if (variants) arrived->newest = std::make_shared<const LayoutVariants>(*std::move(variants));
  });
}

void HardwareLookup::update(const Workbench& workbench,
                            const std::shared_ptr<const Measurements>& opened,
                            const RecordedLibrary& recorded, const Variant& variant) {
  const std::size_t read = workbench.counters_read().size();
  if (study_ == variant.study && read_ == read && opened_ == opened) return;
  study_ = variant.study;
  read_ = read;
  opened_ = opened;
  counters_.reset();
  in_file_.reset();
  if (study_ == nullptr || study_->issued == nullptr || study_->issued_counters == nullptr) return;
  counters_ = in_file_ = read_counters(workbench.counters_read(), *study_, Source::kMeasured);
  if (counters_ == nullptr && opened != nullptr) {
    counters_ = read_counters(opened->counters, *study_, Source::kRecorded);
    in_file_ = read_counters(opened->counters, *study_, Source::kMeasured);
  }
  const bool may_be_recorded = variant.entry != nullptr && !variant.is_edited();
  if (counters_ == nullptr && may_be_recorded) {
    counters_ = in_file_ = recorded_counters(recorded, *variant.entry, *study_);
  }
}

void PhaseLookup::update(const Workbench& workbench,
                         const std::shared_ptr<const Measurements>& opened,
                         const std::shared_ptr<const KernelStudy>& study) {
  auto& [now, before] = found_;
  const std::size_t read = workbench.phases_read().size();
  if (now.study == study && read_ == read && opened_ == opened) return;
  if (now.study != study) before = now;
  now = {study, nullptr};
  in_file_.reset();
  read_ = read;
  opened_ = opened;
  if (study == nullptr) return;
  now.phases = in_file_ = read_phases(workbench.phases_read(), *study, Source::kMeasured);
  if (now.phases != nullptr || opened == nullptr) return;
  now.phases = read_phases(opened->phases, *study, Source::kRecorded);
  in_file_ = read_phases(opened->phases, *study, Source::kMeasured);
}

std::shared_ptr<const MeasuredPhases> PhaseLookup::shown(const KernelStudy* study) const {
  if (study == nullptr) return nullptr;
  const auto of = [&](const Found& found) { return found.study.get() == study; };
  const auto found = std::ranges::find_if(found_, of);
  return found != found_.end() ? found->phases : nullptr;
}

}  // namespace tilescope
