#include "scene/tiling/copy_step.h"

#include <algorithm>
#include <limits>

namespace tilescope {
namespace {

constexpr std::uint32_t kNoRegister = std::numeric_limits<std::uint32_t>::max();

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n;") - first + 1);
}

// Opcode and operands, the guard predicate set aside; vectors stay in one piece.
struct Parts {
  std::string_view opcode;
  std::vector<std::string_view> operands;
};

Parts split(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && text.front() == '@') text = trimmed(text.substr(text.find_first_of(" \t")));
  Parts parts;
  const std::size_t end = text.find_first_of(" \t");
  parts.opcode = text.substr(0, end);
  if (end == std::string_view::npos) return parts;
  std::string_view rest = text.substr(end);
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      parts.operands.push_back(trimmed(rest.substr(start, i - start)));
      start = i + 1;
    }
  }
  const std::string_view last = trimmed(rest.substr(start));
  if (!last.empty()) parts.operands.push_back(last);
  return parts;
}

bool writes_first_operand(std::string_view opcode) {
  for (const std::string_view prefix : {"st.", "bra", "ret", "exit", "bar", "cp.", "red.", "membar",
                                        "fence", "pmevent", "trap", "prefetch"}) {
    if (opcode.starts_with(prefix)) return false;
  }
  return true;
}

}  // namespace

std::uint32_t CopyStepReader::register_number(std::string_view name) {
  if (name.empty() || name.front() != '%') return kNoRegister;
  const auto found = number_of_.find(name);
  if (found != number_of_.end()) return found->second;
  const auto next = static_cast<std::uint32_t>(number_of_.size());
  number_of_.emplace(std::string(name), next);
  return next;
}

void CopyStepReader::append_registers(std::string_view operand, std::vector<std::uint32_t>& out) {
  if (operand.empty() || operand.front() != '{') {
    out.push_back(register_number(operand));
    return;
  }
  operand = operand.substr(1, operand.size() - 2);
  std::size_t start = 0;
  while (start <= operand.size()) {
    const std::size_t comma = std::min(operand.find(',', start), operand.size());
    out.push_back(register_number(trimmed(operand.substr(start, comma - start))));
    start = comma + 1;
  }
}

CopyStep CopyStepReader::read(const StaticInstruction& instruction) {
  CopyStep step;
  const Parts parts = split(instruction.text);
  const std::vector<std::string_view>& operands = parts.operands;
  const bool global = instruction.space == MemorySpace::kGlobal;
  const bool shared = instruction.space == MemorySpace::kShared;
  using Kind = CopyStep::Kind;
  if (instruction.access == AccessKind::kAsyncCopy) {
    step.kind = Kind::kAsyncCopy;
    return step;
  }
  if (parts.opcode.starts_with("cp.async.bulk.shared::") &&
      parts.opcode.find(".global") != std::string_view::npos) {
    step.kind = Kind::kBulkCopy;
    return step;
  }
  if (instruction.access == AccessKind::kStore && operands.size() == 2 && (global || shared)) {
    step.kind = global ? Kind::kStoreGlobal : Kind::kStoreShared;
    append_registers(operands[1], step.operands);
    return step;
  }
  if (operands.empty() || !writes_first_operand(parts.opcode)) return step;
  append_registers(operands[0], step.results);
  if (instruction.access == AccessKind::kLdmatrix) {
    const bool is_known = parts.opcode.find(".m8n8") != std::string_view::npos;
    step.kind = is_known ? Kind::kLoadMatrix : Kind::kOther;
    step.transposed = parts.opcode.find(".trans") != std::string_view::npos;
  } else if (parts.opcode.starts_with("mma.sync") && operands.size() >= 4) {
    step.kind = Kind::kMatrixProduct;
    append_registers(operands[1], step.operands);
    step.left = step.operands.size();
    append_registers(operands[2], step.operands);
  } else if (parts.opcode.starts_with("wgmma.mma_async")) {
    step.kind = Kind::kGroupProduct;
  } else if (instruction.access == AccessKind::kLoad && (global || shared)) {
    step.kind = global ? Kind::kLoadGlobal : Kind::kLoadShared;
  } else if (parts.opcode.starts_with("mov.") && operands.size() == 2) {
    append_registers(operands[1], step.operands);
    const bool one_to_one = step.results.size() == step.operands.size();
    if (one_to_one) step.kind = Kind::kMove;
  } else if ((parts.opcode.starts_with("fma.") || parts.opcode.starts_with("mad.")) &&
             operands.size() == 4) {
    step.kind = Kind::kMultiplyAdd;
    append_registers(operands[1], step.operands);
    append_registers(operands[2], step.operands);
  }
  return step;
}

}  // namespace tilescope
