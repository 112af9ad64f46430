#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "ptx/syntax.h"

namespace tilescope {

// Control-flow graph of one function: node 0 is its entry; a node without successors leaves it.
struct FlowGraph {
  std::vector<std::vector<std::uint32_t>> successors;
  std::vector<bool> leaves;  // the function can also end in this node (a guarded exit)
};

inline constexpr std::uint32_t kNoNode = 0xffffffff;

// For each node the first other node where the lanes that part in it meet again: every path from it
// reaches that node or ends before, for a lane that has returned waits for nobody (as BSSY and
// BSYNC of the machine have it; seen on an H200, tests/corpus: divergent_switch). kNoNode: they
// meet only at the end, or the end cannot be reached. Post-dominance towards the end that most
// nodes reach; nodes that cannot reach it are taken by themselves, towards the next such end, and
// so on. Algorithm: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed
// graph.
[[nodiscard]] std::vector<std::uint32_t> meeting_points(const FlowGraph& graph);

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

// May a lane of a warp wait in a loop for what another thread writes? So it may where a loop of
// these functions of the module has an atomic, a load past the L1, or an mbarrier's test, in itself
// or in what it calls.
[[nodiscard]] bool waits_in_a_loop(const PtxModule& module,
                                   std::span<const std::uint32_t> functions);

}  // namespace tilescope
