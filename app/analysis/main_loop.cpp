#include "analysis/main_loop.h"

#include <algorithm>
#include <map>
#include <vector>

namespace tilescope {
namespace {

// The outermost loop (index + 1) around an instruction; 0: none.
std::uint16_t outermost_loop(const Program& program, std::uint16_t loop) {
  while (loop != 0 && program.loops()[loop - 1u].parent != 0)
    loop = program.loops()[loop - 1u].parent;
  return loop;
}

}  // namespace

std::uint32_t main_loop_header(const Program& program, const BlockTrace& trace) {
  std::vector<std::uint32_t> accesses(program.instructions().size());
  for (std::uint32_t i = 0; i < trace.access_count(); ++i) {
    const std::uint32_t instruction = trace.events.accesses().instruction(i);
    if (instruction != kNoInstruction) ++accesses[instruction];
  }
  std::map<std::uint16_t, std::size_t> by_loop;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (accesses[i] == 0) continue;
    const StaticInstruction& instruction = program.instructions()[i];
    const std::size_t executed =
        accesses[i] / (instruction.access == AccessKind::kAsyncCopy ? 2 : 1);
    by_loop[outermost_loop(program, instruction.loop)] += executed;
  }
  by_loop.erase(0);
  const auto most =
      std::max_element(by_loop.begin(), by_loop.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == by_loop.end() ? kNoLoopHeader : program.loops()[most->first - 1u].header;
}

}  // namespace tilescope
