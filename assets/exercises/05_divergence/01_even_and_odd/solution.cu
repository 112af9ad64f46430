__global__ void filter(const float* in, float* out, int n) {
  const int t = threadIdx.x;
  const bool even = t < 128;  // the same for all lanes of a warp
  const int i = blockIdx.x * 256 + (even ? 2 * t : 2 * (t - 128) + 1);
  if (i >= n) return;
  float value = in[i];
  if (even) {
    for (int step = 0; step < 8; ++step) value = sqrtf(fabsf(value));
  } else {
    for (int step = 0; step < 8; ++step) value = value * value + 0.25f;
  }
  out[i] = value;
}
