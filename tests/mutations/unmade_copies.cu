// Rows come by bulk copies, two under way. A copy that cannot be made leaves its mbarrier waiting
// for ever, which is no second mistake.
// trace: --arch sm_90 --grid 1 --block 64 --arg f32[512]=random:1 --arg f32[32]=zero --arg i32:8
// mutant 1: misaligned at copy (120 bytes, no multiple of 16)
// mutant 2: misaligned at copy (the row begins at byte 8 of the tile)
// mutant 3: out_of_bounds at copy (more than the tile holds)
// mutant 4: barrier at expect (the producer does not wait until a row has been read)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ unsigned at(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }
__device__ void wait_for(const void* barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred done;\nagain_%=:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "@!done bra again_%=;\n}" ::"r"(at(barrier)), "r"(parity) : "memory");
}

__global__ void add_rows(const float* in, float* out, int rows) {
  __shared__ alignas(128) float tile[2][32];
  __shared__ alignas(8) unsigned long long full[2], empty[2];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < 2; ++s) {
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&full[s])) : "memory");
      asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at(&empty[s])) : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  constexpr unsigned kBytes = MUTANT == 1 ? 120 : MUTANT == 3 ? 512 : 128;
  if (t == 0) {
    for (int r = 0; r < rows; ++r) {
      const int s = r % 2;
#if MUTANT != 4
      wait_for(&empty[s], (r / 2 + 1) % 2);
#endif
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at(&full[s])), "r"(kBytes) : "memory");  //@expect
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(tile[s]) + (MUTANT == 2 ? 8 : 0)), "l"(in + r * 32), "r"(kBytes), "r"(at(&full[s])) : "memory");  //@copy
    }
  } else if (t >= 32) {
    float sum = 0.0f;
    for (int r = 0; r < rows; ++r) {
      wait_for(&full[r % 2], r / 2 % 2);
      sum += tile[r % 2][t - 32];
      asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at(&empty[r % 2])) : "memory");
    }
    out[t - 32] = sum;
  }
}
