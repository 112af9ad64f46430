#pragma once

#include <cstdint>

#include "analysis/study/divergence.h"
#include "scene/view/view.h"

namespace tilescope {

class NumberList;       // scene/view/drawn_numbers.h
struct ViewDescriptor;  // scene/view/view_descriptor.h

// What the sentence above the view says, as values: so each wording is a value in, a value out.
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
// What one sees first, then what it costs; the strong runs are what to read at a glance.
[[nodiscard]] Sentence divergence_sentence(const DivergenceFacts& facts);
// The same of what the context selects.
[[nodiscard]] Sentence divergence_sentence(const ViewContext& context);

// The numbers that the view draws. Precondition: context.study is traced, context.prepared.
void add_divergence_numbers(NumberList& list, const ViewContext& context);

[[nodiscard]] ViewDescriptor divergence_view();  // scene/view/views.inc

}  // namespace tilescope
