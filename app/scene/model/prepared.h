#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "analysis/study/static_shared.h"
#include "analysis/time/outstanding_loads.h"
#include "analysis/time/verdicts.h"

namespace tilescope {

struct TilingModel;   // scene/model/tiling_model.h
struct SharedLayout;  // scene/model/shared_layout.h
struct CopyFlow;      // scene/model/copy_flow.h
struct LaneModel;     // scene/model/lane_model.h

// One row of the coalescing view's table: a line's global accesses of one kind.
struct GlobalLine {
  std::uint32_t line = 0;
  std::uint16_t file = 0;
  AccessKind access = AccessKind::kLoad;
  AccessCounters counters;
  [[nodiscard]] std::uint64_t excess() const { return counters.sectors - counters.sectors_ideal; }
};

// What the views draw from, so that a frame costs what it shows and not what the trace holds.
// Immutable, made once per study by prepare() on a job; it keeps no pointer to the study.
struct PreparedStudy {
  PreparedStudy();
  ~PreparedStudy();
  PreparedStudy(const PreparedStudy&) = delete;
  PreparedStudy& operator=(const PreparedStudy&) = delete;

  // Memory events of each warp and space, ascending.
  struct WarpAccesses {
    std::vector<std::uint32_t> global;
    std::vector<std::uint32_t> shared;
  };
  std::vector<WarpAccesses> warps;

  // Parallel to Timeline::memory_events, with one more at the end: sectors and wavefronts that were
  // needed beyond the ideal, and all of them, summed over the events before.
  std::vector<std::uint64_t> cost_before;
  std::vector<std::uint64_t> excess_before;

  std::vector<GlobalLine> global_lines;                // most excess sectors first
  std::vector<std::vector<std::string>> source_lines;  // by Program::files(); empty: text not known

  std::shared_ptr<const TilingModel> tiling;
  std::shared_ptr<const SharedLayout> shared;
  std::shared_ptr<const CopyFlow> flow;
  StaticShared static_shared;
  OutstandingLoads loads;  // of the machine code once that has been counted, else of the PTX
  std::shared_ptr<const LaneModel> lanes;
  std::shared_ptr<const Diagnosis> diagnosis;  // nullptr: the study has no device yet
};

// Precondition: study.traced(). Thread-safe. It reads the trace on up to four threads; a 128 x 128
// x 16 tile 1024 deep takes some 20 ms on two.
[[nodiscard]] std::shared_ptr<const PreparedStudy> prepare(const KernelStudy& study);
// The same in a few milliseconds, where `before` was prepared from the same trace: of a study to
// which counters, resources or machine code were added.
[[nodiscard]] std::shared_ptr<const PreparedStudy> prepare_again(const KernelStudy& study,
                                                                 const PreparedStudy& before);

// The text of a source line without its indentation; "" where it is not known.
[[nodiscard]] std::string source_text(const PreparedStudy& prepared, SourceLine place);

}  // namespace tilescope
