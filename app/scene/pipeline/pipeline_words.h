#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/time/warp_timing.h"
#include "scene/view/view.h"

namespace tilescope {

class NumberList;       // scene/view/drawn_numbers.h
struct ViewDescriptor;  // scene/view/view_descriptor.h

// What the sentence above the view says, as values: so each wording is a value in, a value out.
struct PipelineFacts {
  std::uint32_t buffers = 0;  // parts of shared memory that tiles pass through in turn
  std::uint32_t tiles = 0;
  bool is_async = false;  // cp.async, or bulk copies
  // Of bulk copies:
  std::string copies;  // "Tensor copies (TMA)"; empty: there are none
  std::uint64_t stage_bytes = 0;
  double bytes_in_flight = 0;
  // Warps that only load tiles, those that only use them, and those that change them in between;
  // with the share of their time (0..1) that the first two wait at mbarriers: for an empty stage,
  // for a full one.
  std::vector<std::uint32_t> producers;
  std::vector<std::uint32_t> consumers;
  std::vector<std::uint32_t> helpers;
  double producers_wait = 0;
  double consumers_wait = 0;
  bool multiplies = false;
  double in_flight = 0;  // copies at once
  std::uint32_t copy_cycles = 0;
  std::uint32_t use_cycles = 0;
  std::array<double, kStallCount> stalled{};  // 0..1 of the warps' time, by Stall
  ShortLatencyUnits short_latency;
  std::string limited_by;  // Diagnosis::limited_by; empty: not known
};
// What one sees first, then what it costs; the strong runs are what to read at a glance.
[[nodiscard]] Sentence pipeline_sentence(const PipelineFacts& facts);
// The same of what the context selects.
[[nodiscard]] Sentence pipeline_sentence(const ViewContext& context);

// The numbers that the view draws. Precondition: context.study is traced, context.prepared.
void add_pipeline_numbers(NumberList& list, const ViewContext& context);

[[nodiscard]] ViewDescriptor pipeline_view();  // scene/view/views.inc

}  // namespace tilescope
