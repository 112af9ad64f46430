#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
typedef unsigned int u32;
template <typename X, typename Y> struct same { static constexpr bool v = false; };
template <typename X> struct same<X, X> { static constexpr bool v = true; };
__device__ __forceinline__ u32 sptr(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void ldm4(u32 (&r)[4], const void* p) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(sptr(p))); }
__device__ __forceinline__ void ldm4t(u32 (&r)[4], const void* p) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(sptr(p))); }
__device__ __forceinline__ void ldm2t(u32 (&r)[2], const void* p) { asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(sptr(p))); }
__device__ __forceinline__ void ldm2(u32 (&r)[2], const void* p) { asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(sptr(p))); }
__device__ __forceinline__ void mmah(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)); }
__device__ __forceinline__ void mmab(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)); }
__device__ __forceinline__ void cpa16(void* d, const void* s, int n) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(sptr(d)), "l"(s), "r"(n)); }
__device__ __forceinline__ void cpc() { asm volatile("cp.async.commit_group;"); }
template <int N> __device__ __forceinline__ void cpw() { asm volatile("cp.async.wait_group %0;" ::"n"(N)); }

// wmma, straight from global, one warp per tile, any fragment shape; B stored row or col
template <int M, int N, int K, typename LA, typename LB, typename Acc>
__global__ void w_direct(const half* A, const half* B, Acc* C, int m, int n, int k)
{
    int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, tn = n / N;
    if (w >= m / M * tn) return;
    int i = w / tn * M, j = w % tn * N;
    constexpr bool ra = same<LA, wmma::row_major>::v, rb = same<LB, wmma::row_major>::v;
    wmma::fragment<wmma::matrix_a, M, N, K, half, LA> a;
    wmma::fragment<wmma::matrix_b, M, N, K, half, LB> b;
    wmma::fragment<wmma::accumulator, M, N, K, Acc> c;
    wmma::fill_fragment(c, (Acc)0.f);
    for (int p = 0; p < k; p += K) {
        wmma::load_matrix_sync(a, ra ? A + i * k + p : A + p * m + i, ra ? k : m);
        wmma::load_matrix_sync(b, rb ? B + p * n + j : B + j * k + p, rb ? n : k);
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(C + i * n + j, c, n, wmma::mem_row_major);
}
// wmma through padded shared tiles; alpha/beta on fragments; block = 4 warps, 64 x 64
template <int BK, int PAD, typename T>
__global__ void __launch_bounds__(128) w_tiled(const T* __restrict__ A, const T* __restrict__ B, float* __restrict__ C, int n, int k, float alpha, float beta)
{
    __shared__ __align__(32) T sa[64][BK + PAD];
    __shared__ __align__(32) T sb[BK][64 + PAD];
    int wy = threadIdx.x / 64, wx = threadIdx.x / 32 % 2, R = blockIdx.y * 64, Q = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2], o;
    for (auto& r : c) for (auto& f : r) wmma::fill_fragment(f, 0.f);
    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int e = threadIdx.x; e < 64 * BK / 8; e += 128) { int r = e / (BK / 8), q = e % (BK / 8) * 8; *(int4*)&sa[r][q] = *(const int4*)&A[(R + r) * k + k0 + q]; }
        for (int e = threadIdx.x; e < 64 * BK / 8; e += 128) { int r = e / 8, q = e % 8 * 8; *(int4*)&sb[r][q] = *(const int4*)&B[(k0 + r) * n + Q + q]; }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < BK; p += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> b[2];
            for (int i = 0; i < 2; ++i) { wmma::load_matrix_sync(a[i], &sa[wy * 32 + i * 16][p], BK + PAD); wmma::load_matrix_sync(b[i], &sb[p][wx * 32 + i * 16], 64 + PAD); }
            for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) {
        float* p = C + (R + wy * 32 + i * 16) * n + Q + wx * 32 + j * 16;
        if (beta != 0.f) {
            wmma::load_matrix_sync(o, p, n, wmma::mem_row_major);
            for (int t = 0; t < o.num_elements; ++t) c[i][j].x[t] = alpha * c[i][j].x[t] + beta * o.x[t];
        } else for (int t = 0; t < o.num_elements; ++t) c[i][j].x[t] *= alpha;
        wmma::store_matrix_sync(p, c[i][j], n, wmma::mem_row_major);
    }
}
// ragged edges: stage in shared with zeros, store via shared with guards
__global__ void w_ragged(const half* A, const half* B, float* C, int m, int n, int k)
{
    __shared__ half a[16][24], b[16][24];
    __shared__ float out[16][20];
    int t = threadIdx.x, R = blockIdx.y * 16, Q = blockIdx.x * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.f);
    for (int p = 0; p < k; p += 16) {
        for (int e = t; e < 256; e += 32) {
            int r = e >> 4, q = e & 15;
            a[r][q] = R + r < m && p + q < k ? A[(R + r) * k + p + q] : __float2half(0.f);
            b[r][q] = p + r < k && Q + q < n ? B[(p + r) * n + Q + q] : __float2half(0.f);
        }
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, &a[0][0], 24); wmma::load_matrix_sync(fb, &b[0][0], 24);
        wmma::mma_sync(c, fa, fb, c);
        __syncwarp();
    }
    wmma::store_matrix_sync(&out[0][0], c, 20, wmma::mem_row_major);
    __syncwarp();
    for (int e = t; e < 256; e += 32) { int r = e >> 4, q = e & 15; if (R + r < m && Q + q < n) C[(R + r) * n + Q + q] = out[r][q]; }
}
// int8 wmma, column-major B; and tf32, and double
template <int M, int N>
__global__ void w_int8(const signed char* A, const signed char* B, int* C, int m, int n, int k)
{
    int w = threadIdx.y, i = (blockIdx.y * blockDim.y + w) * M, j = blockIdx.x * N;
    if (i >= m) return;
    wmma::fragment<wmma::matrix_a, M, N, 16, signed char, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, M, N, 16, signed char, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, M, N, 16, int> c;
    wmma::fill_fragment(c, 0);
    for (int p = 0; p < k; p += 16) { wmma::load_matrix_sync(a, A + i * k + p, k); wmma::load_matrix_sync(b, B + j * k + p, k); wmma::mma_sync(c, a, b, c); }
    wmma::store_matrix_sync(C + i * n + j, c, n, wmma::mem_row_major);
}
__global__ void w_tf32(const float* A, const float* B, float* C, int n, int k)
{
    int i = (blockIdx.y * 2 + threadIdx.y) * 16, j = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
    wmma::fill_fragment(c, 0.f);
    for (int p = 0; p < k; p += 8) {
        wmma::load_matrix_sync(a, A + i * k + p, k); wmma::load_matrix_sync(b, B + p * n + j, n);
        for (int t = 0; t < a.num_elements; ++t) a.x[t] = wmma::__float_to_tf32(a.x[t]);
        for (int t = 0; t < b.num_elements; ++t) b.x[t] = wmma::__float_to_tf32(b.x[t]);
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(C + i * n + j, c, n, wmma::mem_row_major);
}
template <typename LB>
__global__ void w_double(const double* A, const double* B, double* C, int n, int k)
{
    int w = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, i = w / (n / 8) * 8, j = w % (n / 8) * 8;
    constexpr bool rb = same<LB, wmma::row_major>::v;
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, LB> b;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> c;
    wmma::load_matrix_sync(c, C + i * n + j, n, wmma::mem_row_major);
    for (int p = 0; p < k; p += 4) { wmma::load_matrix_sync(a, A + i * k + p, k); wmma::load_matrix_sync(b, rb ? B + p * n + j : B + j * k + p, rb ? n : k); wmma::mma_sync(c, a, b, c); }
    wmma::store_matrix_sync(C + i * n + j, c, n, wmma::mem_row_major);
}
// mma.sync + ldmatrix; layout of the shared tile: 0 plain, 1 padded, 2 xor swizzle; ring of ST stages of cp.async
template <typename T, int BM, int BN, int WR, int WC, int ST, int LAY, bool GUARD>
__global__ void __launch_bounds__(WR * WC * 32) m_ring(const T* __restrict__ A, const T* __restrict__ B, float* __restrict__ C, int m, int n, int k)
{
    constexpr int BK = 32, LDA = LAY == 1 ? BK + 8 : BK, LDB = LAY == 1 ? BN + 8 : BN, NT = WR * WC * 32;
    constexpr int TM = BM / WR / 16, TN = BN / WC / 16;
    extern __shared__ __align__(128) unsigned char raw[];
    T* As = reinterpret_cast<T*>(raw); T* Bs = As + ST * BM * LDA;
    auto pa = [&](int s, int r, int c) { if (LAY == 2) c ^= (r >> 1 & 3) << 3; return As + s * BM * LDA + r * LDA + c; };
    auto pb = [&](int s, int r, int c) { if (LAY == 2) c ^= (r & 7) << 3; return Bs + s * BK * LDB + r * LDB + c; };
    int t = threadIdx.x, lane = t & 31, w = t >> 5, wr = w / WC * (BM / WR), wc = w % WC * (BN / WC);
    int R = blockIdx.y * BM, Q = blockIdx.x * BN;
    auto load = [&](int s, int k0) {
        for (int e = t; e < BM * BK / 8; e += NT) { int r = e / (BK / 8), c = e % (BK / 8) * 8; bool in = !GUARD || R + r < m; cpa16(pa(s, r, c), A + (size_t)(in ? R + r : 0) * k + k0 + c, in ? 16 : 0); }
        for (int e = t; e < BK * BN / 8; e += NT) { int r = e / (BN / 8), c = e % (BN / 8) * 8; bool in = !GUARD || Q + c < n; cpa16(pb(s, r, c), B + (size_t)(k0 + r) * n + (in ? Q + c : 0), in ? 16 : 0); }
    };
    float acc[TM][TN * 2][4] = {};
    int nk = k / BK;
#pragma unroll
    for (int s = 0; s < ST - 1; ++s) { if (s < nk) load(s, s * BK); cpc(); }
    for (int it = 0; it < nk; ++it) {
        cpw<ST - 2>(); __syncthreads();
        int nx = it + ST - 1;
        if (nx < nk) load(nx % ST, nx * BK);
        cpc();
        int s = it % ST;
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            u32 a[TM][4], b[TN][4];
#pragma unroll
            for (int i = 0; i < TM; ++i) ldm4(a[i], pa(s, wr + i * 16 + (lane & 15), kk + (lane >> 4) * 8));
#pragma unroll
            for (int j = 0; j < TN; ++j) ldm4t(b[j], pb(s, kk + (lane & 15), wc + j * 16 + (lane >> 4) * 8));
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) {
                    if constexpr (same<T, half>::v) { mmah(acc[i][2 * j], a[i], b[j][0], b[j][1]); mmah(acc[i][2 * j + 1], a[i], b[j][2], b[j][3]); }
                    else { mmab(acc[i][2 * j], a[i], b[j][0], b[j][1]); mmab(acc[i][2 * j + 1], a[i], b[j][2], b[j][3]); }
                }
        }
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN * 2; ++j) {
            int r = R + wr + i * 16 + (lane >> 2), c = Q + wc + j * 8 + (lane & 3) * 2;
            if (!GUARD || (r < m && c < n)) *(float2*)&C[(size_t)r * n + c] = make_float2(acc[i][j][0], acc[i][j][1]);
            if (!GUARD || (r + 8 < m && c < n)) *(float2*)&C[(size_t)(r + 8) * n + c] = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}
// m16n8k8 half with half accumulators; A rows by ldmatrix x2, B by x2? k=8: A x2, B x1
template <int PAD>
__global__ void m_k8(const half* A, const half* B, half* C, int n, int k)
{
    __shared__ __align__(16) half a[16][8 + PAD], b[8][32 + PAD];
    int lane = threadIdx.x, R = blockIdx.y * 16, Q = blockIdx.x * 32;
    u32 c[4][2] = {};
    for (int p = 0; p < k; p += 8) {
        if (lane < 16) *(uint4*)a[lane] = *(const uint4*)&A[(R + lane) * k + p];
        *(uint4*)&b[lane / 4][lane % 4 * 8] = *(const uint4*)&B[(p + lane / 4) * n + Q + lane % 4 * 8];
        __syncwarp();
        u32 fa[2], fb[4];
        ldm2(fa, a[lane & 15]);
        ldm4t(fb, &b[lane & 7][lane / 8 * 8]);
#pragma unroll
        for (int j = 0; j < 4; ++j)
            asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3},{%4},{%0,%1};" : "+r"(c[j][0]), "+r"(c[j][1]) : "r"(fa[0]), "r"(fa[1]), "r"(fb[j]));
        __syncwarp();
    }
    for (int j = 0; j < 4; ++j) for (int h = 0; h < 2; ++h) *(u32*)&C[(R + lane / 4 + h * 8) * n + Q + j * 8 + lane % 4 * 2] = c[j][h];
}
// int8 m16n8k32: A by ldmatrix from bytes, B stored transposed (n x k), ldmatrix without trans
template <int PAD>
__global__ void m_s8(const signed char* A, const signed char* B, int* C, int n, int k)
{
    __shared__ __align__(16) signed char a[32][64 + PAD], b[32][64 + PAD];
    int t = threadIdx.x, lane = t & 31, w = t >> 5, R = blockIdx.y * 32, Q = blockIdx.x * 32;
    int c[2][4] = {};
    for (int p = 0; p < k; p += 64) {
        for (int e = t; e < 128; e += blockDim.x) { int r = e / 4, q = e % 4 * 16; *(int4*)&a[r][q] = *(const int4*)&A[(R + r) * k + p + q]; *(int4*)&b[r][q] = *(const int4*)&B[(Q + r) * k + p + q]; }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 64; kk += 32) {
            u32 fa[4], fb[4];
            ldm4(fa, &a[w / 2 * 16 + (lane & 15)][kk + lane / 16 * 16]);
            ldm4(fb, &b[w % 2 * 16 + (lane & 7) + lane / 16 * 8][kk + (lane / 8 & 1) * 16]);
#pragma unroll
            for (int j = 0; j < 2; ++j)
                asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+r"(c[j][0]), "+r"(c[j][1]), "+r"(c[j][2]), "+r"(c[j][3]) : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * j]), "r"(fb[2 * j + 1]));
        }
        __syncthreads();
    }
    for (int j = 0; j < 2; ++j) for (int h = 0; h < 2; ++h) *(int2*)&C[(R + w / 2 * 16 + lane / 4 + h * 8) * n + Q + w % 2 * 16 + j * 8 + lane % 4 * 2] = make_int2(c[j][h * 2], c[j][h * 2 + 1]);
}
// tf32 m16n8k8 and m16n8k4 with fragments read scalar from shared
template <int K, int PAD>
__global__ void m_tf32(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float a[32][16 + PAD], b[16][32 + PAD];
    int t = threadIdx.x, lane = t & 31, w = t >> 5, R = blockIdx.y * 32, Q = blockIdx.x * 32, g = lane >> 2, q = lane & 3;
    float c[2][4] = {};
    int wr = w / 2 * 16, wc = w % 2 * 16;
    for (int p = 0; p < k; p += 16) {
        for (int e = t; e < 512; e += 128) {
            int r = e / 16, x = e % 16; a[r][x] = R + r < m && p + x < k ? A[(R + r) * k + p + x] : 0.f;
            r = e / 32; x = e % 32; b[r][x] = p + r < k && Q + x < n ? B[(p + r) * n + Q + x] : 0.f;
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 16; kk += K)
            for (int j = 0; j < 2; ++j) {
                auto f = [](float x) { u32 r; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x)); return r; };
                if constexpr (K == 8)
                    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
                        : "r"(f(a[wr + g][kk + q])), "r"(f(a[wr + g + 8][kk + q])), "r"(f(a[wr + g][kk + q + 4])), "r"(f(a[wr + g + 8][kk + q + 4])), "r"(f(b[kk + q][wc + j * 8 + g])), "r"(f(b[kk + q + 4][wc + j * 8 + g])));
                else
                    asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};" : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
                        : "r"(f(a[wr + g][kk + q])), "r"(f(a[wr + g + 8][kk + q])), "r"(f(b[kk + q][wc + j * 8 + g])));
            }
        __syncthreads();
    }
    for (int j = 0; j < 2; ++j) for (int h = 0; h < 4; ++h) {
        int r = R + wr + g + h / 2 * 8, x = Q + wc + j * 8 + q * 2 + h % 2;
        if (r < m && x < n) C[r * n + x] = c[j][h];
    }
}
// DMMA by mma.sync m8n8k4 f64, four accumulators per warp
__global__ void m_f64(const double* __restrict__ A, const double* __restrict__ B, double* __restrict__ C, int n, int k)
{
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5, R = (blockIdx.y * (blockDim.x >> 5) + w) * 8, Q = blockIdx.x * 32;
    double c[4][2] = {};
    for (int p = 0; p < k; p += 4) {
        double a = A[(R + lane / 4) * k + p + lane % 4];
#pragma unroll
        for (int j = 0; j < 4; ++j) { double b = B[(p + lane % 4) * n + Q + j * 8 + lane / 4];
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};" : "+d"(c[j][0]), "+d"(c[j][1]) : "d"(a), "d"(b)); }
    }
    for (int j = 0; j < 4; ++j) *(double2*)&C[(R + lane / 4) * n + Q + j * 8 + lane % 4 * 2] = make_double2(c[j][0], c[j][1]);
}
