// geometry, wavefronts, pictures, odd structures
typedef unsigned u32; typedef unsigned char u8; typedef unsigned short u16;

struct Ball { float3 at; float radius; u32 colour; };           // 20 bytes
struct Hit { float t; int which; short shade; };                // 12 bytes
struct __attribute__((packed)) Odd { u8 kind; u16 size; u32 id; float w; };   // 11 bytes, packed
struct Three { u16 a, b, c; };

__constant__ float3 light = {0.577f, 0.577f, -0.577f};
__device__ __forceinline__ float3 sub(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ __forceinline__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
// ray against balls, with shadow ray and bounded bounces
extern "C" __global__ void __launch_bounds__(128) trace_balls(const float* __restrict__ seeds, Hit* out, int w, int h, int balls, int bounces)
{
  __shared__ Ball s[12];
  int tid = threadIdx.y * blockDim.x + threadIdx.x;
  if (tid < balls) { Ball b; b.at = make_float3(seeds[tid * 4] * 3, seeds[tid * 4 + 1] * 3, 4 + seeds[tid * 4 + 2]); b.radius = 0.3f + fabsf(seeds[tid * 4 + 3]); b.colour = tid * 37; s[tid] = b; }
  __syncthreads();
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float3 o = make_float3(0, 0, 0), d = make_float3((x - w * 0.5f) / w * 2, (y - h * 0.5f) / h * 2, 1); float inv = rsqrtf(dot(d, d)); d.x *= inv; d.y *= inv; d.z *= inv;
  Hit hit = {1e30f, -1, 0}; int shade = 0;
  for (int k = 0; k <= bounces; ++k) {
    float best = 1e30f; int who = -1;
    for (int i = 0; i < balls; ++i) {
      float3 oc = sub(o, s[i].at); float b = dot(oc, d), c = dot(oc, oc) - s[i].radius * s[i].radius, q = b * b - c;
      if (q < 0) continue;
      q = sqrtf(q); float t = -b - q; if (t < 1e-3f) t = -b + q; if (t < 1e-3f || t > best) continue;
      best = t; who = i;
    }
    if (who < 0) break;
    if (k == 0) { hit.t = best; hit.which = s[who].colour; }
    float3 p = make_float3(o.x + d.x * best, o.y + d.y * best, o.z + d.z * best), n = sub(p, s[who].at); float l = 1.f / s[who].radius; n.x *= l; n.y *= l; n.z *= l;
    bool dark = false; float ln = dot(n, light);
    for (int i = 0; i < balls && ln > 0 && !dark; ++i) { if (i == who) continue; float3 oc = sub(p, s[i].at); float b = dot(oc, light), c = dot(oc, oc) - s[i].radius * s[i].radius; dark = b < 0 && b * b > c; }
    shade += dark || ln <= 0 ? 5 : 5 + (int)(100 * ln) >> k;
    float r = 2 * dot(d, n); d = make_float3(d.x - r * n.x, d.y - r * n.y, d.z - r * n.z); o = p;
  }
  hit.shade = shade; out[y * w + x] = hit;
}

// packed and 6-byte records: filter and rewrite
extern "C" __global__ void records(const u8* __restrict__ raw, Odd* odd, Three* three, float3* vec, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  Odd o = ((const Odd*)raw)[t]; if ((u32)t % 3 == 0) o.size ^= o.kind * 257; o.w = (float)(o.id >> 8) * 0.5f;
  if (o.kind & 1) odd[t] = o; else { odd[t].kind = o.kind >> 1; odd[t].id = o.id + o.size; }
  Three q = {(u16)o.size, (u16)(o.id & 0xffff), (u16)t}; if (o.kind & 2) three[n - 1 - t] = q; else three[n - 1 - t].b = q.c;
  float3 v = vec[t]; vec[t] = make_float3(v.y, v.z + o.size, v.x);
}

__constant__ signed char edges[16][4] = {{-1,-1,-1,-1},{3,2,-1,-1},{2,1,-1,-1},{3,1,-1,-1},{0,1,-1,-1},{0,3,2,1},{0,2,-1,-1},{0,3,-1,-1},{0,3,-1,-1},{0,2,-1,-1},{0,1,3,2},{0,1,-1,-1},{3,1,-1,-1},{2,1,-1,-1},{3,2,-1,-1},{-1,-1,-1,-1}};
// marching squares: segments per cell, placed by a block-wide scan of counts
extern "C" __global__ void squares(const float* __restrict__ f, float4* lines, int* counts, int w, int h, float level)
{
  __shared__ int scan[256];
  int tid = threadIdx.y * blockDim.x + threadIdx.x, size = blockDim.x * blockDim.y, block = blockIdx.y * gridDim.x + blockIdx.x;
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; float v[4]; int code = 0;
  if (x < w - 1 && y < h - 1) {
    v[0] = f[y * w + x]; v[1] = f[y * w + x + 1]; v[2] = f[(y + 1) * w + x + 1]; v[3] = f[(y + 1) * w + x];
    for (int i = 0; i < 4; ++i) if (v[i] > level) code |= 8 >> i;
  }
  int n = code == 5 || code == 10 ? 2 : code != 0 && code != 15; scan[tid] = n; __syncthreads();
  for (int d = 1; d < size; d *= 2) { int a = tid >= d ? scan[tid - d] : 0; __syncthreads(); scan[tid] += a; __syncthreads(); }
  int at = block * size * 2 + scan[tid] - n;
  for (int k = 0; k < n; ++k) {
    float p[4];
    for (int e = 0; e < 2; ++e) {
      int g = edges[code][k * 2 + e]; float a = v[g & 3], b = v[(g + 1) & 3], q = a == b ? 0.5f : __saturatef((level - a) / (b - a));
      switch (g) { case 0: p[e * 2] = x + q; p[e * 2 + 1] = y; break; case 1: p[e * 2] = x + 1; p[e * 2 + 1] = y + q; break; case 2: p[e * 2] = x + 1 - q; p[e * 2 + 1] = y + 1; break; default: p[e * 2] = x; p[e * 2 + 1] = y + 1 - q; }
    }
    lines[at + k] = make_float4(p[0], p[1], p[2], p[3]);
  }
  if (tid == size - 1) counts[block] = scan[tid];
}

// Needleman-Wunsch in anti-diagonals with a block per pair; traceback by one thread
template<int MAXN> __global__ void align_pairs(const u8* __restrict__ a, const u8* __restrict__ b, short* score, u8* path, int n, int m)
{
  __shared__ short H[MAXN + 1][MAXN + 1];
  const u8 *x = a + blockIdx.x * n, *y = b + blockIdx.x * m;
  for (int i = threadIdx.x; i <= n; i += blockDim.x) H[i][0] = -2 * i;
  for (int j = threadIdx.x; j <= m; j += blockDim.x) H[0][j] = -2 * j;
  __syncthreads();
  for (int d = 2; d <= n + m; ++d) {
    int lo = max(1, d - m), hi = min(n, d - 1);
    for (int i = lo + threadIdx.x; i <= hi; i += blockDim.x) { int j = d - i, s = ((x[i - 1] ^ y[j - 1]) & 3) ? -1 : 3; H[i][j] = max(H[i - 1][j - 1] + s, max(H[i - 1][j], H[i][j - 1]) - 2); }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    int i = n, j = m, k = 0; u8* p = path + blockIdx.x * (n + m);
    while (i || j) {
      int s = i && j && !((x[i - 1] ^ y[j - 1]) & 3) ? 3 : -1;
      if (i && j && H[i][j] == H[i - 1][j - 1] + s) { --i; --j; p[k++] = 'D'; } else if (i && (!j || H[i][j] == H[i - 1][j] - 2)) { --i; p[k++] = 'U'; } else { --j; p[k++] = 'L'; }
    }
    score[blockIdx.x] = H[n][m];
  }
}

// dynamic time warping with a band, a warp per pair, previous column passed by shuffles
extern "C" __global__ void dtw(const float* __restrict__ a, const float* __restrict__ b, float* out, int n, int pairs, int band)
{
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (warp >= pairs) return;
  const float INF = 1e30f; float x = a[warp * 32 + lane], up = INF, left = INF, diag = INF, cur = INF;
  for (int d = 0; d < 32 + n - 1; ++d) {
    int j = d - lane; up = __shfl_up_sync(~0u, cur, 1); if (lane == 0) up = INF;
    float v = INF;
    if (j >= 0 && j < n && abs(j - lane) <= band) { float c = fabsf(x - b[warp * n + j]); float m = lane == 0 && j == 0 ? 0.f : fminf(fminf(up, diag), j ? left : INF); v = c + m; }
    diag = up; if (j >= 0 && j < n) { left = v; cur = v; } else cur = INF;
  }
  float r = __shfl_sync(~0u, left, 31);
  if (lane == 0) out[warp] = r;
}

// knapsack (0/1) row by row, two rows in shared, block per problem
extern "C" __global__ void knapsack(const u8* __restrict__ items, u16* best, int count, int cap)
{
  extern __shared__ u16 rows[]; u16 *p = rows, *q = rows + cap + 1;
  for (int c = threadIdx.x; c <= cap; c += blockDim.x) p[c] = 0;
  __syncthreads();
  for (int i = 0; i < count; ++i) {
    int w = items[(blockIdx.x * count + i) * 2] % 23 + 1, v = items[(blockIdx.x * count + i) * 2 + 1];
    for (int c = threadIdx.x; c <= cap; c += blockDim.x) q[c] = c >= w && p[c - w] + v > p[c] ? p[c - w] + v : p[c];
    __syncthreads(); u16* s = p; p = q; q = s;
  }
  for (int c = threadIdx.x; c <= cap; c += blockDim.x) best[blockIdx.x * (cap + 1) + c] = p[c];
}

// k-means on 3-vectors, per block, until assignments stop changing
template<int KK> __global__ void kmeans(const float3* __restrict__ pts, u8* label, float* centres, int n, int limit)
{
  __shared__ float cx[KK], cy[KK], cz[KK]; __shared__ int cn[KK];
  const float3* p = pts + blockIdx.x * n; u8* l = label + blockIdx.x * n;
  if (threadIdx.x < KK) { float3 v = p[threadIdx.x * 3 % n]; cx[threadIdx.x] = v.x; cy[threadIdx.x] = v.y; cz[threadIdx.x] = v.z; }
  for (int i = threadIdx.x; i < n; i += blockDim.x) l[i] = 255;
  for (int it = 0; it < limit; ++it) {
    __syncthreads(); int changed = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      float3 v = p[i]; float bd = 1e30f; int bk = 0;
      for (int k = 0; k < KK; ++k) { float dx = v.x - cx[k], dy = v.y - cy[k], dz = v.z - cz[k], d = dx * dx; if (d > bd) continue; d += dy * dy + dz * dz; if (d < bd) { bd = d; bk = k; } }
      if (l[i] != bk) { l[i] = bk; changed = 1; }
    }
    if (!__syncthreads_or(changed)) break;
    if (threadIdx.x < KK) { float x = 0, y = 0, z = 0; int c = 0; for (int i = 0; i < n; ++i) if (l[i] == threadIdx.x) { x += p[i].x; y += p[i].y; z += p[i].z; ++c; } cn[threadIdx.x] = c; if (c) { cx[threadIdx.x] = x / c; cy[threadIdx.x] = y / c; cz[threadIdx.x] = z / c; } }
  }
  if (threadIdx.x < KK) { float* o = centres + (blockIdx.x * KK + threadIdx.x) * 3; o[0] = cx[threadIdx.x]; o[1] = cy[threadIdx.x]; o[2] = cz[threadIdx.x] + 0 * cn[threadIdx.x]; }
}

// median of 3x3 of bytes with clamped edges; rgb24 to grey first in a shared halo
extern "C" __global__ void median_grey(const u8* __restrict__ rgb, u8* out, int w, int h)
{
  extern __shared__ u8 g[]; int bw = blockDim.x + 2, x0 = blockIdx.x * blockDim.x - 1, y0 = blockIdx.y * blockDim.y - 1, tid = threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = tid; i < bw * (blockDim.y + 2); i += blockDim.x * blockDim.y) {
    int x = min(max(x0 + i % bw, 0), w - 1), y = min(max(y0 + i / bw, 0), h - 1); const u8* p = rgb + (y * w + x) * 3; g[i] = (p[0] * 77 + p[1] * 150 + p[2] * 29) >> 8;
  }
  __syncthreads();
  int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
  if (x >= w || y >= h) return;
  u8 v[9];
  for (int i = 0; i < 9; ++i) { u8 n = g[(threadIdx.y + i / 3) * bw + threadIdx.x + i % 3]; int k = i; while (k > 0 && v[k - 1] > n) { v[k] = v[k - 1]; --k; } v[k] = n; }
  out[y * w + x] = v[4];
}

// Mandelbrot with an early exit, u16 stores, grid-stride over a list of tiles
template<typename T> __global__ void mandel(u16* out, int w, int h, int limit, T x0, T y0, T step)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w * h; i += gridDim.x * blockDim.x) {
    T cx = x0 + (i % w) * step, cy = y0 + (i / w) * step, x = 0, y = 0; int k = 0;
    { T q = (cx - (T)0.25) * (cx - (T)0.25) + cy * cy; if (q * (q + cx - (T)0.25) < (T)0.25 * cy * cy) { out[i] = 65535; continue; } }
    for (; k < limit; ++k) { T xx = x * x, yy = y * y; if (xx + yy > 4) break; y = 2 * x * y + cy; x = xx - yy + cx; }
    out[i] = k;
  }
}
