#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
// Copies to shared memory past the registers.
__device__ inline unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

// Rows of WIDTH elements of SIZE bytes with a border of zeros filled by copies of 0 bytes.
#ifndef SIZE
#define SIZE 4
#endif
#if SIZE == 4
typedef float E;
#elif SIZE == 8
typedef float2 E;
#else
typedef float4 E;
#endif
extern "C" __global__ void bordered_rows(const E* in, E* out, int w, int h, int pitch)
{
    extern __shared__ E tile[];
    const int tx = threadIdx.x, ty = threadIdx.y, W = blockDim.x, H = blockDim.y;
    const int x = blockIdx.x * (W - 2) + tx - 1, y = blockIdx.y * (H - 2) + ty - 1;
    const bool in_it = x >= 0 && x < w && y >= 0 && y < h;
    const E* from = in + (in_it ? y * w + x : 0);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at(&tile[ty * pitch + tx])), "l"(from), "n"(SIZE), "r"(in_it ? SIZE : 0) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if (tx > 0 && tx < W - 1 && ty > 0 && ty < H - 1 && x < w && y < h) {
        E c = tile[ty * pitch + tx];
        const float* l = (const float*)&tile[ty * pitch + tx - 1];
        const float* u = (const float*)&tile[(ty - 1) * pitch + tx];
        float* f = (float*)&c;
        for (int i = 0; i < SIZE / 4; ++i) f[i] = f[i] * 2 - l[i] - u[i];
        out[y * w + x] = c;
    }
}
// Lanes reversed or woven within the warp, from global memory and to shared memory.
extern "C" __global__ void lanes_crossed(const float* in, float* out, int from, int to)
{
    __shared__ float s[8 * 32];
    const int lane = threadIdx.x % 32, base = threadIdx.x / 32 * 32;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&s[base + (lane ^ to)])), "l"(in + blockIdx.x * blockDim.x + base + lane * from % 32) : "memory");
    asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[(threadIdx.x + 9) % blockDim.x];
}
// Half of the lanes copy 16 bytes past L1, the others nothing; rows at a pitch.
extern "C" __global__ void copies_of_some(const float4* in, float4* out, unsigned mask, int pitch)
{
    extern __shared__ float4 rows[];
    const int t = threadIdx.x, r = t / 8, c = t % 8;
    float4* mine = &rows[r * pitch + c];
    if (mask >> (t % 32) & 1) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(mine)), "l"(in + t) : "memory");
    else *mine = make_float4(t, 0, 0, 0);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[t] = rows[c % (blockDim.x / 8) * pitch + (r + c) % 8];
}
// Two slices in flight by the pipeline primitives, a running maximum of three.
extern "C" __global__ void primitives_ring(const float2* in, float2* out, int slices)
{
    __shared__ float2 ring[2][130];
    const int t = threadIdx.x;  // 128
    const float2* row = in + blockIdx.x * slices * 128;
    float2 best = make_float2(-9, -9);
    __pipeline_memcpy_async(&ring[0][t + 1], row + t, 8);
    __pipeline_commit();
    for (int s = 0; s < slices; ++s) {
        if (s + 1 < slices) __pipeline_memcpy_async(&ring[(s + 1) & 1][t + 1], row + (s + 1) * 128 + t, 8);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        const float2* p = ring[s & 1];
        const int l = max(t, 1), r = min(t + 2, 128);
        best.x = fmaxf(best.x, fmaxf(p[l].x, p[r].x));
        best.y = fmaxf(best.y, p[t + 1].y);
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = best;
}
extern "C" __global__ void group_copies(const int* in, int* out, int n)
{
    __shared__ __align__(16) int s[512];
    const cg::thread_block block = cg::this_thread_block();
    const int count = min(512, n - (int)blockIdx.x * 512);
    cg::memcpy_async(block, s, in + blockIdx.x * 512, sizeof(int) * count);
    cg::wait(block);
    for (int i = threadIdx.x; i < count; i += blockDim.x) out[blockIdx.x * 512 + i] = s[count - 1 - i];
}
