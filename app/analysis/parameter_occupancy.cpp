#include "analysis/parameter_occupancy.h"

#include <array>

#include "kernel/parameter_values.h"
#include "kernel/rule_book.h"

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

}  // namespace tilescope
