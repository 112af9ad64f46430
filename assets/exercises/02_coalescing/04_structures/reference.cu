__global__ void reference(const float* particles, float* out, int n) {
  for (int i = 0; i < n; ++i) {
    const float* p = particles + 4 * i;
    out[i] = p[3] * sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  }
}
