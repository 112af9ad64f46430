// wmma through its PTX instructions, without the header: 16 x 16 tiles with leading dimension LD in
// shared memory, or straight from global memory.
#ifndef LD
#define LD 16
#endif

typedef unsigned short half_bits;

struct Tile {
  unsigned x[8];
};

#define LOAD_TILE(name, matrix, layout, space)                                               \
  __device__ void name(Tile& t, const half_bits* p, int ld) {                                \
    asm volatile("wmma.load." matrix ".sync.aligned." layout ".m16n16k16" space ".f16 "      \
                 "{%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"                                      \
                 : "=r"(t.x[0]), "=r"(t.x[1]), "=r"(t.x[2]), "=r"(t.x[3]), "=r"(t.x[4]),     \
                   "=r"(t.x[5]), "=r"(t.x[6]), "=r"(t.x[7])                                  \
                 : "l"(p), "r"(ld)                                                           \
                 : "memory");                                                                \
  }

LOAD_TILE(load_a, "a", "row", "")
LOAD_TILE(load_b_row, "b", "row", "")
LOAD_TILE(load_b_col, "b", "col", "")
LOAD_TILE(load_a_global, "a", "row", ".global")
LOAD_TILE(load_b_global, "b", "row", ".global")

#define MULTIPLY(name, layout)                                                               \
  __device__ void name(float (&d)[8], const Tile& a, const Tile& b) {                        \
    asm volatile("wmma.mma.sync.aligned.row." layout ".m16n16k16.f32.f32 "                   \
                 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, "              \
                 "{%16,%17,%18,%19,%20,%21,%22,%23}, {%0,%1,%2,%3,%4,%5,%6,%7};"             \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),   \
                   "+f"(d[6]), "+f"(d[7])                                                    \
                 : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(a.x[4]),          \
                   "r"(a.x[5]), "r"(a.x[6]), "r"(a.x[7]), "r"(b.x[0]), "r"(b.x[1]),          \
                   "r"(b.x[2]), "r"(b.x[3]), "r"(b.x[4]), "r"(b.x[5]), "r"(b.x[6]),          \
                   "r"(b.x[7]));                                                             \
  }

MULTIPLY(multiply_row, "row")
MULTIPLY(multiply_col, "col")

__device__ void store_tile(float* p, const float (&d)[8], int ld) {
  asm volatile(
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8}, %9;" ::"l"(
          p),
      "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]), "f"(d[4]), "f"(d[5]), "f"(d[6]), "f"(d[7]), "r"(ld)
      : "memory");
}

// One warp a 16 x 16 tile of C; n x n, n a multiple of 16.
extern "C" __global__ void wmma_global(const half_bits* a, const half_bits* b, float* c, int n) {
  const int row = blockIdx.y * 16, col = blockIdx.x * 16;
  float d[8] = {};
  Tile ta, tb;
  for (int k = 0; k < n; k += 16) {
    load_a_global(ta, a + row * n + k, n);
    load_b_global(tb, b + k * n + col, n);
    multiply_row(d, ta, tb);
  }
  store_tile(c + row * n + col, d, n);
}

// The same through shared memory with rows LD apart; B as stored, or read as its transpose.
template <bool Transposed>
__device__ void wmma_tile(const half_bits* a, const half_bits* b, float* c, int n) {
  __shared__ __align__(32) half_bits as[16 * LD];
  __shared__ __align__(32) half_bits bs[16 * LD];
  const int row = blockIdx.y * 16, col = blockIdx.x * 16, t = threadIdx.x;
  float d[8] = {};
  Tile ta, tb;
  for (int k = 0; k < n; k += 16) {
    for (int i = t; i < 256; i += 32) {
      as[i / 16 * LD + i % 16] = a[(row + i / 16) * n + k + i % 16];
      bs[i / 16 * LD + i % 16] = b[(k + i / 16) * n + col + i % 16];
    }
    __syncthreads();
    load_a(ta, as, LD);
    if (Transposed) {
      load_b_col(tb, bs, LD);
      multiply_col(d, ta, tb);
    } else {
      load_b_row(tb, bs, LD);
      multiply_row(d, ta, tb);
    }
    __syncthreads();
  }
  store_tile(c + row * n + col, d, n);
}

extern "C" __global__ void wmma_shared(const half_bits* a, const half_bits* b, float* c, int n) {
  wmma_tile<false>(a, b, c, n);
}
extern "C" __global__ void wmma_shared_col(const half_bits* a, const half_bits* b, float* c, int n) {
  wmma_tile<true>(a, b, c, n);
}
