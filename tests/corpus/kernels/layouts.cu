// How data lie: packed and nested structs, unions, Morton order, cache hints, volatile, arrays of a
// thread's own, ragged loops.
struct Vertex {
  float3 position;
  float3 normal;
  uchar4 colour;
};

extern "C" __global__ void light_vertices(const Vertex* in, Vertex* out, int n, float sx, float sy,
                                          float sz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float3 sun = make_float3(sx, sy, sz);
  Vertex v = in[i];
  const float d = fmaxf(0.0f, v.normal.x * sun.x + v.normal.y * sun.y + v.normal.z * sun.z);
  v.colour.x = (unsigned char)(v.colour.x * fminf(d, 1.0f));
  v.position.z += 0.5f;
  out[i] = v;
}

#pragma pack(push, 1)
struct Record {
  unsigned char kind;
  unsigned short length;
  unsigned value;
  unsigned char check;
};
#pragma pack(pop)

extern "C" __global__ void packed_records(const Record* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i].kind + in[i].length * 3u + in[i].value * 5u + in[i].check * 7u;
}

union Word {
  unsigned whole;
  unsigned short half[2];
  unsigned char byte[4];
};

extern "C" __global__ void swap_bytes(const unsigned* in, unsigned* out, int n, int by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    Word w, v;
    w.whole = in[i];
    for (int b = 0; b < 4; ++b) v.byte[b] = w.byte[(b + by) & 3];
    v.half[by & 1] ^= 0x5a5a;
    out[i] = v.whole;
  }
}

__device__ unsigned spread(unsigned v) {
  v = (v | v << 8) & 0x00ff00ffu;
  v = (v | v << 4) & 0x0f0f0f0fu;
  v = (v | v << 2) & 0x33333333u;
  return (v | v << 1) & 0x55555555u;
}

extern "C" __global__ void morton(const float* in, float* out, int w) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[spread(x) | spread(y) << 1] = in[y * w + x];
}

extern "C" __global__ void cache_hints(const float4* in, const int* at, float4* out, float* tail,
                                       int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 a = __ldg(in + i), b = __ldcs(in + (i ^ 1)), c = __ldcg(in + (i + 5) % n);
  const int k = __ldca(at + i) & 7;
  float4 r = make_float4(a.x + b.x, a.y + c.y, b.z + c.z, a.w + k);
  __stcg(out + i, r);
  __stwt(tail + 2 * i, r.x);
  __stcs(tail + 2 * i + 1, r.y);
}

// The warp's last steps without barriers, as before Volta but with __syncwarp.
extern "C" __global__ void volatile_tail(const float* in, float* out) {
  __shared__ float s[192];
  volatile float* v = s;
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 192 + t];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64] + s[t + 128];
  __syncthreads();
  if (t < 32) {
    v[t] = v[t] + v[t + 32];
    __syncwarp();
    for (int half = 16; half > 0; half >>= 1) {
      float sum = 0.0f;
      if (t < half) sum = v[t] + v[t + half];
      __syncwarp();
      if (t < half) v[t] = sum;
      __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = v[0];
  }
}

// A stack of each thread's own: depth first through an implicit tree.
extern "C" __global__ void tree_walk(const float* weight, float* best, int nodes, int budget) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int stack[24];
  int depth = 0;
  stack[depth++] = 0;
  float most = -1e30f;
  while (depth > 0 && budget-- > 0) {
    const int node = stack[--depth];
    const float w = weight[(node * 17 + i) % nodes];
    most = fmaxf(most, w);
    if (w < -0.3f) continue;
    if (2 * node + 2 < nodes) stack[depth++] = 2 * node + 2;
    if (2 * node + 1 < nodes) stack[depth++] = 2 * node + 1;
  }
  best[i] = most;
}

// A histogram of each thread's own in local memory, summed up by the block.
extern "C" __global__ void local_bins(const unsigned char* in, int* out, int each) {
  int bins[16];
#pragma unroll 1
  for (int b = 0; b < 16; ++b) bins[b] = 0;
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  for (int k = 0; k < each; ++k) ++bins[in[first + k] >> 4];
#pragma unroll 1
  for (int b = 0; b < 16; ++b) {
    int sum = bins[b];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x % 32 == b) atomicAdd(out + b, sum);
  }
}

// Loops of a length that no unrolling divides.
template <int kUnroll>
__global__ void ragged(const float* in, float* out, int n, int step) {
  float sum = 0.0f;
  const int lane = threadIdx.x;
#pragma unroll kUnroll
  for (int i = lane; i < n - lane % 5; i += step) {
    if (in[i] > 0.5f) sum += in[i];
    if (sum > 6.0f) break;
  }
  out[blockIdx.x * blockDim.x + lane] = sum;
}

struct Polynomial {
  float c[6];
  __device__ __noinline__ float at(float x) const {
    float v = c[5];
#pragma unroll
    for (int i = 4; i >= 0; --i) v = fmaf(v, x, c[i]);
    return v;
  }
};

__device__ __noinline__ float newton(const Polynomial& p, float x, int* rounds) {
  for (*rounds = 0; *rounds < 12; ++*rounds) {
    const float h = 1e-3f, y = p.at(x), slope = (p.at(x + h) - y) / h;
    if (fabsf(y) < 1e-3f || slope == 0.0f) return x;
    x -= y / slope;
  }
  return x;
}

extern "C" __global__ void roots(const float* in, float* out, int* rounds, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Polynomial p;
  for (int k = 0; k < 6; ++k) p.c[k] = in[(i + k) % n];
  int r;
  out[i] = newton(p, 0.25f, &r);
  rounds[i] = r;
}

// Planets: positions by tiles in shared memory, a pair of threads shares the work for one body.
extern "C" __global__ void gravity(const float4* body, float4* force, int n) {
  extern __shared__ float4 tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, half = threadIdx.y;
  const float4 me = body[i];
  float3 sum = {0.0f, 0.0f, 0.0f};
  for (int first = 0; first < n; first += 2 * blockDim.x) {
    tile[half * blockDim.x + threadIdx.x] = body[first + half * blockDim.x + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < (int)blockDim.x; ++k) {
      const float4 other = tile[half * blockDim.x + k];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float w = other.w * inverse * inverse * inverse;
      sum.x += w * dx;
      sum.y += w * dy;
      sum.z += w * dz;
    }
    __syncthreads();
  }
  tile[half * blockDim.x + threadIdx.x] = make_float4(sum.x, sum.y, sum.z, 0.0f);
  __syncthreads();
  if (half == 0) {
    const float4 other = tile[blockDim.x + threadIdx.x];
    force[i] = make_float4(sum.x + other.x, sum.y + other.y, sum.z + other.z, 0.0f);
  }
}

// A 3-D block over a volume, its faces turned: out[z][y][x] = in[x][z][y].
extern "C" __global__ void turn_volume(const float* in, float* out, int n) {
  __shared__ float s[4][8][9];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  const int bx = blockIdx.x * 8, by = blockIdx.y * 8, bz = blockIdx.z * 4;
  s[z][x][y] = in[((bx + y) * n + bz + z) * n + by + x];
  __syncthreads();
  out[((bz + z) * n + by + y) * n + bx + x] = s[z][y][x];
}
