// Rows are doubled by all threads and stored by bulk copies out of two pieces of shared memory in turn:
// a piece is filled again once the copy before the last has read it.
// trace: --arch sm_90 --grid 2 --block 64 --arg f32[1024]=iota --arg f32[1024]=zero --arg i32:8
// mutant 1: cp_async at put (nobody waits until a piece has been read)
// says 1: cp.async.bulk.wait_group.read
// mutant 2: cp_async at put (two copies may be under way, where one was meant)
// mutant 3: cp_async ... at put (another thread waits than the one that issued the copies)
// mutant 4: cp_async ... at put (the copies are never committed, so that nothing is waited for)
// says 4: commit
// mutant 5: shared_race ... at put,store (the issuing thread waits, the others do not wait for it)
// says 5: may still have to read it
// mutant 6: shared_race at put,store (no fence between the stores and the copy)
// mutant 7: shared_race at put,store (the second warp alone has a fence)
// says 7: fence.proxy.async
// mutant 8: shared_race at put,store (the fence comes before the stores)
// mutant 9: shared_race at put,store (the fence comes after the barrier, in all threads but the one that copies)
// mutant 10: cp_async at store (the thread leaves while its copies may still read)
// mutant 11: shared_race ... at put,store (no barrier between the stores and the copy)
// mutant 12: misaligned at store (the rows begin 8 bytes late)
#ifndef MUTANT
#define MUTANT 0
#endif
constexpr int kRow = 64;

__device__ unsigned place(const void* of) { return (unsigned)__cvta_generic_to_shared(of); }
__device__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__global__ void twice(const float* in, float* out, int rows) {
  __shared__ alignas(128) float pieces[2][kRow + 4];
  const int t = threadIdx.x;
  const int waiter = MUTANT == 3 ? 32 : 0;
  for (int row = 0; row < rows; ++row) {
    float* const piece = pieces[row % 2] + (MUTANT == 12 ? 2 : 0);
    const int at = (blockIdx.x * rows + row) * kRow;
    if (t == waiter && MUTANT != 1)
      asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(MUTANT == 2 ? 2 : 1) : "memory");
#if MUTANT != 5
    __syncthreads();
#endif
#if MUTANT == 8
    fence();
#endif
    piece[t] = 2 * in[at + t];  //@put
#if MUTANT != 6 && MUTANT != 8 && MUTANT != 9
    if (MUTANT != 7 || t >= 32) fence();
#endif
#if MUTANT != 11
    __syncthreads();
#endif
#if MUTANT == 9
    if (t != 0) fence();
#endif
    if (t == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + at), "r"(place(piece)), "n"(kRow * 4) : "memory");  //@store
#if MUTANT != 4
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
    }
  }
#if MUTANT == 4
  if (t == 0) asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
#if MUTANT != 10
  if (t == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}
