// The index is declared with 64 bits and computed with 32: blockIdx.x * blockDim.x wraps at 2^32
// threads. 4,194,305 blocks of 1,024 threads: the last block's index is 0 again, and it adds to what
// the first block has, a race between them; in a small launch nothing is wrong.
// trace: --arg f32[4096]=random:1 --arg i64:8192
// trace 0: --grid 8 --block 1024
// trace 1: --grid 4194305 --block 1024 --sample
// mutant 1: global_race at add (blocks 0 and 4,194,304 have the same indices)
__global__ void raised(float* values, long long count) {
  const long long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4096 && i < count) values[i] += 2.0f;  //@add
}
