#include "emulator/common_executors/warp_exchange.h"

#include <bit>
#include <cstring>

#include "emulator/common_executors/families.h"
#include "emulator/execution/async_copies.h"
#include "emulator/execution/warp.h"
#include "emulator/executors/lanes.h"
#include "emulator/lanes_in.h"

// shfl, vote, match, redux, activemask, elect (PTX ISA "Data Movement", "Parallel
// Synchronization"). The lanes that take part are those that execute the instruction together and
// are named in the member mask.
namespace tilescope {
namespace {

using portable::predicate_at;
using portable::Row32;
using portable::Row64;
using portable::row_at;
using portable::set_predicate;

unsigned first_lane(std::uint32_t mask) { return static_cast<unsigned>(std::countr_zero(mask)); }

// Where the member mask is, but for shfl, which has it behind its rows.
constexpr std::size_t kMembers = 2;
constexpr std::size_t kMembersOfMatch = 3;

MemberMasks masks_at(const std::byte* registers, std::uint32_t row) {
  MemberMasks masks;
  std::memcpy(masks.data(), registers + row, sizeof masks);
  return masks;
}

// Executes F for the lanes of one mask after the other.
template <Executor F, std::size_t Row>
void execute_by_members(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                        ExecutionContext& context) {
  const MemberMasks members = masks_at(registers, op.row[Row]);
  for (std::uint32_t left = mask; left != 0;) {
    const std::uint32_t group = same_mask(members, left);
    F(op, registers, group, context);
    left &= ~group;
  }
}

std::uint32_t members_at(const std::byte* registers, std::uint32_t row, std::uint32_t mask) {
  std::uint32_t members;
  std::memcpy(&members, registers + row + std::size_t{first_lane(mask)} * 4, sizeof members);
  return members & mask;
}

template <Modifier Mode>
void execute_shuffle(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                     ExecutionContext&) {
  Row32* d = row_at<std::uint32_t>(registers, op.row[0]);
  std::uint32_t a[kWarpSize];
  std::memcpy(a, registers + op.row[2], sizeof a);
  const Row32* b = row_at<std::uint32_t>(registers, op.row[3]);
  const Row32* c = row_at<std::uint32_t>(registers, op.row[4]);
  std::uint32_t inside = 0;
  std::uint32_t result[kWarpSize];
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const ShuffleSource source = shuffle_source(Mode, lane, b[lane], c[lane]);
    result[lane] = a[source.lane & 0x1fu];
    inside |= source.inside ? 1u << lane : 0u;
  }
  portable::blend_row(d, result, mask);
  set_predicate(registers, op.row[1], inside, mask);
}

void execute_vote(const MicroOp& op, std::byte* registers, std::uint32_t mask, Modifier kind) {
  std::uint32_t holds = predicate_at(registers, op.row[1]);
  if (op.flags != 0) holds = ~holds;
  const std::uint32_t members = members_at(registers, op.row[kMembers], mask);
  holds &= members;
  bool result = false;
  if (kind == Modifier::kAll) result = holds == members;
  if (kind == Modifier::kAny) result = holds != 0;
  if (kind == Modifier::kUni) result = holds == members || holds == 0;
  set_predicate(registers, op.row[0], result ? kFullMask : 0, mask);
}
template <Modifier Kind>
void execute_vote_of(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                     ExecutionContext&) {
  execute_vote(op, registers, mask, Kind);
}

void write_all(const MicroOp& op, std::byte* registers, std::uint32_t mask, std::uint32_t value) {
  Row32* d = row_at<std::uint32_t>(registers, op.row[0]);
  for (const unsigned lane : lanes_in(mask)) d[lane] = value;
}

void execute_ballot(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                    ExecutionContext&) {
  std::uint32_t holds = predicate_at(registers, op.row[1]);
  if (op.flags != 0) holds = ~holds;
  write_all(op, registers, mask, holds & members_at(registers, op.row[kMembers], mask));
}

template <class T>
void execute_match_any(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                       ExecutionContext&) {
  T a[kWarpSize];
  std::memcpy(a, registers + op.row[2], sizeof a);
  const std::uint32_t members = members_at(registers, op.row[kMembersOfMatch], mask);
  Row32* d = row_at<std::uint32_t>(registers, op.row[0]);
  for (const unsigned lane : lanes_in(mask)) {
    std::uint32_t same = 0;
    for (std::size_t other = 0; other < kWarpSize; ++other)
      same |= a[other] == a[lane] ? 1u << other : 0u;
    d[lane] = same & members;
  }
}

template <class T>
void execute_match_all(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                       ExecutionContext&) {
  T a[kWarpSize];
  std::memcpy(a, registers + op.row[2], sizeof a);
  const std::uint32_t members = members_at(registers, op.row[kMembersOfMatch], mask);
  bool same = true;
  for (const unsigned lane : lanes_in(members)) {
    same &= a[lane] == a[first_lane(members)];
  }
  write_all(op, registers, mask, same ? members : 0);
  set_predicate(registers, op.row[1], same ? kFullMask : 0, mask);
}

template <Modifier Kind, class T>
void execute_redux(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  std::uint32_t a[kWarpSize];
  std::memcpy(a, registers + op.row[1], sizeof a);
  const std::uint32_t members = members_at(registers, op.row[kMembers], mask);
  if (members == 0) return;
  std::uint32_t result = a[first_lane(members)];
  for (const unsigned lane : lanes_in(members & (members - 1))) {
    const std::uint32_t value = a[lane];
    if constexpr (Kind == Modifier::kAdd) result += value;
    if constexpr (Kind == Modifier::kAnd) result &= value;
    if constexpr (Kind == Modifier::kOr) result |= value;
    if constexpr (Kind == Modifier::kXor) result ^= value;
    if constexpr (Kind == Modifier::kMin)
      result = static_cast<T>(value) < static_cast<T>(result) ? value : result;
    if constexpr (Kind == Modifier::kMax)
      result = static_cast<T>(value) > static_cast<T>(result) ? value : result;
  }
  write_all(op, registers, mask, result);
}

// f32: min and max as the instructions of that name have them. flags bit 0: of absolute values.
template <bool Larger, bool Nan>
void execute_redux_float(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                         ExecutionContext&) {
  std::uint32_t a[kWarpSize];
  std::memcpy(a, registers + op.row[1], sizeof a);
  const std::uint32_t members = members_at(registers, op.row[kMembers], mask);
  if (members == 0) return;
  constexpr std::uint32_t kNan = 0x7fffffff;
  const auto is_nan = [](std::uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; };
  std::uint32_t result = kNan;
  bool first = true;
  for (const unsigned lane : lanes_in(members)) {
    std::uint32_t value = a[lane];
    if (op.flags != 0) value &= 0x7fffffffu;
    if (is_nan(value)) {
      if (Nan) {
        result = kNan;
        break;
      }
      continue;
    }
    const float x = std::bit_cast<float>(value);
    const float y = std::bit_cast<float>(result);
    if (first) {
      result = value;
    } else if (x == y) {  // -0 is below +0
      result = Larger ? result & value : result | value;
    } else {
      result = (Larger ? x > y : x < y) ? value : result;
    }
    first = false;
  }
  write_all(op, registers, mask, result);
}

void execute_activemask(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                        ExecutionContext&) {
  write_all(op, registers, mask, mask);
}

void execute_elect(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  const std::uint32_t members = members_at(registers, op.row[kMembers], mask);
  if (members == 0) return;
  const unsigned leader = first_lane(members);
  write_all(op, registers, mask, leader);
  set_predicate(registers, op.row[1], 1u << leader, mask);
}

Executor redux(const OperationKey& key) {
  if (key.type == DataType::kF32) {
    if (key.comparison == Modifier::kMax)
      return key.nan ? execute_by_members<execute_redux_float<true, true>, kMembers>
                     : execute_by_members<execute_redux_float<true, false>, kMembers>;
    if (key.comparison != Modifier::kMin) return nullptr;
    return key.nan ? execute_by_members<execute_redux_float<false, true>, kMembers>
                   : execute_by_members<execute_redux_float<false, false>, kMembers>;
  }
  const bool is_signed_type = is_signed(key.type);
  switch (key.comparison) {
    case Modifier::kAdd:
      return execute_by_members<execute_redux<Modifier::kAdd, std::uint32_t>, kMembers>;
    case Modifier::kAnd:
      return execute_by_members<execute_redux<Modifier::kAnd, std::uint32_t>, kMembers>;
    case Modifier::kOr:
      return execute_by_members<execute_redux<Modifier::kOr, std::uint32_t>, kMembers>;
    case Modifier::kXor:
      return execute_by_members<execute_redux<Modifier::kXor, std::uint32_t>, kMembers>;
    case Modifier::kMin:
      return is_signed_type
                 ? execute_by_members<execute_redux<Modifier::kMin, std::int32_t>, kMembers>
                 : execute_by_members<execute_redux<Modifier::kMin, std::uint32_t>, kMembers>;
    case Modifier::kMax:
      return is_signed_type
                 ? execute_by_members<execute_redux<Modifier::kMax, std::int32_t>, kMembers>
                 : execute_by_members<execute_redux<Modifier::kMax, std::uint32_t>, kMembers>;
    default:
      return nullptr;
  }
}

}  // namespace

MemberMasks member_masks(Operation operation, const MicroOp& op, const std::byte* registers,
                         const ExecutionContext& context) {
  const bool matches = operation == Operation::kMatchAny || operation == Operation::kMatchAll;
  return masks_at(registers, operation == Operation::kShuffle ? further_row(op, context, 0)
                             : matches                        ? op.row[kMembersOfMatch]
                                                              : op.row[kMembers]);
}

std::uint32_t same_mask(const MemberMasks& masks, std::uint32_t lanes) {
  const std::uint32_t wanted = masks[first_lane(lanes)];
  std::uint32_t same = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) same |= masks[lane] == wanted ? 1u << lane : 0u;
  return same & lanes;
}

Executor find_warp_exchange(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kShuffle:
      switch (key.comparison) {
        case Modifier::kUp:
          return execute_shuffle<Modifier::kUp>;
        case Modifier::kDown:
          return execute_shuffle<Modifier::kDown>;
        case Modifier::kBfly:
          return execute_shuffle<Modifier::kBfly>;
        default:
          return execute_shuffle<Modifier::kIdx>;
      }
    case Operation::kVote:
      switch (key.comparison) {
        case Modifier::kAll:
          return execute_by_members<execute_vote_of<Modifier::kAll>, kMembers>;
        case Modifier::kAny:
          return execute_by_members<execute_vote_of<Modifier::kAny>, kMembers>;
        default:
          return execute_by_members<execute_vote_of<Modifier::kUni>, kMembers>;
      }
    case Operation::kBallot:
      return execute_by_members<execute_ballot, kMembers>;
    case Operation::kMatchAny:
      return bytes_of(key.type) == 8
                 ? execute_by_members<execute_match_any<std::uint64_t>, kMembersOfMatch>
                 : execute_by_members<execute_match_any<std::uint32_t>, kMembersOfMatch>;
    case Operation::kMatchAll:
      return bytes_of(key.type) == 8
                 ? execute_by_members<execute_match_all<std::uint64_t>, kMembersOfMatch>
                 : execute_by_members<execute_match_all<std::uint32_t>, kMembersOfMatch>;
    case Operation::kRedux:
      return redux(key);
    case Operation::kActivemask:
      return execute_activemask;
    case Operation::kElect:
      return execute_by_members<execute_elect, kMembers>;
    default:
      return nullptr;
  }
}

}  // namespace tilescope
