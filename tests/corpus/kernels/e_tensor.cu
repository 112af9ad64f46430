// Matrix products on the tensor cores and with packed halves; copies through cp.async.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
#include <cuda_pipeline.h>
using namespace nvcuda;

__device__ constexpr bool is_col(wmma::col_major *) { return true; }
__device__ constexpr bool is_col(wmma::row_major *) { return false; }

// One warp, one 16x16 tile, straight from global memory.
template <typename T, typename LB>
__global__ void wmma_direct(const T *A, const T *B, float *C, int M, int N, int K)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    const int tilesN = N / 16;
    const int tm = warp / tilesN, tn = warp % tilesN;
    if (tm * 16 >= M) return;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, LB> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    const bool colB = is_col((LB *)nullptr);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(fa, A + tm * 16 * K + k, K);
        if (colB) wmma::load_matrix_sync(fb, B + tn * 16 * K + k, K);
        else wmma::load_matrix_sync(fb, B + k * N + tn * 16, N);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] = fc.x[i] * 0.5f + 1.0f;
    wmma::store_matrix_sync(C + tm * 16 * N + tn * 16, fc, N, wmma::mem_row_major);
}

// 8x32x16 and 32x8x16 with half accumulators through shared memory with a pad.
template <int WM, int WN, int PAD>
__global__ void wmma_shared_half(const __half *A, const __half *B, __half *C, int N, int K)
{
    constexpr int W = 4;
    __shared__ __align__(32) __half sa[WM * W][16 + PAD];
    __shared__ __align__(32) __half sb[16][WN + PAD];
    const int warp = threadIdx.y;
    const int lin = threadIdx.y * 32 + threadIdx.x;
    wmma::fragment<wmma::accumulator, WM, WN, 16, __half> acc;
    wmma::fill_fragment(acc, __float2half(0.f));
    for (int k = 0; k < K; k += 16) {
        for (int e = lin; e < WM * W * 8; e += 128) {
            int r = e >> 3, c = (e & 7) << 1;
            *(__half2 *)&sa[r][c] = *(const __half2 *)&A[(blockIdx.y * WM * W + r) * K + k + c];
        }
        for (int e = lin; e < 16 * WN; e += 128) sb[e / WN][e % WN] = B[(k + e / WN) * N + blockIdx.x * WN + e % WN];
        __syncthreads();
        wmma::fragment<wmma::matrix_a, WM, WN, 16, __half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, WM, WN, 16, __half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, &sa[warp * WM][0], 16 + PAD);
        wmma::load_matrix_sync(fb, &sb[0][0], WN + PAD);
        wmma::mma_sync(acc, fa, fb, acc);
        __syncthreads();
    }
    wmma::store_matrix_sync(C + (blockIdx.y * W + warp) * WM * N + blockIdx.x * WN, acc, N, wmma::mem_row_major);
}

// TF32, 16x16x8, with conversion of each element.
__global__ void wmma_tf32(const float *A, const float *B, float *C, int N, int K, int ldc)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
    const int m = blockIdx.y * blockDim.y + threadIdx.y, n = blockIdx.x;
    wmma::load_matrix_sync(c, C + m * 16 * ldc + n * 16, ldc, wmma::mem_row_major);
    for (int k = 0; k < K; k += 8) {
        wmma::load_matrix_sync(a, A + m * 16 * K + k, K);
        wmma::load_matrix_sync(b, B + n * 16 * K + k, K);
#pragma unroll
        for (int t = 0; t < a.num_elements; t++) a.x[t] = wmma::__float_to_tf32(a.x[t]);
#pragma unroll
        for (int t = 0; t < b.num_elements; t++) b.x[t] = wmma::__float_to_tf32(b.x[t]);
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(C + m * 16 * ldc + n * 16, c, ldc, wmma::mem_row_major);
}

__device__ __forceinline__ unsigned smem32(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// ldmatrix + mma.sync, XOR swizzle of 16-byte chunks, one stage. 64x64 tile, 4 warps of 32x32.
template <bool SWIZZLE>
__global__ void __launch_bounds__(128)
hgemm_mma(const __half *__restrict__ A, const __half *__restrict__ B, float *__restrict__ C, int M, int N, int K)
{
    __shared__ __align__(128) __half As[64 * 32];
    __shared__ __align__(128) __half Bs[32 * 64];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int wm = (warp >> 1) * 32, wn = (warp & 1) * 32;
    const int bm = blockIdx.y * 64, bn = blockIdx.x * 64;
    auto offA = [](int r, int c8) { return r * 32 + ((SWIZZLE ? (c8 ^ ((r >> 1) & 3)) : c8) << 3); };
    auto offB = [](int r, int c8) { return r * 64 + ((SWIZZLE ? (c8 ^ (r & 7)) : c8) << 3); };
    float acc[2][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
        for (int i = threadIdx.x; i < 256; i += 128) {
            int r = i >> 2, c = i & 3;
            uint4 v = make_uint4(0, 0, 0, 0);
            if (bm + r < M && k0 + c * 8 < K) v = *(const uint4 *)(A + (size_t)(bm + r) * K + k0 + c * 8);
            *(uint4 *)(As + offA(r, c)) = v;
            r = i >> 3, c = i & 7;
            v = make_uint4(0, 0, 0, 0);
            if (k0 + r < K && bn + c * 8 < N) v = *(const uint4 *)(B + (size_t)(k0 + r) * N + bn + c * 8);
            *(uint4 *)(Bs + offB(r, c)) = v;
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            unsigned a[2][4], b[4][2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                unsigned p = smem32(As + offA(wm + i * 16 + (lane & 15), (kk >> 3) + (lane >> 4)));
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3]) : "r"(p));
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                unsigned p = smem32(Bs + offB(kk + (lane & 15), (wn >> 3) + j));
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(b[j][0]), "=r"(b[j][1]) : "r"(p));
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
        }
        __syncthreads();
    }
    const int g = lane >> 2, t = (lane & 3) * 2;
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int r = bm + wm + i * 16 + g, c = bn + wn + j * 8 + t;
            if (c >= N) continue;
            if (r < M) *(float2 *)(C + (size_t)r * N + c) = make_float2(acc[i][j][0], acc[i][j][1]);
            if (r + 8 < M) *(float2 *)(C + (size_t)(r + 8) * N + c) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}

// int8 mma with ldmatrix on a padded tile; one warp owns 16 x 24.
__global__ void imma_s8(const signed char *A, const signed char *Bt, int *C, int N, int K)
{
    __shared__ __align__(16) signed char sa[16][32 + 16];
    __shared__ __align__(16) signed char sb[24][32 + 16];
    const int lane = threadIdx.x;
    int acc[3][4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
        *(int4 *)&sa[lane >> 1][(lane & 1) * 16] = *(const int4 *)&A[(blockIdx.y * 16 + (lane >> 1)) * K + k0 + (lane & 1) * 16];
        for (int e = lane; e < 48; e += 32) *(int4 *)&sb[e >> 1][(e & 1) * 16] = *(const int4 *)&Bt[(blockIdx.x * 24 + (e >> 1)) * K + k0 + (e & 1) * 16];
        __syncwarp();
        unsigned a0, a1, a2, a3;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3) : "r"(smem32(&sa[lane & 15][(lane >> 4) * 16])));
#pragma unroll
        for (int j = 0; j < 3; j++) {
            unsigned b0, b1;
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(b0), "=r"(b1) : "r"(smem32(&sb[j * 8 + (lane & 7)][((lane >> 3) & 1) * 16])));
            asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                         : "+r"(acc[j][0]), "+r"(acc[j][1]), "+r"(acc[j][2]), "+r"(acc[j][3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
        }
        __syncwarp();
    }
    for (int j = 0; j < 3; j++)
        for (int e = 0; e < 4; e++)
            C[(blockIdx.y * 16 + (lane >> 2) + (e >> 1) * 8) * N + blockIdx.x * 24 + j * 8 + (lane & 3) * 2 + (e & 1)] = acc[j][e];
}

// cp.async ring of STAGES with ragged K: 4-byte copies with zero fill on the edge.
template <int STAGES, int BK>
__global__ void sgemm_ring(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int M, int N, int K)
{
    extern __shared__ __align__(16) float ring[];
    float *sa = ring;                          // [STAGES][32][BK]
    float *sb = ring + STAGES * 32 * BK;       // [STAGES][BK][32]
    const int tid = threadIdx.x, tx = tid & 15, ty = tid >> 4; // 128 threads, each 4 x 2
    const int bm = blockIdx.y * 32, bn = blockIdx.x * 32;
    const int tiles = (K + BK - 1) / BK;
    auto load = [&](int t) {
        if (t < tiles) {
            const int s = t % STAGES;
            for (int e = tid; e < 32 * BK; e += 128) {
                int r = e / BK, c = t * BK + e % BK;
                bool ok = bm + r < M && c < K;
                const float *src = ok ? A + (bm + r) * K + c : A;
                unsigned n = ok ? 4 : 0;
                asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(smem32(sa + s * 32 * BK + e)), "l"(src), "r"(n));
            }
            for (int e = tid; e < 32 * BK; e += 128) {
                int r = t * BK + e / 32, c = bn + e % 32;
                bool ok = r < K && c < N;
                __pipeline_memcpy_async(sb + s * 32 * BK + e, ok ? B + r * N + c : B, 4, ok ? 0 : 4);
            }
        }
        asm volatile("cp.async.commit_group;");
    };
    float acc[4][2] = {};
    for (int p = 0; p < STAGES - 1; p++) load(p);
    for (int t = 0; t < tiles; t++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        load(t + STAGES - 1);
        const float *pa = sa + (t % STAGES) * 32 * BK, *pb = sb + (t % STAGES) * 32 * BK;
#pragma unroll 4
        for (int k = 0; k < BK; k++) {
            float b0 = pb[k * 32 + tx], b1 = pb[k * 32 + tx + 16];
            for (int i = 0; i < 4; i++) {
                float a = pa[(ty * 4 + i) * BK + k];
                acc[i][0] += a * b0;
                acc[i][1] += a * b1;
            }
        }
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            if (bm + ty * 4 + i < M && bn + tx + j * 16 < N) C[(bm + ty * 4 + i) * N + bn + tx + j * 16] = acc[i][j];
}

// 16-byte cp.async.cg, bf16, ldmatrix, three stages; K a multiple of 8 only.
template <int STAGES>
__global__ void __launch_bounds__(64, 4)
bgemm_ring16(const __nv_bfloat16 *A, const __nv_bfloat16 *Bt, __nv_bfloat16 *C, int M, int N, int K)
{
    __shared__ __align__(16) __nv_bfloat16 sa[STAGES][32][40], sb[STAGES][16][40];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    const int bm = blockIdx.x * 32, bn = blockIdx.y * 16;
    const int nk = (K + 31) >> 5;
    auto stage = [&](int t, int s) {
        for (int e = threadIdx.x; e < 48 * 4; e += 64) {
            const int r = e >> 2, k = t * 32 + (e & 3) * 8;
            const bool isA = r < 32;
            const int row = isA ? bm + r : bn + r - 32;
            const bool ok = row < (isA ? M : N) && k < K;
            const __nv_bfloat16 *src = (isA ? A : Bt) + (ok ? (size_t)row * K + k : 0);
            void *dst = isA ? (void *)&sa[s][r][(e & 3) * 8] : (void *)&sb[s][r - 32][(e & 3) * 8];
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(smem32(dst)), "l"(src), "r"(ok ? 16 : 0) : "memory");
        }
    };
    float d[2][4] = {};
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < nk) stage(s, s);
        __pipeline_commit();
    }
    int rd = 0, wr = STAGES - 1;
    for (int t = 0; t < nk; t++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        if (t + STAGES - 1 < nk) stage(t + STAGES - 1, wr);
        __pipeline_commit();
        for (int kk = 0; kk < 32; kk += 16) {
            unsigned a[4], b[4];
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(smem32(&sa[rd][w * 16 + (lane & 15)][kk + (lane >> 4) * 8])));
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3]) : "r"(smem32(&sb[rd][(lane & 7) + ((lane >> 4) << 3)][kk + ((lane >> 3) & 1) * 8])));
            for (int j = 0; j < 2; j++)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[2 * j]), "r"(b[2 * j + 1]));
        }
        rd = rd + 1 == STAGES ? 0 : rd + 1;
        wr = wr + 1 == STAGES ? 0 : wr + 1;
    }
    for (int j = 0; j < 2; j++)
        for (int h = 0; h < 2; h++) {
            int r = bm + w * 16 + (lane >> 2) + h * 8, c = bn + j * 8 + (lane & 3) * 2;
            if (r >= M) continue;
            if (c + 1 < N && (N & 1) == 0) *(__nv_bfloat162 *)&C[r * N + c] = __floats2bfloat162_rn(d[j][2 * h], d[j][2 * h + 1]);
            else for (int q = 0; q < 2; q++) if (c + q < N) C[r * N + c + q] = __float2bfloat16(d[j][2 * h + q]);
        }
}

// half2: two columns per thread, hfma2.
__global__ void hgemm_h2(const __half *A, const __half2 *B, __half2 *C, int M, int N2, int K)
{
    __shared__ __half a[8][34];
    __shared__ __half2 b[32][33];
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    __half2 acc = __float2half2_rn(0.f);
    for (int k = 0; k < K; k += 32) {
        a[threadIdx.y][threadIdx.x] = row < M && k + threadIdx.x < K ? A[row * K + k + threadIdx.x] : __half(0.f);
        for (int r = threadIdx.y; r < 32; r += 8) b[r][threadIdx.x] = k + r < K && col < N2 ? B[(k + r) * N2 + col] : __half2(0.f, 0.f);
        __syncthreads();
#pragma unroll 8
        for (int i = 0; i < 32; i++) acc = __hfma2(__half2half2(a[threadIdx.y][i]), b[i][threadIdx.x], acc);
        __syncthreads();
    }
    if (row < M && col < N2) C[row * N2 + col] = __hmax2(acc, __float2half2_rn(-1.f));
}
