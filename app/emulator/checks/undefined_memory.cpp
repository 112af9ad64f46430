#include "emulator/checks/undefined_values.h"

// Undefined values on their way between registers and memory.
namespace tilescope {
namespace {

std::uint64_t ones(unsigned bytes) {
  return bytes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
}

// The lane of a warp that holds byte `byte` of row `row` of an 8x8 matrix of 16-bit elements (PTX
// ISA, "ldmatrix").
unsigned matrix_lane(unsigned row, unsigned byte, bool transposes) {
  return transposes ? 4 * (byte / 2) + row / 2 : 4 * row + byte / 4;
}

}  // namespace

std::uint32_t UndefinedValues::data_row(const MicroOp& op, unsigned element) const {
  const bool is_matrix = op.access == AccessKind::kLdmatrix || op.access == AccessKind::kStmatrix;
  return is_matrix || op.extra_count > 4 ? further(op, element) : op.row[element + 1];
}

void UndefinedValues::bring(unsigned lane, std::uint64_t missing, Set origins) {
  brought_.push_back({lane, missing, origins});
}

void UndefinedValues::finish_load(const Step& step) {
  const MicroOp& op = step.op;
  std::vector<LaneOrigins> results(op.extra_count);
  const auto put = [&](unsigned element, unsigned lane, Set origins) {
    results[element].put(lane, sets_.join(results[element].of[lane], origins));
  };
  for (const Brought& each : brought_) {
    if (op.access == AccessKind::kLdmatrix) {
      for (unsigned byte = 0; byte < 16; ++byte) {
        if ((each.missing >> byte & 1u) != 0)
          put(each.lane / 8, matrix_lane(each.lane % 8, byte, step.use.transposes), each.origins);
      }
      continue;
    }
    const unsigned size = unsigned{op.bytes} / op.extra_count;
    for (unsigned element = 0; element < op.extra_count; ++element) {
      if ((each.missing >> (element * size) & ones(size)) != 0)
        put(element, each.lane, each.origins);
    }
  }
  brought_.clear();
  for (unsigned element = 0; element < op.extra_count; ++element)
    rows_.write(step.warp, data_row(op, element), step.lanes, results[element]);
}

void UndefinedValues::add_stored(unsigned lane, std::uint64_t bytes, Set origins) {
  if (!stores_) stored_.fill({});
  stores_ = true;
  stored_[lane].bytes |= bytes;
  stored_[lane].origins = sets_.join(stored_[lane].origins, origins);
}

// row[0] is the address.
void UndefinedValues::collect_stored(const Step& step) {
  const MicroOp& op = step.op;
  for (const std::uint32_t row : {op.row[0], op.guard}) {
    const LaneOrigins* origins = rows_.find(step.warp, row);
    if (origins != nullptr) add_uses(*origins, step.lanes);
  }
  const bool is_matrix = op.access == AccessKind::kStmatrix;
  const unsigned size = is_matrix ? 4U : unsigned{op.bytes} / op.extra_count;
  for (unsigned element = 0; element < op.extra_count; ++element) {
    const LaneOrigins* origins = rows_.find(step.warp, data_row(op, element));
    if (origins == nullptr) continue;
    for_lanes(origins->lanes & step.lanes, [&](unsigned lane) {
      if (!is_matrix) {
        add_stored(lane, ones(size) << (element * size), origins->of[lane]);
        return;
      }
      for (unsigned place = 0; place < 8 * 16; ++place) {
        if (matrix_lane(place / 16, place % 16, step.use.transposes) == lane)
          add_stored(8 * element + place / 16, std::uint64_t{1} << place % 16, origins->of[lane]);
      }
    });
  }
}

UndefinedValues::Stored UndefinedValues::take_stored(unsigned lane) {
  return stores_ ? std::exchange(stored_[lane], {}) : Stored{};
}

const std::vector<UndefinedValues::Use>& UndefinedValues::finish_store() {
  uses_.clear();
  for (unsigned lane = 0; stores_ && lane < kWarpSize; ++lane) {
    if (stored_[lane].bytes != 0) uses_.push_back({stored_[lane].origins, lane});
  }
  stores_ = false;
  return uses_;
}

OriginSets::Set UndefinedValues::kept(std::uint64_t place) const {
  const auto found = kept_.find(place);
  return found == kept_.end() ? OriginSets::kNone : found->second;
}

}  // namespace tilescope
