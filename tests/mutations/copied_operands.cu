// A warpgroup multiplies what cp.async brings, over words that plain stores had written before: no fence.proxy.async is
// needed for what was copied over, as compilers rely on.
// trace: --arch sm_90 --grid 1 --block 128 --arg f16[1024]=random:1 --arg f16[128]=random:2 --arg f32[512]=zero
// mutant 1: shared_race at product (a few words are not copied over, and there is no fence)
// says 1: with a plain store, and no fence.proxy.async lies between the two
// mutant 2: cp_async ... at product (nobody waits for the copies)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ unsigned place(const void* of) { return (unsigned)__cvta_generic_to_shared(of); }

__device__ unsigned long long describe(const void* p, unsigned next_column, unsigned next_row) {
  return place(p) >> 4 | static_cast<unsigned long long>(next_column >> 4) << 16 |
         static_cast<unsigned long long>(next_row >> 4) << 32;
}

__device__ void copy(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place(to)), "l"(from) : "memory");
}

__global__ void __launch_bounds__(128) copied(const uint4* left, const uint4* right, float* out) {
  __shared__ alignas(128) uint4 a[128];  // core matrices of 8 x 8
  __shared__ alignas(128) uint4 b[16];
  const int t = threadIdx.x;
  a[t] = make_uint4(t, 0, 0, 0);
  if (t < 16) b[t] = make_uint4(0, t, 0, 0);
  __syncthreads();
  copy(&a[t], left + t);
  if (t < (MUTANT == 1 ? 12 : 16)) copy(&b[t], right + t);
  asm volatile("cp.async.commit_group;" ::: "memory");
#if MUTANT != 2
  asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
  __syncthreads();
  float d[4] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(describe(a, 128, 256)), "l"(describe(b, 128, 128)));  //@product
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  const int row = t / 32 * 16 + t % 32 / 4;
  const int column = t % 4 * 2;
  out[row * 8 + column] = d[0];
  out[row * 8 + column + 1] = d[1];
  out[(row + 8) * 8 + column] = d[2];
  out[(row + 8) * 8 + column + 1] = d[3];
}
