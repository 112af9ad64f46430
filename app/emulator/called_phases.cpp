#include "emulator/called_phases.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace tilescope {
namespace {

constexpr std::int16_t kSeveral = -2;

// The blocks of the function that begins with this one.
std::vector<std::uint32_t> blocks_from(const Code& code, std::uint32_t first) {
  std::vector<std::uint32_t> found;
  std::vector<bool> seen(code.blocks.size());
  const auto reach = [&](std::uint32_t block) {
    if (block >= seen.size() || seen[block]) return;
    seen[block] = true;
    found.push_back(block);
  };
  reach(first);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const CodeBlock& block = code.blocks[found[i]];
    reach(block.next);
    if (block.kind == EndKind::kBranch) reach(block.target);
    for (std::uint32_t t = 0; t < block.target_count; ++t) {
      reach(code.targets[block.first_target + t]);
    }
  }
  return found;
}

class CalledPhases {
 public:
  explicit CalledPhases(DecodedKernel& kernel)
      : kernel_(kernel), instructions_(kernel.code.blocks.size()) {
    for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
      const std::uint32_t block = kernel.instructions[i].basic_block;
      if (block < instructions_.size()) instructions_[block].push_back(i);
    }
  }

  void hand_on() {
    for (const std::uint32_t block : blocks_from(kernel_.code, 0)) {
      const CodeBlock& call = kernel_.code.blocks[block];
      if (call.kind == EndKind::kCall) {
        enter(call.target, kernel_.instructions[call.last.instruction].phase);
      }
    }
  }

 private:
  void enter(std::uint32_t first, std::int16_t phase) {
    const auto [entry, is_new] = phases_.emplace(first, phase);
    if (!is_new) {
      if (entry->second == phase || entry->second == kSeveral) return;
      entry->second = phase = kSeveral;
    }
    for (const std::uint32_t block : blocks_from(kernel_.code, first)) {
      for (const std::uint32_t i : instructions_[block]) {
        kernel_.instructions[i].phase = std::max<std::int16_t>(phase, -1);
      }
      const CodeBlock& call = kernel_.code.blocks[block];
      if (call.kind == EndKind::kCall) enter(call.target, phase);
    }
  }

  DecodedKernel& kernel_;
  std::vector<std::vector<std::uint32_t>> instructions_;    // by block
  std::unordered_map<std::uint32_t, std::int16_t> phases_;  // by the function's first block
};

}  // namespace

void hand_phases_to_callees(DecodedKernel& kernel) { CalledPhases(kernel).hand_on(); }

}  // namespace tilescope
