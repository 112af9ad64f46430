#include "scene/model/travel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "scene/model/tiling_model.h"

namespace tilescope {
namespace {

std::optional<Leg> leg_of(const CopyStep& step) {
  switch (step.kind) {
    case CopyStep::Kind::kAsyncCopy:
    case CopyStep::Kind::kBulkLoad:
      return Leg::kGlobalToShared;
    case CopyStep::Kind::kBulkStore:
      return Leg::kSharedToGlobal;
    case CopyStep::Kind::kLoadGlobal:
      return Leg::kGlobalToRegisters;
    case CopyStep::Kind::kStoreShared:
      return Leg::kRegistersToShared;
    case CopyStep::Kind::kLoadShared:
    case CopyStep::Kind::kLoadMatrix:
      return Leg::kSharedToRegisters;
    case CopyStep::Kind::kGroupProduct:
      return Leg::kSharedToTensorCore;
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
  std::uint64_t each = 4;
  for (std::uint64_t byte = 0; byte < bytes; byte += each) {
    const Origin origin =
        flow.shared_element(address + byte, stores ? travel.event + 1 : travel.event);
    each = origin.known() ? std::min<std::uint64_t>(4, size_of(flow.matrices[origin.matrix()].type))
                          : 4;
    if (origin.known()) travel.lanes.emplace_back(lane, origin);
  }
}

// What an ldmatrix leaves in each lane's registers.
void add_matrices(const CopyFlow& flow, const WarpAccess& rows, const CopyStep& step,
                  Travel& travel) {
  travel.matrices = step.results.size();
  for (int lane = 0; lane < kWarpSize; ++lane) {
    for (std::size_t i = 0; i < travel.matrices; ++i) {
      for (const std::uint64_t byte :
           matrix_elements(rows, step.transposed, i, static_cast<std::size_t>(lane))) {
        const Origin origin = flow.shared_element(byte, travel.event);
        if (origin.known()) travel.lanes.emplace_back(lane, origin);
      }
    }
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
    case Leg::kSharedToTensorCore:
      return "shared memory → tensor core";
    case Leg::kRegistersToGlobal:
      return "registers → global memory";
    case Leg::kSharedToGlobal:
      return "shared → global memory";
  }
  return "";
}

const char* end_of(Leg leg) {
  switch (leg) {
    case Leg::kGlobalToShared:
    case Leg::kRegistersToShared:
      return "→ shared";
    case Leg::kRegistersToGlobal:
    case Leg::kSharedToGlobal:
      return "→ global";
    case Leg::kSharedToTensorCore:
      return "→ tensor core";
    default:
      return "→ registers";
  }
}

std::string range(std::uint64_t first, std::uint64_t last) {
  return first == last ? std::to_string(first) : fmt::format("{}…{}", first, last);
}

// "A[262…265][507]"; the box around them, so only where they fill it. All are of one matrix.
std::string elements_in_words(const TilingModel& model, const std::vector<Origin>& elements) {
  const MatrixView& view = model.matrices[elements.front().matrix()].view;
  if (view.folded) return fmt::format("{}[{}]", view.name, elements.front().element());
  ElementBox box;
  for (const Origin& origin : elements) {
    box.add(origin.element() / view.leading, origin.element() % view.leading);
  }
  if (box.count() != elements.size()) {
    return fmt::format("{} elements of {}", elements.size(), view.name);
  }
  return fmt::format("{}[{}][{}]", view.name, range(box.row, box.row + box.rows - 1),
                     range(box.col, box.col + box.cols - 1));
}

using ByMatrix = std::map<std::size_t, std::vector<Origin>>;

ByMatrix by_matrix(const std::vector<Origin>& elements) {
  ByMatrix all;
  for (const Origin& origin : elements) all[origin.matrix()].push_back(origin);
  return all;
}

// "A 16 × 16, B 16 × 256": the boxes around them.
std::string sizes_in_words(const TilingModel& model, const std::vector<Origin>& elements) {
  std::string words;
  for (const auto& [matrix, own] : by_matrix(elements)) {
    const MatrixView& view = model.matrices[matrix].view;
    ElementBox box;
    for (const Origin& origin : own) {
      box.add(origin.element() / view.leading, origin.element() % view.leading);
    }
    words += fmt::format("{}{} {} × {}", words.empty() ? "" : ", ", view.name, box.rows, box.cols);
  }
  return words;
}

// Those of each matrix for themselves: "A[0…15][0…15] and B[0…15][0…255]".
std::string all_in_words(const TilingModel& model, const std::vector<Origin>& elements) {
  std::string words;
  for (const auto& [matrix, own] : by_matrix(elements)) {
    if (!words.empty()) words += " and ";
    words += elements_in_words(model, own);
  }
  return words;
}

}  // namespace

std::vector<Origin> operands_read(const KernelStudy& study, const CopyFlow& flow,
                                  std::uint32_t event) {
  const std::vector<OperandRead>& reads = study.trace->operand_reads;
  std::vector<Origin> elements;
  for (auto read = std::ranges::lower_bound(reads, event, {}, &OperandRead::event);
       read != reads.end() && read->event == event; ++read) {
    const WarpAccess pieces = study.trace->access(read->access);
    for (std::size_t piece = 0; piece < kWarpSize; ++piece) {
      if ((pieces.active >> piece & 1U) == 0) continue;
      const std::uint64_t end = pieces.address[piece] + pieces.bytes_per_lane;
      std::uint64_t each = 4;
      for (std::uint64_t byte = pieces.address[piece]; byte < end; byte += each) {
        const Origin origin = flow.shared_element(byte, event);
        if (!origin.known()) continue;
        each = std::min<std::uint64_t>(4, size_of(flow.matrices[origin.matrix()].type));
        elements.push_back(origin);
      }
    }
  }
  return elements;
}

std::optional<Travel> travel_at(const KernelStudy& study, const CopyFlow& flow, std::uint32_t event,
                                int lane) {
  const TraceEvent& at = study.trace->events[event];
  auto leg = leg_of(flow.steps[at.instruction]);
  const auto bulk = bulk_copies_of(*study.trace, event);
  if (!leg && !bulk.empty()) leg = Leg::kGlobalToShared;
  if (!leg) return std::nullopt;
  Travel travel;
  travel.leg = *leg;
  travel.event = event;
  if (*leg == Leg::kSharedToTensorCore) {
    travel.elements = operands_read(study, flow, event);
    for (const Origin& origin : travel.elements) travel.lanes.emplace_back(Travel::kNoLane, origin);
    return travel.lanes.empty() ? std::nullopt : std::optional(travel);
  }
  const bool is_bulk = at.access == kNoAccess;
  for (const BulkCopy& copy : is_bulk ? bulk : std::span<const BulkCopy>()) {
    travel.in_bulk = true;
    add_global(flow, copy.global, copy.bytes, static_cast<int>(copy.lane), travel);
  }
  if (travel.in_bulk) {
    for (const auto& [of, origin] : travel.lanes) travel.elements.push_back(origin);
    return travel.lanes.empty() ? std::nullopt : std::optional(travel);
  }
  if (at.access == kNoAccess) return std::nullopt;
  const WarpAccess access = study.trace->access(at.access);
  const bool is_shared = *leg == Leg::kRegistersToShared || *leg == Leg::kSharedToRegisters;
  const CopyStep& step = flow.steps[at.instruction];
  const bool is_matrix = step.kind == CopyStep::Kind::kLoadMatrix;
  if (is_matrix) add_matrices(flow, access, step, travel);
  for (int l = 0; l < kWarpSize && !is_matrix; ++l) {
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
  const std::string what = all_in_words(model, travel.elements);
  if (travel.in_bulk) {
    const int lane = travel.lanes.back().first;
    const std::string by = lane < kWarpSize ? fmt::format("lane {}", lane) : "another block";
    return {fmt::format("{}: {}, in bulk by {}", what, way_of(travel.leg), by),
            fmt::format("{} {} in bulk", what, end_of(travel.leg)), what};
  }
  if (travel.leg == Leg::kSharedToTensorCore) {
    const std::string sizes = sizes_in_words(model, travel.elements);
    return {fmt::format("{}: {}", what, way_of(travel.leg)),
            fmt::format("{} {}", what, end_of(travel.leg)),
            fmt::format("{} {}", sizes, end_of(travel.leg)), sizes};
  }
  if (travel.matrices > 0) {
    const std::string all = fmt::format("{} matrices 8 × 8 of {}", travel.matrices,
                                        model.matrices[travel.matrix()].view.name);
    return {fmt::format("{}: {}, {} elements per lane", all, way_of(travel.leg),
                        travel.elements.size()),
            fmt::format("{}: {}", all, way_of(travel.leg)),
            fmt::format("{} {}", all, end_of(travel.leg)), all};
  }
  return {fmt::format("{}: {}", what, way_of(travel.leg)),
          fmt::format("{} {}", what, end_of(travel.leg)), what};
}

}  // namespace tilescope
