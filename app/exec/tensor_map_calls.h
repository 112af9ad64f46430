#pragma once
#include "exec/host_problems.h"
#include "exec/message.h"
#include "runtime/protocol.h"

namespace tilescope {

// The map that cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col asks for, in the form that the
// emulator reads. A map that the driver would refuse is cudaErrorInvalidValue, and `problems` says
// why.
[[nodiscard]] Answer tensor_map_answer(const runtime::TensorMapRequest& request,
                                       HostProblems& problems);

}  // namespace tilescope
