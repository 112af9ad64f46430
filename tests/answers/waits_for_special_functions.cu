// sqrtf() and sinf() in a kernel without shared memory. The short scoreboard also waits for the special
// functions, and the legend of the pipeline says so.
// trace: --grid 64 --block 256 --arg f32[1024]=random:1 --arg f32[16384]=zero
// shows: pipeline: special functions
__global__ void waves(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < 32; ++k) sum += __sinf(in[(i + k) & 1023] + sum) + __expf(-sum);
  out[i] = sum;
}
