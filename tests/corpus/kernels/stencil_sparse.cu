#include <cuda_fp16.h>
#define IN_TILE 10
#define OUT_TILE 8
// 3D 7-point, all in shared
extern "C" __global__ void stencil3d_shared(const float* in, float* out, int N) {
  int i = blockIdx.z * OUT_TILE + threadIdx.z - 1, j = blockIdx.y * OUT_TILE + threadIdx.y - 1,
      k = blockIdx.x * OUT_TILE + threadIdx.x - 1;
  __shared__ float in_s[IN_TILE][IN_TILE][IN_TILE];
  if (i >= 0 && i < N && j >= 0 && j < N && k >= 0 && k < N)
    in_s[threadIdx.z][threadIdx.y][threadIdx.x] = in[i * N * N + j * N + k];
  __syncthreads();
  if (i >= 1 && i < N - 1 && j >= 1 && j < N - 1 && k >= 1 && k < N - 1) {
    if (threadIdx.z >= 1 && threadIdx.z < IN_TILE - 1 && threadIdx.y >= 1 &&
        threadIdx.y < IN_TILE - 1 && threadIdx.x >= 1 && threadIdx.x < IN_TILE - 1) {
      out[i * N * N + j * N + k] = 0.4f * in_s[threadIdx.z][threadIdx.y][threadIdx.x] +
                                   0.1f * (in_s[threadIdx.z][threadIdx.y][threadIdx.x - 1] +
                                           in_s[threadIdx.z][threadIdx.y][threadIdx.x + 1] +
                                           in_s[threadIdx.z][threadIdx.y - 1][threadIdx.x] +
                                           in_s[threadIdx.z][threadIdx.y + 1][threadIdx.x] +
                                           in_s[threadIdx.z - 1][threadIdx.y][threadIdx.x] +
                                           in_s[threadIdx.z + 1][threadIdx.y][threadIdx.x]);
    }
  }
}
// 3D marching along z: previous and next in registers
extern "C" __global__ void stencil3d_march(const double* __restrict__ in, double* __restrict__ out,
                                           int nx, int ny, int nz) {
  __shared__ double p[8 + 2][16 + 2];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, tx = threadIdx.x + 1,
      ty = threadIdx.y + 1;
  bool in_ = x < nx && y < ny;
  int plane = nx * ny, at = y * nx + x;
  double below = 0, cur = in_ ? in[at] : 0, above = in_ && nz > 1 ? in[at + plane] : 0;
  for (int z = 0; z < nz; ++z, at += plane) {
    p[ty][tx] = cur;
    if (threadIdx.x == 0) p[ty][0] = in_ && x > 0 ? in[at - 1] : 0;
    if (threadIdx.x == 15) p[ty][17] = x + 1 < nx && y < ny ? in[at + 1] : 0;
    if (threadIdx.y == 0) p[0][tx] = in_ && y > 0 ? in[at - nx] : 0;
    if (threadIdx.y == 7) p[9][tx] = x < nx && y + 1 < ny ? in[at + nx] : 0;
    __syncthreads();
    if (in_) {
      int right = x + 1 < nx, down = y + 1 < ny;
      out[at] = -6.0 * cur + below + above + p[ty][tx - 1] + p[ty - 1][tx] +
                (right ? p[ty][tx + 1] : 0.0) + (down ? p[ty + 1][tx] : 0.0);
    }
    __syncthreads();
    below = cur;
    cur = above;
    above = in_ && z + 2 < nz ? in[at + 2 * plane] : 0;
  }
}
// 2D Jacobi, several time steps inside the block (overlapped tiling)
template <int STEPS>
__global__ void jacobi_temporal(const float* in, float* out, int n) {
  constexpr int W = 32, H = 16;
  __shared__ float a[2][H][W];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = (int)blockIdx.x * (W - 2 * STEPS) + tx - STEPS,
      y = (int)blockIdx.y * (H - 2 * STEPS) + ty - STEPS;
  bool inside = x >= 0 && y >= 0 && x < n && y < n;
  a[0][ty][tx] = inside ? in[y * n + x] : 0.f;
  __syncthreads();
  bool edge = x <= 0 || y <= 0 || x >= n - 1 || y >= n - 1;
  int cur = 0;
#pragma unroll
  for (int s = 1; s <= STEPS; ++s) {
    float v = a[cur][ty][tx];
    if (tx >= s && tx < W - s && ty >= s && ty < H - s && !edge)
      v = 0.25f *
          (a[cur][ty][tx - 1] + a[cur][ty][tx + 1] + a[cur][ty - 1][tx] + a[cur][ty + 1][tx]);
    a[cur ^ 1][ty][tx] = v;
    cur ^= 1;
    __syncthreads();
  }
  if (inside && tx >= STEPS && tx < W - STEPS && ty >= STEPS && ty < H - STEPS)
    out[y * n + x] = a[cur][ty][tx];
}
extern "C" __global__ void game_of_life(const unsigned char* in, unsigned char* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int n = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy) n += in[(y + dy + h) % h * w + (x + dx + w) % w] & 1;
  unsigned char me = in[y * w + x] & 1;
  out[y * w + x] = n == 3 || (me && n == 2);
}
// ---------------------------------------------------------------- sparse; rows of pseudo random
// length made from a base array
extern "C" __global__ void spmv_csr_scalar(const int* rowlen, const unsigned* col, const float* val,
                                           const float* x, float* y, int rows, int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    float dot = 0;
    int b = r * width, e = b + (rowlen[r] & 15);
    for (int i = b; i < e; i++) dot += val[i] * x[col[i] % rows];
    y[r] += dot;
  }
}
template <int T>
__global__ void spmv_csr_vector(const int* rowlen, const unsigned* col, const double* val,
                                const double* __restrict__ x, double* y, int rows, int width) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  int r = tid / T, lane = tid % T;
  double s = 0;
  if (r < rows) {
    int b = r * width, e = b + (rowlen[r] & (width - 1));
    for (int i = b + lane; i < e; i += T) s += val[i] * __ldg(&x[col[i] % rows]);
  }
#pragma unroll
  for (int o = T / 2; o; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o, T);
  if (r < rows && lane == 0) y[r] = s;
}
extern "C" __global__ void spmv_ell(const unsigned short* col, const float* val, const float* x,
                                    float* y, int rows, int maxnnz) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float dot = 0.f;
  for (int i = 0; i < maxnnz; i++) {
    int c = col[i * rows + r];
    if (c % 7 != 0) dot += val[i * rows + r] * x[c % rows];
  }
  y[r] = dot;
}
extern "C" __global__ void spmv_coo(const unsigned* row, const unsigned* col, const float* val,
                                    const float* x, float* y, int nnz, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nnz; i += blockDim.x * gridDim.x)
    atomicAdd(&y[row[i] % n], val[i] * x[col[i] % n]);
}
// ---------------------------------------------------------------- n-body
__device__ __forceinline__ float3 bodyBodyInteraction(float3 ai, float4 bi, float4 bj, float eps2) {
  float3 r = {bj.x - bi.x, bj.y - bi.y, bj.z - bi.z};
  float d2 = r.x * r.x + r.y * r.y + r.z * r.z + eps2;
  float inv = rsqrtf(d2), s = bj.w * inv * inv * inv;
  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}
extern "C" __global__ void nbody_tiles(const float4* pos, float4* acc, int n, float eps2) {
  extern __shared__ float4 sp[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = i < n ? pos[i] : make_float4(0, 0, 0, 0);
  float3 a = {0, 0, 0};
  for (int t = 0; t < n; t += blockDim.x) {
    sp[threadIdx.x] = t + threadIdx.x < n ? pos[t + threadIdx.x] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < blockDim.x; ++j) a = bodyBodyInteraction(a, me, sp[j], eps2);
    __syncthreads();
  }
  if (i < n) acc[i] = make_float4(a.x, a.y, a.z, 0.f);
}
// ---------------------------------------------------------------- matrix times vector
extern "C" __global__ void gemv_row_thread(const float* A, const float* x, float* y, int m, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < m) {
    float s = 0;
    for (int i = 0; i < n; ++i) s += A[r * n + i] * x[i];
    y[r] = s;
  }
}
extern "C" __global__ void gemv_warp_f4(const float4* A, const float4* x, float* y, int m, int n4) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= m) return;
  float s = 0;
  for (int i = lane; i < n4; i += 32) {
    float4 a = A[r * n4 + i], b = x[i];
    s += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (lane == 0) y[r] = s;
}
extern "C" __global__ void gemv_t_half8(const uint4* A, const float* x, float* y, int rows,
                                        int cols8) {
  // columns by threads, 8 halves per load; rows split over blockIdx.y
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols8) return;
  float acc[8] = {};
  for (int r = blockIdx.y; r < rows; r += gridDim.y) {
    uint4 u = A[r * cols8 + c];
    const __half2* h = reinterpret_cast<const __half2*>(&u);
    float xv = x[r];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float2 f = __half22float2(h[i]);
      acc[2 * i] += f.x * xv;
      acc[2 * i + 1] += f.y * xv;
    }
  }
  for (int i = 0; i < 8; ++i) atomicAdd(&y[c * 8 + i], acc[i]);
}
