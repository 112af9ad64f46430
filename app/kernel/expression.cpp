#include "kernel/expression.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilescope {

struct Expression::Evaluation {
  std::span<const std::int64_t> values;
  const char* problem = nullptr;  // the first one; the value is then meaningless
  std::uint32_t column = 0;

  std::int64_t fail(const char* what, std::uint32_t at) {
    if (problem == nullptr) {
      problem = what;
      column = at;
    }
    return 0;
  }
};

std::int64_t Expression::arithmetic(const Node& node, std::int64_t a, std::int64_t b,
                                    Evaluation& evaluation) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (node.op) {
    case Operator::kNegate:
      overflow = __builtin_sub_overflow(0, a, &result);
      break;
    case Operator::kNot:
      return a == 0 ? 1 : 0;
    case Operator::kMultiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case Operator::kAdd:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Operator::kSubtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Operator::kLess:
      return a < b ? 1 : 0;
    case Operator::kLessEqual:
      return a <= b ? 1 : 0;
    case Operator::kGreater:
      return a > b ? 1 : 0;
    case Operator::kGreaterEqual:
      return a >= b ? 1 : 0;
    case Operator::kEqual:
      return a == b ? 1 : 0;
    case Operator::kNotEqual:
      return a != b ? 1 : 0;
    case Operator::kMin:
      return std::min(a, b);
    case Operator::kMax:
      return std::max(a, b);
    case Operator::kDivide:
    case Operator::kRemainder:
    case Operator::kCeilDiv: {
      if (b == 0) return evaluation.fail("division by zero", node.column);
      std::int64_t unused = 0;
      overflow = b == -1 && __builtin_sub_overflow(0, a, &unused);
      if (overflow) break;
      if (node.op == Operator::kRemainder) return a % b;
      const bool up = node.op == Operator::kCeilDiv && a % b != 0 && (a < 0) == (b < 0);
      return a / b + (up ? 1 : 0);
    }
    default:
      break;
  }
  return overflow ? evaluation.fail("the result is too large", node.column) : result;
}

// Depth is bounded by the parser: left-leaning chains are as long as the text at most.
std::int64_t Expression::value_of(std::uint32_t index, Evaluation& evaluation) const {
  const Node& node = nodes_[index];
  switch (node.op) {
    case Operator::kNumber:
      return node.number;
    case Operator::kVariable:
      return evaluation.values[static_cast<std::size_t>(node.number)];
    case Operator::kAnd:
      if (value_of(node.operand[0], evaluation) == 0) return 0;
      return value_of(node.operand[1], evaluation) != 0 ? 1 : 0;
    case Operator::kOr:
      if (value_of(node.operand[0], evaluation) != 0) return 1;
      return value_of(node.operand[1], evaluation) != 0 ? 1 : 0;
    case Operator::kSelect:
      return value_of(node.operand[value_of(node.operand[0], evaluation) != 0 ? 1 : 2], evaluation);
    case Operator::kNegate:
    case Operator::kNot: {
      return arithmetic(node, value_of(node.operand[0], evaluation), 0, evaluation);
    }
    default: {
      const std::int64_t a = value_of(node.operand[0], evaluation);
      const std::int64_t b = value_of(node.operand[1], evaluation);
      if (evaluation.problem != nullptr) return 0;
      return arithmetic(node, a, b, evaluation);
    }
  }
}

Result<std::int64_t> Expression::evaluate(std::span<const std::int64_t> values) const {
  Evaluation evaluation{.values = values};
  const std::int64_t value = value_of(static_cast<std::uint32_t>(nodes_.size() - 1), evaluation);
  if (evaluation.problem != nullptr) return failure(evaluation.problem, evaluation.column);
  return value;
}

Result<std::int64_t> Expression::evaluate(const ParameterSet& values) const {
  std::vector<std::int64_t> found;
  found.reserve(variables_.size());
  for (const std::string& name : variables_) {
    const auto value = values.find(name);
    if (value == values.end()) {
      const auto node = std::ranges::find_if(nodes_, [&](const Node& candidate) {
        return candidate.op == Operator::kVariable &&
               variables_[static_cast<std::size_t>(candidate.number)] == name;
      });
      return failure(fmt::format("{} has no value", name), node->column);
    }
    found.push_back(value->second);
  }
  return evaluate(found);
}

std::optional<std::int64_t> Expression::value(std::span<const std::int64_t> values) const {
  Evaluation evaluation{.values = values};
  const std::int64_t value = value_of(static_cast<std::uint32_t>(nodes_.size() - 1), evaluation);
  if (evaluation.problem != nullptr) return std::nullopt;
  return value;
}

Error Expression::failure(std::string_view what, std::uint32_t column) const {
  const std::string shown = text_.size() <= 120 ? text_ : text_.substr(0, 117) + "...";
  return {ErrorCode::kUsage,
          fmt::format("{} at column {} of \"{}\"", what, column, shown),
          "",
          {"", 0, static_cast<int>(column)}};
}

Result<std::int64_t> evaluate_expression(std::string_view text, const ParameterSet& values) {
  const Result<Expression> expression = Expression::parse(text);
  if (!expression) return expression.error();
  return expression->evaluate(values);
}

}  // namespace tilescope
