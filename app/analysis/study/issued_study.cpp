#include "analysis/study/issued_study.h"

#include <algorithm>
#include <utility>

#include "emulator/issued_program.h"
#include "kernel/compile/assemble.h"
#include "kernel/compile/device_code.h"

namespace tilescope {
namespace {

// The same launch of the machine code, which stands where the PTX's program did: what counts a
// study counts this one.
KernelStudy issued_study(const KernelStudy& study) {
  KernelStudy issued = study;
  issued.program = study.issued;
  return issued;
}

// An atomic tells each lane what others did before; what follows may depend on who came first.
bool uses_what_atomics_return(const Program& program) {
  return std::ranges::any_of(program.instructions(), [](const StaticInstruction& instruction) {
    return instruction.access == AccessKind::kAtomic &&
           instruction.variant != AccessVariant::kReduction;
  });
}

// What `run` finds; where that may depend on it, with the other turns as well.
template <typename Run>
Result<GridRun> run_both_turns(const Program& program, const Run& run) {
  Result<GridRun> first = run(Turns::kUsual);
  if (!first || !first->emulation.complete || !uses_what_atomics_return(program)) return first;
  Result<GridRun> other = run(Turns::kOther);
  if (!other) return other;
  if (other->emulation.complete) {
    first->counters.other_turns =
        std::make_shared<const LaunchCounters>(std::move(other->counters));
  }
  return first;
}

}  // namespace

Result<std::shared_ptr<const KernelStudy>> with_machine_code(
    std::shared_ptr<const KernelStudy> study, std::stop_token stop) {
  if (study->compiled->cubin.empty()) {
    return Error{ErrorCode::kMachine, study->compiled->why_no_cubin, "", {}};
  }
  const bool comes_first = machine_code_origin(study->compiled->ptx).has_value();
  const ListedLines lines =
      study->instance.is_ptx() && !comes_first ? ListedLines::kPtx : ListedLines::kSource;
  auto listing = disassemble(study->compiled->cubin, lines, stop);
  if (!listing) return std::move(listing).error();
  auto issued = decode_machine_code(*listing, *study->program,
                                    comes_first ? std::string_view(study->compiled->ptx) : "");
  if (!issued) return std::move(issued).error();
  auto next = std::make_shared<KernelStudy>(*study);
  next->issued = *std::move(issued);
  return std::shared_ptr<const KernelStudy>(std::move(next));
}

Result<GridRun> run_issued_grid(const KernelStudy& study, unsigned workers, std::stop_token stop) {
  return run_both_turns(*study.issued, [&](Turns turns) {
    return run_grid(issued_study(study), workers, stop, Checks::kOff, turns);
  });
}

Result<GridRun> run_issued_sample(const KernelStudy& study, unsigned workers,
                                  std::stop_token stop) {
  return run_both_turns(*study.issued, [&](Turns turns) {
    return run_sample(issued_study(study), workers, stop, Checks::kOff, turns);
  });
}

Result<std::shared_ptr<const KernelStudy>> with_issued_counts(
    std::shared_ptr<const KernelStudy> study, Counted blocks, unsigned workers,
    std::stop_token stop) {
  const auto without = [&](std::string why) {
    auto next = std::make_shared<KernelStudy>(*study);
    next->why_not_issued = std::move(why);
    return std::shared_ptr<const KernelStudy>(std::move(next));
  };
  auto coded = study->issued ? Result(study) : with_machine_code(study, stop);
  if (!coded) {
    if (coded.error().code == ErrorCode::kCancelled) return std::move(coded).error();
    return without(to_string(coded.error()));
  }
  auto run = blocks == Counted::kGrid ? run_issued_grid(**coded, workers, stop)
                                      : run_issued_sample(**coded, workers, stop);
  if (!run) {
    if (run.error().code == ErrorCode::kCancelled) return std::move(run).error();
    return without(to_string(run.error()));
  }
  if (!run->emulation.complete) return without("an instruction of the machine is not known");
  auto next = std::make_shared<KernelStudy>(**coded);
  next->issued_counters = std::make_shared<const LaunchCounters>(std::move(run->counters));
  return std::shared_ptr<const KernelStudy>(std::move(next));
}

}  // namespace tilescope
