// Matrix products of single precision, in the ways people write them.
#define CEIL(a, b) (((a) + (b) - 1) / (b))

enum Order { ROW_IS_X, ROW_IS_Y };

template <int ORDER>
__global__ void sgemm_plain(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    int row, col;
    if (ORDER == ROW_IS_X) {
        row = blockIdx.x * blockDim.x + threadIdx.x;
        col = blockIdx.y * blockDim.y + threadIdx.y;
    } else {
        row = blockIdx.y * blockDim.y + threadIdx.y;
        col = blockIdx.x * blockDim.x + threadIdx.x;
    }
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] = alpha * acc + beta * C[row * N + col];
    }
}

// C = A^T * B, A stored K x M. Double with __restrict__.
__global__ void __launch_bounds__(192)
dgemm_tn(const double *__restrict__ A, const double *__restrict__ B, double *__restrict__ C, unsigned M, unsigned N, unsigned K)
{
    const unsigned lin = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned i = lin / N, j = lin % N;
    if (i >= M) return;
    double s = 0;
#pragma unroll 4
    for (unsigned k = 0; k < K; k++) s = fma(A[k * M + i], B[k * N + j], s);
    C[i * (size_t)N + j] = s;
}

template <int BM, int BN, int BK>
__global__ void sgemm_tile_odd(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];
    const int tid = threadIdx.y * blockDim.x + threadIdx.x;
    const int nt = blockDim.x * blockDim.y;
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    float acc = 0.f;
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BM * BK; e += nt) {
            int r = e / BK, c = e % BK;
            As[r][c] = (m0 + r < M && k0 + c < K) ? A[(m0 + r) * K + k0 + c] : 0.f;
        }
        for (int e = tid; e < BK * BN; e += nt) {
            int r = e / BN, c = e % BN;
            Bs[r][c] = (k0 + r < K && n0 + c < N) ? B[(k0 + r) * N + n0 + c] : 0.f;
        }
        __syncthreads();
        for (int k = 0; k < BK; k++) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (m0 + threadIdx.y < M && n0 + threadIdx.x < N) C[(m0 + threadIdx.y) * N + n0 + threadIdx.x] = acc;
}

// Register blocking with rectangular shapes.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
sgemm_regs(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int M, int N, int K)
{
    constexpr int TX = BN / TN, TY = BM / TM, NT = TX * TY;
    __shared__ float sa[BK][BM + 1];
    __shared__ float sb[BK][BN];
    const int tx = threadIdx.x % TX, ty = threadIdx.x / TX;
    float c[TM][TN];
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) c[i][j] = 0.f;
    for (int kk = 0; kk < K; kk += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += NT) {
            int m = i / BK, k = i - m * BK;
            int gm = blockIdx.y * BM + m, gk = kk + k;
            sa[k][m] = 0.f;
            if (gm < M && gk < K) sa[k][m] = A[gm * K + gk];
        }
        for (int i = threadIdx.x; i < BN * BK; i += NT) {
            int k = i / BN, n = i - k * BN;
            int gn = blockIdx.x * BN + n, gk = kk + k;
            sb[k][n] = (gn < N && gk < K) ? __ldg(&B[gk * N + gn]) : 0.f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float ra[TM], rb[TN];
#pragma unroll
            for (int i = 0; i < TM; i++) ra[i] = sa[k][ty * TM + i];
#pragma unroll
            for (int j = 0; j < TN; j++) rb[j] = sb[k][tx + j * TX];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++) c[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; i++) {
        int gm = blockIdx.y * BM + ty * TM + i;
        if (gm >= M) break;
#pragma unroll
        for (int j = 0; j < TN; j++) {
            int gn = blockIdx.x * BN + tx + j * TX;
            if (gn < N) C[gm * N + gn] = c[i][j];
        }
    }
}

// float4 loads, A transposed on its way into shared memory, registers prefetched.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void sgemm_vec4(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int M, int N, int K)
{
    constexpr int NT = (BM * BN) / (TM * TN);
    constexpr int LA = BM * BK / 4 / NT, LB = BN * BK / 4 / NT;
    static_assert(LA * NT * 4 == BM * BK && LB * NT * 4 == BN * BK, "shape");
    __shared__ __align__(16) float As[2][BK][BM];
    __shared__ __align__(16) float Bs[2][BK][BN];
    const int tid = threadIdx.x;
    const int tcol = tid % (BN / TN), trow = tid / (BN / TN);
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float4 pa[LA], pb[LB];
    float acc[TM * TN] = {0.f};
    auto fetch = [&](int k0) {
#pragma unroll
        for (int l = 0; l < LA; l++) {
            int v = tid + l * NT;
            pa[l] = *reinterpret_cast<const float4 *>(&A[(v / (BK / 4)) * K + k0 + (v % (BK / 4)) * 4]);
        }
#pragma unroll
        for (int l = 0; l < LB; l++) {
            int v = tid + l * NT;
            pb[l] = *reinterpret_cast<const float4 *>(&B[(k0 + v / (BN / 4)) * N + (v % (BN / 4)) * 4]);
        }
    };
    auto put = [&](int s) {
#pragma unroll
        for (int l = 0; l < LA; l++) {
            int v = tid + l * NT, m = v / (BK / 4), k = (v % (BK / 4)) * 4;
            As[s][k + 0][m] = pa[l].x;
            As[s][k + 1][m] = pa[l].y;
            As[s][k + 2][m] = pa[l].z;
            As[s][k + 3][m] = pa[l].w;
        }
#pragma unroll
        for (int l = 0; l < LB; l++) {
            int v = tid + l * NT;
            *reinterpret_cast<float4 *>(&Bs[s][v / (BN / 4)][(v % (BN / 4)) * 4]) = pb[l];
        }
    };
    fetch(0);
    put(0);
    __syncthreads();
    int s = 0;
    for (int k0 = 0; k0 < K; k0 += BK) {
        const bool more = k0 + BK < K;
        if (more) fetch(k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float fa[TM], fb[TN];
#pragma unroll
            for (int i = 0; i < TM; i += 4) *(float4 *)&fa[i] = *(const float4 *)&As[s][k][trow * TM + i];
#pragma unroll
            for (int j = 0; j < TN; j += 4) *(float4 *)&fb[j] = *(const float4 *)&Bs[s][k][tcol * TN + j];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++) acc[i * TN + j] += fa[i] * fb[j];
        }
        if (more) {
            s ^= 1;
            put(s);
            __syncthreads();
        }
    }
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            *(float4 *)&C[(trow * TM + i) * N + tcol * TN + j] = make_float4(acc[i * TN + j], acc[i * TN + j + 1], acc[i * TN + j + 2], acc[i * TN + j + 3]);
}

// B transposed in shared memory with an odd pitch; double2 accesses to global memory.
template <int PAD>
__global__ void dgemm_bt(const double *A, const double *B, double *C, int n)
{
    __shared__ double a[16][16 + PAD], bt[16][16 + PAD];
    const int x = threadIdx.x & 15, y = threadIdx.x >> 4; // 128 threads: 8 rows at a time
    double s0 = 0, s1 = 0;
    for (int t = 0; t < n; t += 16) {
        const int c2 = (threadIdx.x & 7) * 2, r = threadIdx.x >> 3;
        double2 va = *(const double2 *)(A + (blockIdx.y * 16 + r) * n + t + c2);
        double2 vb = *(const double2 *)(B + (t + r) * n + blockIdx.x * 16 + c2);
        a[r][c2] = va.x;
        a[r][c2 + 1] = va.y;
        bt[c2][r] = vb.x;
        bt[c2 + 1][r] = vb.y;
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 16; k++) {
            s0 += a[y][k] * bt[x][k];
            s1 += a[y + 8][k] * bt[x][k];
        }
        __syncthreads();
    }
    C[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x] = s0;
    C[(blockIdx.y * 16 + y + 8) * n + blockIdx.x * 16 + x] = s1;
}

// Split-K with atomics; integers in floats, so that order does not matter.
__global__ void sgemm_splitk(const int *A, const int *B, float *C, int M, int N, int K, int chunk)
{
    __shared__ float as[16][17], bs[16][17];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    int kb = blockIdx.z * chunk, ke = min(K, kb + chunk);
    float s = 0;
    for (int k = kb; k < ke; k += 16) {
        as[threadIdx.y][threadIdx.x] = row < M && k + threadIdx.x < ke ? (float)(A[row * K + k + threadIdx.x] & 7) : 0.f;
        bs[threadIdx.x][threadIdx.y] = col < N && k + threadIdx.y < ke ? (float)(B[(k + threadIdx.y) * N + col] & 7) : 0.f;
        __syncthreads();
        for (int i = 0; i < 16; i++) s += as[threadIdx.y][i] * bs[threadIdx.x][i];
        __syncthreads();
    }
    if (row < M && col < N && kb < ke) atomicAdd(&C[row * N + col], s);
}

struct Batch { const float *a; const float *b; float *c; long long sa, sb, sc; int lda, ldb, ldc; };
template <bool TA, bool TB>
__global__ void sgemm_batched_strided(Batch g, int m, int n, int k)
{
    extern __shared__ float sm[];
    float *const ta = sm, *const tb = sm + blockDim.x * blockDim.y;
    const float *a = g.a + blockIdx.z * g.sa, *b = g.b + blockIdx.z * g.sb;
    const int tx = threadIdx.x, ty = threadIdx.y, T = blockDim.x;
    const int r = blockIdx.x * T + ty, c = blockIdx.y * T + tx;
    float acc = 0;
    for (int p = 0; p < k; p += T) {
        float va = 0, vb = 0;
        if (r < m && p + tx < k) va = TA ? a[(p + tx) * g.lda + r] : a[r * g.lda + p + tx];
        if (c < n && p + ty < k) vb = TB ? b[c * g.ldb + p + ty] : b[(p + ty) * g.ldb + c];
        ta[ty * T + tx] = va;
        tb[ty * T + tx] = vb;
        __syncthreads();
        const int e = min(T, k - p);
        for (int i = 0; i < e; ++i) acc = __fmaf_rn(ta[ty * T + i], tb[i * T + tx], acc);
        __syncthreads();
    }
    if (r < m && c < n) (g.c + blockIdx.z * g.sc)[r * g.ldc + c] = acc;
}

// 8-bit integers through __dp4a; B held as columns.
__global__ void igemm_dp4a(const int *A, const int *Bt, int *C, int M, int N, int K4)
{
    __shared__ int a[8][9], b[32][9];
    const int tx = threadIdx.x, ty = threadIdx.y; // 32 x 8
    const int row = blockIdx.y * 8 + ty, col = blockIdx.x * 32 + tx;
    int acc = 0;
    for (int k = 0; k < K4; k += 8) {
        if (tx < 8) a[ty][tx] = (row < M && k + tx < K4) ? A[row * K4 + k + tx] : 0;
        int lin = ty * 32 + tx, lr = lin >> 3, lc = lin & 7;
        b[lr][lc] = (blockIdx.x * 32 + lr < N && k + lc < K4) ? Bt[(blockIdx.x * 32 + lr) * K4 + k + lc] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++) acc = __dp4a(a[ty][i], b[tx][i], acc);
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
