#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dim3.h"
#include "ptx/data_type.h"
#include "ptx/opcode.h"

namespace tilescope {

inline constexpr std::uint32_t kNoIndex = 0xffffffff;

// A line of the source that the PTX was compiled from.
struct SourceLine {
  std::uint16_t file = 0;  // index into PtxModule::files
  std::uint32_t line = 0;  // 1-based; 0: no line is known
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// What an instruction names. Registers and variables are resolved by the parser, labels when their
// function ends; a name that is neither stays a symbol (function names, special registers).
enum class OperandKind : std::uint8_t {
  kRegister,  // index: the function's register
  kInteger,   // bits
  kFloat,     // bits: of an f64, or of an f32 when is_f32
  kVariable,  // index: the module's variable; displacement added
  kSpecial,   // text: "%tid.x"
  kSymbol,    // text; index: instruction when it is a label
  kAddress,   // [base + displacement, {coordinates}]: base kind in base_kind, index, text
  kVector,    // {...}: elements at index .. index + count in PtxFunction::elements
  kGroup,     // (...): the arguments of a call, as kVector
  kSink,      // _
};

struct PtxOperand {
  OperandKind kind = OperandKind::kInteger;
  OperandKind base_kind = OperandKind::kInteger;  // kAddress only
  bool negated = false;                           // !p, or -a
  bool joined = false;                            // second half of p|q
  bool is_f32 = false;
  std::uint32_t index = kNoIndex;
  std::uint32_t count = 0;        // of elements, or of coordinates
  std::uint32_t coordinates = 0;  // kAddress only: the first, in PtxFunction::elements
  std::uint32_t scope = 0;        // where a symbol was named, for labels
  std::int64_t displacement = 0;
  std::uint64_t bits = 0;
  std::string_view text;
  std::string_view part;  // ".b0" of %r1.b0
};

// The source position of a .loc directive; `parent` is the .loc it was inlined at.
struct PtxLocation {
  SourceLine line;
  std::uint32_t column = 0;
  std::uint32_t parent = kNoIndex;
};

struct PtxInstruction {
  std::string_view text;              // with its guard and semicolon
  const PtxOpcode* opcode = nullptr;  // one of PtxModule::opcodes
  std::uint32_t line = 0;
  std::uint32_t location = kNoIndex;  // into PtxModule::locations
  std::uint32_t guard = kNoIndex;     // predicate register
  bool guard_negated = false;
  std::uint32_t first_operand = 0;  // into PtxFunction::operands
  std::uint32_t operand_count = 0;

  [[nodiscard]] bool is(Mnemonic kind) const { return opcode->kind == kind; }
  [[nodiscard]] bool has(Modifier modifier) const { return opcode->modifiers.has(modifier); }
};

struct PtxRegister {
  std::string_view name;            // exact name, or the prefix of a range
  std::uint32_t number = kNoIndex;  // within the range
  DataType type = DataType::kB32;
};

// A place in an initialiser that holds the address of another variable or of a function.
struct PtxRelocation {
  std::uint64_t offset = 0;
  std::uint32_t variable = kNoIndex;
  std::int64_t addend = 0;
  bool generic = false;
  std::uint64_t mask = ~std::uint64_t{0};  // the address's bits that stand here, shifted down
  std::string function;                    // when it is no variable's
};

struct PtxVariable {
  std::string name;
  MemorySpace space = MemorySpace::kGlobal;
  DataType type = DataType::kB8;
  std::uint32_t alignment = 1;
  std::uint64_t bytes = 0;  // 0: an extern array without extent
  bool is_array = false;
  bool is_extern = false;
  bool is_managed = false;       // .attribute(.managed): the host uses it, too
  std::vector<std::byte> image;  // shorter than bytes: the rest is zero
  std::vector<PtxRelocation> relocations;
  std::uint32_t line = 0;
};

// What malloc() and free() of kernels hand out, and where the parameters of kernels lie that
// kernels launch: a variable that no text declares. A module has it that declares one of these
// functions, so that it lives as long as other variables of the device do.
inline constexpr std::string_view kDeviceHeap = "$heap";
inline constexpr std::uint64_t kDeviceHeapBytes = std::uint64_t{32} << 20;
[[nodiscard]] bool uses_device_heap(std::string_view function);

struct PtxFunction {
  std::string name;
  bool is_entry = false;
  bool has_body = false;
  std::uint32_t line = 0;
  Dim3 cluster;                           // .reqnctapercluster
  std::optional<Dim3> required_block;     // .reqntid
  std::optional<Dim3> largest_block;      // .maxntid
  bool explicit_cluster = false;          // .explicitcluster
  std::vector<std::uint32_t> parameters;  // variables
  std::vector<std::uint32_t> results;     // variables
  std::vector<std::uint32_t> variables;   // .shared, .local and .param ones of the body
  std::vector<PtxRegister> registers;
  std::vector<PtxInstruction> instructions;
  std::vector<PtxOperand> operands;
  std::vector<PtxOperand> elements;
  // .branchtargets lists, by label; entries are instructions.
  struct TargetList {
    std::string_view name;
    std::uint32_t scope = 0;
    std::vector<PtxOperand> targets;
  };
  std::vector<TargetList> target_lists;
};

struct PtxModule {
  std::string version;  // "9.0"
  std::string target;   // "sm_90"
  std::vector<PtxVariable> variables;
  std::vector<PtxFunction> functions;
  std::vector<std::string> files;
  std::vector<PtxLocation> locations;
  // The function of that name, with its body where there is one.
  [[nodiscard]] std::optional<std::uint32_t> find_function(std::string_view name) const;
  // The variable of the module's own of that name.
  [[nodiscard]] std::optional<std::uint32_t> find_variable(std::string_view name) const;

  std::deque<PtxOpcode> opcodes;      // each once, so that none moves
  std::deque<std::string> rewritten;  // texts of instructions that span lines, on one line
};

}  // namespace tilescope
