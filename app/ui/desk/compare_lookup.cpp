#include "ui/desk/compare_lookup.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "kernel/instance.h"
#include "kernel/parameter_values.h"
#include "store/recorded_library.h"
#include "ui/desk/desk.h"
#include "ui/desk/roofline_lookup.h"
#include "ui/desk/view_context.h"

namespace tilescope {
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

void CompareLookup::ask(Workbench& bench, const RecordedLibrary& recorded) {
  const KnownTimes times = known_times(bench, opened_.get(), recorded);
  const KnownTimes file_times = known_times(bench, opened_.get(), recorded, Source::kMeasured);
  std::vector<ComparedVariant> variants;
  std::vector<std::vector<KnownTime>> known;       // of those that are traced
  std::vector<std::vector<KnownTime>> known_file;  // as a file of the session has them
  std::vector<std::size_t> timed;                  // whose times these are
  const std::vector<Variant>& all = bench.variants();
  for (std::size_t i = 0; i < all.size(); ++i) {
    ComparedVariant& shown = variants.emplace_back();
    shown.name = seen_[i].name;
    shown.entry = all[i].entry;
    shown.missing = seen_[i].missing;
    if (!is_traced(all[i])) continue;
    shown.study = all[i].study;
    shown.prepared = all[i].prepared;
    known.push_back(times.of(all[i].study->instance, all[i].entry));
    known_file.push_back(file_times.of(all[i].study->instance, all[i].entry));
    timed.push_back(i);
    const bool is_kept = set_ != nullptr && i < set_->variants.size();
    if (is_kept && set_->variants[i].study != nullptr &&
        set_->variants[i].study->trace == shown.study->trace) {
      shown.accesses = set_->variants[i].accesses;
    }
  }
  const auto chosen = times_to_compare(known, bench.device_model().name);
  const auto chosen_file = times_to_compare(known_file, bench.device_model().name);
  std::vector<std::optional<KnownTime>> in_file;  // where that is something else
  for (std::size_t i = 0; i < timed.size(); ++i) {
    variants[timed[i]].known = chosen[i];
    if (!chosen_file[i] || !chosen[i] || chosen_file[i]->source == chosen[i]->source) continue;
    in_file.resize(all.size());
    in_file[timed[i]] = chosen_file[i];
  }
  pending_ = true;
  pool_.submit(kTag,
               [variants = std::move(variants), in_file = std::move(in_file), number = ++asked_,
                mailbox = mailbox_, active = static_cast<std::size_t>(bench.active_index())](
                   const std::stop_token&) mutable {
                 const auto set = compared_set(std::move(variants), active);
                 auto file_set = set;
                 if (!in_file.empty()) {
                   variants = set->variants;
                   for (std::size_t i = 0; i < variants.size(); ++i) {
                     if (in_file[i]) variants[i].known = in_file[i];
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
void CompareLookup::stand_together(Workbench& bench) {
  std::vector<Variant>& all = bench.variants();
  const Variant& active = bench.active();
  if (!is_traced(active)) return;
  stood_.resize(all.size());
  auto& [active_study, active_event] = stood_[static_cast<std::size_t>(bench.active_index())];
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

void CompareLookup::update(Workbench& bench, const std::shared_ptr<const Measurements>& opened,
                           const RecordedLibrary& recorded, bool looked_at) {
  if (bench.variants().size() < 2) {
    pool_.cancel(kTag);
    set_.reset();
    in_file_.reset();
    seen_.clear();
    stood_.clear();
    pending_ = false;
    return;
  }
  std::vector<Seen> seen;
  for (const Variant& variant : bench.variants()) {
    seen.push_back(
        {variant.study, variant.measured.has_value(), missing_words(variant), name_of(variant)});
  }
  const auto active = static_cast<std::size_t>(bench.active_index());
  take();
  if (seen != seen_ || measured_ != bench.measured().size() || opened_ != opened) {
    seen_ = std::move(seen);
    measured_ = bench.measured().size();
    opened_ = opened;
    ask(bench, recorded);
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
    stand_together(bench);
  } else {
    stood_.clear();
  }
}

void flip_compared(Desk& desk) {
  const auto& set = desk.compare.set();
  if (set == nullptr) return;
  const Variant& variant = desk.bench.active();
  const ViewContext context = view_context(desk, variant.study.get(), variant);
  ViewSettings& settings = desk.view_settings;
  const auto base = static_cast<int>(base_of(context));
  const auto subject = static_cast<int>(subject_of(context));
  const bool one = settings.compare_mode == CompareMode::kOne;
  const int shown = settings.compare_pane >= 0 ? settings.compare_pane : desk.bench.active_index();
  settings.compare_mode = CompareMode::kOne;
  settings.compare_pane = one && shown != base ? base : subject;
}

void compare_ladder(Workbench& bench) {
  const CatalogueEntry* own = bench.active().entry;
  if (own == nullptr) return;
  const ParameterSet extents = bench.active().extents;
  std::vector<const CatalogueEntry*> steps;
  for (const CatalogueEntry& step : bench.catalogue().entries) {
    const bool fits =
        step.family == own->family && step.id != own->id &&
        multiplies_fp32(step) == multiplies_fp32(*own) &&
        check_rules(step, default_parameters(step), extents, bench.device_model()).empty();
    if (fits) steps.push_back(&step);
  }
  if (steps.size() > 3) steps = {steps.front(), steps[steps.size() / 2], steps.back()};
  for (const CatalogueEntry* step : steps) {
    const std::size_t before = bench.variants().size();
    bench.add_variant();
    if (bench.variants().size() == before) return;
    bench.choose_kernel(*step);
  }
}

}  // namespace tilescope
