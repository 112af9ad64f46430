#include "analysis/occupancy_steps.h"

#include <algorithm>

#include "analysis/occupancy_limits.h"

namespace tilescope {
namespace {

OccupancyRequest with_value(OccupancyRequest request, OccupancyAxis axis, int value) {
  switch (axis) {
    case OccupancyAxis::kBlockSize:
      request.threads_per_block = value;
      break;
    case OccupancyAxis::kRegisters:
      request.registers_per_thread = value;
      break;
    case OccupancyAxis::kSharedMemory:
      request.static_shared_bytes = 0;
      request.dynamic_shared_bytes = value;
      break;
  }
  return request;
}

struct Range {
  int first = 0;
  int last = 0;
};
Range range_of(const DeviceModel& device, OccupancyAxis axis) {
  switch (axis) {
    case OccupancyAxis::kBlockSize:
      return {1, device.max_threads_per_block};
    case OccupancyAxis::kRegisters:
      return {1, max_registers_per_thread(device)};
    case OccupancyAxis::kSharedMemory:
      return {0, device.shared_bytes_per_block_optin};
  }
  return {};
}

}  // namespace

std::vector<OccupancyStep> occupancy_steps(const DeviceModel& device,
                                           const OccupancyRequest& request, OccupancyAxis axis) {
  const auto at = [&](int value) -> std::optional<OccupancyStep> {
    const auto fitting = occupancy(device, with_value(request, axis, value));
    if (!fitting) return std::nullopt;
    return OccupancyStep{value, value, fitting->blocks_per_multiprocessor,
                         fitting->warps_per_multiprocessor, limits_of(*fitting)};
  };
  const auto alike = [](const OccupancyStep& a, const OccupancyStep& b) {
    return a.blocks == b.blocks && a.warps == b.warps && a.limits == b.limits;
  };
  std::vector<OccupancyStep> steps;
  const Range range = range_of(device, axis);
  // A block of more threads takes more warps, of more registers or bytes lets fewer blocks in: what
  // is alike lies together, so each step's end is found by halving.
  for (int first = range.first; first <= range.last;) {
    auto step = at(first);
    if (!step) return {};
    int inside = first;
    int outside = range.last + 1;
    while (outside - inside > 1) {
      const int middle = inside + (outside - inside) / 2;
      const auto there = at(middle);
      (there && alike(*step, *there) ? inside : outside) = middle;
    }
    step->last = inside;
    steps.push_back(*step);
    first = inside + 1;
  }
  return steps;
}

int axis_value(const OccupancyRequest& request, OccupancyAxis axis) {
  switch (axis) {
    case OccupancyAxis::kBlockSize:
      return request.threads_per_block;
    case OccupancyAxis::kRegisters:
      return request.registers_per_thread;
    case OccupancyAxis::kSharedMemory:
      return request.static_shared_bytes + request.dynamic_shared_bytes;
  }
  return 0;
}

std::optional<OccupancyStep> step_at(const std::vector<OccupancyStep>& steps, int value) {
  const auto found = std::ranges::find_if(steps, [value](const OccupancyStep& step) {
    return step.first <= value && value <= step.last;
  });
  if (found == steps.end()) return std::nullopt;
  return *found;
}

std::optional<StepUp> next_step_up(const std::vector<OccupancyStep>& steps, int value) {
  const auto present = step_at(steps, value);
  const int warps = present ? present->warps : 0;
  std::optional<StepUp> nearest;
  int distance = 0;
  for (const OccupancyStep& step : steps) {
    if (step.warps <= warps) continue;
    const int away = step.last < value ? value - step.last : step.first - value;
    if (nearest && away >= distance) continue;
    nearest = StepUp{step.last, step};
    distance = away;
  }
  return nearest;
}

}  // namespace tilescope
