// Particles.
struct Params {
  float cell, dt;
  int nx, ny;
};
__constant__ Params kP = {0.25f, 0.01f, 8, 8};
__device__ int cell_of(float2 p) {
  int cx = min(max((int)((p.x + 1) / kP.cell), 0), kP.nx - 1),
      cy = min(max((int)((p.y + 1) / kP.cell), 0), kP.ny - 1);
  return cy * kP.nx + cx;
}
__global__ void cell_count(const float2* pos, int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[cell_of(pos[i])], 1);
}
// builds the lists and makes the forces in one block, lists kept in shared memory in particle order
// (deterministic)
__global__ void cell_forces(const float2* pos, float2* force, int* pairs, int n) {
  __shared__ unsigned short list[64][12];
  __shared__ int used[64];
  int t = threadIdx.x;
  if (t < 64) {
    int k = 0;
    for (int i = 0; i < n; ++i)
      if (cell_of(pos[i]) == t && k < 12) list[t][k++] = i;
    used[t] = k;
  }
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) {
    float2 p = pos[i], f = {0, 0};
    int c = cell_of(p), cx = c % kP.nx, cy = c / kP.nx, near = 0;
    for (int y = cy - 1; y <= cy + 1; ++y) {
      if (y < 0 || y >= kP.ny) continue;
      for (int x = cx - 1; x <= cx + 1; ++x) {
        if (x < 0 || x >= kP.nx) continue;
        int q = y * kP.nx + x;
        for (int k = 0; k < used[q]; ++k) {
          int j = list[q][k];
          if (j == i) continue;
          float dx = pos[j].x - p.x, dy = pos[j].y - p.y, d2 = dx * dx + dy * dy;
          if (d2 > kP.cell * kP.cell || d2 < 1e-9f) continue;
          float w = kP.cell - sqrtf(d2);
          f.x -= dx * w;
          f.y -= dy * w;
          ++near;
        }
      }
    }
    force[i] = f;
    pairs[i] = near;
  }
}
template <bool Soft>
__global__ void nbody(const float4* p, float3* acc, int n) {
  extern __shared__ float4 tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = i < n ? p[i] : make_float4(0, 0, 0, 0);
  float3 a = {0, 0, 0};
  for (int b = 0; b < n; b += blockDim.x) {
    if (b + threadIdx.x < n) tile[threadIdx.x] = p[b + threadIdx.x];
    __syncthreads();
    int m = min((int)blockDim.x, n - b);
#pragma unroll 4
    for (int j = 0; j < m; ++j) {
      float4 o = tile[j];
      float x = o.x - me.x, y = o.y - me.y, z = o.z - me.z,
            r2 = x * x + y * y + z * z + (Soft ? 0.01f : 0.f);
      if (!Soft && r2 == 0) continue;
      float k = o.w * rsqrtf(r2) / r2;
      a.x += x * k;
      a.y += y * k;
      a.z += z * k;
    }
    __syncthreads();
  }
  if (i < n) acc[i] = a;
}
template __global__ void nbody<true>(const float4*, float3*, int);
template __global__ void nbody<false>(const float4*, float3*, int);
__global__ void lennard_pairs(const float* x, const float* y, const float* z, double* energy, int n,
                              float cut2) {  // upper triangle by linear index
  int total = n * (n - 1) / 2;
  double e = 0;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < total; k += gridDim.x * blockDim.x) {
    int i = (int)((2 * n - 1 - sqrtf((2.f * n - 1) * (2.f * n - 1) - 8.f * k)) / 2);
    while (i * (2 * n - i - 1) / 2 > k) --i;
    while ((i + 1) * (2 * n - i - 2) / 2 <= k) ++i;
    int j = k - i * (2 * n - i - 1) / 2 + i + 1;
    float dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j], r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < cut2) {
      float s = 0.01f / r2, s3 = s * s * s;
      e += 4.0 * (s3 * s3 - s3);
    }
  }
  for (int o = 16; o; o >>= 1) e += __shfl_down_sync(~0u, e, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(energy, e);
}
__global__ void deposit(const float2* pos, const float* charge, float* grid, int n,
                        int side) {  // cloud in cell, a private tile per block
  extern __shared__ float g[];
  for (int i = threadIdx.x; i < side * side; i += blockDim.x) g[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float x = (pos[i].x + 1) * 0.5f * (side - 1.001f), y = (pos[i].y + 1) * 0.5f * (side - 1.001f);
    int ix = (int)x, iy = (int)y;
    float fx = x - ix, fy = y - iy, q = charge[i];
    atomicAdd(&g[iy * side + ix], q * (1 - fx) * (1 - fy));
    atomicAdd(&g[iy * side + ix + 1], q * fx * (1 - fy));
    atomicAdd(&g[(iy + 1) * side + ix], q * (1 - fx) * fy);
    atomicAdd(&g[(iy + 1) * side + ix + 1], q * fx * fy);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < side * side; i += blockDim.x)
    if (g[i] != 0) atomicAdd(&grid[i], g[i]);
}
__global__ void boids(const float4* in, float4* out, int n, float radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 me = in[i];
  float cx = 0, cy = 0, vx = 0, vy = 0, ax = 0, ay = 0;
  int k = 0;
  for (int j = 0; j < n; ++j) {
    if (j == i) continue;
    float4 o = __ldg(in + j);
    float dx = o.x - me.x, dy = o.y - me.y, d = dx * dx + dy * dy;
    if (d > radius * radius) continue;
    cx += o.x;
    cy += o.y;
    vx += o.z;
    vy += o.w;
    ++k;
    if (d < radius * radius * 0.1f) {
      ax -= dx;
      ay -= dy;
    }
    if (k >= 12) break;
  }
  if (k) {
    me.z += 0.01f * (cx / k - me.x) + 0.1f * (vx / k - me.z) + ax;
    me.w += 0.01f * (cy / k - me.y) + 0.1f * (vy / k - me.w) + ay;
  }
  float speed = sqrtf(me.z * me.z + me.w * me.w);
  if (speed > 1) {
    me.z /= speed;
    me.w /= speed;
  }
  me.x += me.z * 0.1f;
  me.y += me.w * 0.1f;
  out[i] = me;
}
__global__ void collisions(const float4* box, unsigned char* pairs, int* count,
                           int n) {  // sweep and prune on a 2D grid of pairs
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  bool hit = false;
  if (i < n && j < n && i < j) {
    float4 a = box[i], b = box[j];
    hit = fabsf(a.x - b.x) < fabsf(a.z) + fabsf(b.z) && fabsf(a.y - b.y) < fabsf(a.w) + fabsf(b.w);
  }
  if (hit) pairs[i * n + j] = 1;
  int c = __syncthreads_count(hit);
  if (threadIdx.x == 0 && threadIdx.y == 0 && c) atomicAdd(count, c);
}
