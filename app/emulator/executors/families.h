#pragma once
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
Executor find_conversion(const OperationKey& key);
Executor find_memory_access(const OperationKey& key);
Executor find_async_copy(const OperationKey& key);

}  // namespace tilescope::TILESCOPE_ISA
