#include "kernel/instance.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/argument.h"
#include "kernel/catalogue_entry.h"
#include "kernel/expression.h"
#include "kernel/gemm_factors.h"
#include "kernel/legal_search.h"
#include "kernel/parameter_values.h"
#include "kernel/rule_book.h"
#include "kernel/spelling.h"

namespace tilescope {
namespace {

std::vector<std::string> parameter_names(const CatalogueEntry& entry) {
  std::vector<std::string> names;
  for (const ParameterSpec& parameter : entry.parameters) names.push_back(parameter.name);
  return names;
}

// A launch's extents; the rules have bounded them.
Result<Dim3> evaluate_dim3(const std::string (&axes)[3], const ParameterSet& names) {
  std::uint32_t value[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    const Result<std::int64_t> result = evaluate_expression(axes[i], names);
    if (!result) return result.error();
    value[i] = static_cast<std::uint32_t>(*result);
  }
  return Dim3{value[0], value[1], value[2]};
}

// Names the problem's extents, each 1 or more.
Status check_extents(const CatalogueEntry& entry, const ParameterSet& extents) {
  const std::vector<std::string> names = extent_names(entry.problem);
  for (const std::string& name : names) {
    const auto found = extents.find(name);
    if (found == extents.end() || found->second < 1) {
      return Error{ErrorCode::kUsage, fmt::format("the extent {} must be 1 or more", name), "", {}};
    }
  }
  for (const auto& [name, value] : extents) {
    if (std::ranges::find(names, name) != names.end()) continue;
    return Error{ErrorCode::kUsage,
                 fmt::format("{} has no extent {}", entry.id, name),
                 did_you_mean(name, names),
                 {}};
  }
  return ok_status();
}

// What to do about a broken rule: legal values of its parameters, else the nearest legal set.
std::string remedy_for(const RuleViolation& violation, const ParameterSet& parameters) {
  std::vector<std::string> ways;
  for (const auto& [name, values] : violation.legal_values) {
    if (!values.empty()) ways.push_back(fmt::format("{} {}", name, fmt::join(values, ", ")));
  }
  std::vector<std::string> changes;
  for (const auto& [name, value] : violation.nearest_legal) {
    if (parameters.at(name) != value) changes.push_back(fmt::format("{}={}", name, value));
  }
  std::string text;
  if (!ways.empty()) text = fmt::format("Legal here: {}. ", fmt::join(ways, "; or "));
  if (!changes.empty()) text += fmt::format("Nearest: {}", fmt::join(changes, " "));
  if (text.empty())
    text = "No values of the parameters are legal here; give another size or device";
  return text;
}

}  // namespace

std::vector<RuleViolation> check_rules(const CatalogueEntry& entry, const ParameterSet& parameters,
                                       const ParameterSet& extents, const DeviceModel& device) {
  Result<RuleBook> book = RuleBook::make(entry, extents, device);
  if (!book) {
    RuleViolation violation;
    violation.message = book.error().message;
    return {violation};
  }
  const std::vector<std::int64_t> values = values_of(entry, parameters);
  std::vector<RuleViolation> violations;
  for (RuleBook::Broken& broken : book->broken(values)) {
    RuleViolation violation;
    violation.message = std::move(broken.message);
    for (std::size_t which : broken.parameters) {
      const std::string& name = entry.parameters[which].name;
      violation.parameters.push_back(name);
      violation.legal_values[name] = legal_values(entry, *book, values, which);
    }
    violations.push_back(std::move(violation));
  }
  if (violations.empty()) return violations;

  ParameterSet nearest;
  if (const auto found = nearest_legal(entry, *book, values)) {
    for (std::size_t i = 0; i < found->size(); ++i) nearest[entry.parameters[i].name] = (*found)[i];
  }
  for (RuleViolation& violation : violations) violation.nearest_legal = nearest;
  return violations;
}

Result<ParameterSet> complete_parameters(const CatalogueEntry& entry, const ParameterSet& changes) {
  ParameterSet complete = default_parameters(entry);
  for (const auto& [name, value] : changes) {
    const auto spec = std::ranges::find(entry.parameters, name, &ParameterSpec::name);
    if (spec == entry.parameters.end()) {
      return Error{ErrorCode::kUsage,
                   fmt::format("{} has no parameter {}", entry.id, name),
                   did_you_mean(name, parameter_names(entry)),
                   {}};
    }
    if (std::ranges::find(spec->values, value) == spec->values.end()) {
      return Error{ErrorCode::kUsage,
                   fmt::format("{} cannot be {}", name, value),
                   fmt::format("It is one of {}", fmt::join(spec->values, ", ")),
                   {}};
    }
    complete[name] = value;
  }
  return complete;
}

Result<KernelInstance> instantiate(const CatalogueEntry& entry, const ParameterSet& parameters,
                                   const ParameterSet& extents, const DeviceModel& device) {
  const Result<ParameterSet> complete = complete_parameters(entry, parameters);
  if (!complete) return complete.error();
  if (Status checked = check_extents(entry, extents); !checked) return checked.error();
  const std::vector<RuleViolation> violations = check_rules(entry, *complete, extents, device);
  if (!violations.empty()) {
    return Error{ErrorCode::kUsage,
                 violations.front().message,
                 remedy_for(violations.front(), *complete),
                 {}};
  }

  ParameterSet names = *complete;
  names.insert(extents.begin(), extents.end());
  KernelInstance instance;
  instance.id = entry.id;
  instance.title = entry.title;
  instance.file_name = entry.family + "/" + entry.source_file.filename().string();
  instance.source = entry.source;
  instance.kernel = entry.kernel;
  instance.problem = entry.problem;
  instance.reference = entry.reference;
  instance.parameters = *complete;
  instance.extents = extents;
  instance.include_directories = {entry.source_file.parent_path().string()};
  const Result<Dim3> grid = evaluate_dim3(entry.grid, names);
  const Result<Dim3> block = evaluate_dim3(entry.block, names);
  const Result<std::int64_t> shared = evaluate_expression(entry.dynamic_shared_bytes, names);
  if (!grid) return grid.error();
  if (!block) return block.error();
  if (!shared) return shared.error();
  instance.grid = *grid;
  instance.block = *block;
  instance.dynamic_shared_bytes = static_cast<std::uint32_t>(*shared);
  for (const ArgumentTemplate& argument : entry.arguments) {
    Result<Argument> made = make_argument(argument, names);
    if (!made) return std::move(made).error();
    instance.arguments.push_back(std::move(made).value());
  }
  return instance;
}

std::uint32_t parameter_bytes(const Argument& argument) {
  return argument.is_pointer ? 8 : static_cast<std::uint32_t>(size_of(argument.type));
}

bool multiplies_fp32(const KernelInstance& instance) {
  const auto a = std::ranges::find(instance.arguments, Role::kA, &Argument::role);
  return a != instance.arguments.end() && a->type == ElementType::kF32;
}

bool multiplies_fp32(const CatalogueEntry& entry) {
  const auto a = std::ranges::find(entry.arguments, Role::kA, &ArgumentTemplate::role);
  return a != entry.arguments.end() && a->type == ElementType::kF32;
}

ProblemCost problem_cost(const KernelInstance& instance) {
  ProblemCost cost;
  if (!instance.problem) return cost;
  if (*instance.problem == Problem::kGemm) {
    cost.flop = 2.0;
    for (const auto& [name, extent] : instance.extents) cost.flop *= static_cast<double>(extent);
  }
  const bool reads_c = scalar_argument(instance, "beta", 0.0F) != 0.0F;
  for (const Argument& argument : instance.arguments) {
    if (!argument.is_pointer) continue;
    const double bytes = static_cast<double>(argument.rows) * static_cast<double>(argument.cols) *
                         static_cast<double>(size_of(argument.type));
    cost.bytes += argument.role == Role::kC && reads_c ? 2 * bytes : bytes;
  }
  return cost;
}

}  // namespace tilescope
