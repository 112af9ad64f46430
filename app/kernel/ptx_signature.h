#pragma once
#include <string_view>
#include <vector>

#include "kernel/kernel_signature.h"

namespace tilescope {

// The .entry functions of a PTX module with their parameters. PTX has no pointers: every .u64 and
// .b64 is taken for one, as compilers write them.
[[nodiscard]] std::vector<KernelSignature> find_ptx_signatures(std::string_view ptx);

}  // namespace tilescope
