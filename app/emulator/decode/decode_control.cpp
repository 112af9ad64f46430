#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "emulator/common_executors/device_runtime.h"
#include "emulator/common_executors/parameter_copy.h"
#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"
#include "emulator/execution/warp.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kBarriers = 16;  // of a block: PTX ISA, bar

void read_row(BlockEnd& end, std::size_t place, std::uint32_t row) {
  end.op.row[place] = row;
  end.use.used = static_cast<std::uint8_t>(end.use.used | (1u << place));
}
void write_row(BlockEnd& end, std::size_t place, std::uint32_t row) {
  read_row(end, place, row);
  end.use.written = static_cast<std::uint8_t>(end.use.written | (1u << place));
}

// Cooperative groups find what the blocks of a grid meet at through %envreg1 and %envreg2, and stop
// the kernel where it is not there.
bool asks_for_whole_grid(const PtxFunction& function) {
  return std::ranges::any_of(function.operands, [](const PtxOperand& operand) {
    return operand.kind == OperandKind::kSpecial && operand.text.starts_with("%envreg");
  });
}

bool is_label(const PtxOperand& operand) {
  return operand.kind == OperandKind::kSymbol && operand.index != kNoIndex;
}

}  // namespace

bool decode_branch(InstructionDecoder& d) {
  if (d.count() != 1 || !is_label(d.operand(0))) return d.refuse("a target that is no label");
  d.end_block(EndKind::kBranch).target_instruction = d.operand(0).index;
  return true;
}

bool decode_branch_indexed(InstructionDecoder& d) {
  if (d.count() != 2) return d.refuse("this number of operands");
  const std::uint32_t row = d.source(0, DataType::kU32);
  if (d.refused()) return false;
  for (const PtxFunction::TargetList& list : d.function().target_lists) {
    if (list.name != d.operand(1).text) continue;
    BlockEnd& end = d.end_block(EndKind::kIndexed);
    for (const PtxOperand& target : list.targets) {
      if (!is_label(target)) return d.refuse("a target that is no label");
      end.targets.push_back(target.index);
    }
    read_row(end, 0, row);
    return true;
  }
  return d.refuse("a list of targets that is not there");
}

bool decode_return(InstructionDecoder& d) {
  d.end_block(d.instruction().is(Mnemonic::kExit) ? EndKind::kExit : EndKind::kReturn);
  return true;
}

bool decode_trap(InstructionDecoder& d) {
  BlockEnd& end = d.end_block(EndKind::kTrap);
  end.op.immediate = static_cast<std::int64_t>(d.state().code->messages.size());
  d.state().code->messages.emplace_back(
      asks_for_whole_grid(d.function())
          ? "stops the kernel: it waits for the whole grid (this_grid().sync()), which "
            "takes a cooperative launch (cudaLaunchCooperativeKernel)"
          : "stops the kernel (trap, or a failed assert)");
  return true;
}

bool decode_yield(InstructionDecoder& d) {
  d.end_block(EndKind::kYield);
  return true;
}

// Rows: barrier, number of threads (0: all), predicate, result.
bool decode_barrier(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  if (m.has(Modifier::kWarp)) return decode_warp_barrier(d);
  const bool red = m.has(Modifier::kRed);
  BlockEnd end;
  end.kind = EndKind::kBarrier;
  end.op.instruction = d.static_index();
  end.aligned = d.instruction().is(Mnemonic::kBar) || m.has(Modifier::kAligned);
  end.barrier = m.has(Modifier::kArrive) ? BarrierKind::kArrive
                : !red                   ? BarrierKind::kSync
                : m.has(Modifier::kAnd)  ? BarrierKind::kReduceAnd
                : m.has(Modifier::kOr)   ? BarrierKind::kReduceOr
                                         : BarrierKind::kReducePopc;
  const unsigned first = red ? 1 : 0;
  if (d.count() > first && d.operand(first).kind == OperandKind::kInteger &&
      d.operand(first).bits >= kBarriers) {
    return d.refuse(fmt::format("barrier {}, where a block has 0 to {},", d.operand(first).bits,
                                kBarriers - 1));
  }
  const unsigned last = d.count() - (red ? 1 : 0);  // behind the number of threads
  if (d.count() < first + 1 + first) return d.refuse("this number of operands");
  read_row(end, 0, d.source(first, DataType::kU32));
  read_row(
      end, 1,
      first + 1 < last ? d.source(first + 1, DataType::kU32) : d.state().rows->constant(0, false));
  if (red) {
    const PtxOperand& predicate = d.operand(d.count() - 1);
    read_row(end, 2, d.predicate(predicate));
    end.op.flags = predicate.negated ? 1 : 0;
    const bool counts = end.barrier == BarrierKind::kReducePopc;
    write_row(end, 3,
              counts ? d.destination(0, DataType::kU32) : d.predicate_destination(d.operand(0)));
  }
  if (d.refused()) return false;
  d.end = end;
  return true;
}

bool decode_warp_barrier(InstructionDecoder& d) {
  if (d.count() != 1) return d.refuse("this number of operands");
  const std::uint32_t mask = d.source(0, DataType::kU32);
  if (d.refused()) return false;
  BlockEnd& end = d.end_block(EndKind::kBarrier);
  end.barrier = BarrierKind::kWarp;
  read_row(end, 0, mask);
  return true;
}

// call: arguments and results move between .param variables, which lie in the lane's own local
// memory. A callee with a frame (Code::frame_bytes) has them at the start of the next frame.
namespace {

struct CallOperands {
  const PtxOperand* results = nullptr;
  const PtxOperand* callee = nullptr;
  const PtxOperand* arguments = nullptr;
};
CallOperands call_operands(const InstructionDecoder& d) {
  CallOperands found;
  for (unsigned i = 0; i < d.count(); ++i) {
    const PtxOperand& operand = d.operand(i);
    if (operand.kind == OperandKind::kGroup) {
      (found.callee == nullptr ? found.results : found.arguments) = &operand;
    } else if (found.callee == nullptr) {
      found.callee = &operand;
    }
  }
  return found;
}

unsigned length_of(const PtxOperand* group) { return group == nullptr ? 0 : group->count; }

enum class Side : std::uint8_t { kCaller, kCallee };

// Where a variable lies at the moment of a call or a return, seen from the caller's frame.
ParameterPlace place_of(InstructionDecoder& d, std::uint32_t variable, Side side) {
  const VariablePlace& place = d.state().places[variable];
  const std::uint64_t next =
      side == Side::kCallee && place.framed ? d.state().code->frame_bytes : 0;
  return {place.address + next, place.framed};
}

bool copy(InstructionDecoder& d, const ParameterPlace& from, const ParameterPlace& to,
          std::uint64_t bytes) {
  OperationKey key;
  key.operation = Operation::kCopyParameter;
  const bool framed = from.framed || to.framed;
  MicroOp* op = framed ? d.emit(key, {{}, {d.state().rows->special(SpecialValue::kFrame, true)}})
                       : d.emit(key, {{}, {}});
  if (op == nullptr) return false;
  const auto packed = pack_parameter_copy({from, to, bytes});
  if (!packed) return d.refuse("so large an argument");
  op->immediate = *packed;
  op->flags =
      static_cast<std::uint8_t>((from.framed ? kFromFrame : 0) | (to.framed ? kToFrame : 0));
  op->hidden = 1;
  return true;
}

bool is_own_parameter(InstructionDecoder& d, const PtxOperand& operand) {
  return operand.kind == OperandKind::kVariable &&
         d.state().places[operand.index].space == MemorySpace::kLocal;
}

// Between a caller's variable and one of a known callee.
bool copy_to_or_from(InstructionDecoder& d, const PtxOperand& own, std::uint32_t callee,
                     bool back) {
  if (!is_own_parameter(d, own)) return d.refuse("an argument that is no .param variable");
  const auto& variables = d.module().variables;
  const std::uint64_t bytes = std::min(variables[callee].bytes, variables[own.index].bytes);
  const ParameterPlace mine = place_of(d, own.index, Side::kCaller);
  const ParameterPlace theirs = place_of(d, callee, Side::kCallee);
  return back ? copy(d, theirs, mine, bytes) : copy(d, mine, theirs, bytes);
}

// Between a caller and whatever function an address names: results first, then arguments.
bool copy_by_order(InstructionDecoder& d, const CallOperands& operands, bool back) {
  std::uint64_t offset = 0;
  for (const PtxOperand* group : {operands.results, operands.arguments}) {
    for (unsigned i = 0; i < length_of(group); ++i) {
      const PtxOperand& own = d.element(*group, i);
      if (!is_own_parameter(d, own)) return d.refuse("an argument that is no .param variable");
      const PtxVariable& variable = d.module().variables[own.index];
      offset = (offset + variable.alignment - 1) / variable.alignment * variable.alignment;
      const ParameterPlace mine = place_of(d, own.index, Side::kCaller);
      const ParameterPlace theirs{offset + d.state().code->frame_bytes, true};
      offset += variable.bytes;
      if ((group == operands.results) != back) continue;
      if (!(back ? copy(d, theirs, mine, variable.bytes) : copy(d, mine, theirs, variable.bytes)))
        return false;
    }
  }
  return true;
}

void enter_frame(InstructionDecoder& d, BlockEnd& end) {
  end.enters_frame = true;
  if (d.state().framed[d.function_index()]) end.saves = d.function_index();
}

// Behind a call into a frame: the lane's own frame again, and its registers.
bool leave_frame(InstructionDecoder& d) {
  OperationKey key;
  key.operation = Operation::kLeaveFrame;
  MicroOp* op = d.emit(key, {{}, {d.state().rows->special(SpecialValue::kFrame, true)}});
  if (op == nullptr) return false;
  op->hidden = 1;
  // The place of the rows is known when all functions are decoded; until then the function's.
  op->immediate = d.state().framed[d.function_index()]
                      ? static_cast<std::int64_t>(d.function_index())
                      : std::int64_t{-1};
  return true;
}

bool decode_call_by_address(InstructionDecoder& d, const CallOperands& operands) {
  if (d.state().code->frame_bytes == 0)
    return d.refuse("a call through a pointer where no function's address is taken");
  const std::uint32_t address = d.source(*operands.callee, DataType::kB64);
  if (d.refused() || !copy_by_order(d, operands, false)) return false;
  BlockEnd& end = d.end_block(EndKind::kCallAddress);
  end.op.row[0] = address;
  end.use.used = 1;
  enter_frame(d, end);
  return true;
}

// printf, assert, malloc and free: the executor reads the arguments where the caller has put them,
// and writes the results there.
bool call_library(InstructionDecoder& d, const CallOperands& operands, Operation operation,
                  std::uint64_t heap = 0) {
  std::vector<std::uint32_t> places;
  bool framed = false;
  for (const PtxOperand* group : {operands.arguments, operands.results}) {
    for (unsigned i = 0; i < length_of(group); ++i) {
      const PtxOperand& own = d.element(*group, i);
      if (!is_own_parameter(d, own)) return d.refuse("an argument that is no .param variable");
      const ParameterPlace place = place_of(d, own.index, Side::kCaller);
      framed |= place.framed;
      places.push_back(d.state().rows->constant(place.offset, false));
    }
  }
  OperationKey key;
  key.operation = operation;
  MicroOp* op = framed ? d.emit(key, {{}, {d.state().rows->special(SpecialValue::kFrame, true)}})
                       : d.emit(key, {{}, {}});
  if (op == nullptr) return false;
  op->flags = framed ? 1 : 0;
  op->immediate = static_cast<std::int64_t>(heap);
  d.add_further_rows(*op, {}, places);
  return true;
}

bool call_heap(InstructionDecoder& d, const CallOperands& operands, bool allocates) {
  const auto heap = d.module().find_variable(kDeviceHeap);
  const bool is_right = heap && length_of(operands.arguments) == 1 &&
                        length_of(operands.results) == (allocates ? 1 : 0);
  if (!is_right) return d.refuse("this call of malloc or free");
  return call_library(d, operands, allocates ? Operation::kHeapAllocate : Operation::kHeapFree,
                      d.state().places[*heap].address);
}

bool call_device_runtime(InstructionDecoder& d, const CallOperands& operands,
                         std::uint8_t function) {
  const auto heap = d.module().find_variable(kDeviceHeap);
  if (!call_library(d, operands, Operation::kDeviceRuntime,
                    heap ? d.state().places[*heap].address : 0))
    return false;
  d.state().code->ops.back().bytes = function;
  return true;
}

}  // namespace

bool decode_call(InstructionDecoder& d) {
  const CallOperands operands = call_operands(d);
  if (operands.callee == nullptr) return d.refuse("this number of operands");
  if (operands.callee->kind == OperandKind::kRegister) return decode_call_by_address(d, operands);
  if (operands.callee->kind != OperandKind::kSymbol) return d.refuse("this callee");
  const std::string_view name = operands.callee->text;
  if (name == "vprintf") return call_library(d, operands, Operation::kPrint);
  if (name == "__assertfail")
    return call_library(d, operands, Operation::kAssertFailed) && decode_trap(d);
  const auto f = d.module().find_function(name);
  if (!f || !d.module().functions[*f].has_body) {
    if (name == "malloc" || name == "free") return call_heap(d, operands, name == "malloc");
    if (const auto function = device_runtime_function(name, length_of(operands.arguments)))
      return call_device_runtime(d, operands, *function);
    return d.refuse(fmt::format("a call of {:.60}, whose code is not in this module,", name));
  }
  const PtxFunction& callee = d.module().functions[*f];
  if (callee.is_entry) return d.refuse("a call of a kernel");
  if (length_of(operands.arguments) != callee.parameters.size() ||
      length_of(operands.results) != callee.results.size()) {
    return d.refuse("a call with another number of arguments");
  }
  for (unsigned i = 0; i < length_of(operands.arguments); ++i) {
    if (!copy_to_or_from(d, d.element(*operands.arguments, i), callee.parameters[i], false))
      return false;
  }
  BlockEnd& end = d.end_block(EndKind::kCall);
  end.target_function = *f;
  if (d.state().framed[*f]) enter_frame(d, end);
  return true;
}

bool decode_call_results(InstructionDecoder& d) {
  const CallOperands operands = call_operands(d);
  if (d.end->kind == EndKind::kCallAddress)
    return leave_frame(d) && copy_by_order(d, operands, true);
  const PtxFunction& callee = d.module().functions[d.end->target_function];
  if (d.end->enters_frame && !leave_frame(d)) return false;
  for (unsigned i = 0; i < length_of(operands.results) && i < callee.results.size(); ++i) {
    if (!copy_to_or_from(d, d.element(*operands.results, i), callee.results[i], true)) return false;
  }
  return true;
}

// Convergence barriers, which PTX does not have: lifted machine code names them
// (machine/lift_movement.cpp). "$bssy 0;" "$break 0;" "$bsave d, 0;" "$brestore 0, a;"
// "$bapart p, mask, here;" "$bsync 0;" "$warpsync mask;"
// "$warpexclusive mask;" "$warpturns value;" "$yield;" "$pause;"
namespace {

bool read_barrier(InstructionDecoder& d, unsigned index, std::int64_t* barrier) {
  if (!d.state().converges_at_barriers) return d.refuse("what only machine code has");
  if (d.count() <= index || d.operand(index).kind != OperandKind::kInteger ||
      d.operand(index).bits >= ConvergenceBarriers::kCount) {
    return d.refuse("an operand that is no convergence barrier");
  }
  *barrier = static_cast<std::int64_t>(d.operand(index).bits);
  return true;
}

}  // namespace

bool decode_convergence(InstructionDecoder& d) {
  OperationKey key;
  key.operation = d.form->operation;
  const bool saves = key.operation == Operation::kConvergenceSave;
  const bool restores = key.operation == Operation::kConvergenceRestore;
  if (d.count() != (saves || restores ? 2u : 1u)) return d.refuse("this number of operands");
  std::int64_t barrier = 0;
  if (!read_barrier(d, saves ? 1 : 0, &barrier)) return false;
  MicroOp* op = saves      ? d.emit(key, {{d.destination(0, DataType::kU32)}, {}})
                : restores ? d.emit(key, {{}, {d.source(1, DataType::kU32)}})
                           : d.emit(key, {{}, {}});
  if (op == nullptr) return false;
  op->immediate = barrier;
  return true;
}

bool decode_convergence_test(InstructionDecoder& d) {
  if (d.count() != 3) return d.refuse("this number of operands");
  OperationKey key;
  key.operation = Operation::kConvergenceTest;
  return d.emit(key, {{d.predicate_destination(d.operand(0))},
                      {d.source(1, DataType::kU32), d.source(2, DataType::kU32)}}) != nullptr;
}

bool decode_give_way(InstructionDecoder& d) {
  if (!d.state().converges_at_barriers) return d.refuse("what only machine code has");
  d.end_block(EndKind::kGiveWay);
  return true;
}

bool decode_pause(InstructionDecoder& d) {
  if (!d.state().converges_at_barriers) return d.refuse("what only machine code has");
  d.end_block(EndKind::kPause).hidden = true;
  return true;
}

bool decode_converge(InstructionDecoder& d) {
  if (d.count() != 1) return d.refuse("this number of operands");
  std::int64_t barrier = ConvergenceBarriers::kCount;  // none: the lanes stand in a register
  std::uint32_t mask = 0;
  if (!d.instruction().is(Mnemonic::kMachineBsync)) {
    mask = d.source(0, DataType::kU32);
    if (d.refused()) return false;
  } else if (!read_barrier(d, 0, &barrier)) {
    return false;
  }
  BlockEnd& end = d.end_block(EndKind::kBarrier);
  end.barrier = BarrierKind::kConvergence;
  end.op.immediate = barrier;
  if (mask != 0) {
    end.op.row[0] = mask;
    end.op.flags = static_cast<decltype(end.op.flags)>(
        d.instruction().is(Mnemonic::kMachineWarpexclusive) ? WarpSync::kExclusive
        : d.instruction().is(Mnemonic::kMachineWarpturns)   ? WarpSync::kInTurn
                                                            : WarpSync::kTogether);
    end.use.used = 1;
  }
  return true;
}

}  // namespace tilescope
