// A row reversed, brought by one bulk copy that cuda::memcpy_async makes in a header; several warps
// wait for it at a barrier of the library.
// trace: --arch sm_90 --grid 2 --block 96 --arg f32[192]=iota --arg f32[192]=zero
// mutant 1: cp_async at take (the copy is met by __syncthreads only)
// mutant 2: cp_async at take (nobody waits: the other warps may read before the copy is issued)
// says 1: thread (0,0,0)'s bulk copy (line 23) has not filled yet
#ifndef MUTANT
#define MUTANT 0
#endif
#include <cuda/barrier>

__global__ void reverse(const float* in, float* out) {
  __shared__ alignas(16) float row[96];
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(Barrier) unsigned char place[sizeof(Barrier)];
  Barrier& full = *reinterpret_cast<Barrier*>(place);
  const int t = threadIdx.x;
  if (t == 0) init(&full, 96);
  __syncthreads();
  Barrier::arrival_token token;
  if (t == 0) {
    const cuda::aligned_size_t<16> bytes(sizeof(row));
    cuda::memcpy_async(
        row, in + blockIdx.x * 96, bytes, full);
  }
  token = full.arrive();
#if MUTANT == 1
  __syncthreads();
#elif MUTANT == 0
  full.wait(std::move(token));
#endif
  out[blockIdx.x * 96 + t] = row[95 - t];  //@take
#if MUTANT != 0
  full.wait(std::move(token));
#endif
}
