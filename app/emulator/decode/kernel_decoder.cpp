#include "emulator/decode/kernel_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "emulator/decode/function_decoder.h"
#include "emulator/decode/instruction_decoder.h"
#include "emulator/decode/variable_layout.h"
#include "emulator/decode/waiting_loops.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kMostRegisterBytes = 32u << 20;  // of one warp

// The entry and what it calls. A function has a frame when it may be under way twice at a time, or
// may be called through a pointer (its caller then knows nothing but the order of its parameters).
struct CallGraph {
  std::vector<std::uint32_t> order;
  std::vector<bool> framed;
  bool recursive = false;
};

class CallGraphBuilder {
 public:
  explicit CallGraphBuilder(const PtxModule& module) : module_(module) {
    for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
      if (module.functions[f].has_body) by_name_[module.functions[f].name] = f;
    }
    find_addressed();
    callees_.resize(module.functions.size());
    for (std::uint32_t f = 0; f < module.functions.size(); ++f) find_callees(f);
  }

  CallGraph build(std::uint32_t entry) {
    CallGraph graph;
    graph.framed.assign(module_.functions.size(), false);
    const std::vector<bool> reached = reach({entry}, &graph.order);
    bool through_pointers = false;
    for (const std::uint32_t f : graph.order) through_pointers |= calls_addresses_[f];
    for (const std::uint32_t f : graph.order) {
      const bool again = reach(callees_[f], nullptr)[f];
      graph.recursive |= again;
      graph.framed[f] = again || (through_pointers && addressed_[f]);
    }
    return graph;
  }

 private:
  void find_addressed() {
    addressed_.assign(module_.functions.size(), false);
    calls_addresses_.assign(module_.functions.size(), false);
    const auto mark = [&](std::string_view name) {
      const auto found = by_name_.find(name);
      if (found != by_name_.end() && !module_.functions[found->second].is_entry)
        addressed_[found->second] = true;
    };
    for (const PtxVariable& variable : module_.variables) {
      for (const PtxRelocation& relocation : variable.relocations) mark(relocation.function);
    }
    for (const PtxFunction& function : module_.functions) {
      for (const PtxInstruction& instruction : function.instructions) {
        if (instruction.mnemonic == "call") continue;
        for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
          const PtxOperand& operand = function.operands[instruction.first_operand + i];
          if (operand.kind == OperandKind::kSymbol) mark(operand.text);
        }
      }
    }
  }

  void find_callees(std::uint32_t f) {
    const PtxFunction& function = module_.functions[f];
    for (const PtxInstruction& instruction : function.instructions) {
      if (instruction.mnemonic != "call") continue;
      for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
        const PtxOperand& operand = function.operands[instruction.first_operand + i];
        if (operand.kind == OperandKind::kGroup) continue;
        const auto found = by_name_.find(operand.text);
        if (operand.kind == OperandKind::kRegister) {
          calls_addresses_[f] = true;
        } else if (found != by_name_.end()) {
          callees_[f].push_back(found->second);
        }
        break;
      }
    }
    if (!calls_addresses_[f]) return;
    for (std::uint32_t g = 0; g < addressed_.size(); ++g) {
      if (addressed_[g]) callees_[f].push_back(g);
    }
  }

  // Functions that can be called from `start`, those included; `order` receives them.
  std::vector<bool> reach(const std::vector<std::uint32_t>& start,
                          std::vector<std::uint32_t>* order) const {
    std::vector<bool> seen(module_.functions.size(), false);
    std::vector<std::uint32_t> work;
    const auto add = [&](std::uint32_t f) {
      if (seen[f]) return;
      seen[f] = true;
      work.push_back(f);
    };
    for (const std::uint32_t f : start) add(f);
    for (std::size_t i = 0; i < work.size(); ++i) {
      for (const std::uint32_t callee : callees_[work[i]]) add(callee);
    }
    if (order != nullptr) *order = work;
    return seen;
  }

  const PtxModule& module_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  std::vector<bool> addressed_;        // somebody takes its address
  std::vector<bool> calls_addresses_;  // it calls through pointers
  std::vector<std::vector<std::uint32_t>> callees_;
};

// Numbers the registers of all functions, one after the other.
void number_registers(const PtxModule& module, DecodedKernel& kernel) {
  for (const PtxFunction& function : module.functions) {
    kernel.first_register.push_back(kernel.register_count);
    kernel.register_count += static_cast<std::uint32_t>(function.registers.size());
  }
}

// StaticInstruction::reads and writes: the registers that its operations name, while their rows are
// still virtual. Halves of a .b128 register and the condition code get numbers behind all others.
void find_registers(const DecodeState& state, DecodedKernel& kernel) {
  struct Use {
    std::uint32_t instruction = 0;
    std::uint32_t number = 0;
    bool is_written = false;
  };
  std::vector<Use> uses;
  uses.reserve(3 * state.code->ops.size());
  std::unordered_map<std::uint32_t, std::uint32_t> others;  // by row
  const auto number_of = [&](std::uint32_t index) {
    const VirtualRow& row = state.rows->row(index);
    if (row.name < state.module->functions[row.function].registers.size())
      return kernel.first_register[row.function] + row.name;
    const auto [found, added] = others.try_emplace(index, kernel.register_count);
    if (added) ++kernel.register_count;
    return found->second;
  };
  const auto add = [&](const MicroOp& op, const RowUse& use) {
    for_each_row(*state.code, op, use, [&](std::uint32_t row, bool is_written) {
      if (state.rows->row(row).kind != VirtualRow::Kind::kRegister) return;
      uses.push_back({op.instruction, number_of(row), is_written});
    });
  };
  for (std::size_t i = 0; i < state.code->ops.size(); ++i) add(state.code->ops[i], state.uses[i]);
  for (std::size_t i = 0; i < state.code->blocks.size(); ++i) {
    if (state.code->blocks[i].has_instruction) {
      add(state.code->blocks[i].last, state.last_uses[i]);
    }
  }
  // By instruction, what it reads before what it writes.
  std::vector<std::uint32_t> ends(2 * kernel.instructions.size() + 1, 0);
  const auto slot = [](const Use& use) { return 2 * use.instruction + (use.is_written ? 1u : 0u); };
  for (const Use& use : uses) ++ends[slot(use) + 1];
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
  kernel.registers.resize(uses.size());
  std::vector<std::uint32_t> next = ends;
  for (const Use& use : uses) kernel.registers[next[slot(use)]++] = use.number;
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    const std::uint32_t* const all = kernel.registers.data();
    kernel.instructions[i].reads = {all + ends[2 * i], all + ends[2 * i + 1]};
    kernel.instructions[i].writes = {all + ends[2 * i + 1], all + ends[2 * i + 2]};
  }
}

// CodeBlock::saves names functions until now, and then their places in the order of placement.
void name_frames(Code& code, const CallGraph& graph) {
  const auto place_of = [&](std::uint32_t function) {
    return std::find(graph.order.begin(), graph.order.end(), function) - graph.order.begin();
  };
  for (CodeBlock& block : code.blocks) {
    if (block.saves != kNoBlock) block.saves = static_cast<std::uint32_t>(place_of(block.saves));
  }
  OperationKey key;
  key.operation = Operation::kLeaveFrame;
  const Executor leave = find_common_executor(key);
  for (MicroOp& op : code.ops) {
    if (op.execute == leave && op.immediate >= 0)
      op.immediate = place_of(static_cast<std::uint32_t>(op.immediate));
  }
}

}  // namespace

Result<DecodedKernel> decode_kernel(const PtxModule& module, std::uint32_t entry,
                                    const DecodeOptions& options) {
  DecodedKernel kernel;
  RegisterRows rows;
  const CallGraph graph = CallGraphBuilder(module).build(entry);
  DecodeState state;
  state.module = &module;
  state.code = &kernel.code;
  state.rows = &rows;
  state.find = options.find;
  state.framed = graph.framed;
  state.recursive = graph.recursive;
  state.converges_at_barriers = options.converges_at_barriers;
  kernel.code.converges_at_barriers = options.converges_at_barriers;
  state.lanes_may_lag = !options.converges_at_barriers && waits_in_a_loop(module, graph.order);
  kernel.code.cluster = module.functions[entry].cluster;
  kernel.code.explicit_cluster = module.functions[entry].explicit_cluster;
  const Status placed = place_variables(state, graph.order, &kernel.parameters);
  if (!placed) return placed.error();
  number_registers(module, kernel);
  std::vector<FunctionBlocks> functions;
  std::vector<std::uint32_t> first_block(module.functions.size(), kNoBlock);
  for (const std::uint32_t f : graph.order) {
    functions.push_back(decode_function(state, kernel, f));
    first_block[f] = functions.back().first;
  }
  for (CodeBlock& block : kernel.code.blocks) {
    if (block.kind == EndKind::kCall) block.target = first_block[block.target];
  }
  if (kernel.loops.size() > 0xfff0) {
    return Error{ErrorCode::kKernel, "the kernel has too many loops to be shown", {}, {}};
  }
  if (kernel.code.frame_bytes != 0) {
    kernel.code.function_blocks.assign(module.functions.size(), kNoBlock);
    for (const std::uint32_t f : graph.order) {
      if (graph.framed[f]) kernel.code.function_blocks[f] = first_block[f];
    }
    name_frames(kernel.code, graph);
    kernel.code.frame_row = rows.special(SpecialValue::kFrame, true);  // placed below
  }
  find_registers(state, kernel);
  place_rows(kernel.code, rows, {functions, state.uses, state.last_uses});
  kernel.code.uses = std::move(state.uses);
  kernel.code.last_uses = std::move(state.last_uses);
  if (kernel.code.register_bytes > kMostRegisterBytes) {
    return Error{
        ErrorCode::kKernel, "the kernel needs too many registers at once to be emulated", {}, {}};
  }
  return kernel;
}

}  // namespace tilescope
