#include "core/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

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
    case Operator::kInvertBits:
      return ~a;
    case Operator::kBitAnd:
      return a & b;
    case Operator::kBitXor:
      return a ^ b;
    case Operator::kBitOr:
      return a | b;
    case Operator::kMultiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case Operator::kAdd:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Operator::kSubtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Operator::kShiftLeft:
    case Operator::kShiftRight:
      if (b < 0 || b > 62)
        return evaluation.fail("a shift by less than 0 or more than 62", node.column);
      if (node.op == Operator::kShiftRight) return a >> b;
      overflow = __builtin_mul_overflow(a, std::int64_t{1} << b, &result);
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
    case Operator::kNot:
    case Operator::kInvertBits: {
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

namespace {

constexpr int kDeepest = 64;            // parentheses and unary operators within each other
constexpr std::size_t kLongest = 4096;  // characters

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// -1: it is none of that base.
int digit_of(char c, int base) {
  const int digit = is_digit(c)            ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : base;
  return digit < base ? digit : -1;
}
bool is_name_start(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

}  // namespace

// Recursive descent over the text; precedence climbing for the binary operators.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) { expression_.text_ = text; }

  Result<Expression> run() {
    if (text().size() > kLongest) {
      return expression_.failure(fmt::format("longer than {} characters", kLongest), 1);
    }
    select();
    skip_spaces();
    if (problem_.empty() && position_ < text().size()) {
      fail(fmt::format("unexpected '{}'", text()[position_]));
    }
    if (!problem_.empty()) return expression_.failure(problem_, column_);
    return std::move(expression_);
  }

 private:
  using Operator = Expression::Operator;
  using Node = Expression::Node;
  struct BinaryOperator {
    std::string_view text;
    Operator op;
    int precedence;
  };
  // Two-character operators first, so that "<=" is not read as "<".
  static constexpr std::array<BinaryOperator, 18> kBinary = {{
      {"||", Operator::kOr, 1},
      {"&&", Operator::kAnd, 2},
      {"==", Operator::kEqual, 6},
      {"!=", Operator::kNotEqual, 6},
      {"<<", Operator::kShiftLeft, 8},
      {">>", Operator::kShiftRight, 8},
      {"<=", Operator::kLessEqual, 7},
      {">=", Operator::kGreaterEqual, 7},
      {"|", Operator::kBitOr, 3},
      {"^", Operator::kBitXor, 4},
      {"&", Operator::kBitAnd, 5},
      {"<", Operator::kLess, 7},
      {">", Operator::kGreater, 7},
      {"+", Operator::kAdd, 9},
      {"-", Operator::kSubtract, 9},
      {"*", Operator::kMultiply, 10},
      {"/", Operator::kDivide, 10},
      {"%", Operator::kRemainder, 10},
  }};

  std::uint32_t select() {
    const std::uint32_t condition = binary(1);
    const std::uint32_t column = next_column();
    if (!accept("?")) return condition;
    if (!enter()) return 0;
    const std::uint32_t yes = select();
    expect(":");
    const std::uint32_t no = select();
    --depth_;
    return add({.op = Operator::kSelect, .column = column, .operand = {condition, yes, no}});
  }

  std::uint32_t binary(int lowest) {
    std::uint32_t left = unary();
    while (problem_.empty()) {
      const std::uint32_t column = next_column();
      const auto found = std::ranges::find_if(kBinary, [&](const BinaryOperator& candidate) {
        return text().substr(position_).starts_with(candidate.text);
      });
      if (found == kBinary.end() || found->precedence < lowest) break;
      position_ += found->text.size();
      const std::uint32_t right = binary(found->precedence + 1);
      left = add({.op = found->op, .column = column, .operand = {left, right, 0}});
    }
    return left;
  }

  std::uint32_t unary() {
    const std::uint32_t column = next_column();
    std::optional<Operator> op;
    if (accept("-")) {
      op = Operator::kNegate;
    } else if (accept("~")) {
      op = Operator::kInvertBits;
    } else if (!text().substr(position_).starts_with("!=") && accept("!")) {
      op = Operator::kNot;
    } else if (!accept("+")) {
      return primary();
    }
    if (!enter()) return 0;
    const std::uint32_t operand = unary();
    --depth_;
    return op ? add({.op = *op, .column = column, .operand = {operand, 0, 0}}) : operand;
  }

  std::uint32_t primary() {
    const std::uint32_t column = next_column();
    if (accept("(")) {
      if (!enter()) return 0;
      const std::uint32_t inner = select();
      --depth_;
      expect(")");
      return inner;
    }
    if (position_ < text().size() && is_digit(text()[position_])) return number(column);
    if (position_ < text().size() && is_name_start(text()[position_])) return name(column);
    fail(position_ < text().size() ? fmt::format("unexpected '{}'", text()[position_])
                                   : std::string("something is missing at the end"));
    return 0;
  }

  std::uint32_t number(std::uint32_t column) {
    const std::string_view start = text().substr(position_);
    const bool is_hex = start.size() > 2 && (start.starts_with("0x") || start.starts_with("0X")) &&
                        digit_of(start[2], 16) >= 0;
    const int base = is_hex ? 16 : 10;
    if (is_hex) position_ += 2;
    std::int64_t value = 0;
    for (; position_ < text().size() && digit_of(text()[position_], base) >= 0; ++position_) {
      if (__builtin_mul_overflow(value, base, &value) ||
          __builtin_add_overflow(value, digit_of(text()[position_], base), &value)) {
        position_ = column - 1;
        fail("the number is too large");
        return 0;
      }
    }
    // 1e4: a whole number, as host code writes sizes.
    const auto is_at = [&](std::size_t at, auto is) {
      return at < text().size() && is(text()[at]);
    };
    const auto is_exponent = [](char c) { return c == 'e' || c == 'E'; };
    if (!is_hex && is_at(position_, is_exponent) && is_at(position_ + 1, is_digit)) {
      constexpr int kMostZeros = 18;
      int zeros = 0;
      for (++position_; is_at(position_, is_digit); ++position_)
        zeros = std::min(zeros * 10 + digit_of(text()[position_], 10), kMostZeros + 1);
      for (int i = 0; i < zeros; ++i) {
        if (!__builtin_mul_overflow(value, 10, &value)) continue;
        position_ = column - 1;
        fail("the number is too large");
        return 0;
      }
    }
    // 16u, 4096ULL: what C's numbers end with; all are 64 bits wide here.
    constexpr std::string_view kSuffixes = "uUlL";
    while (position_ < text().size() && kSuffixes.find(text()[position_]) != kSuffixes.npos) {
      ++position_;
    }
    return add({.op = Operator::kNumber, .column = column, .number = value});
  }

  std::uint32_t name(std::uint32_t column) {
    const std::size_t first = position_;
    while (position_ < text().size() &&
           (is_name_start(text()[position_]) || is_digit(text()[position_]))) {
      ++position_;
    }
    const std::string_view name = text().substr(first, position_ - first);
    skip_spaces();
    if (position_ < text().size() && text()[position_] == '(') return call(name, column);

    std::vector<std::string>& names = expression_.variables_;
    const auto found = std::ranges::find(names, name);
    const std::int64_t index = found - names.begin();
    if (found == names.end()) names.emplace_back(name);
    return add({.op = Operator::kVariable, .column = column, .number = index});
  }

  std::uint32_t call(std::string_view function, std::uint32_t column) {
    const Operator op = function == "min"        ? Operator::kMin
                        : function == "max"      ? Operator::kMax
                        : function == "ceil_div" ? Operator::kCeilDiv
                                                 : Operator::kNumber;
    if (op == Operator::kNumber) {
      position_ = column - 1;
      fail(fmt::format("there is no function {}: it is min, max or ceil_div", function));
      return 0;
    }
    expect("(");
    if (!enter()) return 0;
    const std::uint32_t a = select();
    expect(",");
    const std::uint32_t b = select();
    --depth_;
    expect(")");
    return add({.op = op, .column = column, .operand = {a, b, 0}});
  }

  std::uint32_t add(const Node& node) {
    expression_.nodes_.push_back(node);
    return static_cast<std::uint32_t>(expression_.nodes_.size() - 1);
  }

  bool enter() {
    if (++depth_ > kDeepest) fail("nested too deeply");
    return problem_.empty();
  }

  void expect(std::string_view token) {
    if (accept(token)) return;
    fail(position_ < text().size()
             ? fmt::format("'{}' expected, not '{}'", token, text()[position_])
             : fmt::format("'{}' is missing at the end", token));
  }

  bool accept(std::string_view token) {
    skip_spaces();
    if (!problem_.empty() || !text().substr(position_).starts_with(token)) return false;
    position_ += token.size();
    return true;
  }

  void skip_spaces() {
    while (position_ < text().size() && (text()[position_] == ' ' || text()[position_] == '\t')) {
      ++position_;
    }
  }

  std::uint32_t next_column() {
    skip_spaces();
    return static_cast<std::uint32_t>(position_ + 1);
  }

  void fail(std::string what) {  // the first problem stands
    if (!problem_.empty()) return;
    column_ = next_column();
    problem_ = std::move(what);
  }

  [[nodiscard]] std::string_view text() const { return expression_.text_; }

  Expression expression_;
  std::size_t position_ = 0;
  int depth_ = 0;
  std::string problem_;
  std::uint32_t column_ = 0;
};

Result<Expression> Expression::parse(std::string_view text) { return ExpressionParser(text).run(); }

std::string Expression::text_with(const ParameterSet& values) const {
  std::string text;
  for (std::size_t at = 0; at < text_.size();) {
    if (!is_name_start(text_[at]) && !is_digit(text_[at])) {
      text += text_[at++];
      continue;
    }
    const std::size_t first = at;
    while (at < text_.size() && (is_name_start(text_[at]) || is_digit(text_[at]))) ++at;
    const std::string word = text_.substr(first, at - first);
    const std::size_t after = text_.find_first_not_of(' ', at);
    const bool is_function = after != std::string::npos && text_[after] == '(';
    const auto value = is_function ? values.end() : values.find(word);
    text += value == values.end() ? word : fmt::format("({})", value->second);
  }
  return text;
}

}  // namespace tilescope
