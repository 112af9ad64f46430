#include <cuda_fp16.h>
#include <mma.h>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
// programming guide, PMPP, cs344 and newer samples
#ifndef TILE
#define TILE 16
#endif
#ifndef CO
#define CO 4
#endif
extern "C" __global__ void pmpp_coarse_mm(const float* M, const float* N, float* P, int w)
{
    __shared__ float Ms[TILE][TILE], Ns[TILE][TILE];
    int bx = blockIdx.x, tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, c0 = bx * TILE * CO + tx;
    float v[CO];
    for (int c = 0; c < CO; c++) v[c] = 0;
    for (int ph = 0; ph < (w + TILE - 1) / TILE; ph++) {
        Ms[ty][tx] = row < w && ph * TILE + tx < w ? M[row * w + ph * TILE + tx] : 0;
        for (int c = 0; c < CO; c++) {
            int col = c0 + c * TILE;
            Ns[ty][tx] = col < w && ph * TILE + ty < w ? N[(ph * TILE + ty) * w + col] : 0;
            __syncthreads();
            for (int k = 0; k < TILE; k++) v[c] += Ms[ty][k] * Ns[k][tx];
            __syncthreads();
        }
    }
    for (int c = 0; c < CO; c++) if (row < w && c0 + c * TILE < w) P[row * w + c0 + c * TILE] = v[c];
}
// register tiled 64x64x8 with float4, guarded
extern "C" __global__ void __launch_bounds__(256) sgemm64(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K)
{
    __shared__ __align__(16) float As[2][8][68];
    __shared__ __align__(16) float Bs[2][8][64];
    int t = threadIdx.x, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64, r = t / 16 * 4, c = t % 16 * 4;
    float acc[4][4] = {};
    int ar = t / 4, ak = t % 4 * 2, br = t / 32, bc = t % 32 * 2;
    auto load = [&](int b, int k0) {
        float2 a = m0 + ar < M ? *(const float2*)(A + (m0 + ar) * K + k0 + ak) : make_float2(0, 0);
        As[b][ak][ar] = a.x; As[b][ak + 1][ar] = a.y;
        *(float2*)&Bs[b][br][bc] = n0 + bc < N ? *(const float2*)(B + (k0 + br) * N + n0 + bc) : make_float2(0, 0);
    };
    load(0, 0);
    __syncthreads();
    for (int k0 = 0, b = 0; k0 < K; k0 += 8, b ^= 1) {
        if (k0 + 8 < K) load(b ^ 1, k0 + 8);
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float4 a = *(float4*)&As[b][k][r], q = *(float4*)&Bs[b][k][c];
            float x[4] = {a.x, a.y, a.z, a.w}, y[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++) if (m0 + r + i < M && n0 + c < N) *(float4*)(C + (m0 + r + i) * N + n0 + c) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
// tensor core gemm with skewed shared tiles
using namespace nvcuda;
#ifndef SKEW
#define SKEW 8
#endif
extern "C" __global__ void wmma_skew(const half* A, const half* B, float* C, int N, int K)
{
    __shared__ __align__(32) half As[64][32 + SKEW];
    __shared__ __align__(32) half Bs[32][32 + SKEW];
    int t = threadIdx.x, w = t / 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2];
    wmma::fill_fragment(acc[0], 0.0f); wmma::fill_fragment(acc[1], 0.0f);
    for (int k0 = 0; k0 < K; k0 += 32) {
        for (int i = t; i < 64 * 4; i += 128) *(uint4*)&As[i / 4][i % 4 * 8] = *(const uint4*)(A + (blockIdx.y * 64 + i / 4) * K + k0 + i % 4 * 8);
        for (int i = t; i < 32 * 4; i += 128) *(uint4*)&Bs[i / 4][i % 4 * 8] = *(const uint4*)(B + (k0 + i / 4) * N + blockIdx.x * 32 + i % 4 * 8);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
            wmma::load_matrix_sync(a, &As[w * 16][k], 32 + SKEW);
#pragma unroll
            for (int j = 0; j < 2; j++) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
                wmma::load_matrix_sync(b, &Bs[k][j * 16], 32 + SKEW);
                wmma::mma_sync(acc[j], a, b, acc[j]);
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 2; j++) wmma::store_matrix_sync(C + (blockIdx.y * 64 + w * 16) * N + blockIdx.x * 32 + j * 16, acc[j], N, wmma::mem_row_major);
}
// asynchronous copies to shared memory, several stages
template <int STG, typename V> __global__ void async_stages(const V* in, float* out, int per, int n)
{
    __shared__ V buf[STG][128];
    int t = threadIdx.x, base = blockIdx.x * per * 128;
    for (int s = 0; s < STG - 1; s++) {
        if (s < per && base + s * 128 + t < n) __pipeline_memcpy_async(&buf[s][t], in + base + s * 128 + t, sizeof(V));
        __pipeline_commit();
    }
    float acc = 0;
    for (int i = 0; i < per; i++) {
        int nx = i + STG - 1;
        if (nx < per && base + nx * 128 + t < n) __pipeline_memcpy_async(&buf[nx % STG][t], in + base + nx * 128 + t, sizeof(V));
        __pipeline_commit();
        __pipeline_wait_prior(STG - 1);
        __syncthreads();
        int o = (t + 1) & 127;
        if (base + i * 128 + o < n) { const float* f = (const float*)&buf[i % STG][o]; for (int k = 0; k < sizeof(V) / 4; k++) acc += f[k]; }
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = acc;
}
extern "C" __global__ void cg_memcpy(const int* in, int* out, int n, int chunk)
{
    extern __shared__ int sm[];
    auto b = cg::this_thread_block();
    int from = blockIdx.x * chunk, len = min(chunk, n - from);
    cg::memcpy_async(b, sm, in + from, sizeof(int) * len);
    cg::wait(b);
    for (int i = b.thread_rank(); i < len; i += b.size()) out[from + i] = sm[len - 1 - i] ^ sm[i];
}
extern "C" __global__ void binary_partition(const int* in, unsigned* odd, int n)
{
    auto b = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(b);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int e = in[i];
        unsigned m = __activemask();
        unsigned o = __ballot_sync(m, e & 1);
        int rank = __popc(o & ((1u << tile.thread_rank()) - 1));
        if ((e & 1) && rank == 0) atomicAdd(odd, __popc(o));
        if (!(e & 1) && __popc(~o & m & ((1u << tile.thread_rank()) - 1)) == 0) atomicAdd(odd + 1, __popc(~o & m));
    }
}
// cs344: tone mapping minimum and maximum, compaction by scan, Poisson blending
extern "C" __global__ void minmax_shared(const float* in, float2* out, int n)
{
    extern __shared__ float2 mm[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[min(i, n - 1)];
    mm[threadIdx.x] = make_float2(v, v);
    __syncthreads();
    for (int len = blockDim.x; len > 1;) {
        int half_ = (len + 1) / 2;
        if (threadIdx.x < len / 2) { float2 a = mm[threadIdx.x], b = mm[threadIdx.x + half_]; mm[threadIdx.x] = make_float2(fminf(a.x, b.x), fmaxf(a.y, b.y)); }
        len = half_;
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = mm[0];
}
extern "C" __global__ void poisson_jacobi(const uchar4* src, const unsigned char* mask, const float3* in, float3* out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    int i = y * w + x;
    if (!(mask[i] & 3)) return;
    float3 s = {0, 0, 0};
    const int off[4] = {-1, 1, -w, w};
    uchar4 c = src[i];
    for (int k = 0; k < 4; k++) {
        int j = i + off[k];
        uchar4 q = src[j];
        if (mask[j] & 3) { float3 v = in[j]; s.x += v.x; s.y += v.y; s.z += v.z; }
        s.x += c.x - q.x; s.y += c.y - q.y; s.z += c.z - q.z;
    }
    out[i] = make_float3(s.x / 4, s.y / 4, s.z / 4);
}
// attention in the style of a tile of flash attention, one warp per query row
template <int D> __global__ void flash_rows(const float* Q, const float* Kk, const float* V, float* O, int n)
{
    __shared__ float ks[32][D + 1];
    __shared__ float vs[32][D];
    int lane = threadIdx.x, w = threadIdx.y, row = blockIdx.x * blockDim.y + w;
    float q[D / 32], o[D / 32], m = -1e30f, l = 0;
    for (int k = 0; k < D / 32; k++) { q[k] = row < n ? Q[row * D + k * 32 + lane] : 0; o[k] = 0; }
    for (int base = 0; base < n; base += 32) {
        __syncthreads();
        for (int i = w * 32 + lane; i < 32 * D; i += 32 * blockDim.y) { int r = i / D, c = i % D; bool in = base + r < n; ks[r][c] = in ? Kk[(base + r) * D + c] : 0; vs[r][c] = in ? V[(base + r) * D + c] : 0; }
        __syncthreads();
        float s = 0;
        for (int c = 0; c < D; c++) s += __shfl_sync(~0u, q[c / 32], c % 32) * ks[lane][c];
        if (base + lane >= n || base + lane > row) s = -1e30f;
        float mx = s;
        for (int k = 16; k; k >>= 1) mx = fmaxf(mx, __shfl_xor_sync(~0u, mx, k));
        float nm = fmaxf(m, mx), p = s > -1e29f ? __expf(s - nm) : 0, sc = __expf(m - nm), ps = p;
        for (int k = 16; k; k >>= 1) ps += __shfl_xor_sync(~0u, ps, k);
        l = l * sc + ps; m = nm;
        for (int k = 0; k < D / 32; k++) o[k] *= sc;
        for (int j = 0; j < 32; j++) { float pj = __shfl_sync(~0u, p, j); for (int k = 0; k < D / 32; k++) o[k] += pj * vs[j][k * 32 + lane]; }
    }
    if (row < n) for (int k = 0; k < D / 32; k++) O[row * D + k * 32 + lane] = o[k] / l;
}
// virtual functions through a table of function pointers, and a switch of eight cases
typedef float (*Op)(float, float);
__device__ __noinline__ float f_add(float a, float b) { return a + b; }
__device__ __noinline__ float f_hyp(float a, float b) { return sqrtf(a * a + b * b); }
__device__ __noinline__ float f_pow(float a, float b) { return powf(fabsf(a) + 0.5f, b); }
__device__ __noinline__ float f_mod(float a, float b) { return fmodf(a * 10, fabsf(b) + 0.1f); }
__device__ Op table[4] = {f_add, f_hyp, f_pow, f_mod};
extern "C" __global__ void dispatch(const unsigned char* code, const float* a, const float* b, float* o, int n, int how)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i], r;
    int c = code[i] >> 3;
    if (how) r = table[c & 3](x, y);
    else switch (c & 7) {
        case 0: r = x * y; break;
        case 1: r = sinf(x) + y; break;
        case 2: r = x / y; break;
        case 3: r = atan2f(y, x); break;
        case 4: r = floorf(x * 9) - y; break;
        case 5: r = erff(x) * y; break;
        case 6: r = cbrtf(x); break;
        default: r = ldexpf(x, c & 5);
    }
    o[i] = r;
}
// shared atomics of each width; integral values so that the order does not matter
extern "C" __global__ void shared_atomics(const unsigned* in, double* outd, float* outf, unsigned long long* outl, int n)
{
    __shared__ double d[16]; __shared__ float f[16]; __shared__ unsigned long long l[16]; __shared__ int mn[16];
    if (threadIdx.x < 16) { d[threadIdx.x] = 0; f[threadIdx.x] = 0; l[threadIdx.x] = 0; mn[threadIdx.x] = 1 << 30; }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned v = in[i]; int k = (v >> 9) & 15;
        atomicAdd(&f[k], (float)(v & 7)); atomicMin(&mn[k], (int)(v & 0xffff));
        if (v & 64) atomicAdd(&d[k], (double)(v & 31)); else atomicMax(&l[k], (unsigned long long)v << 20);
        atomicXor(&mn[(k + 1) & 15] == &mn[0] ? (int*)&l[15] + 1 : (int*)&l[0] + 1, 0);
    }
    __syncthreads();
    if (threadIdx.x < 16) { outd[threadIdx.x] = d[threadIdx.x]; outf[threadIdx.x] = f[threadIdx.x] + mn[threadIdx.x]; outl[threadIdx.x] = l[threadIdx.x]; }
}
extern "C" __global__ void half2_axpy_dot(const half2* x, half2* y, float* part, int n, float al)
{
    __shared__ float s[32];
    half2 a = __float2half2_rn(al); float acc = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { half2 v = __hfma2(a, x[i], y[i]); y[i] = v; float2 q = __half22float2(__hmul2(v, x[i])); acc += q.x + q.y; }
    for (int o = 16; o; o >>= 1) acc += __shfl_down_sync(~0u, acc, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = acc;
    __syncthreads();
    if (threadIdx.x < 32) { acc = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0; for (int o = 16; o; o >>= 1) acc += __shfl_down_sync(~0u, acc, o); if (threadIdx.x == 0) part[blockIdx.x] = acc; }
}
extern "C" __global__ void dp4a_rows(const int* a, const int* b, int* c, int m, int n, int k4)
{
    __shared__ int sa[8][17];
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y, s = 0;
    for (int k0 = 0; k0 < k4; k0 += 16) {
        sa[threadIdx.y][threadIdx.x] = row < m && k0 + threadIdx.x < k4 ? a[row * k4 + k0 + threadIdx.x] : 0;
        __syncthreads();
        for (int k = 0; k < 16 && k0 + k < k4; k++) if (col < n) s = __dp4a(sa[threadIdx.y][k], b[(k0 + k) * n + col], s);
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = s;
}
// odd block shapes and 3-D indices, integer division, byte and short staging
extern "C" __global__ void median_volume(const unsigned char* in, unsigned char* out, int nx, int ny, int nz)
{
    __shared__ unsigned char t[5][7][9];
    int x = blockIdx.x * 7 + threadIdx.x, y = blockIdx.y * 5 + threadIdx.y, z = blockIdx.z * 3 + threadIdx.z;
    int id = (threadIdx.z * 5 + threadIdx.y) * 7 + threadIdx.x;
    for (int i = id; i < 5 * 7 * 9; i += 105) {
        int gx = (int)blockIdx.x * 7 + i % 9 - 1, gy = (int)blockIdx.y * 5 + i / 9 % 7 - 1, gz = (int)blockIdx.z * 3 + i / 63 - 1;
        gx = min(max(gx, 0), nx - 1); gy = min(max(gy, 0), ny - 1); gz = min(max(gz, 0), nz - 1);
        t[i / 63][i / 9 % 7][i % 9] = in[(gz * ny + gy) * nx + gx];
    }
    __syncthreads();
    if (x >= nx || y >= ny || z >= nz) return;
    unsigned char v[27];
    for (int k = 0; k < 27; k++) v[k] = t[threadIdx.z + k / 9][threadIdx.y + k / 3 % 3][threadIdx.x + k % 3];
    for (int i = 0; i <= 13; i++) { int m = i; for (int j = i + 1; j < 27; j++) if (v[j] < v[m]) m = j; unsigned char q = v[i]; v[i] = v[m]; v[m] = q; }
    out[(z * ny + y) * nx + x] = v[13];
}
