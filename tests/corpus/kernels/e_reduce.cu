// Reductions, scans, histograms, compaction.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
typedef unsigned u32;

template <typename T> struct Sum { static __device__ T id() { return T(0); } __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T> struct Max { static __device__ T id() { return T(-1e30); } __device__ T operator()(T a, T b) const { return a > b ? a : b; } };
template <typename T> struct Xor { static __device__ T id() { return T(0); } __device__ T operator()(T a, T b) const { return a ^ b; } };

// Interleaved with modulo, the first version of every course.
__global__ void reduce_modulo(const int *in, int *out, int n)
{
    extern __shared__ int sd[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    sd[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (threadIdx.x % (2 * s) == 0 && threadIdx.x + s < blockDim.x) sd[threadIdx.x] += sd[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sd[0];
}

__global__ void reduce_strided_index(const float *in, float *out, int n)
{
    extern __shared__ float sf[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    sf[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s <<= 1) {
        unsigned at = 2 * s * threadIdx.x;
        if (at + s < blockDim.x) sf[at] += sf[at + s];
        __syncthreads();
    }
    if (!threadIdx.x) out[blockIdx.x] = sf[0];
}

template <typename T, int BS, typename Op>
__global__ void reduce_tree(const T *__restrict__ in, T *__restrict__ out, unsigned n)
{
    __shared__ T s[BS];
    const Op op;
    T v = Op::id();
    for (unsigned i = blockIdx.x * BS * 2 + threadIdx.x; i < n; i += gridDim.x * BS * 2) {
        v = op(v, in[i]);
        if (i + BS < n) v = op(v, in[i + BS]);
    }
    s[threadIdx.x] = v;
    __syncthreads();
    if (BS >= 512) { if (threadIdx.x < 256) s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + 256]); __syncthreads(); }
    if (BS >= 256) { if (threadIdx.x < 128) s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + 128]); __syncthreads(); }
    if (BS >= 128) { if (threadIdx.x < 64) s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + 64]); __syncthreads(); }
    if (threadIdx.x < 32) {
        volatile T *vs = s;
        T x = BS >= 64 ? op(vs[threadIdx.x], vs[threadIdx.x + 32]) : vs[threadIdx.x];
        for (int o = 16; o; o >>= 1) x = op(x, __shfl_down_sync(~0u, x, o));
        if (threadIdx.x == 0) out[blockIdx.x] = x;
    }
}

template <int TILE>
__global__ void reduce_cg(const float4 *in, float *out, int n4)
{
    cg::thread_block blk = cg::this_thread_block();
    auto tile = cg::tiled_partition<TILE>(blk);
    __shared__ float part[1024 / TILE];
    float v = 0;
    for (int i = blk.group_index().x * blk.size() + blk.thread_rank(); i < n4; i += blk.size() * gridDim.x) {
        float4 q = in[i];
        v += (q.x + q.y) + (q.z + q.w);
    }
    v = cg::reduce(tile, v, cg::plus<float>());
    if (tile.thread_rank() == 0) part[tile.meta_group_rank()] = v;
    blk.sync();
    if (blk.thread_rank() == 0) {
        float t = 0;
        for (int i = 0; i < tile.meta_group_size(); i++) t += part[i];
        out[blockIdx.x] = t;
    }
}

__device__ __noinline__ double warp_total(double v)
{
    for (int m = 16; m > 0; m /= 2) v += __shfl_xor_sync(0xffffffffu, v, m);
    return v;
}

__device__ unsigned long long packed_min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }

__global__ void dot_norm(const double *x, const double *y, double *out, int n)
{
    __shared__ double w[3][32];
    double d = 0, a = 0, b = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        double p = x[blockIdx.x * n + i], q = y[blockIdx.x * n + i];
        d += p * q; a += p * p; b += q * q;
    }
    d = warp_total(d); a = warp_total(a); b = warp_total(b);
    int wid = threadIdx.x / 32, ln = threadIdx.x % 32, nw = (blockDim.x + 31) / 32;
    if (ln == 0) { w[0][wid] = d; w[1][wid] = a; w[2][wid] = b; }
    __syncthreads();
    if (wid == 0) {
        d = ln < nw ? w[0][ln] : 0; a = ln < nw ? w[1][ln] : 0; b = ln < nw ? w[2][ln] : 0;
        d = warp_total(d); a = warp_total(a); b = warp_total(b);
        if (ln == 0) out[blockIdx.x] = d / (sqrt(a) * sqrt(b) + 1e-12);
    }
}

// Two phases in one launch, the last block adds up: only the sum is stored, of integers.
__device__ unsigned tickets[4];
__global__ void argmax_rows(const float *in, int *idx, float *val, int cols)
{
    const float *r = in + blockIdx.x * cols;
    float best = -INFINITY;
    int bi = 0x7fffffff;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float v = r[c];
        if (v > best || (v == best && c < bi)) { best = v; bi = c; }
    }
    __shared__ float sv[32];
    __shared__ int si[32];
    auto merge = [&](float v, int i) { if (v > best || (v == best && i < bi)) best = v, bi = i; };
    for (int o = 16; o > 0; o >>= 1) {
        float v = __shfl_down_sync(0xffffffff, best, o);
        int i = __shfl_down_sync(0xffffffff, bi, o);
        merge(v, i);
    }
    if ((threadIdx.x & 31) == 0) { sv[threadIdx.x >> 5] = best; si[threadIdx.x >> 5] = bi; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < (int)blockDim.x / 32; w++) merge(sv[w], si[w]);
        idx[blockIdx.x] = bi;
        val[blockIdx.x] = best;
    }
}

// Segments by offsets, one warp each; empty segments allowed.
__global__ void segmented_sum(const float *v, const int *lens, float *out, int segs, int cap)
{
    int s = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (s >= segs) return;
    int len = (lens[s] & 0x7fffffff) % (cap + 1);
    float t = 0;
    for (int i = lane; i < len; i += 32) t += v[s * cap + i];
#pragma unroll
    for (int o = 16; o; o >>= 1) t += __shfl_xor_sync(0xffffffff, t, o);
    if (lane == 0) out[s] = len ? t / len : 0.f;
}

// Key runs: heads found with ballots, atomics for the tails.
__global__ void segmented_by_key(const u32 *keys, const int *vals, int *out, int n, int classes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool ok = i < n;
    int k = ok ? (int)(keys[i] % classes) : -1;
    int v = ok ? vals[i] & 15 : 0;
    u32 peers = __match_any_sync(0xffffffffu, k);
    int lane = threadIdx.x & 31, leader = __ffs(peers) - 1;
    int sum = __reduce_add_sync(peers, v);
    if (ok && lane == leader) atomicAdd(out + k, sum);
}

template <typename T>
__global__ void scan_hillis(const T *in, T *out, int n)
{
    extern __shared__ __align__(8) unsigned char raw[];
    T *a = (T *)raw;
    int t = threadIdx.x, po = 0, pi = 1;
    a[t] = t < n ? in[blockIdx.x * n + t] : T(0);
    __syncthreads();
    for (int d = 1; d < n; d <<= 1) {
        po = 1 - po; pi = 1 - po;
        if (t >= d) a[po * blockDim.x + t] = a[pi * blockDim.x + t] + a[pi * blockDim.x + t - d];
        else a[po * blockDim.x + t] = a[pi * blockDim.x + t];
        __syncthreads();
    }
    if (t < n) out[blockIdx.x * n + t] = a[po * blockDim.x + t];
}

#define PADDED(i) ((i) + ((i) >> LOGB))
template <int LOGB>
__global__ void scan_blelloch(const int *in, int *out, int n)
{
    extern __shared__ int t[];
    const int tid = threadIdx.x;
    int off = 1, ai = tid, bi = tid + n / 2;
    t[PADDED(ai)] = in[blockIdx.x * n + ai];
    t[PADDED(bi)] = in[blockIdx.x * n + bi];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            int a = PADDED(off * (2 * tid + 1) - 1), b = PADDED(off * (2 * tid + 2) - 1);
            t[b] += t[a];
        }
        off *= 2;
    }
    if (tid == 0) t[PADDED(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (tid < d) {
            int a = PADDED(off * (2 * tid + 1) - 1), b = PADDED(off * (2 * tid + 2) - 1);
            int x = t[a];
            t[a] = t[b];
            t[b] += x;
        }
    }
    __syncthreads();
    out[blockIdx.x * n + ai] = t[PADDED(ai)];
    out[blockIdx.x * n + bi] = t[PADDED(bi)];
}

// One block goes over a long row with a carry; warp scans by shuffles, ITEMS a thread.
template <typename T, int BS, int ITEMS>
__global__ void __launch_bounds__(BS) scan_row(const T *in, T *out, int n, bool exclusive)
{
    __shared__ T ws[BS / 32];
    __shared__ T carry;
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    if (threadIdx.x == 0) carry = 0;
    __syncthreads();
    in += (size_t)blockIdx.x * n;
    out += (size_t)blockIdx.x * n;
    for (int base = 0; base < n; base += BS * ITEMS) {
        T r[ITEMS], sum = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            int g = base + threadIdx.x * ITEMS + i;
            r[i] = g < n ? in[g] : T(0);
            sum += r[i];
        }
        T inc = sum;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            T o = __shfl_up_sync(0xffffffff, inc, d);
            if (lane >= d) inc += o;
        }
        if (lane == 31) ws[w] = inc;
        __syncthreads();
        if (w == 0 && lane < BS / 32) {
            T x = ws[lane];
            for (int d = 1; d < BS / 32; d *= 2) {
                T o = __shfl_up_sync((1u << (BS / 32)) - 1, x, d);
                if (lane >= d) x += o;
            }
            ws[lane] = x;
        }
        __syncthreads();
        T run = carry + (w ? ws[w - 1] : T(0)) + inc - sum;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            int g = base + threadIdx.x * ITEMS + i;
            T nxt = run + r[i];
            if (g < n) out[g] = exclusive ? run : nxt;
            run = nxt;
        }
        __syncthreads();
        if (threadIdx.x == BS - 1) carry = run;
        __syncthreads();
    }
}

// Per-block histogram of bytes, BINS bins, WARPS copies.
template <int BINS, bool PER_WARP>
__global__ void hist_u8(const unsigned char *in, u32 *out, int n)
{
    extern __shared__ u32 h[];
    const int nw = PER_WARP ? (blockDim.x + 31) / 32 : 1;
    for (int i = threadIdx.x; i < BINS * nw; i += blockDim.x) h[i] = 0;
    __syncthreads();
    u32 *mine = h + (PER_WARP ? threadIdx.x / 32 * BINS : 0);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i] * BINS >> 8], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        u32 s = 0;
        for (int w = 0; w < nw; w++) s += h[w * BINS + b];
        if (s) atomicAdd(&out[b], s);
    }
}

__global__ void hist_words(const u32 *in, u32 *out, int nwords)
{
    __shared__ u32 s[64 * 33];
    for (int i = threadIdx.x; i < 64 * 33; i += blockDim.x) s[i] = 0;
    __syncthreads();
    const int lane = threadIdx.x & 31;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nwords; i += blockDim.x * gridDim.x) {
        u32 d = __ldg(in + i);
#pragma unroll
        for (int b = 0; b < 4; b++, d >>= 8) atomicAdd(&s[(d & 63) * 33 + lane], 1);
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        u32 t = 0;
        for (int i = 0; i < 32; i++) t += s[threadIdx.x * 33 + ((i + threadIdx.x) & 31)];
        atomicAdd(out + threadIdx.x, t);
    }
}

// Stable compaction in one block: ballot, prefix of warps, a running base.
template <typename T>
__global__ void compact_block(const T *in, T *out, int *count, int n, T limit)
{
    __shared__ int wc[32], base;
    if (threadIdx.x == 0) base = 0;
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, nw = blockDim.x >> 5;
    __syncthreads();
    for (int i0 = 0; i0 < n; i0 += blockDim.x) {
        int i = i0 + threadIdx.x;
        T v = i < n ? in[blockIdx.x * n + i] : limit;
        bool keep = i < n && v < limit;
        u32 m = __ballot_sync(~0u, keep);
        if (lane == 0) wc[w] = __popc(m);
        __syncthreads();
        int before = base;
        for (int k = 0; k < w; k++) before += wc[k];
        if (keep) out[blockIdx.x * n + before + __popc(m & ((1u << lane) - 1))] = v;
        __syncthreads();
        if (threadIdx.x == blockDim.x - 1) base = before + __popc(m);
        __syncthreads();
    }
    if (threadIdx.x == 0) count[blockIdx.x] = base;
}
