#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "emulator/machine/listing.h"

namespace tilescope::machine {

// The machine code of a kernel as a PTX module that does the same, register by register: what
// remains to be done is done by the emulator of PTX. A memory instruction becomes exactly one of
// PTX, of the same width and guard.
struct LiftedKernel {
  std::string ptx;
  // By PTX line (1-based; [0] unused): the machine instruction whose execution the line stands for;
  // kNoInstruction for the lines that only help it.
  static constexpr std::uint32_t kNoInstruction = 0xffffffff;
  std::vector<std::uint32_t> instruction_of_line;
};

// `parameters`: of the kernel, in order. Errors (kKernel): code that is too long.
// Machine instructions nobody has taught to this lifter become PTX ones that the decoder refuses by
// name, so a launch that reaches one says so.
[[nodiscard]] Result<LiftedKernel> lift(const Listing& listing, std::string_view kernel,
                                        std::string_view target,
                                        const std::vector<KernelParameter>& parameters);

// Writes the PTX of one machine instruction. Values of operands are PTX operands (register names or
// literals); what has to be computed for them goes into temporaries of its own first.
class InstructionWriter {
 public:
  InstructionWriter(const Listing& listing, const std::vector<KernelParameter>& parameters)
      : listing_(listing), parameters_(parameters) {}

  void begin(const Instruction& instruction);
  [[nodiscard]] const Instruction& instruction() const { return *instruction_; }
  [[nodiscard]] std::size_t operand_count() const { return instruction_->operands.size(); }
  [[nodiscard]] const Operand& operand(std::size_t index) const {
    return instruction_->operands[index];
  }
  // Whoever lifts arithmetic takes each modifier that changes what it computes: with one that
  // nobody took, the instruction is not known here. False: the instruction has no such modifier.
  [[nodiscard]] bool take(std::string_view modifier);
  [[nodiscard]] const std::vector<std::string_view>& take_modifiers();  // all of them
  [[nodiscard]] bool left_a_modifier() const;

  // Appends a statement, under the instruction's guard.
  template <typename... Arguments>
  void emit(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    append(fmt::format(format, std::forward<Arguments>(arguments)...));
  }
  // The same for the statement that stands for the instruction (its last one, if none is named).
  template <typename... Arguments>
  void emit_main(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    main_ = lines_.size();
    append(fmt::format(format, std::forward<Arguments>(arguments)...));
  }
  void append(const std::string& statement);
  // A statement for all the lanes, whatever the guard says.
  void append_for_all(std::string statement) { lines_.push_back(std::move(statement)); }
  // A predicate that holds, for each lane, where the guard does.
  [[nodiscard]] std::string guard_truth();
  // What follows is also under this predicate.
  void narrow_to(const std::string& condition);

  // Temporaries, each used once.
  [[nodiscard]] std::string word();       // .b32
  [[nodiscard]] std::string wide();       // .b64
  [[nodiscard]] std::string half();       // .b16
  [[nodiscard]] std::string predicate();  // .pred

  // Values. Signs are applied: to integers by negation, to numbers by their sign bit.
  [[nodiscard]] std::string integer(const Operand& operand);
  [[nodiscard]] std::string wide_integer(const Operand& operand);
  [[nodiscard]] std::string f32(const Operand& operand);
  [[nodiscard]] std::string f64(const Operand& operand);
  [[nodiscard]] std::string truth(const Operand& operand);  // of a predicate
  // Where an argument lies, or another constant; nullopt: its bank is not known.
  struct ConstantPlace {
    std::string_view space;  // "param", "const"
    std::string address;     // between brackets
  };
  [[nodiscard]] std::optional<ConstantPlace> constant_place(const Operand& operand);
  // Registers themselves, signs ignored: number `offset` after the operand's.
  [[nodiscard]] std::string raw(const Operand& operand, std::uint32_t offset = 0);

  // Destinations: a register's name, or a temporary that is thrown away for RZ and PT.
  [[nodiscard]] std::string to(const Operand& operand, std::uint32_t offset = 0);
  [[nodiscard]] std::string to_predicate(const Operand& operand);
  void set(const Operand& operand, const std::string& value);
  void set_wide(const Operand& operand, const std::string& value);
  void set_predicate(const Operand& operand, const std::string& value);

  void refuse();  // this form is not known

  // Results of begin() .. now.
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  [[nodiscard]] std::size_t main_line() const { return main_; }
  [[nodiscard]] std::uint32_t words() const { return most_words_; }
  [[nodiscard]] std::uint32_t wides() const { return most_wides_; }
  [[nodiscard]] std::uint32_t halves() const { return most_halves_; }
  [[nodiscard]] std::uint32_t predicates() const { return most_predicates_; }
  [[nodiscard]] const Listing& listing() const { return listing_; }

 private:
  [[nodiscard]] std::string constant(const Operand& operand, bool wide);
  // How many bytes the parameter at a place of bank 0 lies further on than in PTX.
  [[nodiscard]] std::int64_t shift_at(std::int64_t place) const;
  [[nodiscard]] std::string launch_constant(std::int64_t offset, bool wide);
  [[nodiscard]] std::string signed_number(std::string value, const Operand& operand, bool wide);

  const Listing& listing_;
  const std::vector<KernelParameter>& parameters_;
  const Instruction* instruction_ = nullptr;
  std::uint64_t taken_ = 0;  // a bit a modifier
  std::string guard_;        // "@%P0 "
  std::string guard_name_;   // "%P0"
  std::vector<std::string> lines_;
  std::size_t main_ = 0;
  std::uint32_t words_ = 0, wides_ = 0, halves_ = 0, predicates_ = 0;
  std::uint32_t most_words_ = 0, most_wides_ = 0, most_halves_ = 0, most_predicates_ = 0;
};

// What bank 4 holds at a place, for PTX: a variable's name, or a number for a function, by which a
// call through a register finds out which one is meant.
inline constexpr std::uint32_t kPrintFunction = 1;   // vprintf
inline constexpr std::uint32_t kAssertFunction = 2;  // __assertfail
[[nodiscard]] std::string symbol_at(const Listing& listing, std::size_t place);

// Addresses, as they stand between brackets: of shared and local memory, and of 64 bits.
[[nodiscard]] std::string address_of(InstructionWriter& writer, const Operand& operand);
[[nodiscard]] std::string wide_address_of(InstructionWriter& writer, const Operand& operand);

// PTX's name for what an atomic does, and its type; nullptr: unknown.
[[nodiscard]] const char* atomic_operation_of(InstructionWriter& writer);
[[nodiscard]] std::string atomic_type_of(InstructionWriter& writer, std::string_view operation);

// PTX's word for how the instruction compares numbers; nullptr: it does not.
[[nodiscard]] const char* comparison_of_numbers(InstructionWriter& writer);
// The end of a comparison P, Q, a, b, p: both predicates from whether it holds.
void write_comparison(InstructionWriter& writer, const std::string& result);

// Families, by what an instruction does. False: not one of theirs.
[[nodiscard]] bool lift_integer(InstructionWriter& writer);
[[nodiscard]] bool lift_video(InstructionWriter& writer);
[[nodiscard]] bool lift_logic(InstructionWriter& writer);
[[nodiscard]] bool lift_float(InstructionWriter& writer);
[[nodiscard]] bool lift_half(InstructionWriter& writer);
[[nodiscard]] bool lift_conversion(InstructionWriter& writer);
[[nodiscard]] bool lift_memory(InstructionWriter& writer);
[[nodiscard]] bool lift_atomic(InstructionWriter& writer);
[[nodiscard]] bool lift_warp(InstructionWriter& writer);
[[nodiscard]] bool lift_matrix(InstructionWriter& writer);
[[nodiscard]] bool lift_warpgroup(InstructionWriter& writer);
[[nodiscard]] bool lift_async(InstructionWriter& writer);
[[nodiscard]] bool lift_convergence(InstructionWriter& writer);
[[nodiscard]] bool lift_movement(InstructionWriter& writer);

// Which functions a kernel's machine code has, and how they call each other. Places are indices of
// instructions of the listing.
struct CallGraph {
  std::map<std::uint32_t, std::uint32_t> functions;  // begin to end; the kernel itself is the first
  std::set<std::uint32_t> returns;                   // where a call comes back to
  bool through_registers = false;                    // a call goes where a register says
  bool recursive = false;                            // a function comes to itself by calls
};

[[nodiscard]] CallGraph call_graph_of(const Listing& listing);

// A call of a function of the listing, by its name or through a register. (One to a label of the
// function itself, ".L_x_6", seen for sm_80, is a jump from which nothing returns; CALL.ABS calls a
// function of the runtime.)
[[nodiscard]] bool is_call(const Instruction& instruction);
[[nodiscard]] bool is_call_through_register(const Instruction& instruction);
// Where the function begins that is called by its name.
[[nodiscard]] std::optional<std::uint32_t> callee_of(const Instruction& instruction,
                                                     const Listing& listing);

// What stands before the code of a lifted kernel: the module's directives, the memory that the code
// names, the kernel's parameters, and its registers. `writer` says how many temporaries were used.
struct LiftedModule {
  const Listing& listing;
  std::string_view kernel;
  std::string_view target;
  const std::vector<KernelParameter>& parameters;
  const std::vector<std::string_view>& files;  // of .loc, from 1 on
  const InstructionWriter& writer;
};
[[nodiscard]] std::string module_head(const LiftedModule& module);

}  // namespace tilescope::machine
