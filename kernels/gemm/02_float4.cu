// C = alpha * A * B + beta * C, all row-major: A is M x K, B is K x N, C is M x N.
// New here: one thread makes 4 x 4 elements of C. For four steps of k it reads a float4 from each
// of its four rows of A and one from each of four rows of B: 8 wide loads for 64 multiply-adds,
// where one thread per element needs 2 loads for each.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif

// Floats col ... col + 3 of a row that has cols of them; zeros past its end. `wide`: 16 bytes at
// once, which needs the place to be a multiple of 16 bytes.
__device__ __forceinline__ float4 read4(const float* row, int col, int cols, bool wide) {
  if (wide && col + 4 <= cols) return *reinterpret_cast<const float4*>(row + col);
  float4 floats = {0.0f, 0.0f, 0.0f, 0.0f};
  if (col < cols) floats.x = row[col];
  if (col + 1 < cols) floats.y = row[col + 1];
  if (col + 2 < cols) floats.z = row[col + 2];
  if (col + 3 < cols) floats.w = row[col + 3];
  return floats;
}

// sum += a * b for four columns.
__device__ __forceinline__ void add_product(float4& sum, float a, const float4& b) {
  sum.x = fmaf(a, b.x, sum.x);
  sum.y = fmaf(a, b.y, sum.y);
  sum.z = fmaf(a, b.z, sum.z);
  sum.w = fmaf(a, b.w, sum.w);
}

__device__ __forceinline__ float mixed(float alpha, float sum, float beta, float old) {
  return fmaf(beta, old, alpha * sum);
}

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    gemm_float4(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                float beta) {
  const int first_row = (blockIdx.y * BLOCK_Y + threadIdx.y) * 4;
  const int col = (blockIdx.x * BLOCK_X + threadIdx.x) * 4;
  if (first_row >= M || col >= N) return;

  // A row past the last one stands for the last: what it gives is not written.
  const float* a_row[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) a_row[i] = A + size_t(min(first_row + i, M - 1)) * K;
  const bool wide_a = K % 4 == 0;
  const bool wide = N % 4 == 0;

  float4 sum[4] = {};
  int k = 0;
  for (; k + 4 <= K; k += 4) {
    TILESCOPE_PHASE(load);
    float4 a[4];
    float4 b[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) a[i] = read4(a_row[i], k, K, wide_a);
#pragma unroll
    for (int i = 0; i < 4; ++i) b[i] = read4(B + size_t(k + i) * N, col, N, wide);
    TILESCOPE_PHASE(compute);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      add_product(sum[i], a[i].x, b[0]);
      add_product(sum[i], a[i].y, b[1]);
      add_product(sum[i], a[i].z, b[2]);
      add_product(sum[i], a[i].w, b[3]);
    }
  }
  for (; k < K; ++k) {  // what is left of K
    const float4 b = read4(B + size_t(k) * N, col, N, wide);
#pragma unroll
    for (int i = 0; i < 4; ++i) add_product(sum[i], a_row[i][k], b);
  }

  TILESCOPE_PHASE(epilogue);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (first_row + i >= M) break;
    float* c_row = C + size_t(first_row + i) * N;
    float4 old = {};
    if (beta != 0.0f) old = read4(c_row, col, N, wide);  // beta 0: C may hold anything, even NaN
    const float4 c = {mixed(alpha, sum[i].x, beta, old.x), mixed(alpha, sum[i].y, beta, old.y),
                      mixed(alpha, sum[i].z, beta, old.z), mixed(alpha, sum[i].w, beta, old.w)};
    if (wide) {
      *reinterpret_cast<float4*>(c_row + col) = c;
    } else {
      c_row[col] = c.x;
      if (col + 1 < N) c_row[col + 1] = c.y;
      if (col + 2 < N) c_row[col + 2] = c.z;
      if (col + 3 < N) c_row[col + 3] = c.w;
    }
  }
}
