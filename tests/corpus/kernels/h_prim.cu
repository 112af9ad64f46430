#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
// Sorts, scans and reductions.

extern "C" __global__ void bitonic_pairs(unsigned* key, int* value)
{
    __shared__ unsigned k[512];
    __shared__ int v[512];
    const int t = threadIdx.x, base = blockIdx.x * 512;
    for (int j = 0; j < 2; ++j) { k[t + 256 * j] = key[base + t + 256 * j]; v[t + 256 * j] = value[base + t + 256 * j]; }
    for (int size = 2; size <= 512; size *= 2)
        for (int step = size / 2; step; step /= 2) {
            __syncthreads();
            const int lo = 2 * t - (t & (step - 1)), hi = lo + step;
            const bool up = (lo & size) == 0;
            if ((k[lo] > k[hi]) == up) {
                const unsigned a = k[lo]; k[lo] = k[hi]; k[hi] = a;
                const int b = v[lo]; v[lo] = v[hi]; v[hi] = b;
            }
        }
    __syncthreads();
    for (int j = 0; j < 2; ++j) { key[base + t + 256 * j] = k[t + 256 * j]; value[base + t + 256 * j] = v[t + 256 * j]; }
}
extern "C" __global__ void odd_even(short* data, int n)
{
    __shared__ short s[200];
    const int t = threadIdx.x;
    for (int i = t; i < n; i += blockDim.x) s[i] = data[blockIdx.x * n + i];
    for (int round = 0; round < n; ++round) {
        __syncthreads();
        const int i = 2 * t + (round & 1);
        if (i + 1 < n) { const short a = s[i], b = s[i + 1]; if (a > b) { s[i] = b; s[i + 1] = a; } }
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) data[blockIdx.x * n + i] = s[i];
}
// Counts of 16 digits: a byte-wide counter a thread and digit, four in a word.
extern "C" __global__ void radix_counts(const unsigned* keys, unsigned* counts, int n, int shift)
{
    __shared__ unsigned char c[16][96];
    const int t = threadIdx.x;
    for (int d = 0; d < 16; ++d) c[d][t] = 0;
    for (int i = blockIdx.x * 96 + t; i < n; i += gridDim.x * 96) ++c[keys[i] >> shift & 15][t];
    __syncthreads();
    if (t < 64) {
        unsigned s = 0;
        for (int j = t % 4; j < 24; j += 4) {
            const unsigned w = ((const unsigned*)c[t / 4])[j];
            s += (w & 255) + (w >> 8 & 255) + (w >> 16 & 255) + (w >> 24);
        }
        s += __shfl_xor_sync(~0u, s, 1);
        s += __shfl_xor_sync(~0u, s, 2);
        if (t % 4 == 0) counts[t / 4 * gridDim.x + blockIdx.x] = s;
    }
}
// One pass of a stable radix sort of a block's keys by two bits with ballots.
extern "C" __global__ void radix_split(const unsigned* in, unsigned* out, int shift)
{
    __shared__ int count[4][5], start[4][4];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;  // 128
    const unsigned key = in[blockIdx.x * 128 + t], digit = key >> shift & 3;
    const unsigned peers = __match_any_sync(~0u, digit);
    const int rank = __popc(peers & ((1u << lane) - 1));
    if (t < 20) ((int*)count)[t] = 0;
    __syncthreads();
    if (rank == 0) count[digit][warp] = __popc(peers);
    __syncthreads();
    if (t < 16) {
        int s = 0;
        for (int i = 0; i < t; ++i) s += count[i / 4][i % 4];
        start[t / 4][t % 4] = s;
    }
    __syncthreads();
    out[blockIdx.x * 128 + start[digit][warp] + rank] = key;
}
extern "C" __global__ void scan_hillis(const int* in, int* out, int n)
{
    extern __shared__ int two[];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    int from = 0;
    two[t] = i < n ? in[i] : 0;
    for (int o = 1; o < blockDim.x; o *= 2) {
        __syncthreads();
        const int v = two[from * blockDim.x + t];
        from ^= 1;
        two[from * blockDim.x + t] = t >= o ? v + two[(from ^ 1) * blockDim.x + t - o] : v;
    }
    if (i < n) out[i] = two[from * blockDim.x + t];
}
#ifndef AT
#define AT(i) (i)
#endif
extern "C" __global__ void scan_blelloch(const int2* in, int2* out, int* total)
{
    __shared__ int s[576];
    const int t = threadIdx.x;  // 128 threads, 256 elements
    const int2 v = in[blockIdx.x * 128 + t];
    s[AT(2 * t)] = v.x;
    s[AT(2 * t + 1)] = v.y;
    int o = 1;
    for (int d = 128; d; d /= 2, o *= 2) {
        __syncthreads();
        if (t < d) s[AT(o * (2 * t + 2) - 1)] += s[AT(o * (2 * t + 1) - 1)];
    }
    __syncthreads();
    if (t == 0) { total[blockIdx.x] = s[AT(255)]; s[AT(255)] = 0; }
    for (int d = 1; d < 256; d *= 2) {
        o /= 2;
        __syncthreads();
        if (t < d) {
            const int l = AT(o * (2 * t + 1) - 1), r = AT(o * (2 * t + 2) - 1), x = s[l];
            s[l] = s[r];
            s[r] += x;
        }
    }
    __syncthreads();
    out[blockIdx.x * 128 + t] = make_int2(s[AT(2 * t)], s[AT(2 * t + 1)]);
}
// Sums of segments that flags begin, by shuffles, one value a segment.
extern "C" __global__ void segmented_max(const float* in, const unsigned char* flag, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const bool head = lane == 0 || (i < n && (flag[i] & 3) == 0);
    const unsigned heads = __ballot_sync(~0u, head);
    const int first = 31 - __clz(heads & (~0u >> (31 - lane)));
    float v = i < n ? in[i] : -2.f;
    for (int o = 1; o < 32; o *= 2) { const float a = __shfl_up_sync(~0u, v, o); if (lane - o >= first) v = fmaxf(v, a); }
    if (i < n && (lane == 31 || heads >> (lane + 1) & 1 || i == n - 1)) out[i] = v;
}
struct Best { float value; int index; short row, col; };
extern "C" __global__ void argmax_struct(const float* in, Best* out, int rows, int cols)
{
    __shared__ Best s[160];
    const int t = threadIdx.x;
    Best b = {-1e30f, -1, 0, 0};
    for (int i = blockIdx.x * blockDim.x + t; i < rows * cols; i += gridDim.x * blockDim.x)
        if (in[i] > b.value) { b.value = in[i]; b.index = i; b.row = i / cols; b.col = i % cols; }
    s[t] = b;
    for (int o = 128; o; o /= 2) {
        __syncthreads();
        if (t < o && t + o < blockDim.x && s[t + o].value > s[t].value) s[t] = s[t + o];
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
// The interleaved sum of the first lessons, and volatile at the end.
extern "C" __global__ void sum_volatile(const double* in, double* out, int n)
{
    extern __shared__ double d[];
    const int t = threadIdx.x, i = blockIdx.x * 2 * blockDim.x + t;
    d[t] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
    __syncthreads();
    for (int s = 1; s < blockDim.x / 4; s *= 2) {
        const int at = 2 * s * t;
        if (at + s < blockDim.x) d[at] += d[at + s];
        __syncthreads();
    }
    volatile double* v = d;
    if (t == 0) out[blockIdx.x] = v[0] + v[blockDim.x / 4] + v[blockDim.x / 2] + v[3 * blockDim.x / 4];
}
__device__ unsigned arrived;
extern "C" __global__ void sum_last_block(const float4* in, float* part, float* out, int n4)
{
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    __shared__ float s[8];
    __shared__ bool last;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) { const float4 a = in[i]; v += a.x + a.y + a.z + a.w; }
    v = cg::reduce(warp, v, cg::plus<float>());
    if (warp.thread_rank() == 0) s[warp.meta_group_rank()] = v;
    block.sync();
    if (threadIdx.x == 0) {
        for (int i = 1; i < warp.meta_group_size(); ++i) v += s[i];
        part[blockIdx.x] = v;
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    block.sync();
    if (last && threadIdx.x < 32) {
        float u = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += 32) u += __ldcg(&part[i]);
        u = cg::reduce(warp, u, cg::plus<float>());
        if (threadIdx.x == 0) *out = u;
    }
}
