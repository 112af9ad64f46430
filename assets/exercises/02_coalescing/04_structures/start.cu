__global__ void moment(const float* particles, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = particles[4 * i];
  const float y = particles[4 * i + 1];
  const float z = particles[4 * i + 2];
  const float mass = particles[4 * i + 3];
  out[i] = mass * sqrtf(x * x + y * y + z * z);
}
