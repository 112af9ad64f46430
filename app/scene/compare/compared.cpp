#include "scene/compare/compared.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "analysis/memory/coalescing.h"
#include "analysis/study/moment.h"
#include "core/conditions.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/gemm_factors.h"
#include "scene/model/shared_layout.h"

namespace tilescope {
namespace {

constexpr std::uint8_t kMostExecutions =
    8;  // executions of an instruction: loops repeat themselves

// Keeps the event that wastes most, of those the one that costs most.
struct Worst {
  std::optional<std::uint32_t>* event;
  std::pair<int, int> most{-1, -1};
  void look_at(std::uint32_t candidate, int excess, int amount) {
    if (std::pair(excess, amount) <= most) return;
    most = {excess, amount};
    *event = candidate;
  }
};

bool reads(AccessKind kind) { return kind == AccessKind::kLoad || kind == AccessKind::kLdmatrix; }

std::string name_of_kernel(const KernelInstance& instance) {
  return instance.problem ? instance.title : instance.kernel;
}

bool has_study(const ComparedVariant& variant) { return variant.study != nullptr; }

// Its factors where another variant of the same kernel has others: both, so that a usual one is
// said too.
GemmFactors factors_apart(const ComparedSet& set, const ComparedVariant& own) {
  GemmFactors apart;
  const GemmFactors factors = factors_of(own.study->instance);
  for (const ComparedVariant& other : set.variants) {
    if (!has_study(other) || other.study->instance.id != own.study->instance.id) continue;
    const GemmFactors others = factors_of(other.study->instance);
    for (const char* name : {"alpha", "beta"}) {
      const double value = factor_of(factors, name);
      if (value != factor_of(others, name)) apart[name] = value;
    }
  }
  return apart;
}

// `own_gpus`: each has its own, on purpose: that sets no times apart.
ComparedKernel kernel_of(const ComparedVariant& variant, bool own_gpus) {
  ComparedKernel kernel;
  kernel.study = variant.study.get();
  if (variant.prepared) kernel.diagnosis = variant.prepared->diagnosis.get();
  if (variant.known) {
    kernel.known = Quantity{variant.known->seconds, Unit::kSeconds, variant.known->source};
    kernel.under = variant.known->under;
    if (own_gpus) kernel.under.gpu = kernel.under.driver = "";
  }
  if (own_gpus) return kernel;
  for (const KnownTime& time : variant.elsewhere) {
    kernel.elsewhere.emplace_back(time.under, Quantity{time.seconds, Unit::kSeconds, time.source});
  }
  return kernel;
}

}  // namespace

WorstAccesses worst_accesses(const KernelStudy& study, const PreparedStudy& prepared) {
  WorstAccesses worst;
  if (prepared.warps.empty()) return worst;
  const PreparedStudy::WarpAccesses& warp = prepared.warps.front();
  const BlockTrace& trace = *study.trace;
  std::vector<std::uint8_t> seen(study.program->instructions().size());
  const auto often = [&](std::uint32_t event) {
    std::uint8_t& times = seen[trace.events[event].instruction];
    if (times == kMostExecutions) return true;
    ++times;
    return false;
  };
  Worst load{&worst.load};
  Worst store{&worst.store};
  for (const std::uint32_t event : warp.global) {
    if (often(event)) continue;
    const WarpAccess access = trace.access(trace.events[event].access);
    const SectorCost cost = sector_cost(access);
    const bool loads = access.kind == AccessKind::kLoad || access.kind == AccessKind::kAsyncCopy;
    (loads ? load : store).look_at(event, cost.sectors - cost.ideal_sectors, cost.sectors);
  }
  std::ranges::fill(seen, std::uint8_t{0});
  Worst shared_load{&worst.shared_load};
  Worst shared_store{&worst.shared_store};
  for (const std::uint32_t event : warp.shared) {
    if (often(event)) continue;
    const SharedCost shared = shared_cost(study, event);
    (reads(shared.access.kind) ? shared_load : shared_store)
        .look_at(event, shared.cost.conflicts(), shared.cost.wavefronts);
  }
  return worst;
}

std::shared_ptr<const ComparedSet> compared_set(std::vector<ComparedVariant> variants,
                                                std::size_t active) {
  auto set = std::make_shared<ComparedSet>();
  std::vector<ComparedKernel> kernels;
  const bool own_gpus = gpus_differ(variants);
  for (ComparedVariant& variant : variants) {
    if (has_study(variant)) {
      if (!variant.prepared) variant.prepared = prepare(*variant.study);
      if (!variant.accesses) variant.accesses = worst_accesses(*variant.study, *variant.prepared);
      if (variant.name.empty()) variant.name = name_of_kernel(variant.study->instance);
    }
    kernels.push_back(kernel_of(variant, own_gpus));
  }
  set->comparison = compare(kernels);
  set->variants = std::move(variants);
  set->active = active;
  return set;
}

std::string letter_of(std::size_t variant) {
  return std::string(1, static_cast<char>('A' + static_cast<char>(variant)));
}

ColourRole colour_of_variant(std::size_t variant) {
  static constexpr std::array kColours{ColourRole::kFirst, ColourRole::kSecond, ColourRole::kThird,
                                       ColourRole::kFourth};
  return kColours[variant % kColours.size()];
}

bool gpus_differ(std::span<const ComparedVariant> variants) {
  const DeviceModel* first = nullptr;
  for (const ComparedVariant& variant : variants) {
    if (!has_study(variant) || variant.study->device == nullptr) continue;
    if (first != nullptr && first->name != variant.study->device->name) return true;
    first = variant.study->device.get();
  }
  return false;
}

std::string label_of(const ComparedSet& set, std::size_t variant) {
  const ComparedVariant& own = set.variants[variant];
  if (!has_study(own)) return own.name;
  ParameterSet apart;
  for (const ComparedVariant& other : set.variants) {
    if (!has_study(other) || other.study->instance.id != own.study->instance.id) continue;
    for (const auto& values : {&KernelInstance::parameters, &KernelInstance::extents}) {
      for (const auto& [name, value] : own.study->instance.*values) {
        const ParameterSet& others = other.study->instance.*values;
        const auto found = others.find(name);
        if (found == others.end() || found->second != value) apart[name] = value;
      }
    }
  }
  std::string name = own.name + (apart.empty() ? "" : ", ") + values_words(own.entry, apart);
  name = with_factors_text(std::move(name), factors_apart(set, own));
  if (own.study->device == nullptr || !gpus_differ(set.variants)) return name;
  return name + ", " + short_gpu(own.study->device->name);
}

std::size_t base_of(const ViewContext& context) {
  const std::vector<ComparedVariant>& variants = context.compared->variants;
  const auto wanted = static_cast<std::size_t>(std::max(context.settings.compare_base, 0));
  if (wanted < variants.size() && has_study(variants[wanted])) return wanted;
  const auto first = std::ranges::find_if(variants, has_study);
  return first == variants.end() ? 0 : static_cast<std::size_t>(first - variants.begin());
}

std::size_t subject_of(const ViewContext& context) {
  const ComparedSet& set = *context.compared;
  const std::size_t base = base_of(context);
  if (set.active != base && has_study(set.variants[set.active])) return set.active;
  std::size_t best = base;
  double most = -1;
  for (std::size_t i = 0; i < set.variants.size(); ++i) {
    if (i == base || !has_study(set.variants[i])) continue;
    const double speedup = set.comparison.pairs[base][i].speedup;
    if (speedup <= most) continue;
    most = speedup;
    best = i;
  }
  return best;
}

Selection selection_beside(const KernelStudy& from, const Selection& selection,
                           const KernelStudy& to) {
  Selection beside = selection;
  beside.event = same_share(from, selection.event, to, selection.warp);
  if (from.instance.file_name != to.instance.file_name) beside.line = 0;
  return beside;
}

void stand_together(ViewContext& context) {
  const std::vector<ComparedVariant>& variants = context.compared->variants;
  context.compared_at.resize(variants.size(), context.selection);
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (!has_study(variants[i])) continue;
    Selection& at = context.compared_at[i];
    const std::uint64_t block = at.block;
    at = variants[i].study.get() == context.study
             ? context.selection
             : selection_beside(*context.study, context.selection, *variants[i].study);
    at.block = block;
  }
}

bool is_hovered_line(const ViewContext& context, std::size_t variant, std::uint32_t line) {
  const std::vector<ComparedVariant>& variants = context.compared->variants;
  const auto owner = static_cast<std::size_t>(context.hovered_variant);
  if (line == 0 || context.hovered_line != line || context.hovered_variant < 0 ||
      owner >= variants.size() || !has_study(variants[owner]) || !has_study(variants[variant])) {
    return false;
  }
  return variants[owner].study->instance.file_name == variants[variant].study->instance.file_name;
}

ViewContext context_of_variant(const ViewContext& context, std::size_t variant) {
  const ComparedVariant& shown = context.compared->variants[variant];
  ViewContext own = context;
  own.study = shown.study.get();
  own.prepared = shown.prepared;
  own.entry = shown.entry;
  if (variant < context.compared_at.size()) own.selection = context.compared_at[variant];
  const auto events = static_cast<std::uint32_t>(shown.study->trace->events.size());
  own.selection.event = std::min(own.selection.event, events == 0 ? 0 : events - 1);
  if (context.hovered_lane >= 0) own.selection.lane = context.hovered_lane;
  if (!is_hovered_line(context, variant, context.hovered_line)) own.hovered_line = 0;
  if (variant != context.compared->active) {
    own.alternatives.reset();
    own.phases.reset();
    own.hardware.reset();
    own.roofline.reset();
    own.marks = {};
  }
  own.layouts.reset();  // nobody has asked for those of all variants
  own.compared.reset();
  own.compared_at.clear();
  return own;
}

namespace {

std::string dim_words(const char* name, const Dim3& dim) {
  return fmt::format("{} {} x {} x {}", name, dim.x, dim.y, dim.z);
}

// nullopt: no whole number.
std::optional<std::int64_t> whole_number(const Argument& argument) {
  if (argument.is_pointer) return std::nullopt;
  switch (argument.type) {
    case ElementType::kI32:
      return std::bit_cast<std::int32_t>(static_cast<std::uint32_t>(argument.bits));
    case ElementType::kU32:
      return static_cast<std::int64_t>(static_cast<std::uint32_t>(argument.bits));
    case ElementType::kI64:
    case ElementType::kU64:
      return std::bit_cast<std::int64_t>(argument.bits);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string size_words(const ComparedVariant& variant) {
  if (variant.study == nullptr) return {};
  const KernelInstance& instance = variant.study->instance;
  if (!instance.extents.empty()) return values_words(variant.entry, instance.extents);
  std::string words = dim_words("grid", instance.grid) + ", " + dim_words("block", instance.block);
  for (const Argument& argument : instance.arguments) {
    if (const auto number = whole_number(argument)) {
      words += fmt::format(", {} {}", argument.name, *number);
    }
  }
  return words;
}

bool sizes_differ(const ComparedSet& set) {
  const KernelInstance* first = nullptr;
  for (const ComparedVariant& variant : set.variants) {
    if (variant.study == nullptr) continue;
    const KernelInstance& instance = variant.study->instance;
    if (instance.extents.empty()) return true;
    if (first != nullptr && first->extents != instance.extents) return true;
    first = &instance;
  }
  return false;
}

std::string full_label_of(const ComparedSet& set, std::size_t variant) {
  const std::string label = label_of(set, variant);
  const std::string size = sizes_differ(set) ? size_words(set.variants[variant]) : std::string();
  return size.empty() || label.find(size) != std::string::npos ? label : label + ", " + size;
}

}  // namespace tilescope
