#include "cli/run_points.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "cli/resources.h"

namespace tilescope {
namespace {

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  if (parts.empty()) parts.emplace_back();
  return parts;
}

// {"A=1,2", "B=3"} -> {{"A=1", "B=3"}, {"A=2", "B=3"}}
std::vector<std::vector<std::string>> combinations(const std::vector<std::string>& assignments) {
  std::vector<std::vector<std::string>> all = {{}};
  for (const std::string& assignment : assignments) {
    const std::size_t equals = std::min(assignment.find('='), assignment.size());
    const std::string name = assignment.substr(0, equals);
    std::vector<std::vector<std::string>> longer;
    for (const auto& one : all) {
      for (const std::string& value : split(assignment.substr(equals))) {
        longer.push_back(one);
        // The first value still has its '='.
        longer.back().push_back(value.starts_with('=') || value.empty() ? name + value
                                                                        : name + '=' + value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// The kernels that a name stands for: all of a family, or itself.
std::vector<std::string> kernels_of(const std::string& name, const Resources* resources) {
  std::vector<std::string> ids;
  if (resources != nullptr) {
    for (const CatalogueEntry& entry : resources->catalogue.entries) {
      if (entry.family == name || name == kAllKernels) ids.push_back(entry.id);
    }
  }
  if (ids.empty()) ids.push_back(name);
  return ids;
}

// The parameters as given, then each parameter's other values.
std::vector<std::vector<std::string>> each_offer(const CatalogueEntry& entry,
                                                 const std::vector<std::string>& given) {
  std::vector<std::vector<std::string>> sets = {given};
  for (const ParameterSpec& parameter : entry.parameters) {
    std::vector<std::string> others = given;
    std::int64_t present = parameter.default_value;
    std::erase_if(others, [&](const std::string& assignment) {
      if (!assignment.starts_with(parameter.name + '=')) return false;
      present = std::strtoll(assignment.c_str() + parameter.name.size() + 1, nullptr, 10);
      return true;
    });
    for (const std::int64_t value : parameter.values) {
      if (value == present) continue;
      sets.push_back(others);
      sets.back().push_back(parameter.name + '=' + std::to_string(value));
    }
  }
  return sets;
}

class Expansion {
 public:
  Expansion(const KernelArguments& arguments, bool each_value, const Resources* resources)
      : arguments_(arguments), each_value_(each_value), resources_(resources) {}

  [[nodiscard]] std::vector<KernelArguments> points() const {
    std::vector<KernelArguments> points;
    const std::vector<std::string> sizes = split(arguments_.size);
    for (const std::string& kernel : kernels_of(arguments_.kernel_or_file, resources_)) {
      for (std::size_t s = 0; s < sizes.size(); ++s) {
        for (const auto& parameters : parameter_sets(kernel, s == 0)) {
          KernelArguments point = arguments_;
          point.kernel_or_file = kernel;
          point.size = sizes[s];
          point.parameters = parameters;
          points.push_back(std::move(point));
        }
      }
    }
    return points;
  }

 private:
  [[nodiscard]] std::vector<std::vector<std::string>> parameter_sets(const std::string& kernel,
                                                                     bool first_size) const {
    const CatalogueEntry* entry =
        resources_ != nullptr ? resources_->catalogue.find(kernel) : nullptr;
    auto sets = combinations(arguments_.parameters);
    if (!each_value_ || !first_size || entry == nullptr) return sets;
    std::vector<std::vector<std::string>> all;
    for (const auto& set : sets) {
      for (auto& offer : each_offer(*entry, set)) all.push_back(std::move(offer));
    }
    return all;
  }

  const KernelArguments& arguments_;
  bool each_value_;
  const Resources* resources_;
};

}  // namespace

Result<RunPoints> expand_points(const KernelArguments& arguments, bool each_value,
                                int* compute_capability) {
  const Result<Resources> resources = load_resources();
  const auto wanted = Expansion(arguments, each_value, resources ? &*resources : nullptr).points();
  RunPoints points;
  points.single = wanted.size() == 1;
  for (const KernelArguments& point : wanted) {
    auto instance = resolve_instance(point, compute_capability);
    if (instance) {
      points.instances.push_back(*std::move(instance));
    } else {
      points.skipped.push_back(std::move(instance).error());
    }
  }
  if (points.instances.empty()) return points.skipped.front();
  return points;
}

}  // namespace tilescope
