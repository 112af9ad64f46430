#pragma once
#include <cstddef>

#include "ptx/data_type.h"
#include "ptx/modifiers.h"

namespace tilescope {

// One element in memory changed by one beside it, atomic between the worker threads. Precondition:
// both are aligned to the element.
using BulkReduction = void (*)(std::byte* to, const std::byte* from);

// Of cp.reduce.async.bulk (PTX ISA, "cp.reduce.async.bulk"): .add .min .max .inc .dec .and .or .xor
// of this type; nullptr: the instruction has no such reduction.
[[nodiscard]] BulkReduction find_bulk_reduction(DataType type, Modifier reduction);

}  // namespace tilescope
