#include "scene/tiling/thread_words.h"

#include <fmt/format.h>

#include <string_view>

#include "core/quantity.h"
#include "scene/selected_time.h"

namespace tilescope {

std::string thread_words(const ViewContext& context, const TilingMoment& moment) {
  const std::uint64_t linear = moment.warp * 32u + static_cast<std::uint64_t>(moment.lane);
  const Dim3& block = context.study->launch.block;
  const Dim3 thread = unflatten(linear, block);
  std::string words = fmt::format("warp {}, lane {}", moment.warp, moment.lane);
  if (block.y > 1 || block.z > 1) words += fmt::format(" = thread ({}, {})", thread.x, thread.y);
  return words;
}

std::vector<std::string> instruction_words(const ViewContext& context, const TilingMoment& moment) {
  const KernelStudy& study = *context.study;
  const WarpTime time = time_of(study, *context.prepared, moment.warp);
  if (time.own.empty()) return {fmt::format("nothing of warp {} was traced", moment.warp)};
  const TraceEvent& event = study.trace->events[time.own_event(moment.event)];
  const StaticInstruction& instruction = study.program->instructions()[event.instruction];
  const bool guarded = instruction.guard != kNoIndex;  // the name alone would say too much
  const std::string_view name = guarded ? std::string_view() : instruction.opcode;
  const std::string place =
      fmt::format("{} of {}", format_count(time.done(moment.event)), format_count(time.own.size()));
  const std::string line = fmt::format("line {}", instruction.outermost.line);
  std::vector<std::string> words;
  if (instruction.outermost.line != 0) {
    if (!name.empty()) words.push_back(fmt::format("{} · {} · instruction {}", line, name, place));
    words.push_back(fmt::format("{} · instruction {}", line, place));
  }
  words.push_back(fmt::format("instruction {}", place));
  words.push_back(place);
  return words;
}

}  // namespace tilescope
