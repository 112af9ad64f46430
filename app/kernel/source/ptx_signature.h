#pragma once

#include <string_view>
#include <vector>

#include "kernel/source/kernel_signature.h"

namespace tilescope {

enum class PtxReading {
  kDeclarations,  // every .u64 and .b64 is taken for a pointer, as compilers write them
  kBodies,        // pointers, what lies behind them and bounds, by what the kernel does with them
};

// The .entry functions of a PTX module with their parameters, whose names are without the entry's
// before them: "param_0". Structures are one parameter of bytes; read by their bodies, the members
// that the kernel loads: "param_0+8".
[[nodiscard]] std::vector<KernelSignature> find_ptx_signatures(std::string_view ptx,
                                                               PtxReading reading);

}  // namespace tilescope
