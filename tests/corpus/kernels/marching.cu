// Stencils that march: values of the planes or rows behind and ahead wait in registers.
#define R 4

// 25-point star in 3-D: the block holds a plane with halo in shared memory, z in registers.
extern "C" __global__ void star_3d(const float* __restrict__ in, float* __restrict__ out, int nx,
                                   int ny, int nz) {
  __shared__ float plane[8 + 2 * R][16 + 2 * R];
  const int x = blockIdx.x * 16 + threadIdx.x + R, y = blockIdx.y * 8 + threadIdx.y + R;
  const int tx = threadIdx.x + R, ty = threadIdx.y + R;
  const int step = nx * ny;
  int at = y * nx + x;
  float behind[R], ahead[R], now;
#pragma unroll
  for (int i = R - 1; i > 0; --i) {
    behind[i - 1] = in[at];
    at += step;
  }
  behind[R - 1] = 0.0f;
  now = in[at];
#pragma unroll
  for (int i = 0; i < R; ++i) ahead[i] = in[at + (i + 1) * step];
  for (int z = R; z < nz - R; ++z) {
#pragma unroll
    for (int i = R - 1; i > 0; --i) behind[i] = behind[i - 1];
    behind[0] = now;
    now = ahead[0];
#pragma unroll
    for (int i = 0; i < R - 1; ++i) ahead[i] = ahead[i + 1];
    at += step;
    ahead[R - 1] = in[at + R * step < nz * step ? at + R * step : at];
    __syncthreads();
    if (threadIdx.y < R) {
      plane[threadIdx.y][tx] = in[at - R * nx];
      plane[threadIdx.y + 8 + R][tx] = in[at + 8 * nx];
    }
    if (threadIdx.x < R) {
      plane[ty][threadIdx.x] = in[at - R];
      plane[ty][threadIdx.x + 16 + R] = in[at + 16];
    }
    plane[ty][tx] = now;
    __syncthreads();
    float sum = 0.5f * now;
#pragma unroll
    for (int i = 1; i <= R; ++i) {
      sum += 0.125f / i *
             (ahead[i - 1] + behind[i - 1] + plane[ty - i][tx] + plane[ty + i][tx] +
              plane[ty][tx - i] + plane[ty][tx + i]);
    }
    out[at] = sum;
  }
}

// Each warp walks down its 30 columns, neighbours come by shuffles: no shared memory.
extern "C" __global__ void heat_by_shuffles(const float* in, float* out, int w, int h) {
  const int lane = threadIdx.x & 31;
  const int x = (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)) * 30 + lane;
  if (x - lane + 2 >= w) return;
  const int col = min(x, w - 1);
  float up = in[col], mid = in[w + col];
  for (int y = 1; y < h - 1; ++y) {
    const float down = in[(y + 1) * w + col];
    const float left = __shfl_up_sync(~0u, mid, 1), right = __shfl_down_sync(~0u, mid, 1);
    if (lane > 0 && lane < 31 && x < w - 1) {
      out[y * w + x] = mid + 0.2f * (up + down + left + right - 4.0f * mid);
    }
    up = mid;
    mid = down;
  }
}

// Jacobi with the block's largest change, as double; blocks of 24 x 6 threads.
extern "C" __global__ void jacobi(const double* a, double* b, unsigned long long* change, int n) {
  __shared__ double worst[144];
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  double diff = 0.0;
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
    const double v =
        0.25 * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
    b[y * n + x] = v;
    diff = fabs(v - a[y * n + x]);
  }
  worst[t] = diff;
  __syncthreads();
  for (int half = 128; half > 0; half >>= 1) {
    if (t < half && t + half < 144) worst[t] = fmax(worst[t], worst[t + half]);
    __syncthreads();
  }
  if (t == 0) atomicMax(change, (unsigned long long)__double_as_longlong(worst[0]));
}

// Red-black Gauss-Seidel in place: half of the points at a time.
extern "C" __global__ void red_black(float* u, const float* f, int n, int colour) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + ((y + colour) & 1);
  if (x >= n - 1 || y >= n - 1) return;
  u[y * n + x] = 0.25f * (u[y * n + x - 1] + u[y * n + x + 1] + u[(y - 1) * n + x] +
                          u[(y + 1) * n + x] - f[y * n + x]);
}

// Lattice Boltzmann (D2Q9), periodic, one array per direction, read shifted, written in place.
extern "C" __global__ void lattice_boltzmann(const float* __restrict__ from, float* __restrict__ to,
                                             int nx, int ny, float omega) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx * ny) return;
  const int x = i % nx, y = i / nx;
  const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const float weight[9] = {4 / 9.f,  1 / 9.f,  1 / 9.f,  1 / 9.f, 1 / 9.f,
                           1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
  float f[9], rho = 0.0f, ux = 0.0f, uy = 0.0f;
#pragma unroll
  for (int d = 0; d < 9; ++d) {
    const int sx = (x - ex[d] + nx) % nx, sy = (y - ey[d] + ny) % ny;
    f[d] = from[d * nx * ny + sy * nx + sx];
    rho += f[d];
    ux += ex[d] * f[d];
    uy += ey[d] * f[d];
  }
  ux /= rho;
  uy /= rho;
#pragma unroll
  for (int d = 0; d < 9; ++d) {
    const float cu = 3.0f * (ex[d] * ux + ey[d] * uy);
    const float equal = weight[d] * rho * (1.0f + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
    to[d * nx * ny + i] = f[d] + omega * (equal - f[d]);
  }
}
