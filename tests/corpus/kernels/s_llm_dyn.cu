#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
// GPT-2 layers in the style of llm.c, with own text
struct alignas(16) P8 { __nv_bfloat16 v[8]; };
template <int C> __global__ void ln_forward_cg(float* out, float* mean, float* rstd, const float* in, const float* w, const float* b, int N)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (idx >= N) return;
    const float* x = in + idx * C;
    float s = 0;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) s += x[i];
    s = cg::reduce(warp, s, cg::plus<float>{});
    float m = s / C;
    if (warp.thread_rank() == 0 && mean) __stcs(mean + idx, m);
    s = 0;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) { float d = x[i] - m; s += d * d; }
    s = cg::reduce(warp, s, cg::plus<float>{});
    s = rsqrtf(s / C + 1e-5f);
    if (warp.thread_rank() == 0) __stcs(rstd + idx, s);
    for (int c = warp.thread_rank(); c < C; c += 32) __stcs(out + idx * C + c, s * (__ldcs(x + c) - m) * w[c] + b[c]);
}
extern "C" __global__ void gelu_bf16(__nv_bfloat16* out, const __nv_bfloat16* in, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    if (i >= n) return;
    P8 a = *(const P8*)(in + i), o;
#pragma unroll
    for (int k = 0; k < 8; k++) { float x = __bfloat162float(a.v[k]); o.v[k] = __float2bfloat16(0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)))); }
    *(P8*)(out + i) = o;
}
extern "C" __global__ void softmax_causal(float* out, float invT, const float* inp, int N, int T)
{
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5, nw = blockDim.x >> 5;
    int idx = (gridDim.x - blockIdx.x - 1) * nw + w;
    if (idx >= N * T) return;
    int own = idx % T, by4 = own / 4;
    const float* x = inp + idx * T;
    const float4* x4 = (const float4*)x;
    float mx = -3.4e38f, sm = 0;
    for (int i = lane; i < by4; i += 32) {
        float4 v = x4[i];
        float old = mx;
        mx = fmaxf(fmaxf(fmaxf(mx, v.x), fmaxf(v.y, v.z)), v.w);
        sm *= expf(invT * (old - mx));
        sm += expf(invT * (v.x - mx)) + expf(invT * (v.y - mx)) + expf(invT * (v.z - mx)) + expf(invT * (v.w - mx));
    }
    if (4 * by4 + lane <= own) { float old = mx, v = x[4 * by4 + lane]; mx = fmaxf(mx, v); sm = sm * expf(invT * (old - mx)) + expf(invT * (v - mx)); }
    float g = mx;
    for (int o = 16; o; o >>= 1) g = fmaxf(g, __shfl_xor_sync(~0u, g, o));
    sm *= expf(invT * (mx - g));
    for (int o = 16; o; o >>= 1) sm += __shfl_xor_sync(~0u, sm, o);
    float norm = 1 / sm;
    for (int i = lane; i <= own; i += 32) __stcs(out + idx * T + i, expf(invT * (__ldcs(x + i) - g)) * norm);
}
extern "C" __global__ void fused_ce(float* logits, float* loss, const int* target, int V, int P)
{
    __shared__ float sh[32];
    int t = threadIdx.x, row = blockIdx.x, ix = (unsigned)target[row] % (unsigned)V;
    float* x = logits + (long long)row * P;
    float m = -3.4e38f;
    for (int i = t; i < V; i += blockDim.x) m = fmaxf(m, x[i]);
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if ((t & 31) == 0) sh[t >> 5] = m;
    __syncthreads();
    m = (t & 31) < blockDim.x / 32 ? sh[t & 31] : -3.4e38f;
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    __syncthreads();
    float s = 0;
    for (int i = t; i < V; i += blockDim.x) s += __expf(x[i] - m);
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    if ((t & 31) == 0) sh[t >> 5] = s;
    __syncthreads();
    s = (t & 31) < blockDim.x / 32 ? sh[t & 31] : 0.0f;
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    if (t == 0) loss[row] = -logf(__expf(x[ix] - m) / s);
    __syncthreads();
    for (int i = t; i < V; i += blockDim.x) x[i] = (__expf(x[i] - m) / s - (i == ix)) * 0.125f;
}
template <typename Tp, typename Tg> __global__ void adamw(Tp* p, float* master, const Tg* g, float* m, float* v, int n, float lr, float b1, float b2, float c1, float c2, float eps, float wd, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float gr = (float)g[i], a = m[i], b = fabsf(v[i]);
    a = fmaf(b1, a - gr, gr); m[i] = a;
    b = fmaf(b2, b - gr * gr, gr * gr); v[i] = b;
    a /= c1; b = fabsf(b) / c2;
    float old = master ? master[i] : (float)p[i], q = old - lr * (a / (sqrtf(b) + eps) + wd * old);
    unsigned z = 0x9E3779B9u * i + seed; z ^= z >> 15; z *= 0x85ebca6bu; z ^= z >> 13;
    unsigned bits = __float_as_uint(q), thr = z & 0xffffu;
    p[i] = (Tp)__uint_as_float((bits & 0xffffu) > thr ? (bits | 0xffffu) : (bits & ~0xffffu));
    if (master) master[i] = q;
}
extern "C" __global__ void encoder(float4* out, const int* tok, const float4* wte, const float4* wpe, int B, int T, int C4, int V)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * T * C4) return;
    int bt = i / C4, t = bt % T, c = i % C4, id = (unsigned)tok[bt] % (unsigned)V;
    float4 a = wte[id * C4 + c], b = wpe[t * C4 + c];
    out[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
extern "C" __global__ void ln_backward_atomics(const float* dout, const float* x, const float* mean, const float* rstd, const float* w, float* dx, unsigned* cnt, int N, int C)
{
    extern __shared__ float sh[];
    float* db = sh; float* dw = sh + C;
    int lane = threadIdx.x % 32, wp = threadIdx.x / 32, n = blockIdx.x * (blockDim.x / 32) + wp;
    for (int i = threadIdx.x; i < 2 * C; i += blockDim.x) sh[i] = 0;
    __syncthreads();
    if (n < N) {
        float a = 0, b = 0;
        for (int i = lane; i < C; i += 32) { float nm = (x[n * C + i] - mean[n]) * rstd[n], d = w[i] * dout[n * C + i]; a += d; b += d * nm; }
        for (int o = 16; o; o >>= 1) { a += __shfl_xor_sync(~0u, a, o); b += __shfl_xor_sync(~0u, b, o); }
        a /= C; b /= C;
        for (int i = lane; i < C; i += 32) {
            float nm = (x[n * C + i] - mean[n]) * rstd[n], g = dout[n * C + i];
            atomicAdd(&db[i], rintf(g * 64)); atomicAdd(&dw[i], rintf(nm * g * 64));
            dx[n * C + i] += (w[i] * g - a - nm * b) * rstd[n];
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < C; i += blockDim.x) { atomicAdd(&cnt[i], (unsigned)(int)db[i]); atomicMax((int*)&cnt[C + i], (int)dw[i]); }
}
// dynamic programming: edit distance by anti-diagonals, knapsack row in shared, LCS with warp shuffles
extern "C" __global__ void edit_warp(const unsigned char* a, const unsigned char* b, int* out, int la, int lb)
{
    // one warp per pair; every lane keeps columns of one strip of 32
    int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    __shared__ int edge[4][129];
    int ws = threadIdx.x >> 5;
    for (int i = lane; i <= la; i += 32) edge[ws][i] = i;
    __syncwarp();
    for (int base = 0; base < lb; base += 32) {
        int col = base + lane;
        int cb = col < lb ? b[w * lb + col] & 3 : 9;
        int up = col + 1, diag = col, cur = 0;
        for (int step = 0; step < la + 31; step++) {
            int row = step - lane;
            int left = __shfl_up_sync(~0u, cur, 1);
            int e = row >= 0 && row < la && lane == 0 ? edge[ws][row + 1] : 0;
            int ed = row >= 0 && row < la && lane == 0 ? edge[ws][row] : 0;
            if (lane == 0) { left = e; diag = row == 0 ? base : ed; }
            __syncwarp();
            if (row >= 0 && row < la) {
                int ca = a[w * la + row] & 3;
                int v = min(min(up, left) + 1, diag + (ca != cb));
                diag = left; up = v; cur = v;
                if (lane == 31 || col == lb - 1) if (col < lb) edge[ws][row + 1] = v;
            } else if (row < 0) cur = 0;
            if (row == -1) { cur = col + 1; }
            __syncwarp();
        }
        if (lane == 0) edge[ws][0] = min(base + 32, lb);
        __syncwarp();
    }
    if (lane == 0) out[w] = edge[ws][la];
}
extern "C" __global__ void knapsack(const unsigned* wt, const unsigned* val, int* best, unsigned* take, int items, int cap)
{
    extern __shared__ int row[];
    int* a = row; int* b = row + cap + 1;
    for (int c = threadIdx.x; c <= cap; c += blockDim.x) a[c] = 0;
    __syncthreads();
    for (int i = 0; i < items; i++) {
        int w = 1 + (wt[blockIdx.x * items + i] >> 3) % 37, v = (val[blockIdx.x * items + i] >> 5) % 100;
        for (int c0 = 0; c0 <= cap; c0 += blockDim.x) {
            int c = c0 + threadIdx.x;
            bool t = false;
            if (c <= cap) { int x = a[c], y = c >= w ? a[c - w] + v : -1; t = y > x; b[c] = t ? y : x; }
            unsigned m = __ballot_sync(~0u, t);
            if ((threadIdx.x & 31) == 0 && c <= cap) take[(blockIdx.x * items + i) * (cap / 32 + 1) + c / 32] = m;
        }
        __syncthreads();
        int* t = a; a = b; b = t;
    }
    if (threadIdx.x == 0) best[blockIdx.x] = a[cap];
}
// N-queens from a prefix with a stack in local or shared memory
template <bool SHARED> __global__ void nqueens(int n, unsigned* out, int total)
{
    __shared__ unsigned st[SHARED ? 64 * 12 : 1];
    unsigned loc[SHARED ? 1 : 12];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= total) return;
    unsigned mask = (1u << n) - 1, cols = 0, d1 = 0, d2 = 0, count = 0;
    int c0 = t % n, c1 = t / n % n;
    unsigned b = 1u << c0;
    cols = b; d1 = b << 1; d2 = b >> 1;
    unsigned bb = 1u << c1;
    if (!((cols | d1 | d2) & bb)) {
        cols |= bb; d1 = (d1 | bb) << 1; d2 = (d2 | bb) >> 1;
        int depth = 0;
        unsigned avail = mask & ~(cols | d1 | d2);
        unsigned pd1[12], pd2[12];
#define S(i) (SHARED ? st[(i) * 64 + threadIdx.x] : loc[SHARED ? 0 : (i)])
        if (SHARED) st[depth * 64 + threadIdx.x] = avail; else loc[SHARED ? 0 : depth] = avail;
        unsigned used[12];
        used[0] = cols; pd1[0] = d1; pd2[0] = d2;
        while (depth >= 0) {
            unsigned a = S(depth);
            if (!a) { depth--; continue; }
            unsigned low = a & -a;
            if (SHARED) st[depth * 64 + threadIdx.x] = a ^ low; else loc[SHARED ? 0 : depth] = a ^ low;
            unsigned nc = used[depth] | low;
            if (nc == mask) { count++; continue; }
            unsigned e1 = (pd1[depth] | low) << 1, e2 = (pd2[depth] | low) >> 1;
            depth++;
            used[depth] = nc; pd1[depth] = e1; pd2[depth] = e2;
            unsigned v = mask & ~(nc | e1 | e2);
            if (SHARED) st[depth * 64 + threadIdx.x] = v; else loc[SHARED ? 0 : depth] = v;
        }
    }
    out[t] = count;
}
// sudoku candidate elimination: one block per board of 81 cells
extern "C" __global__ void sudoku(const unsigned* raw, unsigned short* out, int rounds)
{
    __shared__ unsigned short cand[9][9];
    __shared__ int changed;
    int t = threadIdx.x, r = t / 9, c = t % 9;
    unsigned v = raw[blockIdx.x * 81 + t];
    bool given = (v & 3) == 0;
    unsigned short mine = given ? 1 << ((r * 3 + r / 3 + c) % 9) : 511;
    cand[r][c] = mine;
    for (int k = 0; k < rounds; k++) {
        if (t == 0) changed = 0;
        __syncthreads();
        unsigned gone = 0;
        if (__popc(mine) > 1) {
            for (int i = 0; i < 9; i++) {
                unsigned a = cand[r][i], b = cand[i][c], e = cand[r / 3 * 3 + i / 3][c / 3 * 3 + i % 3];
                if (i != c && __popc(a) == 1) gone |= a;
                if (i != r && __popc(b) == 1) gone |= b;
                if ((r / 3 * 3 + i / 3 != r || c / 3 * 3 + i % 3 != c) && __popc(e) == 1) gone |= e;
            }
        }
        __syncthreads();
        unsigned short next = mine & ~gone;
        if (next != mine) { cand[r][c] = mine = next; changed = 1; }
        __syncthreads();
        if (!changed) break;
        __syncthreads();
    }
    out[blockIdx.x * 81 + t] = mine;
}
