__global__ void reference(const int* in, int* count, int n) {
  int negative = 0;
  for (int i = 0; i < n; ++i) negative += in[i] < 0;
  *count = negative;
}
