// Volatile words between blocks that need no fence or have theirs: a hint to stop early, a status
// that carries its value, a scan that looks back, sums behind a red.release or a fence for all.
// trace: --grid 8 --block 32 --arg f32[256]=random:9 --arg f32[256]=zero --arg u32[4]=zero --arg u64[8]=zero --arg f32[32]=zero

// Status and value in one word: nothing to order.
__device__ float look_back_packed(volatile unsigned long long* status, float own) {
  float before = 0.0f;
  if (blockIdx.x > 0) {
    unsigned long long word;
    do {
      word = status[blockIdx.x - 1];
    } while ((word >> 32) == 0);
    before = __uint_as_float(static_cast<unsigned>(word));
  }
  status[blockIdx.x] = (1ull << 32) | __float_as_uint(before + own);
  return before;
}

// Value first, then its flag.
__device__ float look_back(volatile float* value, volatile unsigned* flag, float own) {
  float before = 0.0f;
  if (blockIdx.x > 0) {
    while (flag[0] < blockIdx.x) {
    }
    __threadfence();
    before = value[blockIdx.x - 1];  //@back
  }
  value[blockIdx.x] = before + own;  //@value
  __threadfence();
  atomicAdd(const_cast<unsigned*>(flag), 1u);
  return before;
}

// Left for the first block, which waits for all.
__device__ void collect(volatile float* sums, unsigned* done, float own) {
  sums[blockIdx.x] = own;
  if (blockIdx.x % 2 == 0) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(done) : "memory");
  } else {
    __threadfence_system();
    atomicAdd(done, 1u);
  }
  if (blockIdx.x != 0) return;
  while (atomicAdd(done, 0u) < gridDim.x) {
  }
  float sum = 0.0f;
  for (int b = 0; b < gridDim.x; ++b) sum += sums[b];
  sums[gridDim.x] = sum;
}

__global__ void scan(const float* in, float* out, unsigned* words, unsigned long long* status,
                     float* values) {
  __shared__ unsigned slot;
  const int t = threadIdx.x;
  volatile unsigned* stop = words + 1;
  for (;;) {
    if (*stop != 0) break;  // a hint
    if (t == 0) slot = atomicAdd(&words[0], 1u);
    __syncwarp();
    const unsigned at = slot;
    __syncwarp();
    if (at >= 8) break;
    const float value = in[at * 32 + t];
    out[at * 32 + t] = value;
    if (value > 2.0f || at == 7) *stop = 1;
  }
  float sum = in[blockIdx.x * 32 + t];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (t == 0) {
    const float before = look_back_packed(status, sum);
    values[8 + blockIdx.x] = before + look_back(values, words + 2, sum);
    collect(values + 16, words + 3, sum);
  }
}
