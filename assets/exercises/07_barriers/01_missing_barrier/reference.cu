__global__ void reference(const int* in, int* out, int n) {
  for (int first = 0; first < n; first += 256) {
    const int count = min(256, n - first);
    for (int t = 0; t < count; ++t) out[first + t] = in[first + count - 1 - t];
  }
}
