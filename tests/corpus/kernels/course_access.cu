// layouts, sub-words, offsets
struct Particle {
  float x, y, z, vx, vy, vz, m;
};
struct __align__(16) Particle16 {
  float x, y, z, vx, vy, vz, m, pad;
};
extern "C" __global__ void aos_update(Particle* p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle q = p[i];
  q.x += q.vx * dt;
  q.y += q.vy * dt;
  q.z += q.vz * dt;
  p[i] = q;
}
extern "C" __global__ void aos16_update(Particle16* p, int n, float dt) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    Particle16 q = p[i];
    q.x += q.vx * dt;
    q.y += q.vy * dt;
    q.z += q.vz * dt;
    p[i].x = q.x;
    p[i].y = q.y;
    p[i].z = q.z;
  }
}
extern "C" __global__ void soa_update(float* x, float* y, float* z, const float* vx,
                                      const float* vy, const float* vz, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] += vx[i] * dt;
    y[i] += vy[i] * dt;
    z[i] += vz[i] * dt;
  }
}
template <typename T>
__global__ void offset_copy(const T* in, T* out, int n, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + s;
  if (i < n) out[i] = in[i];
}
template <typename T>
__global__ void strided_copy(const T* in, T* out, int n, int stride) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  if (i < n) out[i] = in[i];
}
// 24 bit pixels: uchar3 in, grey out and back
extern "C" __global__ void rgb_to_grey(const uchar3* rgb, unsigned char* grey, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    uchar3 p = rgb[y * w + x];
    grey[y * w + x] = 0.21f * p.x + 0.71f * p.y + 0.07f * p.z;
  }
}
extern "C" __global__ void float3_normalise(const float3* in, float3* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float3 v = in[i];
    float r = 1.f / sqrtf(v.x * v.x + v.y * v.y + v.z * v.z + 1e-6f);
    out[i] = make_float3(v.x * r, v.y * r, v.z * r);
  }
}
extern "C" __global__ void float3_via_shared(const float* in, float* out, int n3) {
  __shared__ float s[128 * 3];
  int base = blockIdx.x * 384;
  for (int i = threadIdx.x; i < 384; i += 128)
    if (base + i < n3) s[i] = in[base + i];
  __syncthreads();
  float3* s3 = (float3*)s;
  if (base + threadIdx.x * 3 + 2 < n3) {
    float3 v = s3[threadIdx.x];
    s3[threadIdx.x] = make_float3(v.z, v.x * 2, v.y + 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 384; i += 128)
    if (base + i < n3) out[base + i] = s[i];
}
extern "C" __global__ void gather_scatter(const unsigned* idx, const short* in, short* out, int n,
                                          unsigned m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[(i * 37u) % n] = in[idx[i] % m];
}
// box filter of bytes: sliding sums in shared, 4 pixels a thread
extern "C" __global__ void box3_bytes(const unsigned char* in, unsigned char* out, int w, int h) {
  __shared__ unsigned char t[10][128 + 8];
  int x0 = blockIdx.x * 128, y0 = blockIdx.y * 8;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 10 * 130; i += 256) {
    int r = i / 130, c = i % 130, y = min(max(y0 + r - 1, 0), h - 1),
        x = min(max(x0 + c - 1, 0), w - 1);
    t[r][c] = in[y * w + x];
  }
  __syncthreads();
  int y = y0 + threadIdx.y;
  if (y >= h) return;
  for (int k = 0; k < 4; k++) {
    int c = threadIdx.x * 4 + k;
    if (x0 + c >= w) break;
    int s = 0;
    for (int dy = 0; dy < 3; dy++)
      for (int dx = 0; dx < 3; dx++) s += t[threadIdx.y + dy][c + dx];
    out[y * w + x0 + c] = s / 9;
  }
}
extern "C" __global__ void sobel_shorts(const unsigned char* __restrict__ in, short* out, int w,
                                        int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) return;
#define P(dx, dy) ((int)in[(y + (dy)) * w + x + (dx)])
  int gx = P(1, -1) + 2 * P(1, 0) + P(1, 1) - P(-1, -1) - 2 * P(-1, 0) - P(-1, 1);
  int gy = P(-1, 1) + 2 * P(0, 1) + P(1, 1) - P(-1, -1) - 2 * P(0, -1) - P(1, -1);
  out[y * w + x] = (short)(abs(gx) + abs(gy));
#undef P
}
// 3x3 median by exchanges
#define SWAP(a, b)                \
  {                               \
    unsigned char lo = min(a, b); \
    b = max(a, b);                \
    a = lo;                       \
  }
extern "C" __global__ void median3(const unsigned char* in, unsigned char* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  unsigned char v[9];
  for (int i = 0; i < 9; ++i) v[i] = in[(y + i / 3 - 1) * w + x + i % 3 - 1];
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 8 - i; ++j) SWAP(v[j], v[j + 1]);
  out[y * w + x] = v[4];
}
// mandelbrot, divergent
extern "C" __global__ void mandelbrot(unsigned short* out, int w, int h, int maxit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h) return;
  float cx = -2.f + 3.f * px / w, cy = -1.f + 2.f * py / h, zx = 0, zy = 0;
  int it = 0;
  while (zx * zx + zy * zy < 4.f && it < maxit) {
    float t = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = t;
    ++it;
  }
  out[py * w + px] = it;
}
// a local array with run-time indices: local memory
extern "C" __global__ void local_ring(const int* in, int* out, int n, int taps) {
  int ring[12];
  for (int i = 0; i < 12; ++i) ring[i] = 0;
  int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int i = 0; i < n; ++i) {
    int at = (i * taps + t) % 12;
    sum += in[i * gridDim.x * blockDim.x + t] - ring[at];
    ring[at] = in[i * gridDim.x * blockDim.x + t];
  }
  out[t] = sum;
}
