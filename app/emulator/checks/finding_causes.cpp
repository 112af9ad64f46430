#include "emulator/checks/finding_causes.h"

#include <algorithm>

namespace tilescope {
namespace {

class Causes {
 public:
  explicit Causes(const Program& program) : instructions_(program.instructions()) {
    first_wait_ = first([](const StaticInstruction& each) {
      return each.synchronisation == Synchronisation::kWaitMbarrier;
    });
  }

  // Does `second` follow from `cause`?
  [[nodiscard]] bool explains(const Finding& cause, const Finding& second) const {
    if (&cause == &second) return false;
    const bool same_block = cause.block == second.block;
    if (races_with_start(cause))
      return !races_with_start(second) ? uses_mbarrier(second) || comes_after_wait(second)
                                       : cause.instruction < second.instruction;
    if (passes_too_early(cause))
      return same_block && concerns_memory(second) && second.instruction > cause.instruction;
    if (reads_too_early(cause)) return same_block && arrives_too_often(second);
    // The compiler counts a loop's rounds by a division through its step.
    if (cause.kind == FindingKind::kEndless)
      return second.kind == FindingKind::kDivision && on_one_line(cause, second);
    if (races_between_blocks(cause))
      return second.kind == FindingKind::kUninitialised && on_one_line(cause, second);
    if (!reaches_gone_block(cause)) return false;
    return reaches_gone_block(second) ? cause.instruction < second.instruction
                                      : second.kind == FindingKind::kUninitialised;
  }

 private:
  template <class F>
  [[nodiscard]] std::uint32_t first(F is) const {
    return static_cast<std::uint32_t>(std::ranges::find_if(instructions_, is) -
                                      instructions_.begin());
  }
  [[nodiscard]] const StaticInstruction* at(const Finding& finding) const {
    return finding.instruction < instructions_.size() ? &instructions_[finding.instruction]
                                                      : nullptr;
  }
  [[nodiscard]] bool is_at(const Finding& finding, Synchronisation use) const {
    const StaticInstruction* const which = at(finding);
    return which != nullptr && which->synchronisation == use;
  }
  [[nodiscard]] bool uses_mbarrier(const Finding& finding) const {
    return is_at(finding, Synchronisation::kArriveMbarrier) ||
           is_at(finding, Synchronisation::kWaitMbarrier);
  }
  [[nodiscard]] static bool concerns_memory(const Finding& finding) {
    return finding.kind == FindingKind::kSharedRace || finding.kind == FindingKind::kCpAsync ||
           finding.kind == FindingKind::kUninitialised;
  }
  [[nodiscard]] bool comes_after_wait(const Finding& finding) const {
    return concerns_memory(finding) && finding.instruction > first_wait_;
  }
  [[nodiscard]] bool races_with_start(const Finding& finding) const {
    return finding.kind == FindingKind::kSharedRace && uses_mbarrier(finding);
  }
  // A wait at an mbarrier that counts fewer threads than arrive.
  [[nodiscard]] bool passes_too_early(const Finding& finding) const {
    return finding.kind == FindingKind::kBarrier &&
           is_at(finding, Synchronisation::kWaitMbarrier) && finding.other &&
           instructions_[finding.other->instruction].synchronisation ==
               Synchronisation::kStartMbarrier;
  }
  [[nodiscard]] bool arrives_too_often(const Finding& finding) const {
    return finding.kind == FindingKind::kBarrier &&
           is_at(finding, Synchronisation::kArriveMbarrier);
  }
  // Memory that a bulk copy has not filled yet.
  [[nodiscard]] bool reads_too_early(const Finding& finding) const {
    return finding.kind == FindingKind::kCpAsync && finding.other &&
           finding.other->instruction < instructions_.size() &&
           instructions_[finding.other->instruction].fills_in_bulk();
  }
  [[nodiscard]] static bool races_between_blocks(const Finding& finding) {
    return finding.kind == FindingKind::kSharedRace && finding.other &&
           finding.other->block != finding.block;
  }
  [[nodiscard]] bool on_one_line(const Finding& a, const Finding& b) const {
    return at(a) != nullptr && at(b) != nullptr && at(a)->source == at(b)->source;
  }
  // An access to a block of its cluster that has left the kernel, or may have left it.
  [[nodiscard]] bool reaches_gone_block(const Finding& finding) const {
    const StaticInstruction* const which = at(finding);
    return which != nullptr && finding.kind == FindingKind::kBarrier &&
           which->synchronisation == Synchronisation::kNone &&
           (which->access == AccessKind::kLoad || which->access == AccessKind::kStore ||
            which->access == AccessKind::kAtomic);
  }

  const std::vector<StaticInstruction>& instructions_;
  std::uint32_t first_wait_ = 0;
};

}  // namespace

void leave_out_consequences(const Program& program, std::vector<Finding>& findings) {
  const Causes causes(program);
  std::vector<Finding> kept;
  for (const Finding& finding : findings) {
    const bool follows = std::ranges::any_of(findings, [&](const Finding& cause) {
      return causes.explains(cause, finding) && !causes.explains(finding, cause);
    });
    if (!follows) kept.push_back(finding);
  }
  findings = std::move(kept);
}

}  // namespace tilescope
