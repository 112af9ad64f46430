// Two operands come by bulk copies, each with an mbarrier of its own, in two stages. The sound kernel
// waits for both before it reads; the broken one reads the left operand when the right one has come
// and waits for the left one afterwards. What the copies wrote is not uninitialised: they are the
// writers, and the second wait is missing, not the write.
// trace 0: --arch sm_90 --grid 1 --block 64 --arg f32[320]=random:1 --arg f32[320]=random:2 --arg f32[64]=zero --arg i32:5
// trace 1: --arch sm_90 --grid 1 --block 64 --arg f32[320]=random:1 --arg f32[320]=random:2 --arg f32[64]=zero --arg i32:5 -D LATE
// mutant 1: cp_async at use (the wait for the left operand comes after its read)
// A guessed block is no longer than the rows, and nothing is found.
// trace 2: --arch sm_90 --sample
// launch 2: block 64x1x1
__device__ unsigned shared(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void expect(unsigned long long* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(barrier)),
               "r"(bytes)
               : "memory");
}
__device__ void fetch(float* to, const float* from, unsigned bytes, unsigned long long* barrier) {
  expect(barrier, bytes);
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared(to)),
      "l"(from), "r"(bytes), "r"(shared(barrier))
      : "memory");
}
__device__ void wait_for(unsigned long long* barrier, unsigned parity) {
  asm volatile(
      "{ .reg .pred there;\n"
      "again_%=: mbarrier.try_wait.parity.shared::cta.b64 there, [%0], %1;\n"
      "@!there bra again_%=; }" ::"r"(shared(barrier)),
      "r"(parity)
      : "memory");
}

__global__ void differences(const float* left, const float* right, float* out, int tiles) {
  __shared__ alignas(128) float lefts[2][64];
  __shared__ alignas(128) float rights[2][64];
  __shared__ unsigned long long left_there[2], right_there[2];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int stage = 0; stage < 2; ++stage) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&left_there[stage])));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&right_there[stage])));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (t == 0) {
    for (int i = 0; i < 2 && i < tiles; ++i) {
      fetch(lefts[i], left + i * 64, 256, &left_there[i]);
      fetch(rights[i], right + i * 64, 256, &right_there[i]);
    }
  }
  float sum = 0.0f;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    const int stage = i % 2, parity = i / 2 % 2;
#ifndef LATE
    wait_for(&left_there[stage], parity);
#endif
    wait_for(&right_there[stage], parity);
    const float difference = lefts[stage][t] - rights[stage][t];  //@use
#ifdef LATE
    wait_for(&left_there[stage], parity);
#endif
    sum += difference * difference;
    __syncthreads();
    if (t == 0 && i + 2 < tiles) {
      fetch(lefts[stage], left + (i + 2) * 64, 256, &left_there[stage]);
      fetch(rights[stage], right + (i + 2) * 64, 256, &right_there[stage]);
    }
  }
  out[t] = sum;
}
