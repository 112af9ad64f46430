#include <algorithm>
#include <array>

#include "emulator/common_executors/video.h"
#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"

namespace tilescope {
namespace {

using What = VideoOperation::What;
using Then = VideoOperation::Then;

// "vabsdiff4" -> kAbsdiff, 4 lanes.
bool name_parts(std::string_view mnemonic, VideoOperation* v) {
  if (mnemonic.ends_with('2') || mnemonic.ends_with('4')) {
    v->lanes = static_cast<std::uint8_t>(mnemonic.back() - '0');
    mnemonic.remove_suffix(1);
  }
  constexpr std::array<std::pair<std::string_view, What>, 9> kNames{{{"vadd", What::kAdd},
                                                                     {"vsub", What::kSub},
                                                                     {"vabsdiff", What::kAbsdiff},
                                                                     {"vmin", What::kMin},
                                                                     {"vmax", What::kMax},
                                                                     {"vshl", What::kShl},
                                                                     {"vshr", What::kShr},
                                                                     {"vmad", What::kMad},
                                                                     {"vset", What::kSet}}};
  for (const auto& [name, what] : kNames) {
    if (name != mnemonic) continue;
    v->what = what;
    return true;
  }
  return false;
}

// ".b2" or ".h1" of a scalar operand.
bool part_of(const PtxOperand& operand, VideoOperation::Part* part) {
  if (operand.part.empty()) return true;
  if (operand.part.size() != 3) return false;
  const char kind = operand.part[1];
  const int index = operand.part[2] - '0';
  if ((kind != 'b' && kind != 'h') || index < 0 || index >= (kind == 'b' ? 4 : 2)) return false;
  *part = {static_cast<std::uint8_t>(kind == 'b' ? 8 : 16), static_cast<std::uint8_t>(index)};
  return true;
}

PtxOperand without_part(PtxOperand operand) {
  operand.part = {};
  return operand;
}

bool read_modifiers(InstructionDecoder& d, VideoOperation& v) {
  const Modifiers& m = d.modifiers;
  v.saturate = m.has(Modifier::kSat);
  v.wrap = m.has(Modifier::kWrap);
  v.plus_one = m.has(Modifier::kPo);
  v.scale = m.has(Modifier::kShr7) ? 7 : m.has(Modifier::kShr15) ? 15 : 0;
  v.then = m.has(Modifier::kAdd)   ? Then::kAdd
           : m.has(Modifier::kMin) ? Then::kMin
           : m.has(Modifier::kMax) ? Then::kMax
                                   : Then::kNothing;
  if (v.what == What::kSet) {  // no type of the result
    constexpr std::array kOrder{Modifier::kEq, Modifier::kNe, Modifier::kLt,
                                Modifier::kLe, Modifier::kGt, Modifier::kGe};
    const auto* found = std::find(kOrder.begin(), kOrder.end(), comparison_of(m));
    if (found == kOrder.end() || m.type_count != 2) return d.refuse("this comparison");
    v.comparison = static_cast<std::uint8_t>(found - kOrder.begin());
    v.signed_a = is_signed(m.type(0));
    v.signed_b = is_signed(m.type(1));
    return true;
  }
  if (m.type_count != 3) return d.refuse("this number of types");
  v.signed_result = is_signed(m.type(0));
  v.signed_a = is_signed(m.type(1));
  v.signed_b = is_signed(m.type(2));
  return true;
}

}  // namespace

// d{.part}, a{.part}, b{.part}{, c}
bool decode_video(InstructionDecoder& d) {
  VideoOperation v;
  if (!name_parts(d.instruction().mnemonic, &v)) return d.refuse("this instruction");
  if (d.count() != 3 && d.count() != 4) return d.refuse("this number of operands");
  if (!read_modifiers(d, v)) return false;
  std::array<PtxOperand, 4> operands;
  for (unsigned i = 0; i < d.count(); ++i) {
    operands[i] = d.operand(i);
    if (operands[i].negated) return d.refuse("a negated operand");
  }
  if (v.lanes == 1) {
    if (!part_of(operands[0], &v.d) || !part_of(operands[1], &v.a) || !part_of(operands[2], &v.b))
      return d.refuse("this part of a register");
  } else if (!operands[0].part.empty() || !operands[1].part.empty() || !operands[2].part.empty()) {
    return d.refuse("a choice of parts");
  }
  const bool merges = !operands[0].part.empty() && d.count() == 4 && v.lanes == 1;
  if (merges) v.then = Then::kMerge;
  const bool needs_third = v.then != Then::kNothing || v.what == What::kMad;
  if (needs_third && d.count() != 4) return d.refuse("this number of operands");
  const DataType u = DataType::kU32;
  const std::uint32_t third =
      d.count() == 4 ? d.source(operands[3], u) : d.state().rows->constant(0, false);
  OperationKey key;
  key.operation = Operation::kVideo;
  MicroOp* op = d.emit(key, {{d.destination(without_part(operands[0]), u)},
                             {d.source(without_part(operands[1]), u),
                              d.source(without_part(operands[2]), u), third}});
  if (op == nullptr) return false;
  op->immediate = v.pack();
  return true;
}

}  // namespace tilescope
