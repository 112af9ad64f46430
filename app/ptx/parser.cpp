#include "ptx/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ptx/lexer.h"
#include "ptx/place.h"
#include "ptx/scope.h"

namespace tilescope {
namespace {

constexpr int kNextMajorVersion = 10;  // of the PTX ISA: one that nobody has seen
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
constexpr std::size_t kMostImageBytes = std::size_t{1} << 30;

void append_value(PtxVariable& variable, std::uint64_t bits, unsigned bytes) {
  const std::size_t at = variable.image.size();
  variable.image.resize(at + bytes);
  std::memcpy(variable.image.data() + at, &bits, bytes < 8 ? bytes : 8);
}

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

// The recursive-descent reader behind parse_ptx(). Its methods return false once error_ is set.
class PtxReader {
 public:
  explicit PtxReader(std::string_view text) : lexer_(text) {}
  Result<PtxModule> read();
  PtxModule read_leniently(PtxBodies bodies);

 private:
  bool read_module_item();
  bool read_version(std::uint32_t line);
  bool read_target();
  bool read_file();
  bool skip_section();
  void add_device_heap();
  bool read_function(bool is_entry, bool is_extern);
  bool read_parameters(bool declare, std::vector<std::uint32_t>* variables);
  bool skip_performance_directives(PtxFunction& function);
  void resolve_labels(PtxFunction& function);
  bool check_labels(const PtxFunction& function);

  struct Qualifiers {
    DataType type = DataType::kNone;
    std::uint32_t alignment = 0;
    std::uint32_t vector = 1;
    bool is_managed = false;
  };
  bool read_qualifiers(Qualifiers* qualifiers);
  bool read_variables(MemorySpace space, bool is_extern, bool in_function);
  bool read_one_variable(MemorySpace space, const Qualifiers& qualifiers, bool is_extern,
                         std::uint32_t* index);
  bool read_extents(PtxVariable& variable);
  bool read_initialiser(PtxVariable& variable);
  bool read_initial_value(PtxVariable& variable);
  bool read_address(PtxVariable& variable, std::uint64_t mask);
  bool read_addend(PtxRelocation* relocation);
  bool read_registers();

  bool read_body(PtxFunction& function);
  bool read_statement(PtxFunction& function);
  void skip_statement();
  bool read_body_directive(PtxFunction& function);
  bool read_location();
  bool read_label_rest(PtxFunction& function, const PtxToken& name);
  bool read_instruction(PtxFunction& function);
  const PtxOpcode* opcode_of(std::string_view mnemonic, std::string_view suffix);
  bool read_operands(PtxFunction& function, PtxInstruction& instruction);
  bool read_operand(PtxFunction& function, PtxOperand* operand);
  bool read_simple_operand(PtxOperand* operand);
  bool read_address(PtxFunction& function, PtxOperand* operand);
  bool read_elements(PtxFunction& function, char close, PtxOperand* operand);
  bool read_displacement(PtxOperand* operand);
  bool resolve_name(const PtxToken& name, PtxOperand* operand);

  bool skip_to_semicolon();
  bool expect(char punctuation, std::string_view where);
  bool expect_identifier(PtxToken* name, std::string_view what);
  bool expect_integer(std::uint64_t* value, std::string_view what);
  bool fail(std::string message);
  bool fail_at(std::uint32_t line, std::string message, std::string remedy = "");
  bool check_integer(const PtxToken& token);  // that its value fits
  [[nodiscard]] Error placed_error() const;

  PtxLexer lexer_;
  PtxModule module_;
  PtxScopes scopes_;
  PtxFunction* function_ = nullptr;
  std::unordered_map<std::string_view, std::uint32_t> module_variables_;
  std::unordered_map<std::uint64_t, std::uint16_t> file_index_;      // PTX file number -> files
  std::unordered_map<std::uint64_t, std::uint32_t> location_index_;  // of inlined .locs, by place
  std::unordered_map<std::string_view, const PtxOpcode*> opcodes_;   // of the module, by text
  std::uint32_t location_ = kNoIndex;
  bool is_lenient_ = false;
  bool skips_bodies_ = false;
  bool failed_ = false;
  Error error_;
};

}  // namespace

bool uses_device_heap(std::string_view function) {
  return function == "malloc" || function == "free" || function.starts_with("__cudaCDP2") ||
         function == "cudaGetParameterBufferV2";
}

Result<PtxModule> parse_ptx(std::string_view text) { return PtxReader(text).read(); }

PtxModule read_what_is_ptx(std::string_view text, PtxBodies bodies) {
  return PtxReader(text).read_leniently(bodies);
}

std::optional<std::uint32_t> PtxModule::find_function(std::string_view name) const {
  std::optional<std::uint32_t> found;
  for (std::uint32_t f = 0; f < functions.size(); ++f) {
    if (functions[f].name != name) continue;
    if (functions[f].has_body) return f;
    if (!found) found = f;
  }
  return found;
}

std::optional<std::uint32_t> PtxModule::find_variable(std::string_view name) const {
  const auto found = std::ranges::find(variables, name, &PtxVariable::name);
  if (found == variables.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - variables.begin());
}

bool PtxReader::fail(std::string message) {
  return fail_at(lexer_.peek().line, std::move(message));
}

bool PtxReader::fail_at(std::uint32_t line, std::string message, std::string remedy) {
  if (failed_) return false;
  failed_ = true;
  error_.code = ErrorCode::kCompile;
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
  add_device_heap();
  return std::move(module_);
}

void PtxReader::add_device_heap() {
  const bool has_heap = std::ranges::any_of(module_.functions, [&](const PtxFunction& function) {
    return !function.has_body && uses_device_heap(function.name);
  });
  if (!has_heap) return;
  PtxVariable heap;
  heap.name = std::string(kDeviceHeap);
  heap.alignment = 256;
  heap.bytes = kDeviceHeapBytes;
  heap.is_array = true;
  module_.variables.push_back(std::move(heap));
}

PtxModule PtxReader::read_leniently(PtxBodies bodies) {
  is_lenient_ = true;
  skips_bodies_ = bodies == PtxBodies::kSkip;
  while (lexer_.peek().kind != PtxTokenKind::kEnd) {
    read_module_item();
    failed_ = false;
  }
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
  module_.version = std::string(version.text);
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
  module_.target = std::string(target.text);
  constexpr std::string_view kPrefix = "sm_";
  const bool known = target.text.starts_with(kPrefix) && target.text.size() > kPrefix.size() &&
                     target.text[kPrefix.size()] >= '1' && target.text[kPrefix.size()] <= '9';
  if (!known) {
    return fail_at(target.line, fmt::format(".target {:.40} is no architecture", target.text),
                   "Name one such as sm_90");
  }
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
    Dim3 extent;
    bool is_block = true;  // one that a device can launch
    std::size_t axis = 0;
    while (lexer_.peek().kind == PtxTokenKind::kInteger) {
      const std::uint64_t value = lexer_.take().bits;
      constexpr std::array kAxes = {&Dim3::x, &Dim3::y, &Dim3::z};
      if (axis < kAxes.size())
        extent.*kAxes[axis++] =
            static_cast<std::uint32_t>(std::clamp<std::uint64_t>(value, 1, 1u << 16));
      is_block = is_block && value >= 1 && value <= 1024;
      if (!lexer_.accept(',')) break;
    }
    if (axis == 0) continue;
    if (directive.text == ".reqntid" && !is_block) {
      return fail_at(directive.line, ".reqntid asks for a block that no device can launch",
                     "A block has at most 1,024 threads along an axis, and in all");
    }
    if (directive.text == ".reqnctapercluster") function.cluster = extent;
    if (directive.text == ".reqntid" && is_block) function.required_block = extent;
    if (directive.text == ".maxntid" && is_block) function.largest_block = extent;
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
    if (skips_bodies_) {
      lexer_.skip_braces();
    } else {
      good = read_body(function);
    }
  } else if (good) {
    good = expect(';', "after a function's declaration");
  }
  function_ = nullptr;
  if (is_lenient_ && !name.text.empty()) {
    module_.functions.push_back(std::move(function));
    return good;
  }
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
    if (!instruction.is(Mnemonic::kBra) || instruction.operand_count == 0) continue;
    const PtxOperand& target = function.operands[instruction.first_operand];
    if (target.kind == OperandKind::kSymbol && target.index != kNoIndex) continue;
    return fail_at(instruction.line, fmt::format("no label '{:.60}' in this function", target.text),
                   "A label stands before an instruction, as in LOOP: add.u32 …");
  }
  return true;
}

// Declarations: registers, variables and what they are initialised with.

bool PtxReader::read_qualifiers(Qualifiers* qualifiers) {
  bool of_pointee = false;  // .param .type .ptr .space .align N: of what the parameter points to
  while (lexer_.peek().kind == PtxTokenKind::kDirective) {
    const PtxToken token = lexer_.take();
    const std::string_view name = token.text.substr(1);
    if (name == "align") {
      std::uint64_t alignment = 0;
      if (!expect_integer(&alignment, "an alignment")) return false;
      if (!std::has_single_bit(alignment) || alignment > (1u << 20)) {
        return fail_at(token.line, "an alignment is a power of two");
      }
      if (!of_pointee) qualifiers->alignment = static_cast<std::uint32_t>(alignment);
    } else if (name == "v2" || name == "v4" || name == "v8") {
      qualifiers->vector = static_cast<std::uint32_t>(name[1] - '0');
    } else if (name == "ptr") {
      of_pointee = true;
    } else if (name == "global" || name == "shared" || name == "const" || name == "local" ||
               name == "param") {
      continue;  // where a pointer parameter points
    } else if (name == "attribute") {
      if (!expect('(', "after .attribute")) return false;
      while (!lexer_.at(')') && lexer_.peek().kind != PtxTokenKind::kEnd)
        qualifiers->is_managed |= lexer_.take().text == ".managed";
      if (!expect(')', "after an attribute")) return false;
    } else if (name == "texref" || name == "samplerref" || name == "surfref") {
      qualifiers->type = DataType::kB64;
    } else if (const auto type = parse_data_type(name)) {
      qualifiers->type = *type;
    } else {
      return fail_at(token.line, fmt::format("unknown type '{:.40}'", token.text));
    }
  }
  if (qualifiers->type == DataType::kNone) return fail("a type is expected");
  return true;
}

bool PtxReader::read_one_variable(MemorySpace space, const Qualifiers& qualifiers, bool is_extern,
                                  std::uint32_t* index) {
  PtxToken name;
  if (!expect_identifier(&name, "a variable's name")) return false;
  PtxVariable variable;
  variable.name = std::string(name.text);
  variable.space = space;
  variable.type = qualifiers.type;
  variable.is_extern = is_extern;
  variable.is_managed = qualifiers.is_managed;
  variable.line = name.line;
  const std::uint32_t element = bytes_of(qualifiers.type) * qualifiers.vector;
  if (element == 0) return fail_at(name.line, "a variable of this type has no bytes");
  variable.alignment = qualifiers.alignment != 0 ? qualifiers.alignment : element;
  variable.bytes = element;
  variable.is_array = lexer_.at('[');
  if (variable.is_array && !read_extents(variable)) return false;
  if (lexer_.accept('=') && !read_initialiser(variable)) return false;
  *index = static_cast<std::uint32_t>(module_.variables.size());
  module_.variables.push_back(std::move(variable));
  if (function_ != nullptr) {
    scopes_.declare_variable(name.text, *index);
  } else {
    module_variables_[name.text] = *index;
  }
  return true;
}

namespace {

std::string too_large(const PtxVariable& variable) {
  return fmt::format("the array {:.40} is larger than any memory of a GPU", variable.name);
}

}  // namespace

bool PtxReader::read_extents(PtxVariable& variable) {
  std::uint64_t count = 1;
  bool open = false;
  while (lexer_.accept('[')) {
    if (lexer_.accept(']')) {
      open = true;
      continue;
    }
    std::uint64_t extent = 0;
    if (!expect_integer(&extent, "an extent")) return false;
    if (!expect(']', "after an extent")) return false;
    if (extent != 0 && count > kMostBytes / extent) return fail(too_large(variable));
    count *= extent;
  }
  if (count > kMostBytes / 64) return fail(too_large(variable));
  variable.bytes = open ? 0 : variable.bytes * count;
  return true;
}

bool PtxReader::read_initialiser(PtxVariable& variable) {
  int depth = 0;
  do {
    if (lexer_.accept('{')) {
      ++depth;
    } else if (lexer_.accept('}')) {
      --depth;
    } else if (!lexer_.accept(',')) {
      if (!read_initial_value(variable)) return false;
    }
    if (variable.image.size() > kMostImageBytes) return fail("the initialiser is too large");
    if (lexer_.peek().kind == PtxTokenKind::kEnd) return fail("the PTX ends inside an initialiser");
  } while (depth > 0);
  if (variable.bytes < variable.image.size()) variable.bytes = variable.image.size();
  return true;
}

bool PtxReader::read_initial_value(PtxVariable& variable) {
  const unsigned bytes = bytes_of(variable.type);
  const bool negative = lexer_.accept('-');
  if (lexer_.peek().kind == PtxTokenKind::kIdentifier) return read_address(variable, ~0ULL);
  const PtxToken value = lexer_.take();
  std::uint64_t bits = value.bits;
  if (value.kind == PtxTokenKind::kInteger) {
    if (!check_integer(value)) return false;
    if (lexer_.accept('(')) {  // 0xFF00(address): its second byte
      if (bits == 0) return fail("a mask without a bit");
      return read_address(variable, bits) && expect(')', "after a masked address");
    }
    bits = negative ? 0 - bits : bits;
    if (variable.type == DataType::kF32 || variable.type == DataType::kF64) {
      const auto number = static_cast<double>(static_cast<std::int64_t>(bits));
      bits = variable.type == DataType::kF64
                 ? std::bit_cast<std::uint64_t>(number)
                 : std::bit_cast<std::uint32_t>(static_cast<float>(number));
    }
  } else if (value.kind == PtxTokenKind::kFloat) {
    double number = std::bit_cast<double>(bits);
    if (negative) number = -number;
    bits = std::bit_cast<std::uint64_t>(number);
    if (variable.type == DataType::kF32) {
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
    }
  } else if (value.kind == PtxTokenKind::kFloat32) {
    if (negative) bits ^= 0x80000000u;
    if (variable.type == DataType::kF64) {
      const float number = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      bits = std::bit_cast<std::uint64_t>(static_cast<double>(number));
    }
  } else {
    return fail_at(value.line, fmt::format("a value is expected, not '{:.40}'", value.text));
  }
  append_value(variable, bits, bytes);
  return true;
}

// name, generic(name), either with + or - a number of bytes.
bool PtxReader::read_address(PtxVariable& variable, std::uint64_t mask) {
  PtxToken name;
  if (!expect_identifier(&name, "a variable's name")) return false;
  PtxRelocation relocation;
  relocation.offset = variable.image.size();
  relocation.mask = mask;
  relocation.generic = name.text == "generic" && lexer_.at('(');
  if (relocation.generic) {
    lexer_.take();
    if (!expect_identifier(&name, "a variable's name")) return false;
    if (!read_addend(&relocation) || !expect(')', "after generic(…")) return false;
  }
  const auto found = module_variables_.find(name.text);
  if (found != module_variables_.end()) relocation.variable = found->second;
  if (found == module_variables_.end()) relocation.function = std::string(name.text);
  if (!read_addend(&relocation)) return false;
  append_value(variable, 0, bytes_of(variable.type));
  variable.relocations.push_back(relocation);
  return true;
}

bool PtxReader::read_addend(PtxRelocation* relocation) {
  if (!lexer_.at('+') && !lexer_.at('-')) return true;
  const bool negative = lexer_.take().text == "-";
  std::uint64_t addend = 0;
  if (!expect_integer(&addend, "an offset")) return false;
  relocation->addend = static_cast<std::int64_t>(static_cast<std::uint64_t>(relocation->addend) +
                                                 (negative ? 0 - addend : addend));
  return true;
}

bool PtxReader::read_variables(MemorySpace space, bool is_extern, bool in_function) {
  Qualifiers qualifiers;
  if (!read_qualifiers(&qualifiers)) return false;
  do {
    std::uint32_t index = kNoIndex;
    if (!read_one_variable(space, qualifiers, is_extern, &index)) return false;
    if (in_function) function_->variables.push_back(index);
  } while (lexer_.accept(','));
  return expect(';', "after a variable");
}

bool PtxReader::read_registers() {
  Qualifiers qualifiers;
  if (!read_qualifiers(&qualifiers)) return false;
  if (qualifiers.vector != 1) return fail("vector registers are not supported");
  do {
    PtxToken name;
    if (!expect_identifier(&name, "a register's name")) return false;
    if (lexer_.accept('<')) {
      std::uint64_t count = 0;
      if (!expect_integer(&count, "the number of registers")) return false;
      if (!expect('>', "after the number of registers")) return false;
      if (count > PtxScopes::kMostDeclared) return fail("too many registers are declared");
      scopes_.declare_range(name.text, static_cast<std::uint32_t>(count), qualifiers.type);
    } else {
      scopes_.declare_register(name.text, qualifiers.type);
    }
  } while (lexer_.accept(','));
  return expect(';', "after registers");
}

// Bodies: directives, labels and instructions.

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
      if (!is_lenient_) return false;
      skip_statement();
    }
  }
}

// What cannot be read, as far as its semicolon.
void PtxReader::skip_statement() {
  failed_ = false;
  while (!lexer_.accept(';')) {
    if (lexer_.at('}') || lexer_.peek().kind == PtxTokenKind::kEnd) return;
    lexer_.take();
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
  instruction.opcode = opcode_of(mnemonic.text, lexer_.take_suffix());
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

const PtxOpcode* PtxReader::opcode_of(std::string_view mnemonic, std::string_view suffix) {
  const std::string_view text(mnemonic.data(), mnemonic.size() + suffix.size());
  const auto [found, is_new] = opcodes_.try_emplace(text);
  if (is_new) found->second = &module_.opcodes.emplace_back(read_opcode(mnemonic, suffix));
  return found->second;
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
  if (lexer_.accept(',')) {  // coordinates of tensors and textures
    PtxOperand coordinates;
    if (lexer_.at('[')) return fail("an address inside an address is no PTX");
    if (!read_operand(function, &coordinates)) return false;
    if (coordinates.kind != OperandKind::kVector) {  // one, without braces
      coordinates.index = static_cast<std::uint32_t>(function.elements.size());
      coordinates.count = 1;
      function.elements.push_back(coordinates);
    }
    operand->coordinates = coordinates.index;
    operand->count = coordinates.count;
  }
  while (lexer_.accept(',')) {  // a sampler before them: which is which is not looked into
    PtxOperand ignored;
    if (lexer_.at('[')) return fail("an address inside an address is no PTX");
    if (!read_operand(function, &ignored)) return false;
    operand->base_kind = OperandKind::kVector;
  }
  return expect(']', "after an address");
}

}  // namespace tilescope
