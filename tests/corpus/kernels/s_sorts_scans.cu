// mergesort, radix sort, bitonic, odd-even, scans, histograms 64 and 256, reductions 0-7
__device__ unsigned bsl(unsigned v, const unsigned* d, unsigned L, unsigned stride)
{
    if (L == 0) return 0;
    unsigned pos = 0;
    for (; stride > 0; stride >>= 1) { unsigned n = min(pos + stride, L); if (d[n - 1] < v) pos = n; }
    return pos;
}
__device__ unsigned bsr(unsigned v, const unsigned* d, unsigned L, unsigned stride)
{
    if (L == 0) return 0;
    unsigned pos = 0;
    for (; stride > 0; stride >>= 1) { unsigned n = min(pos + stride, L); if (d[n - 1] <= v) pos = n; }
    return pos;
}
#ifndef SSL
#define SSL 256
#endif
template <bool DIR> __global__ void merge_sort_shared(unsigned* dk, unsigned* dv, const unsigned* sk, const unsigned* sv)
{
    __shared__ unsigned k[SSL], v[SSL];
    sk += blockIdx.x * SSL + threadIdx.x; sv += blockIdx.x * SSL + threadIdx.x; dk += blockIdx.x * SSL + threadIdx.x; dv += blockIdx.x * SSL + threadIdx.x;
    k[threadIdx.x] = sk[0]; v[threadIdx.x] = sv[0];
    k[threadIdx.x + SSL / 2] = sk[SSL / 2]; v[threadIdx.x + SSL / 2] = sv[SSL / 2];
    for (unsigned st = 1; st < SSL; st <<= 1) {
        unsigned lp = threadIdx.x & (st - 1);
        unsigned* bk = k + 2 * (threadIdx.x - lp); unsigned* bv = v + 2 * (threadIdx.x - lp);
        __syncthreads();
        unsigned ka = bk[lp], va = bv[lp], kb = bk[lp + st], vb = bv[lp + st];
        unsigned pa = (DIR ? bsl(ka, bk + st, st, st) : bsr(~ka, bk + st, st, st)) + lp;
        unsigned pb = bsr(DIR ? kb : kb, bk, st, st) + lp;
        if (!DIR) { pa = bsl(ka, bk + st, st, st) + lp; }
        __syncthreads();
        bk[pa] = ka; bv[pa] = va; bk[pb] = kb; bv[pb] = vb;
    }
    __syncthreads();
    dk[0] = k[threadIdx.x]; dv[0] = v[threadIdx.x];
    dk[SSL / 2] = k[threadIdx.x + SSL / 2]; dv[SSL / 2] = v[threadIdx.x + SSL / 2];
}
extern "C" __global__ void merge_path(const int* a, const int* b, int* c, int n, int m, int per)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int diag = min(t * per, n + m), end = min(diag + per, n + m);
    int lo = max(0, diag - m), hi = min(diag, n);
    while (lo < hi) { int mid = (lo + hi) >> 1; if (a[mid] * 3 <= b[diag - 1 - mid] * 5) lo = mid + 1; else hi = mid; }
    int i = lo, j = diag - lo;
    for (int k = diag; k < end; k++) {
        bool left = j >= m || (i < n && a[i] * 3 <= b[j] * 5);
        c[k] = left ? a[i++] * 3 : b[j++] * 5;
    }
}
// radix sort of a block with four 2-bit digits per pass
extern "C" __global__ void radix_block(unsigned* keys, int bits)
{
    __shared__ unsigned sk[256];
    __shared__ unsigned sums[4][8];
    int t = threadIdx.x, lane = t & 31, w = t >> 5, nw = blockDim.x >> 5;
    unsigned k = keys[blockIdx.x * blockDim.x + t];
    for (int b = 0; b < bits; b += 2) {
        unsigned d = (k >> b) & 3, rank = 0;
#pragma unroll
        for (int v = 0; v < 4; v++) {
            unsigned m = __ballot_sync(~0u, d == v);
            if (d == v) rank = __popc(m & ((1u << lane) - 1));
            if (lane == 0) sums[v][w] = __popc(m);
        }
        __syncthreads();
        if (t == 0) {
            unsigned acc = 0;
            for (int v = 0; v < 4; v++) for (int i = 0; i < nw; i++) { unsigned x = sums[v][i]; sums[v][i] = acc; acc += x; }
        }
        __syncthreads();
        sk[sums[d][w] + rank] = k;
        __syncthreads();
        k = sk[t];
        __syncthreads();
    }
    keys[blockIdx.x * blockDim.x + t] = k;
}
extern "C" __global__ void oddeven_shared(unsigned* key, unsigned* val, int len, int dir)
{
    extern __shared__ unsigned s[];
    unsigned* sk = s; unsigned* sv = s + len;
    int t = threadIdx.x;
    for (int i = t; i < len; i += blockDim.x) { sk[i] = key[blockIdx.x * len + i]; sv[i] = val[blockIdx.x * len + i]; }
    for (int size = 2; size <= len; size <<= 1) {
        int stride = size / 2, off = t & (stride - 1);
        __syncthreads();
        {
            int p = 2 * t - (t & (stride - 1));
            if ((sk[p] > sk[p + stride]) == (dir != 0)) { unsigned a = sk[p]; sk[p] = sk[p + stride]; sk[p + stride] = a; a = sv[p]; sv[p] = sv[p + stride]; sv[p + stride] = a; }
            stride >>= 1;
        }
        for (; stride > 0; stride >>= 1) {
            __syncthreads();
            int p = 2 * t - (t & (stride - 1));
            if (off >= stride)
                if ((sk[p - stride] > sk[p]) == (dir != 0)) { unsigned a = sk[p]; sk[p] = sk[p - stride]; sk[p - stride] = a; a = sv[p]; sv[p] = sv[p - stride]; sv[p - stride] = a; }
        }
    }
    __syncthreads();
    for (int i = t; i < len; i += blockDim.x) { key[blockIdx.x * len + i] = sk[i]; val[blockIdx.x * len + i] = sv[i]; }
}
// scans
__device__ unsigned warp_incl(unsigned v, volatile unsigned* s, unsigned size)
{
    unsigned pos = 2 * threadIdx.x - (threadIdx.x & (size - 1));
    s[pos] = 0; pos += size; s[pos] = v;
    for (unsigned o = 1; o < size; o <<= 1) { __syncthreads(); unsigned t = s[pos] + s[pos - o]; __syncthreads(); s[pos] = t; }
    return s[pos];
}
extern "C" __global__ void scan_excl4(uint4* dst, const uint4* src, unsigned size)
{
    __shared__ unsigned s[512];
    unsigned pos = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 v = src[pos];
    v.y += v.x; v.z += v.y; v.w += v.z;
    unsigned o = warp_incl(v.w, s, size / 4) - v.w;
    dst[pos] = make_uint4(o, o + v.x, o + v.y, o + v.z);
}
#ifndef CF
#define CF(i) ((i) >> 5)
#endif
extern "C" __global__ void blelloch_gems(float* out, const float* in, int n)
{
    extern __shared__ float temp[];
    int t = threadIdx.x, ai = t, bi = t + n / 2, ba = CF(ai), bb = CF(bi), off = 1;
    temp[ai + ba] = in[blockIdx.x * n + ai]; temp[bi + bb] = in[blockIdx.x * n + bi];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) { int a = off * (2 * t + 1) - 1, b = off * (2 * t + 2) - 1; a += CF(a); b += CF(b); temp[b] += temp[a]; }
        off *= 2;
    }
    if (t == 0) temp[n - 1 + CF(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (t < d) { int a = off * (2 * t + 1) - 1, b = off * (2 * t + 2) - 1; a += CF(a); b += CF(b); float x = temp[a]; temp[a] = temp[b]; temp[b] += x; }
    }
    __syncthreads();
    out[blockIdx.x * n + ai] = temp[ai + ba]; out[blockIdx.x * n + bi] = temp[bi + bb];
}
extern "C" __global__ void brent_kung(const float* X, float* Y, int n)
{
    __shared__ float XY[512];
    int i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    XY[threadIdx.x] = i < n ? X[i] : 0; XY[threadIdx.x + blockDim.x] = i + blockDim.x < n ? X[i + blockDim.x] : 0;
    for (unsigned s = 1; s <= blockDim.x; s *= 2) { __syncthreads(); unsigned k = (threadIdx.x + 1) * 2 * s - 1; if (k < 2 * blockDim.x) XY[k] += XY[k - s]; }
    for (int s = blockDim.x / 2; s > 0; s /= 2) { __syncthreads(); unsigned k = (threadIdx.x + 1) * s * 2 - 1; if (k + s < 2 * blockDim.x) XY[k + s] += XY[k]; }
    __syncthreads();
    if (i < n) Y[i] = XY[threadIdx.x];
    if (i + blockDim.x < n) Y[i + blockDim.x] = XY[threadIdx.x + blockDim.x];
}
extern "C" __global__ void shfl_scan_sums(int* d, int n, int* part)
{
    __shared__ int sums[32];
    int id = blockIdx.x * blockDim.x + threadIdx.x, lane = id % warpSize, w = threadIdx.x / warpSize;
    int v = id < n ? d[id] & 255 : 0;
#pragma unroll
    for (int i = 1; i <= 16; i *= 2) { int x = __shfl_up_sync(~0u, v, i, 32); if (lane >= i) v += x; }
    if (lane == 31) sums[w] = v;
    __syncthreads();
    if (w == 0 && lane < blockDim.x / warpSize) {
        int ws = sums[lane], mask = (1 << (blockDim.x / warpSize)) - 1;
        if (blockDim.x / warpSize == 32) mask = -1;
        for (int i = 1; i <= blockDim.x / warpSize; i *= 2) { int x = __shfl_up_sync(mask, ws, i, blockDim.x / warpSize > 16 ? 32 : blockDim.x / warpSize > 8 ? 16 : 8); if (lane >= i) ws += x; }
        sums[lane] = ws;
    }
    __syncthreads();
    if (w > 0) v += sums[w - 1];
    if (id < n) d[id] = v;
    if (threadIdx.x == blockDim.x - 1) part[blockIdx.x] = v;
}
// histograms
extern "C" __global__ void hist64(unsigned* partial, const uint4* data, int n)
{
    __shared__ unsigned char s[64 * 64];
    int pos = (threadIdx.x & ~63) | ((threadIdx.x & 15) << 2) | ((threadIdx.x & 0x30) >> 4);
    for (int i = 0; i < 16; i++) ((unsigned*)s)[threadIdx.x + i * 64] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint4 v = data[i];
        unsigned q[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int b = 2; b < 32; b += 8) s[((q[k] >> b) & 63) * 64 + pos]++;
    }
    __syncthreads();
    unsigned sum = 0;
    unsigned char* base = s + threadIdx.x * 64;
    for (int i = 0, p = (threadIdx.x & 15) * 4; i < 16; i++) { sum += base[p] + base[p + 1] + base[p + 2] + base[p + 3]; p = (p + 4) & 63; }
    partial[blockIdx.x * 64 + threadIdx.x] = sum;
}
extern "C" __global__ void hist256_warp(unsigned* partial, const unsigned* data, int n)
{
    __shared__ unsigned h[6 * 256];
    unsigned* wh = h + (threadIdx.x >> 5) * 256;
#pragma unroll
    for (int i = 0; i < 8; i++) h[threadIdx.x + i * 192] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        unsigned v = data[i];
        atomicAdd(wh + (v & 255), 1); atomicAdd(wh + ((v >> 8) & 255), 1); atomicAdd(wh + ((v >> 16) & 255), 1); atomicAdd(wh + (v >> 24), 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += 192) { unsigned s = 0; for (int i = 0; i < 6; i++) s += h[b + i * 256]; partial[blockIdx.x * 256 + b] = s; }
}
// reductions
template <int V, typename T> __global__ void reduce_v(const T* in, T* out, unsigned n)
{
    extern __shared__ __align__(8) unsigned char raw[];
    T* s = (T*)raw;
    unsigned t = threadIdx.x, i = blockIdx.x * (blockDim.x * (V >= 3 ? 2 : 1)) + t;
    if (V < 3) s[t] = i < n ? in[i] : T(0);
    else { T m = i < n ? in[i] : T(0); if (i + blockDim.x < n) m += in[i + blockDim.x]; s[t] = m; }
    __syncthreads();
    if (V == 0) { for (unsigned k = 1; k < blockDim.x; k *= 2) { if (t % (2 * k) == 0) s[t] += s[t + k]; __syncthreads(); } }
    else if (V == 1) { for (unsigned k = 1; k < blockDim.x; k *= 2) { unsigned x = 2 * k * t; if (x < blockDim.x) s[x] += s[x + k]; __syncthreads(); } }
    else if (V <= 3) { for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); } }
    else {
        T m = s[t];
        for (unsigned k = blockDim.x / 2; k > 32; k >>= 1) { if (t < k) s[t] = m = m + s[t + k]; __syncthreads(); }
        if (t < 32) {
            if (blockDim.x >= 64) m += s[t + 32];
            for (int o = 16; o; o /= 2) m += __shfl_down_sync(~0u, m, o);
            if (t == 0) out[blockIdx.x] = m;
        }
        return;
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
template <int BS, bool POW2> __global__ void reduce7(const int* in, int* out, unsigned n)
{
    __shared__ int s[BS / 32];
    int t = threadIdx.x, m = 0;
    unsigned i = blockIdx.x * BS * 2 + t, grid = BS * 2 * gridDim.x;
    while (i < n) { m += in[i]; if (POW2 || i + BS < n) m += in[i + BS]; i += grid; }
    m = __reduce_add_sync(~0u, m);
    if (t % 32 == 0) s[t / 32] = m;
    __syncthreads();
    unsigned ball = __ballot_sync(~0u, t < BS / 32);
    if (t < BS / 32) { m = s[t]; m = __reduce_add_sync(ball, m); }
    if (t == 0) out[blockIdx.x] = m;
}
// warp-aggregated counter: count only, order-free result
extern "C" __global__ void agg_filter(const int* in, int n, int* counts, int buckets)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = in[i];
    if (v <= 0) return;
    int b = (v >> 5) % buckets;
    unsigned act = __activemask(), m = __match_any_sync(act, b);
    if ((threadIdx.x & 31) == __ffs(m) - 1) atomicAdd(&counts[b], __popc(m));
}
