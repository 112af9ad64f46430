#include "core/allocation.h"

#include <cstdlib>  // which tells whose library it is

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace tilescope {

void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
}

}  // namespace tilescope
