// Images.
__global__ void bilateral(const unsigned char* in, unsigned char* out, int w, int h, int radius,
                          float sr) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float c = in[y * w + x], sum = 0, weight = 0;
  for (int j = -radius; j <= radius; ++j)
    for (int i = -radius; i <= radius; ++i) {
      int xx = min(max(x + i, 0), w - 1), yy = min(max(y + j, 0), h - 1);
      float v = in[yy * w + xx], k = __expf(-(i * i + j * j) * 0.1f - (v - c) * (v - c) * sr);
      sum += v * k;
      weight += k;
    }
  out[y * w + x] = (unsigned char)(sum / weight + 0.5f);
}
__device__ void order(unsigned char& a, unsigned char& b) {
  unsigned char t = min(a, b);
  b = max(a, b);
  a = t;
}
__global__ void median9(const unsigned char* in, unsigned char* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= w - 1 || y >= h - 1) return;
  unsigned char p[9];
  for (int k = 0; k < 9; ++k) p[k] = in[(y + k / 3 - 1) * w + x + k % 3 - 1];
  order(p[1], p[2]);
  order(p[4], p[5]);
  order(p[7], p[8]);
  order(p[0], p[1]);
  order(p[3], p[4]);
  order(p[6], p[7]);
  order(p[1], p[2]);
  order(p[4], p[5]);
  order(p[7], p[8]);
  order(p[0], p[3]);
  order(p[5], p[8]);
  order(p[4], p[7]);
  order(p[3], p[6]);
  order(p[1], p[4]);
  order(p[2], p[5]);
  order(p[4], p[7]);
  order(p[4], p[2]);
  order(p[6], p[4]);
  order(p[4], p[2]);
  out[y * w + x] = p[4];
}
__global__ void median_histogram(const unsigned char* in, unsigned char* out, int w,
                                 int h) {  // 5x5 with an insertion sort of 13
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w) return;
  unsigned char best[13];
  int used = 0;
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i) {
      int xx = x + i, yy = y + j;
      if (xx < 0 || yy < 0 || xx >= w || yy >= h) continue;
      unsigned char v = in[yy * w + xx];
      int k;
      if (used == 13) {
        if (v >= best[12]) continue;
        k = 12;
      } else
        k = used++;
      while (k > 0 && best[k - 1] > v) {
        best[k] = best[k - 1];
        --k;
      }
      best[k] = v;
    }
  out[y * w + x] = best[used - 1];
}
__global__ void sobel_tile(const uchar4* in, uchar4* out, int w4,
                           int h) {  // 4 pixels per thread, tile in shared memory
  __shared__ unsigned char t[10][136];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
  for (int r = threadIdx.y; r < 10; r += 8) {
    int yy = min(max(y0 + r - 1, 0), h - 1), xx = min(x0 + (int)threadIdx.x, w4 - 1);
    uchar4 v = in[yy * w4 + xx];
    unsigned char* d = &t[r][4 + threadIdx.x * 4];
    d[0] = v.x;
    d[1] = v.y;
    d[2] = v.z;
    d[3] = v.w;
    if (threadIdx.x == 0) t[r][3] = x0 ? in[yy * w4 + x0 - 1].w : v.x;
    if (threadIdx.x == 31) t[r][132] = x0 + 32 < w4 ? in[yy * w4 + x0 + 32].x : v.w;
  }
  __syncthreads();
  int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x >= w4 || y >= h) return;
  unsigned char r[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    int c = 4 + threadIdx.x * 4 + k, q = threadIdx.y;
    int gx = t[q][c + 1] + 2 * t[q + 1][c + 1] + t[q + 2][c + 1] - t[q][c - 1] -
             2 * t[q + 1][c - 1] - t[q + 2][c - 1];
    int gy = t[q + 2][c - 1] + 2 * t[q + 2][c] + t[q + 2][c + 1] - t[q][c - 1] - 2 * t[q][c] -
             t[q][c + 1];
    r[k] = min(255, abs(gx) + abs(gy));
  }
  out[y * w4 + x] = make_uchar4(r[0], r[1], r[2], r[3]);
}
__global__ void integral_rows(const unsigned char* in, unsigned* out, int w) {  // one warp per row
  int y = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  unsigned carry = 0;
  for (int x = lane; x - lane < w; x += 32) {
    unsigned v = x < w ? in[y * w + x] : 0;
#pragma unroll
    for (int o = 1; o < 32; o *= 2) {
      unsigned u = __shfl_up_sync(~0u, v, o);
      if (lane >= o) v += u;
    }
    v += carry;
    if (x < w) out[y * w + x] = v;
    carry = __shfl_sync(~0u, v, 31);
  }
}
__global__ void box_from_integral(const unsigned* sum, unsigned char* out, int w, int h, int r) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int x0 = max(x - r, 0) - 1, x1 = min(x + r, w - 1), y0 = max(y - r, 0) - 1,
      y1 = min(y + r, h - 1);
  unsigned s = sum[y1 * w + x1];
  if (x0 >= 0) s -= sum[y1 * w + x0];
  if (y0 >= 0) s -= sum[y0 * w + x1];
  if (x0 >= 0 && y0 >= 0) s += sum[y0 * w + x0];
  out[y * w + x] = s / ((x1 - x0) * (y1 - y0));
}
__global__ void error_diffusion(const float* in, unsigned char* out, int w,
                                int h) {  // rows skewed by three over a block's threads
  extern __shared__ float err[];          // h + 1 rows of w
  int y = threadIdx.x;
  for (int i = y; i < (h + 1) * w; i += blockDim.x) err[i] = 0;
  __syncthreads();
  for (int s = 0; s < w + 3 * h; ++s) {
    int x = s - 3 * y;
    if (y < h && x >= 0 && x < w) {
      float v = in[y * w + x] + err[y * w + x], q = v > 0.5f ? 1.f : 0.f, e = v - q;
      out[y * w + x] = q > 0;
      if (x + 1 < w) err[y * w + x + 1] += e * 0.4375f;
      if (x > 0) err[(y + 1) * w + x - 1] += e * 0.1875f;
      err[(y + 1) * w + x] += e * 0.3125f;
      if (x + 1 < w) err[(y + 1) * w + x + 1] += e * 0.0625f;
    }
    __syncthreads();
  }
}
__constant__ unsigned char kBayer[4][4] = {
    {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
__global__ void bayer_pack(const unsigned char* in, unsigned* out, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  bool on = x < w && in[y * w + x] > kBayer[y & 3][x & 3] * 16 + 8;
  unsigned b = __ballot_sync(~0u, on);
  if ((threadIdx.x & 31) == 0 && x < w) out[y * ((w + 31) / 32) + x / 32] = b;
}
__global__ void dct8(const float* in, short* out, const float* quant, int w) {
  __shared__ float a[4][8][9], b[4][8][9];
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, ox = (blockIdx.x * 4 + z) * 8,
      oy = blockIdx.y * 8;
  a[z][y][x] = in[(oy + y) * w + ox + x] * 128;
  __syncthreads();
  float s = 0;
  for (int k = 0; k < 8; ++k) s += a[z][y][k] * cospif((2 * k + 1) * x * 0.0625f);
  b[z][y][x] = s * (x ? 0.5f : 0.35355339f);
  __syncthreads();
  s = 0;
  for (int k = 0; k < 8; ++k) s += b[z][k][x] * cospif((2 * k + 1) * y * 0.0625f);
  s *= y ? 0.5f : 0.35355339f;
  out[(oy + y) * w + ox + x] = (short)rintf(s / (1.f + fabsf(quant[y * 8 + x]) * 20));
}
__global__ void label_tile(const unsigned char* in, int* labels, int* rounds, int w, int h) {
  __shared__ int l[18][18];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty,
      id = ty * 16 + tx;
  for (int i = id; i < 324; i += 256) l[i / 18][i % 18] = 1 << 20;
  __syncthreads();
  bool on = x < w && y < h && in[y * w + x] % 3;
  if (on) l[ty + 1][tx + 1] = id;
  int k = 0;
  while (true) {
    __syncthreads();
    int m = 1 << 20;
    if (on)
      m = min(min(l[ty + 1][tx + 1], min(l[ty][tx + 1], l[ty + 2][tx + 1])),
              min(l[ty + 1][tx], l[ty + 1][tx + 2]));
    bool change = __syncthreads_or(on && m < l[ty + 1][tx + 1]);
    if (!change) break;
    if (on) l[ty + 1][tx + 1] = m;
    ++k;
  }
  if (x < w && y < h) labels[y * w + x] = on ? l[ty + 1][tx + 1] : -1;
  if (id == 0) rounds[blockIdx.y * gridDim.x + blockIdx.x] = k;
}
