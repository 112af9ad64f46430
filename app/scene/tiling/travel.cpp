#include "scene/tiling/travel.h"

#include <fmt/format.h>

#include <algorithm>

#include "scene/tiling/tiling_model.h"

namespace tilescope {
namespace {

std::optional<Leg> leg_of(const CopyStep& step) {
  switch (step.kind) {
    case CopyStep::Kind::kAsyncCopy:
      return Leg::kGlobalToShared;
    case CopyStep::Kind::kLoadGlobal:
      return Leg::kGlobalToRegisters;
    case CopyStep::Kind::kStoreShared:
      return Leg::kRegistersToShared;
    case CopyStep::Kind::kLoadShared:
      return Leg::kSharedToRegisters;
    case CopyStep::Kind::kStoreGlobal:
      return Leg::kRegistersToGlobal;
    default:
      return std::nullopt;
  }
}

// The elements behind a lane's bytes of global memory.
void add_global(const CopyFlow& flow, std::uint64_t address, std::uint64_t bytes, int lane,
                Travel& travel) {
  const auto matrix = flow.matrix_at(address);
  if (!matrix) return;
  const std::uint64_t each = size_of(flow.matrices[*matrix].type);
  for (std::uint64_t byte = 0; byte + each <= bytes; byte += each) {
    const Origin origin = flow.origin_at(address + byte);
    if (origin.known()) travel.lanes.emplace_back(lane, origin);
  }
}

// Those in a lane's words of shared memory, as `event` finds or, where it stores them, leaves them.
void add_shared(const CopyFlow& flow, std::uint64_t address, std::uint64_t bytes, int lane,
                Travel& travel) {
  const bool stores = travel.leg == Leg::kRegistersToShared;
  for (std::uint64_t byte = 0; byte < bytes; byte += 4) {
    const Origin origin =
        flow.shared_word((address + byte) / 4, stores ? travel.event + 1 : travel.event);
    if (origin.known()) travel.lanes.emplace_back(lane, origin);
  }
}

const char* way_of(Leg leg) {
  switch (leg) {
    case Leg::kGlobalToShared:
      return "global → shared memory";
    case Leg::kGlobalToRegisters:
      return "global memory → registers";
    case Leg::kRegistersToShared:
      return "registers → shared memory";
    case Leg::kSharedToRegisters:
      return "shared memory → registers";
    case Leg::kRegistersToGlobal:
      return "registers → global memory";
  }
  return "";
}

const char* end_of(Leg leg) {
  switch (leg) {
    case Leg::kGlobalToShared:
    case Leg::kRegistersToShared:
      return "→ shared";
    case Leg::kRegistersToGlobal:
      return "→ global";
    default:
      return "→ registers";
  }
}

std::string range(std::uint64_t first, std::uint64_t last) {
  return first == last ? std::to_string(first) : fmt::format("{}…{}", first, last);
}

// "A[262…265][507]"; the box around them, so only where they fill it.
std::string elements_in_words(const TilingModel& model, const std::vector<Origin>& elements) {
  const MatrixView& view = model.matrices[elements.front().matrix()].view;
  if (view.folded) return fmt::format("{}[{}]", view.name, elements.front().element());
  ElementBox box;
  for (const Origin& origin : elements) {
    if (origin.matrix() != elements.front().matrix()) continue;
    box.add(origin.element() / view.leading, origin.element() % view.leading);
  }
  if (box.count() != elements.size()) {
    return fmt::format("{} elements of {}", elements.size(), view.name);
  }
  return fmt::format("{}[{}][{}]", view.name, range(box.row, box.row + box.rows - 1),
                     range(box.col, box.col + box.cols - 1));
}

}  // namespace

std::optional<Travel> travel_at(const KernelStudy& study, const CopyFlow& flow, std::uint32_t event,
                                int lane) {
  const TraceEvent& at = study.trace->events[event];
  const auto leg = leg_of(flow.steps[at.instruction]);
  if (!leg || at.access == kNoAccess) return std::nullopt;
  Travel travel;
  travel.leg = *leg;
  travel.event = event;
  const WarpAccess access = study.trace->access(at.access);
  const bool is_shared = *leg == Leg::kRegistersToShared || *leg == Leg::kSharedToRegisters;
  for (int l = 0; l < kWarpSize; ++l) {
    if ((access.active >> l & 1U) == 0) continue;
    const std::uint64_t address = access.address[static_cast<std::size_t>(l)];
    if (is_shared) {
      add_shared(flow, address, access.bytes_per_lane, l, travel);
    } else {
      add_global(flow, address, access.bytes_per_lane, l, travel);
    }
  }
  if (travel.lanes.empty()) return std::nullopt;
  for (const auto& [of, origin] : travel.lanes) {
    if (of == lane) travel.elements.push_back(origin);
  }
  return travel;
}

std::vector<std::string> travel_words(const TilingModel& model, const Travel& travel) {
  if (travel.elements.empty()) {
    const std::string& name = model.matrices[travel.matrix()].view.name;
    return {fmt::format("other lanes: {}, {}", name, way_of(travel.leg)),
            fmt::format("other lanes: {}", name)};
  }
  const std::string what = elements_in_words(model, travel.elements);
  return {fmt::format("{}: {}", what, way_of(travel.leg)),
          fmt::format("{} {}", what, end_of(travel.leg)), what};
}

}  // namespace tilescope
