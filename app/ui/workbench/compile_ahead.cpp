#include "ui/workbench/compile_ahead.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/parameter_space.h"
#include "session/document.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

std::string tag_of(unsigned thread) { return "ahead " + std::to_string(thread); }

bool same_code(const KernelInstance& a, const KernelInstance& b) {
  return a.parameters == b.parameters && a.defines == b.defines && a.kernel == b.kernel &&
         a.file_name == b.file_name && a.source == b.source;
}

bool same_way(const CompileAhead::Plan& a, const CompileAhead::Plan& b) {
  return a.parameter == b.parameter && a.compute_capability == b.compute_capability &&
         std::ranges::equal(a.variants, b.variants,
                            [](const CompileAhead::Variant& x, const CompileAhead::Variant& y) {
                              return x.value == y.value && same_code(x.instance, y.instance);
                            });
}

std::size_t place_of(const CompileAhead::Plan& plan) {
  const auto at =
      std::ranges::lower_bound(plan.variants, plan.present, {}, &CompileAhead::Variant::value);
  return static_cast<std::size_t>(at - plan.variants.begin());
}

}  // namespace

std::vector<std::size_t> order_ahead(std::size_t count, std::size_t present) {
  std::vector<std::size_t> order;
  for (std::size_t step = 1; step < count + 1; ++step) {
    if (present + step < count) order.push_back(present + step);
    if (present >= step && present - step < count) order.push_back(present - step);
  }
  if (present < count) order.push_back(present);
  return order;
}

struct CompileAhead::Work {
  enum class State : std::uint8_t { kWaits, kRuns, kReady, kFailed };

  mutable std::mutex mutex;
  Plan plan;
  std::vector<State> states;  // by plan.variants
  bool news = false;

  // Takes the nearest that waits; nullptr: none is left.
  const Variant* begin_next() {
    const std::lock_guard lock(mutex);
    std::size_t looked_at = 0;
    for (const std::size_t place : order_ahead(plan.variants.size(), place_of(plan))) {
      if (++looked_at > kMostVariants) break;
      if (states[place] != State::kWaits) continue;
      states[place] = State::kRuns;
      return &plan.variants[place];
    }
    return nullptr;
  }
  void end(const Variant* variant, State state) {
    const std::lock_guard lock(mutex);
    states[static_cast<std::size_t>(variant - plan.variants.data())] = state;
    news = true;
  }
};

CompileAhead::CompileAhead(unsigned threads) : threads_(threads), pool_(std::max(threads, 1U)) {}

CompileAhead::~CompileAhead() = default;

void CompileAhead::follow(Plan plan) {
  if (threads_ == 0) return;
  if (work_ != nullptr) {
    const std::lock_guard lock(work_->mutex);
    if (same_way(work_->plan, plan)) {
      work_->plan.present = plan.present;
      return;
    }
  }
  drop();
  work_ = std::make_shared<Work>();
  work_->states.assign(plan.variants.size(), Work::State::kWaits);
  work_->plan = std::move(plan);
  for (unsigned thread = 0; thread < threads_; ++thread) {
    pool_.submit(
        tag_of(thread),
        [work = work_](const std::stop_token& stop) {
          while (!stop.stop_requested() && compile_next(*work, stop)) {
          }
        },
        JobPool::Priority::kBackground);
  }
}

void CompileAhead::drop() {
  for (unsigned thread = 0; thread < threads_; ++thread) pool_.cancel(tag_of(thread));
  work_.reset();
}

// False: nothing is left to be done.
bool CompileAhead::compile_next(Work& work, const std::stop_token& stop) {
  const Variant* variant = work.begin_next();
  if (variant == nullptr) return false;
  bool good = true;
  for (const bool cubin : {false, true}) {
    if (!good) break;
    good = compile({variant->instance, work.plan.compute_capability, cubin}, stop).ok();
  }
  work.end(variant, good ? Work::State::kReady : Work::State::kFailed);
  return true;
}

bool CompileAhead::ready(const std::string& parameter, std::int64_t value) const {
  if (work_ == nullptr) return false;
  const std::lock_guard lock(work_->mutex);
  if (work_->plan.parameter != parameter) return false;
  const auto& variants = work_->plan.variants;
  const auto at = std::ranges::find(variants, value, &Variant::value);
  return at != variants.end() &&
         work_->states[static_cast<std::size_t>(at - variants.begin())] == Work::State::kReady;
}

bool CompileAhead::take_news() {
  if (work_ == nullptr) return false;
  const std::lock_guard lock(work_->mutex);
  return std::exchange(work_->news, false);
}

LookAhead::LookAhead(const Catalogue& catalogue, unsigned ahead_threads, unsigned around_threads)
    : catalogue_(catalogue),
      around_threads_(around_threads),
      ahead_(ahead_threads),
      around_(around_threads) {}

LookAhead::Of LookAhead::of(const Variant& variant, const DeviceModel& device,
                            const std::string& parameter) {
  return {variant.entry, variant.edited, variant.parameters, variant.extents, parameter, &device};
}

// The variant at each legal value of one of its entry's parameters, by value.
std::vector<CompileAhead::Variant> LookAhead::alternatives(const Variant& variant,
                                                           const DeviceModel& device,
                                                           const ParameterSpec& spec) const {
  const CatalogueEntry& entry = *variant.entry;
  auto rules = RuleBook::make(entry, variant.extents, device);
  if (!rules || !variant.parameters.contains(spec.name)) return {};
  const auto which = static_cast<std::size_t>(&spec - entry.parameters.data());
  std::vector<CompileAhead::Variant> found;
  VariantDocument other = document_of(variant);
  for (const std::int64_t value :
       legal_values(entry, *rules, values_of(entry, variant.parameters), which)) {
    other.parameters[spec.name] = value;
    auto instance = instance_of(other, catalogue_, device);
    if (instance) found.push_back({value, *std::move(instance)});
  }
  return found;
}

void LookAhead::look_ahead(const Variant& variant, const DeviceModel& device,
                           const std::string& parameter) {
  if (variant.entry == nullptr) return;
  Of now = of(variant, device, parameter);
  if (now == ahead_of_) return;
  ahead_of_ = std::move(now);
  stop_looking_around();
  const auto spec = std::ranges::find(variant.entry->parameters, parameter, &ParameterSpec::name);
  if (spec == variant.entry->parameters.end()) return;
  ahead_.follow({.parameter = parameter,
                 .variants = alternatives(variant, device, *spec),
                 .present = variant.value_of(*spec),
                 .compute_capability = device.compute_capability});
}

void LookAhead::look_around(const Variant& variant, const DeviceModel& device) {
  Of now = of(variant, device, "");
  if (now == around_of_) return;
  around_of_ = std::move(now);
  CompileAhead::Plan plan;
  plan.compute_capability = device.compute_capability;
  for (const ParameterSpec& spec : variant.entry->parameters) {
    std::vector<CompileAhead::Variant> others = alternatives(variant, device, spec);
    const std::int64_t present = variant.value_of(spec);
    for (std::size_t i = 0; i < others.size(); ++i) {
      const bool below = i + 1 < others.size() && others[i + 1].value == present;
      const bool above = i > 0 && others[i - 1].value == present;
      if (!below && !above) continue;
      plan.variants.push_back(
          {static_cast<std::int64_t>(plan.variants.size()), others[i].instance});
    }
  }
  around_.follow(std::move(plan));
}

void LookAhead::stop_looking_around() {
  around_.drop();
  around_of_ = {};
}

void LookAhead::drop() {
  ahead_.drop();
  ahead_of_ = {};
}

bool LookAhead::compiled(const Variant& variant, const std::string& parameter,
                         std::int64_t value) const {
  if (ahead_of_.parameter != parameter || ahead_of_.entry != variant.entry ||
      ahead_of_.edited != variant.edited)
    return false;
  ParameterSet others = variant.parameters;
  const auto planned = ahead_of_.parameters.find(parameter);
  if (planned == ahead_of_.parameters.end()) return false;
  others[parameter] = planned->second;
  return others == ahead_of_.parameters && ahead_.ready(parameter, value);
}

}  // namespace tilescope
