#include "emulator/checks/undefined_values.h"

#include "emulator/block/register_cells.h"

namespace tilescope {
namespace {

// What an operation makes of undefined operands.
enum class Part : std::uint8_t {
  kPasses,     // each lane's result is made of all that the lane reads
  kDepends,    // an access to memory, a vote ...: it has a use for all of them
  kStores,     // depends on the address and passes the data on
  kChooses,    // takes one of two
  kCombines,   // a predicate, where "false and" and "true or" settle it
  kMultiplies  // matrices
};

Part part_of(Operation operation) {
  switch (operation) {
    case Operation::kStore:
    case Operation::kStoreMatrix:
      return Part::kStores;
    case Operation::kSelp:
      return Part::kChooses;
    case Operation::kPredicateLogic:
    case Operation::kSetp:
      return Part::kCombines;
    case Operation::kMma:
    case Operation::kMatrixProduct:
    case Operation::kWarpgroupProduct:
    case Operation::kMoveMatrix:
      return Part::kMultiplies;
    case Operation::kLoad:
    case Operation::kAtomic:
    case Operation::kReduction:
    case Operation::kVectorAtomic:
    case Operation::kPairAtomic:
    case Operation::kAsyncCopy:
    case Operation::kLoadMatrix:
    case Operation::kLoadFragment:
    case Operation::kStoreFragment:
    case Operation::kVote:
    case Operation::kBallot:
    case Operation::kMatchAny:
    case Operation::kMatchAll:
    case Operation::kRedux:
    case Operation::kMbarrierInit:
    case Operation::kMbarrierArrive:
    case Operation::kMbarrierTest:
    case Operation::kMbarrierCpAsync:
    case Operation::kMbarrierExpect:
    case Operation::kBulkCopy:
    case Operation::kBulkStore:
    case Operation::kAsyncStore:
    case Operation::kAsyncReduction:
    case Operation::kCopyParameter:
      return Part::kDepends;
    default:
      return Part::kPasses;
  }
}

}  // namespace

void UndefinedValues::start_block(const Code& code, std::uint32_t warps) {
  code_ = &code;
  rows_.start(warps, code.register_bytes);
  sets_.clear();
  kept_.clear();
  brought_.clear();
  stores_ = false;
}

void UndefinedValues::add_uses(const LaneOrigins& origins, std::uint32_t lanes) {
  for_lanes(origins.lanes & lanes, [&](unsigned lane) {
    uses_.push_back({origins.of[lane], lane});
  });
}

void UndefinedValues::use_all(const Step& step) {
  for_each_row(*code_, step.op, step.use, [&](std::uint32_t row, bool writes) {
    const LaneOrigins* origins = writes ? nullptr : rows_.find(step.warp, row);
    if (origins != nullptr) add_uses(*origins, step.lanes);
  });
}

void UndefinedValues::join(LaneOrigins& to, std::uint32_t warp, std::uint32_t row,
                           std::uint32_t lanes) {
  const LaneOrigins* from = rows_.find(warp, row);
  if (from == nullptr) return;
  for_lanes(from->lanes & lanes,
            [&](unsigned lane) { to.put(lane, sets_.join(to.of[lane], from->of[lane])); });
}

LaneOrigins UndefinedValues::read(const Step& step) {
  LaneOrigins all;
  for_each_row(*code_, step.op, step.use, [&](std::uint32_t row, bool writes) {
    if (!writes) join(all, step.warp, row, step.lanes);
  });
  return all;
}

void UndefinedValues::write_results(const Step& step, const LaneOrigins& origins) {
  for_each_row(*code_, step.op, step.use, [&](std::uint32_t row, bool writes) {
    if (writes) rows_.write(step.warp, row, step.lanes, origins);
  });
}

const std::vector<UndefinedValues::Use>& UndefinedValues::follow(const Step& step) {
  uses_.clear();
  LaneOrigins result;
  switch (part_of(step.use.operation)) {
    case Part::kPasses:
      result = read(step);
      break;
    case Part::kDepends:
      use_all(step);
      break;
    case Part::kStores:
      collect_stored(step);
      return uses_;
    case Part::kChooses:
      result = choose(step);
      break;
    case Part::kCombines:
      result = combine(step);
      break;
    case Part::kMultiplies:
      multiply(step);
      return uses_;
  }
  write_results(step, result);
  return uses_;
}

const std::vector<UndefinedValues::Use>& UndefinedValues::follow_end(const Step& step) {
  uses_.clear();
  use_all(step);
  write_results(step, {});
  return uses_;
}

const std::vector<UndefinedValues::Use>& UndefinedValues::skip(const Step& step) {
  uses_.clear();
  const LaneOrigins* guard = rows_.find(step.warp, step.op.guard);
  if (guard == nullptr || (guard->lanes & step.lanes) == 0) return uses_;
  const LaneOrigins decided = *guard;
  const Part part = part_of(step.use.operation);
  if (part == Part::kDepends || part == Part::kStores) {
    add_uses(decided, step.lanes);
    return uses_;
  }
  const std::uint32_t lanes = decided.lanes & step.lanes;
  for_each_row(*code_, step.op, step.use, [&](std::uint32_t row, bool writes) {
    LaneOrigins result = decided;
    join(result, step.warp, row, lanes);
    if (writes) rows_.write(step.warp, row, lanes, result);
  });
  return uses_;
}

void UndefinedValues::shuffle(const Step& step, const std::array<std::uint32_t, kWarpSize>& from,
                              const LaneOrigins& strange) {
  LaneOrigins result = strange;
  if (const LaneOrigins* source = rows_.find(step.warp, step.op.row[2])) {
    const LaneOrigins given = *source;
    for_lanes(step.lanes & ~strange.lanes,
              [&](unsigned lane) { result.put(lane, given.of[from[lane]]); });
  }
  rows_.write(step.warp, step.op.row[0], step.lanes, result);
  rows_.write(step.warp, step.op.row[1], step.lanes, {});
}

// Rows: destination, what is taken where the predicate holds, what elsewhere, the predicate.
LaneOrigins UndefinedValues::choose(const Step& step) {
  const MicroOp& op = step.op;
  const std::uint32_t flip = (op.flags & 1u) != 0 ? kFullMask : 0;
  const std::uint32_t first = predicate_at(step.registers, op.row[3]) ^ flip;
  LaneOrigins result;
  join(result, step.warp, op.row[1], step.lanes & first);
  join(result, step.warp, op.row[2], step.lanes & ~first);
  join(result, step.warp, op.row[3], step.lanes);
  if (op.guard != 0) join(result, step.warp, op.guard, step.lanes);
  return result;
}

// and.pred, or.pred, and setp with a predicate: rows as their executors have them.
LaneOrigins UndefinedValues::combine(const Step& step) {
  const MicroOp& op = step.op;
  LaneOrigins result = read(step);
  const bool logic = step.use.operation == Operation::kPredicateLogic;
  const unsigned with = op.flags >> 1;  // of setp
  const bool is_and = logic ? step.use.mode == Modifier::kAnd : with == 1;
  const bool is_or = logic ? step.use.mode == Modifier::kOr : with == 2;
  if (!is_and && !is_or) return result;
  const auto settle = [&](std::uint32_t row, bool negated) {
    std::uint32_t settled = predicate_at(step.registers, row) ^ (negated ? kFullMask : 0);
    if (is_and) settled = ~settled;
    if (const LaneOrigins* origins = rows_.find(step.warp, row)) settled &= ~origins->lanes;
    for_lanes(settled & result.lanes, [&](unsigned lane) { result.put(lane, OriginSets::kNone); });
  };
  if (!logic) {
    settle(op.row[4], (op.flags & 1u) != 0);
    return result;
  }
  settle(op.row[1], (op.flags & 1u) != 0);
  settle(op.row[2], (op.flags & 2u) != 0);
  return result;
}

}  // namespace tilescope
