// SGEMM steps, each written in a different hand.
// 1: naive, row index from x or from y
template <bool RowFromX, typename I>
__global__ void g_naive(const float* A, const float* B, float* C, I m, I n, I k, float alpha, float beta)
{
    I r = RowFromX ? blockIdx.x * blockDim.x + threadIdx.x : blockIdx.y * blockDim.y + threadIdx.y;
    I c = RowFromX ? blockIdx.y * blockDim.y + threadIdx.y : blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m || c >= n) return;
    float s = 0.f;
    for (I p = 0; p < k; ++p) s += A[r * k + p] * B[p * n + c];
    C[r * n + c] = alpha * s + beta * C[r * n + c];
}
// 2: square tile with zero fill at ragged edges
template <int T>
__global__ void __launch_bounds__(T * T) g_tile(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int m, int n, int k, float alpha, float beta)
{
    __shared__ float sa[T][T], sb[T][T];
    const int tx = threadIdx.x % T, ty = threadIdx.x / T;
    const int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    float acc = 0.f;
    for (int k0 = 0; k0 < k; k0 += T) {
        sa[ty][tx] = (row < m && k0 + tx < k) ? A[row * k + k0 + tx] : 0.f;
        sb[ty][tx] = (k0 + ty < k && col < n) ? B[(k0 + ty) * n + col] : 0.f;
        __syncthreads();
#ifdef UNR
#pragma unroll UNR
#endif
        for (int i = 0; i < T; ++i) acc = fmaf(sa[ty][i], sb[i][tx], acc);
        __syncthreads();
    }
    if (row < m && col < n) C[row * n + col] = alpha * acc + (beta == 0.f ? 0.f : beta * C[row * n + col]);
}
// 3: 1D block tile: a thread makes TM results of a column
template <int BM, int BN, int BK, int TM>
__global__ void g_col(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[BM * BK], Bs[BK * BN];
    constexpr int NT = BM * BN / TM;
    const int tid = threadIdx.x, tc = tid % BN, tr = tid / BN;
    const int r0 = blockIdx.y * BM, c0 = blockIdx.x * BN;
    float acc[TM] = {};
    for (int kk = 0; kk < k; kk += BK) {
        for (int e = tid; e < BM * BK; e += NT) { int i = e / BK, j = e % BK; As[e] = (r0 + i < m && kk + j < k) ? A[(size_t)(r0 + i) * k + kk + j] : 0.f; }
        for (int e = tid; e < BK * BN; e += NT) { int i = e / BN, j = e % BN; Bs[e] = (kk + i < k && c0 + j < n) ? B[(size_t)(kk + i) * n + c0 + j] : 0.f; }
        __syncthreads();
        for (int d = 0; d < BK; ++d) {
            float b = Bs[d * BN + tc];
#pragma unroll
            for (int t = 0; t < TM; ++t) acc[t] += As[(tr * TM + t) * BK + d] * b;
        }
        __syncthreads();
    }
    for (int t = 0; t < TM; ++t) { int r = r0 + tr * TM + t; if (r < m && c0 + tc < n) C[(size_t)r * n + c0 + tc] = acc[t]; }
}
// 4: 2D register tile, float4 loads, A transposed in shared, PAD
template <int BM, int BN, int BK, int TM, int TN, int PAD>
__global__ void __launch_bounds__(BM / TM * (BN / TN)) g_vec(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int m, int n, int k, float alpha, float beta)
{
    __shared__ __align__(16) float As[BK][BM + PAD];
    __shared__ __align__(16) float Bs[BK][BN];
    constexpr int NT = BM / TM * (BN / TN);
    const int tid = threadIdx.x, tx = tid % (BN / TN), ty = tid / (BN / TN);
    A += (size_t)blockIdx.y * BM * k; B += blockIdx.x * BN; C += (size_t)blockIdx.y * BM * n + blockIdx.x * BN;
    float acc[TM][TN] = {}, ra[TM], rb[TN];
    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int e = tid; e < BM * BK / 4; e += NT) {
            int r = e / (BK / 4), q = e % (BK / 4) * 4;
            float4 v = *reinterpret_cast<const float4*>(A + (size_t)r * k + k0 + q);
            As[q][r] = v.x; As[q + 1][r] = v.y; As[q + 2][r] = v.z; As[q + 3][r] = v.w;
        }
        for (int e = tid; e < BK * BN / 4; e += NT) {
            int r = e / (BN / 4), q = e % (BN / 4) * 4;
            *reinterpret_cast<float4*>(&Bs[r][q]) = *reinterpret_cast<const float4*>(B + (size_t)(k0 + r) * n + q);
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < BK; ++d) {
#pragma unroll
            for (int i = 0; i < TM; ++i) ra[i] = As[d][ty * TM + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) rb[j] = Bs[d][tx * TN + j];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            float4* p = reinterpret_cast<float4*>(C + (size_t)(ty * TM + i) * n + tx * TN + j);
            float4 o = *p;
            o.x = alpha * acc[i][j] + beta * o.x; o.y = alpha * acc[i][j + 1] + beta * o.y;
            o.z = alpha * acc[i][j + 2] + beta * o.z; o.w = alpha * acc[i][j + 3] + beta * o.w;
            *p = o;
        }
}
// 5: double buffer through registers, strided microtile (no float4 to shared), guards
template <int BM, int BN, int BK, typename I>
__global__ void g_double(const float* A, I lda, const float* B, I ldb, float* C, I ldc, I m, I n, I k)
{
    constexpr int TX = 16, TY = 16, RM = BM / TY, RN = BN / TX, LA = BM * BK / 256, LB = BK * BN / 256;
    __shared__ float s[2][BK][BM + 1 + BN];
    const int t = threadIdx.y * TX + threadIdx.x;
    const I r0 = (I)blockIdx.x * BM, c0 = (I)blockIdx.y * BN;
    float pa[LA], pb[LB], acc[RM][RN] = {};
    auto fetch = [&](I k0) {
        for (int q = 0; q < LA; ++q) { int e = t + q * 256; I r = r0 + e / BK, c = k0 + e % BK; pa[q] = (r < m && c < k) ? A[r * lda + c] : 0.f; }
        for (int q = 0; q < LB; ++q) { int e = t + q * 256; I r = k0 + e / BN, c = c0 + e % BN; pb[q] = (r < k && c < n) ? B[r * ldb + c] : 0.f; }
    };
    auto stash = [&](int w) {
        for (int q = 0; q < LA; ++q) { int e = t + q * 256; s[w][e % BK][e / BK] = pa[q]; }
        for (int q = 0; q < LB; ++q) { int e = t + q * 256; s[w][e / BN][BM + 1 + e % BN] = pb[q]; }
    };
    fetch(0); stash(0); __syncthreads();
    int w = 0;
    for (I k0 = 0; k0 < k; k0 += BK) {
        bool more = k0 + BK < k;
        if (more) fetch(k0 + BK);
        for (int d = 0; d < BK; ++d)
#pragma unroll
            for (int i = 0; i < RM; ++i)
#pragma unroll
                for (int j = 0; j < RN; ++j) acc[i][j] += s[w][d][threadIdx.y + i * TY] * s[w][d][BM + 1 + threadIdx.x + j * TX];
        if (more) { stash(w ^ 1); w ^= 1; }
        __syncthreads();
    }
    for (int i = 0; i < RM; ++i) for (int j = 0; j < RN; ++j) {
        I r = r0 + threadIdx.y + i * TY, c = c0 + threadIdx.x + j * TX;
        if (r < m && c < n) C[r * ldc + c] = acc[i][j];
    }
}
// 6: warp tiles: WM x WN per warp, lane grid 8x4, float4 reads
template <int BM, int BN, int BK, int WM, int WN>
__global__ void __launch_bounds__(BM / WM * (BN / WN) * 32, 2) g_warp(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int n, int k)
{
    constexpr int NT = BM / WM * (BN / WN) * 32, LM = WM / 8, LN = WN / 4;
    __shared__ float4 sA[BK][BM / 4], sB[BK][BN / 4];
    const int wid = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const int wr = wid / (BN / WN) * WM + (lane >> 2) * LM, wc = wid % (BN / WN) * WN + (lane & 3) * LN;
    const int R = blockIdx.y * BM, Q = blockIdx.x * BN;
    float acc[LM][LN] = {};
    for (int k0 = 0; k0 < k; k0 += BK) {
        float* fa = reinterpret_cast<float*>(sA);
        for (int e = threadIdx.x; e < BM * BK; e += NT) { int r = e % BM, c = e / BM; fa[c * BM + r] = A[(R + r) * k + k0 + c]; }
        for (int e = threadIdx.x; e < BK * BN / 4; e += NT) { int r = e / (BN / 4), c = e % (BN / 4); sB[r][c] = reinterpret_cast<const float4*>(B + (k0 + r) * n + Q)[c]; }
        __syncthreads();
#pragma unroll 2
        for (int d = 0; d < BK; ++d) {
            float a[LM], b[LN];
#pragma unroll
            for (int i = 0; i < LM; i += 4) { float4 v = sA[d][(wr + i) / 4]; a[i] = v.x; a[i + 1] = v.y; a[i + 2] = v.z; a[i + 3] = v.w; }
#pragma unroll
            for (int i = 0; i < LN; i += 4) { float4 v = sB[d][(wc + i) / 4]; b[i] = v.x; b[i + 1] = v.y; b[i + 2] = v.z; b[i + 3] = v.w; }
#pragma unroll
            for (int i = 0; i < LM; ++i)
#pragma unroll
                for (int j = 0; j < LN; ++j) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < LM; ++i)
#pragma unroll
        for (int j = 0; j < LN; j += 4) *reinterpret_cast<float4*>(&C[(R + wr + i) * n + Q + wc + j]) = make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
}
// 7: split-K: partials per z, reduced by a second kernel with epilogue
template <int T>
__global__ void g_splitk(const float* A, const float* B, float* W, int m, int n, int k, int chunk)
{
    __shared__ float a[T][T + 1], b[T][T];
    int r = blockIdx.y * T + threadIdx.y, c = blockIdx.x * T + threadIdx.x;
    int lo = blockIdx.z * chunk, hi = min(k, lo + chunk);
    float s = 0;
    for (int p = lo; p < hi; p += T) {
        if (r < m && p + threadIdx.x < hi) a[threadIdx.y][threadIdx.x] = A[r * k + p + threadIdx.x]; else a[threadIdx.y][threadIdx.x] = 0;
        if (c < n && p + threadIdx.y < hi) b[threadIdx.y][threadIdx.x] = B[(p + threadIdx.y) * n + c]; else b[threadIdx.y][threadIdx.x] = 0;
        __syncthreads();
        int lim = min(T, hi - p);
        for (int i = 0; i < lim; ++i) s += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    if (r < m && c < n) W[((size_t)blockIdx.z * m + r) * n + c] = s;
}
__global__ void g_splitk_sum(const float* __restrict__ W, const float* __restrict__ bias, float* __restrict__ C, int m, int n, int parts, int act)
{
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m * n; e += gridDim.x * blockDim.x) {
        float s = bias[e % n];
        for (int z = 0; z < parts; ++z) s += W[z * m * n + e];
        if (act == 1) s = fmaxf(s, 0.f);
        else if (act == 2) s = s / (1.f + expf(-s));
        C[e] = s;
    }
}
// 8: strided batches with TA/TB as template flags and column-major matrices (BLAS)
template <bool TA, bool TB, int T>
__global__ void g_blas(int m, int n, int k, float alpha, const float* A, int lda, long long sa, const float* B, int ldb, long long sb, float beta, float* C, int ldc, long long sc)
{
    __shared__ float xs[T][T + 1], ys[T][T + 1];
    A += blockIdx.z * sa; B += blockIdx.z * sb; C += blockIdx.z * sc;
    int tx = threadIdx.x, ty = threadIdx.y, i0 = blockIdx.x * T, j0 = blockIdx.y * T;
    float acc = 0.f;
    for (int p = 0; p < k; p += T) {
        if (TA) xs[ty][tx] = (i0 + ty < m && p + tx < k) ? A[(i0 + ty) * lda + p + tx] : 0.f;
        else xs[tx][ty] = (i0 + tx < m && p + ty < k) ? A[(p + ty) * lda + i0 + tx] : 0.f;
        if (TB) ys[ty][tx] = (j0 + tx < n && p + ty < k) ? B[(p + ty) * ldb + j0 + tx] : 0.f;
        else ys[tx][ty] = (j0 + ty < n && p + tx < k) ? B[(j0 + ty) * ldb + p + tx] : 0.f;
        __syncthreads();
#pragma unroll 4
        for (int q = 0; q < T; ++q) acc += xs[tx][q] * ys[q][ty];
        __syncthreads();
    }
    if (i0 + tx < m && j0 + ty < n) { float* p = C + (j0 + ty) * ldc + i0 + tx; *p = alpha * acc + beta * *p; }
}
// pointers array
struct Job { const float* a; const float* b; float* c; int m, n, k; };
__global__ void g_grouped(Job j0, Job j1, Job j2)
{
    Job j = blockIdx.z == 0 ? j0 : blockIdx.z == 1 ? j1 : j2;
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < j.m && c < j.n) { float s = 0; for (int p = 0; p < j.k; p++) s += j.a[r * j.k + p] * j.b[p * j.n + c]; j.c[r * j.n + c] = s; }
}
