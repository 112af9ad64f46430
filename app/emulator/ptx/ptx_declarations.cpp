#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "emulator/ptx/ptx_reader.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
constexpr std::size_t kMostImageBytes = std::size_t{1} << 30;

void append_value(PtxVariable& variable, std::uint64_t bits, unsigned bytes) {
  const std::size_t at = variable.image.size();
  variable.image.resize(at + bytes);
  std::memcpy(variable.image.data() + at, &bits, bytes < 8 ? bytes : 8);
}

}  // namespace

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
      while (!lexer_.at(')') && lexer_.peek().kind != PtxTokenKind::kEnd) lexer_.take();
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
  variable.line = name.line;
  const std::uint32_t element = bytes_of(qualifiers.type) * qualifiers.vector;
  if (element == 0) return fail_at(name.line, "a variable of this type has no bytes");
  variable.alignment = qualifiers.alignment != 0 ? qualifiers.alignment : element;
  variable.bytes = element;
  if (lexer_.at('[') && !read_extents(variable)) return false;
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
    if (extent != 0 && count > kMostBytes / extent) return fail("the array is too large");
    count *= extent;
  }
  if (count > kMostBytes / 64) return fail("the array is too large");
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

}  // namespace tilescope
