__global__ void reference(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = i % 128 == 0 ? in[i] : in[i] - in[i - 1];
}
