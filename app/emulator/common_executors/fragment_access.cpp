#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/common_executors/families.h"
#include "emulator/execution/async_copies.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/observer.h"
#include "emulator/execution/register_cells.h"
#include "emulator/formats/matrix_fragment.h"

// wmma.load and wmma.store. What memory instructions the hardware makes of them is its own
// business; here a lane moves a register at once where its elements lie side by side, else element
// by element.
namespace tilescope {
namespace {

struct Piece {
  unsigned reg = 0;
  unsigned first = 0;  // element in the register
  unsigned count = 1;
};

class FragmentMover {
 public:
  FragmentMover(const MicroOp& op, std::byte* registers, ExecutionContext& context)
      : op_(op),
        registers_(registers),
        context_(context),
        access_(FragmentAccess::unpack(op.immediate)),
        bits_(bits_of_element(access_.fragment.type)) {
    // Results may lie in the rows of the operands, so these are read first. The immediate holds the
    // fragment; the displacement is row[2], a constant.
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      std::uint64_t displacement = 0;
      std::memcpy(&displacement, registers + op.row[2], 8);
      if ((op.flags & 1u) != 0) {
        std::memcpy(&base_[lane], registers + op.row[0] + std::size_t{lane} * 8, 8);
      } else {
        base_[lane] = word_at(registers, op.row[0], lane);
      }
      base_[lane] += displacement;
      stride_[lane] = word_at(registers, op.row[1], lane);
    }
  }

  void move(std::uint32_t mask, bool store) {
    if (mask == 0) return;
    const MatrixFragment& fragment = access_.fragment;
    const unsigned pack = fragment.per_register();
    // Elements of one register follow each other along a row of A or C and down a column of B.
    const auto lane = static_cast<unsigned>(std::countr_zero(mask));
    const unsigned alignment = std::min(16u, fragment.registers * (bits_ == 64 ? 8u : 4u));
    const MatrixPlace place{base_[lane], std::uint64_t{stride_[lane]} * bits_, bits_, alignment};
    context_.observers->tell(&BlockObserver::on_matrix, op_, lane, place);
    const bool together = access_.by_columns == (fragment.role == MatrixRole::kB);
    const unsigned needed = fragment.needed_registers();
    for (unsigned reg = 0; reg < needed; ++reg) {
      if (together || pack == 1) {
        move_piece({reg, 0, pack}, mask, store);
      } else {
        for (unsigned i = 0; i < pack; ++i) move_piece({reg, i, 1}, mask, store);
      }
    }
    for (unsigned reg = needed; reg < fragment.registers && !store; ++reg)
      repeat(reg, needed, mask);
  }

 private:
  [[nodiscard]] std::uint64_t address_of(unsigned lane, const Piece& piece) const {
    const auto place = access_.fragment.place_of(lane, piece.reg, piece.first);
    const std::uint64_t index = access_.by_columns ? place.column * stride_[lane] + place.row
                                                   : place.row * stride_[lane] + place.column;
    return base_[lane] + index * bits_ / 8;
  }

  void move_piece(const Piece& piece, std::uint32_t mask, bool store) {
    LaneArray addresses{};
    for (const unsigned lane : lanes_in(mask)) {
      addresses[lane] = address_of(lane, piece);
    }
    MicroOp part = op_;
    part.bytes = static_cast<std::uint8_t>(piece.count * bits_ / 8);
    const AccessKind kind = store ? AccessKind::kStore : AccessKind::kLoad;
    const PlacedLanes placed = place_lanes(part, mask, op_.space, kind, addresses, context_);
    if (!store && context_.async != nullptr && op_.space == MemorySpace::kShared &&
        context_.async->pending().any()) {
      tell_early_read(part, placed.mask, context_, addresses, part.bytes);
    }
    const bool wide = bits_ == 64;
    const std::uint32_t row = further_row(op_, context_, piece.reg);
    for (const unsigned lane : lanes_in(mask)) {
      const bool good = ((placed.mask >> lane) & 1u) != 0;
      std::byte* cell = registers_ + row + lane * cell_bytes(wide);
      std::byte* in_cell = cell + std::size_t{piece.first} * bits_ / 8;
      if (store) {
        if (good) std::memcpy(placed.data[lane], in_cell, part.bytes);
      } else if (good) {
        std::memcpy(in_cell, placed.data[lane], part.bytes);
      } else {
        std::memset(in_cell, 0, part.bytes);
      }
    }
  }

  // f16 fragments have twice the registers that their elements need.
  void repeat(unsigned reg, unsigned needed, std::uint32_t mask) {
    const std::uint32_t to = further_row(op_, context_, reg);
    const std::uint32_t from = further_row(op_, context_, reg % needed);
    for (const unsigned lane : lanes_in(mask)) {
      const std::size_t at = std::size_t{4} * lane;
      std::memcpy(registers_ + to + at, registers_ + from + at, 4);
    }
  }

  const MicroOp& op_;
  std::byte* registers_;
  ExecutionContext& context_;
  FragmentAccess access_;
  unsigned bits_;
  LaneArray base_{};
  LaneArray stride_{};
};

template <bool Store>
void execute_fragment(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                      ExecutionContext& context) {
  FragmentMover(op, registers, context).move(mask, Store);
}

}  // namespace

Executor find_fragment_access(const OperationKey& key) {
  if (key.operation == Operation::kLoadFragment) return execute_fragment<false>;
  return key.operation == Operation::kStoreFragment ? execute_fragment<true> : nullptr;
}

}  // namespace tilescope
