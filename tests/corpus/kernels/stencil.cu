// Stencils and convolutions.

extern "C" __global__ void stencil_1d(const float* in, float* out, int n) {
  constexpr int kRadius = 3;
  __shared__ float s[256 + 2 * kRadius];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int at = threadIdx.x + kRadius;
  s[at] = i < n ? in[i] : 0.0f;
  if (threadIdx.x < kRadius) {
    s[at - kRadius] = i >= kRadius ? in[i - kRadius] : 0.0f;
    s[at + blockDim.x] = i + blockDim.x < n ? in[i + blockDim.x] : 0.0f;
  }
  __syncthreads();
  float sum = 0;
  for (int d = -kRadius; d <= kRadius; ++d) sum += s[at + d];
  if (i < n) out[i] = sum;
}

extern "C" __global__ void stencil_2d_global(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  out[y * w + x] = 0.2f * (in[y * w + x] + in[y * w + x - 1] + in[y * w + x + 1] +
                           in[(y - 1) * w + x] + in[(y + 1) * w + x]);
}

extern "C" __global__ void stencil_2d_shared(const float* in, float* out, int w, int h) {
  __shared__ float s[10][34];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 10 * 34; i += 256) {
    const int x = x0 + i % 34 - 1, y = y0 + i / 34 - 1;
    s[i / 34][i % 34] = x >= 0 && y >= 0 && x < w && y < h ? in[y * w + x] : 0.0f;
  }
  __syncthreads();
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x >= w || y >= h) return;
  const int a = threadIdx.y + 1, b = threadIdx.x + 1;
  out[y * w + x] = 0.2f * (s[a][b] + s[a][b - 1] + s[a][b + 1] + s[a - 1][b] + s[a + 1][b]);
}

// Walks up z with the planes in registers and the halo in shared memory.
extern "C" __global__ void stencil_3d(const float* in, float* out, int w, int h, int d) {
  __shared__ float s[8 + 2][16 + 2];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const int a = threadIdx.y + 1, b = threadIdx.x + 1;
  const bool inside = x < w && y < h;
  float below = 0, here = inside ? in[y * w + x] : 0.0f;
  for (int z = 0; z < d; ++z) {
    const float above = inside && z + 1 < d ? in[((z + 1) * h + y) * w + x] : 0.0f;
    s[a][b] = here;
    if (threadIdx.x == 0) s[a][0] = inside && x > 0 ? in[(z * h + y) * w + x - 1] : 0.0f;
    if (threadIdx.x == 15) s[a][17] = x + 1 < w && y < h ? in[(z * h + y) * w + x + 1] : 0.0f;
    if (threadIdx.y == 0) s[0][b] = inside && y > 0 ? in[(z * h + y - 1) * w + x] : 0.0f;
    if (threadIdx.y == 7) s[9][b] = x < w && y + 1 < h ? in[(z * h + y + 1) * w + x] : 0.0f;
    __syncthreads();
    if (inside) {
      out[(z * h + y) * w + x] =
          here + below + above + s[a][b - 1] + s[a][b + 1] + s[a - 1][b] + s[a + 1][b];
    }
    __syncthreads();
    below = here;
    here = above;
  }
}

__constant__ float taps[25] = {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36,
                               24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1};

extern "C" __global__ void convolve_constant(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int j = -2; j <= 2; ++j) {
    for (int i = -2; i <= 2; ++i) {
      const int sx = min(max(x + i, 0), w - 1), sy = min(max(y + j, 0), h - 1);
      sum += taps[(j + 2) * 5 + i + 2] * in[sy * w + sx];
    }
  }
  out[y * w + x] = sum;
}

extern "C" __global__ void blur_uchar4(const uchar4* in, uchar4* out, int w, int h) {
  __shared__ uchar4 s[18][18];
  const int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256) {
    const int x = min(max(x0 + i % 18 - 1, 0), w - 1), y = min(max(y0 + i / 18 - 1, 0), h - 1);
    s[i / 18][i % 18] = in[y * w + x];
  }
  __syncthreads();
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x >= w || y >= h) return;
  int r = 0, g = 0, b = 0;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      const uchar4 p = s[threadIdx.y + j][threadIdx.x + i];
      r += p.x;
      g += p.y;
      b += p.z;
    }
  }
  out[y * w + x] = make_uchar4(r / 9, g / 9, b / 9, 255);
}

extern "C" __global__ void grey_from_rgb(const unsigned char* rgb, unsigned char* grey, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  grey[i] = (unsigned char)((rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8);
}

extern "C" __global__ void game_of_life(const bool* in, bool* out, int w, int h) {
  __shared__ bool s[10][34];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 10 * 34; i += 256) {
    const int x = (x0 + i % 34 - 1 + w) % w, y = (y0 + i / 34 - 1 + h) % h;
    s[i / 34][i % 34] = in[y * w + x];
  }
  __syncthreads();
  int alive = 0;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      if (i != 1 || j != 1) alive += s[threadIdx.y + j][threadIdx.x + i];
  const bool now = s[threadIdx.y + 1][threadIdx.x + 1];
  out[(y0 + threadIdx.y) * w + x0 + threadIdx.x] = alive == 3 || (now && alive == 2);
}
