// One warp fills two stages, another multiplies what lies in them; cuda::barrier says which stage is
// full and which is empty. Its wait sleeps between two looks at the barrier.
// trace: --grid 2 --block 64 --arg f16[1024]=random:1 --arg f16[1024]=random:2 --arg f32[512]=zero --arg i32:4
// mutant 1: barrier at full (the filling warp arrives too at first: a phase too many)
// mutant 2: uninitialised ... at take (the reader does not wait)
// mutant 3: barrier at full (the reader does not hand the stages back)
// mutant 4: shared_race ... at store,take (the stages are handed back too early)
#include <cuda/barrier>
#include <mma.h>
#ifndef MUTANT
#define MUTANT 0
#endif
using namespace nvcuda;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void start(Barrier* barriers) {
  for (int stage = 0; stage < 2; ++stage) static_cast<void>(barriers[stage].arrive());
}

extern "C" __global__ void filled_stages(const half* a, const half* b, float* c, int tiles) {
  __shared__ alignas(16) half left[2][256];
  __shared__ alignas(16) half right[2][256];
  __shared__ Barrier full[2];
  __shared__ Barrier empty[2];
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < 2; ++stage) {
      init(&full[stage], 64);
      init(&empty[stage], 64);
    }
  }
  __syncthreads();
  if (threadIdx.x >= 32) {
    if (MUTANT == 1) start(empty);
    for (int tile = 0; tile < tiles; ++tile) {
      const int stage = tile % 2;
      empty[stage].arrive_and_wait();  //@fill
      for (int i = static_cast<int>(threadIdx.x) - 32; i < 256; i += 32) {
        left[stage][i] = a[tile * 256 + i];   //@store
        right[stage][i] = b[tile * 256 + i];  //@store
      }
      static_cast<void>(full[stage].arrive());
    }
    return;
  }
  start(empty);
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % 2;
    if (MUTANT == 2) {
      static_cast<void>(full[stage].arrive());
    } else {
      full[stage].arrive_and_wait();  //@full
    }
    if (MUTANT == 4) static_cast<void>(empty[stage].arrive());
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> rows;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> columns;
    wmma::load_matrix_sync(rows, left[stage], 16);      //@take
    wmma::load_matrix_sync(columns, right[stage], 16);  //@take
    wmma::mma_sync(sum, rows, columns, sum);
    if (MUTANT < 3) static_cast<void>(empty[stage].arrive());
  }
  wmma::store_matrix_sync(c + blockIdx.x * 256, sum, 16, wmma::mem_row_major);
}
