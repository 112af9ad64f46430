// What CUB had before CUDA 13, for programs that were written for it: the operations that its
// reductions and scans are called with.
#ifndef TILESCOPE_OLDER_CUB
#define TILESCOPE_OLDER_CUB
#ifdef __cplusplus
#include <cuda/functional>
#include <cuda/std/functional>
#if CCCL_MAJOR_VERSION >= 3
namespace cub {
using Sum = ::cuda::std::plus<>;
using Difference = ::cuda::std::minus<>;
using Equality = ::cuda::std::equal_to<>;
using Inequality = ::cuda::std::not_equal_to<>;
using Max = ::cuda::maximum<>;
using Min = ::cuda::minimum<>;
}  // namespace cub
#endif
#endif
#endif
