// What kernels of PyTorch extensions use of torch/, ATen/, c10/ and THC/: types, macros and small
// device functions, of the same meaning and layout. Tensors are the host's.
#ifndef TILESCOPE_TORCH_TYPES
#define TILESCOPE_TORCH_TYPES
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#define C10_HOST __host__
#define C10_DEVICE __device__
#define C10_HOST_DEVICE __host__ __device__
#define C10_RESTRICT __restrict__
#define C10_ALWAYS_INLINE __forceinline__
#define C10_CLANG_DIAGNOSTIC_IGNORE(...)
#define C10_WARP_SIZE 32
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define CUDA_KERNEL_ASSERT(condition) assert(condition)
#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                   \
  for (index_type i = blockIdx.x * index_type(blockDim.x) + threadIdx.x; i < (n); \
       i += index_type(blockDim.x) * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define TORCH_CHECK(...)
#define TORCH_INTERNAL_ASSERT(...)

namespace c10 {

// A number of two bytes that is computed with as a float.
#define TILESCOPE_NARROW_FLOAT(Name, Cuda, from_float, to_float)                                 \
  struct alignas(2) Name {                                                                       \
    unsigned short x;                                                                            \
    Name() = default;                                                                            \
    __device__ Name(float value) : Name(from_float(value)) {}                                    \
    __device__ Name(const Cuda& value) : x(reinterpret_cast<const Name&>(value).x) {}            \
    __device__ operator float() const { return to_float(reinterpret_cast<const Cuda&>(*this)); } \
    __device__ operator Cuda() const { return reinterpret_cast<const Cuda&>(*this); }            \
    __device__ Name& operator+=(const Name& b) { return *this = float(*this) + float(b); }       \
    __device__ Name& operator-=(const Name& b) { return *this = float(*this) - float(b); }       \
    __device__ Name& operator*=(const Name& b) { return *this = float(*this) * float(b); }       \
    __device__ Name& operator/=(const Name& b) { return *this = float(*this) / float(b); }       \
  };                                                                                             \
  TILESCOPE_NARROW_OPERATORS(Name, +)                                                            \
  TILESCOPE_NARROW_OPERATORS(Name, -)                                                            \
  TILESCOPE_NARROW_OPERATORS(Name, *)                                                            \
  TILESCOPE_NARROW_OPERATORS(Name, /)                                                            \
  inline __device__ Name operator-(const Name& a) { return -float(a); }
#define TILESCOPE_NARROW_OPERATORS(Name, sign)                                                  \
  inline __device__ Name operator sign(const Name& a, const Name& b) {                          \
    return float(a) sign float(b);                                                              \
  }                                                                                             \
  inline __device__ float operator sign(const Name& a, float b) { return float(a) sign b; }     \
  inline __device__ float operator sign(float a, const Name& b) { return a sign float(b); }     \
  inline __device__ double operator sign(const Name& a, double b) { return float(a) sign b; }   \
  inline __device__ double operator sign(double a, const Name& b) { return a sign float(b); }   \
  inline __device__ Name operator sign(const Name& a, int b) { return float(a) sign float(b); } \
  inline __device__ Name operator sign(int a, const Name& b) { return float(a) sign float(b); }
TILESCOPE_NARROW_FLOAT(Half, __half, __float2half, __half2float)
TILESCOPE_NARROW_FLOAT(BFloat16, __nv_bfloat16, __float2bfloat16, __bfloat162float)
#undef TILESCOPE_NARROW_OPERATORS
#undef TILESCOPE_NARROW_FLOAT

}  // namespace c10

namespace at {

using c10::BFloat16;
using c10::Half;

// What sums of a type are kept in on the GPU.
template <class T, bool is_cuda>
struct AccumulateType {
  using type = T;
};
#define TILESCOPE_SUMS(T, Sum)        \
  template <bool is_cuda>             \
  struct AccumulateType<T, is_cuda> { \
    using type = Sum;                 \
  };
TILESCOPE_SUMS(Half, float)
TILESCOPE_SUMS(BFloat16, float)
TILESCOPE_SUMS(__half, float)
TILESCOPE_SUMS(__nv_bfloat16, float)
TILESCOPE_SUMS(unsigned char, int64_t)
TILESCOPE_SUMS(signed char, int64_t)
TILESCOPE_SUMS(char, int64_t)
TILESCOPE_SUMS(short, int64_t)
TILESCOPE_SUMS(int, int64_t)
#undef TILESCOPE_SUMS
template <class T, bool is_cuda>
using acc_type = typename AccumulateType<T, is_cuda>::type;

// What a type is computed with.
template <class T>
struct OpMathType {
  using type = T;
};
template <>
struct OpMathType<Half> {
  using type = float;
};
template <>
struct OpMathType<BFloat16> {
  using type = float;
};
template <class T>
using opmath_type = typename OpMathType<T>::type;

template <class T>
struct DefaultPtrTraits {
  typedef T* PtrType;
};
template <class T>
struct RestrictPtrTraits {
  typedef T* __restrict__ PtrType;
};

template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits, class I = int64_t>
class TensorAccessor {
 public:
  __device__ TensorAccessor(T* data, const I* sizes, const I* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __device__ decltype(auto) operator[](I i) const {
    if constexpr (N == 1) {
      return (data_[i * strides_[0]]);
    } else {
      return TensorAccessor<T, N - 1, PtrTraits, I>(data_ + i * strides_[0], sizes_ + 1,
                                                    strides_ + 1);
    }
  }
  __device__ I size(I axis) const { return sizes_[axis]; }
  __device__ I stride(I axis) const { return strides_[axis]; }
  __device__ T* data() const { return data_; }

 private:
  T* data_;
  const I* sizes_;
  const I* strides_;
};

// By value: where a tensor lies, its extents, and how many elements a step along each axis is.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits, class I = int64_t>
class GenericPackedTensorAccessor {
 public:
  __device__ decltype(auto) operator[](I i) const {
    return TensorAccessor<T, N, PtrTraits, I>(data_, sizes_, strides_)[i];
  }
  __device__ I size(I axis) const { return sizes_[axis]; }
  __device__ I stride(I axis) const { return strides_[axis]; }
  __device__ T* data() const { return data_; }

 private:
  T* data_;
  I sizes_[N];
  I strides_[N];
};
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits, class I = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, I>;

template <class T>
__host__ __device__ constexpr T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}
namespace cuda {
namespace detail {
// A tensor of as many axes as its launch says.
template <class T, class I>
struct TensorInfo {
  T* data;
  I sizes[25];
  I strides[25];
  int dims;
};
// The place of an element that is counted along the axes, the last one first.
template <class T, class I, int axes>
struct IndexToOffset {
  static __device__ I get(I index, const TensorInfo<T, I>& info) {
    I place = 0;
    for (int axis = (axes > 0 ? axes : info.dims) - 1; axis > 0; --axis) {
      place += index % info.sizes[axis] * info.strides[axis];
      index /= info.sizes[axis];
    }
    return place + index * info.strides[0];
  }
};
}  // namespace detail
template <class T>
__host__ __device__ constexpr T ATenCeilDiv(T a, T b) {
  return (a + b - 1) / b;
}
}  // namespace cuda

}  // namespace at

namespace torch {
using namespace at;
}

template <class T>
__host__ __device__ constexpr T THCCeilDiv(T a, T b) {
  return (a + b - 1) / b;
}

template <class T>
__device__ __forceinline__ T gpuAtomicAdd(T* at, T value) {
  return atomicAdd(at, value);
}
template <class T>
__device__ __forceinline__ void gpuAtomicAddNoReturn(T* at, T value) {
  atomicAdd(at, value);
}

template <class T>
__device__ __forceinline__ T WARP_SHFL(T value, int lane, int width = warpSize,
                                       unsigned mask = 0xffffffff) {
  return __shfl_sync(mask, value, lane, width);
}
template <class T>
__device__ __forceinline__ T WARP_SHFL_XOR(T value, int lanes, int width = warpSize,
                                           unsigned mask = 0xffffffff) {
  return __shfl_xor_sync(mask, value, lanes, width);
}
template <class T>
__device__ __forceinline__ T WARP_SHFL_UP(T value, unsigned lanes, int width = warpSize,
                                          unsigned mask = 0xffffffff) {
  return __shfl_up_sync(mask, value, lanes, width);
}
template <class T>
__device__ __forceinline__ T WARP_SHFL_DOWN(T value, unsigned lanes, int width = warpSize,
                                            unsigned mask = 0xffffffff) {
  return __shfl_down_sync(mask, value, lanes, width);
}
__device__ __forceinline__ unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffff) {
  return __ballot_sync(mask, predicate);
}

#endif
