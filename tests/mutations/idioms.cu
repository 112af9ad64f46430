// Ways of working together that are correct, and that a check must leave alone.
// trace: --grid 4 --block 128 --arg f32[512]=random:1 --arg f64[4]=zero --arg u32[16]=zero --arg f32[512]=zero
#define FULL 0xffffffffu

// The programming guide's atomicAdd for double: the first look is no atomic.
__device__ double add_double(double* address, double value) {
  unsigned long long* bits = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__device__ void lock(unsigned* mutex) {
  while (atomicCAS(mutex, 0u, 1u) != 0u) {
  }
  __threadfence();
}
__device__ void unlock(unsigned* mutex) {
  __threadfence();
  atomicExch(mutex, 0u);
}

struct Pair {
  double weight;
  char kind;
};

__global__ void idioms(const float* in, double* sums, unsigned* words, float* out) {
  __shared__ float tile[128];
  __shared__ float message[32];
  __shared__ volatile int ready;
  __shared__ int found;
  __shared__ Pair pairs[32];
  __shared__ Pair copies[32];
  __shared__ unsigned char bytes[128];
  const int t = threadIdx.x;
  const int lane = t % 32;
  const int warp = t / 32;
  const int i = blockIdx.x * 128 + t;
  if (t == 0) {
    ready = 0;
    found = 0;
  }
  bytes[t] = static_cast<unsigned char>(t);
  if (t < 32) {
    pairs[t].weight = t;
    pairs[t].kind = 'a';
  }
  __syncthreads();

  // Several threads set one flag to one value.
  if (in[i] > 0.0f) found = 1;
  // Structures are copied with the gaps in them.
  if (t < 32) copies[t] = pairs[t];

  // One warp hands over to another by a flag.
  if (warp == 0) {
    message[lane] = in[i];
    __syncwarp();
    if (lane == 0) {
      __threadfence_block();
      ready = 1;
    }
  } else if (warp == 1) {
    if (lane == 0) {
      while (ready == 0) {
      }
      __threadfence_block();
    }
    __syncwarp();
    tile[lane] = message[31 - lane];
  }
  __syncthreads();

  // A warp by itself: values first, then the store.
  if (warp == 2) {
    float value = lane < 16 ? tile[lane + 16] : 0.0f;
    __syncwarp();
    tile[lane] += value;
    __syncwarp();
    if (lane < 8) tile[lane] += tile[lane + 8];
    __syncwarp();
  }
  // The old way, with the synchronisation that it needs since Volta.
  volatile float* v = tile;
  if (warp == 3) {
    v[64 + lane] = in[i];
    __syncwarp();
    if (lane < 16) v[64 + lane] += v[80 + lane];
    __syncwarp();
    if (lane < 8) v[64 + lane] += v[72 + lane];
    __syncwarp();
  }
  __syncthreads();
  const float kept = tile[t % 32] + found + static_cast<float>(copies[lane].weight) + copies[lane].kind +
                     bytes[127 - t];

  // Part of a warp, with a mask of its own.
  const unsigned half = __ballot_sync(FULL, lane < 16);
  float sum = kept;
  if (lane < 16) {
    for (int o = 8; o > 0; o /= 2) sum += __shfl_xor_sync(half, sum, o);
  }

  if (lane == 0) add_double(&sums[0], sum);
  atomicAdd(&words[0], 1u);
  if (words[1] < static_cast<unsigned>(i)) atomicMax(&words[1], static_cast<unsigned>(i));
  if (in[i] > 0.9f) words[2] = 1u;  // from any block, always the same

  // What a lock guards.
  if (t == 0) {
    lock(&words[3]);
    volatile double* guarded = sums;
    guarded[1] = guarded[1] + 1.0;
    sums[2] += 1.0;
    unlock(&words[3]);
  }

  // Each block waits for the one before it, and hands its sum on.
  __shared__ float before;
  if (t == 0) {
    volatile unsigned* turn = &words[4];
    while (*turn != blockIdx.x) {
    }
    __threadfence();
    before = blockIdx.x == 0 ? 0.0f : static_cast<float>(sums[3]);
    sums[3] = before + kept;
    __threadfence();
    atomicAdd(&words[4], 1u);
  }
  __syncthreads();
  out[i] = before + sum;
}
