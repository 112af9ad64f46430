#include <cuda_bf16.h>
#include <cuda_fp16.h>
// Pieces of language models.

// One head, D = 64, tiles of 16 queries and 16 keys; online softmax, 64 threads.
extern "C" __global__ void flash_small(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V, float* O, int n, float scale)
{
    __shared__ float q[16][65], k[16][65], v[16][64], p[16][17];
    const int t = threadIdx.x, q0 = blockIdx.x * 16, r = t / 4, part = t % 4;
    for (int i = t; i < 16 * 64; i += 64) q[i / 64][i % 64] = Q[q0 * 64 + i] * scale;
    float m = -1e30f, l = 0, acc[16] = {};
    for (int k0 = 0; k0 <= q0; k0 += 16) {
        __syncthreads();
        for (int i = t; i < 16 * 16; i += 64) {
            const float4 a = ((const float4*)(K + k0 * 64))[i], b = ((const float4*)(V + k0 * 64))[i];
            float* to = &k[i / 16][i % 16 * 4];
            to[0] = a.x; to[1] = a.y; to[2] = a.z; to[3] = a.w;
            *(float4*)&v[i / 16][i % 16 * 4] = b;
        }
        __syncthreads();
        float top = m;
        for (int j = part; j < 16; j += 4) {
            float s = 0;
#pragma unroll 8
            for (int d = 0; d < 64; ++d) s += q[r][d] * k[j][d];
            if (k0 + j > q0 + r) s = -1e30f;
            p[r][j] = s;
            top = fmaxf(top, s);
        }
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
        const float keep = __expf(m - top);
        m = top;
        l *= keep;
        for (int d = 0; d < 16; ++d) acc[d] *= keep;
        __syncwarp();
        for (int j = 0; j < 16; ++j) {
            const float e = __expf(p[r][j] - m);
            l += e;
#pragma unroll
            for (int d = 0; d < 16; d += 4) {
                const float4 x = *(const float4*)&v[j][d * 4 + part * 4];
                acc[d] += e * x.x; acc[d + 1] += e * x.y; acc[d + 2] += e * x.z; acc[d + 3] += e * x.w;
            }
        }
    }
    for (int d = 0; d < 16; d += 4)
        *(float4*)&O[(q0 + r) * 64 + d * 4 + part * 4] = make_float4(acc[d] / l, acc[d + 1] / l, acc[d + 2] / l, acc[d + 3] / l);
}
// Welford by float4, a block a row.
extern "C" __global__ void layernorm_welford(const float4* x, const float4* g, const float4* b, float4* y, int c4)
{
    __shared__ float3 part[8];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float mean = 0, m2 = 0, n = 0;
    for (int i = t; i < c4; i += blockDim.x) {
        const float4 v = x[blockIdx.x * c4 + i];
        const float e[4] = {v.x, v.y, v.z, v.w};
        for (int j = 0; j < 4; ++j) { n += 1; const float d = e[j] - mean; mean += d / n; m2 += d * (e[j] - mean); }
    }
    for (int o = 16; o; o /= 2) {
        const float om = __shfl_down_sync(~0u, mean, o), o2 = __shfl_down_sync(~0u, m2, o), on = __shfl_down_sync(~0u, n, o);
        const float total = n + on;
        if (total > 0) { const float d = om - mean; mean += d * on / total; m2 += o2 + d * d * n * on / total; n = total; }
    }
    if (lane == 0) part[warp] = make_float3(mean, m2, n);
    __syncthreads();
    float3 all = part[0];
    for (int w = 1; w < blockDim.x / 32; ++w) {
        const float3 o = part[w];
        const float total = all.z + o.z, d = o.x - all.x;
        if (o.z > 0) { all.x += d * o.z / total; all.y += o.y + d * d * all.z * o.z / total; all.z = total; }
    }
    const float inv = rsqrtf(all.y / all.z + 1e-5f);
    for (int i = t; i < c4; i += blockDim.x) {
        const float4 v = x[blockIdx.x * c4 + i], a = g[i], c = b[i];
        y[blockIdx.x * c4 + i] = make_float4((v.x - all.x) * inv * a.x + c.x, (v.y - all.x) * inv * a.y + c.y, (v.z - all.x) * inv * a.z + c.z, (v.w - all.x) * inv * a.w + c.w);
    }
}
extern "C" __global__ void rms_residual(__nv_bfloat162* x, const __nv_bfloat162* add, const __nv_bfloat162* w, __nv_bfloat162* y, int c2)
{
    extern __shared__ float2 row[];
    __shared__ float sums[32];
    float s = 0;
    for (int i = threadIdx.x; i < c2; i += blockDim.x) {
        const float2 a = __bfloat1622float2(x[blockIdx.x * c2 + i]), b = __bfloat1622float2(add[blockIdx.x * c2 + i]);
        const float2 v = make_float2(a.x + b.x, a.y + b.y);
        x[blockIdx.x * c2 + i] = __floats2bfloat162_rn(v.x, v.y);
        row[i] = v;
        s += v.x * v.x + v.y * v.y;
    }
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = s;
    __syncthreads();
    s = threadIdx.x % 32 < blockDim.x / 32 ? sums[threadIdx.x % 32] : 0.f;
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    const float inv = rsqrtf(s / (2 * c2) + 1e-6f);
    for (int i = threadIdx.x; i < c2; i += blockDim.x) {
        const float2 g = __bfloat1622float2(w[i]);
        y[blockIdx.x * c2 + i] = __floats2bfloat162_rn(row[i].x * inv * g.x, row[i].y * inv * g.y);
    }
}
extern "C" __global__ void rope_halves(__half* q, const float* freq, const int* pos, int heads, int d)
{
    const int token = blockIdx.x, half = d / 2;
    for (int i = threadIdx.x; i < heads * half; i += blockDim.x) {
        const int h = i / half, j = i % half;
        float s, c;
        __sincosf((pos[token] & 63) * freq[j], &s, &c);
        __half* p = q + (token * heads + h) * d + j;
        const float a = __half2float(p[0]), b = __half2float(p[half]);
        p[0] = __float2half(a * c - b * s);
        p[half] = __float2half(b * c + a * s);
    }
}
extern "C" __global__ void rope_pairs(float2* q, const float2* table, int heads, int half, int tokens)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tokens * heads * half) return;
    const float2 cs = __ldg(&table[i / (heads * half) * half + i % half]), v = q[i];
    q[i] = make_float2(v.x * cs.x - v.y * cs.y, v.x * cs.y + v.y * cs.x);
}
// Blocks of 32 weights: a half scale and 16 bytes of two nibbles, 18 bytes in all.
struct Q4 { __half d; unsigned char q[16]; };
extern "C" __global__ void matvec_q4(const Q4* w, const float* x, float* y, int blocks, int rows)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int b = lane / 2; b < blocks; b += 16) {
        const Q4* p = &w[row * blocks + b];
        float s = 0;
        for (int j = lane % 2 * 8; j < lane % 2 * 8 + 8; ++j) {
            const int v = p->q[j];
            s += ((v & 15) - 8) * x[b * 32 + j] + ((v >> 4) - 8) * x[b * 32 + j + 16];
        }
        sum += s;
    }
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (lane == 0) y[row] = sum;
}
extern "C" __global__ void matvec_q8(const char4* w, const float* scale, const float4* x, float* y, int k4, int group4)
{
    __shared__ float part[4];
    float sum = 0;
    for (int i = threadIdx.x; i < k4; i += blockDim.x) {
        const char4 a = w[blockIdx.x * k4 + i];
        const float4 b = x[i];
        sum += scale[blockIdx.x * (k4 / group4) + i / group4] * (a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
    }
    for (int o = 16; o; o /= 2) sum += __shfl_down_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
// Keys lie in pages of 8 tokens found through a table; one query a block, D = 64.
extern "C" __global__ void paged_scores(const __half2* q, const __half2* cache, const unsigned* table, float* scores, int tokens, int pages)
{
    const int t = threadIdx.x, token = blockIdx.y * 16 + t / 8, part = t % 8;  // 128
    __shared__ float2 qs[32];
    if (t < 32) qs[t] = __half22float2(q[blockIdx.x * 32 + t]);
    __syncthreads();
    float s = 0;
    if (token < tokens) {
        const unsigned page = table[token / 8] % pages;
        const uint2* row = (const uint2*)(cache + (page * 8 + token % 8) * 32) + part * 2;
        for (int i = 0; i < 2; ++i) {
            const uint2 u = row[i];
            const float2 a = __half22float2(*(const __half2*)&u.x), b = __half22float2(*(const __half2*)&u.y);
            const float2 x = qs[part * 4 + i * 2], y = qs[part * 4 + i * 2 + 1];
            s += a.x * x.x + a.y * x.y + b.x * y.x + b.y * y.y;
        }
    }
    for (int o = 4; o; o /= 2) s += __shfl_down_sync(~0u, s, o, 8);
    if (part == 0 && token < tokens) scores[blockIdx.x * tokens + token] = s;
}
// The two best of E experts a token, a warp a token, and the experts' loads.
extern "C" __global__ void route_top2(const float* logits, int2* chosen, float2* weight, int* load, int tokens, int E)
{
    const int token = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (token >= tokens) return;
    float best[2];
    int who[2];
    float v = lane < E ? logits[token * E + lane] : -1e30f;
    for (int k = 0; k < 2; ++k) {
        float b = v;
        int w = lane;
        for (int o = 16; o; o /= 2) {
            const float ob = __shfl_xor_sync(~0u, b, o);
            const int ow = __shfl_xor_sync(~0u, w, o);
            if (ob > b || (ob == b && ow < w)) { b = ob; w = ow; }
        }
        best[k] = b;
        who[k] = w;
        if (lane == w) v = -1e30f;
    }
    if (lane < 2) atomicAdd(&load[lane ? who[1] : who[0]], 1);
    if (lane == 0) {
        const float e = __expf(best[1] - best[0]);
        chosen[token] = make_int2(who[0], who[1]);
        weight[token] = make_float2(1 / (1 + e), e / (1 + e));
    }
}
// Rows gathered for one expert each and added up again, 16 bytes a lane.
extern "C" __global__ void combine_experts(const float4* rows, const unsigned* where, const float2* weight, float4* out, int c4, int n)
{
    const int token = blockIdx.x;
    const float2 w = weight[token];
    const float4* a = rows + (where[2 * token] % n) * c4;
    const float4* b = rows + (where[2 * token + 1] % n) * c4;
    for (int i = threadIdx.x; i < c4; i += blockDim.x) {
        const float4 x = a[i], y = b[i];
        out[token * c4 + i] = make_float4(w.x * x.x + w.y * y.x, w.x * x.y + w.y * y.y, w.x * x.z + w.y * y.z, w.x * x.w + w.y * y.w);
    }
}
// The first index whose running sum of the probabilities reaches `at`.
extern "C" __global__ void sample_row(const float* p, const float* at, int* chosen, int n)
{
    __shared__ float sums[256];
    __shared__ int first;
    const int t = threadIdx.x;
    float run = 0, mine[4];
    for (int j = 0; j < 4; ++j) { const int i = t * 4 + j; run += i < n ? fabsf(p[blockIdx.x * n + i]) : 0.f; mine[j] = run; }
    if (t == 0) first = n - 1;
    sums[t] = run;
    for (int o = 1; o < 256; o *= 2) {
        __syncthreads();
        const float v = t >= o ? sums[t - o] : 0.f;
        __syncthreads();
        sums[t] += v;
    }
    __syncthreads();
    const float before = t ? sums[t - 1] : 0.f, target = fabsf(at[blockIdx.x]) * sums[255];
    for (int j = 0; j < 4; ++j) if (before + mine[j] >= target && t * 4 + j < n) { atomicMin(&first, t * 4 + j); break; }
    __syncthreads();
    if (t == 0) chosen[blockIdx.x] = first;
}
