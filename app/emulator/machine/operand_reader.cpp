#include "emulator/machine/operand_reader.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "core/text.h"

namespace tilescope::machine {
namespace {

std::optional<std::int64_t> read_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (!text.starts_with("0x")) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

std::optional<double> read_number(std::string_view text) {
  double sign = 1;
  if (text.starts_with('+') || text.starts_with('-')) {
    sign = text.front() == '-' ? -1 : 1;
    text.remove_prefix(1);
  }
  if (text == "INF") return sign * std::numeric_limits<double>::infinity();
  if (text == "QNAN" || text == "SNAN") {
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return sign * value;
}

// "R12", "UR4", "P0", "UP0", "RZ" ... without any suffix.
bool read_register(std::string_view name, Operand* operand) {
  const bool uniform = name.starts_with('U');
  std::string_view rest = uniform ? name.substr(1) : name;
  if (rest.size() < 2 || (rest.front() != 'R' && rest.front() != 'P')) return false;
  const bool predicate = rest.front() == 'P';
  rest.remove_prefix(1);
  std::uint32_t index = 0;
  if (rest == (predicate ? "T" : "Z")) {
    index = predicate ? kTruePredicate : kZeroRegister;
  } else {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
    if (error != std::errc() || end != rest.data() + rest.size() || index > kZeroRegister) {
      return false;
    }
  }
  operand->index = index;
  if (predicate) {
    operand->kind = uniform ? OperandKind::kUniformPredicate : OperandKind::kPredicate;
  } else {
    operand->kind = uniform ? OperandKind::kUniform : OperandKind::kRegister;
  }
  return true;
}

// "reuse.H0_H0", "64.reuse": the hint that keeps an operand for the next instruction says nothing.
std::string_view without_reuse(std::string_view suffix) {
  constexpr std::string_view kHint = "reuse";
  if (suffix.starts_with(kHint)) suffix.remove_prefix(kHint.size());
  if (suffix.ends_with(kHint)) suffix.remove_suffix(kHint.size());
  if (suffix.starts_with('.')) suffix.remove_prefix(1);
  if (suffix.ends_with('.')) suffix.remove_suffix(1);
  return suffix;
}

// A register with ".reuse" and such taken off; what is left after it goes into suffix.
bool read_suffixed_register(std::string_view text, Operand* operand) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  if (!read_register(text.substr(0, dot), operand)) return false;
  operand->suffix = without_reuse(text.substr(std::min(dot + 1, text.size())));
  return true;
}

// The inside of the brackets: registers and displacements joined by '+'.
bool read_sum(std::string_view text, Operand* operand) {
  while (!text.empty()) {
    const std::size_t plus = std::min(text.find('+', 1), text.size());
    const std::string_view term = trimmed(text.substr(0, plus));
    text.remove_prefix(std::min(plus + 1, text.size()));
    if (const auto value = read_integer(term)) {
      operand->value += *value;
      continue;
    }
    Operand part;
    if (!read_suffixed_register(term, &part)) return false;
    if (part.kind == OperandKind::kUniform) {
      operand->uniform = part.index;
      if (operand->suffix.empty()) operand->suffix = part.suffix;
    } else if (part.kind == OperandKind::kRegister) {
      operand->index = part.index;
      operand->suffix = part.suffix;
    } else {
      return false;
    }
  }
  return true;
}

// "[...]", "desc[UR4][...]"
bool read_address(std::string_view text, Operand* operand) {
  if (text.starts_with("desc[")) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
  if (!text.starts_with('[') || !text.ends_with(']')) return false;
  operand->kind = OperandKind::kAddress;
  return read_sum(text.substr(1, text.size() - 2), operand);
}

// "c[0x0][0x210]"
bool read_constant(std::string_view text, Operand* operand) {
  const std::size_t end = text.find(']');
  if (end == std::string_view::npos || !text.ends_with(']')) return false;
  const auto bank = read_integer(text.substr(2, end - 2));
  if (!bank || *bank < 0 || *bank > 31) return false;
  operand->kind = OperandKind::kConstant;
  operand->bank = static_cast<std::uint32_t>(*bank);
  const std::string_view rest = text.substr(end + 1);
  return rest.starts_with('[') && read_sum(rest.substr(1, rest.size() - 2), operand);
}

}  // namespace

std::optional<Operand> read_operand(std::string_view text) {
  text = trimmed(text);
  Operand operand;
  operand.text = text;
  if (text.starts_with("`(") && text.ends_with(')')) {
    operand.kind = OperandKind::kLabel;
    operand.text = text.substr(2, text.size() - 3);
    return operand;
  }
  if (const auto value = read_integer(text)) {
    operand.kind = OperandKind::kInteger;
    operand.value = *value;
    return operand;
  }
  if (const auto number = read_number(text)) {
    operand.kind = OperandKind::kNumber;
    operand.number = *number;
    return operand;
  }
  while (!text.empty() && (text.front() == '-' || text.front() == '~' || text.front() == '!')) {
    (text.front() == '-' ? operand.negated : operand.inverted) = true;
    text.remove_prefix(1);
  }
  if (text.starts_with('|')) {
    const std::size_t end = text.rfind('|');
    if (end == 0) return std::nullopt;
    operand.absolute = true;
    // A suffix may follow the bar: |R3|.H0_H0
    const std::string_view suffix = text.substr(end + 1);
    text = text.substr(1, end - 1);
    if (text.starts_with("c[")) {
      if (!read_constant(text, &operand)) return std::nullopt;
    } else if (!read_suffixed_register(text, &operand)) {
      return std::nullopt;
    }
    if (suffix.starts_with('.')) operand.suffix = without_reuse(suffix.substr(1));
    return operand;
  }
  if (text.starts_with("c[")) {
    if (!read_constant(text, &operand)) return std::nullopt;
    return operand;
  }
  if (text.starts_with('[') || text.starts_with("desc[")) {
    if (!read_address(text, &operand)) return std::nullopt;
    return operand;
  }
  if (read_suffixed_register(text, &operand)) return operand;
  operand.kind = OperandKind::kWord;
  operand.text = text;
  return text.empty() ? std::nullopt : std::optional<Operand>(operand);
}

std::optional<Instruction> read_instruction(std::string_view text) {
  Instruction instruction;
  text = trimmed(text);
  instruction.text = text;
  if (text.starts_with('@')) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    const auto guard = read_operand(text.substr(1, space - 1));
    if (!guard) return std::nullopt;
    instruction.guarded = true;
    instruction.guard = *guard;
    text = trimmed(text.substr(space));
  }
  const std::size_t space = std::min(text.find(' '), text.size());
  std::string_view name = text.substr(0, space);
  std::string_view operands = trimmed(text.substr(space));
  const std::size_t dot = std::min(name.find('.'), name.size());
  instruction.mnemonic = name.substr(0, dot);
  name.remove_prefix(std::min(dot + 1, name.size()));
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('.'), name.size());
    instruction.modifiers.push_back(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  if (const std::size_t note = operands.find("(*"); note != std::string_view::npos) {
    operands = trimmed(operands.substr(0, note));
  }
  while (!operands.empty()) {
    const std::size_t comma = std::min(operands.find(','), operands.size());
    // "BRX R4 -0x830": two operands without a comma.
    std::string_view one = trimmed(operands.substr(0, comma));
    if (const std::size_t gap = one.find(' ');
        gap != std::string_view::npos && !one.starts_with('`') && !one.starts_with('[')) {
      const auto first = read_operand(one.substr(0, gap));
      if (!first) return std::nullopt;
      instruction.operands.push_back(*first);
      one = trimmed(one.substr(gap));
    }
    const auto operand = read_operand(one);
    if (!operand) return std::nullopt;
    instruction.operands.push_back(*operand);
    operands.remove_prefix(std::min(comma + 1, operands.size()));
  }
  return instruction;
}

bool Instruction::has(std::string_view modifier) const {
  for (const std::string_view word : modifiers) {
    if (word == modifier) return true;
  }
  return false;
}

}  // namespace tilescope::machine
