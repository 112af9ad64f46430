#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct cpx { float re, im; };
struct zpx { double re, im; };
// generic product, element type E, accumulate Acc, K-major B; block TX x TY, each RM x RN strided
template <typename E> __device__ __forceinline__ void mac(E& c, E a, E b) { c = c + a * b; }
template <> __device__ __forceinline__ void mac(cpx& c, cpx a, cpx b) { c.re += a.re * b.re - a.im * b.im; c.im += a.re * b.im + a.im * b.re; }
template <> __device__ __forceinline__ void mac(zpx& c, zpx a, zpx b) { c.re = fma(a.re, b.re, fma(-a.im, b.im, c.re)); c.im = fma(a.re, b.im, fma(a.im, b.re, c.im)); }
template <typename E, int T, int R, int BK>
__global__ void e_gemm(const E* __restrict__ A, const E* __restrict__ B, E* __restrict__ C, int m, int n, int k)
{
    __shared__ E a[BK][T * R + 1], b[BK][T * R];
    E acc[R][R] = {};
    int t = threadIdx.y * T + threadIdx.x, r0 = blockIdx.y * T * R, c0 = blockIdx.x * T * R;
    for (int k0 = 0; k0 < k; k0 += BK) {
#pragma unroll 1
        for (int e = t; e < BK * T * R; e += T * T) {
            int r = e / BK, d = e % BK; E z = {}; a[d][r] = (r0 + r < m && k0 + d < k) ? A[(r0 + r) * k + k0 + d] : z;
            d = e / (T * R); r = e % (T * R); b[d][r] = (c0 + r < n && k0 + d < k) ? B[(k0 + d) * n + c0 + r] : z;
        }
        __syncthreads();
#pragma unroll 2
        for (int d = 0; d < BK; ++d)
#pragma unroll
            for (int i = 0; i < R; ++i)
#pragma unroll
                for (int j = 0; j < R; ++j) mac(acc[i][j], a[d][threadIdx.y + T * i], b[d][threadIdx.x + T * j]);
        __syncthreads();
    }
    for (int i = 0; i < R; ++i) for (int j = 0; j < R; ++j) { int r = r0 + threadIdx.y + T * i, c = c0 + threadIdx.x + T * j; if (r < m && c < n) C[r * n + c] = acc[i][j]; }
}
// half2 products: two columns a thread
template <int T>
__global__ void h_gemm2(const half* A, const half2* B, half2* C, int m, int n2, int k)
{
    __shared__ half a[T][T]; __shared__ half2 b[T][T];
    int r = blockIdx.y * T + threadIdx.y, c = blockIdx.x * T + threadIdx.x;
    float2 acc = { 0, 0 };
    for (int p = 0; p < k; p += T) {
        a[threadIdx.y][threadIdx.x] = r < m && p + threadIdx.x < k ? A[r * k + p + threadIdx.x] : __float2half(0.f);
        b[threadIdx.y][threadIdx.x] = p + threadIdx.y < k && c < n2 ? B[(p + threadIdx.y) * n2 + c] : __float2half2_rn(0.f);
        __syncthreads();
        half2 s = __float2half2_rn(0.f);
        for (int d = 0; d < T; ++d) s = __hfma2(__half2half2(a[threadIdx.y][d]), b[d][threadIdx.x], s);
        float2 f = __half22float2(s); acc.x += f.x; acc.y += f.y;
        __syncthreads();
    }
    if (r < m && c < n2) C[r * n2 + c] = __floats2half2_rn(acc.x, acc.y);
}
// dp4a: A rows and B columns packed along k
template <int T, int U>
__global__ void i_dp4a(const int* __restrict__ A, const int* __restrict__ Bt, int* __restrict__ C, const float* __restrict__ sc, float* __restrict__ F, int m, int n, int k4)
{
    __shared__ int a[T][T + 1], b[T][T + 1];
    int r = blockIdx.y * T + threadIdx.y, c = blockIdx.x * T + threadIdx.x, cb = blockIdx.x * T + threadIdx.y, acc = 0;
    for (int p = 0; p < k4; p += T) {
        a[threadIdx.y][threadIdx.x] = r < m && p + threadIdx.x < k4 ? A[r * k4 + p + threadIdx.x] : 0;
        b[threadIdx.y][threadIdx.x] = cb < n && p + threadIdx.x < k4 ? Bt[cb * k4 + p + threadIdx.x] : 0;
        __syncthreads();
#pragma unroll U
        for (int d = 0; d < T; ++d) acc = __dp4a(a[threadIdx.y][d], b[threadIdx.x][d], acc);
        __syncthreads();
    }
    if (r < m && c < n) { C[r * n + c] = acc; F[r * n + c] = acc * sc[c]; }
}
// matvec: warp per row, lanes V wide; and column kernel for the transposed
template <typename V, int VL>
__global__ void v_row(const V* __restrict__ A, const V* __restrict__ x, float* __restrict__ y, int rows, int colsV, float beta)
{
    int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= rows) return;
    float s = 0;
    for (int c = threadIdx.x; c < colsV; c += 32) {
        V a = A[(size_t)r * colsV + c], b = x[c];
        const float* pa = reinterpret_cast<const float*>(&a); const float* pb = reinterpret_cast<const float*>(&b);
#pragma unroll
        for (int i = 0; i < VL; ++i) s += pa[i] * pb[i];
    }
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x == 0) y[r] = beta == 0.f ? s : s + beta * y[r];
}
template <int BX, int BY>
__global__ void v_col(const float* A, const float* x, float* y, int rows, int cols)
{
    __shared__ float s[BY][BX];
    int c = blockIdx.x * BX + threadIdx.x; float a = 0;
    if (c < cols) for (int r = threadIdx.y; r < rows; r += BY) a += A[r * cols + c] * x[r];
    s[threadIdx.y][threadIdx.x] = a; __syncthreads();
    for (int h = BY / 2; h; h /= 2) { if (threadIdx.y < h) s[threadIdx.y][threadIdx.x] += s[threadIdx.y + h][threadIdx.x]; __syncthreads(); }
    if (threadIdx.y == 0 && c < cols) y[c] = s[0][threadIdx.x];
}
template <typename T> __device__ float tof(T v);
template <> __device__ float tof<half>(half v) { return __half2float(v); }
template <> __device__ float tof<__nv_bfloat16>(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T>
__global__ void v_block(const T* A, const T* x, float* y, int cols)  // block per row, x kept in shared
{
    extern __shared__ float sx[]; __shared__ float part[32];
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sx[c] = tof(x[c]);
    __syncthreads();
    float s = 0; const T* row = A + (size_t)blockIdx.x * cols;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += tof(row[c]) * sx[c];
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    if (!(threadIdx.x & 31)) part[threadIdx.x >> 5] = s;
    __syncthreads();
    if (threadIdx.x < 32) { s = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0; for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o); if (!threadIdx.x) y[blockIdx.x] = s; }
}
// quantised matvec: groups of 32 nibbles with scale and zero
struct __align__(4) q4 { half d; half m; unsigned char q[16]; };
__global__ void q_mv4(const q4* __restrict__ W, const float* __restrict__ x, float* __restrict__ y, int rows, int groups)
{
    int r = blockIdx.x * blockDim.y + threadIdx.y; if (r >= rows) return;
    float s = 0;
    for (int g = threadIdx.x / 2; g < groups; g += 16) {
        const q4* b = W + r * groups + g; int h = threadIdx.x & 1;
        float d = __half2float(b->d), m = __half2float(b->m), a = 0, sx = 0;
#pragma unroll
        for (int i = 0; i < 8; ++i) { unsigned char q = b->q[h * 8 + i]; float x0 = x[g * 32 + h * 8 + i], x1 = x[g * 32 + 16 + h * 8 + i]; a += (q & 15) * x0 + (q >> 4) * x1; sx += x0 + x1; }
        s += d * a + m * sx;
    }
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    if (!threadIdx.x) y[r] = s;
}
// packed columns: uint32 holds 8 consecutive k; scale per (group of G, column)
template <int G>
__global__ void q_cols(const unsigned* __restrict__ qw, const unsigned* __restrict__ qz, const half* __restrict__ sc, const half* __restrict__ x, half* __restrict__ y, int k, int n)
{
    __shared__ half xs[256];
    int c = blockIdx.x * blockDim.x + threadIdx.x; float acc = 0;
    for (int k0 = 0; k0 < k; k0 += 256) {
        __syncthreads();
        for (int i = threadIdx.x; i < 256 && k0 + i < k; i += blockDim.x) xs[i] = x[k0 + i];
        __syncthreads();
        if (c < n) for (int i = 0; i < 256 && k0 + i < k; i += 8) {
            int g = (k0 + i) / G; unsigned w = qw[(k0 + i) / 8 * n + c];
            float s = __half2float(sc[g * n + c]); int z = ((qz[g * ((n + 7) / 8) + c / 8] >> (c % 8 * 4)) & 15) + 1;
#pragma unroll
            for (int b = 0; b < 8; ++b) acc += s * ((int)(w >> (4 * b) & 15) - z) * __half2float(xs[i + b]);
        }
    }
    if (c < n) y[c] = __float2half(acc);
}
// SYRK lower by triangular block index; TRSM; small inverses
template <int T>
__global__ void l_syrk(const float* A, float* C, int n, int k, float alpha)
{
    __shared__ float a[T][T + 1], b[T][T + 1];
    int id = blockIdx.x, bi = (int)((sqrtf(8.f * id + 1.f) - 1.f) * 0.5f);
    while ((bi + 1) * (bi + 2) / 2 <= id) ++bi;
    while (bi * (bi + 1) / 2 > id) --bi;
    int bj = id - bi * (bi + 1) / 2, tx = threadIdx.x, ty = threadIdx.y; float s = 0;
    for (int p = 0; p < k; p += T) {
        a[ty][tx] = bi * T + ty < n && p + tx < k ? A[(bi * T + ty) * k + p + tx] : 0;
        if (bi != bj) b[ty][tx] = bj * T + ty < n && p + tx < k ? A[(bj * T + ty) * k + p + tx] : 0;
        __syncthreads();
        const float (*o)[T + 1] = bi == bj ? a : b;
        for (int d = 0; d < T; ++d) s += a[ty][d] * o[tx][d];
        __syncthreads();
    }
    int r = bi * T + ty, c = bj * T + tx;
    if (r < n && c <= r) C[r * n + c] = alpha * s;
}
template <int N, bool Unit>
__global__ void l_trsm(const float* L, float* B, int nrhs)   // L lower N x N; B N x nrhs, one right side a thread
{
    __shared__ float l[N * (N + 1) / 2];
    for (int e = threadIdx.x; e < N * N; e += blockDim.x) { int r = e / N, c = e % N; if (c <= r) l[r * (r + 1) / 2 + c] = L[e] + (r == c ? 4.f : 0.f); }
    __syncthreads();
    int j = blockIdx.x * blockDim.x + threadIdx.x; if (j >= nrhs) return;
    float x[N];
#pragma unroll
    for (int i = 0; i < N; ++i) { float s = B[i * nrhs + j];
#pragma unroll
        for (int p = 0; p < i; ++p) s -= l[i * (i + 1) / 2 + p] * x[p];
        x[i] = Unit ? s : s / l[i * (i + 1) / 2 + i]; B[i * nrhs + j] = x[i]; }
}
__global__ void l_trsv_warp(const float* L, const float* b, float* x, int n)  // a warp a system, n <= 32, forward by shuffles
{
    int w = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x; L += w * n * n; float v = lane < n ? b[w * n + lane] : 0.f;
    for (int i = 0; i < n; ++i) {
        float d = L[i * n + i] + 3.f, xi = __shfl_sync(~0u, v, i) / d;
        if (lane == i) v = xi; else if (lane > i && lane < n) v -= L[lane * n + i] * xi;
    }
    if (lane < n) x[w * n + lane] = v;
}
template <typename T, int N>
__global__ void l_inv(const T* A, T* out, int batch)   // Gauss-Jordan with partial pivoting; N threads per matrix, several per block
{
    extern __shared__ __align__(16) unsigned char raw[];
    T (*m)[2 * N + 1] = reinterpret_cast<T (*)[2 * N + 1]>(raw) + threadIdx.y * N;
    int b = blockIdx.x * blockDim.y + threadIdx.y, c = threadIdx.x; bool on = b < batch;
    for (int r = 0; r < N; ++r) { m[r][c] = on ? A[(b * N + r) * N + c] : T(r == c); m[r][N + c] = T(r == c); }
    __syncthreads();
    for (int p = 0; p < N; ++p) {
        int best = p; T mx = fabs(m[p][p]);
        for (int r = p + 1; r < N; ++r) { T v = fabs(m[r][p]); if (v > mx) { mx = v; best = r; } }
        __syncthreads();
        if (best != p) { T t = m[p][c]; m[p][c] = m[best][c]; m[best][c] = t; t = m[p][N + c]; m[p][N + c] = m[best][N + c]; m[best][N + c] = t; }
        __syncthreads();
        T d = T(1) / m[p][p]; __syncthreads();
        m[p][c] *= d; m[p][N + c] *= d; __syncthreads();
        for (int r = 0; r < N; ++r) {
            T f = m[r][p]; __syncthreads();
            if (r != p) { m[r][c] -= f * m[p][c]; m[r][N + c] -= f * m[p][N + c]; }
            __syncthreads();
        }
    }
    if (on) for (int r = 0; r < N; ++r) out[(b * N + r) * N + c] = m[r][N + c];
}
template <int N>
__global__ void l_chol_thread(const float* A, float* L, int batch)  // interleaved batch, a matrix a thread
{
    int b = blockIdx.x * blockDim.x + threadIdx.x; if (b >= batch) return;
    float a[N][N];
#pragma unroll
    for (int i = 0; i < N; ++i)
#pragma unroll
        for (int j = 0; j <= i; ++j) a[i][j] = A[(i * N + j) * batch + b] + (i == j ? 2.f * N : 0.f);
#pragma unroll
    for (int j = 0; j < N; ++j) {
#pragma unroll
        for (int p = 0; p < j; ++p)
#pragma unroll
            for (int i = j; i < N; ++i) a[i][j] -= a[i][p] * a[j][p];
        float d = rsqrtf(a[j][j]);
#pragma unroll
        for (int i = j; i < N; ++i) a[i][j] *= d;
    }
#pragma unroll
    for (int i = 0; i < N; ++i)
#pragma unroll
        for (int j = 0; j <= i; ++j) L[(i * N + j) * batch + b] = a[i][j];
}
