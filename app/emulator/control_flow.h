#pragma once
#include <cstdint>
#include <vector>

namespace tilescope {

// Control-flow graph of one function: node 0 is its entry; a node without successors leaves it.
struct FlowGraph {
  std::vector<std::vector<std::uint32_t>> successors;
  std::vector<bool> leaves;  // the function can also end in this node (a guarded exit)
};

inline constexpr std::uint32_t kNoNode = 0xffffffff;

// For each node the first other node that every path from it to the function's end reaches;
// kNoNode: they meet only at the end, or the end cannot be reached.
// Algorithm: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph.
[[nodiscard]] std::vector<std::uint32_t> immediate_post_dominators(const FlowGraph& graph);

struct FlowLoop {
  std::uint32_t header = 0;
  std::uint32_t parent = kNoNode;  // index of the enclosing loop
  std::uint32_t depth = 1;
};

// Natural loops, enclosing ones first, and the innermost one of each node (kNoNode: none).
struct LoopNest {
  std::vector<FlowLoop> loops;
  std::vector<std::uint32_t> innermost;
};
[[nodiscard]] LoopNest find_loops(const FlowGraph& graph);

}  // namespace tilescope
