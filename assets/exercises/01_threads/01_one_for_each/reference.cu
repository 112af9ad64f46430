__global__ void reference(const float* a, const float* b, float* sum, int n) {
  for (int i = 0; i < n; ++i) sum[i] = a[i] + b[i];
}
