__global__ void reference(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[i + 1] - in[i];
}
