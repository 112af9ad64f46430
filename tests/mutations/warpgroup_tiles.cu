// C = A * B^T by products of warp groups: rows of 64 bf16 elements come in by cp.async, swizzled.
// trace: --grid 2 --block 256 --shared 20480 --arg bf16[49152]=random:1 --arg bf16[6144]=random:2 --arg f32[8192]=zero --arg i32:192
// mutant 1: shared_race at product (no barrier before the products)
// mutant 2: shared_race at copy (no barrier after the products)
// says 2: put __syncthreads() between the wait for their group
// mutant 3: uninitialised at product (the last rows of B never come)
// mutant 4: out_of_bounds at product (the second group's rows of A are taken twice as far)
// mutant 5: cp_async at product (nobody waits for the copies)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ __forceinline__ unsigned long long describe(unsigned address) {
  return address >> 4 | 64ull << 32 | 1ull << 62;
}

__global__ void rows_by_rows(const unsigned short* A, const unsigned short* B, float* C, int K) {
  extern __shared__ __align__(1024) char tiles[];
  const unsigned a = static_cast<unsigned>(__cvta_generic_to_shared(tiles));
  const unsigned b = a + 128 * 128;
#if MUTANT == 3
  constexpr int kRows = 128 + 24;
#else
  constexpr int kRows = 128 + 32;
#endif
  float d[16] = {};
  for (int k0 = 0; k0 < K; k0 += 64) {
    for (int i = threadIdx.x; i < kRows * 8; i += blockDim.x) {
      const int row = i / 8;
      const unsigned short* from =
          (row < 128 ? A + (blockIdx.x * 128 + row) * K : B + (row - 128) * K) + k0 + i % 8 * 8;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(a + row * 128 + (i % 8 ^ row % 8) * 16),
                   "l"(from)  //@copy
                   : "memory");
    }
#if MUTANT != 5
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#if MUTANT != 1
    __syncthreads();
#endif
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int k = 0; k < 64; k += 16) {
#if MUTANT == 4
      const unsigned rows = a + threadIdx.x / 128 * 128 * 128 + k * 2;
#else
      const unsigned rows = a + threadIdx.x / 128 * 64 * 128 + k * 2;
#endif
      asm volatile(
          "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, 1, 1, 1, 0, 0;"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
            "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
          : "l"(describe(rows)), "l"(describe(b + k * 2)));  //@product
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#if MUTANT != 2
    __syncthreads();
#endif
  }
  const int row = blockIdx.x * 128 + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
  for (int i = 0; i < 16; ++i) {
    C[(row + i / 2 % 2 * 8) * 32 + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = d[i];
  }
}
