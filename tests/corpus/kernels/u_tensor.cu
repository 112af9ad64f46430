// Tensor cores, each by another hand.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
#define LDSM_X4(r0, r1, r2, r3, at) \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(at))
#define LDSM_X4_T(r0, r1, r2, r3, at) \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(at))
#define LDSM_X2(r0, r1, at) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(at))

// bf16, 64 x 64 x 32 tiles, four warps, both tiles turned by (row / 2) % 4, results through shared
// memory as bf16 rows. B is k x n.
extern "C" __global__ void __launch_bounds__(128) bf16_tiles(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int m, int n, int k)
{
    __shared__ __align__(128) __nv_bfloat16 sa[64 * 32];
    __shared__ __align__(128) __nv_bfloat16 sb[32 * 64];
    __shared__ __align__(16) __nv_bfloat16 sc[64 * 72];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const int wr = (warp >> 1) * 32, wc = (warp & 1) * 32;
    const int r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    float acc[2][4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 32) {
        for (int e = t; e < 256; e += 128) {
            const int r = e >> 2, q = e & 3;
            uint4 v = make_uint4(0, 0, 0, 0);
            if (r0 + r < m) v = *(const uint4*)(A + (size_t)(r0 + r) * k + k0 + q * 8);
            *(uint4*)(sa + r * 32 + ((q ^ (r >> 1 & 3)) << 3)) = v;
        }
        for (int e = t; e < 256; e += 128) {
            const int r = e >> 3, q = e & 7;
            uint4 v = make_uint4(0, 0, 0, 0);
            if (c0 + q * 8 < n) v = *(const uint4*)(B + (size_t)(k0 + r) * n + c0 + q * 8);
            *(uint4*)(sb + r * 64 + ((q ^ (r & 7)) << 3)) = v;
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            uint32_t a[2][4], b[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const int r = wr + i * 16 + (lane & 15), q = kk / 8 + (lane >> 4);
                LDSM_X4(a[i][0], a[i][1], a[i][2], a[i][3], smem(sa + r * 32 + ((q ^ (r >> 1 & 3)) << 3)));
            }
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                const int r = kk + (lane & 15), q = wc / 8 + j * 2 + (lane >> 4);
                LDSM_X4_T(b[2 * j][0], b[2 * j][1], b[2 * j + 1][0], b[2 * j + 1][1], smem(sb + r * 64 + ((q ^ (r & 7)) << 3)));
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) {
            const int r = wr + i * 16 + (lane >> 2), c = wc + j * 8 + (lane & 3) * 2;
            *(__nv_bfloat162*)(sc + r * 72 + c) = __floats2bfloat162_rn(acc[i][j][0], acc[i][j][1]);
            *(__nv_bfloat162*)(sc + (r + 8) * 72 + c) = __floats2bfloat162_rn(acc[i][j][2], acc[i][j][3]);
        }
    __syncthreads();
    for (int e = t; e < 64 * 8; e += 128) {
        const int r = e >> 3, q = e & 7;
        if (r0 + r < m && c0 + q * 8 < n) *(uint4*)(C + (size_t)(r0 + r) * n + c0 + q * 8) = *(const uint4*)(sc + r * 72 + q * 8);
    }
}

// half sums of m16n8k8, one warp, B kept column by column, pitch of the tiles in halves.
template <int PITCH>
__global__ void half_sums(const half* A, const half* Bt, half* C, int n, int k)
{
    __shared__ __align__(16) half a[16 * PITCH];
    __shared__ __align__(16) half b[24 * PITCH];
    const int lane = threadIdx.x;
    uint32_t c[3][2] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int e = lane; e < 16 * 2; e += 32) *(uint4*)(a + e / 2 * PITCH + e % 2 * 8) = *(const uint4*)(A + (blockIdx.y * 16 + e / 2) * k + k0 + e % 2 * 8);
        for (int e = lane; e < 24 * 2; e += 32) *(uint4*)(b + e / 2 * PITCH + e % 2 * 8) = *(const uint4*)(Bt + (blockIdx.x * 24 + e / 2) * k + k0 + e % 2 * 8);
        __syncwarp();
        for (int kk = 0; kk < 16; kk += 8) {
            uint32_t f[2], g[3];
            LDSM_X2(f[0], f[1], smem(a + (lane & 15) * PITCH + kk));
            for (int j = 0; j < 3; ++j) {
                asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(g[j]) : "r"(smem(b + (j * 8 + (lane & 7)) * PITCH + kk)));
                asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
                             : "+r"(c[j][0]), "+r"(c[j][1]) : "r"(f[0]), "r"(f[1]), "r"(g[j]));
            }
        }
        __syncwarp();
    }
    for (int j = 0; j < 3; ++j) {
        half* to = C + (blockIdx.y * 16 + lane / 4) * n + blockIdx.x * 24 + j * 8 + lane % 4 * 2;
        *(uint32_t*)to = c[j][0];
        *(uint32_t*)(to + 8 * n) = c[j][1];
    }
}

// wmma with tiles in shared memory at a pitch, two warps share B; the ragged edge leaves through a
// tile of floats.
template <int PITCH>
__global__ void ragged_wmma(const half* A, const half* B, float* C, int m, int n, int k)
{
    using namespace nvcuda;
    __shared__ __align__(32) half sa[32 * PITCH];
    __shared__ __align__(32) half sb[16 * PITCH];
    __shared__ __align__(32) float sc[2][16 * 20];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int r0 = blockIdx.y * 32, c0 = blockIdx.x * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.f);
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int e = threadIdx.x; e < 32 * 16; e += 64) {
            const int r = e / 16, q = e % 16;
            sa[r * PITCH + q] = r0 + r < m && k0 + q < k ? A[(r0 + r) * k + k0 + q] : __float2half(0.f);
            if (r < 16) sb[r * PITCH + q] = k0 + r < k && c0 + q < n ? B[(k0 + r) * n + c0 + q] : __float2half(0.f);
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, sa + warp * 16 * PITCH, PITCH);
        wmma::load_matrix_sync(fb, sb, PITCH);
        wmma::mma_sync(acc, fa, fb, acc);
        __syncthreads();
    }
    const int r = r0 + warp * 16;
    if (r + 16 <= m && c0 + 16 <= n && n % 4 == 0) {
        wmma::store_matrix_sync(C + r * n + c0, acc, n, wmma::mem_row_major);
    } else {
        wmma::store_matrix_sync(sc[warp], acc, 20, wmma::mem_row_major);
        __syncwarp();
        for (int e = lane; e < 256; e += 32)
            if (r + e / 16 < m && c0 + e % 16 < n) C[(r + e / 16) * n + c0 + e % 16] = sc[warp][e / 16 * 20 + e % 16];
    }
}

// Attention scores in one warp: Q K' by mma, softmax across four lanes, P V with the sums' registers
// as the next operand. 16 queries, keys in steps of 16, heads of 32.
extern "C" __global__ void scores_and_values(const half* q, const half* k, const half* v, float* out, int keys)
{
    __shared__ __align__(16) half sk[16 * 40];
    __shared__ __align__(16) half sv[16 * 40];
    const int lane = threadIdx.x;
    uint32_t fq[2][4];
    const half* q0 = q + (blockIdx.x * 16 + lane / 4) * 32 + lane % 4 * 2;
#pragma unroll
    for (int s = 0; s < 2; ++s) {
        fq[s][0] = *(const uint32_t*)(q0 + s * 16);
        fq[s][1] = *(const uint32_t*)(q0 + 8 * 32 + s * 16);
        fq[s][2] = *(const uint32_t*)(q0 + s * 16 + 8);
        fq[s][3] = *(const uint32_t*)(q0 + 8 * 32 + s * 16 + 8);
    }
    float o[4][4] = {}, most[2] = {-1e30f, -1e30f}, sum[2] = {0, 0};
    for (int at = 0; at < keys; at += 16) {
        for (int e = lane; e < 64; e += 32) {
            *(uint4*)(sk + e / 4 * 40 + e % 4 * 8) = *(const uint4*)(k + (at + e / 4) * 32 + e % 4 * 8);
            *(uint4*)(sv + e / 4 * 40 + e % 4 * 8) = *(const uint4*)(v + (at + e / 4) * 32 + e % 4 * 8);
        }
        __syncwarp();
        float s[2][4] = {};
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            uint32_t b[4];
            LDSM_X4(b[0], b[1], b[2], b[3], smem(sk + (j * 8 + lane % 8) * 40 + lane / 8 * 8));
#pragma unroll
            for (int h = 0; h < 2; ++h)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(s[j][0]), "+f"(s[j][1]), "+f"(s[j][2]), "+f"(s[j][3])
                             : "r"(fq[h][0]), "r"(fq[h][1]), "r"(fq[h][2]), "r"(fq[h][3]), "r"(b[2 * h]), "r"(b[2 * h + 1]));
        }
        uint32_t p[4];
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            float top = fmaxf(fmaxf(s[0][2 * h], s[0][2 * h + 1]), fmaxf(s[1][2 * h], s[1][2 * h + 1]));
            top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 1));
            top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 2));
            const float now = fmaxf(most[h], top), scale = __expf(most[h] - now);
            most[h] = now;
            sum[h] *= scale;
#pragma unroll
            for (int j = 0; j < 4; ++j) { o[j][2 * h] *= scale; o[j][2 * h + 1] *= scale; }
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                const float x = __expf(s[j][2 * h] - now), y = __expf(s[j][2 * h + 1] - now);
                sum[h] += x + y;
                const half2 two = __floats2half2_rn(x, y);
                p[j * 2 + h] = *(const uint32_t*)&two;
            }
        }
#pragma unroll
        for (int j = 0; j < 4; j += 2) {
            uint32_t b[4];
            LDSM_X4_T(b[0], b[1], b[2], b[3], smem(sv + lane % 16 * 40 + j * 8 + lane / 16 * 8));
#pragma unroll
            for (int h = 0; h < 2; ++h)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(o[j + h][0]), "+f"(o[j + h][1]), "+f"(o[j + h][2]), "+f"(o[j + h][3])
                             : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(b[2 * h]), "r"(b[2 * h + 1]));
        }
        __syncwarp();
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        sum[h] += __shfl_xor_sync(0xffffffff, sum[h], 1);
        sum[h] += __shfl_xor_sync(0xffffffff, sum[h], 2);
        for (int j = 0; j < 4; ++j)
            *(float2*)(out + (blockIdx.x * 16 + lane / 4 + 8 * h) * 32 + j * 8 + lane % 4 * 2) = make_float2(o[j][2 * h] / sum[h], o[j][2 * h + 1] / sum[h]);
    }
}
