#pragma once
#include <array>
#include <initializer_list>
#include <optional>
#include <string>

#include "emulator/decode/instruction_table.h"
#include "emulator/decode/register_rows.h"
#include "emulator/executors/instruction_set.h"
#include "emulator/warp_access.h"
#include "ptx/syntax.h"

namespace tilescope {

// Where a variable lies in its space, by its index in the module.
struct VariablePlace {
  MemorySpace space = MemorySpace::kNone;
  std::uint64_t address = 0;  // kGlobal: device address; else an offset
  bool framed = false;        // ... from the start of the frame
};

// What the decode functions share for a whole kernel.
struct ProgramPlacement;

struct DecodeState {
  const PtxModule* module = nullptr;
  Code* code = nullptr;
  RegisterRows* rows = nullptr;
  FindExecutor find = nullptr;    // of the chosen instruction set
  std::vector<RowUse> uses;       // of Code::ops
  std::vector<RowUse> last_uses;  // of CodeBlock::last
  std::vector<VariablePlace> places;
  std::vector<bool> framed;            // by function: it has a frame (Code::frame_bytes)
  bool recursive = false;              // one of them may be under way several times
  bool converges_at_barriers = false;  // machine code: lanes meet where it says so
  const ProgramPlacement* placement = nullptr;
  bool lanes_may_lag = false;  // a lane may wait in a loop while others of its warp go on
};

// How the instruction ends its basic block, when it does.
struct BlockEnd {
  EndKind kind = EndKind::kFall;
  BarrierKind barrier = BarrierKind::kSync;
  bool aligned = true;
  bool hidden = false;       // no instruction of its own: the micro-operation before it is
  bool looks_again = false;  // kYield: its micro-operation is repeated until what it asks for holds
  std::uint32_t target_instruction = kNoIndex;  // bra
  std::uint32_t target_function = kNoIndex;     // call
  bool enters_frame = false;                    // ... of a function that has one
  std::uint32_t saves = kNoIndex;               // ... by a function that has one: itself
  std::vector<std::uint32_t> targets;           // brx.idx
  MicroOp op;
  RowUse use;
};

// Hands one instruction's operands to its decode function, as rows, and takes micro-operations.
class InstructionDecoder {
 public:
  InstructionDecoder(DecodeState& state, std::uint32_t function, const PtxInstruction& instruction,
                     std::uint32_t index)
      : state_(state), function_(function), instruction_(instruction), index_(index) {}

  const InstructionForm* form = nullptr;
  Modifiers modifiers;
  std::optional<BlockEnd> end;
  MemorySpace space = MemorySpace::kNone;  // for StaticInstruction
  AccessKind access = AccessKind::kNone;
  AccessVariant variant = AccessVariant::kPlain;
  std::uint8_t bytes_per_lane = 0;
  std::uint16_t flop_per_lane = 0;  // 0: the form's
  std::string reason;               // of a refusal

  [[nodiscard]] const PtxFunction& function() const { return state_.module->functions[function_]; }
  [[nodiscard]] std::uint32_t function_index() const { return function_; }
  [[nodiscard]] const PtxModule& module() const { return *state_.module; }
  [[nodiscard]] DecodeState& state() { return state_; }
  [[nodiscard]] unsigned count() const { return instruction_.operand_count; }
  [[nodiscard]] const PtxOperand& operand(unsigned index) const {
    return function().operands[instruction_.first_operand + index];
  }
  [[nodiscard]] const PtxOperand& element(const PtxOperand& list, unsigned index) const {
    return function().elements[list.index + index];
  }
  [[nodiscard]] DataType register_type(const PtxOperand& operand) const;

  // Rows. A wrong kind of operand is a refusal; the row is then the one that always holds.
  std::uint32_t source(const PtxOperand& operand, DataType type);
  std::uint32_t source(unsigned index, DataType type) { return source(operand(index), type); }
  std::uint32_t destination(const PtxOperand& operand, DataType type);
  std::uint32_t destination(unsigned index, DataType type) {
    return destination(operand(index), type);
  }
  // The rows of a list's elements, or of an operand that is no list, added to `rows`.
  enum class Direction : std::uint8_t { kRead, kWritten };
  bool collect(const PtxOperand& list, DataType type, Direction direction,
               std::vector<std::uint32_t>* rows);
  // A .b128 register is two rows of 64 bits, the low half first.
  std::array<std::uint32_t, 2> pair(const PtxOperand& operand);
  [[nodiscard]] bool is_pair(const PtxOperand& operand) const {
    return register_type(operand) == DataType::kB128;
  }
  std::uint32_t predicate(const PtxOperand& operand);  // `negated` is the caller's business
  std::uint32_t predicate_destination(const PtxOperand& operand);
  [[nodiscard]] bool is_wide(const PtxOperand& operand) const;  // a 64-bit register

  // [base + displacement] as a row and an immediate.
  struct Address {
    std::uint32_t row = 0;
    std::int64_t displacement = 0;
    AddressForm form = AddressForm::kWide;
    MemorySpace variable_space = MemorySpace::kNone;  // where the base is a variable
    bool is_entry_parameter = false;
  };
  Address address(const PtxOperand& operand);

  // Appends a micro-operation; nullptr, refusing, when no executor has this key.
  struct Shape {
    std::initializer_list<std::uint32_t> written;  // rows from row[0] on
    std::initializer_list<std::uint32_t> read;     // rows after them
  };
  MicroOp* emit(OperationKey key, const Shape& shape);
  RowUse& use_of_last() { return state_.uses.back(); }
  void add_further_rows(MicroOp& op, const std::vector<std::uint32_t>& written,
                        const std::vector<std::uint32_t>& read);
  BlockEnd& end_block(EndKind kind);

  bool refuse(std::string why);
  [[nodiscard]] bool refused() const { return !reason.empty(); }
  [[nodiscard]] std::uint32_t static_index() const { return index_; }
  [[nodiscard]] const PtxInstruction& instruction() const { return instruction_; }

 private:
  std::uint32_t constant_of(const PtxOperand& operand, DataType type);

  DecodeState& state_;
  std::uint32_t function_;
  const PtxInstruction& instruction_;
  std::uint32_t index_;
};

// What a program sees as the address of a function.
[[nodiscard]] std::uint64_t function_address(std::uint32_t function);

// The rounding word among the modifiers, else `otherwise`.
[[nodiscard]] Modifier rounding_of(const Modifiers& modifiers, Modifier otherwise);
// The comparison word; kCount: none.
[[nodiscard]] Modifier comparison_of(const Modifiers& modifiers);

}  // namespace tilescope
