// Images of bytes: colours, resizing, edges, medians, cells; a fractal.
extern "C" __global__ void grey_uchar3(const uchar3* in, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar3 p = in[i];
  out[i] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z + 0.5f);
}

// Four pixels a thread: twelve bytes in as three words, four out as one.
extern "C" __global__ void grey_packed(const unsigned* in, uchar4* out, int quads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  const unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  const auto grey = [](unsigned r, unsigned g, unsigned bl) {
    return (unsigned char)((77 * r + 150 * g + 29 * bl) >> 8);
  };
  out[i] = make_uchar4(grey(a & 255, a >> 8 & 255, a >> 16 & 255),
                       grey(a >> 24, b & 255, b >> 8 & 255), grey(b >> 16 & 255, b >> 24, c & 255),
                       grey(c >> 8 & 255, c >> 16 & 255, c >> 24));
}

extern "C" __global__ void resize_bilinear(const uchar4* in, uchar4* out, int w, int h, int ow,
                                           int oh) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= ow || y >= oh) return;
  const float fx = fmaxf((x + 0.5f) * w / ow - 0.5f, 0.0f);
  const float fy = fmaxf((y + 0.5f) * h / oh - 0.5f, 0.0f);
  const int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
  const float ax = fx - x0, ay = fy - y0;
  const uchar4 a = in[y0 * w + x0], b = in[y0 * w + x1], c = in[y1 * w + x0], d = in[y1 * w + x1];
#define MIX(m) \
  (unsigned char)((1 - ay) * ((1 - ax) * a.m + ax * b.m) + ay * ((1 - ax) * c.m + ax * d.m) + 0.5f)
  out[y * ow + x] = make_uchar4(MIX(x), MIX(y), MIX(z), MIX(w));
}

extern "C" __global__ void sobel(const unsigned char* in, unsigned char* out, int w, int h) {
  __shared__ unsigned char s[18][34];
  for (int y = threadIdx.y; y < 18; y += blockDim.y) {
    for (int x = threadIdx.x; x < 34; x += blockDim.x) {
      const int gx = min(max((int)(blockIdx.x * 32 + x) - 1, 0), w - 1);
      const int gy = min(max((int)(blockIdx.y * 16 + y) - 1, 0), h - 1);
      s[y][x] = in[gy * w + gx];
    }
  }
  __syncthreads();
  const int gx = blockIdx.x * 32 + threadIdx.x;
  for (int r = threadIdx.y; r < 16; r += blockDim.y) {
    const int gy = blockIdx.y * 16 + r, y = r + 1, x = threadIdx.x + 1;
    if (gx >= w || gy >= h) continue;
    const int dx = s[y - 1][x + 1] + 2 * s[y][x + 1] + s[y + 1][x + 1] - s[y - 1][x - 1] -
                   2 * s[y][x - 1] - s[y + 1][x - 1];
    const int dy = s[y + 1][x - 1] + 2 * s[y + 1][x] + s[y + 1][x + 1] - s[y - 1][x - 1] -
                   2 * s[y - 1][x] - s[y - 1][x + 1];
    out[gy * w + gx] = min(255, (int)sqrtf((float)(dx * dx + dy * dy)));
  }
}

// The median of 3 x 3 by a bubble of nine, dynamically indexed.
extern "C" __global__ void median3(const unsigned short* in, unsigned short* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  unsigned short v[9];
  int n = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const unsigned short k = in[(y + dy) * w + x + dx];
      int at = n++;
      while (at > 0 && v[at - 1] > k) {
        v[at] = v[at - 1];
        --at;
      }
      v[at] = k;
    }
  }
  out[y * w + x] = v[4];
}

// Conway's cells, 64 in a word: a whole row of the neighbourhood is added bit by bit.
extern "C" __global__ void life_bits(const unsigned long long* in, unsigned long long* out,
                                     int words, int h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words * h) return;
  const int x = i % words, y = i / words;
  unsigned long long one = 0, two = 0, four = 0, own = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    const unsigned long long* row = in + (y + dy + h) % h * words;
    const unsigned long long mid = row[x];
    const unsigned long long left = mid << 1 | row[(x + words - 1) % words] >> 63;
    const unsigned long long right = mid >> 1 | row[(x + 1) % words] << 63;
    const unsigned long long three[3] = {left, dy ? mid : 0ull, right};
    if (dy == 0) own = mid;
    for (const unsigned long long add : three) {
      const unsigned long long carry = one & add;
      one ^= add;
      four |= two & carry;
      two ^= carry;
    }
  }
  out[i] = two & ~four & (one | own);
}

extern "C" __global__ void mandelbrot(unsigned char* out, int w, int h, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float cx = -2.0f + 3.0f * x / w, cy = -1.5f + 3.0f * y / h;
  float zx = 0, zy = 0;
  int n = 0;
  while (zx * zx + zy * zy < 4.0f && n < most) {
    const float next = zx * zx - zy * zy + cx;
    zy = 2.0f * zx * zy + cy;
    zx = next;
    ++n;
  }
  out[y * w + x] = n;
}

// A box filter along rows, a thread a row: the sum runs.
extern "C" __global__ void box_rows(const unsigned char* in, unsigned char* out, int w, int h,
                                    int radius) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= h) return;
  int sum = 0;
  for (int x = 0; x < radius; ++x) sum += in[y * w + x];
  for (int x = 0; x < w; ++x) {
    if (x + radius < w) sum += in[y * w + x + radius];
    if (x - radius - 1 >= 0) sum -= in[y * w + x - radius - 1];
    out[y * w + x] = sum / (2 * radius + 1);
  }
}
