// Exchanges without a mask, which ended with sm_60 and which HIP has.
#ifndef TILESCOPE_OLD_WARP_FUNCTIONS
#define TILESCOPE_OLD_WARP_FUNCTIONS
#if !defined(__CUDACC_RTC__) && __has_include(<cuda/std/functional>)
#include <cuda/std/functional>  // it has a class that is called __any, too: before the macro
#endif
template <class T>
__device__ T tilescope_shfl(T value, int lane, int width = 32) {
  return __shfl_sync(__activemask(), value, lane, width);
}
template <class T>
__device__ T tilescope_shfl_up(T value, unsigned lanes, int width = 32) {
  return __shfl_up_sync(__activemask(), value, lanes, width);
}
template <class T>
__device__ T tilescope_shfl_down(T value, unsigned lanes, int width = 32) {
  return __shfl_down_sync(__activemask(), value, lanes, width);
}
template <class T>
__device__ T tilescope_shfl_xor(T value, int mask, int width = 32) {
  return __shfl_xor_sync(__activemask(), value, mask, width);
}
#define __shfl tilescope_shfl
#define __shfl_up tilescope_shfl_up
#define __shfl_down tilescope_shfl_down
#define __shfl_xor tilescope_shfl_xor
#define __ballot(holds) __ballot_sync(__activemask(), holds)
#define __all(holds) __all_sync(__activemask(), holds)
#define __any(holds) __any_sync(__activemask(), holds)
#endif
