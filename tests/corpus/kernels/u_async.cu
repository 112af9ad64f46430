// Asynchronous copies, each by another hand.
#include <cuda_pipeline.h>

__device__ __forceinline__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
template <int BYTES>
__device__ __forceinline__ void copy_or_zero(void* to, const void* from, bool copy)
{
    const int n = copy ? BYTES : 0;
    if constexpr (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(shared_address(to)), "l"(from), "r"(n));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;\n" ::"r"(shared_address(to)), "l"(from), "r"(n), "n"(BYTES));
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;\n" ::); }
template <int N>
__device__ __forceinline__ void wait_but() { asm volatile("cp.async.wait_group %0;\n" ::"n"(N)); }

// A product whose tiles come through a ring of STAGES; edges of m, n and k are zero filled.
// BM x BN x 16 by 16 x 8 threads, pitch of the A tile P floats.
template <int STAGES, int P>
__global__ void __launch_bounds__(128) ring_product(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int m, int n, int k)
{
    extern __shared__ __align__(16) float ring[];
    constexpr int SA = 32 * P, SB = 16 * 64;
    float* const tile_a = ring;
    float* const tile_b = ring + STAGES * SA;
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int r0 = blockIdx.y * 32, c0 = blockIdx.x * 64;
    const int tiles = (k + 15) / 16;
    auto load = [&](int tile) {
        if (tile < tiles) {
            float* a = tile_a + tile % STAGES * SA;
            float* b = tile_b + tile % STAGES * SB;
            const int k0 = tile * 16;
            {
                const int r = t / 4, q = t % 4 * 4;
                const bool in = r0 + r < m && k0 + q < k;
                copy_or_zero<16>(a + r * P + q, in ? A + (r0 + r) * k + k0 + q : A, in);
            }
#pragma unroll
            for (int e = t; e < 256; e += 128) {
                const int r = e / 16, q = e % 16 * 4;
                const bool in = k0 + r < k && c0 + q < n;
                copy_or_zero<16>(b + r * 64 + q, in ? B + (k0 + r) * n + c0 + q : B, in);
            }
        }
        commit();
    };
    for (int s = 0; s < STAGES - 1; ++s) load(s);
    float acc[4][4] = {};
    for (int tile = 0; tile < tiles; ++tile) {
        wait_but<STAGES - 2>();
        __syncthreads();
        load(tile + STAGES - 1);
        const float* a = tile_a + tile % STAGES * SA;
        const float* b = tile_b + tile % STAGES * SB;
#pragma unroll
        for (int q = 0; q < 16; ++q) {
            const float4 bv = *(const float4*)(b + q * 64 + tx * 4);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float av = a[(ty * 4 + i) * P + q];
                acc[i][0] += av * bv.x; acc[i][1] += av * bv.y; acc[i][2] += av * bv.z; acc[i][3] += av * bv.w;
            }
        }
    }
    for (int i = 0; i < 4; ++i) {
        const int r = r0 + ty * 4 + i, c = c0 + tx * 4;
        if (r < m && c < n) *(float4*)(C + r * n + c) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    }
}

// Rows of a plane go through four slots, a stencil along y follows behind. Eight bytes a lane.
extern "C" __global__ void rows_in_slots(const float2* in, float2* out, int w2, int h)
{
    __shared__ float2 slot[4][64];
    const int x = blockIdx.x * 64 + threadIdx.x;
    const bool live = x < w2;
    for (int y = 0; y < 3; ++y) {
        copy_or_zero<8>(&slot[y][threadIdx.x], in + (y * w2 + (live ? x : 0)), live);
        commit();
    }
    for (int y = 1; y + 1 < h; ++y) {
        wait_but<0>();
        if (y + 2 < h) copy_or_zero<8>(&slot[(y + 2) & 3][threadIdx.x], in + (y + 2) * w2 + (live ? x : 0), live);
        commit();
        const float2 a = slot[(y - 1) & 3][threadIdx.x], b = slot[y & 3][threadIdx.x], c = slot[(y + 1) & 3][threadIdx.x];
        if (live) out[y * w2 + x] = make_float2(a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y);
    }
}

// Copies by the pipeline's functions; the tile is read along its columns.
template <typename T>
__global__ void piped_columns(const T* in, T* out, int rows, int pitch)
{
    __shared__ T tile[2][16][33];
    const int lane = threadIdx.x, y = threadIdx.y;
    for (int r = y; r < 16; r += blockDim.y) __pipeline_memcpy_async(&tile[0][r][lane], in + (blockIdx.x * rows + r) * pitch + lane, sizeof(T));
    __pipeline_commit();
    for (int at = 0, s = 0; at < rows; at += 16, s ^= 1) {
        if (at + 16 < rows)
            for (int r = y; r < 16 && at + 16 + r < rows; r += blockDim.y)
                __pipeline_memcpy_async(&tile[s ^ 1][r][lane], in + (blockIdx.x * rows + at + 16 + r) * pitch + lane, sizeof(T));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int c = y; c < 32; c += blockDim.y)
            if (lane < 16 && at + lane < rows) out[(blockIdx.x * 32 + c) * rows + at + lane] = tile[s][lane][c];
        __syncthreads();
    }
}

// Dense sixteen-byte copies past L1 of a block of a matrix into a place turned by its row.
extern "C" __global__ void turned_rows(const float4* in, float* out, int pitch4)
{
    __shared__ float4 t[32][8];
    for (int e = threadIdx.x; e < 256; e += blockDim.x) {
        const int r = e >> 3, q = e & 7;
        copy_or_zero<16>(&t[r][q ^ (r & 7)], in + (blockIdx.x * 32 + r) * pitch4 + q, true);
    }
    commit();
    wait_but<0>();
    __syncthreads();
    const float* f = (const float*)t;
    for (int e = threadIdx.x; e < 1024; e += blockDim.x) {
        const int c = e >> 5, r = e & 31;
        out[blockIdx.x * 1024 + e] = f[r * 32 + ((c >> 2 ^ (r & 7)) << 2 | (c & 3))];
    }
}
