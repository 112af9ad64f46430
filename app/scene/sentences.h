#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/comparison.h"
#include "analysis/divergence.h"
#include "analysis/occupancy.h"
#include "analysis/warp_timing.h"
#include "scene/coalescing/access_shape.h"
#include "scene/roofline/roofline_figure.h"
#include "scene/tiling/lane_walk.h"
#include "scene/view.h"

namespace tilescope {

// The sentences above the views: templates over analysis results, so that each wording is a value
// in, a value out. What one sees first, what it costs second and strong.

struct CoalescingFacts {
  std::uint32_t line = 0;  // 0: no source line is known
  AccessKind kind = AccessKind::kLoad;
  ElementType type = ElementType::kF32;
  int bytes_per_lane = 4;
  AccessShape shape;
  SectorCost cost;
};
[[nodiscard]] Sentence coalescing_sentence(const CoalescingFacts& facts);

struct BankFacts {
  std::uint32_t line = 0;
  AccessKind kind = AccessKind::kLoad;
  int bytes_per_lane = 4;
  AccessShape shape;
  WavefrontCost cost;
  bool lanes_meet = false;  // in a bank
  struct Copy {
    bool past_l1 = false;
    int source_lines = 0;  // of 128 B that it reads
    int zero_lanes = 0;    // that read nothing and write zeros
  };
  std::optional<Copy> copy;   // cp.async alone
  std::string array;          // "tile"; empty: not known
  int pitch_words = 0;        // of the array's rows; 0: not known
  bool walks_column = false;  // the lanes go down the array's rows, one row each
  int busiest_bank = 0;       // the one with the most distinct words
  int busiest_lanes = 0;      // lanes that want a word of it
  int banks_used = 0;
};
[[nodiscard]] Sentence banks_sentence(const BankFacts& facts);

struct TilingFacts {
  std::optional<Problem> problem;
  Dim3 block;  // index
  Dim3 grid;
  std::uint64_t threads = 0;  // of the block
  // Rows x columns of what the block stores, and of the input tiles that this step reads.
  std::string output = "C";
  std::uint64_t tile_rows = 0;
  std::uint64_t tile_cols = 0;
  std::uint64_t full_tile_rows = 0;  // of a block that no edge cuts
  std::uint64_t full_tile_cols = 0;
  std::uint64_t elements_per_thread = 0;
  std::uint32_t step = 0;  // from 0
  std::uint32_t steps = 1;
  std::uint32_t k_tiles = 0;  // pieces of an input that the block reads one after another
  // Where these go through shared memory and the steps are theirs: what this one multiplies, and
  // which it brings.
  bool by_tile = false;
  std::optional<std::uint32_t> multiplies;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> brings;  // the first and the last
  struct Input {
    std::string name;
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    double reads_per_element = 0;  // over the whole grid
    bool bypasses_shared = false;  // where others do go through it
  };
  std::vector<Input> inputs;                // read in this step
  LaneWalk reads_along = LaneWalk::kNone;   // transposes: of the input, by neighbouring lanes
  LaneWalk writes_along = LaneWalk::kNone;  // of the output
  bool through_shared = false;
  std::uint64_t traced_instructions = 0;  // of a trace that ends before the block does; else 0
  std::uint64_t elements_read = 0;        // unknown kernels: in all, by the block
  std::uint64_t elements_written = 0;
};
[[nodiscard]] Sentence tiling_sentence(const TilingFacts& facts);

struct PipelineFacts {
  std::uint32_t buffers = 0;  // parts of shared memory that tiles pass through in turn
  std::uint32_t tiles = 0;
  bool is_async = false;  // cp.async
  bool multiplies = false;
  double in_flight = 0;  // copies at once
  std::uint32_t copy_cycles = 0;
  std::uint32_t use_cycles = 0;
  std::array<double, kStallCount> stalled{};  // 0..1 of the warps' time, by Stall
  ShortLatencyUnits short_latency;
  std::string held_by;  // Diagnosis::held_by of "the kernel"; empty: not known
};
[[nodiscard]] Sentence pipeline_sentence(const PipelineFacts& facts);
struct OccupancyFacts {
  DeviceModel device;
  std::string device_name;  // "H200"
  // "sm_90" where the registers are those of another architecture than the device's; else empty
  std::string registers_of;
  OccupancyRequest request;
  std::optional<Occupancy> occupancy;  // nullopt: more threads than a block of the device has
  std::uint64_t grid_blocks = 0;       // 0: as many as are wanted
  std::string against = {};            // the kernel's rule that does not hold on the device
};
[[nodiscard]] Sentence occupancy_sentence(const OccupancyFacts& facts);
// The cubin is not there yet; `why`: that there will be none.
[[nodiscard]] Sentence occupancy_unknown_sentence(std::string_view why = {});
struct DivergenceFacts {
  std::uint32_t warp = 0;
  int lanes = 32;  // of the warp that have a thread
  LaneSlots slots;
  // The branch that costs the warp most; times 0: its lanes never part.
  DivergentBranch branch;
  Divergence worst;           // of that branch
  std::uint32_t line = 0;     // of that branch; 0: no source line is known
  std::uint64_t threads = 0;  // of the block
  std::size_t warps = 1;      // of the block
  std::size_t diverging = 0;  // of them
  double block_lost = 0;      // 0..1
};
[[nodiscard]] Sentence divergence_sentence(const DivergenceFacts& facts);
struct RooflineFacts {
  RooflineFigure figure;
  bool nothing_big = false;
  std::string first_cause;  // Verdict::fact of the first; empty: there is none
  double worth = 0;         // 0..1
};
[[nodiscard]] Sentence roofline_sentence(const RooflineFacts& facts);
struct CompareFacts {
  // One other variant, as the subject stands to it.
  struct Against {
    std::string letter;
    Comparable comparable = Comparable::kYes;
    double speedup = 1;              // of the subject: > 1 where it is faster
    std::string change;              // "PAD 1 instead of 0"; empty: more than one thing differs
    std::vector<std::string> facts;  // of the subject, most telling first
    std::vector<std::string> same;   // "sectors": what is equal and worth a word
  };
  std::string letter;  // of the subject
  std::string name;    // "tiled"
  bool modelled = false;
  std::vector<Against> against;  // nearest in time first; empty: it is alone
  std::string pending;           // letters of variants that are not there yet, "B and C"
};
[[nodiscard]] Sentence compare_sentence(const CompareFacts& facts);

// The facts of what the context selects.
[[nodiscard]] Sentence coalescing_sentence(const ViewContext& context);
[[nodiscard]] Sentence banks_sentence(const ViewContext& context);
[[nodiscard]] Sentence tiling_sentence(const ViewContext& context);
[[nodiscard]] Sentence pipeline_sentence(const ViewContext& context);
[[nodiscard]] Sentence occupancy_sentence(const ViewContext& context);
[[nodiscard]] Sentence divergence_sentence(const ViewContext& context);
[[nodiscard]] Sentence roofline_sentence(const ViewContext& context);
[[nodiscard]] Sentence compare_sentence(const ViewContext& context);

}  // namespace tilescope
