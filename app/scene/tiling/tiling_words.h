#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scene/model/tiling_model.h"
#include "scene/view/view.h"

namespace tilescope {

class NumberList;       // scene/view/drawn_numbers.h
struct ViewDescriptor;  // scene/view/view_descriptor.h

// What the sentence above the view says, as values: so each wording is a value in, a value out.
struct TilingFacts {
  Movement movement = Movement::kOther;
  Dim3 block;  // index
  Dim3 grid;
  std::uint64_t threads = 0;  // of the block
  // Rows x columns of what the block stores, and of the input tiles that this step reads.
  std::string output = "C";
  std::uint64_t tile_rows = 0;
  std::uint64_t tile_cols = 0;
  std::uint64_t full_tile_rows = 0;  // of a block that no edge cuts
  std::uint64_t full_tile_cols = 0;
  // What the block multiplies for, where it shares its sums with others and stores less; else 0.
  std::uint64_t summed_rows = 0;
  std::uint64_t summed_cols = 0;
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
    bool folded = false;           // its rows are ours: their number says nothing
  };
  std::vector<Input> inputs;                // read in this step
  LaneWalk reads_along = LaneWalk::kNone;   // transposes: of the input, by neighbouring lanes
  LaneWalk writes_along = LaneWalk::kNone;  // of the output
  bool through_shared = false;
  std::uint64_t stopped_after = 0;        // instructions of a block that does not finish; else 0
  std::uint64_t traced_instructions = 0;  // of a trace that ends before the block does; else 0
  std::uint64_t elements_read = 0;        // unknown kernels: in all, by the block
  std::vector<std::pair<std::string, std::uint64_t>> reads;  // the same by buffer
  bool updates = false;  // reads what it writes, and only that, of the output
  std::uint64_t elements_written = 0;
  // What bulk copies move, if any does.
  struct Boxes {
    std::string name;   // "Tensor copies (TMA)"
    ElementBox loaded;  // the largest box of each way, its place without a meaning; or empty
    ElementBox stored;
    bool reduces = false;
    // Of these matrices other blocks of the cluster load boxes into this one too, ...
    std::vector<std::string> from_cluster = {};
    bool multicast = false;          // ... each box once for several blocks
    std::uint32_t cluster_size = 1;  // blocks
  };
  std::optional<Boxes> boxes;
};
// What one sees first, then what it costs; the strong runs are what to read at a glance.
[[nodiscard]] Sentence tiling_sentence(const TilingFacts& facts);
// The same of what the context selects.
[[nodiscard]] Sentence tiling_sentence(const ViewContext& context);

// The numbers that the view draws. Precondition: context.study is traced, context.prepared.
void add_tiling_numbers(NumberList& list, const ViewContext& context);

[[nodiscard]] ViewDescriptor tiling_view();  // scene/view/views.inc

}  // namespace tilescope
