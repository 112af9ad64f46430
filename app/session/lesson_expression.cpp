#include "session/lesson_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace tilescope {
namespace {

constexpr double kEqual = 1e-9;  // relative: what differs less is the same number

Error wrong(std::string message, std::string remedy = {}) {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) {
  return begins_name(c) || std::isdigit(static_cast<unsigned char>(c));
}

// The least certain of what a result was made from is what it is.
int doubt_of(const std::optional<Source>& source) {
  if (!source) return 0;
  switch (*source) {
    case Source::kEmulated:
      return 1;
    case Source::kMeasured:
      return 2;
    case Source::kRecorded:
      return 3;
    case Source::kModelled:
      return 4;
  }
  return 0;
}

// The mark of what was made from both. An error: they were taken on different GPUs.
Status take_mark(const LessonValue& a, const LessonValue& b, LessonValue* result) {
  result->source = doubt_of(a.source) >= doubt_of(b.source) ? a.source : b.source;
  result->gpu = a.gpu.empty() ? b.gpu : a.gpu;
  if (!a.gpu.empty() && !b.gpu.empty() && a.gpu != b.gpu) {
    return wrong(fmt::format("it sets a time of {} against one of {}", a.gpu, b.gpu),
                 "Compare launches that were measured on the same GPU");
  }
  return ok_status();
}

std::optional<Unit> unit_of_quotient(Unit a, Unit b) {
  if (b == Unit::kNone) return a;
  if (a == b) return Unit::kNone;
  if (a == Unit::kBytes && b == Unit::kSeconds) return Unit::kBytesPerSecond;
  if (a == Unit::kBytes && b == Unit::kBytesPerSecond) return Unit::kSeconds;
  if (a == Unit::kNone && b == Unit::kSeconds) return Unit::kHertz;
  // Operations per byte have no symbol.
  if (a == Unit::kNone && b == Unit::kBytes) return Unit::kNone;
  if (a == Unit::kFlopPerSecond && b == Unit::kBytesPerSecond) return Unit::kNone;
  return std::nullopt;
}

std::optional<Unit> unit_of_product(Unit a, Unit b) {
  if (b == Unit::kNone) return a;
  if (a == Unit::kNone) return b;
  const auto is = [&](Unit one, Unit other) {
    return (a == one && b == other) || (a == other && b == one);
  };
  if (is(Unit::kBytesPerSecond, Unit::kSeconds)) return Unit::kBytes;
  if (is(Unit::kHertz, Unit::kSeconds)) return Unit::kNone;
  return std::nullopt;
}

std::string name_of_unit(Unit unit) {
  return unit == Unit::kNone ? "a plain number" : std::string(symbol_of(unit));
}

}  // namespace

// Recursive descent over the grammar of lesson_expression.h.
class LessonExpressionParser {
 public:
  explicit LessonExpressionParser(std::string_view text) : text_(text) { result_.text_ = text; }

  Result<LessonExpression> parse() && {
    if (text_.size() > kLongest) {
      return failure(fmt::format("it is longer than {} characters", kLongest));
    }
    auto left = sum();
    if (!left) return std::move(left).error();
    result_.root_ = *left;
    if (Status compared = comparison(); !compared) return std::move(compared).error();
    if (Status how = as_written(); !how) return std::move(how).error();
    skip_blanks();
    if (at_ < text_.size()) {
      return failure(fmt::format("'{}' is not expected here", text_.substr(at_)));
    }
    return std::move(result_);
  }

 private:
  using Operator = LessonExpression::Operator;
  using Node = LessonExpression::Node;

  [[nodiscard]] Error failure(std::string message, std::string remedy = {}) const {
    return {ErrorCode::kUsage,
            std::move(message),
            std::move(remedy),
            {"", 0, static_cast<int>(at_) + 1}};
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  std::string_view take_name() {
    skip_blanks();
    const std::size_t begin = at_;
    if (at_ < text_.size() && begins_name(text_[at_])) {
      while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  std::size_t add(Node node) {
    result_.nodes_.push_back(std::move(node));
    return result_.nodes_.size() - 1;
  }

  Status comparison() {
    using Comparison = LessonExpression::Comparison;
    static constexpr std::array<std::pair<std::string_view, Comparison>, 6> kSigns{{
        {">=", Comparison::kAtLeast},
        {"<=", Comparison::kAtMost},
        {"==", Comparison::kEqual},
        {"!=", Comparison::kUnequal},
        {">", Comparison::kMore},
        {"<", Comparison::kLess},
    }};
    for (const auto& [sign, meaning] : kSigns) {
      if (!take(sign)) continue;
      auto right = sum();
      if (!right) return std::move(right).error();
      result_.other_ = *right;
      result_.comparison_ = meaning;
      break;
    }
    return ok_status();
  }

  Status as_written() {
    using Written = LessonExpression::Written;
    const std::size_t before = at_;
    if (take_name() != "as") {
      at_ = before;
      return ok_status();
    }
    const std::string_view how = take_name();
    if (how == "times") {
      result_.written_ = Written::kTimes;
    } else if (how == "percent") {
      result_.written_ = Written::kPercent;
    } else if (how == "about") {
      result_.written_ = Written::kAbout;
    } else {
      return failure("'as' is followed by times, percent or about");
    }
    return ok_status();
  }

  Result<std::size_t> chain(Result<std::size_t> (LessonExpressionParser::*operand)(),
                            std::pair<std::string_view, Operator> first,
                            std::pair<std::string_view, Operator> second) {
    auto left = (this->*operand)();
    while (left) {
      const bool is_first = take(first.first);
      if (!is_first && !take(second.first)) return left;
      auto right = (this->*operand)();
      if (!right) return right;
      left = add({.op = is_first ? first.second : second.second, .left = *left, .right = *right});
    }
    return left;
  }
  Result<std::size_t> sum() {
    return chain(&LessonExpressionParser::product, {"+", Operator::kAdd},
                 {"-", Operator::kSubtract});
  }
  Result<std::size_t> product() {
    return chain(&LessonExpressionParser::factor, {"*", Operator::kMultiply},
                 {"/", Operator::kDivide});
  }

  Result<std::size_t> factor() {
    if (++depth_ > kDeepest) return failure("it is nested too deeply");
    auto result = shallow_factor();
    --depth_;
    return result;
  }
  Result<std::size_t> shallow_factor() {
    if (take("-")) {
      auto of = factor();
      return of ? Result<std::size_t>(add({.op = Operator::kNegate, .left = *of})) : of;
    }
    if (take("(")) {
      auto inner = sum();
      if (inner && !take(")")) return failure("')' is missing");
      return inner;
    }
    skip_blanks();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      return number();
    }
    if (at_ < text_.size() && text_[at_] == '"') {
      auto word = quoted();
      if (!word) return std::move(word).error();
      return add({.op = Operator::kWord, .word = *std::move(word)});
    }
    return named();
  }

  Result<std::size_t> number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (problem != std::errc()) return failure("this is no number");
    at_ += static_cast<std::size_t>(end - begin);
    return add({.op = Operator::kNumber, .number = value});
  }

  Result<std::string> quoted() {
    if (!take("\"")) return failure("'\"' is missing");
    const std::size_t end = text_.find('"', at_);
    if (end == std::string_view::npos) return failure("the closing '\"' is missing");
    std::string word(text_.substr(at_, end - at_));
    at_ = end + 1;
    if (word.empty()) return failure("the text between the quotes is empty");
    return word;
  }

  Result<std::size_t> floor_of() {
    if (!take("(")) return failure("'(' is missing");
    auto inside = sum();
    if (!inside) return inside;
    if (!take(")")) return failure("')' is missing");
    return add({.op = Operator::kFloor, .left = *inside});
  }

  Result<std::size_t> of_two(Operator op) {
    if (!take("(")) return failure("'(' is missing");
    auto left = sum();
    if (!left) return left;
    if (!take(",")) return failure("',' is missing");
    auto right = sum();
    if (!right) return right;
    if (!take(")")) return failure("')' is missing");
    return add({.op = op, .left = *left, .right = *right});
  }

  Result<std::size_t> named() {
    std::string name(take_name());
    if (name.empty()) return failure("a number or a quantity is missing");
    if (name == "min") return of_two(Operator::kMin);
    if (name == "max") return of_two(Operator::kMax);
    if (name == "mod") return of_two(Operator::kRemainder);
    if (name == "floor") return floor_of();
    LessonQuantity quantity;
    if (take(".")) {
      quantity.launch = std::exchange(name, std::string(take_name()));
      if (name.empty()) return failure("a quantity is missing behind '.'");
    }
    quantity.name = std::move(name);
    if (take("(")) {
      auto line = quoted();
      if (!line) return std::move(line).error();
      quantity.source_line = *std::move(line);
      if (!take(")")) return failure("')' is missing");
    }
    auto& all = result_.quantities_;
    const auto known = std::ranges::find(all, quantity);
    const auto index = static_cast<std::size_t>(known - all.begin());
    if (known == all.end()) all.push_back(std::move(quantity));
    return add({.op = Operator::kQuantity, .quantity = index});
  }

  static constexpr int kDeepest = 64;            // parentheses and signs within each other
  static constexpr std::size_t kLongest = 4096;  // characters

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  LessonExpression result_;
};

Result<LessonExpression> LessonExpression::parse(std::string_view text) {
  return LessonExpressionParser(text).parse();
}

namespace {

Result<LessonValue> sum_of(const LessonValue& a, const LessonValue& b, double sign) {
  if (a.unit != b.unit) {
    return wrong(fmt::format("it adds {} and {}", name_of_unit(a.unit), name_of_unit(b.unit)),
                 "Add what has the same unit");
  }
  LessonValue result{.number = a.number + sign * b.number, .unit = a.unit};
  if (Status marked = take_mark(a, b, &result); !marked) return std::move(marked).error();
  return result;
}

Result<LessonValue> scaled(const LessonValue& a, const LessonValue& b, bool divides) {
  const auto unit = divides ? unit_of_quotient(a.unit, b.unit) : unit_of_product(a.unit, b.unit);
  if (!unit) {
    return wrong(fmt::format("it {} {} and {}", divides ? "divides" : "multiplies",
                             name_of_unit(a.unit), name_of_unit(b.unit)),
                 "Only bytes, seconds and their rates go together");
  }
  if (divides && b.number == 0) {
    return wrong("it divides by zero", "Ask for another quantity");
  }
  LessonValue result{.number = divides ? a.number / b.number : a.number * b.number, .unit = *unit};
  if (Status marked = take_mark(a, b, &result); !marked) return std::move(marked).error();
  return result;
}

Result<LessonValue> chosen(const LessonValue& a, const LessonValue& b, bool least) {
  auto result = sum_of(a, b, 1);  // with the mark of both
  if (result) result->number = least ? std::min(a.number, b.number) : std::max(a.number, b.number);
  return result;
}

// Of counts: between 0 and b, for b > 0.
Result<LessonValue> remainder(const LessonValue& a, const LessonValue& b) {
  if (a.unit != Unit::kNone || b.unit != Unit::kNone) {
    return wrong("it takes the remainder of a value with a unit", "Divide it by its unit first");
  }
  auto quotient = scaled(a, b, true);
  if (quotient) quotient->number = a.number - b.number * std::floor(quotient->number);
  return quotient;
}

bool same_number(double a, double b) {
  return std::abs(a - b) <= kEqual * std::max(std::abs(a), std::abs(b));
}

}  // namespace

Result<LessonValue> LessonExpression::value_of(std::size_t index,
                                               const LessonLookup& lookup) const {
  const Node& node = nodes_[index];
  if (node.op == Operator::kNumber) return LessonValue{.number = node.number};
  if (node.op == Operator::kWord) return LessonValue{.word = node.word};
  if (node.op == Operator::kQuantity) return lookup(quantities_[node.quantity]);
  auto left = value_of(node.left, lookup);
  if (!left) return left;
  if (!left->word.empty()) return wrong(fmt::format("'{}' is no number", left->word));
  if (node.op == Operator::kNegate) {
    left->number = -left->number;
    return left;
  }
  if (node.op == Operator::kFloor) {
    left->number = std::floor(left->number);
    return left;
  }
  const auto right = value_of(node.right, lookup);
  if (!right) return right;
  if (!right->word.empty()) return wrong(fmt::format("'{}' is no number", right->word));
  switch (node.op) {
    case Operator::kAdd:
      return sum_of(*left, *right, 1);
    case Operator::kSubtract:
      return sum_of(*left, *right, -1);
    case Operator::kMultiply:
      return scaled(*left, *right, false);
    case Operator::kDivide:
      return scaled(*left, *right, true);
    case Operator::kRemainder:
      return remainder(*left, *right);
    case Operator::kMin:
      return chosen(*left, *right, true);
    default:
      return chosen(*left, *right, false);
  }
}

Result<LessonValue> LessonExpression::evaluate(const LessonLookup& lookup) const {
  auto value = value_of(root_, lookup);
  if (value && value->word.empty() && !std::isfinite(value->number)) {
    return wrong("it is no finite number");
  }
  const bool is_ratio = written_ == Written::kTimes || written_ == Written::kPercent;
  if (value && is_ratio && (!value->word.empty() || value->unit != Unit::kNone)) {
    const std::string how = written_ == Written::kTimes ? "as times" : "as percent";
    const std::string what =
        value->word.empty() ? format(value->number, value->unit) : "'" + value->word + "'";
    return wrong(fmt::format("'{}' is for a ratio, and this is {}", how, what),
                 fmt::format("Leave '{}' out", how));
  }
  return value;
}

std::string LessonExpression::written(const LessonValue& value) const {
  if (!value.word.empty()) return value.word;
  if (written_ == Written::kTimes) return times_words(value.number);
  if (written_ == Written::kPercent) return about_percent_words(value.number);
  const double number = value.number;
  if (written_ == Written::kAbout && number != 0) {
    const double step = std::pow(10, std::floor(std::log10(std::abs(number))) - 1);
    LessonValue rounded = value;
    rounded.number = std::round(number / step) * step;
    if (rounded.unit == Unit::kNone && step >= 0.1) {
      return step >= 1 ? format_count(static_cast<std::uint64_t>(std::llround(rounded.number)))
                       : fmt::format("{:.1f}", rounded.number);
    }
    return format(rounded.number, rounded.unit);
  }
  const bool is_whole = same_number(number, std::round(number)) && number >= 0;
  if (value.unit == Unit::kNone && is_whole) {
    return format_count(static_cast<std::uint64_t>(std::llround(number)));
  }
  if (value.unit == Unit::kSeconds) return format_time(number);
  if (value.unit == Unit::kPercent) return percent_words(number / 100);
  return format(number, value.unit);
}

Result<LessonExpression::Compared> LessonExpression::compare(const LessonLookup& lookup) const {
  const auto left = value_of(root_, lookup);
  if (!left) return left.error();
  const auto right = value_of(other_, lookup);
  if (!right) return right.error();
  // A number that is written in the claim takes the unit of what it is compared with.
  LessonValue right_as_read = *right;
  if (right->unit == Unit::kNone) right_as_read.unit = left->unit;
  Compared compared{.left = written(*left), .right = written(right_as_read)};
  const bool words = !left->word.empty() || !right->word.empty();
  const bool equals = *comparison_ == Comparison::kEqual || *comparison_ == Comparison::kUnequal;
  if (words && (left->word.empty() || right->word.empty() || !equals)) {
    return wrong("a word is compared with == or != and another word");
  }
  const bool same_unit =
      left->unit == right->unit || right->unit == Unit::kNone || left->unit == Unit::kNone;
  if (!same_unit) {
    return wrong(
        fmt::format("it compares {} and {}", name_of_unit(left->unit), name_of_unit(right->unit)));
  }
  const double a = left->number;
  const double b = right->number;
  const bool same = words ? left->word == right->word : same_number(a, b);
  switch (*comparison_) {
    case Comparison::kAtLeast:
      compared.holds = same || a > b;
      break;
    case Comparison::kAtMost:
      compared.holds = same || a < b;
      break;
    case Comparison::kMore:
      compared.holds = !same && a > b;
      break;
    case Comparison::kLess:
      compared.holds = !same && a < b;
      break;
    case Comparison::kEqual:
      compared.holds = same;
      break;
    case Comparison::kUnequal:
      compared.holds = !same;
      break;
  }
  return compared;
}

}  // namespace tilescope
