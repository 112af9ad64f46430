__global__ void filter(const float* in, float* out, int n) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  if (i >= n) return;
  float value = in[i];
  if (i % 2 == 0) {
    for (int step = 0; step < 8; ++step) value = sqrtf(fabsf(value));
  } else {
    for (int step = 0; step < 8; ++step) value = value * value + 0.25f;
  }
  out[i] = value;
}
