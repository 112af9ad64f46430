// Sums, scans and counts, each by another hand.
#include <cuda_fp16.h>

// Any number of threads, a partial last warp among them; two doubles at a time.
extern "C" __global__ void sum_pairs(const double2* in, double* out, int n2)
{
    __shared__ double warps[32];
    double s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n2; i += gridDim.x * blockDim.x) { const double2 v = in[i]; s += v.x + v.y; }
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize, all = (blockDim.x + 31) / 32;
    const int mine = min(32, (int)blockDim.x - warp * 32);
    const unsigned mask = mine == 32 ? 0xffffffffu : (1u << mine) - 1;
    for (int d = 16; d > 0; d /= 2) {
        const double other = __shfl_down_sync(mask, s, d);
        if (lane + d < mine) s += other;
    }
    if (lane == 0) warps[warp] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < all; ++w) s += warps[w];
        out[blockIdx.x] = s;
    }
}

// Sums of columns: a strip of 32 columns, partial sums of rows meet at an odd pitch.
template <int ROWS>
__global__ void column_sums(const float* __restrict__ in, float* __restrict__ out, int w, int h)
{
    __shared__ float part[32][ROWS + 1];
    const int x = blockIdx.x * 32 + threadIdx.x;
    float s = 0.f;
    if (x < w) {
#pragma unroll 4
        for (int y = threadIdx.y; y < h; y += ROWS) s += in[y * w + x];
    }
    part[threadIdx.x][threadIdx.y] = s;
    __syncthreads();
    for (int half = ROWS / 2; half > 0; half /= 2) {
        if (threadIdx.y < half) part[threadIdx.x][threadIdx.y] += part[threadIdx.x][threadIdx.y + half];
        __syncthreads();
    }
    if (threadIdx.y == 0 && x < w) out[x] = part[threadIdx.x][0];
}

// The extreme of each row with its place, a warp a row.
struct Best { float value; int place; };
__device__ inline Best better(Best a, Best b) { return b.value > a.value || (b.value == a.value && b.place < a.place) ? b : a; }
extern "C" __global__ void best_of_rows(const float4* in, Best* out, int rows, int quads)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    Best b = {-1e30f, -1};
    for (int q = threadIdx.x; q < quads; q += 32) {
        const float4 v = in[row * quads + q];
        b = better(b, Best{v.x, 4 * q});
        b = better(b, Best{v.y, 4 * q + 1});
        b = better(b, Best{v.z, 4 * q + 2});
        b = better(b, Best{v.w, 4 * q + 3});
    }
#pragma unroll
    for (int m = 1; m < 32; m <<= 1) {
        Best o;
        o.value = __shfl_xor_sync(~0u, b.value, m);
        o.place = __shfl_xor_sync(~0u, b.place, m);
        b = better(b, o);
    }
    if (threadIdx.x == 0) out[row] = b;
}

// Inclusive sums, seven items a thread, staged so that the block reads dense; warps, then the block.
template <int THREADS, int ITEMS>
__global__ void scan_items(const int* in, int* out, int* totals, int n)
{
    __shared__ int stage[THREADS * ITEMS];
    __shared__ int sums[THREADS / 32];
    const int base = blockIdx.x * THREADS * ITEMS;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const int at = i * THREADS + threadIdx.x;
        stage[at] = base + at < n ? in[base + at] & 255 : 0;
    }
    __syncthreads();
    int v[ITEMS], total = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) v[i] = total += stage[threadIdx.x * ITEMS + i];
    int inclusive = total;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const int o = __shfl_up_sync(0xffffffff, inclusive, d);
        if (threadIdx.x % 32 >= d) inclusive += o;
    }
    if (threadIdx.x % 32 == 31) sums[threadIdx.x / 32] = inclusive;
    __syncthreads();
    int before = inclusive - total;
    for (int w = 0; w < (int)threadIdx.x / 32; ++w) before += sums[w];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) stage[threadIdx.x * ITEMS + i] = v[i] + before;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const int at = i * THREADS + threadIdx.x;
        if (base + at < n) out[base + at] = stage[at];
    }
    if (threadIdx.x == THREADS - 1) totals[blockIdx.x] = before + total;
}

// A counter of bytes for each thread, bins side by side; then words are added across threads.
extern "C" __global__ void byte_counters(const unsigned* in, unsigned* bins, int n)
{
    __shared__ unsigned char count[16 * 64];
    for (int i = threadIdx.x; i < 16 * 16; i += 64) ((unsigned*)count)[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) {
        const unsigned v = in[i];
        ++count[(v & 15) * 64 + threadIdx.x];
        ++count[(v >> 13 & 15) * 64 + threadIdx.x];
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned sum = 0;
        for (int j = 0; j < 64; ++j) sum += count[threadIdx.x * 64 + (j + threadIdx.x * 4) % 64];
        atomicAdd(&bins[threadIdx.x], sum);
    }
}

// Compensated sums of half2, the last step in one warp of volatile shared memory.
extern "C" __global__ void kahan_halves(const half2* in, float* out, int n)
{
    __shared__ volatile float s[160];
    float sum = 0.f, lost = 0.f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const float2 v = __half22float2(in[blockIdx.x * n + i]);
        const float y = v.x + v.y - lost, t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    }
    s[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        float v = s[threadIdx.x];
        for (int i = threadIdx.x + 32; i < (int)blockDim.x; i += 32) v += s[i];
        s[threadIdx.x] = v;
        __syncwarp();
        for (int d = 16; d >= 1; d >>= 1) {
            float o = 0.f;
            if (threadIdx.x < d) o = s[threadIdx.x + d];
            __syncwarp();
            if (threadIdx.x < d) s[threadIdx.x] = s[threadIdx.x] + o;
            __syncwarp();
        }
        if (threadIdx.x == 0) out[blockIdx.x] = s[0];
    }
}

// Rows of different lengths, a group of lanes each; maxima of char4.
template <int GROUP>
__global__ void ragged_maxima(const char4* in, const int* lengths, char* out, int rows, int most)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / GROUP, lane = threadIdx.x % GROUP;
    const int length = row < rows ? (lengths[row] & 0xffff) % (most + 1) : 0;
    int best = -128;
    for (int i = lane; i < length; i += GROUP) {
        const char4 v = in[row * most + i];
        best = max(best, max(max((int)v.x, (int)v.y), max((int)v.z, (int)v.w)));
    }
    for (int d = GROUP / 2; d; d >>= 1) best = max(best, __shfl_down_sync(0xffffffff, best, d, GROUP));
    if (row < rows && lane == 0) out[row] = (char)best;
}
