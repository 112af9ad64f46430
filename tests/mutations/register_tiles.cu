// A product with tiles of 4 x 4 for each thread, fetched a tile ahead into registers and stored to
// the other of two buffers.
// trace: --grid 2,2 --block 8,8 --arg f32[64x64]=random:1 --arg f32[64x64]=random:2 --arg f32[64x64]=zero --arg i32:64
// mutant 1: shared_race at put_a,put_b,row,column (one buffer, one barrier)
// mutant 2: uninitialised at column (half of B's tile is brought)
// mutant 3: out_of_bounds at fetch_a,fetch_b (a tile past the last is fetched)
// mutant 4: shared_race at put_a,put_b,row,column (the buffer that is read is the one that is written)
// mutant 5: out_of_bounds ... at row (A's tile is read along the wrong side)
// mutant 6: misaligned ... at column (rows of B's tile padded by one float, read as float4)
#ifndef MUTANT
#define MUTANT 0
#endif
#define DEEP 8
#if MUTANT == 6
#define PITCH 33
#else
#define PITCH 36
#endif

__global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float as[2][DEEP][32];
  __shared__ alignas(16) float bs[2][DEEP][PITCH];
  const int t = threadIdx.y * 8 + threadIdx.x;
  const int row = blockIdx.y * 32;
  const int column = blockIdx.x * 32;
  float from_a[4], from_b[4], sums[4][4] = {};
  auto fetch = [&](int k) {
    for (int i = 0; i < 4; ++i) {
      from_a[i] = a[(row + t / 8 + 8 * i) * n + k + t % 8];  //@fetch_a
      from_b[i] = b[(k + t / 32 + 2 * i) * n + column + t % 32];  //@fetch_b
    }
  };
  auto put = [&](int buffer) {
    for (int i = 0; i < 4; ++i) {
      as[buffer][t % 8][t / 8 + 8 * i] = from_a[i];  //@put_a
#if MUTANT == 2
      if (i < 2)
#endif
      bs[buffer][t / 32 + 2 * i][t % 32] = from_b[i];  //@put_b
    }
  };
  fetch(0);
  put(0);
  __syncthreads();
  for (int k = 0; k < n; k += DEEP) {
#if MUTANT == 1
    const int now = 0, next = 0;
#elif MUTANT == 4
    const int now = k / DEEP & 1, next = now;
#else
    const int now = k / DEEP & 1, next = 1 - now;
#endif
#if MUTANT == 3
    fetch(k + DEEP);
#else
    if (k + DEEP < n) fetch(k + DEEP);
#endif
    for (int d = 0; d < DEEP; ++d) {
      const float4 of_b = *reinterpret_cast<const float4*>(&bs[now][d][threadIdx.x * 4]);  //@column
      const float along[4] = {of_b.x, of_b.y, of_b.z, of_b.w};
      for (int i = 0; i < 4; ++i) {
#if MUTANT == 5
        const float of_a = as[now][threadIdx.y * 4 + i][d];  //@row
#else
        const float of_a = as[now][d][threadIdx.y * 4 + i];  //@row
#endif
        for (int j = 0; j < 4; ++j) sums[i][j] += of_a * along[j];
      }
    }
    if (k + DEEP < n) put(next);
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j)
      c[(row + threadIdx.y * 4 + i) * n + column + threadIdx.x * 4 + j] = sums[i][j];
  }
}
