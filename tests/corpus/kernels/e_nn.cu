// Rows of networks: softmax, norms, attention, matrix-vector products, quantisation.
#include <cuda_fp16.h>
#include <cuda_bf16.h>

template <typename T> __device__ float to_f(T v) { return (float)v; }
template <> __device__ float to_f(__half v) { return __half2float(v); }
template <> __device__ float to_f(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T> __device__ T from_f(float v) { return (T)v; }
template <> __device__ __half from_f(float v) { return __float2half(v); }
template <> __device__ __nv_bfloat16 from_f(float v) { return __float2bfloat16(v); }

struct MaxOp { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };
struct AddOp { __device__ float operator()(float a, float b) const { return a + b; } };

template <typename Op>
__device__ float block_all(float v, float id, Op op)
{
    __shared__ float s[32];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffff, v, o));
    __syncthreads();
    if (lane == 0) s[w] = v;
    __syncthreads();
    v = lane < (blockDim.x + 31) / 32 ? s[lane] : id;
    for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffff, v, o));
    return v;
}

template <typename T>
__global__ void softmax_block(const T *in, T *out, int cols, float temp)
{
    const T *x = in + (size_t)blockIdx.x * cols;
    T *y = out + (size_t)blockIdx.x * cols;
    float m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, to_f(x[c]) * temp);
    m = block_all(m, -INFINITY, MaxOp());
    float s = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += __expf(to_f(x[c]) * temp - m);
    s = block_all(s, 0.f, AddOp());
    for (int c = threadIdx.x; c < cols; c += blockDim.x) y[c] = from_f<T>(__expf(to_f(x[c]) * temp - m) / s);
}

// A warp per row, the row in registers; online form for longer rows.
template <int PER>
__global__ void softmax_warp(const float *in, float *out, int rows, int cols, int stride)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float r[PER], m = -1e38f, s = 0;
#pragma unroll
    for (int i = 0; i < PER; i++) {
        int c = threadIdx.x + i * 32;
        r[i] = c < cols ? in[row * stride + c] : -1e38f;
        float nm = fmaxf(m, r[i]);
        s = s * expf(m - nm) + (c < cols ? expf(r[i] - nm) : 0.f);
        m = nm;
    }
    for (int o = 1; o < 32; o *= 2) {
        float om = __shfl_xor_sync(0xffffffff, m, o), os = __shfl_xor_sync(0xffffffff, s, o);
        float nm = fmaxf(m, om);
        s = s * expf(m - nm) + os * expf(om - nm);
        m = nm;
    }
    float inv = __frcp_rn(s);
#pragma unroll
    for (int i = 0; i < PER; i++) {
        int c = threadIdx.x + i * 32;
        if (c < cols) out[row * stride + c] = expf(r[i] - m) * inv;
    }
}

template <typename T, typename V2, bool RMS>
__global__ void norm_rows(const V2 *__restrict__ in, const float2 *__restrict__ gamma, const float2 *__restrict__ beta, V2 *__restrict__ out, int half, float eps)
{
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < half; i += blockDim.x) {
        V2 v = in[blockIdx.x * half + i];
        float a = to_f(v.x), b = to_f(v.y);
        s += a + b;
        q += a * a + b * b;
    }
    float mean = 0;
    if (!RMS) mean = block_all(s, 0.f, AddOp()) / (2 * half);
    float var = block_all(q, 0.f, AddOp()) / (2 * half) - mean * mean;
    float r = rsqrtf(var + eps);
    for (int i = threadIdx.x; i < half; i += blockDim.x) {
        V2 v = in[blockIdx.x * half + i];
        float2 g = gamma[i];
        float a = (to_f(v.x) - mean) * r * g.x, b = (to_f(v.y) - mean) * r * g.y;
        if (beta) { float2 t = beta[i]; a += t.x; b += t.y; }
        v.x = from_f<T>(a);
        v.y = from_f<T>(b);
        out[blockIdx.x * half + i] = v;
    }
}

// Flash-style: a block takes BQ queries, goes over the keys in tiles of BK.
template <int D, int BQ, int BK, bool CAUSAL>
__global__ void __launch_bounds__(BQ * 4) flash_tile(const float *Q, const float *K, const float *V, float *O, int n, float scale)
{
    __shared__ float kt[BK][D + 1], vt[BK][D];
    constexpr int DP = D / 4;
    const int qi = blockIdx.x * BQ + threadIdx.y, part = threadIdx.x; // 4 lanes a query
    const int head = blockIdx.y * n * D;
    const int tid = threadIdx.y * 4 + threadIdx.x;
    float q[DP], o[DP], m = -1e30f, l = 0;
#pragma unroll
    for (int d = 0; d < DP; d++) { q[d] = qi < n ? Q[head + qi * D + part * DP + d] * scale : 0; o[d] = 0; }
    const int end = CAUSAL ? min(n, (blockIdx.x + 1) * BQ) : n;
    for (int k0 = 0; k0 < end; k0 += BK) {
        for (int e = tid; e < BK * D; e += BQ * 4) {
            int r = e / D, c = e % D;
            kt[r][c] = k0 + r < n ? K[head + (k0 + r) * D + c] : 0;
            vt[r][c] = k0 + r < n ? V[head + (k0 + r) * D + c] : 0;
        }
        __syncthreads();
        const int lim = min(BK, end - k0);
        for (int j = 0; j < lim; j++) {
            float s = 0;
#pragma unroll
            for (int d = 0; d < DP; d++) s += q[d] * kt[j][part * DP + d];
            s += __shfl_xor_sync(0xffffffff, s, 1);
            s += __shfl_xor_sync(0xffffffff, s, 2);
            if (CAUSAL && k0 + j > qi) continue;
            float nm = fmaxf(m, s), a = exp2f(m - nm), p = exp2f(s - nm);
            l = l * a + p;
#pragma unroll
            for (int d = 0; d < DP; d++) o[d] = o[d] * a + p * vt[j][part * DP + d];
            m = nm;
        }
        __syncthreads();
    }
    if (qi < n)
#pragma unroll
        for (int d = 0; d < DP; d++) O[head + qi * D + part * DP + d] = o[d] / l;
}

template <int ROWS>
__global__ void gemv_warp(const float4 *__restrict__ A, const float4 *__restrict__ x, float *__restrict__ y, int m, int n4)
{
    const int lane = threadIdx.x & 31, row0 = (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)) * ROWS;
    float acc[ROWS] = {};
    for (int j = lane; j < n4; j += 32) {
        float4 v = __ldg(x + j);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (row0 + r >= m) continue;
            float4 a = __ldcs(A + (row0 + r) * n4 + j);
            acc[r] += a.x * v.x + a.y * v.y + a.z * v.z + a.w * v.w;
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        for (int o = 16; o; o >>= 1) acc[r] += __shfl_down_sync(0xffffffff, acc[r], o);
        if (lane == 0 && row0 + r < m) y[row0 + r] = acc[r];
    }
}

// A^T x: threads along columns, x in shared memory by tiles.
__global__ void gemv_t(const double *A, const double *x, double *y, int m, int n)
{
    extern __shared__ double xs[];
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    double s = 0;
    for (int r0 = 0; r0 < m; r0 += blockDim.x) {
        int nr = min((int)blockDim.x, m - r0);
        if ((int)threadIdx.x < nr) xs[threadIdx.x] = x[r0 + threadIdx.x];
        __syncthreads();
        if (c < n) for (int r = 0; r < nr; r++) s += A[(size_t)(r0 + r) * n + c] * xs[r];
        __syncthreads();
    }
    if (c < n) y[c] = s;
}

// 4-bit weights with a scale per group of 32, halves for x.
__global__ void gemv_q4(const uint4 *w, const __half *scales, const __half2 *x, float *y, int rows, int groups)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float acc = 0;
    for (int g = threadIdx.x; g < groups; g += 32) {
        uint4 q = w[row * groups + g];
        const unsigned u[4] = {q.x, q.y, q.z, q.w};
        __half2 h = __float2half2_rn(0.f);
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int b = 0; b < 4; b++) {
                int byte = (u[i] >> (8 * b)) & 0xff;
                h = __hfma2(__halves2half2(__int2half_rn((byte & 15) - 8), __int2half_rn((byte >> 4) - 8)), x[g * 16 + i * 4 + b], h);
            }
        acc += __half2float(scales[row * groups + g]) * (__low2float(h) + __high2float(h));
    }
    for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(~0u, acc, o);
    if (threadIdx.x == 0) y[row] = acc;
}

__global__ void quantize_rows(const float *in, signed char *q, float *scale, int cols)
{
    float m = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, fabsf(in[blockIdx.x * cols + c]));
    m = block_all(m, 0.f, MaxOp());
    float s = m == 0.f ? 1.f : 127.f / m;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) q[blockIdx.x * cols + c] = (signed char)max(-127, min(127, __float2int_rn(in[blockIdx.x * cols + c] * s)));
    if (threadIdx.x == 0) scale[blockIdx.x] = 1.f / s;
}

enum Act { RELU, GELU, SILU, TANH, ELU };
__device__ __noinline__ float activate(int a, float x)
{
    switch (a) {
    case RELU: return fmaxf(x, 0.f);
    case GELU: return 0.5f * x * (1.f + erff(x * 0.70710678f));
    case SILU: return x / (1.f + expf(-x));
    case TANH: return tanhf(x);
    case ELU: return x > 0 ? x : expm1f(x);
    default: return x;
    }
}
__global__ void bias_act(const float *in, const float *bias, float *out, int n, int cols, int act)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int c = i % cols;
        out[i] = activate(act < 0 ? c % 5 : act, in[i] * 4.f + bias[c]);
    }
}

// Rotary embedding in place, pairs by half offset.
__global__ void rope(__half *x, int heads, int d, int pos0, float base)
{
    const int i = threadIdx.x, h = threadIdx.y + blockIdx.y * blockDim.y, t = blockIdx.x;
    if (h >= heads || i >= d / 2) return;
    __half *p = x + ((size_t)t * heads + h) * d;
    float sn, cs;
    __sincosf((pos0 + t) * powf(base, -2.f * i / d), &sn, &cs);
    float a = __half2float(p[i]), b = __half2float(p[i + d / 2]);
    p[i] = __float2half(a * cs - b * sn);
    p[i + d / 2] = __float2half(a * sn + b * cs);
}

__global__ void embed_add(const int *tok, const __nv_bfloat162 *table, const __nv_bfloat162 *pos, __nv_bfloat162 *out, int vocab, int d2)
{
    const unsigned id = (unsigned)tok[blockIdx.x] % vocab;
    for (int i = threadIdx.x; i < d2; i += blockDim.x) out[blockIdx.x * d2 + i] = __hadd2(table[id * d2 + i], pos[blockIdx.x * d2 + i]);
}
