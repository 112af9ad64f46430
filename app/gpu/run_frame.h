#pragma once
#include <cstddef>
#include <vector>

#include "core/result.h"
#include "gpu/link_mailbox.h"

namespace tilescope {

// The request as the worker takes it, with the contents of every file that its buffers name, read
// here. kUsage where nothing is compiled or the frame were too long; the error of a file that
// cannot be read.
[[nodiscard]] Result<std::vector<std::byte>> encode_run(LinkMailbox::Request request);

}  // namespace tilescope
