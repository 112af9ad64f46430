#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace tilescope {

// Values of macros (TILE_M ...) or of a problem's extents (M, N, K; ROWS, COLS), by name.
using ParameterSet = std::map<std::string, std::int64_t>;

// An integer expression: a rule of a catalogue entry, a launch extent, what a buffer's elements
// hold. Grammar, by rising precedence, as in C: ?: || && | ^ & ==,!= <,<=,>,>= <<,>> +,- *,/,%
// unary -,+,!,~ and numbers (also 0x3f), names, parentheses, min(a, b), max(a, b), ceil_div(a, b).
// Values are 64 bits wide;
// && || ?: leave out what they do not need, so "X == 0 || Y % X == 0" is safe.
class Expression {
 public:
  // kUsage with the column of the first character that cannot be understood.
  [[nodiscard]] static Result<Expression> parse(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  // Every name that occurs, once, in order of first appearance.
  [[nodiscard]] const std::vector<std::string>& variables() const { return variables_; }

  // Its text with the values of these names in their places; other names stay.
  [[nodiscard]] std::string text_with(const ParameterSet& values) const;

  // kUsage with the column: a name without a value, division by zero, overflow.
  [[nodiscard]] Result<std::int64_t> evaluate(const ParameterSet& values) const;

  // The same with values[i] for variables()[i].
  [[nodiscard]] Result<std::int64_t> evaluate(std::span<const std::int64_t> values) const;

  // The same for searches: nothing where evaluate() fails; never allocates.
  [[nodiscard]] std::optional<std::int64_t> value(std::span<const std::int64_t> values) const;

 private:
  friend class ExpressionParser;
  enum class Operator : std::uint8_t {
    kNumber,
    kVariable,
    kNegate,
    kNot,
    kInvertBits,
    kBitAnd,
    kBitXor,
    kBitOr,
    kMultiply,
    kDivide,
    kRemainder,
    kAdd,
    kSubtract,
    kShiftLeft,
    kShiftRight,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kEqual,
    kNotEqual,
    kAnd,
    kOr,
    kSelect,
    kMin,
    kMax,
    kCeilDiv,
  };
  struct Node {
    Operator op = Operator::kNumber;
    std::uint32_t column = 0;       // 1-based, of the operator
    std::int64_t number = 0;        // kNumber: value; kVariable: index in variables_
    std::uint32_t operand[3] = {};  // indices of earlier nodes
  };
  struct Evaluation;
  std::int64_t value_of(std::uint32_t index, Evaluation& evaluation) const;
  static std::int64_t arithmetic(const Node& node, std::int64_t a, std::int64_t b,
                                 Evaluation& evaluation);
  [[nodiscard]] Error failure(std::string_view what, std::uint32_t column) const;

  std::string text_;
  std::vector<std::string> variables_;
  std::vector<Node> nodes_;  // the last one is the whole
};

// Parses and evaluates in one go.
[[nodiscard]] Result<std::int64_t> evaluate_expression(std::string_view text,
                                                       const ParameterSet& values);

}  // namespace tilescope
