#include "analysis/study/parameter_occupancy.h"

#include <algorithm>
#include <array>

#include "analysis/occupancy/occupancy.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/parameter_space.h"

namespace tilescope {
namespace {

// The launch's expressions, understood once.
struct LaunchExpressions {
  std::vector<Expression> block;
  std::optional<Expression> dynamic_shared;
};

std::optional<LaunchExpressions> expressions_of(const CatalogueEntry& entry) {
  LaunchExpressions launch;
  for (const std::string& extent : entry.block) {
    auto parsed = Expression::parse(extent.empty() ? "1" : extent);
    if (!parsed) return std::nullopt;
    launch.block.push_back(*std::move(parsed));
  }
  if (!entry.dynamic_shared_bytes.empty()) {
    auto parsed = Expression::parse(entry.dynamic_shared_bytes);
    if (!parsed) return std::nullopt;
    launch.dynamic_shared = *std::move(parsed);
  }
  return launch;
}

// What a block asks for with these parameters; nullopt where that is not known.
std::optional<OccupancyRequest> demand(const ParameterOccupancyRequest& request,
                                       const LaunchExpressions& launch,
                                       const ParameterSet& parameters) {
  ParameterSet values = parameters;
  values.insert(request.instance.extents.begin(), request.instance.extents.end());
  OccupancyRequest block = request.present;
  std::int64_t threads = 1;
  for (const Expression& extent : launch.block) {
    const auto value = extent.evaluate(values);
    if (!value) return std::nullopt;
    threads *= *value;
  }
  block.threads_per_block = static_cast<int>(threads);
  if (launch.dynamic_shared) {
    const auto bytes = launch.dynamic_shared->evaluate(values);
    if (!bytes) return std::nullopt;
    block.dynamic_shared_bytes = static_cast<int>(*bytes);
  }
  const auto change = request.static_shared.change(parameters);
  if (!change) return std::nullopt;
  block.static_shared_bytes += static_cast<int>(*change);
  return block;
}

}  // namespace

std::vector<ParameterOccupancy> parameter_occupancies(const ParameterOccupancyRequest& request) {
  const auto launch = expressions_of(request.entry);
  auto rules = RuleBook::make(request.entry, request.instance.extents, request.device);
  if (!launch || !rules) return {};
  std::vector<std::int64_t> values = values_of(request.entry, request.instance.parameters);
  std::vector<ParameterOccupancy> strips;
  for (std::size_t i = 0; i < request.entry.parameters.size(); ++i) {
    const ParameterSpec& spec = request.entry.parameters[i];
    ParameterOccupancy strip{spec.name, {}};
    const std::int64_t present = values[i];
    for (const std::int64_t value : spec.values) {
      values[i] = value;
      ValueOccupancy each{value, value == present, rules->legal(values), {}, {}};
      ParameterSet parameters = request.instance.parameters;
      parameters[spec.name] = value;
      const auto block = each.legal ? demand(request, *launch, parameters) : std::nullopt;
      if (block) {
        each.request = *block;
        if (const auto fitting = occupancy(request.device, *block)) each.occupancy = *fitting;
      }
      strip.values.push_back(each);
    }
    values[i] = present;
    strips.push_back(std::move(strip));
  }
  return strips;
}

std::string rule_against(const DeviceModel& device, const CatalogueEntry& entry,
                         const KernelInstance& instance) {
  auto rules = RuleBook::make(entry, instance.extents, device);
  if (!rules) return {};
  const auto broken = rules->broken(values_of(entry, instance.parameters));
  return broken.empty() ? std::string() : broken.front().message;
}

namespace {

OccupancyRequest with_value(OccupancyRequest request, OccupancyAxis axis, int value) {
  switch (axis) {
    case OccupancyAxis::kBlockSize:
      request.threads_per_block = value;
      break;
    case OccupancyAxis::kRegisters:
      request.registers_per_thread = value;
      break;
    case OccupancyAxis::kSharedMemory:
      request.static_shared_bytes = 0;
      request.dynamic_shared_bytes = value;
      break;
  }
  return request;
}

struct Range {
  int first = 0;
  int last = 0;
};
Range range_of(const DeviceModel& device, OccupancyAxis axis) {
  switch (axis) {
    case OccupancyAxis::kBlockSize:
      return {1, device.max_threads_per_block};
    case OccupancyAxis::kRegisters:
      return {1, max_registers_per_thread(device)};
    case OccupancyAxis::kSharedMemory:
      return {0, device.shared_bytes_per_block_optin};
  }
  return {};
}

}  // namespace

std::vector<OccupancyStep> occupancy_steps(const DeviceModel& device,
                                           const OccupancyRequest& request, OccupancyAxis axis) {
  const auto at = [&](int value) -> std::optional<OccupancyStep> {
    const auto fitting = occupancy(device, with_value(request, axis, value));
    if (!fitting) return std::nullopt;
    return OccupancyStep{value, value, fitting->blocks_per_multiprocessor,
                         fitting->warps_per_multiprocessor, limits_of(*fitting)};
  };
  const auto alike = [](const OccupancyStep& a, const OccupancyStep& b) {
    return a.blocks == b.blocks && a.warps == b.warps && a.limits == b.limits;
  };
  std::vector<OccupancyStep> steps;
  const Range range = range_of(device, axis);
  // A block of more threads takes more warps, of more registers or bytes lets fewer blocks in: what
  // is alike lies together, so each step's end is found by halving.
  for (int first = range.first; first <= range.last;) {
    auto step = at(first);
    if (!step) return {};
    int inside = first;
    int outside = range.last + 1;
    while (outside - inside > 1) {
      const int middle = inside + (outside - inside) / 2;
      const auto there = at(middle);
      (there && alike(*step, *there) ? inside : outside) = middle;
    }
    step->last = inside;
    steps.push_back(*step);
    first = inside + 1;
  }
  return steps;
}

int axis_value(const OccupancyRequest& request, OccupancyAxis axis) {
  switch (axis) {
    case OccupancyAxis::kBlockSize:
      return request.threads_per_block;
    case OccupancyAxis::kRegisters:
      return request.registers_per_thread;
    case OccupancyAxis::kSharedMemory:
      return request.static_shared_bytes + request.dynamic_shared_bytes;
  }
  return 0;
}

std::optional<OccupancyStep> step_at(const std::vector<OccupancyStep>& steps, int value) {
  const auto found = std::ranges::find_if(steps, [value](const OccupancyStep& step) {
    return step.first <= value && value <= step.last;
  });
  if (found == steps.end()) return std::nullopt;
  return *found;
}

std::optional<StepUp> next_step_up(const std::vector<OccupancyStep>& steps, int value) {
  const auto present = step_at(steps, value);
  const int warps = present ? present->warps : 0;
  std::optional<StepUp> nearest;
  int distance = 0;
  for (const OccupancyStep& step : steps) {
    if (step.warps <= warps) continue;
    const int away = step.last < value ? value - step.last : step.first - value;
    if (nearest && away >= distance) continue;
    nearest = StepUp{step.last, step};
    distance = away;
  }
  return nearest;
}

}  // namespace tilescope
