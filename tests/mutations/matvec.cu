// y = A x: a warp a row, x staged in shared memory piece by piece.
// trace: --grid 4 --block 64 --arg f32[2048]=random:7 --arg f32[256]=random:8 --arg f32[8]=zero --arg i32:8 --arg i32:256
// mutant 1: shared_race at dot (no barrier after staging)
// mutant 2: shared_race at stage (no barrier before the next piece)
// mutant 3: misaligned at vector (float4 loads from a row that begins one float late)
// mutant 4: out_of_bounds at dot (pieces are longer than staged)
// mutant 5: uninitialised at dot (half of the piece is staged)
// mutant 6: global_race at write (all warps of all blocks write the same row)
#ifndef MUTANT
#define MUTANT 0
#endif
#define PIECE 128

__global__ void matvec(const float* A, const float* x, float* y, int rows, int cols) {
  __shared__ float piece[PIECE];
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * 2 + threadIdx.x / 32;
  float sum = 0.0f;
  for (int k0 = 0; k0 < cols; k0 += PIECE) {
#if MUTANT == 5
    for (int i = threadIdx.x; i < PIECE / 2; i += blockDim.x) piece[i] = x[k0 + i];
#else
    for (int i = threadIdx.x; i < PIECE; i += blockDim.x) piece[i] = x[k0 + i];  //@stage
#endif
#if MUTANT != 1
    __syncthreads();
#endif
#if MUTANT == 4
    for (int i = lane * 4; i < PIECE + 4; i += 128) {
#else
    for (int i = lane * 4; i < PIECE; i += 128) {
#endif
#if MUTANT == 3
      const float4 a = *reinterpret_cast<const float4*>(&A[row * cols + k0 + i + (row < 7)]);  //@vector
#else
      const float4 a = *reinterpret_cast<const float4*>(&A[row * cols + k0 + i]);  //@vector
#endif
#if MUTANT == 4
      sum += a.x * piece[i + 1] + a.y * piece[i + 2] + a.z * piece[i + 3] + a.w * piece[i + 4];  //@dot
#else
      sum += a.x * piece[i] + a.y * piece[i + 1] + a.z * piece[i + 2] + a.w * piece[i + 3];  //@dot
#endif
    }
#if MUTANT != 2
    __syncthreads();
#endif
  }
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
#if MUTANT == 6
  if (lane == 0 && row < rows) y[threadIdx.x % 32] = sum;  //@write
#else
  if (lane == 0 && row < rows) y[row] = sum;  //@write
#endif
}
