// What CUB had before CUDA 13, for programs that were written for it: the operations that its
// reductions and scans are called with, and iterators that are Thrust's.
#ifndef TILESCOPE_OLDER_CUB
#define TILESCOPE_OLDER_CUB
#ifdef __cplusplus
#include <cuda/functional>
#include <cuda/std/functional>
#if CCCL_MAJOR_VERSION >= 3
#ifndef __CUDACC_RTC__
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
namespace cub {
template <class Value, class Offset = ptrdiff_t>
using ConstantInputIterator = thrust::constant_iterator<Value>;
template <class Value, class Offset = ptrdiff_t>
using CountingInputIterator = thrust::counting_iterator<Value>;
template <class Offset = ptrdiff_t>
using DiscardOutputIterator = thrust::discard_iterator<>;
template <class Value, class Operation, class Iterator, class Offset = ptrdiff_t>
using TransformInputIterator = thrust::transform_iterator<Operation, Iterator, Value>;
}  // namespace cub
#endif
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
