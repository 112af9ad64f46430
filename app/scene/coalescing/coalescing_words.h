#pragma once

#include <cstdint>

#include "analysis/memory/coalescing.h"
#include "core/buffer_recipe.h"
#include "scene/model/access_shape.h"
#include "scene/view/view.h"

namespace tilescope {

class NumberList;       // scene/view/drawn_numbers.h
struct ViewDescriptor;  // scene/view/view_descriptor.h

// What the sentence above the view says, as values: so each wording is a value in, a value out.
struct CoalescingFacts {
  std::uint32_t line = 0;  // 0: no source line is known
  AccessKind kind = AccessKind::kLoad;
  ElementType type = ElementType::kF32;
  int bytes_per_lane = 4;
  AccessShape shape;
  SectorCost cost;
};
// What one sees first, then what it costs; the strong runs are what to read at a glance.
[[nodiscard]] Sentence coalescing_sentence(const CoalescingFacts& facts);
// The same of what the context selects.
[[nodiscard]] Sentence coalescing_sentence(const ViewContext& context);

// The numbers that the view draws. Precondition: context.study is traced, context.prepared.
void add_coalescing_numbers(NumberList& list, const ViewContext& context);

[[nodiscard]] ViewDescriptor coalescing_view();  // scene/view/views.inc

}  // namespace tilescope
