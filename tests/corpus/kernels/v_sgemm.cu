// Single precision matrix products, from the textbook form to warp tiles.
#include <cstdint>

typedef unsigned int uint;  // the C library has it for nvcc, NVRTC has not

#ifndef TS
#define TS 16
#endif
#define CEIL_DIV(M, N) (((M) + (N) - 1) / (N))
#define IDX(r, c, ld) ((r) * (ld) + (c))

// one thread, one element; threadIdx.x runs down the rows
extern "C" __global__ void sgemm_rows(int M, int N, int K, float alpha, const float *A,
                                      const float *B, float beta, float *C) {
    const uint x = blockIdx.x * blockDim.x + threadIdx.x;
    const uint y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < M && y < N) {
        float tmp = 0.0;
        for (int i = 0; i < K; ++i) tmp += A[x * K + i] * B[i * N + y];
        C[x * N + y] = alpha * tmp + beta * C[x * N + y];
    }
}

// one-dimensional block, coalesced
template <const uint BLOCKSIZE>
__global__ void sgemm_flat(int M, int N, int K, const float *__restrict__ A,
                           const float *__restrict__ B, float *__restrict__ C) {
    const int row = blockIdx.x * BLOCKSIZE + (threadIdx.x / BLOCKSIZE);
    const int col = blockIdx.y * BLOCKSIZE + (threadIdx.x % BLOCKSIZE);
    if (row >= M || col >= N) return;
    const float *a = A + (size_t)row * K;
    const float *b = B + col;
    float acc = 0.f;
    while (a != A + (size_t)(row + 1) * K) {
        acc = fmaf(*a++, *b, acc);
        b += N;
    }
    C[(size_t)row * N + col] = acc;
}

// the lecture's tiled kernel; TS may be any number up to 32
extern "C" __global__ void matmul_tiled_guarded(const float *A, const float *B, float *C, int M,
                                                int N, int K) {
    __shared__ float sA[TS][TS];
    __shared__ float sB[TS][TS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TS + ty;
    int col = blockIdx.x * TS + tx;
    float sum = 0.0f;
    for (int t = 0; t < CEIL_DIV(K, TS); t++) {
        int ka = t * TS + tx, kb = t * TS + ty;
        if (row < M && ka < K)
            sA[ty][tx] = A[IDX(row, ka, K)];
        else
            sA[ty][tx] = 0.0f;
        sB[ty][tx] = (kb < K && col < N) ? B[IDX(kb, col, N)] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TS; k++) sum += sA[ty][k] * sB[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[IDX(row, col, N)] = sum;
}

// a column of TM results per thread
template <int BM, int BN, int BK, int TM>
__global__ void __launch_bounds__(BM *BN / TM)
    sgemm_blocktile_1d(int M, int N, int K, const float *A, const float *B, float *C) {
    const int cRow = blockIdx.y, cCol = blockIdx.x;
    const int threadCol = threadIdx.x % BN, threadRow = threadIdx.x / BN;
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    A += cRow * BM * K;
    B += cCol * BN;
    C += cRow * BM * N + cCol * BN;
    const uint innerColA = threadIdx.x % BK, innerRowA = threadIdx.x / BK;
    const uint innerColB = threadIdx.x % BN, innerRowB = threadIdx.x / BN;
    static_assert(BM * BK == BM * BN / TM, "a thread loads one element of each tile");
    static_assert(BN * BK == BM * BN / TM, "a thread loads one element of each tile");
    float threadResults[TM] = {0.0};
    for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
        As[innerRowA * BK + innerColA] = A[innerRowA * K + innerColA];
        Bs[innerRowB * BN + innerColB] = B[innerRowB * N + innerColB];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
            float tmpB = Bs[dotIdx * BN + threadCol];
            for (uint resIdx = 0; resIdx < TM; ++resIdx)
                threadResults[resIdx] += As[(threadRow * TM + resIdx) * BK + dotIdx] * tmpB;
        }
        __syncthreads();
    }
    for (uint resIdx = 0; resIdx < TM; ++resIdx)
        C[(threadRow * TM + resIdx) * N + threadCol] = threadResults[resIdx];
}

// two-dimensional register blocking; float4 loads, A transposed on its way to shared memory
template <int BM, int BN, int BK, int TM, int TN>
__global__ void sgemm_vectorized(int M, int N, int K, float alpha, float *A, float *B, float beta,
                                 float *C) {
    constexpr int THREADS = (BM * BN) / (TM * TN);
    __shared__ float As[BK * BM];
    __shared__ float Bs[BK * BN];
    const int threadCol = threadIdx.x % (BN / TN);
    const int threadRow = threadIdx.x / (BN / TN);
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float acc[TM][TN] = {};
    float regM[TM], regN[TN];
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = threadIdx.x; i < BM * BK / 4; i += THREADS) {
            int r = i / (BK / 4), c = i % (BK / 4);
            float4 tmp = reinterpret_cast<float4 *>(&A[r * K + c * 4])[0];
            As[(c * 4 + 0) * BM + r] = tmp.x;
            As[(c * 4 + 1) * BM + r] = tmp.y;
            As[(c * 4 + 2) * BM + r] = tmp.z;
            As[(c * 4 + 3) * BM + r] = tmp.w;
        }
#pragma unroll
        for (int i = threadIdx.x; i < BK * BN / 4; i += THREADS) {
            int r = i / (BN / 4), c = i % (BN / 4);
            reinterpret_cast<float4 *>(&Bs[r * BN + c * 4])[0] =
                reinterpret_cast<float4 *>(&B[r * N + c * 4])[0];
        }
        __syncthreads();
        A += BK;
        B += BK * N;
#pragma unroll
        for (int k = 0; k < BK; ++k) {
#pragma unroll
            for (int i = 0; i < TM; ++i) regM[i] = As[k * BM + threadRow * TM + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) regN[j] = Bs[k * BN + threadCol * TN + j];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += regM[i] * regN[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            float4 *out = reinterpret_cast<float4 *>(&C[(threadRow * TM + i) * N + threadCol * TN + j]);
            float4 tmp = *out;
            tmp.x = alpha * acc[i][j] + beta * tmp.x;
            tmp.y = alpha * acc[i][j + 1] + beta * tmp.y;
            tmp.z = alpha * acc[i][j + 2] + beta * tmp.z;
            tmp.w = alpha * acc[i][j + 3] + beta * tmp.w;
            *out = tmp;
        }
}

// two shared buffers, the next tile waits in registers; any M, N, K; strided micro-tile
template <typename T, size_t BLOCK_M, size_t BLOCK_N, size_t BLOCK_K, size_t R>
__global__ void gemm_register_prefetch(T const *__restrict__ A, size_t lda, T const *__restrict__ B,
                                       size_t ldb, T *__restrict__ C, size_t ldc, size_t m,
                                       size_t n, size_t k) {
    constexpr size_t TX = BLOCK_N / R, TY = BLOCK_M / R, NT = TX * TY;
    constexpr size_t LA = (BLOCK_M * BLOCK_K + NT - 1) / NT, LB = (BLOCK_K * BLOCK_N + NT - 1) / NT;
    __shared__ T a_tile[2][BLOCK_K][BLOCK_M + 1];
    __shared__ T b_tile[2][BLOCK_K][BLOCK_N];
    size_t const tid = threadIdx.y * blockDim.x + threadIdx.x;
    size_t const row0 = blockIdx.y * BLOCK_M, col0 = blockIdx.x * BLOCK_N;
    T a_next[LA], b_next[LB];
    T sum[R][R];
    for (size_t i = 0; i < R; ++i)
        for (size_t j = 0; j < R; ++j) sum[i][j] = static_cast<T>(0);

    auto fetch = [&](size_t k0) {
#pragma unroll
        for (size_t l = 0; l < LA; ++l) {
            size_t const e = tid + l * NT, r = row0 + e / BLOCK_K, c = k0 + e % BLOCK_K;
            a_next[l] = (e < BLOCK_M * BLOCK_K && r < m && c < k) ? A[r * lda + c] : T{0};
        }
#pragma unroll
        for (size_t l = 0; l < LB; ++l) {
            size_t const e = tid + l * NT, r = k0 + e / BLOCK_N, c = col0 + e % BLOCK_N;
            b_next[l] = (e < BLOCK_K * BLOCK_N && r < k && c < n) ? B[r * ldb + c] : T{0};
        }
    };
    auto commit = [&](int buffer) {
#pragma unroll
        for (size_t l = 0; l < LA; ++l) {
            size_t const e = tid + l * NT;
            if (e < BLOCK_M * BLOCK_K) a_tile[buffer][e % BLOCK_K][e / BLOCK_K] = a_next[l];
        }
#pragma unroll
        for (size_t l = 0; l < LB; ++l) {
            size_t const e = tid + l * NT;
            if (e < BLOCK_K * BLOCK_N) b_tile[buffer][e / BLOCK_N][e % BLOCK_N] = b_next[l];
        }
    };

    int stage = 0;
    fetch(0);
    commit(0);
    __syncthreads();
    for (size_t k0 = 0; k0 < k; k0 += BLOCK_K) {
        bool const more = k0 + BLOCK_K < k;
        if (more) fetch(k0 + BLOCK_K);
#pragma unroll
        for (size_t kk = 0; kk < BLOCK_K; ++kk)
#pragma unroll
            for (size_t i = 0; i < R; ++i)
#pragma unroll
                for (size_t j = 0; j < R; ++j)
                    sum[i][j] += a_tile[stage][kk][threadIdx.y + i * TY] * b_tile[stage][kk][threadIdx.x + j * TX];
        if (more) commit(stage ^ 1);
        stage ^= 1;
        __syncthreads();
    }
#pragma unroll
    for (size_t i = 0; i < R; ++i)
#pragma unroll
        for (size_t j = 0; j < R; ++j) {
            size_t const r = row0 + threadIdx.y + i * TY, c = col0 + threadIdx.x + j * TX;
            if (r < m && c < n) C[r * ldc + c] = sum[i][j];
        }
}

// blockIdx.z takes a slice of K; B is given transposed (N x K)
extern "C" __global__ void sgemm_splitk_nt(const float *A, const float *Bt, float *C, int M, int N,
                                           int K, int slice) {
    __shared__ float a[8][33], b[8][33];
    const int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
    const int begin = blockIdx.z * slice;
    const int end = min(begin + slice, K);
    const int m0 = blockIdx.y * 32, n0 = blockIdx.x * 32;
    float c00 = 0, c01 = 0, c10 = 0, c11 = 0;
    for (int k = begin; k < end; k += 8) {
        const int r = threadIdx.x >> 3, kk = threadIdx.x & 7;
        const bool in = k + kk < end;
        a[kk][r] = in && m0 + r < M ? __ldg(A + (m0 + r) * K + k + kk) : 0.f;
        b[kk][r] = in && n0 + r < N ? __ldg(Bt + (n0 + r) * K + k + kk) : 0.f;
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < 8; i++) {
            float a0 = a[i][ty], a1 = a[i][ty + 16], b0 = b[i][tx], b1 = b[i][tx + 16];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }
        __syncthreads();
    }
#define ADD(r, c, v) \
    if ((r) < M && (c) < N) atomicAdd(&C[(r) * N + (c)], v)
    ADD(m0 + ty, n0 + tx, c00);
    ADD(m0 + ty, n0 + tx + 16, c01);
    ADD(m0 + ty + 16, n0 + tx, c10);
    ADD(m0 + ty + 16, n0 + tx + 16, c11);
#undef ADD
}

struct BatchedShape {
    int m, n, k;
    long long strideA, strideB, strideC;
};

// strided batch: one z block per matrix; A column-major
__global__ void sgemm_batched_tn(BatchedShape s, const float *__restrict__ A,
                                 const float *__restrict__ B, float *__restrict__ C) {
    extern __shared__ float smem[];
    const int T = blockDim.x;
    float *tileA = smem;
    float *tileB = tileA + T * T;
    const float *a = A + blockIdx.z * s.strideA;
    const float *b = B + blockIdx.z * s.strideB;
    float *c = C + blockIdx.z * s.strideC;
    const int i = blockIdx.y * T + threadIdx.y, j = blockIdx.x * T + threadIdx.x;
    float r = 0.f;
    for (int k0 = 0; k0 < s.k; k0 += T) {
        const int am = blockIdx.y * T + threadIdx.x, ak = k0 + threadIdx.y;
        tileA[threadIdx.y * T + threadIdx.x] = (am < s.m && ak < s.k) ? a[ak * s.m + am] : 0.f;
        tileB[threadIdx.y * T + threadIdx.x] = (ak < s.k && j < s.n) ? b[ak * s.n + j] : 0.f;
        __syncthreads();
        const int kmax = min(T, s.k - k0);
        for (int kk = 0; kk < kmax; ++kk) r += tileA[kk * T + threadIdx.y] * tileB[kk * T + threadIdx.x];
        __syncthreads();
    }
    if (i < s.m && j < s.n) c[i * s.n + j] = r;
}

// block tile, warp tile, thread tile
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN>
__global__ void sgemm_warptile(const float *A, const float *B, float *C, int M, int N, int K) {
    constexpr int WARPS_N = BN / WN;
    constexpr int WARPS = (BM / WM) * WARPS_N;
    constexpr int LANES_N = 8, LANES_M = 4;
    constexpr int ITER_M = WM / (LANES_M * TM), ITER_N = WN / (LANES_N * TN);
    static_assert(TN == 4 || TN == 2, "vector width");
    __shared__ __align__(16) float sA[BK][BM + 4];
    __shared__ __align__(16) float sB[BK][BN];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const int wrow = (warp / WARPS_N) * WM, wcol = (warp % WARPS_N) * WN;
    const int lrow = (lane / LANES_N) * TM, lcol = (lane % LANES_N) * TN;
    float acc[ITER_M * TM][ITER_N * TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = threadIdx.x; e < BM * BK; e += WARPS * 32) {
            int r = e / BK, c = e % BK;
            sA[c][r] = blockIdx.y * BM + r < M ? A[(blockIdx.y * BM + r) * K + k0 + c] : 0.f;
        }
        for (int e = threadIdx.x * 4; e < BK * BN; e += WARPS * 128) {
            int r = e / BN, c = e % BN;
            *(float4 *)&sB[r][c] = *(const float4 *)&B[(k0 + r) * N + blockIdx.x * BN + c];
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            float fa[ITER_M * TM], fb[ITER_N * TN];
#pragma unroll
            for (int i = 0; i < ITER_M; ++i)
#pragma unroll
                for (int t = 0; t < TM; ++t) fa[i * TM + t] = sA[k][wrow + i * LANES_M * TM + lrow + t];
#pragma unroll
            for (int j = 0; j < ITER_N; ++j)
#pragma unroll
                for (int t = 0; t < TN; t += 2) {
                    float2 v = *(float2 *)&sB[k][wcol + j * LANES_N * TN + lcol + t];
                    fb[j * TN + t] = v.x;
                    fb[j * TN + t + 1] = v.y;
                }
#pragma unroll
            for (int i = 0; i < ITER_M * TM; ++i)
#pragma unroll
                for (int j = 0; j < ITER_N * TN; ++j) acc[i][j] += fa[i] * fb[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ITER_M * TM; ++i) {
        const int r = blockIdx.y * BM + wrow + (i / TM) * LANES_M * TM + lrow + i % TM;
        if (r >= M) continue;
#pragma unroll
        for (int j = 0; j < ITER_N * TN; j += 2) {
            const int c = blockIdx.x * BN + wcol + (j / TN) * LANES_N * TN + lcol + j % TN;
            *(float2 *)&C[r * N + c] = make_float2(acc[i][j], acc[i][j + 1]);
        }
    }
}

// double precision, each thread walks COARSEN tiles to the right (PMPP chapter 6)
template <int TILE, int COARSEN>
__global__ void dgemm_coarsened(const double *M, const double *N, double *P, int width) {
    __shared__ double Mds[TILE][TILE];
    __shared__ double Nds[TILE][TILE];
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int row = by * TILE + ty;
    int colStart = bx * TILE * COARSEN + tx;
    double Pvalue[COARSEN];
    for (int c = 0; c < COARSEN; ++c) Pvalue[c] = 0.0;
    for (int ph = 0; ph < (width + TILE - 1) / TILE; ++ph) {
        Mds[ty][tx] = row < width && ph * TILE + tx < width ? M[row * width + ph * TILE + tx] : 0.0;
        for (int c = 0; c < COARSEN; ++c) {
            int col = colStart + c * TILE;
            Nds[ty][tx] = col < width && ph * TILE + ty < width ? N[(ph * TILE + ty) * width + col] : 0.0;
            __syncthreads();
            for (int k = 0; k < TILE; ++k) Pvalue[c] += Mds[ty][k] * Nds[k][tx];
            __syncthreads();
        }
    }
    for (int c = 0; c < COARSEN; ++c)
        if (row < width && colStart + c * TILE < width) P[row * width + colStart + c * TILE] = Pvalue[c];
}
