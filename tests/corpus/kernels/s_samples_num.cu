// Black-Scholes, binomial options, Monte Carlo, quasirandom, Mersenne-like twister, fast Walsh, scalar product, eigenvalue bisection, intervals
__device__ float cnd(float d)
{
    const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
    float K = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    return d > 0 ? 1.0f - c : c;
}
__device__ void bs_body(float& call, float& put, float S, float X, float T, float R, float V)
{
    float sq = __fdividef(1.0f, rsqrtf(T));
    float d1 = __fdividef(__logf(S / X) + (R + 0.5f * V * V) * T, V * sq), d2 = d1 - V * sq;
    float c1 = cnd(d1), c2 = cnd(d2), e = __expf(-R * T);
    call = S * c1 - X * e * c2;
    put = X * e * (1.0f - c2) - S * (1.0f - c1);
}
extern "C" __global__ void __launch_bounds__(128) black_scholes2(float2* __restrict__ call, float2* __restrict__ put, const float2* __restrict__ price, const float2* __restrict__ strike, const float2* __restrict__ years, float R, float V, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n / 2) {
        float2 c, p, s = price[i], k = strike[i], y = years[i];
        bs_body(c.x, p.x, fabsf(s.x) + 5, fabsf(k.x) + 1, fabsf(y.x) + 0.25f, R, V);
        bs_body(c.y, p.y, fabsf(s.y) + 5, fabsf(k.y) + 1, fabsf(y.y) + 0.25f, R, V);
        call[i] = c; put[i] = p;
    }
}
#ifndef STEPS
#define STEPS 256
#endif
#ifndef TB
#define TB 64
#endif
extern "C" __global__ void binomial(const float* S0, const float* X0, float* out, float vdt, float pu, float pd)
{
    __shared__ float ex[TB + 1];
    const int PT = STEPS / TB;
    int t = threadIdx.x;
    float S = fabsf(S0[blockIdx.x]) + 10, X = fabsf(X0[blockIdx.x]) + 9;
    float c[PT + 1];
#pragma unroll
    for (int i = 0; i < PT; i++) { float d = S * __expf(vdt * (2.0f * (t * PT + i) - STEPS)) - X; c[i] = d > 0 ? d : 0; }
    if (t == 0) { float d = S * __expf(vdt * STEPS) - X; ex[TB] = d > 0 ? d : 0; }
    int fin = max(0, t * PT - 1);
    for (int i = STEPS; i > 0; i--) {
        ex[t] = c[0];
        __syncthreads();
        c[PT] = ex[t + 1];
        __syncthreads();
        if (i > fin) {
#pragma unroll
            for (int j = 0; j < PT; j++) c[j] = pu * c[j + 1] + pd * c[j];
        }
    }
    if (t == 0) out[blockIdx.x] = c[0];
}
__device__ unsigned pcg(unsigned& s) { unsigned o = s; s = s * 747796405u + 2891336453u; unsigned w = ((o >> ((o >> 28) + 4)) ^ o) * 277803737u; return (w >> 22) ^ w; }
__device__ float moro(float u)
{
    float y = u - 0.5f;
    if (fabsf(y) < 0.42f) {
        float z = y * y;
        return y * (((-25.44106049637f * z + 41.39119773534f) * z - 18.61500062529f) * z + 2.50662823884f) / ((((3.13082909833f * z - 21.06224101826f) * z + 23.08336743743f) * z - 8.47351093090f) * z + 1.0f);
    }
    float z = logf(-logf(y > 0 ? 1.0f - u : u));
    z = 0.3374754822726f + z * (0.9761690190917f + z * (0.1607979714918f + z * (0.0276438810333f + z * 0.0038405729373f)));
    return y > 0 ? z : -z;
}
template <int BLOCK, bool ANTI> __global__ void mc_option(float* sum, float* sum2, const unsigned* seeds, int paths, float S, float X, float mu, float vs)
{
    __shared__ float a[BLOCK], b[BLOCK];
    unsigned s = seeds[blockIdx.x] + threadIdx.x * 9781u;
    float x = 0, y = 0;
    for (int i = threadIdx.x; i < paths; i += BLOCK) {
        float u = (pcg(s) >> 8) * (1.0f / 16777216.0f) + 1e-8f, r = moro(u);
        float v = S * __expf(mu + vs * r) - X;
        v = v > 0 ? v : 0;
        if (ANTI) { float w = S * __expf(mu - vs * r) - X; v = 0.5f * (v + (w > 0 ? w : 0)); }
        x += v; y += v * v;
    }
    a[threadIdx.x] = x; b[threadIdx.x] = y;
    for (int st = BLOCK / 2; st > 0; st >>= 1) {
        __syncthreads();
        if (threadIdx.x < st) { a[threadIdx.x] += a[threadIdx.x + st]; b[threadIdx.x] += b[threadIdx.x + st]; }
    }
    if (threadIdx.x == 0) { sum[blockIdx.x] = a[0]; sum2[blockIdx.x] = b[0]; }
}
template __global__ void mc_option<128, true>(float*, float*, const unsigned*, int, float, float, float, float);
__constant__ unsigned ctab[3][8] = {{1u<<31,1u<<30,1u<<29,1u<<28,1u<<27,1u<<26,1u<<25,1u<<24},{0x80000000u,0xc0000000u,0xa0000000u,0xf0000000u,0x88000000u,0xcc000000u,0xaa000000u,0xff000000u},{0x80000000u,0x40000000u,0xe0000000u,0x90000000u,0x28000000u,0xb4000000u,0x7a000000u,0x21000000u}};
extern "C" __global__ void quasi(float* out, unsigned seed, unsigned n)
{
    unsigned step = blockDim.x * gridDim.x;
    for (unsigned pos = blockIdx.x * blockDim.x + threadIdx.x; pos < n; pos += step) {
        unsigned r = 0, data = seed + pos;
        for (int bit = 0; bit < 8; bit++, data >>= 1) if (data & 1) r ^= ctab[threadIdx.y][bit];
        out[threadIdx.y * n + pos] = (float)(r + 1) * (1.0f / 4294967296.0f);
    }
}
extern "C" __global__ void mt_block(const unsigned* seed, unsigned* out, int rounds)
{
    __shared__ unsigned mt[624];
    for (int i = threadIdx.x; i < 624; i += blockDim.x) mt[i] = seed[i] + blockIdx.x * 1812433253u;
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        for (int part = 0; part < 3; part++) {
            int lo = part * 227, hi = min(lo + 227, 624);
            unsigned v = 0;
            int i = lo + threadIdx.x;
            if (i < hi) {
                unsigned y = (mt[i] & 0x80000000u) | (mt[(i + 1) % 624] & 0x7fffffffu);
                v = mt[(i + 397) % 624] ^ (y >> 1) ^ ((y & 1) ? 0x9908b0dfu : 0u);
            }
            __syncthreads();
            if (i < hi) mt[i] = v;
            __syncthreads();
        }
        for (int i = threadIdx.x; i < 624; i += blockDim.x) {
            unsigned y = mt[i];
            y ^= y >> 11; y ^= (y << 7) & 0x9d2c5680u; y ^= (y << 15) & 0xefc60000u; y ^= y >> 18;
            out[(blockIdx.x * rounds + r) * 624 + i] = y;
        }
    }
}
// Walsh transform in shared memory, radix 4 then a possible radix 2
extern "C" __global__ void fwt_shared(float* d, int log2n)
{
    extern __shared__ float s[];
    const int N = 1 << log2n, base = blockIdx.x << log2n;
    for (int p = threadIdx.x; p < N; p += blockDim.x) s[p] = d[base + p];
    int pos = threadIdx.x;
    for (int stride = N >> 2; stride > 0; stride >>= 2) {
        int lo = pos & (stride - 1), i0 = ((pos - lo) << 2) + lo, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
        __syncthreads();
        float a = s[i0], b = s[i1], c = s[i2], e = s[i3], t;
        t = a; a = a + c; c = t - c;
        t = b; b = b + e; e = t - e;
        s[i0] = a + b; s[i1] = a - b; s[i2] = c + e; s[i3] = c - e;
    }
    if (log2n & 1) {
        __syncthreads();
        for (int p = threadIdx.x; p < N / 2; p += blockDim.x) {
            int i0 = p << 1;
            float a = s[i0], b = s[i0 + 1];
            s[i0] = a + b; s[i0 + 1] = a - b;
        }
    }
    __syncthreads();
    for (int p = threadIdx.x; p < N; p += blockDim.x) d[base + p] = s[p];
}
#define ACC 256
extern "C" __global__ void scalar_prod(float* C, const float* A, const float* B, int vecs, int n)
{
    __shared__ float acc[ACC];
    for (int v = blockIdx.x; v < vecs; v += gridDim.x) {
        int b = v * n, e = b + n;
        for (int k = threadIdx.x; k < ACC; k += blockDim.x) {
            float s = 0;
            for (int p = b + k; p < e; p += ACC) s += A[p] * B[p];
            acc[k] = s;
        }
        for (int st = ACC / 2; st > 0; st >>= 1) {
            __syncthreads();
            for (int k = threadIdx.x; k < st; k += blockDim.x) acc[k] += acc[st + k];
        }
        __syncthreads();
        if (threadIdx.x == 0) C[v] = acc[0];
        __syncthreads();
    }
}
// eigenvalues of a tridiagonal matrix by bisection (Sturm counts)
extern "C" __global__ void bisect(const float* d, const float* e, float* eig, int n, int iters)
{
    extern __shared__ float sm[];
    float* sd = sm; float* se = sm + n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) { sd[i] = d[i]; se[i] = i ? e[i] * e[i] : 0.0f; }
    __syncthreads();
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    float lo = -4, hi = 4;
    for (int it = 0; it < iters && hi - lo > 1e-3f; it++) {
        float mid = 0.5f * (lo + hi), q = 1;
        int cnt = 0;
        for (int i = 0; i < n; i++) {
            q = sd[i] - mid - (fabsf(q) < 1e-12f ? 1e10f : se[i] / q);
            cnt += q < 0;
        }
        if (cnt > k) hi = mid; else lo = mid;
    }
    eig[k] = 0.5f * (lo + hi);
}
// interval Newton with a bounded stack
struct Iv { double lo, hi; };
__device__ Iv iadd(Iv a, Iv b) { return {__dadd_rd(a.lo, b.lo), __dadd_ru(a.hi, b.hi)}; }
__device__ Iv imul(Iv a, Iv b)
{
    return {fmin(fmin(__dmul_rd(a.lo, b.lo), __dmul_rd(a.lo, b.hi)), fmin(__dmul_rd(a.hi, b.lo), __dmul_rd(a.hi, b.hi))),
            fmax(fmax(__dmul_ru(a.lo, b.lo), __dmul_ru(a.lo, b.hi)), fmax(__dmul_ru(a.hi, b.lo), __dmul_ru(a.hi, b.hi)))};
}
extern "C" __global__ void interval_roots(Iv* out, int* found, int cap, double eps)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    Iv stack[24];
    int sp = 0, k = 0;
    double alpha = -0.9 - 0.05 * t;
    stack[sp++] = {-3.0, 3.0};
    while (sp && k < cap) {
        Iv x = stack[--sp];
        Iv f = iadd(imul(x, iadd(imul(x, x), Iv{-2.0, -2.0})), Iv{alpha + 1, alpha + 1});
        if (f.lo > 0 || f.hi < 0) continue;
        if (x.hi - x.lo < eps) { out[t * cap + k++] = x; continue; }
        double m = 0.5 * (x.lo + x.hi);
        if (sp + 2 <= 24) { stack[sp++] = {x.lo, m}; stack[sp++] = {m, x.hi}; }
    }
    found[t] = k;
}
