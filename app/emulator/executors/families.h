#pragma once
#include <cstddef>
#include <cstdint>

#include "emulator/executors/instruction_set.h"

namespace tilescope::TILESCOPE_ISA {

// One function per family; each answers nullptr for what is not its own.
Executor find_integer_arithmetic(const OperationKey& key);
Executor find_extended_precision(const OperationKey& key);
Executor find_bit_field(const OperationKey& key);
Executor find_bit_operation(const OperationKey& key);
Executor find_float_arithmetic(const OperationKey& key);
Executor find_half_arithmetic(const OperationKey& key);
Executor find_comparison(const OperationKey& key);
Executor find_movement(const OperationKey& key);
Executor find_matrix(const OperationKey& key);
Executor find_warpgroup(const OperationKey& key);
Executor find_conversion(const OperationKey& key);
Executor find_memory_access(const OperationKey& key);
Executor find_async_copy(const OperationKey& key);

// What of_type.operator()<T>() gives for the C++ type of an integer or untyped DataType (bits are
// unsigned); nullptr for other types, and for those of fewer bytes.
template <std::size_t kLeastBytes, class F>
Executor for_integer_type(DataType type, F of_type) {
  if constexpr (kLeastBytes <= 2) {
    if (type == DataType::kB16 || type == DataType::kU16)
      return of_type.template operator()<std::uint16_t>();
    if (type == DataType::kS16) return of_type.template operator()<std::int16_t>();
  }
  switch (type) {
    case DataType::kB32:
    case DataType::kU32:
      return of_type.template operator()<std::uint32_t>();
    case DataType::kS32:
      return of_type.template operator()<std::int32_t>();
    case DataType::kB64:
    case DataType::kU64:
      return of_type.template operator()<std::uint64_t>();
    case DataType::kS64:
      return of_type.template operator()<std::int64_t>();
    default:
      return nullptr;
  }
}

}  // namespace tilescope::TILESCOPE_ISA
