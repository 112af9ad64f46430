#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/quantity.h"
#include "core/result.h"

namespace tilescope {

// A value that a lesson shows: a quantity with its mark, or a word.
struct LessonValue {
  double number = 0;
  Unit unit = Unit::kNone;
  std::optional<Source> source = {};  // absent: a setting or a fact of a datasheet
  std::string gpu = {};               // that it was measured on or is modelled for; empty: none
  std::string word = {};              // not empty: it is no number but this
};

// What an expression asks the program for: `launch.name("text of a source line")`.
struct LessonQuantity {
  std::string launch;  // empty: the one that the scene shows
  std::string name;
  std::string source_line;  // empty: the whole launch

  friend bool operator==(const LessonQuantity&, const LessonQuantity&) = default;
};
using LessonLookup = std::function<Result<LessonValue>(const LessonQuantity& quantity)>;

// Numbers, quantities, + - * /, parentheses, min(a, b), max(a, b), mod(a, b), floor(a), and as the
// outermost one comparison >= <= > < == != of numbers or words. Behind `as` stands how it is
// written: `as times`
// ("8 ×"), `as percent` (a share of 1), `as about` (two digits).
//
// Not core/expression.h: rules of a kernel are whole numbers without units; here a
// value has a unit and a mark, and a quotient takes both from its operands.
class LessonExpression {
 public:
  // kUsage with the column, from 1, of what cannot be understood.
  [[nodiscard]] static Result<LessonExpression> parse(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<LessonQuantity>& quantities() const { return quantities_; }
  [[nodiscard]] bool compares() const { return comparison_.has_value(); }

  // The error of `lookup`, or kUsage: units that do not go together, times of two GPUs, a division
  // by zero.
  [[nodiscard]] Result<LessonValue> evaluate(const LessonLookup& lookup) const;
  // As a reader sees it, without its mark: "32", "8 ×", "46.8 TFLOP/s".
  [[nodiscard]] std::string written(const LessonValue& value) const;

  // Whether the comparison holds. `left` and `right` come out as they are written.
  struct Compared {
    bool holds = false;
    std::string left;
    std::string right;
  };
  // Precondition: compares().
  [[nodiscard]] Result<Compared> compare(const LessonLookup& lookup) const;

 private:
  friend class LessonExpressionParser;
  enum class Operator : std::uint8_t {
    kNumber,
    kWord,
    kQuantity,
    kNegate,
    kFloor,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kRemainder,
    kMin,
    kMax,
  };
  enum class Written : std::uint8_t { kAsItIs, kTimes, kPercent, kAbout };
  enum class Comparison : std::uint8_t { kAtLeast, kAtMost, kMore, kLess, kEqual, kUnequal };
  struct Node {
    Operator op = Operator::kNumber;
    double number = 0;
    std::string word = {};
    std::size_t quantity = 0;
    std::size_t left = 0;  // indices of earlier nodes
    std::size_t right = 0;
  };
  [[nodiscard]] Result<LessonValue> value_of(std::size_t node, const LessonLookup& lookup) const;

  std::string text_;
  std::vector<Node> nodes_;
  std::vector<LessonQuantity> quantities_;
  std::size_t root_ = 0;
  std::size_t other_ = 0;  // right side of the comparison
  std::optional<Comparison> comparison_;
  Written written_ = Written::kAsItIs;
};

}  // namespace tilescope
