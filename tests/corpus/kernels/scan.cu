// Prefix sums.

extern "C" __global__ void scan_hillis_steele(const int* in, int* out) {
  extern __shared__ int buffer[];
  const int n = blockDim.x;
  const int t = threadIdx.x;
  int from = 0;
  buffer[t] = in[blockIdx.x * n + t];
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    const int to = 1 - from;
    buffer[to * n + t] = t >= d ? buffer[from * n + t] + buffer[from * n + t - d]
                                : buffer[from * n + t];
    from = to;
    __syncthreads();
  }
  out[blockIdx.x * n + t] = buffer[from * n + t];
}

#ifdef AVOID_CONFLICTS
#define AT(i) ((i) + ((i) >> 5))
#else
#define AT(i) (i)
#endif

extern "C" __global__ void scan_blelloch(const int* in, int* out) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  const int n = 2 * blockDim.x;
  const int base = blockIdx.x * n;
  s[AT(t)] = in[base + t];
  s[AT(t + n / 2)] = in[base + t + n / 2];
  int offset = 1;
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      const int a = offset * (2 * t + 1) - 1;
      const int b = offset * (2 * t + 2) - 1;
      s[AT(b)] += s[AT(a)];
    }
    offset *= 2;
  }
  if (t == 0) s[AT(n - 1)] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      const int a = offset * (2 * t + 1) - 1;
      const int b = offset * (2 * t + 2) - 1;
      const int kept = s[AT(a)];
      s[AT(a)] = s[AT(b)];
      s[AT(b)] += kept;
    }
  }
  __syncthreads();
  out[base + t] = s[AT(t)];
  out[base + t + n / 2] = s[AT(t + n / 2)];
}

__device__ int warp_scan(int value) {
  const int lane = threadIdx.x & 31;
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, value, d);
    if (lane >= d) value += other;
  }
  return value;
}

extern "C" __global__ void scan_warp_shuffle(const int* in, int* out) {
  __shared__ int totals[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = warp_scan(in[i]);
  const int warp = threadIdx.x / 32;
  if ((threadIdx.x & 31) == 31) totals[warp] = value;
  __syncthreads();
  if (warp == 0) totals[threadIdx.x] = warp_scan(totals[threadIdx.x]);
  __syncthreads();
  if (warp > 0) value += totals[warp - 1];
  out[i] = value;
}

// Each thread scans eight values in registers, then the block scans the sums.
extern "C" __global__ void scan_registers(const int4* in, int4* out) {
  __shared__ int totals[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int4 a = in[2 * i];
  int4 b = in[2 * i + 1];
  a.y += a.x, a.z += a.y, a.w += a.z;
  b.x += a.w, b.y += b.x, b.z += b.y, b.w += b.z;
  const int scanned = warp_scan(b.w);
  const int warp = threadIdx.x / 32;
  if ((threadIdx.x & 31) == 31) totals[warp] = scanned;
  __syncthreads();
  int before = scanned - b.w;
  for (int w = 0; w < warp; ++w) before += totals[w];
  a.x += before, a.y += before, a.z += before, a.w += before;
  b.x += before, b.y += before, b.z += before, b.w += before;
  out[2 * i] = a;
  out[2 * i + 1] = b;
}
