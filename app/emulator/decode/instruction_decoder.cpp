#include "emulator/decode/instruction_decoder.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "emulator/common_executors/families.h"
#include "emulator/memory_map.h"

namespace tilescope {
namespace {

struct SpecialName {
  std::string_view name;
  SpecialValue value;
  bool wide;
};
constexpr std::array kSpecials{
    SpecialName{"%tid.x", SpecialValue::kTidX, false},
    SpecialName{"%tid.y", SpecialValue::kTidY, false},
    SpecialName{"%tid.z", SpecialValue::kTidZ, false},
    SpecialName{"%tid.w", SpecialValue::kZero, false},
    SpecialName{"%ntid.x", SpecialValue::kNtidX, false},
    SpecialName{"%ntid.y", SpecialValue::kNtidY, false},
    SpecialName{"%ntid.z", SpecialValue::kNtidZ, false},
    SpecialName{"%ctaid.x", SpecialValue::kCtaidX, false},
    SpecialName{"%ctaid.y", SpecialValue::kCtaidY, false},
    SpecialName{"%ctaid.z", SpecialValue::kCtaidZ, false},
    SpecialName{"%nctaid.x", SpecialValue::kNctaidX, false},
    SpecialName{"%nctaid.y", SpecialValue::kNctaidY, false},
    SpecialName{"%nctaid.z", SpecialValue::kNctaidZ, false},
    SpecialName{"%laneid", SpecialValue::kLaneid, false},
    SpecialName{"%warpid", SpecialValue::kWarpid, false},
    SpecialName{"%nwarpid", SpecialValue::kNwarpid, false},
    SpecialName{"%lanemask_eq", SpecialValue::kLanemaskEq, false},
    SpecialName{"%lanemask_le", SpecialValue::kLanemaskLe, false},
    SpecialName{"%lanemask_lt", SpecialValue::kLanemaskLt, false},
    SpecialName{"%lanemask_ge", SpecialValue::kLanemaskGe, false},
    SpecialName{"%lanemask_gt", SpecialValue::kLanemaskGt, false},
    SpecialName{"%smid", SpecialValue::kSmid, false},
    SpecialName{"%nsmid", SpecialValue::kNsmid, false},
    SpecialName{"%gridid", SpecialValue::kGridid, true},
    SpecialName{"%dynamic_smem_size", SpecialValue::kDynamicSharedBytes, false},
    SpecialName{"%total_smem_size", SpecialValue::kTotalSharedBytes, false},
    SpecialName{"%aggr_smem_size", SpecialValue::kTotalSharedBytes, false},
    // A launch without clusters is a grid of clusters of one block.
    SpecialName{"%clusterid.x", SpecialValue::kClusterIdX, false},
    SpecialName{"%clusterid.y", SpecialValue::kClusterIdY, false},
    SpecialName{"%clusterid.z", SpecialValue::kClusterIdZ, false},
    SpecialName{"%nclusterid.x", SpecialValue::kNclusterIdX, false},
    SpecialName{"%nclusterid.y", SpecialValue::kNclusterIdY, false},
    SpecialName{"%nclusterid.z", SpecialValue::kNclusterIdZ, false},
    SpecialName{"%cluster_ctaid.x", SpecialValue::kClusterCtaidX, false},
    SpecialName{"%cluster_ctaid.y", SpecialValue::kClusterCtaidY, false},
    SpecialName{"%cluster_ctaid.z", SpecialValue::kClusterCtaidZ, false},
    SpecialName{"%cluster_nctaid.x", SpecialValue::kClusterNctaidX, false},
    SpecialName{"%cluster_nctaid.y", SpecialValue::kClusterNctaidY, false},
    SpecialName{"%cluster_nctaid.z", SpecialValue::kClusterNctaidZ, false},
    SpecialName{"%cluster_ctarank", SpecialValue::kClusterRank, false},
    SpecialName{"%cluster_nctarank", SpecialValue::kClusterSize, false},
    SpecialName{"%reserved_smem_offset_begin", SpecialValue::kReservedShared, false},
    SpecialName{"%reserved_smem_offset_0", SpecialValue::kReservedShared, false},
    SpecialName{"%reserved_smem_offset_1", SpecialValue::kReservedSharedOfGroups, false},
    SpecialName{"%reserved_smem_offset_end", SpecialValue::kReservedSharedEnd, false},
    // How cooperative groups find it (cooperative_groups/details/driver_abi.h).
    SpecialName{"%envreg1", SpecialValue::kGridWorkspaceHigh, false},
    SpecialName{"%envreg2", SpecialValue::kGridWorkspaceLow, false},
};

std::uint64_t float_bits(const PtxOperand& operand, DataType type) {
  const auto single = std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits));
  const double value =
      operand.is_f32 ? static_cast<double>(single) : std::bit_cast<double>(operand.bits);
  if (type == DataType::kF64) return std::bit_cast<std::uint64_t>(value);
  if (operand.is_f32) return operand.bits;
  if (bytes_of(type) == 8) return operand.bits;
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

}  // namespace

Modifier rounding_of(const Modifiers& modifiers, Modifier otherwise) {
  for (const Modifier m :
       {Modifier::kRn, Modifier::kRz, Modifier::kRm, Modifier::kRp, Modifier::kRna, Modifier::kRni,
        Modifier::kRzi, Modifier::kRmi, Modifier::kRpi}) {
    if (modifiers.has(m)) return m;
  }
  return otherwise;
}

Modifier comparison_of(const Modifiers& modifiers) {
  for (const Modifier m :
       {Modifier::kEq, Modifier::kNe, Modifier::kLt, Modifier::kLe, Modifier::kGt, Modifier::kGe,
        Modifier::kLo, Modifier::kLs, Modifier::kHi, Modifier::kHs, Modifier::kEqu, Modifier::kNeu,
        Modifier::kLtu, Modifier::kLeu, Modifier::kGtu, Modifier::kGeu, Modifier::kNum,
        Modifier::kNanTest}) {
    if (modifiers.has(m)) return m;
  }
  return Modifier::kCount;
}

std::uint64_t function_address(std::uint32_t function) {
  return kFunctionAddresses + kFunctionStride * (std::uint64_t{function} + 1);
}

bool InstructionDecoder::refuse(std::string why) {
  if (reason.empty()) reason = std::move(why);
  return false;
}

DataType InstructionDecoder::register_type(const PtxOperand& operand) const {
  if (operand.kind != OperandKind::kRegister) return DataType::kNone;
  return function().registers[operand.index].type;
}

bool InstructionDecoder::is_wide(const PtxOperand& operand) const {
  return bytes_of(register_type(operand)) == 8;
}

std::uint32_t InstructionDecoder::constant_of(const PtxOperand& operand, DataType type) {
  const bool wide = bytes_of(type) == 8;
  std::uint64_t bits = operand.bits;
  if (operand.kind == OperandKind::kFloat) bits = float_bits(operand, type);
  if (bytes_of(type) == 2) bits &= 0xffff;
  if (bytes_of(type) == 1) bits &= 0xff;
  return state_.rows->constant(bits, wide);
}

std::uint32_t InstructionDecoder::source(const PtxOperand& operand, DataType type) {
  const bool wide = bytes_of(type) == 8;
  if (!operand.part.empty() || operand.negated) {
    refuse("a part of a register, or a negated operand,");
    return 0;
  }
  switch (operand.kind) {
    case OperandKind::kRegister: {
      const DataType declared = register_type(operand);
      if (declared == DataType::kPred || declared == DataType::kB128 ||
          (bytes_of(declared) == 8) != wide) {
        refuse(fmt::format("operand of type .{} where .{} is expected", name_of(declared),
                           name_of(type)));
        return 0;
      }
      return state_.rows->of_register(function_, operand.index, declared);
    }
    case OperandKind::kInteger:
    case OperandKind::kFloat:
      return constant_of(operand, type);
    case OperandKind::kVariable: {
      const VariablePlace& place = state_.places[operand.index];
      if (place.framed) {
        refuse("the address of a variable of a recursive function in this instruction");
        return 0;
      }
      return state_.rows->constant(place.address + static_cast<std::uint64_t>(operand.displacement),
                                   wide);
    }
    case OperandKind::kSpecial: {
      if (operand.text == "WARP_SZ") return state_.rows->constant(kWarpSize, wide);
      for (const SpecialName& special : kSpecials) {
        if (special.name == operand.text) return state_.rows->special(special.value, wide);
      }
      if (operand.text.starts_with("%envreg") || operand.text.starts_with("%pm") ||
          operand.text == "%current_graph_exec")
        return state_.rows->constant(0, wide);
      refuse(fmt::format("special register {:.40}", operand.text));
      return 0;
    }
    case OperandKind::kSink:
      return state_.rows->constant(0, wide);
    case OperandKind::kSymbol:
      if (const auto function = module().find_function(operand.text))
        return state_.rows->constant(function_address(*function), wide);
      break;
    default:
      break;
  }
  refuse(fmt::format("operand '{:.40}'", operand.text));
  return 0;
}

std::uint32_t InstructionDecoder::destination(const PtxOperand& operand, DataType type) {
  const bool wide = bytes_of(type) == 8;
  if (!operand.part.empty()) {
    refuse("a part of a register as destination");
    return 0;
  }
  if (operand.kind == OperandKind::kSink) {
    return state_.rows->scratch(wide ? RowClass::kWide : RowClass::kNarrow);
  }
  if (operand.kind != OperandKind::kRegister) {
    refuse("a destination that is no register");
    return 0;
  }
  const DataType declared = register_type(operand);
  if (declared == DataType::kPred || declared == DataType::kB128 ||
      (bytes_of(declared) == 8) != wide) {
    refuse(fmt::format("destination of type .{} where .{} is expected", name_of(declared),
                       name_of(type)));
    return 0;
  }
  return state_.rows->of_register(function_, operand.index, declared);
}

bool InstructionDecoder::collect(const PtxOperand& list, DataType type, Direction direction,
                                 std::vector<std::uint32_t>* rows) {
  const bool is_list = list.kind == OperandKind::kVector;
  for (unsigned i = 0; i < (is_list ? list.count : 1); ++i) {
    const PtxOperand& operand = is_list ? element(list, i) : list;
    rows->push_back(direction == Direction::kWritten ? destination(operand, type)
                                                     : source(operand, type));
  }
  return !refused();
}

std::array<std::uint32_t, 2> InstructionDecoder::pair(const PtxOperand& operand) {
  if (!is_pair(operand)) {
    refuse("an operand that is no .b128 register");
    return {0, 0};
  }
  return {state_.rows->of_register(function_, operand.index, DataType::kB64),
          state_.rows->upper_half(function_, operand.index)};
}

std::uint32_t InstructionDecoder::predicate(const PtxOperand& operand) {
  if (register_type(operand) != DataType::kPred) {
    refuse("an operand that is no predicate");
    return 0;
  }
  return state_.rows->of_register(function_, operand.index, DataType::kPred);
}

std::uint32_t InstructionDecoder::predicate_destination(const PtxOperand& operand) {
  if (operand.kind == OperandKind::kSink) return state_.rows->scratch(RowClass::kPredicate);
  return predicate(operand);
}

InstructionDecoder::Address InstructionDecoder::address(const PtxOperand& operand) {
  Address result;
  if (operand.kind != OperandKind::kAddress) {
    refuse("an operand that is no address");
    return result;
  }
  result.displacement = operand.displacement;
  switch (operand.base_kind) {
    case OperandKind::kRegister: {
      const DataType type = function().registers[operand.index].type;
      if (bytes_of(type) != 8 && bytes_of(type) != 4) {
        refuse("an address register that has neither 32 nor 64 bits");
        return result;
      }
      result.row = state_.rows->of_register(function_, operand.index, type);
      result.form = bytes_of(type) == 8 ? AddressForm::kWide : AddressForm::kNarrow;
      return result;
    }
    case OperandKind::kVariable: {
      const VariablePlace& place = state_.places[operand.index];
      if (place.framed) {
        result.row = state_.rows->special(SpecialValue::kFrame, true);
        result.displacement += static_cast<std::int64_t>(place.address);
        result.variable_space = place.space;
        return result;
      }
      result.row = state_.rows->constant(place.address, true);
      result.variable_space = place.space;
      result.is_entry_parameter = place.space == MemorySpace::kParameter;
      return result;
    }
    case OperandKind::kInteger:
      result.row = state_.rows->constant(operand.bits, true);
      return result;
    default:
      refuse("this kind of address");
      return result;
  }
}

MicroOp* InstructionDecoder::emit(OperationKey key, const Shape& shape) {
  if (refused()) return nullptr;
  key.words = modifiers.set;
  Executor execute = state_.find(key);
  if (execute == nullptr) execute = find_common_executor(key);
  if (execute == nullptr) {
    refuse("this combination of types and modifiers");
    return nullptr;
  }
  MicroOp op;
  RowUse use;
  use.operation = key.operation;
  use.mode = key.comparison;
  op.execute = execute;
  op.instruction = index_;
  if (instruction_.guard != kNoIndex) {
    op.guard = state_.rows->of_register(function_, instruction_.guard, DataType::kPred);
    op.guard_flip = instruction_.guard_negated ? kFullMask : 0;
  }
  std::size_t at = 0;
  for (const std::uint32_t row : shape.written) {
    use.used = static_cast<std::uint8_t>(use.used | (1u << at));
    use.written = static_cast<std::uint8_t>(use.written | (1u << at));
    op.row[at++] = row;
  }
  for (const std::uint32_t row : shape.read) {
    use.used = static_cast<std::uint8_t>(use.used | (1u << at));
    op.row[at++] = row;
  }
  state_.code->ops.push_back(op);
  state_.uses.push_back(use);
  return &state_.code->ops.back();
}

void InstructionDecoder::add_further_rows(MicroOp& op, const std::vector<std::uint32_t>& written,
                                          const std::vector<std::uint32_t>& read) {
  std::vector<std::uint32_t>& rows = state_.code->rows;
  op.extra = static_cast<std::uint32_t>(rows.size());
  op.extra_count = static_cast<std::uint8_t>(written.size() + read.size());
  rows.insert(rows.end(), written.begin(), written.end());
  rows.insert(rows.end(), read.begin(), read.end());
  use_of_last().extra_written = static_cast<std::uint8_t>(written.size());
}

BlockEnd& InstructionDecoder::end_block(EndKind kind) {
  end.emplace();
  end->kind = kind;
  end->op.instruction = index_;
  return *end;
}

}  // namespace tilescope
