#pragma once

namespace tilescope {

// Tells the allocator to keep freed memory, up to 512 MiB, for what comes next. Each study of a
// kernel takes and frees tens of MiB; pages that went back to the system would have to be cleared
// anew, which took a quarter of the time of tracing a block. Call it once, before the first thread.
void keep_freed_memory();

}  // namespace tilescope
