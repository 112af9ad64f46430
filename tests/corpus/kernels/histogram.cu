// Histograms, and atomics of every kind.

extern "C" __global__ void histogram_global(const unsigned char* in, unsigned* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[in[i]], 1u);
  }
}

extern "C" __global__ void histogram_shared(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned s[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&s[in[i]], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    if (s[i] > 0) atomicAdd(&bins[i], s[i]);
  }
}

// One byte counter a thread and bin, as the CUDA samples have it.
extern "C" __global__ void histogram_private(const unsigned* in, unsigned* bins, int n) {
  __shared__ unsigned char s[64 * 64];
  const int t = threadIdx.x;  // 64
  const int at = (t & ~63) | ((t & 15) << 2) | ((t & 48) >> 4);
  for (int i = 0; i < 64; ++i) s[i * 64 + t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    const unsigned v = in[i];
    s[at + ((v >> 2) & 63) * 64]++;
    s[at + ((v >> 10) & 63) * 64]++;
    s[at + ((v >> 18) & 63) * 64]++;
    s[at + ((v >> 26) & 63) * 64]++;
  }
  __syncthreads();
  unsigned sum = 0;
  for (int i = 0; i < 64; ++i) sum += s[t * 64 + ((i + t) & 63)];
  atomicAdd(&bins[t], sum);
}

extern "C" __global__ void histogram_warp_private(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned s[4][256];
  const int warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 4 * 256; i += blockDim.x) s[i / 256][i % 256] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&s[warp][in[i] & 15], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    atomicAdd(&bins[i], s[0][i] + s[1][i] + s[2][i] + s[3][i]);
  }
}

// Warp-wide compaction: the ballot gives the place, one lane takes room for all.
extern "C" __global__ void compact_ballot(const int* in, int* out, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = in[i];
  const unsigned keep = __ballot_sync(0xffffffffu, value & 1);
  const int lane = threadIdx.x & 31;
  const int before = __popc(keep & ((1u << lane) - 1));
  const int warp = i / 32;
  if (value & 1) out[warp * 32 + before] = value;
  if (lane == 0) atomicAdd(count, __popc(keep));
}

extern "C" __global__ void global_atomics(const int* in, int* ints, unsigned* uints, float* floats,
                                          double* doubles, unsigned long long* longs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = in[i];
  atomicAdd(&ints[i & 31], v);
  atomicMax(&ints[32 + (v & 31)], v);
  atomicMin(&ints[64 + (v & 31)], v);
  atomicAnd(&uints[v & 31], (unsigned)v);
  atomicOr(&uints[32 + i % 7], (unsigned)v);
  atomicXor(&uints[64], (unsigned)v);
  atomicInc(&uints[65], 1000u);
  atomicExch(&uints[66 + (i & 15)], (unsigned)v);
  atomicCAS(&uints[96 + (i & 31)], 0u, (unsigned)v);
  atomicAdd(&floats[i & 63], 1.0f);
  atomicAdd(&doubles[i & 15], 1.0);
  atomicAdd(&longs[v & 15], 1ull);
  ints[128 + i] = atomicAdd(&ints[96 + (i & 3)], 1) & 0;
}

extern "C" __global__ void shared_atomics(const int* in, int* out) {
  __shared__ int s[256];
  __shared__ unsigned u[64];
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += blockDim.x) s[i] = 0;
  if (t < 64) u[t] = 0;
  __syncthreads();
  const int v = in[blockIdx.x * blockDim.x + t];
  atomicAdd(&s[t & 31], v);
  atomicMax(&s[32 + (v & 31)], v);
  atomicMin(&s[64 + (t & 7)], v);
  atomicAdd(&s[96 + 2 * (t & 15)], 1);
  atomicOr(&u[v & 31], (unsigned)v);
  atomicXor(&u[32], (unsigned)v);
  __syncthreads();
  for (int i = t; i < 256; i += blockDim.x) out[blockIdx.x * 256 + i] = s[i] + (int)u[i & 63];
}
