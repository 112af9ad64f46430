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
// (analysis/time/time_model.h): how much shorter would the launch be without this cause alone?
// Causes overlap, so their costs do not add up, and they are as good as the model is.
enum class Cause : std::uint8_t {
  kLoadPattern,   // loads move more sectors or look up more lines than their bytes need
  kStorePattern,  // the same for stores
  kBankConflicts,
  kDataStage,   // loads for the arithmetic: too many wavefronts per operation
  kRereads,     // several blocks read the same from the L2
  kOverhead,    // instructions beside the arithmetic
  kDivergence,  // lanes that wait while others of their warp take another path
  kPartWarps,   // blocks that are no multiple of 32 threads
  kGlobalWaits,
  kSharedWaits,
  kBarriers,
  kAtomics,      // additions to the same addresses, one after the other
  kOccupancy,    // too few warps to hide the waits
  kShortBlocks,  // much of the time is needed to start blocks
  kTail,         // multiprocessors are idle while others run the last blocks
  kLaunch,       // the launch takes longer than the work
};

struct Verdict {
  Cause cause = Cause::kLoadPattern;
  std::string fact;        // "32 sectors per request; 4 would be enough"
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
  std::string calibrated;  // "2026-11-27", when its rates were measured; empty: they are usual
  // What limits the launch, and how far it is used: "Limited by L2 bandwidth: busy 98 % of the
  // time".
  std::string limited_by;
  // No cause is worth a tenth of the time, nor starting three.
  [[nodiscard]] bool nothing_big() const;
};

// A sentence that says why no time can be modelled for a study that has counters and a device: the
// traced block did not finish, for example because it waits for another block. Empty: it can be.
[[nodiscard]] std::string not_modelled(const KernelStudy& study);

// nullopt as long as the study has no counters or no device (with_resources() brings that), and
// where no time can be modelled.
[[nodiscard]] std::optional<Diagnosis> diagnose(const KernelStudy& study);

// Whether the model differs by more than a fifth from a known time: the shares of its causes are
// then shares of the modelled time only.
[[nodiscard]] bool misses(double modelled_seconds, double known_seconds);

// "The model explains 84 % of the recorded 1.322 ms.", or by how much it predicts more.
[[nodiscard]] std::string explained(const Diagnosis& diagnosis, double known_seconds,
                                    Source source);

// "Each wavefront feeds ..." as it stands inside a sentence: "each wavefront feeds ...". Names such
// as "FP32" keep their capitals.
[[nodiscard]] std::string inside_a_sentence(std::string fact);

}  // namespace tilescope
