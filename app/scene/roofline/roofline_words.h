#pragma once

#include <string>

#include "scene/roofline/roofline_figure.h"
#include "scene/view/view.h"

namespace tilescope {

class NumberList;       // scene/view/drawn_numbers.h
struct ViewDescriptor;  // scene/view/view_descriptor.h

// What the sentence above the view says, as values: so each wording is a value in, a value out.
struct RooflineFacts {
  RooflineFigure figure;
  bool nothing_big = false;
  std::string first_cause;  // Verdict::fact of the first; empty: there is none
  double worth = 0;         // 0..1
};
// What one sees first, then what it costs; the strong runs are what to read at a glance.
[[nodiscard]] Sentence roofline_sentence(const RooflineFacts& facts);
// The same of what the context selects.
[[nodiscard]] Sentence roofline_sentence(const ViewContext& context);

// The numbers that the view draws. Precondition: context.study is traced, context.prepared.
void add_roofline_numbers(NumberList& list, const ViewContext& context);

[[nodiscard]] ViewDescriptor roofline_view();  // scene/view/views.inc

}  // namespace tilescope
