#include "emulator/machine/call_graph.h"

#include <algorithm>
#include <vector>

namespace tilescope::machine {
namespace {

bool comes_to_itself(std::uint32_t function, const CallGraph& graph, const Listing& listing) {
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> open{function};
  while (!open.empty()) {
    const std::uint32_t caller = open.back();
    open.pop_back();
    for (std::uint32_t at = caller; at < graph.functions.at(caller); ++at) {
      const auto callee = callee_of(listing.instructions[at], listing);
      if (!callee) continue;
      if (*callee == function) return true;
      if (seen.insert(*callee).second) open.push_back(*callee);
    }
  }
  return false;
}

}  // namespace

bool is_call(const Instruction& instruction) {
  return instruction.mnemonic == "CALL" && !instruction.operands.empty() &&
         instruction.operands.back().kind == OperandKind::kLabel &&
         !instruction.operands.back().text.starts_with(".L");
}

// CALL.REL.NOINC R10 `(kernel)
bool is_call_through_register(const Instruction& instruction) {
  return is_call(instruction) && instruction.operands.size() > 1 &&
         instruction.operands.front().kind == OperandKind::kRegister;
}

std::optional<std::uint32_t> callee_of(const Instruction& instruction, const Listing& listing) {
  if (!is_call(instruction) || is_call_through_register(instruction)) return std::nullopt;
  const auto found = listing.labels.find(instruction.operands.back().text);
  if (found == listing.labels.end()) return std::nullopt;
  return found->second;
}

CallGraph call_graph_of(const Listing& listing) {
  CallGraph graph;
  const auto end = static_cast<std::uint32_t>(listing.instructions.size());
  std::set<std::uint32_t> starts{0};
  for (const auto& [name, at] : listing.labels) {
    if (name.starts_with('$')) starts.insert(at);
  }
  for (std::uint32_t at = 0; at < end; ++at) {
    const Instruction& instruction = listing.instructions[at];
    if (const auto callee = callee_of(instruction, listing)) starts.insert(*callee);
    if (is_call(instruction) && at + 1 < end) graph.returns.insert(at + 1);
    graph.through_registers |= is_call_through_register(instruction);
  }
  for (auto start = starts.begin(); start != starts.end(); ++start) {
    const auto next = std::next(start);
    graph.functions[*start] = next != starts.end() ? *next : end;
  }
  graph.recursive = std::any_of(starts.begin(), starts.end(), [&](std::uint32_t at) {
    return comes_to_itself(at, graph, listing);
  });
  return graph;
}

}  // namespace tilescope::machine
