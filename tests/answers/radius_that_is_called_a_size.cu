// The reach of a window: it bounds a loop from -r to r and no index, so it is a small number, and the
// kernel ends.
// trace: --sample
// launch: reach_size i32:4
__global__ void lightest(const unsigned char* in, unsigned char* out, int width, int height, int reach_size) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int most = 0;
  for (int down = -reach_size; down <= reach_size; ++down)
    for (int right = -reach_size; right <= reach_size; ++right)
      if (y + down >= 0 && y + down < height && x + right >= 0 && x + right < width)
        most = max(most, int(in[(y + down) * width + x + right]));
  out[y * width + x] = most;
}
