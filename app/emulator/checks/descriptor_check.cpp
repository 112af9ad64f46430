#include "emulator/checks/descriptor_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/execution/cluster.h"
#include "emulator/execution/lane_access.h"
#include "emulator/formats/matrix_fragment.h"
#include "emulator/formats/warpgroup_product.h"
#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

using RankBits = DescriptorCheck::RankBits;

constexpr std::uint64_t kRanks = std::uint64_t{0xff} << Cluster::kRankShift;

bool is_group_product(const StaticInstruction& instruction) {
  return instruction.operation == Operation::kWarpgroupProduct;
}

// Both at once.
RankBits joined(const RankBits& a, const RankBits& b) {
  if (a.bits == 0) return b.bits == 0 ? RankBits{0, 0, a.is_known && b.is_known} : b;
  if (b.bits == 0) return a;
  return {a.bits | b.bits, a.shift, a.is_known && b.is_known && a.shift == b.shift};
}

RankBits shifted(RankBits of, int by) {
  if (by <= -64 || by >= 64) return {};
  of.bits = by >= 0 ? of.bits << by : of.bits >> -by;
  of.shift += by;
  return of.bits == 0 ? RankBits{} : of;
}

RankBits masked(RankBits of, std::uint64_t mask) {
  of.bits &= mask;
  return of.bits == 0 ? RankBits{} : of;
}

// Follows shared addresses from register to register, without regard to the order of instructions.
class RankFlow {
 public:
  explicit RankFlow(const Program& program)
      : program_(program), of_register_(program.register_count()) {
    constexpr int kMostRounds = 8;
    for (int round = 0; round < kMostRounds && spread(); ++round) {
    }
  }
  [[nodiscard]] std::vector<RankBits> take() { return std::move(of_register_); }

 private:
  bool spread() {
    bool changed = false;
    for (const StaticInstruction& instruction : program_.instructions()) {
      if (instruction.operands.size() < 2 || instruction.operands[0].kind != OperandKind::kRegister)
        continue;
      const RankBits made = result_of(instruction);
      if (made.bits == 0) continue;
      for (const std::uint32_t written : instruction.writes) {
        const RankBits all = joined(of_register_[written], made);
        changed = changed || all != of_register_[written];
        of_register_[written] = all;
      }
    }
    return changed;
  }

  [[nodiscard]] RankBits of(const StaticInstruction& instruction, std::size_t i) const {
    if (i >= instruction.operands.size()) return {};
    const PtxOperand& operand = instruction.operands[i];
    if (operand.kind == OperandKind::kVariable && operand.index != kNoIndex) {
      const auto& variables = program_.implementation().module.variables;
      return variables[operand.index].space == MemorySpace::kShared ? RankBits{kRanks, 0, true}
                                                                    : RankBits{};
    }
    if (operand.kind == OperandKind::kVector) {  // two halves of 32 bits
      RankBits all;
      int at = 0;
      for (const PtxOperand& element : instruction.elements_of(operand)) {
        if (element.kind == OperandKind::kRegister)
          all = joined(all, shifted(at_number(instruction, element), at));
        at += 32;
      }
      return all;
    }
    return operand.kind == OperandKind::kRegister ? at_number(instruction, operand) : RankBits{};
  }
  [[nodiscard]] RankBits at_number(const StaticInstruction& instruction,
                                   const PtxOperand& operand) const {
    return of_register_[instruction.first_register + operand.index];
  }

  // The integer that an operand is; nullopt: a register.
  static std::optional<std::uint64_t> number(const StaticInstruction& instruction, std::size_t i) {
    if (i >= instruction.operands.size() || instruction.operands[i].kind != OperandKind::kInteger)
      return std::nullopt;
    return instruction.operands[i].bits;
  }

  static std::uint64_t bits_of_result(const StaticInstruction& instruction) {
    const DataType type = instruction.modifiers.type(0);
    const unsigned bytes = bytes_of(type);
    return bytes >= 8 || bytes == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
  }

  [[nodiscard]] RankBits result_of(const StaticInstruction& instruction) const {
    return masked(before_cut(instruction), bits_of_result(instruction));
  }

  [[nodiscard]] RankBits before_cut(const StaticInstruction& instruction) const {
    const auto source = [&](std::size_t i) { return of(instruction, i); };
    switch (instruction.operation) {
      case Operation::kMove:
      case Operation::kPack:
      case Operation::kCvta:
      case Operation::kConvert:
      case Operation::kShuffle:
        return source(1);
      case Operation::kAdd:
      case Operation::kOr:
      case Operation::kXor:
        return joined(source(1), source(2));
      case Operation::kSub:
        return source(1);
      case Operation::kSelp:
        return joined(source(1), source(2));
      case Operation::kMad:
        return source(3);
      case Operation::kAnd:
        for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
          if (const auto mask = number(instruction, i)) return masked(source(3 - i), *mask);
        }
        return joined(source(1), source(2));
      case Operation::kShl:
      case Operation::kShr: {
        const auto by = number(instruction, 2);
        if (!by) return {source(1).bits, 0, false};
        const int distance = static_cast<int>(std::min<std::uint64_t>(*by, 64));
        return shifted(source(1), instruction.operation == Operation::kShl ? distance : -distance);
      }
      case Operation::kBfe: {
        const auto from = number(instruction, 2);
        const auto count = number(instruction, 3);
        if (!from || !count) return {source(1).bits, 0, false};
        const std::uint64_t kept =
            *count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << *count) - 1;
        return masked(shifted(source(1), -static_cast<int>(std::min<std::uint64_t>(*from, 64))),
                      kept);
      }
      default:
        return {};
    }
  }

  const Program& program_;
  std::vector<RankBits> of_register_;
};

// Does a product read other pieces of shared memory by the one descriptor than by the other?
bool differ(const WarpgroupProduct& product, bool is_a, std::uint64_t one, std::uint64_t other) {
  const SharedTile first = SharedTile::decode(one);
  const SharedTile second = SharedTile::decode(other);
  constexpr unsigned kGroupRows = 4 * WarpgroupProduct::kRows;
  const unsigned bits = bits_of_element(is_a ? product.a : product.b);
  const unsigned per_piece = 8 * WarpgroupProduct::kPieceBytes / bits;
  const bool k_major = is_a ? !product.a_by_columns : !product.b_by_rows;
  const unsigned across = is_a ? kGroupRows : product.n;
  const unsigned lines = k_major ? across : product.k;
  const unsigned pieces = (k_major ? product.k : across) / per_piece;
  for (unsigned line = 0; line < lines; ++line) {
    for (unsigned piece = 0; piece < pieces; ++piece) {
      if (first.piece_at(line, piece, k_major) != second.piece_at(line, piece, k_major))
        return true;
    }
  }
  return false;
}

}  // namespace

DescriptorCheck::DescriptorCheck(CheckedBlock& block) : block_(block) {
  const Program& program = block.launch.program();
  if (program.is_machine_code() || block.block.code().cluster.count() == 1) return;
  if (std::ranges::none_of(program.instructions(), is_group_product)) return;
  of_register_ = RankFlow(program).take();
}

StepEvents DescriptorCheck::needs(std::uint32_t instruction) const {
  return {.before = !of_register_.empty() && is_group_product(block_.instruction(instruction))};
}

void DescriptorCheck::before(const WarpStep& product) {
  const std::uint32_t rank = block_.context.cluster->rank_of(block_.context);
  if (rank == 0) return;
  const WarpgroupProduct shape = WarpgroupProduct::unpack(product.op.immediate);
  if (!shape.a_in_registers) check_operand(product, 1, rank);
  check_operand(product, 2, rank);
}

// `operand`: 1 for A, 2 for B, as MicroOp::row has them too.
void DescriptorCheck::check_operand(const WarpStep& product, unsigned operand, std::uint64_t rank) {
  const StaticInstruction& instruction = block_.instruction(product.op.instruction);
  const PtxOperand& named = instruction.operands[operand];
  if (named.kind != OperandKind::kRegister) return;
  const RankBits& bits = of_register_[instruction.first_register + named.index];
  if (bits.bits == 0 || !bits.is_known) return;
  std::uint64_t descriptor = 0;
  std::memcpy(&descriptor, product.registers + product.op.row[operand], sizeof descriptor);
  const std::uint64_t taken =
      shifted({rank << Cluster::kRankShift, 0, true}, bits.shift).bits & bits.bits;
  const WarpgroupProduct shape = WarpgroupProduct::unpack(product.op.immediate);
  if (!differ(shape, operand == 1, descriptor, descriptor | taken)) return;
  if (!block_.reports.is_new(FindingKind::kOutOfBounds, product.op.instruction)) return;
  const Dim3& block = block_.context.block;
  block_.reports.add(
      FindingKind::kOutOfBounds, product.op.instruction, product.warp.index * kWarpSize,
      fmt::format("the descriptor of {} names other memory in block ({},{},{}): there a shared "
                  "address has the block's rank in the cluster from bit 24 on, which comes into "
                  "the descriptor's other fields; mask the address before it is encoded "
                  "((address & 0x3ffff) >> 4)",
                  operand == 1 ? "A" : "B", block.x, block.y, block.z));
}

}  // namespace tilescope
