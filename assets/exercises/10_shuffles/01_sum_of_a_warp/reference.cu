__global__ void reference(const int* in, int* sum, int n) {
  for (int first = 0; first < n; first += 32) {
    int total = 0;
    for (int i = first; i < min(first + 32, n); ++i) total += in[i];
    sum[first / 32] = total;
  }
}
