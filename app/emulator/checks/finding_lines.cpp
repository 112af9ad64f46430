#include "emulator/checks/finding_lines.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "emulator/execution/finding_log.h"
#include "emulator/finding_place.h"

namespace tilescope {
namespace {

// A store out of bounds destroys something; a load on the same line hides it no more.
bool writes_out(const Program& program, const Finding& finding) {
  if (finding.kind != FindingKind::kOutOfBounds && finding.kind != FindingKind::kMisaligned)
    return false;
  const AccessKind access = program.instructions()[finding.instruction].access;
  return access == AccessKind::kStore || access == AccessKind::kAtomic;
}

}  // namespace

void keep_one_per_line(const Program& program, std::vector<Finding>& findings) {
  std::map<std::tuple<FindingKind, std::uint16_t, std::uint32_t>, std::size_t> first;
  const FindingPlaces places(program);
  std::vector<Finding> kept;
  for (Finding& finding : findings) {
    const SourceLine line = finding.instruction < program.instructions().size()
                                ? places.of(finding.instruction).line
                                : SourceLine{};
    if (line.line == 0) {
      kept.push_back(std::move(finding));
      continue;
    }
    const auto order = [&](const Finding& of) {
      return std::tuple(!writes_out(program, of), !is_between_blocks(of), of.block.z, of.block.y,
                        of.block.x);
    };
    const auto [entry, added] =
        first.emplace(std::tuple(finding.kind, line.file, line.line), kept.size());
    if (added) {
      kept.push_back(std::move(finding));
    } else if (order(finding) < order(kept[entry->second])) {
      kept[entry->second] = std::move(finding);
    }
  }
  findings = std::move(kept);
}

namespace {

// Index + 1, of this loop and those around it.
std::uint16_t most_rounds(const Program& program, const ExecutionCounts& counts,
                          std::uint16_t innermost) {
  const auto executed = [&](std::uint32_t instruction) {
    return static_cast<double>(std::max<std::uint64_t>(counts.warps[instruction], 1));
  };
  std::uint16_t best = innermost;
  double most = 0;
  for (std::uint16_t loop = innermost; loop != 0; loop = program.loops()[loop - 1U].parent) {
    const Loop& now = program.loops()[loop - 1U];
    const double entered = executed(now.parent == 0 ? 0 : program.loops()[now.parent - 1U].header);
    const double rounds = executed(now.header) / entered;
    if (rounds > most) best = loop;
    most = std::max(most, rounds);
  }
  return best;
}

// An instruction that the compiler gives no line has that of the one before it, which may stand
// outside the loop. That line, unless the loop's own branch has it.
SourceLine line_before(const Program& program, std::uint16_t loop) {
  const auto& instructions = program.instructions();
  const std::uint32_t header = program.loops()[loop - 1U].header;
  if (header == 0 || instructions[header].loop != loop) return {};
  const SourceLine before = instructions[header - 1].source;
  for (const StaticInstruction& each : instructions) {
    const bool is_branch = each.loop == loop && each.control == Control::kBranch;
    if (is_branch && each.source == before) return {};
  }
  return before;
}

}  // namespace

void place_endless_loops(const Program& program, const ExecutionCounts& counts,
                         std::vector<Finding>& findings) {
  const auto& instructions = program.instructions();
  for (Finding& finding : findings) {
    if (finding.kind != FindingKind::kEndless || finding.instruction >= instructions.size())
      continue;
    const StaticInstruction& found = instructions[finding.instruction];
    if (found.loop == 0) continue;
    const std::uint16_t loop = most_rounds(program, counts, found.loop);
    const SourceLine header = instructions.front().source;  // of the kernel itself
    const SourceLine carried = line_before(program, loop);
    std::uint32_t best = 0;
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
      const StaticInstruction& other = instructions[i];
      const bool inside = other.loop == loop && other.source.file == header.file &&
                          other.source.line != 0 && !(other.source == header) &&
                          !(other.source == carried);
      if (!inside || (best != 0 && best <= other.source.line)) continue;
      best = other.source.line;
      finding.instruction = i;
    }
  }
}

}  // namespace tilescope
