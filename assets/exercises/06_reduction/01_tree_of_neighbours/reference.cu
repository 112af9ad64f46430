__global__ void reference(const int* in, int* sum, int n) {
  int total = 0;
  for (int i = 0; i < n; ++i) total += in[i];
  *sum = total;
}
