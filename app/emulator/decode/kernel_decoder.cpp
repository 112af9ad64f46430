#include "emulator/decode/kernel_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "emulator/common_executors/families.h"
#include "emulator/decode/control_flow.h"
#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"
#include "emulator/decode/instruction_table.h"
#include "emulator/decode/variable_layout.h"
#include "emulator/execution/barriers.h"

namespace tilescope {
namespace {

// Cuts one function into basic blocks while it decodes its instructions.
class FunctionDecoder {
 public:
  FunctionDecoder(DecodeState& state, DecodedKernel& kernel, std::uint32_t function)
      : state_(state),
        kernel_(kernel),
        index_(function),
        function_(state.module->functions[function]) {}

  FunctionBlocks run() {
    FunctionBlocks blocks;
    blocks.first = static_cast<std::uint32_t>(kernel_.code.blocks.size());
    find_leaders();
    block_at_.assign(function_.instructions.size() + 1, kNoBlock);
    open();
    for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
      if (leader_[i] && !(block_is_empty() && block_at_[i] == kNoBlock)) fall();
      if (leader_[i]) block_at_[i] = current();
      decode(i);
    }
    if (leader_.back() && !block_is_empty()) fall();
    block_at_.back() = current();
    CodeBlock& last = kernel_.code.blocks.back();  // what runs past the end returns
    last.kind = EndKind::kReturn;
    close_block();
    blocks.last = static_cast<std::uint32_t>(kernel_.code.blocks.size());
    patch_targets();
    analyse(blocks);
    return blocks;
  }

 private:
  [[nodiscard]] std::uint32_t current() const {
    return static_cast<std::uint32_t>(kernel_.code.blocks.size() - 1);
  }
  [[nodiscard]] bool block_is_empty() const {
    return kernel_.code.blocks.back().begin == kernel_.code.ops.size();
  }

  void find_leaders() {
    leader_.assign(function_.instructions.size() + 1, false);
    leader_[0] = true;
    const auto mark = [&](const PtxOperand& operand) {
      if (operand.kind == OperandKind::kSymbol && operand.index != kNoIndex)
        leader_[operand.index] = true;
    };
    for (const PtxOperand& operand : function_.operands) mark(operand);
    // Lanes that waited at one of these execute it again, by itself.
    for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
      using enum Mnemonic;
      const PtxInstruction& each = function_.instructions[i];
      leader_[i] = leader_[i] || each.is(kMachineBsync) || each.is(kMachineWarpsync) ||
                   each.is(kMachineWarpexclusive) || each.is(kMachineWarpturns);
    }
    for (const PtxFunction::TargetList& list : function_.target_lists) {
      for (const PtxOperand& operand : list.targets) mark(operand);
    }
  }

  void open() {
    CodeBlock block;
    block.begin = static_cast<std::uint32_t>(kernel_.code.ops.size());
    kernel_.code.blocks.push_back(block);
    state_.last_uses.emplace_back();
  }

  void close_block() {
    CodeBlock& block = kernel_.code.blocks.back();
    block.end = static_cast<std::uint32_t>(kernel_.code.ops.size());
    block.instruction_count = block.has_instruction ? 1 : 0;
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      const MicroOp& op = kernel_.code.ops[i];
      block.instruction_count += op.hidden == 0 ? 1u : 0u;
      block.polls |= op.access == AccessKind::kAtomic ||
                     (op.access == AccessKind::kLoad && (op.flags & kPolls) != 0);
    }
  }

  void fall() {
    CodeBlock& block = kernel_.code.blocks.back();
    block.kind = EndKind::kFall;
    block.next = current() + 1;
    close_block();
    open();
  }

  void guard(MicroOp& op, const PtxInstruction& instruction, bool inverted) {
    if (instruction.guard == kNoIndex) return;
    op.guard = state_.rows->of_register(index_, instruction.guard, DataType::kPred);
    op.guard_flip = instruction.guard_negated != inverted ? kFullMask : 0;
  }

  void describe(const PtxInstruction& instruction) {
    StaticInstruction info;
    info.text = instruction.text;
    info.mnemonic = instruction.opcode->mnemonic;
    info.ptx_mnemonic = instruction.opcode->kind;
    info.opcode = instruction.opcode->text;
    info.ptx_line = instruction.line;
    info.instruction_class = InstructionClass::kControl;
    info.operands = {function_.operands.data() + instruction.first_operand,
                     instruction.operand_count};
    info.elements = function_.elements.data();
    info.first_register = kernel_.first_register[index_];
    if (instruction.guard != kNoIndex) info.guard = info.first_register + instruction.guard;
    kernel_.instructions.push_back(info);
    kernel_.locations.push_back(instruction.location);
  }

  void decode(std::uint32_t i) {
    const PtxInstruction& instruction = function_.instructions[i];
    const auto index = static_cast<std::uint32_t>(kernel_.instructions.size());
    describe(instruction);
    const std::size_t ops_before = kernel_.code.ops.size();
    InstructionDecoder decoder(state_, index_, instruction, index);
    if (!decode_with(decoder)) {
      kernel_.code.ops.resize(ops_before);
      state_.uses.resize(ops_before);
      stop_at(decoder, instruction, index);
    }
    StaticInstruction& info = kernel_.instructions[index];
    info.modifiers = decoder.modifiers;
    info.space = decoder.space;
    info.access = decoder.access;
    info.variant = decoder.variant;
    info.bytes_per_lane = decoder.bytes_per_lane;
    if (decoder.form != nullptr) take_from_row(*decoder.form, instruction.opcode->shape, info);
    if (decoder.flop_per_lane != 0) info.flop_per_lane = decoder.flop_per_lane;
    info.is_barrier = decoder.end && decoder.end->kind == EndKind::kBarrier &&
                      decoder.end->barrier != BarrierKind::kWarp &&
                      decoder.end->barrier != BarrierKind::kConvergence &&
                      !is_of_warpgroup(*decoder.end);
    info.basic_block = current();
    if (decoder.end) end_block(decoder, instruction, index);
  }

  // What the instruction's row of the table says.
  static void take_from_row(const InstructionForm& form, const ProductShape& shape,
                            StaticInstruction& info) {
    const Modifiers& m = info.modifiers;
    info.operation = form.operation;
    info.instruction_class = form.instruction_class;
    info.flop_per_lane = form.traits.flop;
    if (m.type(0) == DataType::kF16x2 || m.type(0) == DataType::kBf16x2)
      info.flop_per_lane = static_cast<std::uint16_t>(2 * info.flop_per_lane);
    info.vector = m.has(Modifier::kV8)   ? 8
                  : m.has(Modifier::kV4) ? 4
                  : m.has(Modifier::kV2) ? 2
                                         : 1;
    const bool memory = info.access != AccessKind::kNone && info.space != MemorySpace::kParameter &&
                        info.space != MemorySpace::kConstant;
    info.unit = memory ? ExecutionUnit::kMemory : unit_of(form, m);
    info.synchronisation = form.traits.synchronisation;
    const bool names_no_lanes =
        form.traits.warp_use == WarpUse::kNamed && !m.has(Modifier::kSync);  // of old PTX
    info.warp_use = names_no_lanes ? WarpUse::kNone : form.traits.warp_use;
    info.control = form.traits.control;
    if (form.traits.moves_in_bulk) info.bulk_move = direction_of(m);
    if (info.synchronisation == Synchronisation::kWaitCopies && !info.operands.empty()) {
      info.groups = static_cast<std::uint8_t>(std::min<std::uint64_t>(info.operands[0].bits, 255));
    }
    if (info.instruction_class == InstructionClass::kTensor) info.matrix = shape;
  }

  static BulkMove direction_of(const Modifiers& m) {
    if (m.has(Modifier::kBulkGroup)) return BulkMove::kOutOfShared;
    return m.has(Modifier::kGlobal) ? BulkMove::kIntoShared : BulkMove::kBetweenShared;
  }

  static bool is_of_warpgroup(const BlockEnd& end) {
    return end.barrier == BarrierKind::kSync && end.op.flags == kOfWarpgroup;
  }

  bool decode_with(InstructionDecoder& decoder) {
    const PtxOpcode& opcode = *decoder.instruction().opcode;
    if (const auto* family = find_unsupported(opcode.mnemonic, opcode.suffix))
      return decoder.refuse(std::string(family->missing));
    if (!opcode.unknown.empty())
      return decoder.refuse(fmt::format("the modifier .{:.40}", opcode.unknown));
    decoder.modifiers = opcode.modifiers;
    std::string_view reason;
    decoder.form = find_form(opcode.kind, decoder.modifiers, &reason);
    if (decoder.form == nullptr) return decoder.refuse(std::string(reason));
    if (state_.lanes_may_lag) let_lanes_meet(decoder);
    return decoder.form->decode(decoder) && !decoder.refused();
  }

  // What the lanes of a warp execute together waits for those that are still in a loop.
  void let_lanes_meet(InstructionDecoder& decoder) {
    const PtxInstruction& instruction = decoder.instruction();
    const Modifiers& m = decoder.modifiers;
    const bool waits_itself = instruction.is(Mnemonic::kBar) || instruction.is(Mnemonic::kBarrier);
    if (!m.has(Modifier::kSync) || waits_itself || instruction.guard != kNoIndex) return;
    if (decoder.count() == 0) return;
    const bool names_members = !m.has(Modifier::kAligned);  // as its last operand
    const std::uint32_t members = names_members
                                      ? decoder.source(decoder.count() - 1, DataType::kU32)
                                      : state_.rows->constant(kFullMask, false);
    if (decoder.refused()) return;
    CodeBlock& block = kernel_.code.blocks.back();
    block.kind = EndKind::kBarrier;
    block.barrier = BarrierKind::kExchange;
    block.next = current() + 1;
    block.last.instruction = decoder.static_index();
    block.last.row[0] = members;
    state_.last_uses.back().used = 1;
    close_block();
    open();
  }

  void stop_at(InstructionDecoder& decoder, const PtxInstruction& instruction,
               std::uint32_t index) {
    decoder.end.emplace();
    decoder.end->kind = EndKind::kStop;
    decoder.end->op.instruction = index;
    decoder.end->op.immediate = static_cast<std::int64_t>(kernel_.code.messages.size());
    kernel_.code.messages.push_back(
        fmt::format("{:.40}{:.60} cannot be emulated: {} is not supported",
                    instruction.opcode->mnemonic, instruction.opcode->suffix, decoder.reason));
    kernel_.unsupported.push_back(index);
  }

  void end_block(InstructionDecoder& decoder, const PtxInstruction& instruction,
                 std::uint32_t index) {
    const BlockEnd& end = *decoder.end;
    // A warp of machine code executes a guarded barrier together, whoever its guard leaves out.
    const bool stays_together = state_.converges_at_barriers &&
                                (end.kind == EndKind::kBarrier || end.kind == EndKind::kGiveWay);
    const bool guards_itself = end.kind == EndKind::kBranch || end.kind == EndKind::kExit ||
                               end.kind == EndKind::kReturn || stays_together;
    std::uint32_t skipping = kNoBlock;  // block whose branch goes past a guarded barrier, call ...
    if (instruction.guard != kNoIndex && !guards_itself) {
      skipping = current();
      CodeBlock& block = kernel_.code.blocks.back();
      block.kind = EndKind::kBranch;
      block.next = skipping + 1;
      block.last.instruction = index;
      guard(block.last, instruction, true);
      close_block();
      open();
      kernel_.instructions[index].basic_block = current();
    }
    const bool chooses = end.kind == EndKind::kIndexed || end.kind == EndKind::kCallAddress;
    if (chooses && !block_is_empty()) {
      fall();
      kernel_.instructions[index].basic_block = current();
    }
    CodeBlock& block = kernel_.code.blocks.back();
    state_.last_uses.back() = end.use;
    block.kind = end.kind;
    block.barrier = end.barrier;
    block.aligned = end.aligned;
    block.has_instruction = !end.hidden;
    block.last = end.op;
    if (guards_itself) guard(block.last, instruction, false);
    const bool goes_on =
        (end.kind != EndKind::kBranch && end.kind != EndKind::kExit &&
         end.kind != EndKind::kReturn && !is_stop(end.kind) && end.kind != EndKind::kIndexed) ||
        (guards_itself && instruction.guard != kNoIndex);
    if (goes_on) block.next = current() + 1;
    if (end.kind == EndKind::kBranch) {
      branches_.emplace_back(current(), end.target_instruction);
      if (instruction.guard == kNoIndex) block.next = kNoBlock;
    }
    block.enters_frame = end.enters_frame;
    block.saves = end.saves;
    if (end.kind == EndKind::kCallAddress) {
      block.next = current() + 2;  // behind the copy
      repeat_choice(end.use);
    }
    if (end.kind == EndKind::kCall)
      block.target = end.target_function;  // patched when all are decoded
    if (end.kind == EndKind::kIndexed) {
      block.first_target = static_cast<std::uint32_t>(kernel_.code.targets.size());
      block.target_count = static_cast<std::uint32_t>(end.targets.size());
      kernel_.code.targets.insert(kernel_.code.targets.end(), end.targets.begin(),
                                  end.targets.end());
      indexed_.push_back(current());
      repeat_choice(end.use);
    }
    if (end.looks_again) repeat_look(end.use);
    close_block();
    open();
    if (skipping != kNoBlock) {
      kernel_.code.blocks[skipping].target = current();
      kernel_.code.blocks[skipping].reconvergence = current();
    }
    if (end.kind == EndKind::kCall || end.kind == EndKind::kCallAddress)
      decode_call_results(decoder);
  }

  // Lanes whose index or callee differs from the first lane's choose again in a copy of the end,
  // which is no instruction of its own.
  CodeBlock& repeat_choice(const RowUse& use) {
    kernel_.code.blocks.back().target = current() + 1;
    close_block();
    CodeBlock copy = kernel_.code.blocks.back();
    copy.has_instruction = false;
    open();
    copy.begin = kernel_.code.blocks.back().begin;
    kernel_.code.blocks.back() = copy;
    state_.last_uses.back() = use;
    return kernel_.code.blocks.back();
  }

  // Lanes that sleep look again in a copy of the test and of the end behind it.
  void repeat_look(const RowUse& use) {
    CodeBlock& copy = repeat_choice(use);
    copy.next = current() + 1;
    copy.polls = false;
    MicroOp look = kernel_.code.ops.back();
    look.hidden = 1;
    look.guard = 0;  // only the lanes that looked are here
    kernel_.code.ops.push_back(look);
    const RowUse look_use = state_.uses.back();
    state_.uses.push_back(look_use);
  }

  void patch_targets() {
    std::vector<CodeBlock>& blocks = kernel_.code.blocks;
    for (const auto& [block, instruction] : branches_)
      blocks[block].target = block_at_[instruction];
    for (const std::uint32_t block : indexed_) {
      for (std::uint32_t i = 0; i < blocks[block].target_count; ++i) {
        std::uint32_t& target = kernel_.code.targets[blocks[block].first_target + i];
        target = block_at_[target];
      }
    }
  }

  // Reconvergence and loops.
  void analyse(const FunctionBlocks& range) {
    FlowGraph graph;
    for (std::uint32_t b = range.first; b < range.last; ++b) {
      const CodeBlock& block = kernel_.code.blocks[b];
      std::vector<std::uint32_t> to;
      if (block.next != kNoBlock) to.push_back(block.next - range.first);
      if (block.kind == EndKind::kBranch) to.push_back(block.target - range.first);
      for (std::uint32_t i = 0; i < block.target_count; ++i) {
        to.push_back(kernel_.code.targets[block.first_target + i] - range.first);
      }
      graph.leaves.push_back(block.kind == EndKind::kExit || block.kind == EndKind::kReturn ||
                             is_stop(block.kind));
      graph.successors.push_back(std::move(to));
    }
    const std::vector<std::uint32_t> meets =
        state_.converges_at_barriers ? std::vector<std::uint32_t>() : meeting_points(graph);
    const LoopNest nest = find_loops(graph);
    const auto first_loop = static_cast<std::uint32_t>(kernel_.loops.size());
    std::vector<std::uint32_t> first_instruction(graph.successors.size(), kNoIndex);
    for (std::uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
      StaticInstruction& info = kernel_.instructions[i];
      if (info.basic_block < range.first || info.basic_block >= range.last) continue;
      const std::uint32_t node = info.basic_block - range.first;
      if (first_instruction[node] == kNoIndex) first_instruction[node] = i;
      if (nest.innermost[node] != kNoNode)
        info.loop = static_cast<std::uint16_t>(first_loop + nest.innermost[node] + 1);
    }
    for (std::uint32_t node = 0; node < meets.size(); ++node) {
      if (meets[node] != kNoNode)
        kernel_.code.blocks[range.first + node].reconvergence = range.first + meets[node];
    }
    for (const FlowLoop& loop : nest.loops) {
      std::uint32_t header =
          loop.header;  // an empty header block: the next one that has instructions
      while (header + 1 < first_instruction.size() && first_instruction[header] == kNoIndex)
        ++header;
      Loop described;
      described.header = first_instruction[header] == kNoIndex ? 0 : first_instruction[header];
      described.parent =
          static_cast<std::uint16_t>(loop.parent == kNoNode ? 0 : first_loop + loop.parent + 1);
      described.depth = static_cast<std::uint16_t>(loop.depth);
      kernel_.loops.push_back(described);
    }
  }

  DecodeState& state_;
  DecodedKernel& kernel_;
  std::uint32_t index_;
  const PtxFunction& function_;
  std::vector<bool> leader_;
  std::vector<std::uint32_t> block_at_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> branches_;  // block, target instruction
  std::vector<std::uint32_t> indexed_;
};

}  // namespace

FunctionBlocks decode_function(DecodeState& state, DecodedKernel& kernel, std::uint32_t function) {
  return FunctionDecoder(state, kernel, function).run();
}

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
        if (instruction.is(Mnemonic::kCall)) continue;
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
      if (!instruction.is(Mnemonic::kCall)) continue;
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
  state.placement = options.placement;
  if (const ProgramPlacement* placement = options.placement;
      placement != nullptr && placement->cluster && kernel.code.cluster.count() == 1) {
    kernel.code.cluster = *placement->cluster;
    kernel.code.explicit_cluster = true;
  }
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
