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

std::optional<KnownTime> time_of(const Workbench& bench, const RecordedLibrary& recorded,
                                 const Variant& variant) {
  const KernelInstance& instance = variant.study->instance;
  if (variant.entry != nullptr && !variant.is_edited()) {
    return known_time(bench, recorded, *variant.entry, instance.parameters, instance);
  }
  if (!variant.measured || !variant.measured->cold) return std::nullopt;
  return known_time(*variant.measured, Source::kMeasured, {}, gpu_here(bench));
}

}  // namespace

struct CompareLookup::Mailbox {
  std::mutex mutex;
  std::uint64_t number = 0;
  std::shared_ptr<const ComparedSet> set;
};

CompareLookup::CompareLookup() : mailbox_(std::make_shared<Mailbox>()), pool_(1) {}

void CompareLookup::ask(Workbench& bench, const RecordedLibrary& recorded) {
  std::vector<ComparedVariant> variants;
  const std::vector<Variant>& all = bench.variants();
  for (std::size_t i = 0; i < all.size(); ++i) {
    ComparedVariant& shown = variants.emplace_back();
    shown.name = seen_[i].name;
    shown.entry = all[i].entry;
    shown.missing = seen_[i].missing;
    if (!is_traced(all[i])) continue;
    shown.study = all[i].study;
    shown.prepared = all[i].prepared;
    shown.known = time_of(bench, recorded, all[i]);
    const bool known = set_ != nullptr && i < set_->variants.size();
    if (known && set_->variants[i].study != nullptr &&
        set_->variants[i].study->trace == shown.study->trace) {
      shown.accesses = set_->variants[i].accesses;
    }
  }
  pending_ = true;
  pool_.submit(kTag, [variants = std::move(variants), number = ++asked_, mailbox = mailbox_,
                      active = static_cast<std::size_t>(bench.active_index())](
                         const std::stop_token&) mutable {
    auto set = compared_set(std::move(variants), active);
    const std::lock_guard lock(mailbox->mutex);
    mailbox->number = number;
    mailbox->set = std::move(set);
  });
}

void CompareLookup::take() {
  const std::lock_guard lock(mailbox_->mutex);
  if (!pending_ || mailbox_->number != asked_) return;
  set_ = std::exchange(mailbox_->set, nullptr);
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
  set_ = std::move(names);
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

void CompareLookup::update(Workbench& bench, const RecordedLibrary& recorded, bool looked_at) {
  if (bench.variants().size() < 2) {
    pool_.cancel(kTag);
    set_.reset();
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
  if (seen != seen_ || measured_ != bench.measured().size()) {
    seen_ = std::move(seen);
    measured_ = bench.measured().size();
    ask(bench, recorded);
  }
  if (set_ == nullptr || set_->variants.size() != seen_.size()) show_names(active);
  if (set_->active != active) {
    auto other = std::make_shared<ComparedSet>(*set_);
    other->active = active;
    set_ = std::move(other);
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
