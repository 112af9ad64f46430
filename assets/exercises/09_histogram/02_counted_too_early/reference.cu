__global__ void reference(const unsigned* in, int* bins, int n) {
  for (int i = 0; i < n; ++i) ++bins[in[i] % 64];
}
