// Two rows added up, brought one after the other into one place by bulk copies; an mbarrier says
// when each is there.
// trace: --arch sm_90 --grid 2 --block 64 --arg f32[256]=iota --arg f32[128]=zero
// mutant 1: cp_async at take (the second wait asks for the phase that the first has seen the end of)
// mutant 2: cp_async at take (only the threads of one warp wait the second time)
// mutant 3: barrier at again (nobody arrives for the second phase)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ unsigned address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void expect(unsigned long long* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(bytes)
               : "memory");
}
__device__ void copy(float* to, const float* from, int bytes, unsigned long long* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
      "l"(from), "r"(bytes), "r"(address(barrier))
      : "memory");
}
__device__ void wait_for(unsigned long long* barrier, int parity) {
  unsigned over = 0;
  while (!over) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(address(barrier)), "r"(parity)
        : "memory");
  }
}

__global__ void sums(const float* in, float* out) {
  __shared__ alignas(128) float row[64];
  __shared__ unsigned long long there;
  const int t = threadIdx.x;
  const float* from = in + blockIdx.x * 128;
  if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&there)) : "memory");
  __syncthreads();
  if (t == 0) {
    expect(&there, 256);
    copy(row, from, 256, &there);
  }
  wait_for(&there, 0);
  float sum = row[63 - t];
  __syncthreads();
  if (t == 0) {
#if MUTANT != 3
    expect(&there, 256);
#endif
    copy(row, from + 64, 256, &there);
  }
  __syncthreads();
#if MUTANT == 1
  wait_for(&there, 0);
#elif MUTANT == 2
  if (t >= 32) wait_for(&there, 1);
#else
  wait_for(&there, 1);  //@again
#endif
  sum += row[63 - t];  //@take
  out[blockIdx.x * 64 + t] = sum;
#if MUTANT == 2
  __syncthreads();
  wait_for(&there, 1);
#endif
}
