// A tensor map by value: a map over a guessed matrix whose box is the shared tile, and the copy is
// executed.
// trace: --sample
// launch: block 64x1x1, map tensormap:f32+box64x16[1024x1024]=random:1
#include <cuda.h>
__global__ void __launch_bounds__(64) pieces(const __grid_constant__ CUtensorMap map, float* out) {
  __shared__ alignas(128) float tile[16][64];
  __shared__ alignas(8) unsigned long long there;
  const unsigned barrier = __cvta_generic_to_shared(&there), to = __cvta_generic_to_shared(tile);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier));
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 4096;" ::"r"(barrier));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
            "r"(to),
        "l"(&map), "r"(blockIdx.x * 64), "r"(blockIdx.y * 16), "r"(barrier)
        : "memory");
  }
  __syncthreads();
  asm volatile(
      "{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again; }" ::"r"(barrier)
      : "memory");
  float sum = 0.0f;
  for (int row = 0; row < 16; ++row) sum += tile[row][threadIdx.x];
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x] = sum;
}
