#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dim3.h"
#include "core/result.h"
#include "emulator/operation.h"
#include "ptx/opcode.h"
#include "ptx/syntax.h"

namespace tilescope {

namespace machine {
struct Instruction;
}

// What an instruction does with memory. The names of Nsight's inst_executed_op_* follow from it.
enum class AccessKind : std::uint8_t {
  kNone,
  kLoad,       // ld
  kStore,      // st
  kAtomic,     // atom, red
  kAsyncCopy,  // cp.async (LDGSTS): reads global, writes shared
  kLdmatrix,
  kStmatrix,
};

// What sets accesses of one kind apart for the memory pipe.
enum class AccessVariant : std::uint8_t {
  kPlain,
  kReduction,       // kAtomic: returns nothing (red)
  kCompareAndSwap,  // kAtomic
  kLanesCounted,    // kAtomic as issued: lanes with one address add their number (ATOMS.POPC.INC)
  kSpin,            // kAtomic as issued: serves one lane a bank, the others try again (ATOMS.CAST)
  kBypass,          // kAsyncCopy: past the L1 cache (cp.async.cg)
};

// Coarse classes for colours and instruction mixes.
enum class InstructionClass : std::uint8_t {
  kMemory,
  kFloat,   // add, mul, fma ... on f16, bf16, f32, f64
  kTensor,  // mma, wmma
  kInteger,
  kConvert,
  kControl,  // bra, call, ret, exit
  kSync,     // bar, fences, cp.async commit and wait
  kWarp,     // shfl, vote, match, redux
  kMove,     // mov, selp, cvta, special registers
};

[[nodiscard]] std::string_view name_of(InstructionClass instruction_class);  // "memory" ...

// The unit of a multiprocessor's quarter that executes an instruction.
enum class ExecutionUnit : std::uint8_t {
  kNone,  // nothing but an issue slot, or the uniform data path
  kFma,
  kHalf,      // as kFma: arithmetic on f16 and bf16
  kMultiply,  // as kFma: products of integers
  kAlu,
  kDouble,
  kSpecial,
  kTensor,
  kMemory
};

// What an instruction does to the order of things, beside what it computes.
enum class Synchronisation : std::uint8_t {
  kNone,
  kBlockFence,      // membar.cta, fence.*.cta
  kDeviceFence,     // membar.gl, fence.*.gpu ...
  kCommitCopies,    // cp.async.commit_group; LDGDEPBAR
  kWaitCopies,      // cp.async.wait_group; DEPBAR: until `groups` are under way at most
  kWaitAllCopies,   // cp.async.wait_all, which commits before it waits
  kWaitBulkCopies,  // cp.async.bulk.wait_group
  kStartMbarrier,   // mbarrier.init
  kArriveMbarrier,  // what else is done to one, but for waiting
  kWaitMbarrier     // mbarrier.test_wait, try_wait; SYNCS.PHASECHK
};

// What an instruction asks of the lanes of its warp.
enum class WarpUse : std::uint8_t {
  kNone,
  kNamed,    // .sync: those in its member mask come to it
  kAll,      // ldmatrix, mma ...: undefined without all of them
  kTogether  // wmma, wgmma: likewise, and taken to keep them together
};

// Which way an instruction has the copy engine move data while its thread goes on: cp.async.bulk,
// .tensor and cp.reduce.async.bulk; UBLKCP, UTMALDG and their kin.
enum class BulkMove : std::uint8_t {
  kNone,
  kIntoShared,    // from global memory, told of by an mbarrier
  kOutOfShared,   // to global memory, in a bulk group
  kBetweenShared  // from a block's shared memory to another's of its cluster
};

// How control goes on after an instruction.
enum class Control : std::uint8_t { kNext, kBranch, kCall, kReturn };

// One instruction as the analyses see it. Index = its place in Program::instructions().
// Of machine code, `mnemonic`, `opcode`, `unit`, `synchronisation` and `control` are the machine
// instruction's; modifiers, operands and registers are those of the PTX that stands for it.
struct StaticInstruction {
  std::string_view text;      // as written, "@%p1 ld.shared.f32 %f12, [%r7+128];": to be shown
  std::string_view opcode;    // of it "ld.shared.f32": to be shown
  std::string_view mnemonic;  // "ld", "LDS": to be shown
  Mnemonic ptx_mnemonic = Mnemonic::kUnknown;  // kUnknown for machine code
  std::uint32_t ptx_line = 0;  // 1-based; of machine code: in Program::machine_code()
  SourceLine source;           // where it comes from: innermost in the kernel's own file
  SourceLine outermost;        // the line of the kernel, or of the one function it hands all to
  InstructionClass instruction_class = InstructionClass::kMove;
  MemorySpace space = MemorySpace::kNone;
  AccessKind access = AccessKind::kNone;
  AccessVariant variant = AccessVariant::kPlain;
  ExecutionUnit unit = ExecutionUnit::kNone;
  Synchronisation synchronisation = Synchronisation::kNone;
  std::uint8_t groups = 0;  // kWaitCopies
  WarpUse warp_use = WarpUse::kNone;
  Control control = Control::kNext;
  BulkMove bulk_move = BulkMove::kNone;
  Operation operation = Operation::kNothing;
  std::uint8_t bytes_per_lane = 0;  // whole access: a v4.f32 has 16
  std::uint8_t vector = 1;          // elements of it: of .v4 4
  std::uint16_t flop_per_lane = 0;  // fma 2, add 1 ...
  std::uint32_t basic_block = 0;
  std::uint16_t loop = 0;   // index into Program::loops() + 1 of the innermost loop; 0: none
  std::int16_t phase = -1;  // index into Program::phases(); -1: before the first marker
  bool is_barrier = false;
  bool counts = true;   // false: only helps the next one; as issued, part of a machine instruction
  ProductShape matrix;  // of a product of matrices
  Modifiers modifiers;
  std::span<const PtxOperand> operands;
  // Registers and predicates, each with a number of its own, 0 .. Program::register_count(). One
  // that is read and written stands in both; one may stand there twice.
  std::span<const std::uint32_t> reads;
  std::span<const std::uint32_t> writes;
  std::uint32_t guard = kNoIndex;                // the predicate's number
  std::uint32_t first_register = 0;              // number of its function's register 0
  const PtxOperand* elements = nullptr;          // its function's
  const machine::Instruction* issued = nullptr;  // of machine code

  [[nodiscard]] bool is(Mnemonic kind) const { return ptx_mnemonic == kind; }
  [[nodiscard]] bool has(Modifier modifier) const { return modifiers.has(modifier); }
  [[nodiscard]] bool reads_in_bulk() const { return bulk_move == BulkMove::kOutOfShared; }
  [[nodiscard]] bool fills_in_bulk() const {
    return bulk_move == BulkMove::kIntoShared || bulk_move == BulkMove::kBetweenShared;
  }
  [[nodiscard]] std::span<const PtxOperand> elements_of(const PtxOperand& list) const {
    return {elements + list.index, list.count};
  }
  // The first operand between brackets; nullptr: none.
  [[nodiscard]] const PtxOperand* address() const;
  // Calls f(number) for each register that an operand names: of an address its base and its
  // coordinates, of a list its elements.
  template <class F>
  void for_registers(const PtxOperand& operand, F f) const {
    switch (operand.kind) {
      case OperandKind::kRegister:
        f(first_register + operand.index);
        break;
      case OperandKind::kAddress:
        if (operand.base_kind == OperandKind::kRegister) f(first_register + operand.index);
        for (std::uint32_t i = 0; i < operand.count; ++i)
          for_registers(elements[operand.coordinates + i], f);
        break;
      case OperandKind::kVector:
      case OperandKind::kGroup:
        for (const PtxOperand& element : elements_of(operand)) for_registers(element, f);
        break;
      default:
        break;
    }
  }
};

// A natural loop of the control-flow graph.
struct Loop {
  std::uint32_t header = 0;  // first instruction of its header block
  std::uint16_t parent = 0;  // index + 1 of the enclosing loop; 0: outermost
  std::uint16_t depth = 1;
};

struct KernelParameter {
  std::string name;
  std::uint32_t offset = 0;  // bytes into the parameter block
  std::uint32_t bytes = 0;
  std::uint32_t alignment = 0;
};

// The entry function of a PTX module, decoded once for warp-wide execution. Immutable; shared
// between threads. Built by decode_ptx().
class Program {
 public:
  Program();
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  [[nodiscard]] const std::string& kernel() const;
  [[nodiscard]] const std::string& target() const;  // "sm_90"
  [[nodiscard]] const std::vector<StaticInstruction>& instructions() const;
  [[nodiscard]] const std::vector<Loop>& loops() const;
  [[nodiscard]] const std::vector<std::string>& files() const;
  [[nodiscard]] const std::vector<std::string>& phases()
      const;  // names in order of first appearance
  [[nodiscard]] const std::vector<KernelParameter>& parameters() const;
  [[nodiscard]] std::uint32_t register_count() const;  // of the numbers in reads and writes
  [[nodiscard]] std::uint32_t static_shared_bytes() const;
  [[nodiscard]] const Dim3& cluster() const;   // blocks that the kernel asks to be run together
  [[nodiscard]] bool is_machine_code() const;  // made by decode_machine_code()
  // Its instructions and labels as text, a line each; empty for PTX. ptx_line counts these lines.
  [[nodiscard]] const std::string& machine_code() const;

  // Instructions that the emulator cannot execute, by index. A launch that reaches one reports it
  // as a finding and its result is not complete.
  [[nodiscard]] const std::vector<std::uint32_t>& unsupported() const;

  struct Implementation;  // emulator-internal: micro-operations, register layout, reconvergence
  [[nodiscard]] const Implementation& implementation() const { return *implementation_; }
  [[nodiscard]] Implementation& implementation() { return *implementation_; }

 private:
  std::unique_ptr<Implementation> implementation_;
};

// `kernel`: the entry's (mangled) name; empty takes the module's only entry.
// `source`: the CUDA text the PTX came from, for TILESCOPE_PHASE markers; may be empty.
// Errors (kKernel): text that is no PTX, with its line; an entry that is not there, with those that
// are.
[[nodiscard]] Result<std::shared_ptr<const Program>> decode_ptx(std::string_view ptx,
                                                                std::string_view kernel,
                                                                std::string_view source);

// The same with what a launch decides: where the module's variables lie, the cluster's extents.
struct ProgramPlacement;
[[nodiscard]] Result<std::shared_ptr<const Program>> decode_placed_ptx(
    std::string_view ptx, std::string_view kernel, std::string_view source,
    const ProgramPlacement& placement);

// PTX that a person handed in, as no compiler's work but its own source: an instruction's line is
// its own in the PTX, in the file `file_name`, whatever .loc says it was made from. Errors as
// above.
[[nodiscard]] Result<std::shared_ptr<const Program>> decode_ptx_file(std::string_view ptx,
                                                                     std::string_view kernel,
                                                                     std::string_view file_name);

// The line of the kernel's own file that an instruction belongs to; 0: none is known.
[[nodiscard]] std::uint32_t own_line(const Program& program, std::uint32_t instruction);

}  // namespace tilescope
