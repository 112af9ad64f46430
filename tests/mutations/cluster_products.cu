// Each block of a cluster multiplies operands of its own. On the hardware a shared address has the
// rank of its block from bit 24 on, for which a matrix descriptor has no place.
// trace: --arch sm_90a --grid 4 --block 128 --arg f16[4096]=random:1 --arg f16[512]=random:2 --arg f32[2048]=zero
// mutant 1: out_of_bounds at product (the descriptor of A is made of the whole address)
// says 1: the descriptor of A names other memory in block (1,0,0)
// mutant 2: out_of_bounds at product (so is that of B)
// says 2: mask the address
// mutant 3: out_of_bounds at product (a mask that leaves the rank in)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ unsigned place(const void* of) { return (unsigned)__cvta_generic_to_shared(of); }
template <bool masked>
__device__ unsigned long long describe(const void* p, unsigned next_column, unsigned next_row) {
  const unsigned address = masked ? place(p) & 0x3ffff : MUTANT == 3 ? place(p) & 0x3fffffff : place(p);
  return address >> 4 | static_cast<unsigned long long>(next_column >> 4) << 16 |
         static_cast<unsigned long long>(next_row >> 4) << 32;
}

__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128)
    products(const unsigned short* left, const unsigned short* right, float* out) {
  __shared__ alignas(128) unsigned short a[64 * 16];  // core matrices of 8 x 8
  __shared__ alignas(128) unsigned short b[8 * 16];
  const int t = threadIdx.x;
  for (int i = t; i < 64 * 16; i += 128) a[i] = left[blockIdx.x * 1024 + i];
  b[t] = right[blockIdx.x * 128 + t];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[4] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(describe<MUTANT != 1 && MUTANT != 3>(a, 128, 256)), "l"(describe<MUTANT != 2>(b, 128, 128)));  //@product
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 4; ++i) out[(blockIdx.x * 128 + t) * 4 + i] = d[i];
}
