// What comes with the toolkit beside CUB: cooperative groups, libcu++, cuRAND, mathematics, halves.
#include <cassert>
#include <cstdio>

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <curand_kernel.h>
#include <mma.h>

namespace cg = cooperative_groups;
namespace wmma = nvcuda::wmma;

__global__ void groups(const int* in, int* out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  const int sum = cg::reduce(tile, in[block.thread_rank()], cg::plus<int>());
  out[block.thread_rank()] = sum + cg::inclusive_scan(tile, sum);
  auto together = cg::coalesced_threads();
  if (together.thread_rank() == 0) out[0] += together.size();
  cg::this_grid().sync();
}

__global__ void pipeline(const float4* in, float4* out, int n) {
  __shared__ float4 stages[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int i = 0; i < n; ++i) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, stages[i & 1], in + i * 128, sizeof stages[0], pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[i * 128 + threadIdx.x] = stages[i & 1][threadIdx.x];
    pipe.consumer_release();
  }
}

__global__ void barrier(const float* in, float* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  __shared__ __align__(16) float s[256];
  if (threadIdx.x == 0) init(&full, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(cg::this_thread_block(), s, in, cuda::aligned_size_t<16>(1024), full);
  full.arrive_and_wait();
  out[threadIdx.x] = s[255 - threadIdx.x];
}

__global__ void random_numbers(float* out, unsigned long long seed) {
  curandStatePhilox4_32_10_t philox;
  curand_init(seed, threadIdx.x, 0, &philox);
  curandStateXORWOW_t xorwow;
  curand_init(seed, threadIdx.x, 0, &xorwow);
  out[threadIdx.x] = curand_normal(&philox) + curand_uniform(&xorwow);
}

__global__ void functions_of_floats(const float* in, float* out) {
  const float x = in[threadIdx.x];
  out[threadIdx.x] = sinf(x) + expf(x) + powf(x, 1.7f) + erff(x) + tgammaf(x) + lgammaf(x) +
                     atan2f(x, 2) + cbrtf(x) + fmodf(x, 3) + j0f(x) + normcdff(x) + tanhf(x) +
                     log1pf(x) + asinhf(x) + remainderf(x, 2.5f) + scalbnf(x, 3) + rsqrtf(x) +
                     hypotf(x, 2);
}

__global__ void functions_of_doubles(const double* in, double* out) {
  const double x = in[threadIdx.x];
  double sine = 0, cosine = 0;
  sincospi(x, &sine, &cosine);
  out[threadIdx.x] = sine + cosine + sin(x) + exp(x) + pow(x, 1.7) + erf(x) + tgamma(x) +
                     lgamma(x) + atan2(x, 2.) + cbrt(x) + fmod(x, 3.) + j0(x) + normcdf(x) +
                     tanh(x) + log1p(x) + asinh(x) + rint(x) + floor(x) + __dsqrt_rz(x) +
                     __ddiv_ru(x, 3);
}

__global__ void halves(const __half2* a, const __nv_bfloat162* b, float* out) {
  __half2 x = a[threadIdx.x];
  __nv_bfloat162 y = b[threadIdx.x];
  x = __hfma2(x, x, h2exp(x));
  x = h2sqrt(__hmax2(x, h2log(x)));
  y = __hfma2(y, y, h2sin(y));
  out[threadIdx.x] = __low2float(x) + __high2float(y) + float(__nv_fp8_e4m3(out[threadIdx.x])) +
                     __half2float(htanh(__low2half(x)));
  atomicAdd(reinterpret_cast<__half2*>(out), x);
  atomicAdd(reinterpret_cast<__nv_bfloat162*>(out), y);
}

__global__ void atomics(int* a, cuda::atomic<long long, cuda::thread_scope_device>* b, double* d,
                        cuda::atomic_ref<float, cuda::thread_scope_system>* r) {
  atomicMax(a, 3);
  atomicCAS_block(a + 1, 2, 3);
  atomicInc(reinterpret_cast<unsigned*>(a), 7);
  b->fetch_add(3, cuda::memory_order_release);
  b->wait(4);
  b->notify_all();
  long long expected = 4;
  b->compare_exchange_strong(expected, 5);
  atomicAdd(d, 2.0);
  r->fetch_add(1.f);
  __threadfence_system();
}

__global__ void intrinsics(int* a) {
  if (a[threadIdx.x] > 100) printf("%d\n", a[threadIdx.x]);
  assert(a[0] < 1000);
  __nanosleep(20);
  a[1] = clock();
  a[2] = __dp4a(a[3], a[4], a[5]);
  a[6] = __vabsdiffu4(a[7], a[8]) + __byte_perm(a[1], a[2], 0x5140) + __brev(a[4]) + __ffs(a[5]) +
         __funnelshift_r(a[1], a[2], a[3]) + __fns(a[1], 2, 3) + __reduce_add_sync(~0u, a[9]);
  a[10] = __match_any_sync(~0u, a[1]) + __activemask() + __popcll(a[1] * 1234567ll);
}

__global__ void tensor_cores(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
