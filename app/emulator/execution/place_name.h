#pragma once
#include <string>

#include "emulator/code.h"
#include "emulator/execution/execution_context.h"

namespace tilescope {

// An address as its array's element: "tile[3][17]", "C[1024] of 1,024 elements", "byte 12 of shared
// memory" where no array is known. `address` as in WarpAccess; `bytes` of the access, for arrays
// whose element type is not known.
[[nodiscard]] std::string name_place(const ExecutionContext& context, MemorySpace space,
                                     std::uint64_t address, unsigned bytes);

// The same for one shared array, whatever its bounds: "tile[33][0]".
[[nodiscard]] std::string name_element(const PlacedVariable& array, std::uint64_t offset,
                                       unsigned bytes);

}  // namespace tilescope
