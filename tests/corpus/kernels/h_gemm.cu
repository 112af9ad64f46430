#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
// Products of matrices in less usual shapes of work.

// 8 x 4 results a thread, both operands read from shared memory as float2. M, N % 64 == 0, K % 16 == 0.
extern "C" __global__ void coarse_8x4_f2(const float* __restrict__ A, const float* __restrict__ B, float* C, int M, int N, int K)
{
    __shared__ float As[16][66];
    __shared__ float Bs[16][64];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;  // 16 x 8 threads
    float acc[8][4] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
        for (int i = threadIdx.x; i < 64 * 8; i += 128) {
            const int r = i / 8, c = i % 8 * 2;
            const float2 v = *(const float2*)&A[(blockIdx.y * 64 + r) * K + k0 + c];
            As[c][r] = v.x;
            As[c + 1][r] = v.y;
        }
        for (int i = threadIdx.x; i < 16 * 32; i += 128)
            *(float2*)&Bs[i / 32][i % 32 * 2] = *(const float2*)&B[(k0 + i / 32) * N + blockIdx.x * 64 + i % 32 * 2];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 16; ++k) {
            float2 a[4], b[2];
#pragma unroll
            for (int i = 0; i < 4; ++i) a[i] = *(const float2*)&As[k][ty * 8 + 2 * i];
            b[0] = *(const float2*)&Bs[k][tx * 2];
            b[1] = *(const float2*)&Bs[k][32 + tx * 2];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                acc[2 * i][0] += a[i].x * b[0].x; acc[2 * i][1] += a[i].x * b[0].y;
                acc[2 * i][2] += a[i].x * b[1].x; acc[2 * i][3] += a[i].x * b[1].y;
                acc[2 * i + 1][0] += a[i].y * b[0].x; acc[2 * i + 1][1] += a[i].y * b[0].y;
                acc[2 * i + 1][2] += a[i].y * b[1].x; acc[2 * i + 1][3] += a[i].y * b[1].y;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i) {
        float* row = C + (blockIdx.y * 64 + ty * 8 + i) * N + blockIdx.x * 64 + tx * 2;
        *(float2*)row = make_float2(acc[i][0], acc[i][1]);
        *(float2*)(row + 32) = make_float2(acc[i][2], acc[i][3]);
    }
}

// Each slice of K adds to C; edges guarded.
extern "C" __global__ void split_k_adding(const float* A, const float* B, float* C, int M, int N, int K, int slice)
{
    __shared__ float a[16][17], b[16][16];
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    const int begin = blockIdx.z * slice, end = min(K, begin + slice);
    float sum = 0;
    for (int k = begin; k < end; k += 16) {
        a[threadIdx.x][threadIdx.y] = row < M && k + threadIdx.x < end ? A[row * K + k + threadIdx.x] : 0.f;
        b[threadIdx.y][threadIdx.x] = col < N && k + threadIdx.y < end ? B[(k + threadIdx.y) * N + col] : 0.f;
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; ++j) sum = fmaf(a[j][threadIdx.y], b[j][threadIdx.x], sum);
        __syncthreads();
    }
    if (row < M && col < N) atomicAdd(&C[row * N + col], sum);
}

// Blocks share all (tile, slice of K) units evenly: a tile's partial results meet by adding.
extern "C" __global__ void stream_k(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K)
{
    __shared__ float4 a[32][2];
    __shared__ float b[8][36];
    const int slices = K / 8, tiles = (M / 32) * (N / 32);
    const int units = slices * tiles, per = (units + gridDim.x - 1) / gridDim.x;
    int unit = blockIdx.x * per;
    const int last = min(units, unit + per);
    const int t = threadIdx.x, r = t / 8, c = t % 8 * 4;  // 256 threads
    while (unit < last) {
        const int tile = unit / slices, first = unit % slices, count = min(slices - first, last - unit);
        const int m0 = tile / (N / 32) * 32, n0 = tile % (N / 32) * 32;
        float acc[4] = {0, 0, 0, 0};
        for (int s = first; s < first + count; ++s) {
            if (t < 64) a[t / 2][t % 2] = *(const float4*)&A[(m0 + t / 2) * K + s * 8 + t % 2 * 4];
            else if (t < 128) *(float4*)&b[(t - 64) / 8][(t - 64) % 8 * 4] = *(const float4*)&B[(s * 8 + (t - 64) / 8) * N + n0 + (t - 64) % 8 * 4];
            __syncthreads();
            for (int k = 0; k < 8; ++k) {
                const float x = ((const float*)a[r])[k];
                const float4 y = *(const float4*)&b[k][c];
                acc[0] += x * y.x; acc[1] += x * y.y; acc[2] += x * y.z; acc[3] += x * y.w;
            }
            __syncthreads();
        }
        float* out = &C[(m0 + r) * N + n0 + c];
        if (count == slices) *(float4*)out = make_float4(acc[0], acc[1], acc[2], acc[3]);
        else for (int i = 0; i < 4; ++i) atomicAdd(out + i, acc[i]);
        unit += count;
    }
}

extern "C" __global__ void half2_product(const __half* A, const __half2* B, __half2* C, int N2, int K)
{
    __shared__ __half2 bs[32][33];
    __shared__ __half as[8][40];
    const int tx = threadIdx.x, ty = threadIdx.y;  // 32 x 8
    __half2 acc = __float2half2_rn(0.f);
    for (int k = 0; k < K; k += 32) {
        as[ty][tx] = A[(blockIdx.y * 8 + ty) * K + k + tx];
        for (int j = ty; j < 32; j += 8) bs[j][tx] = B[(k + j) * N2 + blockIdx.x * 32 + tx];
        __syncthreads();
        for (int j = 0; j < 32; ++j) acc = __hfma2(__half2half2(as[ty][j]), bs[j][tx], acc);
        __syncthreads();
    }
    C[(blockIdx.y * 8 + ty) * N2 + blockIdx.x * 32 + tx] = acc;
}

// A rows of K bytes, B by columns of K bytes; 4 products an instruction.
extern "C" __global__ void dp4a_product(const int* A, const int* B, int* C, int N, int K4)
{
    __shared__ int as[32][9], bs[32][9];
    const int t = threadIdx.x, r = t / 16 * 2, c = t % 16;  // 256 threads, 2 x 2 results each
    int acc[2][2] = {};
    for (int k = 0; k < K4; k += 8) {
        as[t / 8][t % 8] = A[(blockIdx.y * 32 + t / 8) * K4 + k + t % 8];
        bs[t / 8][t % 8] = B[(blockIdx.x * 32 + t / 8) * K4 + k + t % 8];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int a0 = as[r][j], a1 = as[r + 1][j], b0 = bs[c][j], b1 = bs[c + 16][j];
            acc[0][0] = __dp4a(a0, b0, acc[0][0]); acc[0][1] = __dp4a(a0, b1, acc[0][1]);
            acc[1][0] = __dp4a(a1, b0, acc[1][0]); acc[1][1] = __dp4a(a1, b1, acc[1][1]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) C[(blockIdx.y * 32 + r + i) * N + blockIdx.x * 32 + c + 16 * j] = acc[i][j];
}

extern "C" __global__ void dgemm_2x2(const double* __restrict__ A, const double* __restrict__ B, double* C, int N, int K, double alpha, double beta)
{
    __shared__ double as[32][9];
    __shared__ double2 bs[8][16];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;  // 16 x 16
    double c00 = 0, c01 = 0, c10 = 0, c11 = 0;
    for (int k = 0; k < K; k += 8) {
        as[t / 8][t % 8] = A[(blockIdx.y * 32 + t / 8) * K + k + t % 8];
        if (t < 128) bs[t / 16][t % 16] = *(const double2*)&B[(k + t / 16) * N + blockIdx.x * 32 + t % 16 * 2];
        __syncthreads();
        for (int j = 0; j < 8; ++j) {
            const double2 b = bs[j][tx];
            const double a0 = as[ty][j], a1 = as[ty + 16][j];
            c00 += a0 * b.x; c01 += a0 * b.y; c10 += a1 * b.x; c11 += a1 * b.y;
        }
        __syncthreads();
    }
    double2* p = (double2*)&C[(blockIdx.y * 32 + ty) * N + blockIdx.x * 32 + tx * 2];
    double2* q = (double2*)&C[(blockIdx.y * 32 + ty + 16) * N + blockIdx.x * 32 + tx * 2];
    double2 o = *p, u = *q;
    *p = make_double2(alpha * c00 + beta * o.x, alpha * c01 + beta * o.y);
    *q = make_double2(alpha * c10 + beta * u.x, alpha * c11 + beta * u.y);
}

__device__ inline unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ inline void copy16(void* to, const void* from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(to)), "l"(from) : "memory"); }

// 64 x 64 tile, 4 warps 2 x 2, a ring of STAGES slices of 32, chunks of 16 bytes exclusive-ored by row.
#ifndef STAGES
#define STAGES 3
#endif
extern "C" __global__ void __launch_bounds__(128) multistage_f16(const __half* __restrict__ A, const __half* __restrict__ B, float* C, int N, int K)
{
    extern __shared__ uint4 ring[];  // STAGES x (64 x 4 + 32 x 8) chunks
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, wm = warp / 2 * 32, wn = warp % 2 * 32;
    const __half* a = A + (long)blockIdx.y * 64 * K;
    const __half* b = B + blockIdx.x * 64;
    float acc[2][4][4] = {};
    auto fetch = [&](int s) {
        uint4* to = ring + s % STAGES * 512;
        for (int i = t; i < 256; i += 128) {
            const int r = i / 4, c = i % 4;
            copy16(to + r * 4 + (c ^ (r / 2 % 4)), a + r * K + s * 32 + c * 8);
        }
        for (int i = t; i < 256; i += 128) {
            const int r = i / 8, c = i % 8;
            copy16(to + 256 + r * 8 + (c ^ (r % 8)), b + (long)(s * 32 + r) * N + c * 8);
        }
    };
    const int steps = K / 32;
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < steps) fetch(s);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int s = 0; s < steps; ++s) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        if (s + STAGES - 1 < steps) fetch(s + STAGES - 1);
        asm volatile("cp.async.commit_group;" ::: "memory");
        const uint4* as = ring + s % STAGES * 512;
        const uint4* bs = as + 256;
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            unsigned af[2][4], bf[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const int r = wm + i * 16 + lane % 16, c = k * 2 + lane / 16;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(af[i][0]), "=r"(af[i][1]), "=r"(af[i][2]), "=r"(af[i][3]) : "r"(at(as + r * 4 + (c ^ (r / 2 % 4)))) : "memory");
            }
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                const int r = k * 16 + lane % 16, c = (wn + j * 16) / 8 + lane / 16;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(bf[2 * j][0]), "=r"(bf[2 * j][1]), "=r"(bf[2 * j + 1][0]), "=r"(bf[2 * j + 1][1]) : "r"(at(bs + r * 8 + (c ^ (r % 8)))) : "memory");
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3]) : "r"(af[i][0]), "r"(af[i][1]), "r"(af[i][2]), "r"(af[i][3]), "r"(bf[j][0]), "r"(bf[j][1]));
        }
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) {
            float* out = C + (blockIdx.y * 64 + wm + i * 16 + lane / 4) * N + blockIdx.x * 64 + wn + j * 8 + lane % 4 * 2;
            *(float2*)out = make_float2(acc[i][j][0], acc[i][j][1]);
            *(float2*)(out + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}

// One warp a 16 x 16 tile, tf32, fragments straight from padded shared memory.
extern "C" __global__ void tf32_fragments(const float* A, const float* B, float* C, int N, int K)
{
    __shared__ unsigned as[16][PAD_A], bs[8][PAD_B];
    const int lane = threadIdx.x, g = lane / 4, q = lane % 4;
    float acc[2][4] = {};
    for (int k = 0; k < K; k += 8) {
        for (int i = lane; i < 128; i += 32) {
            unsigned u, v;
            asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(u) : "f"(A[(blockIdx.y * 16 + i / 8) * K + k + i % 8]));
            asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(v) : "f"(B[(k + i / 16) * N + blockIdx.x * 16 + i % 16]));
            as[i / 8][i % 8] = u;
            bs[i / 16][i % 16] = v;
        }
        __syncwarp();
        const unsigned a0 = as[g][q], a1 = as[g + 8][q], a2 = as[g][q + 4], a3 = as[g + 8][q + 4];
        for (int j = 0; j < 2; ++j)
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(bs[q][j * 8 + g]), "r"(bs[q + 4][j * 8 + g]));
        __syncwarp();
    }
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 4; ++i) C[(blockIdx.y * 16 + g + i / 2 * 8) * N + blockIdx.x * 16 + j * 8 + q * 2 + i % 2] = acc[j][i];
}

// int8 m16n8k32, A by ldmatrix, B kept by columns.
extern "C" __global__ void s8_k32(const int4* A, const int4* B, int* C, int N, int K16)
{
    __shared__ int4 as[2][16][2], bs[2][8][3];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;  // 2 warps, each its own 16 rows and 8 columns
    const int m0 = blockIdx.y * 32 + warp * 16, n0 = blockIdx.x * 8;
    int acc[4] = {};
    for (int k = 0; k < K16; k += 2) {
        as[warp][lane / 2][lane % 2] = A[(m0 + lane / 2) * K16 + k + lane % 2];
        if (lane < 16) bs[warp][lane / 2][lane % 2] = B[(n0 + lane / 2) * K16 + k + lane % 2];
        __syncwarp();
        unsigned a[4], b[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(at(&as[warp][lane % 16][lane / 16])) : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(b[0]), "=r"(b[1]) : "r"(at(&bs[warp][lane % 8][lane / 8 % 2])) : "memory");
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(acc[0]), "+r"(acc[1]), "+r"(acc[2]), "+r"(acc[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        __syncwarp();
    }
    int* out = C + (m0 + lane / 4) * N + n0 + lane % 4 * 2;
    *(int2*)out = make_int2(acc[0], acc[1]);
    *(int2*)(out + 8 * N) = make_int2(acc[2], acc[3]);
}

// wmma over shared tiles of pitch LD halves; the result leaves through shared memory.
extern "C" __global__ void wmma_pitched(const __half* A, const __half* B, __half* C, int N, int K)
{
    __shared__ __align__(32) __half as[32][LD], bs[16][LD];
    __shared__ __align__(32) float cs[32][LC];
    const int t = threadIdx.x, warp = t / 32;  // 4 warps, 32 x 32
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.f);
    for (int k = 0; k < K; k += 16) {
        *(uint2*)&as[t / 4][t % 4 * 4] = *(const uint2*)&A[(blockIdx.y * 32 + t / 4) * K + k + t % 4 * 4];
        *(uint2*)&bs[t / 8][t % 8 * 4] = *(const uint2*)&B[(k + t / 8) * N + blockIdx.x * 32 + t % 8 * 4];
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
        wmma::load_matrix_sync(a, &as[warp / 2 * 16][0], LD);
        wmma::load_matrix_sync(b, &bs[0][warp % 2 * 16], LD);
        wmma::mma_sync(c, a, b, c);
        __syncthreads();
    }
    wmma::store_matrix_sync(&cs[warp / 2 * 16][warp % 2 * 16], c, LC, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 512; i += 128) {
        const float2 v = *(const float2*)&cs[i / 16][i % 16 * 2];
        *(__half2*)&C[(blockIdx.y * 32 + i / 16) * N + blockIdx.x * 32 + i % 16 * 2] = __floats2half2_rn(v.x, v.y);
    }
}

// bf16 m16n8k8 from column-major A in shared memory: .trans on A.
extern "C" __global__ void bf16_k8_trans(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C, int M, int N, int K)
{
    __shared__ __align__(16) __nv_bfloat16 as[8][24], bs[8][16];
    const int lane = threadIdx.x;
    float acc[4] = {};
    for (int k = 0; k < K; k += 8) {
        for (int i = lane; i < 16; i += 32) *(uint4*)&as[i / 2][i % 2 * 8] = *(const uint4*)&A[(k + i / 2) * M + blockIdx.y * 16 + i % 2 * 8];
        if (lane >= 16 && lane < 24) *(uint4*)&bs[lane - 16][0] = *(const uint4*)&B[(k + lane - 16) * N + blockIdx.x * 8];
        __syncwarp();
        unsigned a0, a1, b0;
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(a0), "=r"(a1) : "r"(at(&as[lane % 8][lane / 8 % 2 * 8])) : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(b0) : "r"(at(&bs[lane % 8][0])) : "memory");
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]) : "r"(a0), "r"(a1), "r"(b0));
        __syncwarp();
    }
    for (int i = 0; i < 4; ++i) C[(blockIdx.y * 16 + lane / 4 + i / 2 * 8) * N + blockIdx.x * 8 + lane % 4 * 2 + i % 2] = acc[i];
}

extern "C" __global__ void dmma_tiles(const double* A, const double* B, double* C, int N, int K)
{
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> c;
    wmma::load_matrix_sync(c, C + blockIdx.y * 8 * N + blockIdx.x * 8, N, wmma::mem_row_major);
    for (int k = 0; k < K; k += 4) {
        wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> b;
        wmma::load_matrix_sync(a, A + blockIdx.y * 8 * K + k, K);
        wmma::load_matrix_sync(b, B + blockIdx.x * 8 * K + k, K);
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(C + blockIdx.y * 8 * N + blockIdx.x * 8, c, N, wmma::mem_row_major);
}
