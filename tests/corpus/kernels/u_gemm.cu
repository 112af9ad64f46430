// Products of matrices, each by another hand.
#include <cuda_fp16.h>

// A column of B stays in registers, a tile of A in shared memory: 64 threads, 64 x 16 results.
// A is column-major (lda), B row-major, C column-major.
#define COLS 16
extern "C" __global__ void outer_column(const float* A, int lda, const float* B, int ldb, float* C, int ldc, int k, float alpha)
{
    const int inx = threadIdx.x, iny = threadIdx.y;
    const int id = inx + iny * 16;
    const int ibx = blockIdx.x * 64, iby = blockIdx.y * COLS;
    A += ibx + id;
    B += iby + inx + iny * ldb;
    C += ibx + id + iby * ldc;
    const float* last = B + k * ldb;
    float c[COLS] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    __shared__ float bs[16][17];
    do {
#pragma unroll
        for (int i = 0; i < 16; i += 4) bs[iny + i][inx] = B[i * ldb];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++, A += lda) {
            const float a = A[0];
#pragma unroll
            for (int j = 0; j < COLS; j++) c[j] += a * bs[i][j];
        }
        B += 16 * ldb;
        __syncthreads();
    } while (B < last);
    for (int i = 0; i < COLS; i++, C += ldc) C[0] = alpha * c[i];
}

// Complex numbers, 2 x 3 results a thread, sizes that nothing divides.
struct Complex {
    float re, im;
    __device__ Complex& operator+=(const Complex& o) { re += o.re; im += o.im; return *this; }
};
__device__ inline Complex operator*(const Complex& a, const Complex& b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <int TX, int TY, int K>
__global__ void complex_gemm(const Complex* a, const Complex* b, Complex* c, int m, int n, int k)
{
    __shared__ Complex ta[TY * 2][K + 1];
    __shared__ Complex tb[K][TX * 3];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * TX + tx;
    const int r0 = blockIdx.y * TY * 2, c0 = blockIdx.x * TX * 3;
    Complex acc[2][3] = {};
    for (int p = 0; p < k; p += K) {
        for (int e = t; e < TY * 2 * K; e += TX * TY) {
            const int r = e / K, q = e % K;
            ta[r][q] = r0 + r < m && p + q < k ? a[(r0 + r) * k + p + q] : Complex{0, 0};
        }
        for (int e = t; e < K * TX * 3; e += TX * TY) {
            const int q = e / (TX * 3), j = e % (TX * 3);
            tb[q][j] = p + q < k && c0 + j < n ? b[(p + q) * n + c0 + j] : Complex{0, 0};
        }
        __syncthreads();
        for (int q = 0; q < K; ++q)
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 3; ++j) acc[i][j] += ta[ty + i * TY][q] * tb[q][tx * 3 + j];
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) {
            const int r = r0 + ty + i * TY, col = c0 + tx * 3 + j;
            if (r < m && col < n) c[r * n + col] = acc[i][j];
        }
}

// The k range is cut among the warps of a block, whose partial results meet in shared memory.
template <int WARPS>
__global__ void sliced_k(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K)
{
    __shared__ float partial[WARPS][8][36];
    const unsigned warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const int row = blockIdx.y * 8, col = blockIdx.x * 32 + lane;
    const int step = (K + WARPS - 1) / WARPS;
    const int from = warp * step, to = min(K, from + step);
    float acc[8];
#pragma unroll
    for (int i = 0; i < 8; i++) acc[i] = 0.0f;
    for (int p = from; p < to; ++p) {
        const float b = col < N ? __ldg(B + (size_t)p * N + col) : 0.0f;
#pragma unroll
        for (int i = 0; i < 8; ++i)
            if (row + i < M) acc[i] = __fmaf_rn(__ldg(A + (size_t)(row + i) * K + p), b, acc[i]);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) partial[warp][i][lane] = acc[i];
    __syncthreads();
    for (int e = threadIdx.x; e < 8 * 32; e += blockDim.x) {
        const int i = e >> 5, l = e & 31;
        float sum = 0;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) sum += partial[w][i][l];
        if (row + i < M && blockIdx.x * 32 + l < N) C[(size_t)(row + i) * N + blockIdx.x * 32 + l] = sum;
    }
}

// Register prefetch of the next tile, two shared buffers, a ragged depth; float4 as a struct of four.
struct __align__(16) f4 { float v[4]; };
template <int BM, int BN, int BK, int R>
__global__ void __launch_bounds__((BM / R) * (BN / R), 2) prefetching(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K)
{
    constexpr int T = (BM / R) * (BN / R);
    constexpr int LA = BM * BK / T, LB = BN * BK / 4 / T;
    static_assert(LA >= 1 && LB >= 1, "");
    __shared__ float sA[2][BK][BM + 4];
    __shared__ f4 sB[2][BK][BN / 4];
    const int tid = threadIdx.x;
    const int tr = tid / (BN / R), tc = tid % (BN / R);
    float nextA[LA];
    f4 nextB[LB];
    float acc[R][R] = {{0}};
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < LA; ++i) {
            const int e = tid + i * T, r = e / BK, q = e % BK;
            const int gr = blockIdx.y * BM + r;
            nextA[i] = (gr < M && k0 + q < K) ? A[gr * K + k0 + q] : 0.f;
        }
#pragma unroll
        for (int i = 0; i < LB; ++i) {
            const int e = tid + i * T, q = e / (BN / 4), j = e % (BN / 4);
            if (k0 + q < K) nextB[i] = *(const f4*)&B[(k0 + q) * N + blockIdx.x * BN + j * 4];
            else nextB[i] = f4{{0, 0, 0, 0}};
        }
    };
    auto put = [&](int s) {
#pragma unroll
        for (int i = 0; i < LA; ++i) { const int e = tid + i * T; sA[s][e % BK][e / BK] = nextA[i]; }
#pragma unroll
        for (int i = 0; i < LB; ++i) { const int e = tid + i * T; sB[s][e / (BN / 4)][e % (BN / 4)] = nextB[i]; }
    };
    fetch(0);
    put(0);
    __syncthreads();
    int s = 0;
    for (int k0 = 0; k0 < K; k0 += BK) {
        const bool more = k0 + BK < K;
        if (more) fetch(k0 + BK);
#pragma unroll
        for (int q = 0; q < BK; ++q) {
            float a[R], b[R];
#pragma unroll
            for (int i = 0; i < R; ++i) a[i] = sA[s][q][tr * R + i];
#pragma unroll
            for (int j = 0; j < R; ++j) b[j] = sB[s][q][(tc * R + j) / 4].v[(tc * R + j) % 4];
#pragma unroll
            for (int i = 0; i < R; ++i)
#pragma unroll
                for (int j = 0; j < R; ++j) acc[i][j] += a[i] * b[j];
        }
        if (more) { s ^= 1; put(s); __syncthreads(); }
    }
#pragma unroll
    for (int i = 0; i < R; ++i) {
        const int gr = blockIdx.y * BM + tr * R + i;
        if (gr >= M) break;
#pragma unroll
        for (int j = 0; j < R; j += 2) *(float2*)&C[gr * N + blockIdx.x * BN + tc * R + j] = make_float2(acc[i][j], acc[i][j + 1]);
    }
}

// A symmetric product: the blocks of a triangle are numbered in one row. C = A A', lower half.
extern "C" __global__ void triangle_of_tiles(const double* A, double* C, int n, int k)
{
    __shared__ double left[12][13], right[12][13];
    const int t = blockIdx.x;
    int bi = (int)((sqrtf(8.f * t + 1.f) - 1.f) * 0.5f);
    while ((bi + 1) * (bi + 2) / 2 <= t) ++bi;
    while (bi * (bi + 1) / 2 > t) --bi;
    const int bj = t - bi * (bi + 1) / 2;
    const int x = threadIdx.x, y = threadIdx.y;
    double sum = 0;
    for (int p = 0; p < k; p += 12) {
        left[y][x] = (bi * 12 + y < n && p + x < k) ? A[(bi * 12 + y) * k + p + x] : 0.0;
        right[y][x] = (bj * 12 + y < n && p + x < k) ? A[(bj * 12 + y) * k + p + x] : 0.0;
        __syncthreads();
#pragma unroll 3
        for (int q = 0; q < 12; ++q) sum += left[y][q] * right[x][q];
        __syncthreads();
    }
    const int r = bi * 12 + y, c = bj * 12 + x;
    if (r < n && c <= r) C[r * n + c] = sum;
}

// Small matrices of n x n, one a group of n lanes, through shuffles. n <= 8
template <int N>
__global__ void tiny_batched(const float* a, const float* b, float* c, int count)
{
    constexpr int PER_WARP = 32 / N;
    const int lane = threadIdx.x % 32, group = lane / N, j = lane % N;
    const int matrix = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * PER_WARP + group;
    const bool live = group < PER_WARP && matrix < count;
    const int base = live ? matrix * N * N : 0;
    float col[N];
#pragma unroll
    for (int i = 0; i < N; ++i) col[i] = live ? b[base + i * N + j] : 0.f;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        const float mine = live ? a[base + i * N + j] : 0.f;
        float sum = 0.f;
#pragma unroll
        for (int q = 0; q < N; ++q) sum += __shfl_sync(0xffffffffu, mine, (group * N + q) & 31) * col[q];
        if (live) c[base + i * N + j] = sum;
    }
}

// Bytes in shared memory at a pitch of 20, four at a time into __dp4a; the rest of a row by bytes.
extern "C" __global__ void bytes_dp4a(const signed char* a, const signed char* bt, int* c, int m, int n, int k)
{
    __shared__ signed char pa[32 * 20];
    __shared__ signed char pb[32 * 20];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * blockDim.x + tx;
    int acc[2][2] = {{0, 0}, {0, 0}};
    for (int p = 0; p < k; p += 16) {
        for (int e = t; e < 32 * 16; e += blockDim.x * blockDim.y) {
            const int r = e >> 4, q = e & 15;
            pa[r * 20 + q] = (blockIdx.y * 32 + r < m && p + q < k) ? a[(blockIdx.y * 32 + r) * k + p + q] : 0;
            pb[r * 20 + q] = (blockIdx.x * 32 + r < n && p + q < k) ? bt[(blockIdx.x * 32 + r) * k + p + q] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < 16; q += 4) {
            const int a0 = *(const int*)&pa[ty * 20 + q], a1 = *(const int*)&pa[(ty + 16) * 20 + q];
            const int b0 = *(const int*)&pb[tx * 20 + q], b1 = *(const int*)&pb[(tx + 16) * 20 + q];
            acc[0][0] = __dp4a(a0, b0, acc[0][0]);
            acc[0][1] = __dp4a(a0, b1, acc[0][1]);
            acc[1][0] = __dp4a(a1, b0, acc[1][0]);
            acc[1][1] = __dp4a(a1, b1, acc[1][1]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const int r = blockIdx.y * 32 + ty + 16 * i, col = blockIdx.x * 32 + tx + 16 * j;
            if (r < m && col < n) c[r * n + col] = acc[i][j];
        }
}

// One thread a row of C, B in constant-size slabs of half2, sums in float.
extern "C" __global__ void half_rows(const half* __restrict__ A, const half2* __restrict__ B, float2* __restrict__ C, int m, int n2, int k)
{
    extern __shared__ half2 slab[];  // k rows of 7 pairs
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = blockIdx.y * 7;
    const int width = min(7, n2 - first);
    for (int e = threadIdx.x; e < k * 7; e += blockDim.x) {
        const int q = e / 7, j = e - q * 7;
        slab[e] = j < width ? B[q * n2 + first + j] : __float2half2_rn(0.f);
    }
    __syncthreads();
    if (row >= m) return;
    float2 acc[7];
    for (int j = 0; j < 7; ++j) acc[j] = make_float2(0.f, 0.f);
    for (int q = 0; q < k; ++q) {
        const float a = __half2float(A[row * k + q]);
#pragma unroll
        for (int j = 0; j < 7; ++j) {
            const float2 b = __half22float2(slab[q * 7 + j]);
            acc[j].x += a * b.x;
            acc[j].y += a * b.y;
        }
    }
    for (int j = 0; j < width; ++j) C[row * n2 + first + j] = acc[j];
}
