// Reductions, scans, normalisations and what warps do among themselves.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace cg = cooperative_groups;

#define FULL_MASK 0xffffffffu
#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)

template <typename T>
__device__ __forceinline__ T warp_sum(T v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(FULL_MASK, v, o);
    return v;
}

__device__ __forceinline__ float warp_all_max(float v) {
    for (int m = 16; m; m /= 2) v = fmaxf(v, __shfl_xor_sync(FULL_MASK, v, m));
    return v;
}

// Harris, step by step: MODE 0 divergent, 1 strided, 2 sequential
template <int MODE>
__global__ void reduce_harris(const int *g_idata, int *g_odata, unsigned int n) {
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = i < n ? g_idata[i] : 0;
    __syncthreads();
    if (MODE == 0) {
        for (unsigned int s = 1; s < blockDim.x; s *= 2) {
            if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
            __syncthreads();
        }
    } else if (MODE == 1) {
        for (unsigned int s = 1; s < blockDim.x; s *= 2) {
            int index = 2 * s * tid;
            if (index < blockDim.x) sdata[index] += sdata[index + s];
            __syncthreads();
        }
    } else {
        for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
            if (tid < s) sdata[tid] += sdata[tid + s];
            __syncthreads();
        }
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

// first add during load, unrolled last warp
template <unsigned int blockSize>
__global__ void reduce_unrolled(const float *in, float *out, unsigned n) {
    __shared__ volatile float s[blockSize];
    unsigned tid = threadIdx.x;
    float sum = 0.f;
    for (unsigned i = blockIdx.x * blockSize * 2 + tid; i < n; i += blockSize * 2 * gridDim.x) {
        sum += in[i];
        if (i + blockSize < n) sum += in[i + blockSize];
    }
    s[tid] = sum;
    __syncthreads();
    if (blockSize >= 512 && tid < 256) s[tid] = s[tid] + s[tid + 256];
    if (blockSize >= 512) __syncthreads();
    if (blockSize >= 256 && tid < 128) s[tid] = s[tid] + s[tid + 128];
    if (blockSize >= 256) __syncthreads();
    if (blockSize >= 128 && tid < 64) s[tid] = s[tid] + s[tid + 64];
    if (blockSize >= 128) __syncthreads();
    if (tid < 32) {
        float v = s[tid];
        if (blockSize >= 64) v += s[tid + 32];
        v = warp_sum(v);
        if (tid == 0) atomicAdd(out, v);
    }
}

// cooperative groups, tiles of TILE lanes
template <int TILE>
__global__ void reduce_cg_tiles(const float4 *in, float *out, int n4) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<TILE> tile = cg::tiled_partition<TILE>(block);
    __shared__ float part[1024 / TILE];
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + block.thread_rank(); i < n4; i += blockDim.x * gridDim.x) {
        float4 v = in[i];
        s += (v.x + v.y) + (v.z + v.w);
    }
    for (int d = tile.size() / 2; d > 0; d /= 2) s += tile.shfl_down(s, d);
    if (tile.thread_rank() == 0) part[block.thread_rank() / TILE] = s;
    block.sync();
    if (block.thread_rank() == 0) {
        float total = 0;
        for (unsigned k = 0; k < block.size() / TILE; ++k) total += part[k];
        out[blockIdx.x] = total;
    }
}

// integers: redux, and the extremes
extern "C" __global__ void reduce_redux(const int *x, int *sum, int *lo, int *hi, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? x[i] >> 12 : 0;
    int s = __reduce_add_sync(FULL_MASK, v);
    int a = __reduce_min_sync(FULL_MASK, v);
    int b = __reduce_max_sync(FULL_MASK, v);
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(sum, s);
        atomicMin(lo, a);
        atomicMax(hi, b);
    }
}

// largest element and where
extern "C" __global__ void argmax_rows(const float *x, int *where, int cols) {
    const float *row = x + (size_t)blockIdx.x * cols;
    float best = -INFINITY;
    int at = -1;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        if (row[c] > best) best = row[c], at = c;
    struct Pair {
        float v;
        int i;
    };
    __shared__ Pair warps[32];
    auto merge = [](float &v, int &i, float ov, int oi) {
        if (ov > v || (ov == v && oi < i)) {
            v = ov;
            i = oi;
        }
    };
    for (int o = 16; o; o >>= 1) merge(best, at, __shfl_down_sync(FULL_MASK, best, o), __shfl_down_sync(FULL_MASK, at, o));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = {best, at};
    __syncthreads();
    if (threadIdx.x < 32) {
        bool on = threadIdx.x < (blockDim.x + 31) / 32;
        best = on ? warps[threadIdx.x].v : -INFINITY;
        at = on ? warps[threadIdx.x].i : 0x7fffffff;
        for (int o = 16; o; o >>= 1) merge(best, at, __shfl_down_sync(FULL_MASK, best, o), __shfl_down_sync(FULL_MASK, at, o));
        if (threadIdx.x == 0) where[blockIdx.x] = at;
    }
}

// Hillis and Steele, two halves of the buffer
extern "C" __global__ void scan_hillis(float *g_odata, const float *g_idata, int n) {
    extern __shared__ float temp[];
    int thid = threadIdx.x;
    int pout = 0, pin = 1;
    g_idata += blockIdx.x * n;
    g_odata += blockIdx.x * n;
    if (thid < n) temp[thid] = (thid > 0) ? g_idata[thid - 1] : 0;
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (thid < n) {
            if (thid >= offset)
                temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
            else
                temp[pout * n + thid] = temp[pin * n + thid];
        }
        __syncthreads();
    }
    if (thid < n) g_odata[thid] = temp[pout * n + thid];
}

// Blelloch, with or without the padding
template <bool Padded>
__global__ void scan_blelloch(int *odata, const int *idata, int n) {
    extern __shared__ int tree[];
    auto at = [](int i) { return Padded ? i + CONFLICT_FREE_OFFSET(i) : i; };
    int t = threadIdx.x, offset = 1;
    const int *in = idata + blockIdx.x * n;
    int *out = odata + blockIdx.x * n;
    tree[at(t)] = in[t];
    tree[at(t + n / 2)] = in[t + n / 2];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int ai = at(offset * (2 * t + 1) - 1), bi = at(offset * (2 * t + 2) - 1);
            tree[bi] += tree[ai];
        }
        offset *= 2;
    }
    if (t == 0) tree[at(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int ai = at(offset * (2 * t + 1) - 1), bi = at(offset * (2 * t + 2) - 1);
            int x = tree[ai];
            tree[ai] = tree[bi];
            tree[bi] += x;
        }
    }
    __syncthreads();
    out[t] = tree[at(t)];
    out[t + n / 2] = tree[at(t + n / 2)];
}

// inclusive scan: ITEMS a thread, shuffles, then the warps' totals
template <typename T, int ITEMS, int WARPS>
__global__ void scan_warps(const T *__restrict__ in, T *__restrict__ out, T *__restrict__ totals, int n) {
    __shared__ T sums[WARPS];
    const int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    const int base = (blockIdx.x * WARPS * 32 + threadIdx.x) * ITEMS;
    T v[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        v[i] = base + i < n ? in[base + i] : T(0);
        if (i) v[i] += v[i - 1];
    }
    T incl = v[ITEMS - 1];
#pragma unroll
    for (int o = 1; o < 32; o *= 2) {
        T up = __shfl_up_sync(FULL_MASK, incl, o);
        if (lane >= o) incl += up;
    }
    if (lane == 31) sums[w] = incl;
    __syncthreads();
    T before = incl - v[ITEMS - 1];
    for (int k = 0; k < w; ++k) before += sums[k];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
        if (base + i < n) out[base + i] = v[i] + before;
    if (threadIdx.x == WARPS * 32 - 1) totals[blockIdx.x] = before + v[ITEMS - 1];
}

// softmax in three passes over shared memory
extern "C" __global__ void softmax_three_pass(const float *in, float *out, int N, int C) {
    extern __shared__ float shared[];
    int idx = blockIdx.x, tid = threadIdx.x, block_size = blockDim.x;
    const float *x = in + idx * C;
    float maxval = -INFINITY;
    for (int i = tid; i < C; i += block_size) maxval = fmaxf(maxval, x[i]);
    shared[tid] = maxval;
    for (int stride = block_size / 2; stride >= 1; stride /= 2) {
        __syncthreads();
        if (tid < stride) shared[tid] = fmaxf(shared[tid], shared[tid + stride]);
    }
    __syncthreads();
    float offset = shared[0];
    __syncthreads();
    for (int i = tid; i < C; i += block_size) out[idx * C + i] = expf(x[i] - offset);
    float sumval = 0.0f;
    for (int i = tid; i < C; i += block_size) sumval += out[idx * C + i];
    shared[tid] = sumval;
    for (int stride = block_size / 2; stride >= 1; stride /= 2) {
        __syncthreads();
        if (tid < stride) shared[tid] += shared[tid + stride];
    }
    __syncthreads();
    float sum = shared[0];
    for (int i = tid; i < C; i += block_size) out[idx * C + i] /= sum;
}

// online softmax, a warp a row, exp2 and half storage
template <int ROWS_PER_BLOCK>
__global__ void softmax_online_half(const half *__restrict__ in, half *__restrict__ out, int rows, int cols) {
    const int row = blockIdx.x * ROWS_PER_BLOCK + threadIdx.y;
    if (row >= rows) return;
    const float log2e = 1.4426950408889634f;
    float m = -INFINITY, d = 0.f;
    for (int c = threadIdx.x; c < cols; c += 32) {
        float x = __half2float(in[row * cols + c]) * log2e;
        float nm = fmaxf(m, x);
        d = d * exp2f(m - nm) + exp2f(x - nm);
        m = nm;
    }
    float all = warp_all_max(m);
    d *= m == -INFINITY ? 0.f : exp2f(m - all);
    for (int o = 16; o; o >>= 1) d += __shfl_xor_sync(FULL_MASK, d, o);
    const float inv = __frcp_rn(d);
    for (int c = threadIdx.x; c < cols; c += 32)
        out[row * cols + c] = __float2half_rn(exp2f(__half2float(in[row * cols + c]) * log2e - all) * inv);
}

// layer norm over float4, mean and variance at once
extern "C" __global__ void layernorm_float4(const float4 *x, const float4 *gamma, const float4 *beta, float4 *y, int n4, float eps) {
    __shared__ float2 part[32];
    const float4 *row = x + blockIdx.x * n4;
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < n4; i += blockDim.x) {
        float4 v = row[i];
        s += v.x + v.y + v.z + v.w;
        q += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    s = warp_sum(s);
    q = warp_sum(q);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = make_float2(s, q);
    __syncthreads();
    float2 t = {0, 0};
    for (int w = 0; w < blockDim.x / 32; ++w) {
        t.x += part[w].x;
        t.y += part[w].y;
    }
    float mean = t.x / (4 * n4);
    float rstd = rsqrtf(t.y / (4 * n4) - mean * mean + eps);
    for (int i = threadIdx.x; i < n4; i += blockDim.x) {
        float4 v = row[i], g = gamma[i], b = beta[i];
        v.x = (v.x - mean) * rstd * g.x + b.x;
        v.y = (v.y - mean) * rstd * g.y + b.y;
        v.z = (v.z - mean) * rstd * g.z + b.z;
        v.w = (v.w - mean) * rstd * g.w + b.w;
        y[blockIdx.x * n4 + i] = v;
    }
}

// RMS norm with residual, bf16 pairs, a warp a row kept in registers
template <int PAIRS>
__global__ void rmsnorm_bf16(__nv_bfloat162 *residual, const __nv_bfloat162 *x, const __nv_bfloat162 *w, __nv_bfloat162 *y, int rows) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float2 v[PAIRS];
    float ss = 0.f;
#pragma unroll
    for (int i = 0; i < PAIRS; ++i) {
        int at = row * PAIRS * 32 + i * 32 + lane;
        float2 a = __bfloat1622float2(x[at]), b = __bfloat1622float2(residual[at]);
        v[i] = make_float2(a.x + b.x, a.y + b.y);
        residual[at] = __float22bfloat162_rn(v[i]);
        ss += v[i].x * v[i].x + v[i].y * v[i].y;
    }
    ss = __shfl_sync(FULL_MASK, warp_sum(ss), 0);
    float r = rsqrtf(ss / (PAIRS * 64) + 1e-5f);
#pragma unroll
    for (int i = 0; i < PAIRS; ++i) {
        float2 g = __bfloat1622float2(w[i * 32 + lane]);
        y[row * PAIRS * 32 + i * 32 + lane] = __floats2bfloat162_rn(v[i].x * r * g.x, v[i].y * r * g.y);
    }
}

// compaction inside each block by ballots
extern "C" __global__ void compact_ballot(const float *in, float *out, int *counts, float threshold, int n) {
    __shared__ int warp_base[33];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    const float v = i < n ? in[i] : threshold;
    const bool keep = v > threshold;
    const unsigned votes = __ballot_sync(FULL_MASK, keep);
    if (lane == 0) warp_base[w + 1] = __popc(votes);
    if (threadIdx.x == 0) warp_base[0] = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned k = 1; k <= blockDim.x / 32; ++k) warp_base[k] += warp_base[k - 1];
        counts[blockIdx.x] = warp_base[blockDim.x / 32];
    }
    __syncthreads();
    unsigned below = (1u << lane) - 1;
    if (keep) out[blockIdx.x * blockDim.x + warp_base[w] + __popc(votes & below)] = v;
}

// equal keys within a warp are added by one lane
extern "C" __global__ void match_aggregate(const unsigned char *key, unsigned *count, int n, int keys) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned active = __activemask();
    unsigned k = key[i] % keys;
    unsigned same = __match_any_sync(active, k);
    if (__ffs(same) - 1 == (threadIdx.x & 31)) atomicAdd(&count[k], __popc(same));
}
