__global__ void reference(const float* in, float* out, float factor, int n) {
  for (int i = 0; i < n; ++i) out[i] = factor * in[i];
}
