// Copies that an mbarrier waits for: cp.async a thread at a time, and bulk copies.
#define KERNEL extern "C" __global__

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void wait_for(unsigned barrier, unsigned parity) {
  unsigned over = 0;
  while (over == 0) {
    asm volatile(
        "{.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;}"
        : "=r"(over)
        : "r"(barrier), "r"(parity)
        : "memory");
  }
}

KERNEL void ring_of_copies(const float* in, float* out, int n) {
  __shared__ __align__(16) float s[2][256];
  __shared__ __align__(8) unsigned long long full[2];
  const unsigned t = threadIdx.x;
  if (t < 2) asm volatile("mbarrier.init.shared.b64 [%0], 256;" ::"r"(shared_address(&full[t])));
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    const unsigned barrier = shared_address(&full[i & 1]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&s[i & 1][t])),
                 "l"(in + 256 * i + t));
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
    wait_for(barrier, (i >> 1) & 1);
    out[256 * i + t] = s[i & 1][255 - t];
    __syncthreads();
  }
}

KERNEL void bulk_tiles(const float* in, float* out, int n) {
  __shared__ __align__(128) float s[32][33 * 4];
  __shared__ __align__(8) unsigned long long full;
  const unsigned barrier = shared_address(&full);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier));
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == 0) {
      asm volatile("{.reg .b64 s;\nmbarrier.arrive.expect_tx.shared.b64 s, [%0], 16384;}" ::"r"(barrier)
                   : "memory");
      for (int row = 0; row < 32; ++row) {
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(
                shared_address(s[row])),
            "l"(in + 4096 * i + 128 * row), "r"(barrier)
            : "memory");
      }
    }
    wait_for(barrier, i & 1);
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) out[4096 * i + k] = s[k % 32][k / 32];
    __syncthreads();
  }
}

KERNEL void counted_arrivals(const int* in, int* out) {
  __shared__ int s[128];
  __shared__ __align__(8) unsigned long long full;
  const unsigned barrier = shared_address(&full);
  const unsigned t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(blockDim.x));
  __syncthreads();
  s[t] = in[t];
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(barrier) : "memory");
  unsigned over = 0;
  while (over == 0) {
    asm volatile("{.reg .pred p;\nmbarrier.test_wait.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;}"
                 : "=r"(over) : "r"(barrier), "l"(state) : "memory");
  }
  out[t] = s[t ^ 32];
}
