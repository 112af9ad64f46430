// Products on tensor cores, packed bytes, half2 arithmetic and asynchronous copies.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdint>

using namespace nvcuda;

// one warp per 16x16 tile, operands straight from global memory
extern "C" __global__ void wmma_simple(const half *a, const half *b, float *c, int M, int N, int K,
                                       float alpha, float beta) {
    int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int warpN = (blockIdx.y * blockDim.y + threadIdx.y);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::col_major> a_frag;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b_frag;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc_frag;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c_frag;
    wmma::fill_fragment(acc_frag, 0.0f);
    for (int i = 0; i < K; i += 16) {
        int aRow = warpM * 16, bCol = warpN * 16;
        if (aRow < M && bCol < N) {
            wmma::load_matrix_sync(a_frag, a + aRow + i * M, M);
            wmma::load_matrix_sync(b_frag, b + i + bCol * K, K);
            wmma::mma_sync(acc_frag, a_frag, b_frag, acc_frag);
        }
    }
    int cRow = warpM * 16, cCol = warpN * 16;
    if (cRow < M && cCol < N) {
        wmma::load_matrix_sync(c_frag, c + cRow + cCol * M, M, wmma::mem_col_major);
        for (int i = 0; i < c_frag.num_elements; i++) c_frag.x[i] = alpha * acc_frag.x[i] + beta * c_frag.x[i];
        wmma::store_matrix_sync(c + cRow + cCol * M, c_frag, M, wmma::mem_col_major);
    }
}

// bf16 through shared memory, four warps, 2x2 fragments each; edges are zero filled
template <int PAD>
__global__ void __launch_bounds__(128)
    wmma_bf16_shared(const __nv_bfloat16 *__restrict__ A, const __nv_bfloat16 *__restrict__ B,
                     float *__restrict__ C, int M, int N, int K) {
    constexpr int BM = 64, BN = 64, BK = 16;
    __shared__ __align__(32) __nv_bfloat16 sa[BM][BK + PAD];
    __shared__ __align__(32) __nv_bfloat16 sb[BK][BN + PAD];
    __shared__ __align__(32) float sc[BM][BN + 4];
    const int warp = threadIdx.x / 32;
    const int wm = (warp >> 1) * 32, wn = (warp & 1) * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.f);
    const __nv_bfloat16 zero = __float2bfloat16(0.f);
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = threadIdx.x; e < BM * BK; e += 128) {
            int r = e / BK, c = e % BK;
            int gr = blockIdx.y * BM + r, gc = k0 + c;
            sa[r][c] = gr < M && gc < K ? A[gr * K + gc] : zero;
        }
        for (int e = threadIdx.x; e < BK * BN; e += 128) {
            int r = e / BN, c = e % BN;
            int gr = k0 + r, gc = blockIdx.x * BN + c;
            sb[r][c] = gr < K && gc < N ? B[gr * N + gc] : zero;
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb[2];
        for (int i = 0; i < 2; i++) wmma::load_matrix_sync(fa[i], &sa[wm + i * 16][0], BK + PAD);
        for (int j = 0; j < 2; j++) wmma::load_matrix_sync(fb[j], &sb[0][wn + j * 16], BN + PAD);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(&sc[wm + i * 16][wn + j * 16], acc[i][j], BN + 4, wmma::mem_row_major);
    __syncthreads();
    for (int e = threadIdx.x; e < BM * BN; e += 128) {
        int r = blockIdx.y * BM + e / BN, c = blockIdx.x * BN + e % BN;
        if (r < M && c < N) C[r * N + c] = sc[e / BN][e % BN];
    }
}

// tf32, one warp per block, two tiles side by side
extern "C" __global__ void wmma_tf32_pair(const float *A, const float *B, float *C, int N, int K) {
    using namespace wmma;
    fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> fa;
    fragment<matrix_b, 16, 16, 8, precision::tf32, row_major> fb;
    fragment<accumulator, 16, 16, 8, float> c0, c1;
    fill_fragment(c0, 0.f);
    fill_fragment(c1, 0.f);
    const float *pa = A + blockIdx.y * 16 * K;
    const float *pb = B + blockIdx.x * 32;
    for (int k = 0; k < K; k += 8, pa += 8, pb += 8 * N) {
        load_matrix_sync(fa, pa, K);
#pragma unroll
        for (int t = 0; t < fa.num_elements; t++) fa.x[t] = __float_to_tf32(fa.x[t]);
        load_matrix_sync(fb, pb, N);
#pragma unroll
        for (int t = 0; t < fb.num_elements; t++) fb.x[t] = __float_to_tf32(fb.x[t]);
        mma_sync(c0, fa, fb, c0);
        load_matrix_sync(fb, pb + 16, N);
#pragma unroll
        for (int t = 0; t < fb.num_elements; t++) fb.x[t] = __float_to_tf32(fb.x[t]);
        mma_sync(c1, fa, fb, c1);
    }
    float *out = C + blockIdx.y * 16 * N + blockIdx.x * 32;
    store_matrix_sync(out, c0, N, mem_row_major);
    store_matrix_sync(out + 16, c1, N, mem_row_major);
}

#define LDMATRIX_X4(R0, R1, R2, R3, addr)                                                \
    asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"    \
                 : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3)                                \
                 : "r"(addr))
#define LDMATRIX_X2_T(R0, R1, addr)                                                      \
    asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];\n"      \
                 : "=r"(R0), "=r"(R1)                                                    \
                 : "r"(addr))
#define HMMA16816F32(D, RA, RB)                                                                   \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "           \
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"                                \
                 : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3])                                 \
                 : "r"(RA[0]), "r"(RA[1]), "r"(RA[2]), "r"(RA[3]), "r"(RB[0]), "r"(RB[1]))

__device__ __forceinline__ int swizzle_chunk(int row, int chunk, int mask) { return chunk ^ (row & mask); }

// ldmatrix and mma.sync over xor-swizzled tiles filled by cp.async; M, N multiples of 64, K of 32
template <int STAGES>
__global__ void __launch_bounds__(128) hgemm_mma_swizzled(const half *A, const half *B, half *C, int M, int N, int K) {
    constexpr int BM = 64, BN = 64, BK = 64;
    extern __shared__ __align__(128) half tiles[];
    half *sA = tiles;                      // STAGES x BM x BK
    half *sB = tiles + STAGES * BM * BK;   // STAGES x BK x BN
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int wm = (warp & 1) * 32, wn = (warp >> 1) * 32;
    const half *gA = A + (size_t)blockIdx.y * BM * K;
    const half *gB = B + blockIdx.x * BN;
    float acc[2][4][4] = {};

    auto load = [&](int stage, int k0) {
#pragma unroll
        for (int it = 0; it < BM * BK / 8 / 128; ++it) {
            int e = it * 128 + tid, r = e >> 3, c = e & 7;
            __pipeline_memcpy_async(&sA[(stage * BM + r) * BK + swizzle_chunk(r, c, 7) * 8], &gA[r * K + k0 + c * 8], 16);
            __pipeline_memcpy_async(&sB[(stage * BK + r) * BN + swizzle_chunk(r, c, 7) * 8], &gB[(k0 + r) * N + c * 8], 16);
        }
    };

    const int steps = K / BK;
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < steps) load(s, s * BK);
        __pipeline_commit();
    }
    for (int step = 0; step < steps; ++step) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        int ahead = step + STAGES - 1;
        if (ahead < steps) load(ahead % STAGES, ahead * BK);
        __pipeline_commit();
        const half *a = sA + (step % STAGES) * BM * BK;
        const half *b = sB + (step % STAGES) * BK * BN;
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            uint32_t ra[2][4], rb[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                int r = wm + i * 16 + (lane & 15), c = (kk >> 3) + (lane >> 4);
                uint32_t addr = (uint32_t)__cvta_generic_to_shared(a + r * BK + swizzle_chunk(r, c, 7) * 8);
                LDMATRIX_X4(ra[i][0], ra[i][1], ra[i][2], ra[i][3], addr);
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                int r = kk + (lane & 15), c = (wn >> 3) + j;
                uint32_t addr = (uint32_t)__cvta_generic_to_shared(b + r * BN + swizzle_chunk(r, c, 7) * 8);
                LDMATRIX_X2_T(rb[j][0], rb[j][1], addr);
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) HMMA16816F32(acc[i][j], ra[i], rb[j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            int r = blockIdx.y * BM + wm + i * 16 + (lane >> 2);
            int c = blockIdx.x * BN + wn + j * 8 + (lane & 3) * 2;
            *reinterpret_cast<half2 *>(&C[r * N + c]) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
            *reinterpret_cast<half2 *>(&C[(r + 8) * N + c]) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
        }
}

// fragments gathered by hand from padded shared memory: 8 bytes wide bf16 m16n8k8
extern "C" __global__ void bf16_m16n8k8_by_hand(const __nv_bfloat16 *A, const __nv_bfloat16 *Bt, float *D, int K) {
    __shared__ uint32_t sa[16][5], sb[8][5];
    const int lane = threadIdx.x, g = lane >> 2, t = lane & 3;
    const uint32_t *a32 = reinterpret_cast<const uint32_t *>(A) + blockIdx.y * 16 * (K / 2);
    const uint32_t *b32 = reinterpret_cast<const uint32_t *>(Bt) + blockIdx.x * 8 * (K / 2);
    float d[4] = {0.f, 0.f, 0.f, 0.f};
    for (int k = 0; k < K / 2; k += 4) {
        sa[g][t] = a32[g * (K / 2) + k + t];
        sa[g + 8][t] = a32[(g + 8) * (K / 2) + k + t];
        sb[g][t] = b32[g * (K / 2) + k + t];
        __syncwarp();
        uint32_t a0 = sa[g][t], a1 = sa[g + 8][t], b0 = sb[g][t];
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a0), "r"(a1), "r"(b0));
        __syncwarp();
    }
    float *out = D + (blockIdx.y * 16) * (gridDim.x * 8) + blockIdx.x * 8;
    const int ld = gridDim.x * 8;
    out[g * ld + 2 * t] = d[0];
    out[g * ld + 2 * t + 1] = d[1];
    out[(g + 8) * ld + 2 * t] = d[2];
    out[(g + 8) * ld + 2 * t + 1] = d[3];
}

// int8: rows of A and of B transposed, four products an instruction, tail in scalar code
template <int TILE>
__global__ void igemm_dp4a(const int8_t *__restrict__ A, const int8_t *__restrict__ Bt, int32_t *__restrict__ C,
                           int M, int N, int K4, float scale, int8_t *__restrict__ Q) {
    __shared__ int sa[TILE][TILE + 1];
    __shared__ int sb[TILE][TILE + 1];
    const int *pa = (const int *)A, *pb = (const int *)Bt;
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    int brow = blockIdx.x * TILE + threadIdx.y;
    int acc = 0;
    for (int k = 0; k < K4; k += TILE) {
        bool kin = k + threadIdx.x < K4;
        sa[threadIdx.y][threadIdx.x] = row < M && kin ? pa[row * K4 + k + threadIdx.x] : 0;
        sb[threadIdx.y][threadIdx.x] = brow < N && kin ? pb[brow * K4 + k + threadIdx.x] : 0;
        __syncthreads();
#pragma unroll 8
        for (int i = 0; i < TILE; ++i) acc = __dp4a(sa[threadIdx.y][i], sb[threadIdx.x][i], acc);
        __syncthreads();
    }
    if (row < M && col < N) {
        C[row * N + col] = acc;
        int q = __float2int_rn(acc * scale);
        q = max(-128, min(127, q));
        Q[row * N + col] = (int8_t)q;
    }
}

// half2 arithmetic: two columns a thread, accumulates in half and flushes to float every 8
extern "C" __global__ void hgemm_half2(const half *A, const half2 *B, half2 *C, int M, int N2, int K) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= M || j >= N2) return;
    float2 total = make_float2(0.f, 0.f);
    half2 part = __float2half2_rn(0.f);
    int k = 0;
    for (; k + 8 <= K; k += 8) {
#pragma unroll
        for (int u = 0; u < 8; u++) part = __hfma2(__half2half2(A[i * K + k + u]), B[(k + u) * N2 + j], part);
        float2 f = __half22float2(part);
        total.x += f.x;
        total.y += f.y;
        part = __float2half2_rn(0.f);
    }
    for (; k < K; k++) part = __hfma2(__half2half2(A[i * K + k]), B[k * N2 + j], part);
    C[i * N2 + j] = __floats2half2_rn(total.x + __low2float(part), total.y + __high2float(part));
}

// cp.async of 4 bytes for A (guarded, zero filled) and 16 for B; circular buffer of STAGES tiles
template <int STAGES, int BK = 8>
__global__ void sgemm_cp_async(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
                               int M, int N, int K) {
    constexpr int BM = 32, BN = 64;
    __shared__ float As[STAGES][BM][BK];
    __shared__ __align__(16) float Bs[STAGES][BK][BN];
    const int tid = threadIdx.x;  // 128
    const int tx = tid % 16, ty = tid / 16;
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;

    auto issue = [&](int s, int k0) {
        for (int e = tid; e < BM * BK; e += 128) {
            int r = e / BK, c = e % BK;
            bool ok = m0 + r < M && k0 + c < K;
            const float *src = ok ? &A[(m0 + r) * K + k0 + c] : A;
            __pipeline_memcpy_async(&As[s][r][c], src, 4, ok ? 0 : 4);
        }
        for (int e = tid; e < BK * BN / 4; e += 128) {
            int r = e / (BN / 4), c = e % (BN / 4) * 4;
            bool ok = k0 + r < K && n0 + c < N;
            const float *src = ok ? &B[(k0 + r) * N + n0 + c] : B;
            __pipeline_memcpy_async(&Bs[s][r][c], src, 16, ok ? 0 : 16);
        }
        __pipeline_commit();
    };

    const int tiles = (K + BK - 1) / BK;
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < tiles)
            issue(s, s * BK);
        else
            __pipeline_commit();
    }
    float4 acc[4];
    for (int i = 0; i < 4; i++) acc[i] = make_float4(0, 0, 0, 0);
    for (int t = 0; t < tiles; t++) {
        if (t + STAGES - 1 < tiles)
            issue((t + STAGES - 1) % STAGES, (t + STAGES - 1) * BK);
        else
            __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        int s = t % STAGES;
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float4 b = *reinterpret_cast<float4 *>(&Bs[s][k][tx * 4]);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float a = As[s][ty * 4 + i][k];
                acc[i].x += a * b.x;
                acc[i].y += a * b.y;
                acc[i].z += a * b.z;
                acc[i].w += a * b.w;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        int r = m0 + ty * 4 + i, c = n0 + tx * 4;
        if (r < M && c < N) *reinterpret_cast<float4 *>(&C[r * N + c]) = acc[i];
    }
}
