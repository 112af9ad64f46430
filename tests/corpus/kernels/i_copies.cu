// cp.async of 4/8/16 bytes with zero fill, mbarriers by hand, bulk copies, fences
#include <cuda_pipeline.h>
typedef unsigned u32; typedef unsigned long long u64; typedef unsigned char u8;
__device__ __forceinline__ u32 sm(const void* p) { return (u32)__cvta_generic_to_shared(p); }

// rows with a pitch, 16-byte copies where whole, ragged end filled with zeros
template<int BYTES> __global__ void ragged_rows(const u8* __restrict__ in, u32* out, int rows, int width)
{
  extern __shared__ __align__(16) u8 tile[];
  const int pitch = (width + 15) / 16 * 16, per = pitch / BYTES;
  int row0 = blockIdx.x * rows;
  for (int i = threadIdx.x; i < rows * per; i += blockDim.x) {
    int r = i / per, c = i % per * BYTES;
    int left = min(BYTES, max(0, width - c));
    if (BYTES == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(sm(tile + r * pitch + c)), "l"(in + (row0 + r) * pitch + c), "r"(left));
    else if (BYTES == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" :: "r"(sm(tile + r * pitch + c)), "l"(in + (row0 + r) * pitch + c), "r"(left));
    else asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(sm(tile + r * pitch + c)), "l"(in + (row0 + r) * pitch + c), "r"(left));
  }
  asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group 0;"); __syncthreads();
  for (int r = threadIdx.x; r < rows; r += blockDim.x) {
    u32 a = 1, b = 0;
    for (int c = 0; c < pitch; ++c) { a = (a + tile[r * pitch + c]) % 65521; b = (b + a) % 65521; }
    out[row0 + r] = b << 16 | a;
  }
}

// three stages in flight; every fourth thread skips, sizes mixed
extern "C" __global__ void staged(const float* __restrict__ in, float* out, int tiles)
{
  __shared__ __align__(16) float s[3][160];
  int t = threadIdx.x; const float* base = in + blockIdx.x * tiles * 160;
  auto issue = [&](int k) {
    float* d = s[k % 3]; const float* g = base + k * 160;
    if (t < 24) __pipeline_memcpy_async(d + t * 4, g + t * 4, 16);
    else if (t < 40) __pipeline_memcpy_async(d + 96 + (t - 24) * 2, g + 96 + (t - 24) * 2, 8);
    else if (t < 72 && (t & 3)) __pipeline_memcpy_async(d + 128 + t - 40, g + 128 + t - 40, 4);
    else if (t < 72) d[128 + t - 40] = -1.f;
  };
  float acc = 0;
  issue(0); __pipeline_commit();
  if (tiles > 1) issue(1);
  __pipeline_commit();
  for (int k = 0; k < tiles; ++k) {
    if (k + 2 < tiles) issue(k + 2);
    __pipeline_commit();
    __pipeline_wait_prior(2);
    __syncthreads();
    for (int i = t; i < 160; i += blockDim.x) acc += s[k % 3][i] * (i % 3 == 1 ? s[k % 3][159 - i] : 1.f);
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = acc;
}

// arrive / try_wait with phase parity; producers of 1 warp fill for 3 consuming warps
extern "C" __global__ void phases(const int* __restrict__ in, int* out, int rounds)
{
  __shared__ __align__(8) u64 full, empty; __shared__ int data[96];
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(sm(&full)));
    asm volatile("mbarrier.init.shared.b64 [%0], 96;" :: "r"(sm(&empty)));
  }
  __syncthreads();
  auto wait = [](u64* b, int parity) {
    u32 ok;
    do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(ok) : "r"(sm(b)), "r"(parity) : "memory"); while (!ok);
  };
  int acc = 0;
  for (int r = 0; r < rounds; ++r) {
    if (warp == 0) {
      if (r) wait(&empty, (r - 1) & 1);
      for (int i = lane; i < 96; i += 32) data[i] = in[(blockIdx.x * rounds + r) * 96 + i] ^ r;
      asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" :: "r"(sm(&full)) : "memory");
    } else {
      wait(&full, r & 1);
      acc += data[(threadIdx.x - 32) * 3 % 96] - data[95 - (threadIdx.x - 32)];
      asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" :: "r"(sm(&empty)) : "memory");
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = acc;
}

// cp.async whose completion is an mbarrier's arrival
extern "C" __global__ void async_arrive(const float4* __restrict__ in, float* out, int n)
{
  __shared__ __align__(16) float4 buf[128]; __shared__ __align__(8) u64 bar;
  int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(sm(&bar)), "r"(blockDim.x));
  __syncthreads();
  int size = g < n ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(sm(buf + t)), "l"(in + (g < n ? g : 0)), "r"(size) : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(sm(&bar)) : "memory");
  u32 ok = 0;
  while (!ok) asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(ok) : "r"(sm(&bar)) : "memory");
  float4 v = buf[(t * 7 + 3) % blockDim.x];
  out[g] = v.x + v.y * 2 - v.z + v.w;
}

// bulk copy with expected bytes
extern "C" __global__ void bulk(const float* __restrict__ in, float* out, int count)
{
  extern __shared__ __align__(128) float sb[];
  __shared__ __align__(8) u64 bar;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(sm(&bar)));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("{.reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1;}" :: "r"(sm(&bar)), "r"(count * 4) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(sm(sb)), "l"(in + blockIdx.x * count), "r"(count * 4), "r"(sm(&bar)) : "memory");
  }
  __syncthreads();
  u32 ok = 0;
  while (!ok) asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(ok) : "r"(sm(&bar)) : "memory");
  for (int i = threadIdx.x; i < count; i += blockDim.x) out[blockIdx.x * count + i] = sb[count - 1 - i] * 0.5f + (i ? sb[i - 1] : 0.f);
}

// volatile and fences: last warp of the block sums (ordered by barrier), clock read but unused
extern "C" __global__ void fences(const int* in, volatile int* scratch, int* out, int n)
{
  long long c = clock64(); volatile __shared__ int s[100];
  int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
  scratch[g] = g < n ? in[g] : 0;
  s[t] = t; __threadfence_block();
  s[t] = s[t] + scratch[g];
  __threadfence(); __syncthreads();
  int k = (t + 1) % blockDim.x;
  int v = s[k] - scratch[blockIdx.x * blockDim.x + k];
  __threadfence_system();
  if (clock64() < c) v = 0;
  out[g] = v;
}
