#include "emulator/executors/families.h"

namespace tilescope::TILESCOPE_ISA {

Executor find_executor(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kConvert:
      return find_conversion(key);
    case Operation::kLoad:
    case Operation::kStore:
      return find_memory_access(key);
    case Operation::kMma:
    case Operation::kLoadMatrix:
    case Operation::kStoreMatrix:
    case Operation::kMoveMatrix:
      return find_matrix(key);
    case Operation::kWarpgroupProduct:
      return find_warpgroup(key);
    case Operation::kAsyncCopy:
      return find_async_copy(key);
    default:
      break;
  }
  if (Executor found = find_comparison(key)) return found;
  if (Executor found = find_movement(key)) return found;
  switch (key.type) {
    case DataType::kF32:
    case DataType::kF64:
      return find_float_arithmetic(key);
    case DataType::kF16:
    case DataType::kBf16:
    case DataType::kF16x2:
    case DataType::kBf16x2:
      return find_half_arithmetic(key);
    default:
      break;
  }
  if (Executor found = find_integer_arithmetic(key)) return found;
  if (Executor found = find_bit_operation(key)) return found;
  if (Executor found = find_extended_precision(key)) return found;
  return find_bit_field(key);
}

}  // namespace tilescope::TILESCOPE_ISA
