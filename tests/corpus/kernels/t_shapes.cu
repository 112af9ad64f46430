#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
typedef unsigned int u32;
// every warp makes one M x 8 tile; fragments straight from global in 32-bit words
template <int K> __global__ void f64_m16(const double* A, const double* B, double* C, int n, int k)
{
    int lane = threadIdx.x & 31, g = lane >> 2, q = lane & 3, R = blockIdx.y * 16, Q = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 8; if (Q >= n) return;
    double c[4] = {};
    for (int p = 0; p < k; p += K) {
        double a[K / 2], b[K / 4];
        for (int i = 0; i < K / 2; ++i) a[i] = A[(R + g + i % 2 * 8) * k + p + q + i / 2 * 4];
        for (int i = 0; i < K / 4; ++i) b[i] = B[(p + q + i * 4) * n + Q + g];
        if constexpr (K == 4) asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};" : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3]) : "d"(a[0]), "d"(a[1]), "d"(b[0]));
        else if constexpr (K == 8) asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
        else asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%0,%1,%2,%3};" : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
    }
    for (int h = 0; h < 2; ++h) *(double2*)&C[(R + g + h * 8) * n + Q + q * 2] = make_double2(c[h * 2], c[h * 2 + 1]);
}
template <int K, bool Sat> __global__ void s8_small(const u32* A, const u32* Bt, int* C, int n, int kw)  // m16n8k16 (K=16) or m8n8k16 (K=8)
{
    int lane = threadIdx.x, g = lane >> 2, q = lane & 3, Q = blockIdx.x * 8, R = blockIdx.y * K; int c[4] = {};
    for (int p = 0; p < kw; p += 4) {
        u32 a0 = A[(R + g) * kw + p + q], b = Bt[(Q + g) * kw + p + q];
        if constexpr (K == 16) { u32 a1 = A[(R + g + 8) * kw + p + q]; asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a0), "r"(a1), "r"(b)); }
        else if constexpr (Sat) asm("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32 {%0,%1},{%2},{%3},{%0,%1};" : "+r"(c[0]), "+r"(c[1]) : "r"(a0), "r"(b));
        else asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0,%1},{%2},{%3},{%0,%1};" : "+r"(c[0]), "+r"(c[1]) : "r"(a0), "r"(b));
    }
    for (int i = 0; i < K / 4; ++i) C[(R + g + i / 2 * 8) * n + Q + q * 2 + i % 2] = c[i];
}
// fp8: A e4m3, B e5m2 or e4m3
template <bool E5> __global__ void f8_mma(const u32* A, const u32* Bt, float* C, int n, int kw)
{
    int lane = threadIdx.x, g = lane >> 2, q = lane & 3, Q = blockIdx.x * 8, R = blockIdx.y * 16; float c[4] = {};
    auto cl = [](u32 v) { return v & 0xBFBFBFBFu; };   // keep the values finite and small
    for (int p = 0; p < kw; p += 8) {
        u32 a0 = cl(A[(R + g) * kw + p + q]), a1 = cl(A[(R + g + 8) * kw + p + q]), a2 = cl(A[(R + g) * kw + p + q + 4]), a3 = cl(A[(R + g + 8) * kw + p + q + 4]), b0 = cl(Bt[(Q + g) * kw + p + q]), b1 = cl(Bt[(Q + g) * kw + p + q + 4]);
        if (E5) asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
        else asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    }
    for (int i = 0; i < 4; ++i) C[(R + g + i / 2 * 8) * n + Q + q * 2 + i % 2] = c[i];
}
// 2:4 sparse half product m16n8k32; metadata chosen so that every pair keeps elements 0 and 1+ (e=0b0100 per group => kept 0,1)
__global__ void sp_mma(const u32* A, const half* B, float* C, int n, int k)   // A compressed: 16 x k/2 halves
{
    int lane = threadIdx.x, g = lane >> 2, q = lane & 3, Q = blockIdx.x * 8, R = blockIdx.y * 16, kw = k / 4; float c[4] = {};
    for (int p = 0; p < k; p += 32) {
        int w = p / 4; u32 a0 = A[(R + g) * kw + w + q], a1 = A[(R + g + 8) * kw + w + q], a2 = A[(R + g) * kw + w + q + 4], a3 = A[(R + g + 8) * kw + w + q + 4], b[4], e = 0x44444444u;
        for (int i = 0; i < 4; ++i) { half2 h = __halves2half2(B[(p + q * 2 + i * 8) * n + Q + g], B[(p + q * 2 + 1 + i * 8) * n + Q + g]); b[i] = *(u32*)&h; }
        asm("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3},%12,0x0;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(e));
    }
    for (int i = 0; i < 4; ++i) C[(R + g + i / 2 * 8) * n + Q + q * 2 + i % 2] = c[i];
}
// wmma with bits (experimental) and accumulators kept in shared; volta-shaped wmma in half, store column-major
__global__ void w_bits(const u32* A, const u32* B, int* C, int n, int kw)
{
    using namespace wmma::experimental; int i = blockIdx.y * 8, j = (blockIdx.x * 2 + threadIdx.y) * 8;
    wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> a; wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> b; wmma::fragment<wmma::accumulator, 8, 8, 128, int> c;
    wmma::fill_fragment(c, 0);
    for (int p = 0; p < kw; p += 4) { wmma::load_matrix_sync(a, A + i * kw + p, kw * 32); wmma::load_matrix_sync(b, B + j * kw + p, kw * 32); wmma::bmma_sync(c, a, b, c, bmmaBitOpAND, bmmaAccumulateOpPOPC); }
    wmma::store_matrix_sync(C + i * n + j, c, n, wmma::mem_row_major);
}
template <int LD> __global__ void w_shared_acc(const half* A, const half* B, half* Ct, int m, int k)  // one block = 32 x 32, 4 warps; store col-major to shared, epilogue relu, out transposed
{
    __shared__ __align__(32) half s[32 * LD]; int w = threadIdx.x / 32, R = blockIdx.y * 32 + w / 2 * 16, Q = blockIdx.x * 32 + w % 2 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a; wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b; wmma::fragment<wmma::accumulator, 16, 16, 16, half> c;
    wmma::fill_fragment(c, __float2half(0.f));
    for (int p = 0; p < k; p += 16) { wmma::load_matrix_sync(a, A + R * k + p, k); wmma::load_matrix_sync(b, B + Q * k + p, k); wmma::mma_sync(c, a, b, c); }
    wmma::store_matrix_sync(s + (w % 2 * 16) * LD + w / 2 * 16, c, LD, wmma::mem_col_major);
    __syncthreads();
    for (int e = threadIdx.x; e < 512; e += 128) { int q = e / 16, r = e % 16 * 2; half2 v = *(half2*)&s[q * LD + r]; *(half2*)&Ct[(blockIdx.x * 32 + q) * m + blockIdx.y * 32 + r] = __hmax2(v, __float2half2_rn(0.f)); }
}
// accumulators stored column-major: element type and where to (shared or global)
template <typename Acc, bool Shared> __global__ void w_colstore(const half* A, const half* B, Acc* Ct, int k)
{
    __shared__ __align__(32) Acc s[16 * 16];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a; wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b; wmma::fragment<wmma::accumulator, 16, 16, 16, Acc> c;
    wmma::fill_fragment(c, (Acc)0.f);
    for (int p = 0; p < k; p += 16) { wmma::load_matrix_sync(a, A + p, k); wmma::load_matrix_sync(b, B + p, k); wmma::mma_sync(c, a, b, c); }
    if (Shared) { wmma::store_matrix_sync(s, c, 16, wmma::mem_col_major); __syncwarp(); for (int e = threadIdx.x; e < 256; e += 32) Ct[e] = s[e]; }
    else wmma::store_matrix_sync(Ct, c, 16, wmma::mem_col_major);
}
// accumulator read in one order and written in the other (a transpose by fragments), each shape
template <int M, int N, typename Acc, bool ColIn, bool ColOut> __global__ void w_accmove(const Acc* in, Acc* out, int ldi, int ldo, Acc add)
{
    wmma::fragment<wmma::accumulator, M, N, 16, Acc> c;
    wmma::load_matrix_sync(c, in + threadIdx.y * M * N * 2, ldi, ColIn ? wmma::mem_col_major : wmma::mem_row_major);
    for (int i = 0; i < c.num_elements; ++i) c.x[i] = c.x[i] + add;
    wmma::store_matrix_sync(out + threadIdx.y * M * N * 2, c, ldo, ColOut ? wmma::mem_col_major : wmma::mem_row_major);
}
