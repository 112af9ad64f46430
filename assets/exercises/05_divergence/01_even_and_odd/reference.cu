__global__ void reference(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) {
    float value = in[i];
    for (int step = 0; step < 8; ++step) {
      value = i % 2 == 0 ? sqrtf(fabsf(value)) : value * value + 0.25f;
    }
    out[i] = value;
  }
}
