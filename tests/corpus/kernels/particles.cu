// Particles: all pairs by tiles, neighbours by cells and lists, trees.

// float3 bodies (12 bytes) with masses apart, a block not a multiple of the count, softened.
template <int TILE>
__global__ void nbody_tiles(const float3* pos, const float* mass, float3* acc, int n, float eps2) {
  __shared__ float3 p[TILE];
  __shared__ float m[TILE];
  const int i = blockIdx.x * TILE + threadIdx.x;
  const float3 me = i < n ? pos[i] : make_float3(0, 0, 0);
  float3 a = {0.f, 0.f, 0.f};
  for (int base = 0; base < n; base += TILE) {
    const int j = base + threadIdx.x;
    p[threadIdx.x] = j < n ? pos[j] : make_float3(0, 0, 0);
    m[threadIdx.x] = j < n ? mass[j] : 0.f;
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < TILE; ++k) {
      const float dx = p[k].x - me.x, dy = p[k].y - me.y, dz = p[k].z - me.z;
      const float r2 = dx * dx + dy * dy + dz * dz + eps2;
      const float inv = rsqrtf(r2), w = m[k] * inv * inv * inv;
      a.x += dx * w;
      a.y += dy * w;
      a.z += dz * w;
    }
    __syncthreads();
  }
  if (i < n) acc[i] = a;
}

// SPH densities: cells of up to CAP particles, 20-byte particles, positions are fixed-point.
struct Particle {
  int x, y, mass;
  float rho;
  int id;
};

extern "C" __global__ void sph_density(const Particle* cells, const unsigned char* counts, float* rho, int nx, int ny, int cap, int h) {
  const int cx = blockIdx.x % nx, cy = blockIdx.x / nx;
  const int mine = counts[blockIdx.x] % (cap + 1);
  const float inv_h2 = 1.f / ((float)h * h);
  for (int k = threadIdx.x; k < mine; k += blockDim.x) {
    const Particle p = cells[blockIdx.x * cap + k];
    float sum = 0.f;
    for (int dy = -1; dy <= 1; ++dy) {
      if (cy + dy < 0 || cy + dy >= ny) continue;
      for (int dx = -1; dx <= 1; ++dx) {
        if (cx + dx < 0 || cx + dx >= nx) continue;
        const int other = (cy + dy) * nx + cx + dx;
        const int n = counts[other] % (cap + 1);
        for (int q = 0; q < n; ++q) {
          const Particle& o = cells[other * cap + q];
          const int ddx = (o.x & 1023) + dx * 1024 - (p.x & 1023), ddy = (o.y & 1023) + dy * 1024 - (p.y & 1023);
          const int d2 = ddx * ddx + ddy * ddy;
          if (d2 < h * h) {
            const float w = 1.f - d2 * inv_h2;
            sum += (o.mass & 255) * w * w * w;
          }
        }
      }
    }
    rho[blockIdx.x * cap + k] = sum;
  }
}

// Lennard-Jones with neighbour lists of doubles, 24-byte vectors, a switch over the species.
struct Vec { double x, y, z; };

__device__ __forceinline__ double wrap(double d, double box) { return d - box * rint(d / box); }

extern "C" __global__ void lennard_jones(const Vec* pos, const unsigned short* list, const unsigned char* lengths,
                                         const unsigned char* species, Vec* force, double* energy, int n, int longest, double box) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double e = 0;
  if (i < n) {
    const Vec p = pos[i];
    Vec f = {0, 0, 0};
    const int len = lengths[i] % (longest + 1);
    for (int k = 0; k < len; ++k) {
      const int j = list[k * n + i] % n;
      if (j == i) continue;
      const double dx = wrap(p.x - pos[j].x, box), dy = wrap(p.y - pos[j].y, box), dz = wrap(p.z - pos[j].z, box);
      const double r2 = dx * dx + dy * dy + dz * dz + 0.01;
      double eps, s2;
      switch ((species[i] & 3) + (species[j] & 3)) {
        case 0: eps = 1.0; s2 = 0.09; break;
        case 1: eps = 0.5; s2 = 0.04; break;
        case 3: eps = 2.0; s2 = 0.16; break;
        case 6: eps = 0.25; s2 = 0.01; break;
        default: eps = 0.75; s2 = 0.0625;
      }
      if (r2 > 25 * s2) continue;
      const double q = s2 / r2, q3 = q * q * q;
      const double w = 24 * eps * q3 * (2 * q3 - 1) / r2;
      f.x += w * dx, f.y += w * dy, f.z += w * dz;
      e += 4 * eps * q3 * (q3 - 1);
    }
    force[i] = f;
    energy[i] = e;
  }
}

// A quadtree in an implicit heap (4 k + 1 ...), opening by an integer criterion, a stack in local memory.
extern "C" __global__ void quadtree_walk(const int* weights, const unsigned short* xy, int* out, int* visits, int n, int levels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int px = xy[2 * i] & 255, py = xy[2 * i + 1] & 255;
  struct Node { int index; short x, y; unsigned char level; } stack[24];
  int top = 0, sum = 0, seen = 0;
  stack[top++] = Node{0, 0, 0, 0};
  while (top > 0) {
    const Node node = stack[--top];
    ++seen;
    const int size = 256 >> node.level;
    const int dx = max(abs(2 * px - 2 * node.x - size) - size, 0) / 2, dy = max(abs(2 * py - 2 * node.y - size) - size, 0) / 2;
    const int w = weights[node.index] & 255;
    if (node.level == levels - 1 || dx * dx + dy * dy > 2 * size * size) {
      sum += w * size;
      continue;
    }
    if (w < 16) continue;  // an empty quarter
    for (int q = 0; q < 4; ++q)
      stack[top++] = Node{4 * node.index + 1 + q, (short)(node.x + (q & 1) * size / 2), (short)(node.y + (q >> 1) * size / 2),
                          (unsigned char)(node.level + 1)};
  }
  out[i] = sum;
  visits[i] = seen;
}

// Particle-in-cell: charges dealt to a grid with bilinear integer weights, shared tile, then global atomics.
extern "C" __global__ void deposit(const uint2* where, const signed char* charge, int* grid, int n, int gw, int gh) {
  extern __shared__ int tile[];
  const int cells = gw * gh;
  for (int c = threadIdx.x; c < cells; c += blockDim.x) tile[c] = 0;
  __syncthreads();
  const int per = (n + gridDim.x - 1) / gridDim.x, end = min((int)(blockIdx.x + 1) * per, n);
  for (int i = blockIdx.x * per + threadIdx.x; i < end; i += blockDim.x) {
    const uint2 p = where[i];
    const int x = (p.x >> 4) % (gw - 1), y = (p.y >> 4) % (gh - 1), fx = p.x & 15, fy = p.y & 15, q = charge[i];
    int* at = tile + y * gw + x;
    atomicAdd(at, q * (16 - fx) * (16 - fy));
    atomicAdd(at + 1, q * fx * (16 - fy));
    atomicAdd(at + gw, q * (16 - fx) * fy);
    atomicAdd(at + gw + 1, q * fx * fy);
  }
  __syncthreads();
  for (int c = threadIdx.x; c < cells; c += blockDim.x)
    if (tile[c]) atomicAdd(&grid[c], tile[c]);
}
