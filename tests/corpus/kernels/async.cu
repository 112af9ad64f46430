// cp.async rings: the tile is copied to shared memory stages ahead of its use.
#ifndef STAGES
#define STAGES 3
#endif
#ifndef BYTES
#define BYTES 16
#endif
#define FLOATS (BYTES / 4)

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void copy_async(void* to, const void* from) {
#if BYTES == 16
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
#else
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from),
               "n"(BYTES));
#endif
}

// Each block sums `tiles` tiles of 128 vectors, elementwise.
extern "C" __global__ void async_ring(const float* in, float* out, int tiles) {
  __shared__ __align__(16) float s[STAGES][128 * FLOATS];
  const int t = threadIdx.x;  // 128
  const float* from = in + (blockIdx.x * tiles * 128 + t) * FLOATS;
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage < tiles) copy_async(&s[stage][t * FLOATS], from + stage * 128 * FLOATS);
    asm volatile("cp.async.commit_group;");
  }
  float sum[FLOATS] = {};
  for (int tile = 0; tile < tiles; ++tile) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
    __syncthreads();
    const int next = tile + STAGES - 1;
    if (next < tiles) copy_async(&s[next % STAGES][t * FLOATS], from + next * 128 * FLOATS);
    asm volatile("cp.async.commit_group;");
    for (int i = 0; i < FLOATS; ++i) sum[i] += s[tile % STAGES][((t + 1) & 127) * FLOATS + i];
  }
  for (int i = 0; i < FLOATS; ++i) out[(blockIdx.x * 128 + t) * FLOATS + i] = sum[i];
}

// 64 x 64 x 16 GEMM over a ring of stages.
extern "C" __global__ void async_gemm(const float* a, const float* b, float* c, int n, int k) {
  __shared__ __align__(16) float as[STAGES][64][16];
  __shared__ __align__(16) float bs[STAGES][16][64];
  const int t = threadIdx.x;  // 256
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int tr = t / 16 * 4, tc = t % 16 * 4;
  const auto load = [&](int stage, int k0) {
    for (int i = t * FLOATS; i < 64 * 16; i += 256 * FLOATS) {
      copy_async(&as[stage][i / 16][i % 16], &a[(row0 + i / 16) * k + k0 + i % 16]);
      copy_async(&bs[stage][i / 64][i % 64], &b[(k0 + i / 64) * n + col0 + i % 64]);
    }
  };
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage * 16 < k) load(stage, stage * 16);
    asm volatile("cp.async.commit_group;");
  }
  float sum[4][4] = {};
  for (int tile = 0; tile < k / 16; ++tile) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
    __syncthreads();
    const int next = tile + STAGES - 1;
    if (next * 16 < k) load(next % STAGES, next * 16);
    asm volatile("cp.async.commit_group;");
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float ra[4], rb[4];
#pragma unroll
      for (int y = 0; y < 4; ++y) ra[y] = as[tile % STAGES][tr + y][i];
#pragma unroll
      for (int x = 0; x < 4; ++x) rb[x] = bs[tile % STAGES][i][tc + x];
#pragma unroll
      for (int y = 0; y < 4; ++y)
#pragma unroll
        for (int x = 0; x < 4; ++x) sum[y][x] += ra[y] * rb[x];
    }
  }
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) c[(row0 + tr + y) * n + col0 + tc + x] = sum[y][x];
}
