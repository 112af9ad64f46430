#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/pipeline>
// libcu++ barriers and pipelines
__global__ void barrier_phases(const float* in, float* out, int phases) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ float v[2][128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  v[0][threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int p = 0; p < phases; ++p) {
    v[(p + 1) & 1][threadIdx.x] =
        0.5f * (v[p & 1][threadIdx.x] + v[p & 1][(threadIdx.x + 1) % blockDim.x]);
    bar.arrive_and_wait();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = v[phases & 1][threadIdx.x];
}

__global__ void pipelined(const float4* in, float4* out, int tiles) {
  __shared__ float4 stage[2][64];
  auto pipe = cuda::make_pipeline();
  const float4* src = in + blockIdx.x * tiles * 64;
  float4 acc = {0, 0, 0, 0};
  pipe.producer_acquire();
  cuda::memcpy_async(&stage[0][threadIdx.x], src + threadIdx.x, cuda::aligned_size_t<16>(16), pipe);
  pipe.producer_commit();
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[(t + 1) & 1][threadIdx.x], src + (t + 1) * 64 + threadIdx.x,
                         cuda::aligned_size_t<16>(16), pipe);
      pipe.producer_commit();
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    } else
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
    float4 x = stage[t & 1][63 - threadIdx.x];
    acc.x += x.x;
    acc.y += x.y;
    acc.z += x.z;
    acc.w += x.w;
    __syncthreads();
    pipe.consumer_release();
  }
  out[blockIdx.x * 64 + threadIdx.x] = acc;
}
