// Partial differential equations on grids.

// FDTD 3-D, radius R, marching along z: the queue in registers, the plane with its halo in shared memory.
template <int R>
__global__ void fdtd3d(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz, float c0, float c1, float c2) {
  // The volume is padded by R on every side.
  constexpr int BX = 16, BY = 8;
  __shared__ float plane[BY + 2 * R][BX + 2 * R];
  const int px = nx + 2 * R, py = ny + 2 * R, slab = px * py;
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * BX + tx, y = blockIdx.y * BY + ty;
  const bool valid = x < nx && y < ny;
  const float coef[3] = {c0, c1, c2};
  const int column = min(y, ny - 1) * px + min(x, nx - 1) + R * px + R;
  float queue[2 * R + 1];
#pragma unroll
  for (int k = 0; k < 2 * R; ++k) queue[k + 1] = in[k * slab + column];
  for (int z = 0; z < nz; ++z) {
#pragma unroll
    for (int k = 0; k < 2 * R; ++k) queue[k] = queue[k + 1];
    queue[2 * R] = in[(z + 2 * R) * slab + column];
    __syncthreads();
    for (int e = ty * BX + tx; e < (BY + 2 * R) * (BX + 2 * R); e += BX * BY) {
      const int sy = e / (BX + 2 * R), sx = e % (BX + 2 * R);
      const int gy = blockIdx.y * BY + sy, gx = blockIdx.x * BX + sx;
      plane[sy][sx] = gx < px && gy < py ? in[(z + R) * slab + gy * px + gx] : 0.f;
    }
    __syncthreads();
    float v = coef[0] * queue[R];
#pragma unroll
    for (int k = 1; k <= R; ++k)
      v += coef[k] * (queue[R - k] + queue[R + k] + plane[ty + R - k][tx + R] + plane[ty + R + k][tx + R] +
                      plane[ty + R][tx + R - k] + plane[ty + R][tx + R + k]);
    if (valid) out[(z + R) * slab + column] = v;
  }
}

// Heat in one dimension, several steps a launch: a block's segment shrinks by one on each side a step.
template <typename T>
__global__ void heat_trapezoid(const T* in, T* out, int n, int steps, T alpha) {
  extern __shared__ __align__(16) char bytes[];
  T* const now = reinterpret_cast<T*>(bytes);
  T* const then = now + blockDim.x;
  const int inner = blockDim.x - 2 * steps;
  const int g = blockIdx.x * inner + (int)threadIdx.x - steps, t = threadIdx.x;
  T* a = now;
  T* b = then;
  a[t] = g >= 0 && g < n ? in[g] : T(0);
  for (int s = 1; s <= steps; ++s) {
    __syncthreads();
    if (t >= s && t < (int)blockDim.x - s) {
      const bool edge = g <= 0 || g >= n - 1;
      b[t] = edge ? a[t] : a[t] + alpha * (a[t - 1] - T(2) * a[t] + a[t + 1]);
    }
    T* const swap = a;
    a = b;
    b = swap;
  }
  if (t >= steps && t < steps + inner && g < n) out[g] = a[t];
}

// Shallow water, Lax-Friedrichs, a cell of 12 bytes, periodic; the fluxes by a function not inlined.
struct Cell { float h, hu, hv; };

__device__ __noinline__ Cell flux(Cell c, int axis) {
  const float u = (axis ? c.hv : c.hu) / c.h;
  Cell f = {axis ? c.hv : c.hu, c.hu * u, c.hv * u};
  (axis ? f.hv : f.hu) += 0.5f * 9.81f * c.h * c.h;
  return f;
}

extern "C" __global__ void shallow_water(const Cell* in, Cell* out, int nx, int ny, float k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  Cell n[4];
  const int at[4] = {y * nx + (x + 1) % nx, y * nx + (x + nx - 1) % nx, (y + 1) % ny * nx + x, (y + ny - 1) % ny * nx + x};
  for (int d = 0; d < 4; ++d) {
    n[d] = in[at[d]];
    n[d].h += 3.f;
  }
  Cell r = {0, 0, 0};
  for (int d = 0; d < 4; ++d) {
    const Cell f = flux(n[d], d >> 1);
    const float s = d & 1 ? k : -k;
    r.h += 0.25f * n[d].h + s * f.h;
    r.hu += 0.25f * n[d].hu + s * f.hu;
    r.hv += 0.25f * n[d].hv + s * f.hv;
  }
  out[y * nx + x] = r;
}

// D2Q5 lattice Boltzmann of a scalar with obstacles from a bitmap; structure of arrays, pull.
__constant__ int kEx[5] = {0, 1, 0, -1, 0}, kEy[5] = {0, 0, 1, 0, -1};
__constant__ float kW[5] = {1.f / 3, 1.f / 6, 1.f / 6, 1.f / 6, 1.f / 6};

extern "C" __global__ void d2q5_pull(const float* f, float* g, const unsigned* walls, int w, int h, float omega, float ux, float uy) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w * h; i += gridDim.x * blockDim.x) {
    const int x = i % w, y = i / w, opposite[5] = {0, 3, 4, 1, 2};
    const bool wall = walls[i >> 5] >> (i & 31) & 1;
    float in[5], rho = 0.f;
    for (int d = 0; d < 5; ++d) {
      int sx = x - kEx[d], sy = y - kEy[d];
      sx += sx < 0 ? w : sx >= w ? -w : 0;
      sy = min(max(sy, 0), h - 1);
      const int s = sy * w + sx;
      const bool blocked = walls[s / 32] >> s % 32 & 1;
      in[d] = blocked ? f[opposite[d] * w * h + i] : f[d * w * h + s];
      rho += in[d];
    }
    if (wall) {
      for (int d = 0; d < 5; ++d) g[d * w * h + i] = in[opposite[d]];
      continue;
    }
    for (int d = 0; d < 5; ++d) {
      const float eq = kW[d] * rho * (1.f + 3.f * (kEx[d] * ux + kEy[d] * uy));
      g[d * w * h + i] = in[d] + omega * (eq - in[d]);
    }
  }
}

// Multigrid: full-weighting restriction of the residual of a 3-D Poisson problem, doubles.
extern "C" __global__ void restrict_residual(const double* u, const double* f, double* coarse, int nc, double h2) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nc || y >= nc || z >= nc) return;
  const int nf = 2 * nc + 1;
  double sum = 0;
  for (int dz = 0; dz < 3; ++dz)
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx) {
        const int i = 2 * x + dx, j = 2 * y + dy, k = 2 * z + dz, at = (k * nf + j) * nf + i;
        double r = f[at] - 6.0 / h2 * u[at];
        if (i > 0) r += u[at - 1] / h2;
        if (i < nf - 1) r += u[at + 1] / h2;
        if (j > 0) r += u[at - nf] / h2;
        if (j < nf - 1) r += u[at + nf] / h2;
        if (k > 0) r += u[at - nf * nf] / h2;
        if (k < nf - 1) r += u[at + nf * nf] / h2;
        sum += r * ((dx == 1 ? 2 : 1) * (dy == 1 ? 2 : 1) * (dz == 1 ? 2 : 1));
      }
  coarse[(z * nc + y) * nc + x] = sum / 64;
}

// Gauss-Seidel by a wavefront inside the block: diagonal after diagonal, SOR.
extern "C" __global__ void sor_wavefront(float* u, const float* f, int n, int sweeps, float omega) {
  extern __shared__ float s[];
  const int w = n + 2, t = threadIdx.x;
  float* const mine = u + blockIdx.x * w * w;
  for (int e = t; e < w * w; e += blockDim.x) s[e] = mine[e];
  __syncthreads();
  for (int k = 0; k < sweeps; ++k)
    for (int diag = 2; diag <= 2 * n; ++diag) {
      const int lo = max(1, diag - n), hi = min(n, diag - 1);
      for (int y = lo + t; y <= hi; y += blockDim.x) {
        const int at = y * w + diag - y;
        const float gs = 0.25f * (s[at - 1] + s[at + 1] + s[at - w] + s[at + w] - f[blockIdx.x * n * n + (y - 1) * n + diag - y - 1]);
        s[at] += omega * (gs - s[at]);
      }
      __syncthreads();
    }
  for (int e = t; e < w * w; e += blockDim.x) mine[e] = s[e];
}
