// Products of warp groups: types, layouts, operands in registers, several groups in a block, and
// groups that multiply a different number of times.
typedef unsigned short Bits;
typedef unsigned long long Descriptor;

__device__ __forceinline__ Descriptor describe(const void* tile, unsigned leading, unsigned stride,
                                               unsigned swizzle) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  return static_cast<Descriptor>(address >> 4) | static_cast<Descriptor>(leading >> 4) << 16 |
         static_cast<Descriptor>(stride >> 4) << 32 | static_cast<Descriptor>(swizzle) << 62;
}
__device__ __forceinline__ void begin() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void finish() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#define SUMS(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define NAMES "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}"

// C (64 groups x 32) = A (64 groups x K) * B^T (32 x K), rows of 64 elements with a swizzle of 128
// bytes.
extern "C" __global__ void rows_by_rows(const Bits* A, const Bits* B, float* C, int K) {
  extern __shared__ __align__(1024) char tiles[];
  const int groups = blockDim.x / 128;
  const int rows = groups * 64;
  char* const a = tiles;
  char* const b = tiles + rows * 128;
  float d[16] = {};
  for (int k0 = 0; k0 < K; k0 += 64) {
    for (int i = threadIdx.x; i < (rows + 32) * 8; i += blockDim.x) {
      const int row = i / 8;
      const Bits* from = row < rows ? A + (blockIdx.x * rows + row) * K : B + (row - rows) * K;
      const uint4 piece = k0 + i % 8 * 8 < K
                              ? *reinterpret_cast<const uint4*>(from + k0 + i % 8 * 8)
                              : make_uint4(0, 0, 0, 0);
      *reinterpret_cast<uint4*>(tiles + row * 128 + (i % 8 ^ row % 8) * 16) = piece;
    }
    begin();
    for (int k = 0; k < 64; k += 16) {
      asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 " NAMES
                   ", %16, %17, 1, 1, 1, 0, 0;"
                   : SUMS(0), SUMS(4), SUMS(8), SUMS(12)
                   : "l"(describe(a + threadIdx.x / 128 * 8192 + k * 2, 0, 1024, 1)),
                     "l"(describe(b + k * 2, 0, 1024, 1)));
    }
    finish();
    __syncthreads();
  }
  const int row = blockIdx.x * rows + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
  for (int i = 0; i < 16; ++i) {
    C[(row + i / 2 % 2 * 8) * 32 + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = d[i];
  }
}

// A in registers, B without a swizzle, N-major; each warp group goes on as long as its rows ask.
extern "C" __global__ void from_registers(const Bits* A, const Bits* B, float* C,
                                          const int* depth) {
  __shared__ __align__(128) Bits b[4][16 * 32];
  const int group = threadIdx.x / 128;
  for (int i = threadIdx.x; i < 4 * 16 * 32; i += blockDim.x) {
    const int k = i / 32;
    const int n = i % 32;
    b[k / 16][n / 8 * 128 + k % 16 / 8 * 64 + k % 8 * 8 + n % 8] = B[i];
  }
  const unsigned* const words = reinterpret_cast<const unsigned*>(A);
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
  float d[16];
  for (int i = 0; i < 16; ++i) d[i] = static_cast<float>(i);
  begin();
  for (int step = 0; step < depth[group]; ++step) {
    unsigned a[4];
    for (int i = 0; i < 4; ++i) {
      a[i] = words[(row + i % 2 * 8) * 32 + step % 4 * 8 + i / 2 * 4 + threadIdx.x % 4];
    }
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " NAMES
                 ", {%16, %17, %18, %19}, %20, 1, -1, 1, 1;"
                 : SUMS(0), SUMS(4), SUMS(8), SUMS(12)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]),
                   "l"(describe(b[step % 4], 128, 256, 0)));
    finish();
  }
  for (int i = 0; i < 16; ++i) {
    C[(row + i / 2 % 2 * 8) * 32 + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = d[i];
  }
}

// Bytes: sums of whole numbers, the first product in place of what was there.
extern "C" __global__ void bytes(const uint4* A, const uint4* B, int* C, int steps) {
  __shared__ __align__(256) uint4 a[64 * 2];
  __shared__ __align__(256) uint4 b[16 * 2];
  int d[8];
  for (int i = 0; i < 8; ++i) d[i] = threadIdx.x * 8 + i;
  for (int step = 0; step < steps; ++step) {
    // Rows of 32 bytes whose halves change places in every second 128 bytes.
    a[threadIdx.x ^ threadIdx.x / 8 % 2] = A[step * 128 + threadIdx.x];
    if (threadIdx.x < 32) b[threadIdx.x ^ threadIdx.x / 8 % 2] = B[step * 32 + threadIdx.x];
    begin();
    asm volatile(
        "{\n"
        "  .reg .pred adds;\n"
        "  setp.ne.s32 adds, %10, 0;\n"
        "  wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.u8 {%0, %1, %2, %3, %4, %5, %6, %7}, "
        "%8, %9, adds;\n"
        "}\n"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]),
          "+r"(d[7])
        : "l"(describe(a, 0, 256, 3)), "l"(describe(b, 0, 256, 3)), "r"(step));
    finish();
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i) C[threadIdx.x * 8 + i] = d[i];
}
