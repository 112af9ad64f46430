#include "kernel/launch/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/buffer_recipe.h"
#include "core/expression.h"
#include "core/number_text.h"
#include "core/result.h"
#include "core/text.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/gemm_factors.h"
#include "kernel/launch/parameter_space.h"
#include "kernel/launch/tensor_map.h"

namespace tilescope {
namespace {

Result<std::uint64_t> float_bits(ElementType type, double value) {
  const auto single = static_cast<float>(value);
  switch (type) {
    case ElementType::kF16:
      return std::uint64_t{to_half(single)};
    case ElementType::kBf16:
      return std::uint64_t{to_bfloat16(single)};
    case ElementType::kF32:
      return std::uint64_t{std::bit_cast<std::uint32_t>(single)};
    default:
      return std::bit_cast<std::uint64_t>(value);
  }
}

bool is_floating(ElementType type) {
  return type == ElementType::kF16 || type == ElementType::kBf16 || type == ElementType::kF32 ||
         type == ElementType::kF64;
}

bool is_signed(ElementType type) {
  return type == ElementType::kI8 || type == ElementType::kI16 || type == ElementType::kI32 ||
         type == ElementType::kI64;
}

Result<std::uint64_t> scalar_bits(const ArgumentTemplate& argument, const ParameterSet& names) {
  const std::string& text = argument.value;
  if (is_floating(argument.type)) {
    if (const auto number = parse_number<double>(text)) return float_bits(argument.type, *number);
  }
  const Result<std::int64_t> value = evaluate_expression(text, names);
  if (!value) return value.error();
  if (is_floating(argument.type)) {
    return float_bits(argument.type, static_cast<double>(*value));
  }
  const auto bits = static_cast<unsigned>(size_of(argument.type) * 8);
  const auto whole = static_cast<std::uint64_t>(*value);
  if (bits == 64) return whole;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  const bool fits =
      is_signed(argument.type) ? *value >= -half && *value < half : *value >= 0 && whole <= mask;
  if (!fits) {
    return Error{ErrorCode::kUsage,
                 fmt::format("the argument {} = {} does not fit its type {}", argument.name, *value,
                             name_of(argument.type)),
                 "",
                 {}};
  }
  return whole & mask;
}

Status fill_matrix(const ArgumentTemplate& from, const ParameterSet& names, Argument& into) {
  const Result<std::int64_t> rows = evaluate_expression(from.matrix.rows, names);
  const Result<std::int64_t> cols = evaluate_expression(from.matrix.cols, names);
  const Result<std::int64_t> leading = evaluate_expression(from.matrix.leading, names);
  for (const Result<std::int64_t>* part : {&rows, &cols, &leading}) {
    if (!*part) return part->error();
  }
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  if (*rows < 1 || *cols < 1 || *leading < *cols ||
      __builtin_mul_overflow(*rows, *leading, &count) ||
      __builtin_mul_overflow(count, static_cast<std::int64_t>(size_of(from.type)), &bytes)) {
    return Error{ErrorCode::kUsage,
                 fmt::format("the matrix {} cannot have {} x {} elements, {} from row to row",
                             from.name, *rows, *cols, *leading),
                 "Give other extents",
                 {}};
  }
  into.rows = static_cast<std::uint64_t>(*rows);
  into.cols = static_cast<std::uint64_t>(*cols);
  into.leading = static_cast<std::uint64_t>(*leading);
  into.buffer.count = static_cast<std::uint64_t>(count);
  return ok_status();
}

// The tensor map of a matrix that is filled in.
Status fill_tensor(const TensorTemplate& from, const ParameterSet& names, Argument& into) {
  const Result<std::int64_t> cols = evaluate_expression(from.box_cols, names);
  const Result<std::int64_t> rows = evaluate_expression(from.box_rows, names);
  const Result<std::int64_t> swizzle = evaluate_expression(from.swizzle_bytes, names);
  for (const Result<std::int64_t>* part : {&cols, &rows, &swizzle}) {
    if (!*part) return part->error();
  }
  const auto bounded = [](std::int64_t value) {  // what is larger is refused all the same
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, UINT16_MAX));
  };
  TensorShape shape;
  shape.rank = 2;
  shape.extent = {static_cast<std::uint32_t>(into.cols), static_cast<std::uint32_t>(into.rows), 1,
                  1, 1};
  shape.box = {bounded(*cols), bounded(*rows), 1, 1, 1};
  shape.swizzle_bytes = bounded(*swizzle);
  if (into.leading != into.cols || shape.elements() != into.buffer.count) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} gets a tensor map and must be a dense matrix", into.name),
                 "Leave out its leading extent",
                 {}};
  }
  into.tensor = shape;
  const Result<TensorMap> map = tensor_map_of(into, 0);
  return map ? ok_status() : Status(map.error());
}

// An argument of a catalogue entry with the numbers filled in; `names` holds parameters and
// extents. Errors (kUsage): a value that does not fit its type, a matrix with no or too many
// elements.
Result<Argument> make_argument(const ArgumentTemplate& from, const ParameterSet& names) {
  Argument argument;
  argument.name = from.name;
  argument.operand = from.buffer;
  argument.role = from.role;
  argument.type = from.type;
  argument.is_pointer = from.is_pointer;
  argument.written = from.written;
  if (from.is_pointer) {
    argument.accumulates = from.accumulates;
    argument.buffer = {
        .type = from.type, .count = 0, .fill = from.fill, .seed = from.seed, .path = ""};
    if (from.fill == Fill::kExpression) {
      const Result<Expression> expression = Expression::parse(from.expression);
      if (!expression) return expression.error();
      argument.buffer.expression = expression->text_with(names);
    }
    if (Status filled = fill_matrix(from, names, argument); !filled) return filled.error();
    if (from.tensor) {
      if (Status filled = fill_tensor(*from.tensor, names, argument); !filled)
        return filled.error();
    }
    return argument;
  }
  const Result<std::uint64_t> bits = scalar_bits(from, names);
  if (!bits) return bits.error();
  argument.bits = *bits;
  return argument;
}

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

// The reference of an instance: with the parameters that change the result, else its defaults.
Result<std::shared_ptr<const KernelInstance>> make_reference(const CatalogueEntry& reference,
                                                             const ParameterSet& parameters,
                                                             const ParameterSet& extents,
                                                             const DeviceModel& device) {
  ParameterSet shared;
  for (const std::string& name : reference.problem->parameters) {
    shared[name] = parameters.at(name);
  }
  Result<KernelInstance> made = instantiate(reference, shared, extents, device);
  if (!made) return std::move(made).error();
  return std::make_shared<const KernelInstance>(*std::move(made));
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
  if (!ways.empty()) text = fmt::format("Valid: {}. ", fmt::join(ways, "; or "));
  if (!changes.empty()) text += fmt::format("Nearest: {}", fmt::join(changes, " "));
  if (text.empty()) text = "No parameter values are valid here; choose another size or device";
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
  instance.arithmetic = entry.arithmetic;
  instance.file_name = entry.family + "/" + entry.source_file.filename().string();
  instance.source = entry.source;
  instance.kernel = entry.kernel;
  instance.problem = entry.problem;
  instance.reference = entry.reference;
  instance.parameters = *complete;
  instance.extents = extents;
  instance.include_directories = {entry.source_file.parent_path().string()};
  ParameterSet grid_names = names;  // a grid may fill the device
  grid_names.merge(device_limits(device));
  const Result<Dim3> grid = evaluate_dim3(entry.grid, grid_names);
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
  if (entry.reference_entry != nullptr) {
    auto reference = make_reference(*entry.reference_entry, *complete, extents, device);
    if (!reference) return std::move(reference).error();
    instance.reference_kernel = *std::move(reference);
  }
  return instance;
}

std::uint32_t parameter_bytes(const Argument& argument) {
  if (argument.tensor && argument.member) return kTensorMapBytes;
  return argument.is_pointer ? 8 : static_cast<std::uint32_t>(size_of(argument.type));
}

namespace {

// A problem's expression; 0 where it has no value.
double value_of(const std::string& expression, const ParameterSet& names) {
  if (expression.empty()) return 0;
  const Result<std::int64_t> value = evaluate_expression(expression, names);
  return value ? static_cast<double>(*value) : 0;
}

// The parameters and extents of an instance.
ParameterSet names_of(const KernelInstance& instance) {
  ParameterSet names = instance.parameters;
  names.insert(instance.extents.begin(), instance.extents.end());
  return names;
}

}  // namespace

std::string size_of(const KernelInstance& instance) {
  return instance.problem ? size_text(*instance.problem, instance.extents) : "";
}

bool accumulates(const KernelInstance& instance, const Argument& argument) {
  if (argument.accumulates.empty()) return false;
  return argument.accumulates == "always" ||
         scalar_argument(instance, argument.accumulates, 0.0F) != 0.0F;
}

ProblemCost problem_cost(const KernelInstance& instance) {
  ProblemCost cost;
  if (!instance.problem) return cost;
  const ProblemSpec& problem = **instance.problem;
  const ParameterSet names = names_of(instance);
  cost.flop = value_of(problem.flop, names);
  cost.bytes = value_of(problem.bytes, names);
  if (!problem.bytes.empty()) return cost;
  for (const Argument& argument : instance.arguments) {
    if (!argument.is_pointer) continue;
    const double bytes = static_cast<double>(argument.rows) * static_cast<double>(argument.cols) *
                         static_cast<double>(size_of(argument.type));
    cost.bytes += accumulates(instance, argument) ? 2 * bytes : bytes;
  }
  return cost;
}

ProblemCost problem_cost(const Problem& problem, const ParameterSet& extents) {
  ProblemCost cost{value_of(problem->flop, extents), value_of(problem->bytes, extents)};
  if (!problem->bytes.empty()) return cost;
  for (const ArgumentTemplate& buffer : problem->buffers) {
    cost.bytes += value_of(buffer.matrix.rows, extents) * value_of(buffer.matrix.cols, extents) *
                  static_cast<double>(size_of(buffer.type));
  }
  return cost;
}

double rounding_tolerance(const KernelInstance& instance) {
  if (!instance.problem) return 0;
  return 0x1p-24 * value_of((*instance.problem)->tolerance, names_of(instance));
}

namespace {

bool same_argument(const Argument& x, const Argument& y) {
  return x.buffer == y.buffer && x.bits == y.bits && x.member == y.member &&
         x.texture == y.texture && x.tensor == y.tensor &&
         std::ranges::equal(x.behind, y.behind, same_argument);
}

}  // namespace

bool same_instance(const KernelInstance& a, const KernelInstance& b) {
  return a.id == b.id && a.parameters == b.parameters && a.extents == b.extents &&
         a.source == b.source && a.kernel == b.kernel && a.grid == b.grid && a.block == b.block &&
         a.dynamic_shared_bytes == b.dynamic_shared_bytes &&
         std::ranges::equal(a.arguments, b.arguments, same_argument);
}

}  // namespace tilescope
