__global__ void reference(const int* in, int* count, int cols) {
  for (int col = 0; col < cols; ++col) {
    int most = in[col];
    for (int row = 0; row < 96; ++row) most = max(most, in[row * cols + col]);
    int large = 0;
    for (int row = 0; row < 96; ++row) large += in[row * cols + col] > most / 2;
    count[col] = large;
  }
}
