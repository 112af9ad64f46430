#include "emulator/kernel_decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/function_decoder.h"
#include "emulator/instruction_decoder.h"
#include "emulator/variable_layout.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kMostRegisterBytes = 32u << 20;  // of one warp

// The entry and what it calls; a function that calls itself, however indirectly, is marked.
struct CallGraph {
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> entries;  // by function: 0, or kNoIndex for a recursive one
};

CallGraph find_functions(const PtxModule& module, std::uint32_t entry) {
  std::unordered_map<std::string_view, std::uint32_t> by_name;
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    if (module.functions[f].has_body) by_name[module.functions[f].name] = f;
  }
  const auto callees_of = [&](std::uint32_t f) {
    std::vector<std::uint32_t> callees;
    const PtxFunction& function = module.functions[f];
    for (const PtxInstruction& instruction : function.instructions) {
      if (instruction.mnemonic != "call") continue;
      for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
        const PtxOperand& operand = function.operands[instruction.first_operand + i];
        if (operand.kind != OperandKind::kSymbol) continue;
        const auto found = by_name.find(operand.text);
        if (found != by_name.end()) callees.push_back(found->second);
        break;
      }
    }
    return callees;
  };
  CallGraph graph;
  graph.entries.assign(module.functions.size(), 0);
  struct Frame {
    std::uint32_t function;
    std::vector<std::uint32_t> callees;
    std::size_t next = 0;
  };
  std::vector<std::uint8_t> state(module.functions.size(), 0);  // 1: on the stack, 2: done
  std::vector<Frame> stack;
  const auto enter = [&](std::uint32_t f) {
    state[f] = 1;
    graph.order.push_back(f);
    stack.push_back({f, callees_of(f)});
  };
  enter(entry);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == frame.callees.size()) {
      state[frame.function] = 2;
      stack.pop_back();
      continue;
    }
    const std::uint32_t callee = frame.callees[frame.next++];
    if (state[callee] == 1) graph.entries[callee] = kNoIndex;
    if (state[callee] == 0) enter(callee);
  }
  return graph;
}

void name_registers(const DecodeState& state, Code& code) {
  for (std::size_t i = 0; i < state.rows->size(); ++i) {
    const VirtualRow& row = state.rows->row(static_cast<std::uint32_t>(i));
    if (row.kind != VirtualRow::Kind::kRegister) continue;
    const PtxFunction& function = state.module->functions[row.function];
    if (row.name >= function.registers.size()) continue;  // the carry
    const PtxRegister& source = function.registers[row.name];
    RegisterPlace place;
    place.name = std::string(source.name);
    if (source.number != kNoIndex) place.name += std::to_string(source.number);
    if (!function.is_entry) place.name = function.name + ":" + place.name;
    place.row = row.offset;
    place.type = source.type;
    place.bytes = row.row_class == RowClass::kWide ? 8 : row.row_class == RowClass::kNarrow ? 4 : 0;
    code.registers.push_back(std::move(place));
  }
}

}  // namespace

Result<DecodedKernel> decode_kernel(const PtxModule& module, std::uint32_t entry,
                                    const DecodeOptions& options) {
  DecodedKernel kernel;
  RegisterRows rows;
  CallGraph graph = find_functions(module, entry);
  DecodeState state;
  state.module = &module;
  state.code = &kernel.code;
  state.rows = &rows;
  state.find = options.find;
  state.function_entry = graph.entries;
  const Status placed = place_variables(state, graph.order, &kernel.parameters);
  if (!placed) return placed.error();
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
  place_rows(kernel.code, rows,
             {functions, state.uses, state.last_uses, options.keep_registers_apart});
  if (kernel.code.register_bytes > kMostRegisterBytes) {
    return Error{
        ErrorCode::kKernel, "the kernel needs too many registers at once to be emulated", {}, {}};
  }
  if (options.keep_registers_apart) name_registers(state, kernel.code);
  return kernel;
}

}  // namespace tilescope
