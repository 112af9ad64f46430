#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "emulator/common_executors/families.h"
#include "emulator/execution/async_copies.h"
#include "emulator/execution/barriers.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/observer.h"
#include "emulator/execution/place_name.h"
#include "emulator/execution/register_cells.h"

namespace tilescope {
namespace {

std::uint64_t wide_at(const std::byte* registers, std::uint32_t row, unsigned lane) {
  std::uint64_t value = 0;
  std::memcpy(&value, registers + row + std::size_t{lane} * 8, sizeof value);
  return value;
}

// row[1] is the address.
std::uint64_t address_at(const MicroOp& op, const std::byte* registers, unsigned lane) {
  const auto displacement = static_cast<std::uint64_t>(op.immediate);
  if ((op.flags & kWideAddress) != 0) return wide_at(registers, op.row[1], lane) + displacement;
  return word_at(registers, op.row[1], lane) + static_cast<std::uint32_t>(displacement);
}

// What to do before an mbarrier is used, its own block's or another one's.
const char* initialise_first(const LanePlace& place, const ExecutionContext& context) {
  return place.owner == &context
             ? "mbarrier.init it, and synchronise the block before it is used"
             : "that block must mbarrier.init it, and the cluster must meet (cluster.sync()) "
               "before it is used";
}

// Calls change(object, lane, place) for each lane in turn; says what is wrong with its object
// otherwise.
template <class F>
void for_each_object(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                     ExecutionContext& context, bool must_be_valid, F change) {
  for (const unsigned lane : lanes_in(mask)) {
    const auto place =
        place_lane(op, lane, address_at(op, registers, lane), op.space, true, context);
    if (!place) continue;
    if (place->owner == nullptr) {
      report(context, FindingKind::kBarrier, op, lane, "an mbarrier lies in shared memory only");
      continue;
    }
    std::uint64_t word = 0;
    std::memcpy(&word, place->data, sizeof word);
    Mbarrier object = Mbarrier::unpack(word);
    if (must_be_valid && !object.valid) {
      report(context, FindingKind::kBarrier, op, lane,
             fmt::format("the mbarrier {}{} has not been initialised: {}",
                         name_place(context, MemorySpace::kShared, place->offset(), sizeof word),
                         place->owner == &context ? "" : " of another block",
                         initialise_first(*place, context)));
      continue;
    }
    change(object, lane, *place);
    word = object.pack();
    std::memcpy(place->data, &word, sizeof word);
  }
}

// A lane as the block that owns the object sees it.
unsigned shown_lane(unsigned lane, const LanePlace& place, const ExecutionContext& context) {
  return place.owner == &context ? lane : lane + kWarpSize;
}

// Tells the block that owns the object what is done to it.
void tell_owner(const MicroOp& op, unsigned lane, const LanePlace& place, bool waits, bool parity,
                ExecutionContext& context) {
  context.point.instruction = op.instruction;
  place.owner->observers->tell(&BlockObserver::on_mbarrier, context.point,
                               shown_lane(lane, place, context), place.offset(), waits, parity);
}

void tell_expect(const MicroOp& op, unsigned lane, const LanePlace& place,
                 ExecutionContext& context) {
  context.point.instruction = op.instruction;
  place.owner->observers->tell(&BlockObserver::on_expect, context.point,
                               shown_lane(lane, place, context), place.offset());
}

void execute_init(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                  ExecutionContext& context) {
  const bool invalidates = (op.flags & kInvalidates) != 0;
  for_each_object(op, registers, mask, context, invalidates,
                  [&](Mbarrier& object, unsigned lane, const LanePlace&) {
                    if (invalidates) {
                      object = {};
                    } else {
                      object.init(word_at(registers, op.row[2], lane));
                    }
                  });
}

void execute_expect(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                    ExecutionContext& context) {
  for_each_object(op, registers, mask, context, true,
                  [&](Mbarrier& object, unsigned lane, const LanePlace& place) {
                    const std::uint32_t bytes = word_at(registers, op.row[2], lane);
                    if ((op.flags & kCompletes) != 0) {
                      object.complete(bytes);
                    } else {
                      tell_expect(op, lane, place, context);
                      object.expect(bytes);
                    }
                  });
}

// row[0]: the state before, 64 bits; row[2]: the count, or the bytes of expect_tx.
void execute_arrive(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                    ExecutionContext& context) {
  for_each_object(
      op, registers, mask, context, true,
      [&](Mbarrier& object, unsigned lane, const LanePlace& place) {
        const std::uint64_t before = object.pack();
        tell_owner(op, lane, place, false, object.phase, context);
        const std::uint32_t operand = word_at(registers, op.row[2], lane);
        const bool expects = (op.flags & kExpectsFirst) != 0;
        if ((expects ? 1 : operand) > object.pending) {
          report(context, FindingKind::kBarrier, op, lane,
                 fmt::format(
                     "arrives at the mbarrier {} once more than its phase "
                     "counts, which is not over yet: wait for that phase, or "
                     "until the stage is empty, before the next arrival",
                     name_place(context, MemorySpace::kShared, place.offset(), sizeof before)));
        }
        if (expects) {
          tell_expect(op, lane, place, context);
          object.expect(operand);
        }
        object.arrive(expects ? 1 : operand, (op.flags & kDrops) != 0);
        std::memcpy(registers + op.row[0] + std::size_t{lane} * 8, &before, sizeof before);
      });
}

// Which lanes find the phase that they ask for not over yet, and which find it over.
struct WaitingLanes {
  std::uint32_t waiting = 0;  // lanes in error do not wait for ever
  std::uint32_t past = 0;
};
WaitingLanes lanes_to_wait(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                           ExecutionContext& context) {
  const bool by_parity = (op.flags & kByParity) != 0;
  WaitingLanes lanes;
  for_each_object(
      op, registers, mask, context, true, [&](Mbarrier& object, unsigned lane, const LanePlace&) {
        const bool phase = by_parity ? (word_at(registers, op.row[2], lane) & 1u) != 0
                                     : Mbarrier::unpack(wide_at(registers, op.row[2], lane)).phase;
        (object.phase == phase ? lanes.waiting : lanes.past) |= 1u << lane;
      });
  return lanes;
}

// row[0]: a predicate; row[2]: the state (64 bits) or the parity. Whatever copies and arrivals are
// under way to an object that is waited for happen now, the latest moment that a program can tell;
// who asks for a phase that is over already has not waited for them.
void execute_test(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                  ExecutionContext& context) {
  const WaitingLanes first = lanes_to_wait(op, registers, mask, context);
  for (const unsigned lane : lanes_in(first.waiting)) {
    const auto place =
        place_lane(op, lane, address_at(op, registers, lane), op.space, true, context);
    if (place && place->owner != nullptr)
      place->owner->transfers->land(place->offset(), *place->owner);
  }
  const WaitingLanes now = lanes_to_wait(op, registers, first.waiting, context);
  const std::uint32_t others = predicate_at(registers, op.row[0]) & ~mask;
  const std::uint32_t result = others | (mask & ~now.waiting);
  std::memcpy(registers + op.row[0], &result, sizeof result);
  for_each_object(op, registers, first.past | now.past, context, true,
                  [&](Mbarrier& object, unsigned lane, const LanePlace& place) {
                    tell_owner(op, lane, place, true, !object.phase, context);
                  });
}

void execute_pending(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                     ExecutionContext&) {
  for (const unsigned lane : lanes_in(mask)) {
    const std::uint32_t count = Mbarrier::unpack(wide_at(registers, op.row[1], lane)).pending;
    std::memcpy(registers + op.row[0] + std::size_t{lane} * 4, &count, sizeof count);
  }
}

// cp.async.mbarrier.arrive: an arrival that happens when the lane's copies so far are done.
void execute_copy_arrive(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                         ExecutionContext& context) {
  for_each_object(op, registers, mask, context, true,
                  [&](Mbarrier& object, unsigned lane, const LanePlace& place) {
                    if ((op.flags & kNoIncrement) == 0) ++object.pending;
                    tell_owner(op, lane, place, false, object.phase, context);
                    context.transfers->arrive_later(place.offset(), *context.async, lane);
                  });
}

}  // namespace

Executor find_mbarrier(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kMbarrierInit:
      return execute_init;
    case Operation::kMbarrierExpect:
      return execute_expect;
    case Operation::kMbarrierArrive:
      return execute_arrive;
    case Operation::kMbarrierTest:
      return execute_test;
    case Operation::kMbarrierPending:
      return execute_pending;
    case Operation::kMbarrierCpAsync:
      return execute_copy_arrive;
    default:
      return nullptr;
  }
}

}  // namespace tilescope
