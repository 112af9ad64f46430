// What Thrust had before CUDA 13, for programs that were written for it: the types that functors
// were derived from, and functors of its own.
#ifndef TILESCOPE_OLDER_THRUST
#define TILESCOPE_OLDER_THRUST
#ifdef __cplusplus
#include <thrust/functional.h>
#if CCCL_MAJOR_VERSION >= 3
namespace thrust {
template <class Argument, class Result>
struct unary_function {
  using argument_type = Argument;
  using result_type = Result;
};
template <class First, class Second, class Result>
struct binary_function {
  using first_argument_type = First;
  using second_argument_type = Second;
  using result_type = Result;
};
template <class T = void>
struct identity {
  __host__ __device__ const T& operator()(const T& x) const { return x; }
};
template <class Predicate>
__host__ __device__ auto not1(const Predicate& predicate) {
  return thrust::not_fn(predicate);
}
template <class Predicate>
__host__ __device__ auto not2(const Predicate& predicate) {
  return thrust::not_fn(predicate);
}
}  // namespace thrust
#endif
#endif
#endif
