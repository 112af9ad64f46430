#include "emulator/machine/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "core/number_text.h"
#include "core/text.h"

namespace tilescope::machine {
namespace {

// Reads the listing line by line; a section's name says what its lines mean.
class ListingReader {
 public:
  ListingReader(std::string_view text, std::string_view kernel) : text_(text), kernel_(kernel) {}

  Result<Listing> read() {
    while (!text_.empty() && error_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      ++line_;
      read_line(trimmed(text_.substr(0, end)));
      text_.remove_prefix(std::min(end + 1, text_.size()));
    }
    if (error_.empty() && listing_.instructions.empty()) {
      error_ = fmt::format("the cubin has no code of '{}'", kernel_);
    }
    if (!error_.empty()) return Error{ErrorCode::kKernel, error_, "", {}};
    return std::move(listing_);
  }

 private:
  enum class Section { kOther, kCode, kConstants, kSymbols, kGlobals, kShared, kInfo };

  void read_line(std::string_view line) {
    if (line.starts_with(".section\t")) return begin_section(line);
    if (line.empty() || section_ == Section::kOther) return;
    if (section_ == Section::kCode) return read_code(line);
    if (section_ == Section::kInfo) return read_info(line);
    read_data(line);
  }

  void begin_section(std::string_view line) {
    std::string_view name = trimmed(line.substr(std::string_view(".section").size()));
    name = name.substr(0, name.find(','));
    const auto of_kernel = [&](std::string_view prefix) {
      return name.starts_with(prefix) && name.substr(prefix.size()) == kernel_;
    };
    section_ = Section::kOther;
    attribute_ = {};
    if (of_kernel(".text.")) section_ = Section::kCode;
    if (of_kernel(".nv.info.") || name == ".nv.info") section_ = Section::kInfo;
    if (of_kernel(".nv.shared.")) section_ = Section::kShared;
    if (name == ".nv.constant4") section_ = Section::kSymbols;
    if (name == ".nv.global" || name == ".nv.global.init") section_ = Section::kGlobals;
    if (of_kernel(".nv.constant2.") || name == ".nv.constant3") {
      section_ = Section::kConstants;
      bank_ = name == ".nv.constant3" ? 3 : 2;
    }
  }

  // Position lines, labels and instructions.
  void read_code(std::string_view line) {
    if (line.starts_with("//##")) return read_place(line);
    if (line.starts_with("/*")) return read_coded(line);
    if (line.ends_with(':')) {
      listing_.labels[line.substr(0, line.size() - 1)] =
          static_cast<std::uint32_t>(listing_.instructions.size());
    }
  }

  // //## File "x.cu", line 2 inlined at "y.cu", line 4
  void read_place(std::string_view line) {
    consume_prefix(line, "//## File \"");
    const std::size_t quote = line.find('"');
    if (quote == std::string_view::npos) return;
    Place place{line.substr(0, quote), 0};
    line.remove_prefix(quote);
    if (!consume_prefix(line, "\", line ")) return;
    std::from_chars(line.data(), line.data() + line.size(), place.line);
    if (!continues_) listing_.places.emplace_back();
    listing_.places.back().push_back(place);
    continues_ = line.find("inlined at") != std::string_view::npos;
  }

  // /*0010*/  IADD3 R1, R1, -0x10, RZ ;
  void read_coded(std::string_view line) {
    continues_ = false;
    const std::size_t close = line.find("*/");
    std::uint32_t address = 0;
    if (close == std::string_view::npos) return;
    std::from_chars(line.data() + 2, line.data() + close, address, 16);
    line = trimmed(line.substr(close + 2));
    line = trimmed(line.substr(0, line.rfind(';')));
    if (line.empty() || line.starts_with('.')) return;  // data inside a code section
    auto instruction = read_instruction(line);
    if (!instruction) {
      error_ = fmt::format("line {} of the machine code cannot be read: {}", line_, line);
      return;
    }
    instruction->address = address;
    instruction->place = static_cast<std::uint32_t>(listing_.places.size() - 1);
    listing_.instructions.push_back(*std::move(instruction));
  }

  // The attributes that matter: where the parameters begin, how large the stack is.
  void read_info(std::string_view line) {
    if (consume_prefix(line, "//----- nvinfo : ")) {
      attribute_ = line;
      return;
    }
    const std::size_t close = line.find("*/");
    if (close == std::string_view::npos) return;
    line = trimmed(line.substr(close + 2));
    const bool is_short = consume_prefix(line, ".short");
    const bool is_word = !is_short && consume_prefix(line, ".word");
    line = trimmed(line);
    if (!consume_prefix(line, "0x")) return;
    std::uint32_t value = 0;
    std::from_chars(line.data(), line.data() + line.size(), value, 16);
    if (attribute_ == "EIATTR_PARAM_CBANK" && is_short && listing_.parameter_base == 0) {
      listing_.parameter_base = value;
    }
    if ((attribute_ == "EIATTR_FRAME_SIZE" || attribute_ == "EIATTR_MIN_STACK_SIZE") && is_word) {
      listing_.local_bytes = std::max(listing_.local_bytes, (value + 15) / 16 * 16);
    }
  }

  void read_data(std::string_view line) {
    if (line.ends_with(':') && section_ == Section::kGlobals && !line.starts_with('.')) {
      listing_.globals.push_back({std::string(line.substr(0, line.size() - 1)), 0, {}, {}});
      return;
    }
    if (line.starts_with("/*")) line = trimmed(line.substr(line.find("*/") + 2));
    if (consume_prefix(line, ".dword")) {
      if (section_ == Section::kSymbols) listing_.symbols.emplace_back(trimmed(line));
      if (section_ == Section::kGlobals) add_address(trimmed(line));
      return;
    }
    if (consume_prefix(line, ".zero")) {
      line = trimmed(line);
      std::uint64_t bytes = 0;
      std::from_chars(line.data(), line.data() + line.size(), bytes);
      add_zeros(bytes);
      return;
    }
    const std::size_t width = line.starts_with(".byte")    ? 1
                              : line.starts_with(".short") ? 2
                              : line.starts_with(".word")  ? 4
                                                           : 0;
    if (width == 0) return;
    line.remove_prefix(line.find_first_of(" \t"));
    while (!line.empty()) {
      const std::size_t comma = std::min(line.find(','), line.size());
      std::string_view word = trimmed(line.substr(0, comma));
      line.remove_prefix(std::min(comma + 1, line.size()));
      std::uint64_t value = 0;
      if (consume_prefix(word, "0x")) {
        std::from_chars(word.data(), word.data() + word.size(), value, 16);
      }
      for (std::size_t i = 0; i < width; ++i) add_byte(static_cast<std::byte>(value >> (8 * i)));
    }
  }

  void add_byte(std::byte byte) {
    if (section_ == Section::kConstants) listing_.banks[bank_].push_back(byte);
    if (section_ == Section::kGlobals && !listing_.globals.empty()) {
      GlobalData& global = listing_.globals.back();
      global.image.resize(global.bytes);  // zeros that came before
      global.image.push_back(byte);
      ++global.bytes;
    }
  }

  // "fun@R_CUDA_G64(tens)"
  void add_address(std::string_view of) {
    if (const std::size_t open = of.find('('); open != std::string_view::npos && of.ends_with(')'))
      of = of.substr(open + 1, of.size() - open - 2);
    if (!listing_.globals.empty())
      listing_.globals.back().addresses.emplace(listing_.globals.back().bytes, of);
    for (int i = 0; i < 8; ++i) add_byte(std::byte{0});
  }

  void add_zeros(std::uint64_t bytes) {
    if (section_ == Section::kShared) listing_.shared_bytes += static_cast<std::uint32_t>(bytes);
    if (section_ == Section::kConstants) {
      std::vector<std::byte>& bank = listing_.banks[bank_];
      bank.resize(bank.size() + std::min<std::uint64_t>(bytes, 65536));
    }
    if (section_ == Section::kGlobals && !listing_.globals.empty()) {
      listing_.globals.back().bytes += bytes;
    }
  }

  std::string_view text_;
  std::string_view kernel_;
  Listing listing_;
  Section section_ = Section::kOther;
  std::uint32_t bank_ = 0;
  std::uint32_t line_ = 0;
  std::string_view attribute_;
  bool continues_ = false;  // the next position line belongs to the same place
  std::string error_;
};

}  // namespace

Result<Listing> read_listing(std::string_view text, std::string_view kernel) {
  return ListingReader(text, kernel).read();
}

namespace {

std::optional<std::int64_t> read_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (!text.starts_with("0x")) return std::nullopt;
  const auto value = parse_hexadecimal<std::uint64_t>(text.substr(2));
  if (!value) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - *value : *value);
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
  const auto value = parse_number<double>(text);
  return value ? std::optional(sign * *value) : std::nullopt;
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
    const auto number = parse_number<std::uint32_t>(rest);
    if (!number || *number > kZeroRegister) return false;
    index = *number;
  }
  operand->index = index;
  if (predicate) {
    operand->kind = uniform ? OperandKind::kUniformPredicate : OperandKind::kPredicate;
  } else {
    operand->kind = uniform ? OperandKind::kUniform : OperandKind::kRegister;
  }
  return true;
}

// "reuse.H0_H0", "64.reuse": the hint that keeps an operand for the next instruction is no part of
// its form.
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
  const std::string_view suffix = text.substr(std::min(dot + 1, text.size()));
  operand->suffix = without_reuse(suffix);
  operand->kept = operand->suffix.size() != suffix.size();
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

// "[...]", "desc[UR4][...]"; "desc[UR4]" alone is a word.
bool read_address(std::string_view text, Operand* operand) {
  if (text.starts_with("desc[")) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
    if (text.empty()) return true;
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
  const std::string_view rest = trimmed(text.substr(end + 1));  // sm_75: "c[0x0] [0x178]"
  return rest.starts_with('[') && read_sum(rest.substr(1, rest.size() - 2), operand);
}

// (*"BRANCH_TARGETS .L_x_1,.L_x_2"*)
void read_branch_targets(std::string_view note, std::vector<std::string_view>* targets) {
  constexpr std::string_view kNote = "BRANCH_TARGETS ";
  const std::size_t begin = note.find(kNote);
  if (begin == std::string_view::npos) return;
  note = note.substr(begin + kNote.size());
  note = note.substr(0, note.find('"'));
  while (!note.empty()) {
    const std::size_t comma = std::min(note.find(','), note.size());
    targets->push_back(note.substr(0, comma));
    note.remove_prefix(std::min(comma + 1, note.size()));
  }
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
    operand.kept = operand.kept || suffix.find("reuse") != std::string_view::npos;
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
    read_branch_targets(operands.substr(note), &instruction.branch_targets);
    operands = trimmed(operands.substr(0, note));
  }
  while (!operands.empty()) {
    const std::size_t comma = std::min(operands.find(','), operands.size());
    // "BRX R4 -0x830": two operands without a comma.
    std::string_view one = trimmed(operands.substr(0, comma));
    if (const std::size_t gap = one.find(' '); gap != std::string_view::npos &&
                                               !one.starts_with('`') && !one.starts_with('[') &&
                                               one.find("c[") == std::string_view::npos) {
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
