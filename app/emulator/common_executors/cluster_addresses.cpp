#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/common_executors/families.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/register_cells.h"
#include "emulator/memory_map.h"

// Addresses of a cluster's shared memory: mapa, getctarank, isspacep.shared::cta (PTX ISA, "mapa",
// "getctarank", "isspacep"). Lifted machine code has the first two as arithmetic.
namespace tilescope {
namespace {

constexpr std::uint64_t kRankBits = std::uint64_t{0xff} << Cluster::kRankShift;

// row[0]: the address there; row[1]: the address here; row[2]: the rank.
template <bool Wide>
void execute_map(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  for_lanes(mask, [&](unsigned lane) {
    const std::uint64_t address = cell_at(registers, op.row[1], lane, Wide);
    const std::uint32_t rank = std::min(word_at(registers, op.row[2], lane), Cluster::kMostRanks);
    put_cell(registers, op.row[0], lane, Wide,
             (address & ~kRankBits) | ((std::uint64_t{rank} + 1) << Cluster::kRankShift));
  });
}

// row[0]: the rank; row[1]: the address.
template <bool Wide>
void execute_rank(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                  ExecutionContext& context) {
  for_lanes(mask, [&](unsigned lane) {
    const std::uint64_t address = cell_at(registers, op.row[1], lane, Wide) & (kWindowBytes - 1);
    put_cell(registers, op.row[0], lane, false, find_shared(address, true, context).rank);
  });
}

// row[0]: a predicate; row[1]: a generic address.
void execute_is_own(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                    ExecutionContext& context) {
  std::uint32_t own = predicate_at(registers, op.row[0]) & ~mask;
  for_lanes(mask, [&](unsigned lane) {
    const std::uint64_t address = cell_at(registers, op.row[1], lane, true);
    if ((address & ~(kWindowBytes - 1)) != kSharedWindow) return;
    const SharedPlace place = find_shared(address & (kWindowBytes - 1), true, context);
    if (place.owner == &context) own |= 1u << lane;
  });
  std::memcpy(registers + op.row[0], &own, sizeof own);
}

}  // namespace

Executor find_cluster_address(const OperationKey& key) {
  const bool wide = key.address == AddressForm::kWide;
  switch (key.operation) {
    case Operation::kMapRank:
      return wide ? execute_map<true> : execute_map<false>;
    case Operation::kRankOf:
      return wide ? execute_rank<true> : execute_rank<false>;
    case Operation::kIsOwnShared:
      return execute_is_own;
    default:
      return nullptr;
  }
}

}  // namespace tilescope
