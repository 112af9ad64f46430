// Kernels written with the toolkit's own C++ libraries: cooperative groups, CUB, cuda::barrier and
// cuda::pipeline.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cub/block/block_adjacent_difference.cuh>
#include <cub/cub.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
using namespace nvcuda;

extern "C" __global__ void aggregated(const unsigned* in, unsigned* bins, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = in[i] % 16;
  auto active = cg::coalesced_threads();
  auto same = cg::labeled_partition(active, key);
  if (same.thread_rank() == 0) atomicAdd(&bins[key], same.size());
  const unsigned total = cg::reduce(active, key, cg::plus<unsigned>());
  out[i] = cg::inclusive_scan(active, key) + total;
}

extern "C" __global__ void staged(const float* in, float* out, int batches) {
  constexpr int kStages = 3;
  __shared__ float buffer[kStages][128];
  auto block = cg::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  auto pipe = cuda::make_pipeline(block, &state);
  const int base = blockIdx.x * batches * 128;
  int fetched = 0;
  for (int b = 0; b < batches; ++b) {
    for (; fetched < batches && fetched < b + kStages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buffer[fetched % kStages], in + base + fetched * 128,
                         sizeof(float) * 128, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[base + b * 128 + threadIdx.x] = buffer[b % kStages][127 - threadIdx.x];
    pipe.consumer_release();
  }
}

extern "C" __global__ void own_pipe(const float4* in, float4* out, int batches) {
  __shared__ float4 buffer[2][128];
  auto pipe = cuda::make_pipeline();
  const float4* from = in + blockIdx.x * batches * 128 + threadIdx.x;
  pipe.producer_acquire();
  cuda::memcpy_async(&buffer[0][threadIdx.x], from, cuda::aligned_size_t<16>(16), pipe);
  pipe.producer_commit();
  for (int b = 0; b < batches; ++b) {
    if (b + 1 < batches) {
      pipe.producer_acquire();
      cuda::memcpy_async(&buffer[(b + 1) % 2][threadIdx.x], from + (b + 1) * 128,
                         cuda::aligned_size_t<16>(16), pipe);
      pipe.producer_commit();
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    } else {
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    }
    __syncthreads();
    float4 v = buffer[b % 2][threadIdx.x ^ 1];
    v.x += v.w;
    out[(blockIdx.x * batches + b) * 128 + threadIdx.x] = v;
    pipe.consumer_release();
    __syncthreads();
  }
}

extern "C" __global__ void fetched(const float* in, float* out) {
  __shared__ alignas(16) float buffer[128];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, buffer, in + blockIdx.x * 128, sizeof buffer);
  cg::wait(block);
  out[blockIdx.x * 128 + threadIdx.x] = buffer[127 - threadIdx.x];
}

extern "C" __global__ void fetched_by_tiles(const float* in, float* out, int words) {
  extern __shared__ float dynamic[];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  float* own = dynamic + tile.meta_group_rank() * words;
  const float* from = in + (blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()) * words;
  cg::memcpy_async(tile, own, from, sizeof(float) * words);
  cg::wait(tile);
  float sum = 0;
  for (int i = tile.thread_rank(); i < words; i += 16) sum += own[i];
  sum = cg::reduce(tile, sum, cg::plus<float>());
  if (tile.thread_rank() == 0)
    out[blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()] = sum;
}

extern "C" __global__ void sorted(const unsigned* in, unsigned* out, unsigned* sums) {
  using Sort = cub::BlockRadixSort<unsigned, 128, 4>;
  using Scan = cub::BlockScan<unsigned, 128>;
  using Reduce = cub::BlockReduce<unsigned, 128>;
  using Load = cub::BlockLoad<unsigned, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<unsigned, 128, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    Sort::TempStorage sort;
    Scan::TempStorage scan;
    Reduce::TempStorage reduce;
    Load::TempStorage load;
    Store::TempStorage store;
  } temp;
  unsigned v[4];
  Load(temp.load).Load(in + blockIdx.x * 512, v);
  __syncthreads();
  Sort(temp.sort).Sort(v);
  __syncthreads();
  unsigned total;
  Scan(temp.scan).ExclusiveSum(v, v, total);
  __syncthreads();
  const unsigned most = Reduce(temp.reduce).Reduce(v[0], cuda::maximum<>{});
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = most + total;
  Store(temp.store).Store(out + blockIdx.x * 512, v);
}

extern "C" __global__ void ranked(const int* in, int* out, int* heads, int n) {
  using Merge = cub::WarpMergeSort<int, 4, 32>;
  using Discontinuity = cub::BlockDiscontinuity<int, 64>;
  using Adjacent = cub::BlockAdjacentDifference<int, 64>;
  __shared__ typename Merge::TempStorage merge[2];
  __shared__ typename Discontinuity::TempStorage discontinuity;
  __shared__ typename Adjacent::TempStorage adjacent;
  int v[4];
  cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * 256, v,
                         n - static_cast<int>(blockIdx.x) * 256, 0);
  Merge(merge[threadIdx.x / 32]).Sort(v, cuda::std::less<int>{});
  int flags[4];
  Discontinuity(discontinuity).FlagHeads(flags, v, cuda::std::not_equal_to<int>{});
  int differences[4];
  Adjacent(adjacent).SubtractLeft(v, differences, cuda::std::minus<int>{});
  cub::StoreDirectBlocked(threadIdx.x, out + blockIdx.x * 256, differences);
  cub::StoreDirectStriped<64>(threadIdx.x, heads + blockIdx.x * 256, flags);
}

extern "C" __global__ void mixed(const __half* in, float* sums, double* wide, unsigned* words) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  const __half2 h = reinterpret_cast<const __half2*>(in)[i / 2];
  const float2 f = __half22float2(__hmul2(h, h));
  __nv_bfloat162 b = __floats2bfloat162_rn(f.x, f.y);
  b = __hfma2(b, b, b);
  float s = __low2float(b) + __half2float(hexp(__low2half(h)));
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&sums[blockIdx.x], s);
  atomicAdd(&wide[blockIdx.x], double(s));
  atomicMax(&words[0], __float_as_uint(fabsf(s)));
}

// Two stages filled by one warp and multiplied by another.
extern "C" __global__ void filled(const half* a, const half* b, float* c, int tiles) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(16) half left[2][256];
  __shared__ alignas(16) half right[2][256];
  __shared__ Barrier full[2];
  __shared__ Barrier empty[2];
  if (threadIdx.x < 2) {
    init(&full[threadIdx.x], 64);
    init(&empty[threadIdx.x], 64);
  }
  __syncthreads();
  if (threadIdx.x >= 32) {
    for (int tile = 0; tile < tiles; ++tile) {
      const int stage = tile % 2;
      empty[stage].arrive_and_wait();
      for (int i = static_cast<int>(threadIdx.x) - 32; i < 256; i += 32) {
        left[stage][i] = a[tile * 256 + i];
        right[stage][i] = b[tile * 256 + i];
      }
      static_cast<void>(full[stage].arrive());
    }
    return;
  }
  for (int stage = 0; stage < 2; ++stage) static_cast<void>(empty[stage].arrive());
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % 2;
    full[stage].arrive_and_wait();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> rows;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> columns;
    wmma::load_matrix_sync(rows, left[stage], 16);
    wmma::load_matrix_sync(columns, right[stage], 16);
    wmma::mma_sync(sum, rows, columns, sum);
    static_cast<void>(empty[stage].arrive());
  }
  wmma::store_matrix_sync(c + blockIdx.x * 256, sum, 16, wmma::mem_row_major);
}

// Threads past the end leave; the others synchronise by the mask that names all.
extern "C" __global__ void ragged(const float* in, float* out, int n) {
  __shared__ float words[4][32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  words[warp][lane] = in[i];
  __syncwarp();
  out[i] = words[warp][i + 1 < n ? (lane + 1) % 32 : 0];
}
