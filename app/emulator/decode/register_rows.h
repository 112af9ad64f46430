#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "emulator/code.h"
#include "ptx/syntax.h"

namespace tilescope {

// What an operand is before it has a place in the register file. While a function is decoded,
// MicroOp::row and Code::rows hold indices of these; place_rows() turns them into byte offsets.
enum class RowClass : std::uint8_t { kPredicate, kNarrow, kWide };

struct VirtualRow {
  enum class Kind : std::uint8_t { kRegister, kConstant, kSpecial, kScratch };
  Kind kind = Kind::kRegister;
  RowClass row_class = RowClass::kNarrow;
  SpecialValue special = SpecialValue::kZero;
  std::uint32_t function = 0;  // kRegister: whose
  std::uint32_t name = 0;      // kRegister: its PtxRegister
  std::uint64_t bits = 0;      // kConstant
  std::uint32_t offset = 0;    // once placed
};

class RegisterRows {
 public:
  RegisterRows();

  [[nodiscard]] std::uint32_t always() const { return 0; }  // the predicate that holds
  [[nodiscard]] std::uint32_t of_register(std::uint32_t function, std::uint32_t index,
                                          DataType type);
  [[nodiscard]] std::uint32_t constant(std::uint64_t bits, bool wide);
  [[nodiscard]] std::uint32_t special(SpecialValue value, bool wide);
  [[nodiscard]] std::uint32_t scratch(RowClass row_class);
  [[nodiscard]] std::uint32_t upper_half(std::uint32_t function, std::uint32_t index);  // of a b128
  [[nodiscard]] std::uint32_t carry(std::uint32_t function);  // the condition code, a predicate
  [[nodiscard]] const VirtualRow& row(std::uint32_t index) const { return rows_[index]; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] VirtualRow& mutable_row(std::uint32_t index) { return rows_[index]; }

 private:
  std::uint32_t add(VirtualRow row);
  std::vector<VirtualRow> rows_;
  std::map<std::pair<std::uint64_t, bool>, std::uint32_t> constants_;
  std::map<std::pair<SpecialValue, bool>, std::uint32_t> specials_;
  std::unordered_map<std::uint64_t, std::uint32_t> registers_;  // function << 32 | index
  std::array<std::uint32_t, 3> scratch_{kNoIndex, kNoIndex, kNoIndex};
};

// Basic blocks first .. last of one function.
struct FunctionBlocks {
  std::uint32_t first = 0;
  std::uint32_t last = 0;  // one past
};

// Gives every row its offset in the register file and rewrites the code to them. Registers whose
// values are never needed at the same time share a row.
struct PlacementRequest {
  const std::vector<FunctionBlocks>& functions;
  const std::vector<RowUse>& uses;       // of Code::ops
  const std::vector<RowUse>& last_uses;  // of CodeBlock::last
};
void place_rows(Code& code, RegisterRows& rows, const PlacementRequest& request);

}  // namespace tilescope
