#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/occupancy/occupancy.h"
#include "scene/view/view.h"

namespace tilescope {

class NumberList;       // scene/view/drawn_numbers.h
struct ViewDescriptor;  // scene/view/view_descriptor.h

// What the sentence above the view says, as values: so each wording is a value in, a value out.
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
// What one sees first, then what it costs; the strong runs are what to read at a glance.
[[nodiscard]] Sentence occupancy_sentence(const OccupancyFacts& facts);
// The same of what the context selects.
[[nodiscard]] Sentence occupancy_sentence(const ViewContext& context);
// The cubin is not there yet; `why`: that there will be none.
[[nodiscard]] Sentence occupancy_unknown_sentence(std::string_view why = {});

// The numbers that the view draws. Precondition: context.study is traced, context.prepared.
void add_occupancy_numbers(NumberList& list, const ViewContext& context);

[[nodiscard]] ViewDescriptor occupancy_view();  // scene/view/views.inc

}  // namespace tilescope
