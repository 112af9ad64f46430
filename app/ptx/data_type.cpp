#include "ptx/data_type.h"

#include <array>

namespace tilescope {
namespace {

struct TypeRow {
  DataType type;
  std::string_view name;
  std::uint8_t bytes;
  char kind;  // p predicate, b bits, u unsigned, s signed, f floating point
};

constexpr std::array<TypeRow, 39> kTypes{{
    {DataType::kNone, "", 0, 'b'},           {DataType::kPred, "pred", 0, 'p'},
    {DataType::kB8, "b8", 1, 'b'},           {DataType::kU8, "u8", 1, 'u'},
    {DataType::kS8, "s8", 1, 's'},           {DataType::kB16, "b16", 2, 'b'},
    {DataType::kU16, "u16", 2, 'u'},         {DataType::kS16, "s16", 2, 's'},
    {DataType::kF16, "f16", 2, 'f'},         {DataType::kBf16, "bf16", 2, 'f'},
    {DataType::kB32, "b32", 4, 'b'},         {DataType::kU32, "u32", 4, 'u'},
    {DataType::kS32, "s32", 4, 's'},         {DataType::kF32, "f32", 4, 'f'},
    {DataType::kF16x2, "f16x2", 4, 'f'},     {DataType::kBf16x2, "bf16x2", 4, 'f'},
    {DataType::kTf32, "tf32", 4, 'f'},       {DataType::kU16x2, "u16x2", 4, 'u'},
    {DataType::kS16x2, "s16x2", 4, 's'},     {DataType::kE4m3x2, "e4m3x2", 2, 'f'},
    {DataType::kE5m2x2, "e5m2x2", 2, 'f'},   {DataType::kB64, "b64", 8, 'b'},
    {DataType::kU64, "u64", 8, 'u'},         {DataType::kS64, "s64", 8, 's'},
    {DataType::kF64, "f64", 8, 'f'},         {DataType::kF32x2, "f32x2", 8, 'f'},
    {DataType::kB128, "b128", 16, 'b'},      {DataType::kB1, "b1", 0, 'b'},
    {DataType::kU4, "u4", 0, 'u'},           {DataType::kS4, "s4", 0, 's'},
    {DataType::kE4m3, "e4m3", 1, 'f'},       {DataType::kE5m2, "e5m2", 1, 'f'},
    {DataType::kE2m3, "e2m3", 1, 'f'},       {DataType::kE3m2, "e3m2", 1, 'f'},
    {DataType::kE2m1, "e2m1", 1, 'f'},       {DataType::kE2m3x2, "e2m3x2", 2, 'f'},
    {DataType::kE3m2x2, "e3m2x2", 2, 'f'},   {DataType::kE2m1x2, "e2m1x2", 1, 'f'},
    {DataType::kUe8m0x2, "ue8m0x2", 2, 'f'},
}};

const TypeRow& row(DataType type) { return kTypes[static_cast<std::size_t>(type)]; }

}  // namespace

std::optional<DataType> parse_data_type(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const TypeRow& candidate : kTypes) {
    if (candidate.name == name) return candidate.type;
  }
  return std::nullopt;
}

std::string_view name_of(DataType type) { return row(type).name; }
unsigned bytes_of(DataType type) { return row(type).bytes; }
bool is_signed(DataType type) { return row(type).kind == 's'; }
bool is_float(DataType type) { return row(type).kind == 'f'; }

DataType bits_of(DataType type) {
  switch (bytes_of(type)) {
    case 1:
      return DataType::kB8;
    case 2:
      return DataType::kB16;
    case 4:
      return DataType::kB32;
    case 8:
      return DataType::kB64;
    case 16:
      return DataType::kB128;
    default:
      return type;
  }
}

}  // namespace tilescope
