// Each block doubles words of global memory and brings them to shared memory by a bulk copy.
// trace: --arch sm_90 --grid 2 --block 128 --arg f32[256]=random:1 --arg f32[256]=zero --arg f32[256]=zero
// mutant 1: global_race at copy,write (no fence between the plain stores and the copy)
// says 1: put fence.proxy.async (without .shared::cta) after the store, before the barrier
// mutant 2: global_race at copy,write (the fence is of shared memory alone)
// mutant 3: global_race at copy,write (no barrier either)
// says 3: put __syncthreads() between the write and this read
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ unsigned place(const void* of) { return (unsigned)__cvta_generic_to_shared(of); }

__global__ void doubled(const float* in, float* between, float* out) {
  __shared__ alignas(128) float words[128];
  __shared__ unsigned long long full;
  const int t = threadIdx.x;
  const unsigned bar = place(&full);
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
  __syncthreads();
  between[blockIdx.x * 128 + t] = in[blockIdx.x * 128 + t] * 2.0f;  //@write
#if MUTANT == 0
  asm volatile("fence.proxy.async;" ::: "memory");
#elif MUTANT == 2
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
#if MUTANT != 3
  __syncthreads();
#endif
  if (t == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 512;" ::"r"(bar) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(place(words)), "l"(between + blockIdx.x * 128), "r"(bar) : "memory");  //@copy
  }
  asm volatile(
      "{\n.reg .pred done;\nAGAIN: mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n"
      "@!done bra AGAIN;\n}" ::"r"(bar)
      : "memory");
  out[blockIdx.x * 128 + t] = words[127 - t];
}
