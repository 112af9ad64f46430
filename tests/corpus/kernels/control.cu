// Control flow, functions, local memory, odd shapes of blocks.

extern "C" __global__ void divergent_switch(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i];
  switch (v & 7) {
    case 0: v = v * 3 + 1; break;
    case 1: v = out[i] + 2; break;
    case 2: for (int j = 0; j < (v >> 3 & 3); ++j) v ^= v << 1; break;
    case 3: v = v / 7; break;
    case 5: v = __popc(v); break;
    case 6: return;
    default: v = -v;
  }
  out[i] = v;
}

extern "C" __global__ void divergent_loop(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[i] & 1023, steps = 0;
  while (v > 1) {
    v = v & 1 ? 3 * v + 1 : v / 2;
    ++steps;
  }
  out[i] = steps;
}

extern "C" __global__ void early_exit(const float* in, float* out, int n) {
  __shared__ float s[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (i >= n) return;
  if (s[threadIdx.x] < 0) return;
  out[i] = s[threadIdx.x] + s[threadIdx.x ^ 1];
}

extern "C" __global__ void local_indexed(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int table[32];
  for (int j = 0; j < 32; ++j) table[j] = in[j] ^ i;
  int sum = 0;
  for (int j = 0; j < 8; ++j) sum += table[(in[(i + j) & 1023] + i) & 31];
  out[i] = sum;
}

extern "C" __global__ void __launch_bounds__(128, 16) local_spills(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[64];
#pragma unroll
  for (int j = 0; j < 64; ++j) v[j] = in[i + 128 * j];
#pragma unroll
  for (int r = 0; r < 3; ++r) {
#pragma unroll
    for (int j = 0; j < 64; ++j) v[j] = v[j] * v[(j * 29 + 7 * r + 3) % 64] + v[(j * 11 + 5) % 64];
  }
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 64; ++j) sum += v[j];
  out[i] = sum;
}

__noinline__ __device__ float polynomial(float x, int degree) {
  float y = 1;
  for (int i = 0; i < degree; ++i) y = y * x + (float)i;
  return y;
}
__noinline__ __device__ float pick(const float* s, int i) { return s[i & 127] + polynomial(s[i & 63], i & 3); }

extern "C" __global__ void calls(const float* in, float* out) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  float v = pick(s, t * 3);
  if (t & 1) v += polynomial(v, 5);
  out[blockIdx.x * 128 + t] = v;
}

extern "C" __global__ void block_3d(const int* in, int* out, int w, int h, int d) {
  __shared__ int s[4][4][8];
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y,
            z = blockIdx.z * 4 + threadIdx.z;
  const bool inside = x < w && y < h && z < d;
  s[threadIdx.z][threadIdx.y][threadIdx.x] = inside ? in[(z * h + y) * w + x] : 0;
  __syncthreads();
  if (inside) out[(z * h + y) * w + x] = s[threadIdx.y][threadIdx.z][7 - threadIdx.x];
}

extern "C" __global__ void block_sums(const float* in, float* out, int n) {
  extern __shared__ float s[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  float sum = 0;
  for (unsigned j = 0; j < 3; ++j) sum += s[(threadIdx.x + j) % blockDim.x];
  if (i < n) out[i] = sum;
}

extern "C" __global__ void pointer_chase(const int* next, int* out, int steps, int mask) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < steps; ++i) at = next[at] & mask;
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

extern "C" __global__ void binary_search(const int* sorted, const int* keys, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int key = keys[i] & 4095;
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < key) low = middle + 1;
    else high = middle;
  }
  out[i] = low;
}

extern "C" __global__ void bitonic_sort(int* data) {
  __shared__ int s[512];
  const unsigned t = threadIdx.x;  // 256
  int* const block = data + blockIdx.x * 512;
  s[t] = block[t];
  s[t + 256] = block[t + 256];
  for (unsigned size = 2; size <= 512; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const unsigned a = 2 * t - (t & (stride - 1)), b = a + stride;
      const bool up = (a & size) == 0;
      if ((s[a] > s[b]) == up) {
        const int kept = s[a];
        s[a] = s[b];
        s[b] = kept;
      }
    }
  }
  __syncthreads();
  block[t] = s[t];
  block[t + 256] = s[t + 256];
}

extern "C" __global__ void monte_carlo(unsigned* hits, int steps) {
  unsigned state = 1234567u + 747796405u * (blockIdx.x * blockDim.x + threadIdx.x);
  unsigned inside = 0;
  for (int i = 0; i < steps; ++i) {
    state = state * 1664525u + 1013904223u;
    const float x = (float)(state >> 8) * (1.0f / 16777216.0f);
    state = state * 1664525u + 1013904223u;
    const float y = (float)(state >> 8) * (1.0f / 16777216.0f);
    inside += x * x + y * y < 1.0f;
  }
  for (int d = 16; d > 0; d >>= 1) inside += __shfl_down_sync(0xffffffffu, inside, d);
  if (threadIdx.x % 32 == 0) atomicAdd(hits, inside);
}

struct Body {
  float3 position;
  float mass;
};

extern "C" __global__ void n_body(const Body* bodies, float3* force, int n) {
  __shared__ Body s[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const Body me = bodies[i];
  float3 sum = make_float3(0, 0, 0);
  for (int tile = 0; tile < n; tile += 128) {
    s[threadIdx.x] = bodies[tile + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; ++j) {
      const float dx = s[j].position.x - me.position.x, dy = s[j].position.y - me.position.y,
                  dz = s[j].position.z - me.position.z;
      const float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
      const float f = s[j].mass * rsqrtf(d2 * d2 * d2);
      sum.x += f * dx;
      sum.y += f * dy;
      sum.z += f * dz;
    }
    __syncthreads();
  }
  force[i] = sum;
}

struct Pixel {
  unsigned char red;
  short depth;
  double weight;
  char tag;
};

extern "C" __global__ void shared_structs(const int* in, double* out) {
  __shared__ Pixel s[64];
  const int t = threadIdx.x;
  s[t].red = (unsigned char)in[t];
  s[t].depth = (short)in[t + 1];
  s[t].weight = in[t] * 0.5;
  s[t].tag = (char)t;
  __syncthreads();
  const Pixel& p = s[63 - t];
  out[t] = p.red + p.depth * p.weight + p.tag;
}

extern "C" __global__ void table_lookup(const unsigned char* in, unsigned char* out, int n) {
  __shared__ unsigned char table[256];
  __shared__ bool known[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    table[i] = (unsigned char)(i * 167 + 13);
    known[i] = i % 3 != 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned char v = in[i];
    out[i] = known[v] ? table[v] : 0;
  }
}
