#include "scene/banks/layout_variants.h"

#include <algorithm>
#include <utility>

#include "analysis/memory/launch_memory.h"
#include "emulator/block/block_trace.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/gemm_factors.h"
#include "scene/model/shared_layout.h"

namespace tilescope {
namespace {

ParameterSet others_of(const ParameterSet& parameters) {
  ParameterSet others = parameters;
  const std::string* pad = pad_parameter(parameters);
  const std::string* swizzle = swizzle_parameter(parameters);
  if (pad != nullptr) others.erase(*pad);
  if (swizzle != nullptr) others.erase(*swizzle);
  return others;
}

bool touches_shared(const KernelStudy& study, const TraceEvent& event) {
  if (event.access == kNoAccess) return false;
  return study.program->instructions()[event.instruction].access == AccessKind::kAsyncCopy ||
         study.trace->access(event.access).space == MemorySpace::kShared;
}

LayoutVariant::Line line_of(const KernelStudy& study, const TraceEvent& event) {
  const StaticInstruction& instruction = study.program->instructions()[event.instruction];
  return {event.warp, instruction.outermost.file, instruction.outermost.line, instruction.access};
}

void count(const KernelStudy& study, LayoutVariant* variant) {
  for (const std::uint32_t index : study.timeline->memory_events) {
    const TraceEvent& event = study.trace->events[index];
    if (!touches_shared(study, event)) continue;
    const WavefrontCost cost = shared_cost(study, index).cost;
    const LayoutVariant::Cost kept{static_cast<std::uint16_t>(cost.wavefronts),
                                   static_cast<std::uint16_t>(cost.ideal_wavefronts)};
    const LayoutVariant::Line line = line_of(study, event);
    if (variant->costs.empty() || kept.conflicts() > variant->worst.conflicts()) {
      variant->worst = kept;
      variant->worst_line = std::get<2>(line);
    }
    variant->costs[line].push_back(kept);
  }
}

std::vector<std::int64_t> values_offered(const CatalogueEntry& entry, const std::string* name) {
  if (name == nullptr) return {0};
  const auto spec = std::ranges::find(entry.parameters, *name, &ParameterSpec::name);
  return spec == entry.parameters.end() ? std::vector<std::int64_t>{0} : spec->values;
}

// A padded row needs no exclusive or, so the two are never tried together.
std::vector<LayoutVariant> candidates(const CatalogueEntry& entry, const ParameterSet& now) {
  const std::string* pad = pad_parameter(now);
  const std::string* swizzle = swizzle_parameter(now);
  std::vector<LayoutVariant> all;
  const auto add = [&](std::int64_t pad_value, std::int64_t swizzle_value) {
    LayoutVariant variant;
    variant.pad = pad_value;
    variant.swizzled = swizzle_value != 0;
    if (pad != nullptr) variant.values[*pad] = pad_value;
    if (swizzle != nullptr) variant.values[*swizzle] = swizzle_value;
    all.push_back(std::move(variant));
  };
  for (const std::int64_t value : values_offered(entry, pad)) add(value, 0);
  for (const std::int64_t value : values_offered(entry, swizzle)) {
    if (value != 0) add(0, value);
  }
  return all;
}

ParameterSet with(const LayoutVariant& variant, ParameterSet parameters) {
  for (const auto& [name, value] : variant.values) parameters[name] = value;
  return parameters;
}

std::vector<LayoutVariant> legal_layouts(const CatalogueEntry& entry, const KernelStudy& study,
                                         const DeviceModel& device) {
  std::vector<LayoutVariant> all = candidates(entry, study.instance.parameters);
  std::erase_if(all, [&](const LayoutVariant& variant) {
    const ParameterSet parameters = with(variant, study.instance.parameters);
    return !check_rules(entry, parameters, study.instance.extents, device).empty();
  });
  return all;
}

Result<std::shared_ptr<const KernelStudy>> traced(const StudyRequest& request,
                                                  const std::stop_token& stop) {
  auto prepared = prepare_study(request, stop);
  if (!prepared) return prepared;
  auto study = std::make_shared<KernelStudy>(**prepared);
  DeviceMemory memory = writable_copy(study->instance, *study->memory);
  auto trace =
      trace_block(*study->program, study->launch, memory, request.block, request.most_events, stop);
  if (!trace) return std::move(trace).error();
  study->trace = std::make_shared<const BlockTrace>(*std::move(trace));
  study->timeline = std::make_shared<const Timeline>(timeline_of(*study->program, *study->trace));
  return std::shared_ptr<const KernelStudy>(std::move(study));
}

}  // namespace

const std::string* pad_parameter(const ParameterSet& parameters) {
  for (const auto& [name, value] : parameters) {
    if (name == "PAD" || name.ends_with("_PAD")) return &name;
  }
  return nullptr;
}

const std::string* swizzle_parameter(const ParameterSet& parameters) {
  for (const auto& [name, value] : parameters) {
    if (name == "SWIZZLE" || name == "XOR") return &name;
  }
  return nullptr;
}

AccessPlace place_of_access(const KernelStudy& study, std::uint32_t event,
                            const std::vector<std::uint32_t>& shared) {
  const LayoutVariant::Line line = line_of(study, study.trace->events[event]);
  AccessPlace place;
  std::tie(place.warp, place.file, place.line, place.kind) = line;
  for (const std::uint32_t other : shared) {
    if (line_of(study, study.trace->events[other]) != line) continue;
    if (other < event) ++place.nth;
    ++place.of;
  }
  return place;
}

std::optional<LayoutVariant::Cost> LayoutVariant::cost_at(const AccessPlace& place) const {
  const auto found = costs.find({place.warp, place.file, place.line, place.kind});
  if (found == costs.end() || found->second.size() != place.of) return std::nullopt;
  return found->second[place.nth];
}

bool LayoutVariants::belong_to(const KernelStudy& study) const {
  return id == study.instance.id && extents == study.instance.extents &&
         others == others_of(study.instance.parameters) &&
         block == flatten(study.trace->block, study.launch.grid);
}

bool has_layout_variants(const CatalogueEntry& entry, const KernelStudy& study) {
  const ParameterSet& now = study.instance.parameters;
  return entry.id == study.instance.id &&
         (pad_parameter(now) != nullptr || swizzle_parameter(now) != nullptr);
}

Result<LayoutVariants> layout_variants(const CatalogueEntry& entry, const KernelStudy& study,
                                       const DeviceModel& device, InputCache* inputs,
                                       std::stop_token stop) {
  LayoutVariants variants;
  const KernelInstance& present = study.instance;
  variants.id = present.id;
  variants.others = others_of(present.parameters);
  variants.extents = present.extents;
  variants.block = flatten(study.trace->block, study.launch.grid);
  if (!has_layout_variants(entry, study)) return variants;
  variants.layouts = legal_layouts(entry, study, device);
  for (LayoutVariant& variant : variants.layouts) {
    const ParameterSet parameters = with(variant, present.parameters);
    if (parameters == present.parameters) {
      count(study, &variant);
      continue;
    }
    auto instance = instantiate(entry, parameters, present.extents, factors_of(present), device);
    if (!instance) return instance.error();
    StudyRequest request;
    request.instance = *std::move(instance);
    request.inputs = inputs;
    request.compute_capability = device.compute_capability;
    request.block = variants.block;
    const auto other = traced(request, stop);
    if (!other) return other.error();
    count(**other, &variant);
  }
  return variants;
}

}  // namespace tilescope
