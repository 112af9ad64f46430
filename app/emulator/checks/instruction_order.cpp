#include "emulator/checks/instruction_order.h"

#include <algorithm>

#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

using Edges = std::vector<std::vector<std::uint32_t>>;

// Without the edges that lead back to a block on the way there.
Edges without_loops(const Edges& edges) {
  enum class Mark : std::uint8_t { kNew, kOpen, kDone };
  std::vector<Mark> marks(edges.size(), Mark::kNew);
  Edges forward(edges.size());
  std::vector<std::pair<std::uint32_t, std::size_t>> way;  // a block, and its next edge
  for (std::uint32_t root = 0; root < edges.size(); ++root) {
    if (marks[root] != Mark::kNew) continue;
    marks[root] = Mark::kOpen;
    way.emplace_back(root, 0);
    while (!way.empty()) {
      const std::uint32_t block = way.back().first;
      if (way.back().second == edges[block].size()) {
        marks[block] = Mark::kDone;
        way.pop_back();
        continue;
      }
      const std::uint32_t to = edges[block][way.back().second++];
      if (marks[to] == Mark::kOpen) continue;
      forward[block].push_back(to);
      if (marks[to] != Mark::kNew) continue;
      marks[to] = Mark::kOpen;
      way.emplace_back(to, 0);
    }
  }
  return forward;
}

}  // namespace

Edges edges_of(const Code& code) {
  Edges edges(code.blocks.size());
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
    const CodeBlock& block = code.blocks[b];
    const bool goes_to = block.kind == EndKind::kBranch || block.kind == EndKind::kCall;
    if (goes_to && block.target < edges.size()) edges[b].push_back(block.target);
    for (std::uint32_t i = 0; i < block.target_count; ++i)
      edges[b].push_back(code.targets[block.first_target + i]);
    if (block.next < edges.size()) edges[b].push_back(block.next);
  }
  return edges;
}

void InstructionOrder::prepare() {
  if (!forward_.empty()) return;
  const Code& code = program_.implementation().code();
  forward_ = without_loops(edges_of(code));
  function_.assign(code.blocks.size(), 0);
  for (const std::uint32_t first : code.function_blocks) {
    if (first < function_.size()) function_[first] = first;
  }
  for (std::uint32_t b = 1; b < function_.size(); ++b) {
    function_[b] = std::max(function_[b], function_[b - 1]);
    if (code.blocks[b - 1].kind == EndKind::kCall) calls_.push_back(b - 1);
  }
}

const InstructionOrder::Reached& InstructionOrder::ahead_of(std::uint32_t block) {
  const auto [entry, added] = reached_.try_emplace(block);
  Reached& reached = entry->second;
  if (!added) return reached;
  prepare();
  reached.assign(forward_.size(), false);
  std::vector<std::uint32_t> left = forward_[block];
  while (!left.empty()) {
    const std::uint32_t at = left.back();
    left.pop_back();
    if (reached[at]) continue;
    reached[at] = true;
    left.insert(left.end(), forward_[at].begin(), forward_[at].end());
  }
  return reached;
}

bool InstructionOrder::lies_ahead(std::uint32_t from, std::uint32_t instruction) {
  const auto& instructions = program_.instructions();
  const std::uint32_t block = instructions[from].basic_block;
  const std::uint32_t to = instructions[instruction].basic_block;
  if (block == to) return from < instruction;
  if (ahead_of(block)[to]) return true;
  return function_[block] != function_[to] && follows_a_call(function_[block], to);
}

// What comes after a call comes after all that the function does.
bool InstructionOrder::follows_a_call(std::uint32_t function, std::uint32_t block) {
  return std::any_of(calls_.begin(), calls_.end(), [&](std::uint32_t call) {
    const CodeBlock& caller = program_.implementation().code().blocks[call];
    return caller.target == function && function_[call] == function_[block] &&
           (caller.next == block || ahead_of(caller.next)[block]);
  });
}

bool InstructionOrder::line_lies_ahead(std::uint32_t from, std::uint32_t instruction) {
  const auto& instructions = program_.instructions();
  const SourceLine& line = instructions[instruction].outermost;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].outermost == line && i != from && lies_ahead(from, i)) return true;
  }
  return false;
}

std::optional<bool> InstructionOrder::find_order(std::uint32_t one, std::uint32_t other) {
  const bool after = lies_ahead(other, one);
  const bool before = lies_ahead(one, other);
  if (after != before) return after;
  const SourceLine& line = program_.instructions()[one].outermost;
  const SourceLine& other_line = program_.instructions()[other].outermost;
  if (line == other_line) return std::nullopt;
  const bool line_after = line_lies_ahead(other, one);
  const bool line_before = line_lies_ahead(one, other);
  if (line_after != line_before) return line_after;
  return line.file == other_line.file ? line.line > other_line.line : one > other;
}

std::optional<bool> InstructionOrder::comes_after(std::uint32_t one, std::uint32_t other) {
  const auto [entry, added] = known_.try_emplace(std::uint64_t{one} << 32 | other);
  if (added) entry->second = find_order(one, other);
  return entry->second;
}

bool InstructionOrder::needs_round(std::uint32_t block, std::uint32_t instruction) {
  return !ahead_of(block)[program_.instructions()[instruction].basic_block];
}

}  // namespace tilescope
