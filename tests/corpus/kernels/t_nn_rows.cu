#include <cuda_fp16.h>
#include <cuda_bf16.h>
#ifdef NORES
#define RES
#else
#define RES __restrict__
#endif
#ifndef UN
#define UN 4
#endif
__device__ __forceinline__ float wsum(float v) { for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); return v; }
__device__ __forceinline__ float wmax(float v) { for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o)); return v; }
__device__ float bred(float v, bool mx)
{
    __shared__ float s[33];
    v = mx ? wmax(v) : wsum(v);
    if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x < 32) { float t = threadIdx.x < (blockDim.x + 31) / 32 ? s[threadIdx.x] : (mx ? -INFINITY : 0.f); t = mx ? wmax(t) : wsum(t); if (!threadIdx.x) s[32] = t; }
    __syncthreads();
    float r = s[32]; __syncthreads(); return r;
}
// softmax: warp a row in registers; block a row, three passes; online single pass
template <int PER>
__global__ void s_warp(const float* RES x, float* RES y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.y + threadIdx.y; if (r >= rows) return;
    float v[PER], m = -INFINITY, s = 0;
#pragma unroll
    for (int i = 0; i < PER; ++i) { int c = threadIdx.x + 32 * i; v[i] = c < cols ? x[r * cols + c] : -INFINITY; m = fmaxf(m, v[i]); }
    m = wmax(m);
#pragma unroll
    for (int i = 0; i < PER; ++i) { v[i] = __expf(v[i] - m); s += v[i]; }
    s = 1.f / wsum(s);
#pragma unroll
    for (int i = 0; i < PER; ++i) { int c = threadIdx.x + 32 * i; if (c < cols) y[r * cols + c] = v[i] * s; }
}
__global__ void s_block(const float* RES x, float* RES y, int cols)
{
    x += (size_t)blockIdx.x * cols; y += (size_t)blockIdx.x * cols; float m = -INFINITY, s = 0;
#pragma unroll UN
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, x[c]);
    m = bred(m, true);
#pragma unroll UN
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += expf(x[c] - m);
    s = bred(s, false);
#pragma unroll UN
    for (int c = threadIdx.x; c < cols; c += blockDim.x) y[c] = expf(x[c] - m) / s;
}
__global__ void s_online(const half* x, half* y, int cols, const int* len)
{
    int n = len[blockIdx.x]; x += blockIdx.x * cols; y += blockIdx.x * cols; float m = -1e30f, s = 0;
    for (int c = threadIdx.x; c < n; c += 32) { float v = __half2float(x[c]); if (v > m) { s *= __expf(m - v); m = v; } s += __expf(v - m); }
    for (int o = 1; o < 32; o *= 2) { float m2 = __shfl_xor_sync(~0u, m, o), s2 = __shfl_xor_sync(~0u, s, o), t = fmaxf(m, m2); s = s * __expf(m - t) + s2 * __expf(m2 - t); m = t; }
    for (int c = threadIdx.x; c < cols; c += 32) y[c] = c < n ? __float2half(__expf(__half2float(x[c]) - m) / s) : __float2half(0.f);
}
// layernorm with float4, Welford by shuffles; rmsnorm bf16x2; column-wise batchnorm stats
__device__ void wf(float& m, float& q, float& n, float m2, float q2, float n2) { float t = n + n2; if (t == 0.f) return; float d = m2 - m; m += d * n2 / t; q += q2 + d * d * n * n2 / t; n = t; }
__global__ void n_layer(const float4* RES x, const float4* RES g, const float4* RES b, float4* RES y, int c4, float eps)
{
    const float4* row = x + (size_t)blockIdx.x * c4; float m = 0, q = 0, n = 0; __shared__ float sm[32], sq[32], sn[32];
    for (int c = threadIdx.x; c < c4; c += blockDim.x) { float4 v = row[c]; float a[4] = { v.x, v.y, v.z, v.w };
#pragma unroll
        for (int i = 0; i < 4; ++i) { n += 1; float d = a[i] - m; m += d / n; q += d * (a[i] - m); } }
    for (int o = 16; o; o >>= 1) { float m2 = __shfl_down_sync(~0u, m, o), q2 = __shfl_down_sync(~0u, q, o), n2 = __shfl_down_sync(~0u, n, o); wf(m, q, n, m2, q2, n2); }
    int w = threadIdx.x / 32; if (threadIdx.x % 32 == 0) { sm[w] = m; sq[w] = q; sn[w] = n; }
    __syncthreads();
    m = q = n = 0; for (int i = 0; i < blockDim.x / 32; ++i) wf(m, q, n, sm[i], sq[i], sn[i]);
    float k = rsqrtf(q / n + eps);
    for (int c = threadIdx.x; c < c4; c += blockDim.x) { float4 v = row[c], a = g[c], d = b[c]; y[(size_t)blockIdx.x * c4 + c] = make_float4((v.x - m) * k * a.x + d.x, (v.y - m) * k * a.y + d.y, (v.z - m) * k * a.z + d.z, (v.w - m) * k * a.w + d.w); }
}
template <int NT>
__global__ void __launch_bounds__(NT, 1024 / NT) n_rms(const __nv_bfloat162* x, const __nv_bfloat162* g, __nv_bfloat162* y, int c2)
{
    float s = 0; x += blockIdx.x * c2; y += blockIdx.x * c2;
    for (int c = threadIdx.x; c < c2; c += NT) { float2 v = __bfloat1622float2(x[c]); s += v.x * v.x + v.y * v.y; }
    s = rsqrtf(bred(s, false) / (2 * c2) + 1e-5f);
    for (int c = threadIdx.x; c < c2; c += NT) { float2 v = __bfloat1622float2(x[c]), w = __bfloat1622float2(g[c]); y[c] = __floats2bfloat162_rn(v.x * s * w.x, v.y * s * w.y); }
}
// attention: one query row a warp, keys in shared tiles, online softmax; D = 32*V
template <int D, int BKV, bool Causal>
__global__ void a_rows(const float* RES Q, const float* RES K, const float* RES V, float* RES O, int nq, int nk, float scale)
{
    constexpr int W = D / 32; __shared__ float ks[BKV][D + 1], vs[BKV][D], qs[8][D];
    int q = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x, h = blockIdx.y;
    Q += (size_t)h * nq * D; K += (size_t)h * nk * D; V += (size_t)h * nk * D; O += (size_t)h * nq * D;
    for (int i = lane; i < D; i += 32) qs[threadIdx.y][i] = q < nq ? Q[q * D + i] * scale : 0.f;
    float m = -1e30f, l = 0, o[W] = {};
    for (int k0 = 0; k0 < nk; k0 += BKV) {
        __syncthreads();
        for (int e = threadIdx.y * 32 + lane; e < BKV * D; e += 32 * blockDim.y) { int r = e / D, c = e % D; bool in = k0 + r < nk; ks[r][c] = in ? K[(k0 + r) * D + c] : 0.f; vs[r][c] = in ? V[(k0 + r) * D + c] : 0.f; }
        __syncthreads();
        for (int b = 0; b < BKV; b += 32) {
            int k = k0 + b + lane; float s = 0;
#pragma unroll UN
            for (int d = 0; d < D; ++d) s += qs[threadIdx.y][d] * ks[b + lane][d];
            if (k >= nk || (Causal && k > q)) s = -1e30f;
            float t = fmaxf(m, wmax(s)), p = s > -1e29f ? __expf(s - t) : 0.f, f = __expf(m - t);
            l = l * f + wsum(p); m = t;
#pragma unroll
            for (int i = 0; i < W; ++i) o[i] *= f;
            for (int j = 0; j < 32; ++j) { float pj = __shfl_sync(~0u, p, j);
#pragma unroll
                for (int i = 0; i < W; ++i) o[i] += pj * vs[b + j][lane + 32 * i]; }
        }
    }
    if (q < nq) for (int i = 0; i < W; ++i) O[q * D + lane + 32 * i] = o[i] / l;
}
// decode: a single query, half K/V cache with page table, block per head, split over warps
template <int D, int PAGE>
__global__ void a_paged(const half2* q, const half2* kc, const half2* vc, const int* pages, float* o, int len)
{
    __shared__ float so[8][D], sm[8], sl[8];
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5, nw = blockDim.x >> 5, h = blockIdx.x; constexpr int P = D / 64;
    float2 qv[P], acc[P] = {}; float m = -1e30f, l = 0;
    for (int i = 0; i < P; ++i) qv[i] = __half22float2(q[h * D / 2 + i * 32 + lane]);
    for (int t = w; t < len; t += nw) {
        size_t at = ((size_t)(pages[t / PAGE] & 7) * gridDim.x + h) * PAGE * (D / 2) + t % PAGE * (D / 2); float s = 0;
        for (int i = 0; i < P; ++i) { float2 k = __half22float2(kc[at + i * 32 + lane]); s += k.x * qv[i].x + k.y * qv[i].y; }
        s = wsum(s) * 0.125f; float n = fmaxf(m, s), f = __expf(m - n), p = __expf(s - n); m = n; l = l * f + p;
        for (int i = 0; i < P; ++i) { float2 v = __half22float2(vc[at + i * 32 + lane]); acc[i].x = acc[i].x * f + p * v.x; acc[i].y = acc[i].y * f + p * v.y; }
    }
    for (int i = 0; i < P; ++i) { so[w][(i * 32 + lane) * 2] = acc[i].x; so[w][(i * 32 + lane) * 2 + 1] = acc[i].y; }
    if (!lane) { sm[w] = m; sl[w] = l; }
    __syncthreads();
    for (int d = threadIdx.x; d < D; d += blockDim.x) { float M = -1e30f, L = 0, a = 0; for (int i = 0; i < nw; ++i) M = fmaxf(M, sm[i]); for (int i = 0; i < nw; ++i) { float f = __expf(sm[i] - M); L += sl[i] * f; a += so[i][d] * f; } o[h * D + d] = a / L; }
}
// contraction C[a,b,c] = sum_{d,e} A[a,d,e,b] * B[e,c,d], tile over (ab) x c
template <int T>
__global__ void x_contract(const float* RES A, const float* RES B, float* RES C, int na, int nb, int nc, int nd, int ne)
{
    __shared__ float s[T][T + 1], u[T][T + 1];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x, a = row / nb, b = row % nb, kk = nd * ne; float acc = 0;
    for (int p = 0; p < kk; p += T) {
        int k = p + threadIdx.x, d = k / ne, e = k % ne; s[threadIdx.y][threadIdx.x] = row < na * nb && k < kk ? A[((a * nd + d) * ne + e) * nb + b] : 0.f;
        k = p + threadIdx.y; d = k / ne; e = k % ne; u[threadIdx.y][threadIdx.x] = col < nc && k < kk ? B[(e * nc + col) * nd + d] : 0.f;
        __syncthreads();
#pragma unroll UN
        for (int i = 0; i < T; ++i) acc += s[threadIdx.y][i] * u[i][threadIdx.x];
        __syncthreads();
    }
    if (row < na * nb && col < nc) C[row * nc + col] = acc;
}
// direct convolution NHWC, filter in shared, implicit product; epilogue bias + activation by template
enum Act { None, Relu, Gelu, Tanh };
template <Act A> __device__ float act(float v) { if (A == Relu) return fmaxf(v, 0.f); if (A == Gelu) return 0.5f * v * (1.f + erff(v * 0.70710678f)); if (A == Tanh) return tanhf(v); return v; }
template <Act F, int K, int CI>
__global__ void x_conv(const float* RES x, const float* RES w, const float* RES bias, float* RES y, int H, int W, int CO)
{
    extern __shared__ float sw[]; // K*K*CI*CO slice of 16 outputs
    int co0 = blockIdx.y * 16, n = min(16, CO - co0);
    for (int e = threadIdx.x; e < K * K * CI * 16; e += blockDim.x) sw[e] = e % 16 < n ? w[e / 16 * CO + co0 + e % 16] : 0.f;
    __syncthreads();
    int p = blockIdx.x * (blockDim.x / 16) + threadIdx.x / 16, c = threadIdx.x % 16, OW = W - K + 1, OH = H - K + 1;
    if (p >= OH * OW || c >= n) return;
    float s = bias[co0 + c]; int r = p / OW, q = p % OW;
    for (int i = 0; i < K; ++i) for (int j = 0; j < K; ++j)
#pragma unroll
        for (int d = 0; d < CI; ++d) s = fmaf(x[((r + i) * W + q + j) * CI + d], sw[((i * K + j) * CI + d) * 16 + c], s);
    y[p * CO + co0 + c] = act<F>(s);
}
