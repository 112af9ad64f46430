#pragma once

#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "scene/view/view.h"

namespace tilescope {

class NumberList;  // scene/view/drawn_numbers.h

// Whether a ratio of two times is near enough to 1 to be called none.
[[nodiscard]] bool same_time(double speedup);

// What the sentence above the view says, as values: so each wording is a value in, a value out.
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
// What one sees first, then what it costs; the strong runs are what to read at a glance.
[[nodiscard]] Sentence compare_sentence(const CompareFacts& facts);
// The same of what the context selects.
[[nodiscard]] Sentence compare_sentence(const ViewContext& context);

// The numbers that the view draws. Precondition: context.study is traced, context.prepared.
void add_compare_numbers(NumberList& list, const ViewContext& context);

}  // namespace tilescope
