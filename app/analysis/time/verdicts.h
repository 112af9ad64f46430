#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "analysis/time/time_model.h"
#include "core/quantity.h"

namespace tilescope {

// Why a kernel is not faster. Each cause is a question to the time model
// (analysis/time/time_model.h): how much shorter would the launch be if this alone were not so?
// Causes overlap, so their worths do not add up, and they are as good as the model is.
enum class Cause : std::uint8_t {
  kLoadPattern,   // loads move more sectors or look up more lines than their bytes need
  kStorePattern,  // the same of stores
  kBankConflicts,
  kDataStage,   // loads that feed the arithmetic: wavefronts at all
  kRereads,     // blocks read from the L2 what others read too
  kOverhead,    // instructions beside the arithmetic
  kDivergence,  // lanes that wait while others of their warp go another way
  kPartWarps,   // blocks that are no multiple of 32 threads
  kGlobalWaits,
  kSharedWaits,
  kBarriers,
  kOccupancy,    // too few warps to fill the waits
  kShortBlocks,  // the next block has to be started all the time
  kTail,         // multiprocessors that idle while others run the last blocks
  kLaunch,       // starting takes longer than working
};

struct Verdict {
  Cause cause = Cause::kLoadPattern;
  std::string fact;        // "32 sectors a request where 4 would do"
  std::string detail;      // "line 27 stores; each lane needs a sector of its own"
  std::uint32_t line = 0;  // of the source; 0: of no single line
  double worth = 0;        // 0..1 of the modelled time
};

// Why this launch takes as long as it does.
struct Diagnosis {
  LaunchWork work;
  MachineRates rates;
  TimeBounds bounds;
  std::vector<Verdict> verdicts;  // worth 2 % or more, most first
  std::string device;             // "NVIDIA H200"
  // The part that holds it back and what it reaches: "L2 bandwidth holds it: busy 98 % of the
  // time".
  std::string held_by;
  // No cause is worth a tenth of the time, nor starting three.
  [[nodiscard]] bool nothing_big() const;
};

// Diagnosis::held_by, said of `subject`: "the kernel".
[[nodiscard]] std::string held_by(const Diagnosis& diagnosis, std::string_view subject);

// Why no time can be modelled of a study that has counters and a device, a sentence: its traced
// block never came to its end, as one does not that waits for another block. Empty: one can.
[[nodiscard]] std::string not_modelled(const KernelStudy& study);

// nullopt as long as the study has no counters or no device (with_resources() brings that), and
// where no time can be modelled.
[[nodiscard]] std::optional<Diagnosis> diagnose(const KernelStudy& study);

// Whether the model is further than a fifth from a known time: what it says of causes is then a
// share of its own time alone.
[[nodiscard]] bool misses(double modelled_seconds, double known_seconds);

// "The model explains 84 % of the recorded 1.322 ms.", or by how much it says more.
[[nodiscard]] std::string explained(const Diagnosis& diagnosis, double known_seconds,
                                    Source source);

// "Each wavefront feeds ..." as it stands inside a sentence: "each wavefront feeds ...". Names such
// as "FP32" keep their capitals.
[[nodiscard]] std::string inside_a_sentence(std::string fact);

}  // namespace tilescope
