#include "emulator/ptx/ptx_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "emulator/ptx/ptx_reader.h"
#include "kernel/source/device_source.h"
#include "kernel/source/ptx_place.h"

namespace tilescope {
namespace {

constexpr int kNextMajorVersion = 10;  // of the PTX ISA: one that nobody has seen

}  // namespace

Result<PtxModule> parse_ptx(std::string_view text) { return PtxReader(text).read(); }

std::optional<std::uint32_t> PtxModule::find_function(std::string_view name) const {
  std::optional<std::uint32_t> found;
  for (std::uint32_t f = 0; f < functions.size(); ++f) {
    if (functions[f].name != name) continue;
    if (functions[f].has_body) return f;
    if (!found) found = f;
  }
  return found;
}

bool PtxReader::fail(std::string message) {
  return fail_at(lexer_.peek().line, std::move(message));
}

bool PtxReader::fail_at(std::uint32_t line, std::string message, std::string remedy) {
  if (failed_) return false;
  failed_ = true;
  error_.code = ErrorCode::kKernel;
  error_.message = std::move(message);
  error_.remedy = std::move(remedy);
  error_.place.line = static_cast<int>(line);
  return false;
}

bool PtxReader::expect(char punctuation, std::string_view where) {
  if (lexer_.accept(punctuation)) return true;
  const PtxToken& token = lexer_.peek();
  if (token.kind == PtxTokenKind::kEnd) {
    return fail(fmt::format("the PTX ends where '{}' is expected {}", punctuation, where));
  }
  return fail(fmt::format("'{}' is expected {}, not '{:.40}'", punctuation, where, token.text));
}

bool PtxReader::expect_identifier(PtxToken* name, std::string_view what) {
  if (lexer_.peek().kind != PtxTokenKind::kIdentifier)
    return fail(fmt::format("{} is expected", what));
  *name = lexer_.take();
  return true;
}

bool PtxReader::expect_integer(std::uint64_t* value, std::string_view what) {
  if (lexer_.peek().kind != PtxTokenKind::kInteger)
    return fail(fmt::format("{} is expected", what));
  const PtxToken token = lexer_.take();
  *value = token.bits;
  return check_integer(token);
}

bool PtxReader::check_integer(const PtxToken& token) {
  if (!token.overflows) return true;
  return fail_at(token.line, fmt::format("{:.40} is more than 64 bits hold", token.text));
}

bool PtxReader::skip_to_semicolon() {
  while (!lexer_.at(';')) {
    if (lexer_.peek().kind == PtxTokenKind::kEnd) return fail("the PTX ends where ';' is expected");
    lexer_.take();
  }
  lexer_.take();
  return true;
}

Result<PtxModule> PtxReader::read() {
  bool saw_version = false;
  while (lexer_.peek().kind != PtxTokenKind::kEnd && !failed_) {
    saw_version |= lexer_.peek().text == ".version";
    if (!saw_version && lexer_.peek().kind != PtxTokenKind::kEnd) {
      fail("this is no PTX: a module begins with .version");
      break;
    }
    read_module_item();
  }
  if (!saw_version && !failed_) fail("this is no PTX: a module begins with .version");
  if (failed_) return placed_error();
  return std::move(module_);
}

// Compiled text says where it comes from; a line of PTX is all that a person's own has.
Error PtxReader::placed_error() const {
  Error error = error_;
  Place place = source_place(lexer_.text(), error.place.line);
  if (place.line == 0) return error;
  error.message += fmt::format(" (line {} of the PTX)", error.place.line);
  error.place = std::move(place);
  return error;
}

bool PtxReader::read_version(std::uint32_t line) {
  const PtxToken version = lexer_.take();
  const bool known = version.kind == PtxTokenKind::kFloat &&
                     std::bit_cast<double>(version.bits) >= 1 &&
                     std::bit_cast<double>(version.bits) < kNextMajorVersion;
  if (known) return true;
  return fail_at(line,
                 fmt::format(".version {:.40} is no version of PTX that is known", version.text),
                 fmt::format("Versions 1.0 to {}.x can be read", kNextMajorVersion - 1));
}

// ".target sm_90a, texmode_independent"
bool PtxReader::read_target() {
  PtxToken target;
  if (!expect_identifier(&target, "a target, e.g. sm_90,")) return false;
  constexpr std::string_view kPrefix = "sm_";
  const bool known = target.text.starts_with(kPrefix) && target.text.size() > kPrefix.size() &&
                     target.text[kPrefix.size()] >= '1' && target.text[kPrefix.size()] <= '9';
  if (!known) {
    return fail_at(target.line, fmt::format(".target {:.40} is no architecture", target.text),
                   "Name one such as sm_90");
  }
  module_.target = std::string(target.text);
  while (lexer_.accept(',')) lexer_.take();
  return true;
}

bool PtxReader::read_module_item() {
  const PtxToken token = lexer_.take();
  if (token.kind == PtxTokenKind::kPunctuation) {
    if (token.text == ";") return true;
    if (token.text == "@") {  // @@DWARF lines of old compilers
      lexer_.skip_line();
      return true;
    }
  }
  if (token.kind != PtxTokenKind::kDirective) {
    return fail_at(token.line, fmt::format("a directive is expected, not '{:.40}'", token.text));
  }
  const std::string_view name = token.text;
  if (name == ".version") return read_version(token.line);
  if (name == ".target") return read_target();
  if (name == ".address_size") {
    std::uint64_t bits = 0;
    if (!expect_integer(&bits, "an address size")) return false;
    if (bits != 64) return fail_at(token.line, "only 64-bit PTX can be emulated");
    return true;
  }
  if (name == ".file") return read_file();
  if (name == ".section") return skip_section();
  if (name == ".pragma" || name == ".alias") return skip_to_semicolon();
  if (name == ".loc") {
    lexer_.skip_line();
    return true;
  }
  bool is_extern = false;
  std::string_view what = name;
  while (what == ".visible" || what == ".extern" || what == ".weak" || what == ".common") {
    is_extern |= what == ".extern";
    what = lexer_.take().text;
  }
  if (what == ".entry" || what == ".func") return read_function(what == ".entry", is_extern);
  if (what == ".global") return read_variables(MemorySpace::kGlobal, is_extern, false);
  if (what == ".const") return read_variables(MemorySpace::kConstant, is_extern, false);
  if (what == ".shared") return read_variables(MemorySpace::kShared, is_extern, false);
  if (what == ".tex") return skip_to_semicolon();
  return fail_at(token.line, fmt::format("unknown directive '{:.40}'", what));
}

bool PtxReader::read_file() {
  std::uint64_t number = 0;
  if (!expect_integer(&number, "a file number")) return false;
  if (lexer_.peek().kind != PtxTokenKind::kString) return fail("a file name is expected");
  const std::string name = unescaped_name(lexer_.take().text);
  while (lexer_.accept(',')) lexer_.take();
  const auto [entry, added] =
      file_index_.emplace(number, static_cast<std::uint16_t>(file_index_.size()));
  if (entry->second >= 0xfff0) return fail("the module names too many files");
  if (module_.files.size() <= entry->second) module_.files.resize(std::size_t{entry->second} + 1);
  module_.files[entry->second] = name;
  return true;
}

bool PtxReader::skip_section() {
  while (!lexer_.at('{')) {
    if (lexer_.peek().kind == PtxTokenKind::kEnd) return fail("the PTX ends inside a .section");
    lexer_.take();
  }
  int depth = 0;
  do {
    if (lexer_.peek().kind == PtxTokenKind::kEnd) return fail("the PTX ends inside a .section");
    const bool opens = lexer_.at('{');
    const bool closes = lexer_.at('}');
    depth += (opens ? 1 : 0) - (closes ? 1 : 0);
    lexer_.take();
  } while (depth > 0);
  return true;
}

bool PtxReader::skip_performance_directives(PtxFunction& function) {
  // .maxntid 256, 1, 1 · .minnctapersm 2 · .noreturn · .pragma "..."; · .abi_preserve 3
  while (lexer_.peek().kind == PtxTokenKind::kDirective) {
    const PtxToken directive = lexer_.take();
    if (directive.text == ".pragma") {
      if (!skip_to_semicolon()) return false;
      continue;
    }
    function.explicit_cluster |= directive.text == ".explicitcluster";
    std::size_t axis = 0;
    while (lexer_.peek().kind == PtxTokenKind::kInteger) {
      const std::uint64_t value = std::clamp<std::uint64_t>(lexer_.take().bits, 1, 1u << 16);
      constexpr std::array kAxes = {&Dim3::x, &Dim3::y, &Dim3::z};
      if (directive.text == ".reqnctapercluster" && axis < kAxes.size())
        function.cluster.*kAxes[axis++] = static_cast<std::uint32_t>(value);
      if (!lexer_.accept(',')) break;
    }
  }
  return true;
}

bool PtxReader::read_function(bool is_entry, bool is_extern) {
  static_cast<void>(is_extern);
  PtxFunction function;
  function.is_entry = is_entry;
  function.line = lexer_.peek().line;
  function_ = &function;
  scopes_.reset(&function);
  scopes_.open();
  location_ = kNoIndex;
  bool good = true;
  if (lexer_.at('(')) good = read_parameters(true, &function.results);
  PtxToken name;
  good = good && expect_identifier(&name, "a function's name");
  function.name = std::string(name.text);
  if (good && lexer_.at('(')) good = read_parameters(true, &function.parameters);
  good = good && skip_performance_directives(function);
  if (good && lexer_.at('{')) {
    function.has_body = true;
    good = read_body(function);
  } else if (good) {
    good = expect(';', "after a function's declaration");
  }
  function_ = nullptr;
  if (!good) return false;
  resolve_labels(function);
  if (!check_labels(function)) return false;
  module_.functions.push_back(std::move(function));
  return true;
}

bool PtxReader::read_parameters(bool declare, std::vector<std::uint32_t>* variables) {
  if (!expect('(', "before the parameters")) return false;
  while (!lexer_.at(')')) {
    const PtxToken space = lexer_.take();
    if (space.text != ".param") {
      return fail_at(space.line,
                     "a .param is expected (parameters in registers are not supported)");
    }
    Qualifiers qualifiers;
    std::uint32_t index = kNoIndex;
    if (!read_qualifiers(&qualifiers)) return false;
    if (!read_one_variable(MemorySpace::kParameter, qualifiers, false, &index)) return false;
    if (declare) variables->push_back(index);
    if (!lexer_.accept(',')) break;
  }
  return expect(')', "after the parameters");
}

void PtxReader::resolve_labels(PtxFunction& function) {
  const auto resolve = [&](PtxOperand& operand) {
    if (operand.kind == OperandKind::kSymbol) {
      operand.index = scopes_.find_label(operand.text, operand.scope);
    }
  };
  for (PtxOperand& operand : function.operands) resolve(operand);
  for (PtxOperand& operand : function.elements) resolve(operand);
  for (PtxFunction::TargetList& list : function.target_lists) {
    for (PtxOperand& operand : list.targets) resolve(operand);
  }
}

bool PtxReader::check_labels(const PtxFunction& function) {
  for (const PtxInstruction& instruction : function.instructions) {
    if (instruction.mnemonic != "bra" || instruction.operand_count == 0) continue;
    const PtxOperand& target = function.operands[instruction.first_operand];
    if (target.kind == OperandKind::kSymbol && target.index != kNoIndex) continue;
    return fail_at(instruction.line, fmt::format("no label '{:.60}' in this function", target.text),
                   "A label stands before an instruction, as in LOOP: add.u32 …");
  }
  return true;
}

}  // namespace tilescope
