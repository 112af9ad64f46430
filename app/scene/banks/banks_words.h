#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/memory/bank_conflicts.h"
#include "scene/model/access_shape.h"
#include "scene/view/view.h"

namespace tilescope {

class NumberList;       // scene/view/drawn_numbers.h
struct ViewDescriptor;  // scene/view/view_descriptor.h

// What the sentence above the view says, as values: so each wording is a value in, a value out.
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
  std::optional<Copy> copy;    // cp.async alone
  std::string array;           // "tile"; empty: not known
  int pitch_words = 0;         // of the array's rows; 0: not known
  bool walks_column = false;   // the lanes go down the array's rows, one row each
  unsigned swizzle_bytes = 0;  // of the array's rows; 0: none is known
  // Of swizzled rows: the 16-byte chunk, as the elements have it, that each lane reads of its row.
  std::optional<std::uint64_t> reads_one_chunk;
  // What wgmma reads from shared memory by itself: "a and b"; empty: nothing. With their swizzle.
  std::string operands;
  unsigned operand_swizzle = 0;
  int busiest_bank = 0;   // the one with the most distinct words
  int busiest_lanes = 0;  // lanes that want a word of it
  int banks_used = 0;
};
// What one sees first, then what it costs; the strong runs are what to read at a glance.
[[nodiscard]] Sentence banks_sentence(const BankFacts& facts);
// The same of what the context selects.
[[nodiscard]] Sentence banks_sentence(const ViewContext& context);

// The numbers that the view draws. Precondition: context.study is traced, context.prepared.
void add_bank_numbers(NumberList& list, const ViewContext& context);

[[nodiscard]] ViewDescriptor banks_view();  // scene/view/views.inc

}  // namespace tilescope
