// What makes a changed parameter's first point come soon: the part of the workbench that compiles
// for the GPU beside the study, and ahead of the person.
#include <algorithm>
#include <utility>

#include "core/inbox.h"
#include "kernel/legal_search.h"
#include "kernel/parameter_values.h"
#include "kernel/rule_book.h"
#include "session/variant_instance.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

struct Workbench::Cubins {
  struct Cubin {
    int variant = 0;
    std::uint64_t request = 0;
    std::shared_ptr<const KernelInstance> instance;
    std::shared_ptr<const CompiledKernel> compiled;
  };
  Inbox<Cubin> arrived;
};

std::shared_ptr<Workbench::Cubins> Workbench::make_cubins() { return std::make_shared<Cubins>(); }

// The study traces first and compiles for the GPU after; a measurement does not wait for that.
void Workbench::request_cubin(int index, const KernelInstance& instance) {
  const std::string tag = "cubin " + std::to_string(index);
  pool_.cancel(tag);
  const auto device = gpu_->device();
  const Variant& variant = variants_[static_cast<std::size_t>(index)];
  if (!settings_.measure || !device || !device->ok() || !variant.not_here.empty()) return;
  const std::uint64_t request = variant.request;
  pool_.submit(tag, [index, request, cubins = cubins_,
                     instance = std::make_shared<const KernelInstance>(instance),
                     capability = device_model_->compute_capability](const std::stop_token& stop) {
    auto compiled = compile({*instance, capability, true}, stop);
    if (!compiled || !compiled->can_be_loaded()) return;  // the study says what is wrong
    cubins->arrived.put(
        {index, request, instance, std::make_shared<const CompiledKernel>(*std::move(compiled))});
  });
}

void Workbench::take_cubins() {
  for (Cubins::Cubin& cubin : cubins_->arrived.take()) {
    const Variant* variant = waiting_for(cubin.variant, cubin.request);
    if (variant == nullptr || variant->measure_request == cubin.request) continue;
    if (!may_run(*cubin.instance, *cubin.compiled)) continue;
    measure(cubin.variant, std::move(cubin.instance), std::move(cubin.compiled));
  }
}

void Workbench::look_ahead(const std::string& parameter) {
  const Variant& variant = active();
  if (variant.entry == nullptr) return;
  const DeviceModel& device = device_model(variant);
  AheadOf of{variant.entry,   variant.edited, variant.parameters,
             variant.extents, parameter,      &device};
  if (of == ahead_of_) return;
  ahead_of_ = std::move(of);
  const CatalogueEntry& entry = *variant.entry;
  const auto spec = std::ranges::find(entry.parameters, parameter, &ParameterSpec::name);
  const auto present = variant.parameters.find(parameter);
  if (spec == entry.parameters.end() || present == variant.parameters.end()) return;
  auto rules = RuleBook::make(entry, variant.extents, device);
  if (!rules) return;
  const std::vector<std::int64_t> values = values_of(entry, variant.parameters);
  CompileAhead::Plan plan{.parameter = parameter,
                          .variants = {},
                          .present = present->second,
                          .compute_capability = device.compute_capability};
  const auto which = static_cast<std::size_t>(spec - entry.parameters.begin());
  VariantDocument other = document_of(variant);
  for (const std::int64_t value : legal_values(entry, *rules, values, which)) {
    other.parameters[parameter] = value;
    auto instance = instance_of(other, catalogue_, device);
    if (instance) plan.variants.push_back({value, *std::move(instance)});
  }
  ahead_.follow(std::move(plan));
}

bool Workbench::compiled_ahead(const std::string& parameter, std::int64_t value) const {
  const Variant& variant = active();
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
