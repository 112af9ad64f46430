// CUDA 13 has these only below nvtx3/.
#ifndef TILESCOPE_NVTOOLSEXT
#define TILESCOPE_NVTOOLSEXT
#include <nvtx3/nvToolsExt.h>
#endif
