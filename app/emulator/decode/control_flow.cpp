#include "emulator/decode/control_flow.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tilescope {
namespace {

using Edges = std::vector<std::vector<std::uint32_t>>;

Edges reversed(const Edges& edges, std::size_t nodes) {
  Edges back(nodes);
  for (std::uint32_t from = 0; from < edges.size(); ++from) {
    for (const std::uint32_t to : edges[from]) back[to].push_back(from);
  }
  return back;
}

// Nodes that `root` reaches, each after all that it leads to (but for cycles).
std::vector<std::uint32_t> post_order(const Edges& edges, std::uint32_t root) {
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(edges.size(), false);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root, 0}};
  seen[root] = true;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next < edges[node].size()) {
      const std::uint32_t to = edges[node][next++];
      if (!seen[to]) {
        seen[to] = true;
        stack.emplace_back(to, 0);
      }
    } else {
      order.push_back(node);
      stack.pop_back();
    }
  }
  return order;
}

// Immediate dominators of the nodes that `root` reaches; kNoNode for the others; root's is itself.
std::vector<std::uint32_t> dominators(const Edges& edges, std::uint32_t root) {
  const std::vector<std::uint32_t> order = post_order(edges, root);
  const Edges predecessors = reversed(edges, edges.size());
  std::vector<std::uint32_t> rank(edges.size(), 0);
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  std::vector<std::uint32_t> dominator(edges.size(), kNoNode);
  dominator[root] = root;
  const auto intersect = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (rank[a] < rank[b]) a = dominator[a];
      while (rank[b] < rank[a]) b = dominator[b];
    }
    return a;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      if (*at == root) continue;
      std::uint32_t found = kNoNode;
      for (const std::uint32_t from : predecessors[*at]) {
        if (dominator[from] == kNoNode) continue;
        found = found == kNoNode ? from : intersect(found, from);
      }
      if (found != dominator[*at]) {
        dominator[*at] = found;
        changed = true;
      }
    }
  }
  return dominator;
}

// Nodes that the function can end in, those that most nodes lead to first, then the later ones.
std::vector<std::uint32_t> ends_by_reach(const FlowGraph& graph, const Edges& back) {
  std::vector<std::pair<std::size_t, std::uint32_t>> ends;
  for (std::uint32_t node = 0; node < back.size(); ++node) {
    if (!graph.successors[node].empty() && !graph.leaves[node]) continue;
    ends.emplace_back(post_order(back, node).size(), node);
  }
  std::sort(ends.rbegin(), ends.rend());
  std::vector<std::uint32_t> order;
  order.reserve(ends.size());
  for (const auto& [reach, node] : ends) order.push_back(node);
  return order;
}

}  // namespace

std::vector<std::uint32_t> meeting_points(const FlowGraph& graph) {
  const auto nodes = static_cast<std::uint32_t>(graph.successors.size());
  std::vector<std::uint32_t> meeting(nodes, kNoNode);
  std::vector<bool> left(nodes, true);  // nodes that no end has been found for yet
  const Edges all = reversed(graph.successors, nodes);
  for (const std::uint32_t end : ends_by_reach(graph, all)) {
    if (!left[end]) continue;
    Edges back(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (!left[node]) continue;
      for (const std::uint32_t from : all[node]) {
        if (left[from]) back[node].push_back(from);
      }
    }
    const std::vector<std::uint32_t> dominator = dominators(back, end);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (dominator[node] == kNoNode) continue;
      left[node] = false;
      if (node != end) meeting[node] = dominator[node];
    }
  }
  return meeting;
}

LoopNest find_loops(const FlowGraph& graph) {
  const auto nodes = static_cast<std::uint32_t>(graph.successors.size());
  LoopNest nest;
  nest.innermost.assign(nodes, kNoNode);
  if (nodes == 0) return nest;
  const std::vector<std::uint32_t> dominator = dominators(graph.successors, 0);
  const Edges predecessors = reversed(graph.successors, nodes);
  const std::vector<std::uint32_t> order = post_order(graph.successors, 0);
  std::vector<std::uint32_t> depth(nodes, 0);  // in the dominator tree
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    if (*at != 0) depth[*at] = depth[dominator[*at]] + 1;
  }
  const auto dominates = [&](std::uint32_t above, std::uint32_t node) {
    while (depth[node] > depth[above]) node = dominator[node];
    return node == above;
  };
  // Headers in an order in which an enclosing loop's comes first.
  for (auto header = order.rbegin(); header != order.rend(); ++header) {
    std::vector<std::uint32_t> work;
    for (const std::uint32_t from : predecessors[*header]) {
      if (dominator[from] != kNoNode && dominates(*header, from)) work.push_back(from);
    }
    if (work.empty()) continue;
    const auto index = static_cast<std::uint32_t>(nest.loops.size());
    const std::uint32_t parent = nest.innermost[*header];
    nest.loops.push_back({*header, parent, parent == kNoNode ? 1 : nest.loops[parent].depth + 1});
    nest.innermost[*header] = index;
    while (!work.empty()) {
      const std::uint32_t node = work.back();
      work.pop_back();
      if (nest.innermost[node] == index) continue;
      nest.innermost[node] = index;
      for (const std::uint32_t from : predecessors[node]) {
        if (dominator[from] != kNoNode) work.push_back(from);
      }
    }
  }
  return nest;
}

namespace {

bool reads_what_others_write(const PtxInstruction& instruction) {
  using enum Modifier;
  if (instruction.is(Mnemonic::kAtom)) return true;
  if (instruction.is(Mnemonic::kMbarrier))
    return instruction.has(kTestWait) || instruction.has(kTryWait);
  if (!instruction.is(Mnemonic::kLd)) return false;
  return std::ranges::any_of(std::array{kVolatile, kRelaxed, kAcquire, kMmio, kCg, kCv},
                             [&](Modifier past_l1) { return instruction.has(past_l1); });
}

// Where the branch goes; its own place: it goes nowhere back.
std::size_t target_of(const PtxFunction& function, std::size_t branch) {
  const PtxInstruction& instruction = function.instructions[branch];
  if (!instruction.is(Mnemonic::kBra) || instruction.operand_count == 0) return branch;
  const PtxOperand& operand = function.operands[instruction.first_operand];
  const bool is_label = operand.kind == OperandKind::kSymbol && operand.index != kNoIndex;
  return is_label ? std::min<std::size_t>(operand.index, branch) : branch;
}

bool has_waiting_loop(const PtxFunction& function, bool calls_wait) {
  const auto& instructions = function.instructions;
  std::vector<std::size_t> waits_before(instructions.size() + 1, 0);
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const bool waits = reads_what_others_write(instructions[i]) ||
                       (calls_wait && instructions[i].is(Mnemonic::kCall));
    waits_before[i + 1] = waits_before[i] + (waits ? 1 : 0);
  }
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (waits_before[i] > waits_before[target_of(function, i)]) return true;
  }
  return false;
}

}  // namespace

bool waits_in_a_loop(const PtxModule& module, std::span<const std::uint32_t> functions) {
  const bool calls_wait = std::ranges::any_of(functions, [&](std::uint32_t f) {
    return std::ranges::any_of(module.functions[f].instructions, reads_what_others_write);
  });
  return calls_wait && std::ranges::any_of(functions, [&](std::uint32_t f) {
           return has_waiting_loop(module.functions[f], calls_wait);
         });
}

}  // namespace tilescope
