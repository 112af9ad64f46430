// The wmma interface with its other shapes, layouts and types.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

template <typename L>
constexpr bool is_row = false;
template <>
constexpr bool is_row<wmma::row_major> = true;

// M x N x 16 fragments; A and B staged in shared memory with leading dimensions LDA, LDB.
template <int M, int N, typename LA, typename LB, int LDA, int LDB>
__global__ void wmma_shape(const half* a, const half* b, float* c, int n, int k) {
  extern __shared__ __align__(32) half stage[];
  half* const as = stage;
  half* const bs = stage + 64 * 64;
  constexpr bool ra = is_row<LA>, rb = is_row<LB>;
  const int t = threadIdx.x + threadIdx.y * 32, warp = threadIdx.y;  // 32 x 4
  const int row = blockIdx.y * 2 * M, col = blockIdx.x * 2 * N;
  wmma::fragment<wmma::accumulator, M, N, 16, float> acc;
  wmma::fill_fragment(acc, 0.0f);
  for (int p = 0; p < k; p += 16) {
    for (int i = t; i < 2 * M * 16; i += 128) {
      const int r = i / 16, q = i % 16;
      as[ra ? r * LDA + q : q * LDA + r] = a[(row + r) * k + p + q];
    }
    for (int i = t; i < 2 * N * 16; i += 128) {
      const int q = i / (2 * N), s = i % (2 * N);
      bs[rb ? q * LDB + s : s * LDB + q] = b[(p + q) * n + col + s];
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, M, N, 16, half, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, 16, half, LB> fb;
    wmma::load_matrix_sync(fa, as + (warp / 2 * M) * (ra ? LDA : 1), LDA);
    wmma::load_matrix_sync(fb, bs + (warp % 2 * N) * (rb ? 1 : LDB), LDB);
    wmma::mma_sync(acc, fa, fb, acc);
    __syncthreads();
  }
  for (int i = 0; i < acc.num_elements; ++i) acc.x[i] *= 0.5f;
  wmma::store_matrix_sync(c + (row + warp / 2 * M) * n + col + warp % 2 * N, acc, n, wmma::mem_row_major);
}

// tf32: 16 x 16 x 8, fragments from global memory, the result column-major in shared memory first.
extern "C" __global__ void wmma_tf32(const float* a, const float* b, float* c, int n, int k) {
  __shared__ __align__(32) float out[16 * 20];
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> acc;
  wmma::fill_fragment(acc, 1.0f);
  for (int p = 0; p < k; p += 8) {
    wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * k + p, k);
    wmma::load_matrix_sync(fb, b + blockIdx.x * 16 * k + p, k);
#pragma unroll
    for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
#pragma unroll
    for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  wmma::store_matrix_sync(out, acc, 20, wmma::mem_col_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) c[(blockIdx.y * 16 + i / 16) * n + blockIdx.x * 16 + i % 16] = out[i % 16 * 20 + i / 16];
}

// unsigned bytes, 32 x 8 x 16, with a C that is read first.
extern "C" __global__ void wmma_u8(const unsigned char* a, const unsigned char* b, int* c, int n, int k) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, unsigned char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, unsigned char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, int> acc;
  int* const to = c + blockIdx.y * 32 * n + blockIdx.x * 8;
  wmma::load_matrix_sync(acc, to, n, wmma::mem_row_major);
  for (int p = 0; p < k; p += 16) {
    wmma::load_matrix_sync(fa, a + blockIdx.y * 32 * k + p, k);
    wmma::load_matrix_sync(fb, b + blockIdx.x * 8 * k + p, k);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  wmma::store_matrix_sync(to, acc, n, wmma::mem_row_major);
}

// bf16, 32 x 8 x 16, both operands and the result column-major in global memory.
extern "C" __global__ void wmma_bf16(const __nv_bfloat16* at, const __nv_bfloat16* bt, float* c, int m, int n, int k) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, __nv_bfloat16, wmma::col_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, __nv_bfloat16, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, float> acc;
  const int row = (blockIdx.y * blockDim.y + threadIdx.y) * 32, col = blockIdx.x * 8;
  wmma::fill_fragment(acc, 0.0f);
  for (int p = 0; p < k; p += 16) {
    wmma::load_matrix_sync(fa, at + p * m + row, m);
    wmma::load_matrix_sync(fb, bt + col * k + p, k);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  wmma::store_matrix_sync(c + col * m + row, acc, m, wmma::mem_col_major);
}

// doubles, 8 x 8 x 4, from shared memory with a pitch of 6 and 10.
extern "C" __global__ void wmma_f64(const double* a, const double* b, double* c, int n, int k) {
  __shared__ __align__(32) double as[8 * 6], bs[4 * 10];
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> acc;
  wmma::fill_fragment(acc, 0.0);
  const int t = threadIdx.x;
  for (int p = 0; p < k; p += 4) {
    as[t / 4 * 6 + t % 4] = a[(blockIdx.y * 8 + t / 4) * k + p + t % 4];
    bs[t / 8 * 10 + t % 8] = b[(p + t / 8) * n + blockIdx.x * 8 + t % 8];
    __syncwarp();
    wmma::load_matrix_sync(fa, as, 6);
    wmma::load_matrix_sync(fb, bs, 10);
    wmma::mma_sync(acc, fa, fb, acc);
    __syncwarp();
  }
  wmma::store_matrix_sync(c + blockIdx.y * 8 * n + blockIdx.x * 8, acc, n, wmma::mem_row_major);
}
