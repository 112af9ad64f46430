#include "emulator/checks/undefined_values.h"

#include <algorithm>
#include <iterator>

#include "emulator/checks/shadow_memory.h"
#include "emulator/execution/register_cells.h"
#include "emulator/formats/matrix_fragment.h"
#include "emulator/formats/warpgroup_product.h"

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

Part part_of(const RowUse& use) {
  switch (use.operation) {
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
    case Operation::kCopyParameter:
      return Part::kDepends;
    case Operation::kNothing:
      return Part::kPasses;
    default: {
      // Without a result there is nothing to pass it on in: a copy in bulk, a surface store ...
      const bool has_result = use.written != 0 || use.extra_written != 0;
      return has_result ? Part::kPasses : Part::kDepends;
    }
  }
}

}  // namespace

// Rows as their executors have them.
std::uint32_t settled_lanes(const MicroOp& op, const RowUse& use, const std::byte* registers,
                            unsigned by) {
  const bool logic = use.operation == Operation::kPredicateLogic;
  const unsigned combined = op.flags & kCombinations;  // of setp
  const bool is_and = logic ? use.mode == Modifier::kAnd : combined == kCombinesByAnd;
  const bool is_or = logic ? use.mode == Modifier::kOr : combined == kCombinesByOr;
  if (!is_and && !is_or) return 0;
  const unsigned negation = logic && by == 2 ? 2 : 1;  // of op.flags
  const std::uint32_t held =
      predicate_at(registers, op.row[by]) ^ ((op.flags & negation) != 0 ? kFullMask : 0);
  return is_and ? ~held : held;
}

std::uint32_t lanes_without(const MicroOp& op, const RowUse& use, const std::byte* registers,
                            unsigned operand) {
  if (use.operation != Operation::kSelp) return settled_lanes(op, use, registers, 3 - operand);
  const std::uint32_t first =
      predicate_at(registers, op.row[3]) ^ ((op.flags & 1u) != 0 ? kFullMask : 0);
  return operand == 1 ? ~first : first;
}

RowUse used_rows(const MicroOp& op, const RowUse& use, const std::byte* registers) {
  RowUse now = use;
  if (use.operation == Operation::kWarpgroupProduct) {
    const bool overwrites = WarpgroupProduct::unpack(op.immediate).overwrites;
    now.updates_extra = (predicate_at(registers, op.row[0]) != 0) != overwrites;
  }
  return now;
}

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
  switch (part_of(step.use)) {
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
  // Compilers branch where the source chooses between two values, and may use neither.
  if (!code_->converges_at_barriers) use_all(step);
  write_results(step, {});
  return uses_;
}

const std::vector<UndefinedValues::Use>& UndefinedValues::skip(const Step& step) {
  uses_.clear();
  const LaneOrigins* guard = rows_.find(step.warp, step.op.guard);
  if (guard == nullptr || (guard->lanes & step.lanes) == 0) return uses_;
  const LaneOrigins decided = *guard;
  const Part part = part_of(step.use);
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
                              const LaneOrigins& undefined) {
  LaneOrigins result = undefined;
  if (const LaneOrigins* source = rows_.find(step.warp, step.op.row[2])) {
    const LaneOrigins given = *source;
    for_lanes(step.lanes & ~undefined.lanes,
              [&](unsigned lane) { result.put(lane, given.of[from[lane]]); });
  }
  rows_.write(step.warp, step.op.row[0], step.lanes, result);
  rows_.write(step.warp, step.op.row[1], step.lanes, {});
}

// Rows: destination, what is taken where the predicate holds, what elsewhere, the predicate.
LaneOrigins UndefinedValues::choose(const Step& step) {
  const MicroOp& op = step.op;
  LaneOrigins result;
  for (const unsigned operand : {1u, 2u}) {
    const std::uint32_t without = lanes_without(op, step.use, step.registers, operand);
    join(result, step.warp, op.row[operand], step.lanes & ~without);
  }
  join(result, step.warp, op.row[3], step.lanes);
  if (op.guard != 0) join(result, step.warp, op.guard, step.lanes);
  return result;
}

// and.pred, or.pred, and setp with a predicate.
LaneOrigins UndefinedValues::combine(const Step& step) {
  LaneOrigins result = read(step);
  const auto settle = [&](unsigned by) {
    std::uint32_t settled = settled_lanes(step.op, step.use, step.registers, by);
    if (const LaneOrigins* origins = rows_.find(step.warp, step.op.row[by]))
      settled &= ~origins->lanes;
    for_lanes(settled & result.lanes, [&](unsigned lane) { result.put(lane, OriginSets::kNone); });
  };
  if (step.use.operation != Operation::kPredicateLogic) {
    settle(4);
    return result;
  }
  settle(1);
  settle(2);
  return result;
}

// Undefined values on their way between registers and memory.

namespace {

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

void UndefinedValues::leave_unset(std::uint32_t warp, std::uint32_t row, std::uint32_t lanes,
                                  std::uint32_t instruction) {
  // A lane that an undefined guard left out has an origin for this register already.
  const LaneOrigins* before = rows_.find(warp, row);
  LaneOrigins origins = before != nullptr ? *before : LaneOrigins{};
  const Set set = sets_.of(instruction);
  for_lanes(lanes, [&](unsigned lane) { origins.put(lane, sets_.join(origins.of[lane], set)); });
  rows_.write(warp, row, lanes, origins);
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

// What undefined elements of matrices make of their product.

// What one lane gives, any other may get.
LaneOrigins UndefinedValues::mix(const Step& step) {
  const RowUse use = used_rows(step.op, step.use, step.registers);
  LaneOrigins all = read({step.op, use, step.registers, step.warp, step.lanes});
  Set set = OriginSets::kNone;
  for_lanes(all.lanes, [&](unsigned lane) { set = sets_.join(set, all.of[lane]); });
  for_lanes(step.lanes, [&](unsigned lane) { all.put(lane, set); });
  return all;
}

// An undefined element of A spoils its row of the product, one of B its column.
void UndefinedValues::multiply(const Step& step) {
  const bool has_shape =
      step.use.operation == Operation::kMma || step.use.operation == Operation::kMatrixProduct;
  const MatrixProduct product =
      has_shape ? MatrixProduct::unpack(step.op.immediate) : MatrixProduct{};
  if (!has_shape || product.quads) {
    write_results(step, mix(step));
    return;
  }
  std::array<Set, 64> in_row{};
  std::array<Set, 64> in_column{};
  const auto spoil = [&](const MatrixFragment& fragment, unsigned first, auto mark) {
    for (unsigned r = 0; r < fragment.registers; ++r) {
      const LaneOrigins* origins = rows_.find(step.warp, further(step.op, first + r));
      if (origins == nullptr) continue;
      for_lanes(origins->lanes & step.lanes, [&](unsigned lane) {
        for (unsigned i = 0; i < fragment.per_register(); ++i)
          mark(fragment.place_of(lane, r, i), origins->of[lane]);
      });
    }
  };
  const unsigned a = product.d_registers;
  const unsigned b = a + product.a_registers;
  const unsigned c = b + product.b_registers;
  using At = MatrixFragment::Place;
  spoil({MatrixRole::kA, product.m, product.k, product.a, product.a_registers}, a,
        [&](At at, Set set) { in_row[at.row] = sets_.join(in_row[at.row], set); });
  spoil({MatrixRole::kB, product.k, product.n, product.b, product.b_registers}, b,
        [&](At at, Set set) { in_column[at.column] = sets_.join(in_column[at.column], set); });
  const MatrixFragment d{MatrixRole::kC, product.m, product.n, product.d, product.d_registers};
  std::vector<LaneOrigins> results(product.d_registers);
  for (unsigned r = 0; r < product.d_registers; ++r) {
    for_lanes(step.lanes, [&](unsigned lane) {
      Set set = OriginSets::kNone;
      for (unsigned i = 0; i < d.per_register(); ++i) {
        const At at = d.place_of(lane, r, i);
        set = sets_.join(set, sets_.join(in_row[at.row], in_column[at.column]));
      }
      results[r].put(lane, set);
    });
    if (product.c_registers == product.d_registers) {
      join(results[r], step.warp, further(step.op, c + r), step.lanes);
      continue;
    }
    for (unsigned other = 0; other < product.c_registers; ++other)
      join(results[r], step.warp, further(step.op, c + other), step.lanes);
  }
  for (unsigned r = 0; r < product.d_registers; ++r)
    rows_.write(step.warp, further(step.op, r), step.lanes, results[r]);
}

void OriginSets::clear() {
  sets_.resize(1);
  numbers_.clear();
  joined_.clear();
}

OriginSets::Set OriginSets::number(std::vector<std::uint32_t> members) {
  const auto [entry, is_new] = numbers_.emplace(members, static_cast<Set>(sets_.size()));
  if (is_new) sets_.push_back(std::move(members));
  return entry->second;
}

OriginSets::Set OriginSets::of(std::uint32_t instruction) { return number({instruction}); }

OriginSets::Set OriginSets::join(Set a, Set b) {
  if (a == b || b == kNone) return a;
  if (a == kNone) return b;
  const auto [entry, is_new] = joined_.emplace(std::pair{a, b}, a);
  if (!is_new) return entry->second;
  std::vector<std::uint32_t> both;
  std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                 std::back_inserter(both));
  if (both.size() <= kMostMembers) entry->second = number(std::move(both));
  return entry->second;
}

void UndefinedRows::start(std::uint32_t warps, std::uint32_t register_bytes) {
  clear();
  warps_ = warps;
  rows_ = register_bytes / 4;
}

void UndefinedRows::clear() {
  undefined_ = 0;
  number_.clear();
  origins_.clear();
}

void UndefinedRows::clear_warp(std::uint32_t warp) {
  if (!any()) return;
  for (std::uint32_t row = 0; row < rows_; ++row) {
    std::uint32_t& number = number_[at(warp, 0) + row];
    if (number != 0 && origins_[number].lanes != 0) --undefined_;
    if (number != 0) origins_[number].lanes = 0;
    number = 0;
  }
}

const LaneOrigins* UndefinedRows::find(std::uint32_t warp, std::uint32_t row) const {
  if (!any()) return nullptr;
  const std::uint32_t number = number_[at(warp, row)];
  return number == 0 || origins_[number].lanes == 0 ? nullptr : &origins_[number];
}

void UndefinedRows::write(std::uint32_t warp, std::uint32_t row, std::uint32_t mask,
                          const LaneOrigins& origins) {
  const std::uint32_t undefined = origins.lanes & mask;
  if (undefined == 0 && find(warp, row) == nullptr) return;
  if (number_.empty()) {
    number_.assign(std::size_t{warps_} * rows_, 0);
    origins_.assign(1, {});
  }
  std::uint32_t& number = number_[at(warp, row)];
  if (number == 0) {
    number = static_cast<std::uint32_t>(origins_.size());
    origins_.emplace_back();
  }
  LaneOrigins& to = origins_[number];
  const bool was = to.lanes != 0;
  for_lanes(mask, [&](unsigned lane) {
    to.put(lane, (undefined >> lane & 1u) != 0 ? origins.of[lane] : OriginSets::kNone);
  });
  if (was && to.lanes == 0) --undefined_;
  if (!was && to.lanes != 0) ++undefined_;
}

}  // namespace tilescope
