// Copies that run ahead of their use, and warps of different trades.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

__device__ __forceinline__ unsigned shared_at(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// 1-D stencil over a ring of three tiles, kBytes a copy; the halo is the neighbours' own tile.
template <int kBytes>
__global__ void staged_sums(const float* in, float* out, int tiles) {
  constexpr int kWidth = 128;
  __shared__ __align__(16) float ring[3][kWidth];
  const float* from = in + blockIdx.x * tiles * kWidth;
  constexpr int kFloats = kBytes / 4;
  const auto fetch = [&](int tile) {
    if (tile < tiles && threadIdx.x < kWidth / kFloats) {
      __pipeline_memcpy_async(&ring[tile % 3][threadIdx.x * kFloats],
                              from + tile * kWidth + threadIdx.x * kFloats, kBytes);
    }
    __pipeline_commit();
  };
  fetch(0);
  fetch(1);
  for (int tile = 0; tile < tiles; ++tile) {
    __pipeline_wait_prior(1);
    __syncthreads();
    fetch(tile + 2);
    const float* s = ring[tile % 3];
    const int t = threadIdx.x;
    out[(blockIdx.x * tiles + tile) * kWidth + t] =
        s[t] + s[(t + 1) % kWidth] + s[(t + kWidth - 1) % kWidth];
  }
}

// Tensor cores over three stages: cp.async into swizzled rows, ldmatrix, mma.sync.
extern "C" __global__ void __launch_bounds__(128)
    mma_staged(const __half* __restrict__ a, const __half* __restrict__ b, float* __restrict__ c,
               int n, int k) {
  extern __shared__ __align__(128) unsigned char memory[];
  __half* const as = reinterpret_cast<__half*>(memory);                // [3][64][32]
  __half* const bs = reinterpret_cast<__half*>(memory) + 3 * 64 * 32;  // [3][32][64]
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  const auto at_a = [&](int stage, int row, int chunk) {
    return as + (stage * 64 + row) * 32 + ((chunk ^ (row >> 1 & 3)) << 3);
  };
  const auto at_b = [&](int stage, int row, int chunk) {
    return bs + (stage * 32 + row) * 64 + ((chunk ^ (row & 7)) << 3);
  };
  const auto fetch = [&](int tile) {
    if (tile * 32 < k) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int id = t + i * 128, ar = id >> 2, ac = id & 3, br = id >> 3, bc = id & 7;
        asm volatile(
            "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_at(at_a(tile % 3, ar, ac))),
            "l"(a + (blockIdx.y * 64 + ar) * k + tile * 32 + ac * 8));
        asm volatile(
            "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_at(at_b(tile % 3, br, bc))),
            "l"(b + (tile * 32 + br) * n + blockIdx.x * 64 + bc * 8));
      }
    }
    asm volatile("cp.async.commit_group;");
  };
  float sum[2][4][4] = {};
  const int wr = warp / 2 * 32, wc = warp % 2 * 32;
  fetch(0);
  fetch(1);
  for (int tile = 0; tile * 32 < k; ++tile) {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    fetch(tile + 2);
    const int stage = tile % 3;
#pragma unroll
    for (int kk = 0; kk < 2; ++kk) {
      unsigned fa[2][4], fb[4][2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                     : "r"(shared_at(at_a(stage, wr + i * 16 + lane % 16, kk * 2 + lane / 16))));
      }
#pragma unroll
      for (int j = 0; j < 4; j += 2) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(fb[j][0]), "=r"(fb[j][1]), "=r"(fb[j + 1][0]), "=r"(fb[j + 1][1])
                     : "r"(shared_at(at_b(stage, kk * 16 + lane % 16, wc / 8 + j + lane / 16))));
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
              "{%8,%9}, {%0,%1,%2,%3};"
              : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
              : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]),
                "r"(fb[j][1]));
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = blockIdx.y * 64 + wr + i * 16 + lane / 4;
      const int col = blockIdx.x * 64 + wc + j * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(c + row * n + col) = make_float2(sum[i][j][0], sum[i][j][1]);
      *reinterpret_cast<float2*>(c + (row + 8) * n + col) = make_float2(sum[i][j][2], sum[i][j][3]);
    }
  }
}

// Two warps load, two compute; named barriers say full and empty.
extern "C" __global__ void two_trades(const float* in, float* out, int tiles) {
  __shared__ float tile[2][64];
  const int t = threadIdx.x;  // 128
  if (t < 64) {
    for (int i = 0; i < tiles; ++i) {
      if (i >= 2) asm volatile("bar.sync %0, 128;" ::"r"(3 + (i & 1)) : "memory");
      tile[i & 1][t] = in[(blockIdx.x * tiles + i) * 64 + t];
      asm volatile("bar.arrive %0, 128;" ::"r"(1 + (i & 1)) : "memory");
    }
  } else {
    float sum = 0.0f;
    for (int i = 0; i < tiles; ++i) {
      asm volatile("bar.sync %0, 128;" ::"r"(1 + (i & 1)) : "memory");
      for (int j = 0; j < 64; j += 8) sum += tile[i & 1][(t + j) & 63] * (j + 1);
      if (i + 2 < tiles) asm volatile("bar.arrive %0, 128;" ::"r"(3 + (i & 1)) : "memory");
    }
    out[blockIdx.x * 64 + t - 64] = sum;
  }
}

// Tiles of four threads, a labelled partition, reductions of cooperative groups.
extern "C" __global__ void group_sums(const int* in, int* out, int n) {
  __shared__ int totals[8];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto four = cg::tiled_partition<4>(warp);
  int v = 0;
  for (int i = block.group_index().x * block.size() + block.thread_rank(); i < n;
       i += gridDim.x * block.size()) {
    v += in[i] & 1023;
  }
  const int quad = cg::reduce(four, v, cg::plus<int>());
  const int most = cg::reduce(warp, quad, cg::greater<int>());
  if (warp.thread_rank() == 0) totals[warp.meta_group_rank()] = most;
  block.sync();
  if (block.thread_rank() < 8) {
    const auto active = cg::coalesced_threads();
    int sum = totals[block.thread_rank()];
    for (int o = active.size() / 2; o > 0; o /= 2) sum += active.shfl_down(sum, o);
    if (active.thread_rank() == 0) out[blockIdx.x] = sum;
  }
}

// memcpy_async of a whole block, then of single elements.
extern "C" __global__ void group_copy(const float* in, float* out) {
  __shared__ __align__(16) float s[2][256];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, s[0], in + blockIdx.x * 512, sizeof(float) * 256);
  cg::memcpy_async(block, s[1], in + blockIdx.x * 512 + 256, sizeof(float) * 256);
  cg::wait_prior<1>(block);
  float v = s[0][255 - threadIdx.x];
  cg::wait(block);
  out[blockIdx.x * 256 + threadIdx.x] = v - s[1][threadIdx.x ^ 1];
}

// Blocks that stay take the next tile from a counter. One block, so that the order is known.
extern "C" __global__ void persistent(const float* in, float* out, int* next, int tiles) {
  __shared__ int tile;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    if (tile >= tiles) return;
    const int i = tile * blockDim.x + threadIdx.x;
    out[i] = sqrtf(fabsf(in[i])) + tile;
  }
}
