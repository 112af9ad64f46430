#include "emulator/decode/register_rows.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kUpperHalf = 0x80000000;   // no function has so many registers
constexpr std::uint32_t kCarryIndex = 0xfffffffe;  // no PTX register has this index

}  // namespace

RegisterRows::RegisterRows() {
  VirtualRow always;
  always.kind = VirtualRow::Kind::kConstant;
  always.row_class = RowClass::kPredicate;
  always.bits = kFullMask;
  rows_.push_back(always);
}

std::uint32_t RegisterRows::add(VirtualRow row) {
  rows_.push_back(row);
  return static_cast<std::uint32_t>(rows_.size() - 1);
}

std::uint32_t RegisterRows::of_register(std::uint32_t function, std::uint32_t index,
                                        DataType type) {
  const std::uint64_t key = (std::uint64_t{function} << 32) | index;
  const auto [entry, added] = registers_.emplace(key, 0);
  if (added) {
    VirtualRow row;
    row.row_class = type == DataType::kPred ? RowClass::kPredicate
                    : bytes_of(type) == 8   ? RowClass::kWide
                                            : RowClass::kNarrow;
    row.function = function;
    row.name = index;
    entry->second = add(row);
  }
  return entry->second;
}

std::uint32_t RegisterRows::upper_half(std::uint32_t function, std::uint32_t index) {
  return of_register(function, index | kUpperHalf, DataType::kB64);
}

std::uint32_t RegisterRows::carry(std::uint32_t function) {
  return of_register(function, kCarryIndex, DataType::kPred);
}

std::uint32_t RegisterRows::constant(std::uint64_t bits, bool wide) {
  if (!wide) bits &= 0xffffffffu;
  const auto [entry, added] = constants_.emplace(std::pair{bits, wide}, 0);
  if (added) {
    VirtualRow row;
    row.kind = VirtualRow::Kind::kConstant;
    row.row_class = wide ? RowClass::kWide : RowClass::kNarrow;
    row.bits = bits;
    entry->second = add(row);
  }
  return entry->second;
}

std::uint32_t RegisterRows::special(SpecialValue value, bool wide) {
  const auto [entry, added] = specials_.emplace(std::pair{value, wide}, 0);
  if (added) {
    VirtualRow row;
    row.kind = VirtualRow::Kind::kSpecial;
    row.row_class = wide ? RowClass::kWide : RowClass::kNarrow;
    row.special = value;
    entry->second = add(row);
  }
  return entry->second;
}

std::uint32_t RegisterRows::scratch(RowClass row_class) {
  std::uint32_t& place = scratch_[static_cast<std::size_t>(row_class)];
  if (place == kNoIndex) {
    VirtualRow row;
    row.kind = VirtualRow::Kind::kScratch;
    row.row_class = row_class;
    place = add(row);
  }
  return place;
}

}  // namespace tilescope
