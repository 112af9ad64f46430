// Kernels of `tilescope model calibrate`. Each does one thing `rounds` times, so that the times of
// few and of many rounds tell what one of them takes; app/gpu/calibration.cpp has their launches.
// All buffers are zero before the launch. What is written only keeps the work from being left out.

constexpr int kLineWords = 32;  // of 4 bytes in a line of 128

// An empty kernel: what a launch, a block and a warp take to start.
extern "C" __global__ void empty() {}

// Multiplies on every multiprocessor for so many times 1,024 clocks.
extern "C" __global__ void multiply_for(float* out, int kiloclocks) {
  const long long end = clock64() + 1024LL * kiloclocks;
  float a = threadIdx.x;
  float b = threadIdx.x + 1.0f;
  do {
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      a = fmaf(a, 0.5f, 1.0f);
      b = fmaf(b, 0.5f, 1.0f);
    }
  } while (clock64() < end);
  if (a + b == 0) out[0] = a;  // never: both end near 2
}

extern "C" __global__ void barriers(int rounds) {
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) __syncthreads();
}

// One thread goes from word to word of shared memory; each says which is next.
extern "C" __global__ void follow_shared(int* out, int rounds) {
  constexpr int kWords = 1024;
  __shared__ int next[kWords];
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) next[i] = (i + 33) % kWords;
  __syncthreads();
  if (threadIdx.x != 0) return;
  int at = 0;
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) at = next[at];
  out[0] = at;
}

// Lines of a table in an order in which each comes once: each says where the next one is. `lines`
// is a power of two.
__device__ void write_order(int* table, int lines) {
  for (int i = threadIdx.x; i < lines; i += blockDim.x) {
    table[i * kLineWords] =
        static_cast<int>((i * 1664525U + 1013904223U) & (lines - 1)) * kLineWords;
  }
  __syncthreads();
}

// One thread follows them, from the L1 where they fit into it.
extern "C" __global__ void follow_l1(int* table, int lines, int rounds) {
  write_order(table, lines);
  if (threadIdx.x != 0) return;
  int at = 0;
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) at = __ldca(table + at);
  table[1] = at;
}

// The same past the L1.
extern "C" __global__ void follow_l2(int* table, int lines, int rounds) {
  write_order(table, lines);
  if (threadIdx.x != 0) return;
  int at = 0;
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) at = __ldcg(table + at);
  table[1] = at;
}

// One thread loads lines all over the table, which nobody has loaded before: each address needs the
// word before it, which is 0.
extern "C" __global__ void follow_dram(int* table, int lines, int rounds) {
  unsigned random = 1;
  int word = 0;
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) {
    random = random * 1664525U + 1013904223U;
    const int* line = table + ((random >> 8U) & (lines - 1)) * kLineWords;
    word = __ldcg(line + word);
  }
  if (word != 0) table[1] = word;
}

// Every warp loads whole lines, 8 at a time, all over a table that the L2 holds.
extern "C" __global__ void load_lines(int* table, int lines, int rounds) {
  constexpr int kAtOnce = 8;
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  unsigned random = warp * 2654435761U + 1;
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      random = random * 1664525U + 1013904223U;
      sum += __ldcg(table + ((random >> 8U) & (lines - 1)) * kLineWords + lane);
    }
  }
  if (sum != 0) table[1] = sum;
}

// 16 bytes a thread.
extern "C" __global__ void copy(const float4* in, float4* out) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  out[at] = in[at];
}

// Every lane adds to one word of the whole GPU. Its address comes from memory: the compiler cannot
// know that it is the same for all.
extern "C" __global__ void add_to_one(unsigned* sums, int rounds) {
  unsigned* at = sums + sums[32 + threadIdx.x % 32];
#pragma unroll 4
  for (int i = 0; i < rounds; ++i) atomicAdd(at, 1U);
}

// Four products of 16 x 16 by 16 x 8 a round and warp.
extern "C" __global__ void multiply_matrices(float* out, int rounds) {
#if __CUDA_ARCH__ >= 800
  constexpr int kProducts = 4;
  float sums[kProducts][4] = {};
  const unsigned zero = 0;
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < kProducts; ++k) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, "
          "{%4, %4}, {%0, %1, %2, %3};"
          : "+f"(sums[k][0]), "+f"(sums[k][1]), "+f"(sums[k][2]), "+f"(sums[k][3])
          : "r"(zero));
    }
  }
  float sum = 0;
  for (int k = 0; k < kProducts; ++k) sum += sums[k][0] + sums[k][1] + sums[k][2] + sums[k][3];
  if (sum != 0) out[0] = sum;
#endif
}
