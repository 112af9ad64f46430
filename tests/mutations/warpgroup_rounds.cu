// Products of one warpgroup, one after the other, of operands that its first thread copies over the last ones as soon as
// it has waited for their products: a group of products is complete for the whole warpgroup, so no barrier is needed.
// trace: --arch sm_90 --grid 1 --block 128 --arg f16[4096]=random:1 --arg f16[512]=random:2 --arg f32[512]=zero --arg i32:4
// mutant 1: shared_race at fetch (the newest group of products may still be under way)
// says 1: may still have to read it
// mutant 2: cp_async ... at product (nobody waits for the copies)
// mutant 3: barrier ... at full (one warp does not wait for the products, runs ahead and comes to the next phase too early)
// mutant 4: barrier at product (one of the four warps leaves the last product out)
// says 4: 3 of the 4 warps of this warp group execute this
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ unsigned place(const void* of) { return (unsigned)__cvta_generic_to_shared(of); }

__device__ unsigned long long describe(const void* p, unsigned next_column, unsigned next_row) {
  return place(p) >> 4 | static_cast<unsigned long long>(next_column >> 4) << 16 |
         static_cast<unsigned long long>(next_row >> 4) << 32;
}

__global__ void __launch_bounds__(128) rounds(const void* left, const void* right, float* out, int count) {
  __shared__ alignas(128) unsigned short a[64 * 16];  // core matrices of 8 x 8
  __shared__ alignas(128) unsigned short b[8 * 16];
  __shared__ unsigned long long full;
  const int t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&full)));
  __syncthreads();
  float d[4] = {};
  for (int round = 0; round < count; ++round) {
    if (t == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 2304;" ::"r"(place(&full)));
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 2048, [%2];" ::"r"(place(a)), "l"((const char*)left + round * 2048), "r"(place(&full)) : "memory");  //@fetch
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(place(b)), "l"((const char*)right + round * 256), "r"(place(&full)) : "memory");  //@fetch
    }
#if MUTANT != 2
    asm volatile(
        "{\n.reg .pred done;\nAGAIN: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra AGAIN;\n}" ::"r"(place(&full)), "r"(round % 2) : "memory");  //@full
#endif
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    if (MUTANT != 4 || t < 96 || round + 1 < count) asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(describe(a, 128, 256)), "l"(describe(b, 128, 128)));  //@product
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#if MUTANT == 1
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
#elif MUTANT == 3
    if (t >= 32) asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#else
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
  }
#if MUTANT == 1
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
  const int row = t / 32 * 16 + t % 32 / 4;
  const int column = t % 4 * 2;
  out[row * 8 + column] = d[0];
  out[row * 8 + column + 1] = d[1];
  out[(row + 8) * 8 + column] = d[2];
  out[(row + 8) * 8 + column + 1] = d[3];
}
