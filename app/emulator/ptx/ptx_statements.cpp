#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "emulator/ptx/ptx_reader.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostInstructions = std::size_t{1} << 22;
constexpr std::size_t kDeepestScope = 256;

// An instruction that spans lines, on one line.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return line;
}

// PTX ISA, "Special Registers": their names, of which some go on with a number or an axis.
bool is_special(std::string_view name) {
  constexpr std::array<std::string_view, 27> kNames = {
      "%tid",         "%ntid",      "%laneid",       "%warpid",        "%nwarpid",
      "%ctaid",       "%nctaid",    "%smid",         "%nsmid",         "%gridid",
      "%is_explicit", "%clusterid", "%cluster",      "%nclusterid",    "%lanemask_",
      "%clock",       "%pm",        "%envreg",       "%globaltimer",   "%reserved_smem_",
      "%total_smem",  "%aggr_smem", "%dynamic_smem", "%current_graph", "%physid",
      "%virtid",      "%warp"};
  return std::ranges::any_of(kNames, [&](std::string_view one) { return name.starts_with(one); });
}

std::uint64_t location_key(const PtxLocation& location) {
  return (std::uint64_t{location.line.file} << 48) ^ (std::uint64_t{location.line.line} << 16) ^
         (location.column & 0xffff);
}

}  // namespace

bool PtxReader::read_body(PtxFunction& function) {
  if (!expect('{', "before a function's body")) return false;
  scopes_.open();
  const std::size_t outer = scopes_.depth();
  for (;;) {
    if (lexer_.peek().kind == PtxTokenKind::kEnd) return fail("the PTX ends inside a function");
    if (lexer_.accept('{')) {
      if (scopes_.depth() >= kDeepestScope) return fail("braces are nested too deep");
      scopes_.open();
    } else if (lexer_.accept('}')) {
      const bool done = scopes_.depth() == outer;
      scopes_.close();
      if (done) return true;
    } else if (!read_statement(function)) {
      return false;
    }
  }
}

bool PtxReader::read_statement(PtxFunction& function) {
  const PtxToken& token = lexer_.peek();
  if (token.kind == PtxTokenKind::kDirective) return read_body_directive(function);
  if (lexer_.accept(';')) return true;
  if (lexer_.at('@') || token.kind == PtxTokenKind::kIdentifier) return read_instruction(function);
  return fail(fmt::format("an instruction is expected, not '{:.40}'", token.text));
}

bool PtxReader::read_body_directive(PtxFunction& function) {
  static_cast<void>(function);
  const PtxToken token = lexer_.take();
  const std::string_view name = token.text;
  if (name == ".reg") return read_registers();
  if (name == ".loc") return read_location();
  if (name == ".shared") return read_variables(MemorySpace::kShared, false, true);
  if (name == ".local") return read_variables(MemorySpace::kLocal, false, true);
  if (name == ".param") return read_variables(MemorySpace::kParameter, false, true);
  if (name == ".const") return read_variables(MemorySpace::kConstant, false, true);
  if (name == ".global") return read_variables(MemorySpace::kGlobal, false, true);
  if (name == ".pragma") return skip_to_semicolon();
  if (name == ".extern") {
    const PtxToken space = lexer_.take();
    if (space.text == ".shared") return read_variables(MemorySpace::kShared, true, true);
  }
  if (name == ".file") return read_file();
  return fail_at(token.line, fmt::format("unknown directive '{:.40}' in a function", name));
}

bool PtxReader::read_location() {
  PtxLocation location;
  std::uint64_t file = 0;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  if (!expect_integer(&file, "a file number") || !expect_integer(&line, "a line") ||
      !expect_integer(&column, "a column")) {
    return false;
  }
  const auto index_of = [&](std::uint64_t number) {
    return file_index_.emplace(number, static_cast<std::uint16_t>(file_index_.size()))
        .first->second;
  };
  location.line = {index_of(file), static_cast<std::uint32_t>(line)};
  location.column = static_cast<std::uint32_t>(column);
  if (file_index_.size() >= 0xfff0) return fail("the module names too many files");
  while (lexer_.accept(',')) {
    PtxToken what;
    if (!expect_identifier(&what, "function_name or inlined_at")) return false;
    if (what.text == "function_name") {
      lexer_.take();
      if (lexer_.accept('+')) lexer_.take();
      continue;
    }
    if (what.text != "inlined_at") return fail("function_name or inlined_at is expected");
    PtxLocation site;
    if (!expect_integer(&file, "a file number") || !expect_integer(&line, "a line") ||
        !expect_integer(&column, "a column")) {
      return false;
    }
    site.line = {index_of(file), static_cast<std::uint32_t>(line)};
    site.column = static_cast<std::uint32_t>(column);
    // The site is an earlier .loc, which may itself be inlined somewhere.
    const auto found = location_index_.find(location_key(site));
    if (found != location_index_.end()) {
      location.parent = found->second;
    } else {
      location.parent = static_cast<std::uint32_t>(module_.locations.size());
      module_.locations.push_back(site);
    }
  }
  location_ = static_cast<std::uint32_t>(module_.locations.size());
  location_index_[location_key(location)] = location_;
  module_.locations.push_back(location);
  return true;
}

bool PtxReader::read_label_rest(PtxFunction& function, const PtxToken& name) {
  const auto at = static_cast<std::uint32_t>(function.instructions.size());
  if (lexer_.peek().text == ".branchtargets" || lexer_.peek().text == ".calltargets") {
    lexer_.take();
    PtxFunction::TargetList list{name.text, scopes_.current(), {}};
    do {
      PtxToken target;
      if (!expect_identifier(&target, "a label")) return false;
      PtxOperand operand;
      operand.kind = OperandKind::kSymbol;
      operand.text = target.text;
      operand.scope = scopes_.current();
      list.targets.push_back(operand);
    } while (lexer_.accept(','));
    function.target_lists.push_back(std::move(list));
    return expect(';', "after the targets");
  }
  if (lexer_.peek().text == ".callprototype") return skip_to_semicolon();
  if (!scopes_.declare_label(name.text, at)) {
    return fail_at(name.line, fmt::format("the label '{:.60}' stands here twice", name.text));
  }
  return true;
}

bool PtxReader::read_instruction(PtxFunction& function) {
  PtxInstruction instruction;
  instruction.line = lexer_.peek().line;
  instruction.location = location_;
  const std::size_t begin = lexer_.peek().begin;
  if (lexer_.accept('@')) {
    instruction.guard_negated = lexer_.accept('!');
    PtxToken guard;
    if (!expect_identifier(&guard, "a predicate")) return false;
    instruction.guard = scopes_.find_register(guard.text);
    if (instruction.guard == kNoIndex ||
        function.registers[instruction.guard].type != DataType::kPred) {
      return fail_at(guard.line, fmt::format("'{:.60}' is no predicate register", guard.text));
    }
  }
  PtxToken mnemonic;
  if (!expect_identifier(&mnemonic, "an instruction")) return false;
  if (instruction.guard == kNoIndex && lexer_.next_is_label_colon()) {
    lexer_.take();
    return read_label_rest(function, mnemonic);
  }
  instruction.mnemonic = mnemonic.text;
  instruction.suffix = lexer_.take_suffix();
  instruction.first_operand = static_cast<std::uint32_t>(function.operands.size());
  if (!lexer_.at(';') && !read_operands(function, instruction)) return false;
  instruction.operand_count =
      static_cast<std::uint32_t>(function.operands.size()) - instruction.first_operand;
  if (!expect(';', "after an instruction")) return false;
  instruction.text = lexer_.text().substr(begin, lexer_.end_of_last() - begin);
  if (instruction.text.find_first_of("\n\t") != std::string_view::npos) {
    instruction.text = module_.rewritten.emplace_back(on_one_line(instruction.text));
  }
  if (function.instructions.size() >= kMostInstructions) return fail("the function is too long");
  function.instructions.push_back(instruction);
  return true;
}

bool PtxReader::read_operands(PtxFunction& function, PtxInstruction& instruction) {
  static_cast<void>(instruction);
  for (;;) {
    PtxOperand operand;
    if (!read_operand(function, &operand)) return false;
    function.operands.push_back(operand);
    if (lexer_.accept('|')) {
      PtxOperand second;
      if (!read_simple_operand(&second)) return false;
      second.joined = true;
      function.operands.push_back(second);
    }
    if (!lexer_.accept(',')) return true;
  }
}

bool PtxReader::read_operand(PtxFunction& function, PtxOperand* operand) {
  if (lexer_.at('[')) return read_address(function, operand);
  if (lexer_.accept('{')) {
    operand->kind = OperandKind::kVector;
    return read_elements(function, '}', operand);
  }
  if (lexer_.accept('(')) {
    operand->kind = OperandKind::kGroup;
    return read_elements(function, ')', operand);
  }
  return read_simple_operand(operand);
}

bool PtxReader::read_elements(PtxFunction& function, char close, PtxOperand* operand) {
  operand->index = static_cast<std::uint32_t>(function.elements.size());
  while (!lexer_.at(close)) {
    PtxOperand element;
    if (!read_simple_operand(&element)) return false;
    function.elements.push_back(element);
    ++operand->count;
    if (!lexer_.accept(',')) break;
  }
  return expect(close, "after a list");
}

bool PtxReader::resolve_name(const PtxToken& name, PtxOperand* operand) {
  operand->text = name.text;
  operand->scope = scopes_.current();
  operand->index = scopes_.find_register(name.text);
  if (operand->index != kNoIndex) {
    operand->kind = OperandKind::kRegister;
    operand->part = lexer_.take_suffix();
    return true;
  }
  operand->index = scopes_.find_variable(name.text);
  if (operand->index == kNoIndex) {
    const auto found = module_variables_.find(name.text);
    if (found != module_variables_.end()) operand->index = found->second;
  }
  if (operand->index != kNoIndex) {
    operand->kind = OperandKind::kVariable;
    return true;
  }
  operand->kind = OperandKind::kSymbol;
  if (name.text == "_") operand->kind = OperandKind::kSink;
  if (name.text[0] == '%' && !is_special(name.text)) {
    return fail_at(name.line, fmt::format("the register '{:.60}' is not declared", name.text),
                   "Declare it with .reg, or let its range be longer");
  }
  if (name.text[0] == '%' || name.text == "WARP_SZ") {
    operand->kind = OperandKind::kSpecial;
    const std::string_view suffix = lexer_.take_suffix();
    operand->text = std::string_view(name.text.data(), name.text.size() + suffix.size());
  }
  return true;
}

bool PtxReader::read_simple_operand(PtxOperand* operand) {
  if (lexer_.accept('!')) operand->negated = true;
  const bool negative = lexer_.accept('-');
  const PtxToken token = lexer_.take();
  switch (token.kind) {
    case PtxTokenKind::kInteger:
      operand->kind = OperandKind::kInteger;
      operand->bits = negative ? 0 - token.bits : token.bits;
      return check_integer(token);
    case PtxTokenKind::kFloat:
      operand->kind = OperandKind::kFloat;
      operand->bits = token.bits ^ (negative ? std::uint64_t{1} << 63 : 0);
      return true;
    case PtxTokenKind::kFloat32:
      operand->kind = OperandKind::kFloat;
      operand->is_f32 = true;
      operand->bits = token.bits ^ (negative ? std::uint64_t{1} << 31 : 0);
      return true;
    case PtxTokenKind::kIdentifier:
      operand->negated |= negative;
      return resolve_name(token, operand) && read_displacement(operand);
    default:
      break;
  }
  return fail_at(token.line, token.kind == PtxTokenKind::kEnd
                                 ? std::string("the PTX ends inside an instruction")
                                 : fmt::format("an operand is expected, not '{:.40}'", token.text));
}

bool PtxReader::read_displacement(PtxOperand* operand) {
  while (lexer_.at('+') || lexer_.at('-')) {
    bool negative = lexer_.take().text == "-";
    if (lexer_.accept('-')) negative = !negative;  // [%r1+-4]
    std::uint64_t value = 0;
    if (!expect_integer(&value, "an offset")) return false;
    const auto sum =
        static_cast<std::uint64_t>(operand->displacement) + (negative ? 0 - value : value);
    operand->displacement = static_cast<std::int64_t>(sum);
  }
  return true;
}

bool PtxReader::read_address(PtxFunction& function, PtxOperand* operand) {
  if (!expect('[', "before an address")) return false;
  if (!read_simple_operand(operand)) return false;
  operand->base_kind = operand->kind;
  operand->kind = OperandKind::kAddress;
  while (lexer_.accept(',')) {  // coordinates of tensors and textures
    PtxOperand ignored;
    if (lexer_.at('[')) return fail("an address inside an address is no PTX");
    if (!read_operand(function, &ignored)) return false;
    operand->base_kind = OperandKind::kVector;
  }
  return expect(']', "after an address");
}

}  // namespace tilescope
