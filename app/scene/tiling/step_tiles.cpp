#include "scene/tiling/step_tiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/quantity.h"

namespace tilescope {
namespace {

class StepsOfBlock {
 public:
  explicit StepsOfBlock(const KernelStudy& study) : study_(study) {}
  [[nodiscard]] std::uint32_t of(std::uint32_t event) const {
    return study_.timeline->step_of(study_.trace->events[event].warp, event);
  }

 private:
  const KernelStudy& study_;
};

// Whether each tile is in use in the step that would multiply it.
bool is_multiplied_in_turn(const RingModel& ring, const StepsOfBlock& steps,
                           std::uint32_t filling) {
  for (std::uint32_t i = 0; i < ring.fills.size(); ++i) {
    const RingFill& fill = ring.fills[i];
    if (fill.first_read == RingFill::kNever) return false;
    const std::uint32_t turn = i + filling;
    if (steps.of(fill.first_read) > turn) return false;
    if (fill.used_until != RingFill::kNever && steps.of(fill.used_until) < turn) return false;
  }
  return true;
}

}  // namespace

std::optional<std::uint32_t> StepTiles::multiplied_in(std::uint32_t step) const {
  if (step < filling || step - filling >= count) return std::nullopt;
  return step - filling;
}

std::optional<StepTiles::Brought> StepTiles::brought_in(std::uint32_t step) const {
  return step < brought.size() ? brought[step] : std::nullopt;
}

StepTiles step_tiles_of(const KernelStudy& study, const RingModel& ring, std::uint32_t steps) {
  const auto count = static_cast<std::uint32_t>(ring.fills.size());
  if (count < 2 || count > steps) return {};
  const StepsOfBlock step_of(study);
  StepTiles tiles;
  tiles.filling = steps - count;
  if (!is_multiplied_in_turn(ring, step_of, tiles.filling)) return {};
  tiles.count = count;
  tiles.brought.resize(steps);
  for (std::uint32_t i = 0; i < count; ++i) {
    const RingFill& fill = ring.fills[i];
    const std::uint32_t event = fill.loads.empty() ? fill.writes.front() : fill.loads.front();
    auto& brought = tiles.brought[std::min(step_of.of(event), steps - 1)];
    brought = StepTiles::Brought{brought ? std::min(brought->first, i) : i, i};
  }
  return tiles;
}

std::string step_in_words(const StepTiles& tiles, std::uint32_t step, std::size_t steps) {
  if (tiles.count == 0) {
    return fmt::format("step {} of {}", format_count(std::uint64_t{step} + 1), format_count(steps));
  }
  if (const auto tile = tiles.multiplied_in(step)) {
    return fmt::format("tile {} of 0…{}", *tile, tiles.count - 1);
  }
  return fmt::format("filling, {} of {}", step + 1, tiles.filling);
}

}  // namespace tilescope
