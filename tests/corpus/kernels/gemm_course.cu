// Matrix multiplication as one meets it in a course.
#define TILE_WIDTH 16
#define IDX2(r, c, ld) ((r) * (ld) + (c))

// row = x: the classic uncoalesced one
extern "C" __global__ void MatrixMulBad(float* M, float* N, float* P, int m, int n, int k) {
  int Row = blockIdx.x * blockDim.x + threadIdx.x;
  int Col = blockIdx.y * blockDim.y + threadIdx.y;
  if ((Row < m) && (Col < n)) {
    float Pvalue = 0;
    for (int i = 0; i < k; ++i) {
      Pvalue += M[Row * k + i] * N[i * n + Col];
    }
    P[Row * n + Col] = Pvalue;
  }
}

extern "C" __global__ void MatrixMulGood(const float* __restrict__ M, const float* __restrict__ N,
                                         float* __restrict__ P, int m, int n, int k, float alpha,
                                         float beta) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= m || c >= n) return;
  float acc = 0.0f;
#pragma unroll 4
  for (int i = 0; i < k; i++) acc = fmaf(__ldg(&M[IDX2(r, i, k)]), __ldg(&N[IDX2(i, c, n)]), acc);
  P[IDX2(r, c, n)] = alpha * acc + beta * P[IDX2(r, c, n)];
}

// Kirk & Hwu, with the boundary checks of the exercise
extern "C" __global__ void matrixMulKernelTiled(float* M, float* N, float* P, int j, int k, int l) {
  __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
  __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
  int bx = blockIdx.x;
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int Row = by * TILE_WIDTH + ty;
  int Col = bx * TILE_WIDTH + tx;
  float Pvalue = 0;
  for (int ph = 0; ph < (k + TILE_WIDTH - 1) / TILE_WIDTH; ++ph) {
    if (Row < j && ph * TILE_WIDTH + tx < k)
      Mds[ty][tx] = M[Row * k + ph * TILE_WIDTH + tx];
    else
      Mds[ty][tx] = 0.0;
    if (ph * TILE_WIDTH + ty < k && Col < l)
      Nds[ty][tx] = N[(ph * TILE_WIDTH + ty) * l + Col];
    else
      Nds[ty][tx] = 0.0;
    __syncthreads();
    for (int i = 0; i < TILE_WIDTH; ++i) Pvalue += Mds[ty][i] * Nds[i][tx];
    __syncthreads();
  }
  if (Row < j && Col < l) P[Row * l + Col] = Pvalue;
}

// dynamic tile, size known at run time only; A^T given
extern "C" __global__ void matmul_dyn(const double* A, const double* B, double* C, int n, int ldb) {
  extern __shared__ double sh[];
  const int T = blockDim.x;
  double* As = sh;
  double* Bs = sh + T * T;
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  double s = 0.0;
  for (int t = 0; t < n; t += T) {
    As[tx * T + ty] = (row < n && t + tx < n) ? A[(t + tx) * n + row] : 0.0;
    Bs[ty * T + tx] = (t + ty < n && col < n) ? B[(t + ty) * ldb + col] : 0.0;
    __syncthreads();
    for (int q = 0; q < T; ++q) s += As[q * T + ty] * Bs[q * T + tx];
    __syncthreads();
  }
  if (row < n && col < n) C[row * n + col] = s;
}

// thread coarsening in x (Kirk & Hwu chapter 6)
#define COARSE_FACTOR 3
extern "C" __global__ void matmul_coarse(float* M, float* N, float* P, int width) {
  __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
  __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE_WIDTH + ty;
  int colStart = blockIdx.x * TILE_WIDTH * COARSE_FACTOR + tx;
  float Pvalue[COARSE_FACTOR];
  for (int c = 0; c < COARSE_FACTOR; ++c) Pvalue[c] = 0.0f;
  for (int ph = 0; ph < width / TILE_WIDTH; ++ph) {
    Mds[ty][tx] = M[row * width + ph * TILE_WIDTH + tx];
    for (int c = 0; c < COARSE_FACTOR; ++c) {
      int col = colStart + c * TILE_WIDTH;
      Nds[ty][tx] = col < width ? N[(ph * TILE_WIDTH + ty) * width + col] : 0.f;
      __syncthreads();
      for (int k = 0; k < TILE_WIDTH; ++k) Pvalue[c] += Mds[ty][k] * Nds[k][tx];
      __syncthreads();
    }
  }
  for (int c = 0; c < COARSE_FACTOR; ++c) {
    int col = colStart + c * TILE_WIDTH;
    if (col < width) P[row * width + col] = Pvalue[c];
  }
}

// Sub-matrices as in the programming guide
typedef struct {
  int width, height, stride;
  float* elements;
} Matrix;
__device__ float GetElement(const Matrix A, int row, int col) {
  return A.elements[row * A.stride + col];
}
__device__ void SetElement(Matrix A, int row, int col, float value) {
  A.elements[row * A.stride + col] = value;
}
#define BLOCK_SIZE 12
__device__ Matrix GetSubMatrix(Matrix A, int row, int col) {
  Matrix Asub;
  Asub.width = BLOCK_SIZE;
  Asub.height = BLOCK_SIZE;
  Asub.stride = A.stride;
  Asub.elements = &A.elements[A.stride * BLOCK_SIZE * row + BLOCK_SIZE * col];
  return Asub;
}
extern "C" __global__ void MatMulGuide(float* a, float* b, float* c, int nb) {
  Matrix A = {nb * BLOCK_SIZE, nb * BLOCK_SIZE, nb * BLOCK_SIZE, a};
  Matrix B = {nb * BLOCK_SIZE, nb * BLOCK_SIZE, nb * BLOCK_SIZE, b};
  Matrix C = {nb * BLOCK_SIZE, nb * BLOCK_SIZE, nb * BLOCK_SIZE, c};
  int blockRow = blockIdx.y, blockCol = blockIdx.x;
  Matrix Csub = GetSubMatrix(C, blockRow, blockCol);
  float Cvalue = 0;
  int row = threadIdx.y, col = threadIdx.x;
  for (int m = 0; m < (A.width / BLOCK_SIZE); ++m) {
    Matrix Asub = GetSubMatrix(A, blockRow, m);
    Matrix Bsub = GetSubMatrix(B, m, blockCol);
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
    As[row][col] = GetElement(Asub, row, col);
    Bs[row][col] = GetElement(Bsub, row, col);
    __syncthreads();
    for (int e = 0; e < BLOCK_SIZE; ++e) Cvalue += As[row][e] * Bs[e][col];
    __syncthreads();
  }
  SetElement(Csub, row, col, Cvalue);
}

// C = alpha * A * A^T, lower triangle only: blocks above the diagonal leave at once
extern "C" __global__ void syrk_lower(const float* A, float* C, int n, int k) {
  if (blockIdx.x > blockIdx.y) return;
  __shared__ float s1[16][17], s2[16][17];
  int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
  int rr = blockIdx.x * 16 + threadIdx.y;
  float acc = 0;
  for (int t = 0; t < k; t += 16) {
    int kk = t + threadIdx.x;
    s1[threadIdx.y][threadIdx.x] = r < n && kk < k ? A[r * k + kk] : 0;
    s2[threadIdx.y][threadIdx.x] = rr < n && kk < k ? A[rr * k + kk] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) acc += s1[threadIdx.y][i] * s2[threadIdx.x][i];
    __syncthreads();
  }
  if (r < n && c <= r) C[r * n + c] = acc;
}

// triangular times full: the loop's end depends on the row
extern "C" __global__ void trmm_row(const float* L, const float* B, float* C, int n, int m) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < n && c < m) {
    float sum = 0.f;
    for (int i = 0; i <= r; i++) sum += L[r * n + i] * B[i * m + c];
    C[r * m + c] = sum;
  }
}

// complex, structures with operators
struct __align__(8) cplx {
  float re, im;
  __device__ cplx(float r = 0, float i = 0) : re(r), im(i) {}
  __device__ cplx operator*(const cplx& o) const {
    return cplx(re * o.re - im * o.im, re * o.im + im * o.re);
  }
  __device__ cplx& operator+=(const cplx& o) {
    re += o.re;
    im += o.im;
    return *this;
  }
};
extern "C" __global__ void cgemm_naive(const float2* A, const float2* B, float2* C, int n) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || j >= n) return;
  cplx acc;
  for (int k = 0; k < n; ++k) {
    float2 x = A[i * n + k], y = B[k * n + j];
    acc += cplx(x.x, x.y) * cplx(y.x, y.y);
  }
  C[i * n + j] = make_float2(acc.re, acc.im);
}

// integers of 16 bits, grid-stride over the outputs, inner product not inlined
__device__ __noinline__ int dot_row_col(const short* a, const short* b, int k, int ldb) {
  int s = 0;
  for (int i = 0; i < k; ++i) s += (int)a[i] * b[i * ldb];
  return s;
}
extern "C" __global__ void igemm_stride(const short* A, const short* B, int* C, int m, int n,
                                        int k) {
  for (int idx = blockIdx.x * blockDim.x + threadIdx.x; idx < m * n;
       idx += gridDim.x * blockDim.x) {
    int r = idx / n, c = idx % n;
    C[idx] = dot_row_col(A + r * k, B + c, k, n);
  }
}
