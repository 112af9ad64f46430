extern "C" __global__ void reference(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = (i % 32 == 0 ? 0 : out[i - 1]) + in[i];
}
