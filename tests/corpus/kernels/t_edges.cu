#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
typedef unsigned int u32;
__device__ __forceinline__ u32 sp(const void* p) { return (u32)__cvta_generic_to_shared(p); }
// register starvation: an 8 x 8 tile under tight bounds, so that it spills
template <int MAXT, int MINB>
__global__ void __launch_bounds__(MAXT, MINB) r_spill(const float* A, const float* B, float* C, int n, int k)
{
    float c[8][8] = {}; int r = (blockIdx.y * blockDim.y + threadIdx.y) * 8, q = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    for (int p = 0; p < k; ++p) {
        float a[8], b[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) a[i] = A[(r + i) * k + p];
#pragma unroll
        for (int i = 0; i < 8; ++i) b[i] = B[p * n + q + i];
#pragma unroll
        for (int i = 0; i < 8; ++i)
#pragma unroll
            for (int j = 0; j < 8; ++j) c[i][j] += a[i] * b[j];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) C[(r + i) * n + q + j] = c[i][j];
}
// runtime index into a local array: banded product
__global__ void r_local(const float* A, const float* x, float* y, int n, int bw)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= n) return;
    float w[12]; int head = r % 12;
    for (int i = 0; i < bw; ++i) { int c = r - bw / 2 + i; w[(head + i) % 12] = (c >= 0 && c < n) ? A[r * bw + i] * x[c] : 0.f; }
    float s = 0; for (int i = bw - 1; i >= 0; --i) s = s * 0.5f + w[(head + i) % 12];
    y[r] = s;
}
// cp.async with a byte count at ragged ends: 4, 8 or 16 bytes of which some are zero-filled
template <int V, int T>
__global__ void p_ragged(const float* __restrict__ A, const float* __restrict__ B, float* C, int m, int n, int k, int lda, int ldb)
{
    __shared__ __align__(16) float a[2][T][T], b[2][T][T];
    int t = threadIdx.y * T + threadIdx.x, r0 = blockIdx.y * T, c0 = blockIdx.x * T;
    auto get = [&](int w, int p) {
        for (int e = t; e < T * T / V; e += T * T) {
            int y = e / (T / V), x = e % (T / V) * V, na = r0 + y < m ? max(0, min(V, k - p - x)) : 0, nb = p + y < k ? max(0, min(V, n - c0 - x)) : 0;
            const float* ga = na ? A + (r0 + y) * lda + p + x : A; const float* gb = nb ? B + (p + y) * ldb + c0 + x : B;
            __pipeline_memcpy_async(&a[w][y][x], ga, V * 4, (V - na) * 4);
            __pipeline_memcpy_async(&b[w][y][x], gb, V * 4, (V - nb) * 4);
        }
        __pipeline_commit();
    };
    float s = 0; int w = 0; get(0, 0);
    for (int p = 0; p < k; p += T, w ^= 1) {
        if (p + T < k) { get(w ^ 1, p + T); __pipeline_wait_prior(1); } else __pipeline_wait_prior(0);
        __syncthreads();
        for (int d = 0; d < T; ++d) s += a[w][threadIdx.y][d] * b[w][d][threadIdx.x];
        __syncthreads();
    }
    if (r0 + threadIdx.y < m && c0 + threadIdx.x < n) C[(r0 + threadIdx.y) * n + c0 + threadIdx.x] = s;
}
// 16-bit transpose by ldmatrix.trans, written by 4-byte stores; and by movmatrix; and stmatrix
__global__ void x_ldm(const half* in, half* out, int rows, int cols)
{
    __shared__ __align__(16) half s[64][72]; int t = threadIdx.x, lane = t & 31, w = t >> 5, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    for (int e = t; e < 512; e += 128) *(uint4*)&s[e / 8][e % 8 * 8] = *(const uint4*)&in[(r0 + e / 8) * cols + c0 + e % 8 * 8];
    __syncthreads();
    for (int h = 0; h < 4; ++h) {
        u32 v[4]; asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(sp(&s[w * 16 + (lane & 15)][h * 16 + lane / 16 * 8])) : "memory");
        for (int i = 0; i < 4; ++i) *(u32*)&out[(c0 + h * 16 + i / 2 * 8 + lane / 4) * rows + r0 + w * 16 + i % 2 * 8 + lane % 4 * 2] = v[i];
    }
}
template <bool Tr>
__global__ void x_stm(const half* in, half* out, int n)  // 16 x 16 per warp: registers -> stmatrix -> rows
{
    __shared__ __align__(16) half s[4][16][24]; int lane = threadIdx.x & 31, w = threadIdx.x >> 5; const half* src = in + (blockIdx.x * 4 + w) * 256; u32 v[4];
    for (int i = 0; i < 4; ++i) v[i] = *(const u32*)&src[(lane / 4 + i % 2 * 8) * 16 + lane % 4 * 2 + i / 2 * 8];
    u32 a = sp(&s[w][(lane & 7) + (Tr ? lane / 16 : lane / 8 & 1) * 8][(Tr ? lane / 8 & 1 : lane / 16) * 8]);
    if (Tr) asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(a), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]) : "memory");
    else asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(a), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]) : "memory");
    __syncwarp();
    if (blockIdx.x * 4 + w < n) *(uint4*)&out[(blockIdx.x * 4 + w) * 256 + lane * 8] = *(uint4*)&s[w][lane / 2][lane % 2 * 8];
}
__global__ void x_mov(const u32* in, u32* out) { u32 v = in[blockIdx.x * 32 + threadIdx.x], o; asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(o) : "r"(v)); out[blockIdx.x * 32 + threadIdx.x] = o; }
// cooperative groups tiles: matvec by tiles of G lanes, ragged rows
template <int G>
__global__ void cg_mv(const float* A, const float* x, float* y, int rows, int cols)
{
    auto tile = cg::tiled_partition<G>(cg::this_thread_block()); int r = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
    if (r >= rows) return;
    float s = 0; for (int c = tile.thread_rank(); c < cols; c += G) s += A[r * cols + c] * x[c];
    s = cg::reduce(tile, s, cg::plus<float>()); if (tile.thread_rank() == 0) y[r] = s;
}
// register-double-buffered fragments over a double-buffered tile, K-outer unrolled by a macro
#ifndef UN
#define UN 1
#endif
__global__ void __launch_bounds__(64) d_frag(const float4* __restrict__ A, const float4* __restrict__ B, float4* __restrict__ C, int n4, int k4)  // A given transposed: k x m
{
    __shared__ float4 a[2][8][8], b[2][8][8]; int t = threadIdx.x, x = t & 7, y = t >> 3; int m4 = gridDim.y * 8; float c[4][4] = {};
    a[0][y][x] = A[y * m4 + blockIdx.y * 8 + x]; b[0][y][x] = B[y * n4 + blockIdx.x * 8 + x]; __syncthreads();
    for (int p = 0; p < k4; ++p) {
        int w = p & 1; float4 na, nb; bool more = p + 1 < k4;
        if (more) { na = A[((p + 1) * 8 + y) * m4 + blockIdx.y * 8 + x]; nb = B[((p + 1) * 8 + y) * n4 + blockIdx.x * 8 + x]; }
        float4 fa = a[w][0][y], fb = b[w][0][x];
#pragma unroll UN
        for (int d = 0; d < 8; ++d) {
            float4 ga = fa, gb = fb; if (d < 7) { fa = a[w][d + 1][y]; fb = b[w][d + 1][x]; }
            c[0][0] += ga.x * gb.x; c[0][1] += ga.x * gb.y; c[0][2] += ga.x * gb.z; c[0][3] += ga.x * gb.w;
            c[1][0] += ga.y * gb.x; c[1][1] += ga.y * gb.y; c[1][2] += ga.y * gb.z; c[1][3] += ga.y * gb.w;
            c[2][0] += ga.z * gb.x; c[2][1] += ga.z * gb.y; c[2][2] += ga.z * gb.z; c[2][3] += ga.z * gb.w;
            c[3][0] += ga.w * gb.x; c[3][1] += ga.w * gb.y; c[3][2] += ga.w * gb.z; c[3][3] += ga.w * gb.w;
        }
        if (more) { a[w ^ 1][y][x] = na; b[w ^ 1][y][x] = nb; }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) C[((blockIdx.y * 8 + y) * 4 + i) * n4 + blockIdx.x * 8 + x] = make_float4(c[i][0], c[i][1], c[i][2], c[i][3]);
}
// float3 rows, AoS <-> SoA through shared, and 2-byte gathers in a swizzled tile
__global__ void s_aos(const float3* in, float* out, int n)
{
    __shared__ float s[3 * 128]; int b = blockIdx.x * 128, t = threadIdx.x; const float* f = reinterpret_cast<const float*>(in);
    for (int i = 0; i < 3; ++i) if (b * 3 + i * 128 + t < 3 * n) s[i * 128 + t] = f[b * 3 + i * 128 + t];
    __syncthreads();
    if (b + t < n) for (int i = 0; i < 3; ++i) out[i * n + b + t] = s[t * 3 + i];
}
// binary tensor cores and 4-bit is gone on sm_90: the xor/and popcount product by plain code
__global__ void b_gemm(const u32* A, const u32* B, int* C, int m, int n, int kw)
{
    extern __shared__ u32 sh[]; u32* b = sh; int c = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = threadIdx.x; e < kw; e += blockDim.x) b[e] = A[blockIdx.y * kw + e];
    __syncthreads();
    if (c < n) { int s = 0; for (int i = 0; i < kw; ++i) s += __popc(b[i] ^ B[i * n + c]); C[blockIdx.y * n + c] = kw * 32 - 2 * s; }
}
// binary mma
__global__ void b_mma(const u32* A, const u32* Bt, int* C, int n, int kw)
{
    int lane = threadIdx.x, R = blockIdx.y * 16, Q = blockIdx.x * 8, g = lane / 4, q = lane % 4, c[4] = {};
    for (int p = 0; p < kw; p += 8)
        asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(A[(R + g) * kw + p + q]), "r"(A[(R + g + 8) * kw + p + q]), "r"(A[(R + g) * kw + p + q + 4]), "r"(A[(R + g + 8) * kw + p + q + 4]), "r"(Bt[(Q + g) * kw + p + q]), "r"(Bt[(Q + g) * kw + p + q + 4]));
    for (int i = 0; i < 4; ++i) C[(R + g + i / 2 * 8) * n + Q + q * 2 + i % 2] = c[i];
}
