__global__ void reference(const float* re, const float* im, float* out_re, float* out_im, int n) {
  for (int first = 0; first < n; first += 256) {
    const int count = min(256, n - first);
    for (int t = 0; t < count; ++t) {
      out_re[first + t] = re[first + count - 1 - t];
      out_im[first + t] = im[first + count - 1 - t];
    }
  }
}
