// Matrix transposes and permutations of dimensions.
#include <cooperative_groups.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

// naive: coalesced reads, or coalesced writes
template <bool CoalescedWrite, typename T>
__global__ void transpose_naive(const T *__restrict__ in, T *__restrict__ out, int rows, int cols) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if constexpr (CoalescedWrite) {
        if (x < rows && y < cols) out[y * rows + x] = in[x * cols + y];
    } else {
        if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
    }
}

// the classic: tile of TILE x TILE, TILE x ROWS threads, PAD columns more
template <typename T, int TILE, int ROWS, int PAD>
__global__ void transpose_tiled(T *odata, const T *idata, int width, int height) {
    __shared__ T tile[TILE][TILE + PAD];
    auto block = cg::this_thread_block();
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
    cg::sync(block);
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width) odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// no padding: the column index is xored with the row's
template <int BITS>
__global__ void transpose_xor(const float *src, float *dst, int n, int m) {
    constexpr int D = 1 << BITS;
    __shared__ float s[D * D];
    int c = blockIdx.x * D + threadIdx.x, r = blockIdx.y * D + threadIdx.y;
    if (r < n && c < m) s[(threadIdx.y << BITS) | (threadIdx.x ^ threadIdx.y)] = src[r * m + c];
    __syncthreads();
    int oc = blockIdx.y * D + threadIdx.x, orow = blockIdx.x * D + threadIdx.y;
    if (orow < m && oc < n) dst[orow * n + oc] = s[(threadIdx.x << BITS) | (threadIdx.y ^ threadIdx.x)];
}

// every thread turns a 4x4 block held in four float4 registers
extern "C" __global__ void transpose_4x4_registers(const float4 *__restrict__ in, float4 *__restrict__ out, int rows4,
                                                   int cols4) {
    int bc = blockIdx.x * blockDim.x + threadIdx.x;
    int br = blockIdx.y * blockDim.y + threadIdx.y;
    if (bc >= cols4 || br >= rows4) return;
    float4 r0 = in[(br * 4 + 0) * cols4 + bc];
    float4 r1 = in[(br * 4 + 1) * cols4 + bc];
    float4 r2 = in[(br * 4 + 2) * cols4 + bc];
    float4 r3 = in[(br * 4 + 3) * cols4 + bc];
    out[(bc * 4 + 0) * rows4 + br] = make_float4(r0.x, r1.x, r2.x, r3.x);
    out[(bc * 4 + 1) * rows4 + br] = make_float4(r0.y, r1.y, r2.y, r3.y);
    out[(bc * 4 + 2) * rows4 + br] = make_float4(r0.z, r1.z, r2.z, r3.z);
    out[(bc * 4 + 3) * rows4 + br] = make_float4(r0.w, r1.w, r2.w, r3.w);
}

// pairs of halves in, pairs of halves out; tile of 64 x 32 half
extern "C" __global__ void transpose_half_pairs(const half *in, half *out, int rows, int cols) {
    __shared__ half2 tile[32][33];
    const half2 *in2 = reinterpret_cast<const half2 *>(in);
    half2 *out2 = reinterpret_cast<half2 *>(out);
    int x = threadIdx.x;
    for (int r = threadIdx.y; r < 32; r += blockDim.y) {
        int gr = blockIdx.y * 32 + r, gc = blockIdx.x * 32 + x;
        if (gr < rows && gc < cols / 2) tile[r][x] = in2[gr * (cols / 2) + gc];
    }
    __syncthreads();
    int lane16 = x & 15, hi = x >> 4;
    for (int c = threadIdx.y * 2 + hi; c < 32; c += blockDim.y * 2) {
        int gr = blockIdx.y * 32 + lane16 * 2, gc = (blockIdx.x * 32 + c) * 2;
        if (gr < rows && gc < cols) {
            half2 p = tile[lane16 * 2][c], q = tile[lane16 * 2 + 1][c];
            out2[(gc * rows + gr) / 2] = __lows2half2(p, q);
            out2[((gc + 1) * rows + gr) / 2] = __highs2half2(p, q);
        }
    }
}

// an RGBA picture turned by 90 degrees clockwise
extern "C" __global__ void rotate_pixels(const uchar4 *src, uchar4 *dst, unsigned w, unsigned h) {
    extern __shared__ uchar4 px[];
    const unsigned T = blockDim.x, P = T + 1;
    unsigned x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    if (x < w && y < h) {
        uchar4 p = src[y * w + x];
        p.w = 255;
        px[threadIdx.y * P + threadIdx.x] = p;
    }
    __syncthreads();
    unsigned sy = blockIdx.y * T + threadIdx.x, sx = blockIdx.x * T + threadIdx.y;
    if (sx < w && sy < h) dst[sx * h + (h - 1 - sy)] = px[threadIdx.x * P + threadIdx.y];
}

// in place, square; a block below the diagonal leaves at once
template <typename T, unsigned B>
__global__ void transpose_in_place(T *a, unsigned n) {
    if (blockIdx.y > blockIdx.x) return;
    __shared__ T upper[B][B + 1], lower[B][B + 1];
    const unsigned tx = threadIdx.x, ty = threadIdx.y;
    const unsigned ux = blockIdx.x * B + tx, uy = blockIdx.y * B + ty;
    const unsigned lx = blockIdx.y * B + tx, ly = blockIdx.x * B + ty;
    const bool diagonal = blockIdx.x == blockIdx.y;
    if (ux < n && uy < n) upper[ty][tx] = a[uy * n + ux];
    if (!diagonal && lx < n && ly < n) lower[ty][tx] = a[ly * n + lx];
    __syncthreads();
    if (lx < n && ly < n) a[ly * n + lx] = upper[tx][ty];
    if (!diagonal && ux < n && uy < n) a[uy * n + ux] = lower[tx][ty];
}

struct Permutation3 {
    int extent[3];
    int out_stride[3];
};

// any order of three dimensions, a thread an element, div and mod
extern "C" __global__ void permute3d(const float *in, float *out, Permutation3 p) {
    int total = p.extent[0] * p.extent[1] * p.extent[2];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
        int c = i % p.extent[2];
        int b = i / p.extent[2] % p.extent[1];
        int a = i / (p.extent[2] * p.extent[1]);
        out[a * p.out_stride[0] + b * p.out_stride[1] + c * p.out_stride[2]] = in[i];
    }
}

// NCHW -> NHWC, tiles of channels x pixels
template <int TC, int TP>
__global__ void nchw_to_nhwc(const float *__restrict__ src, float *__restrict__ dst, int C, int HW) {
    __shared__ float buf[TC][TP + 1];
    const float *s = src + (size_t)blockIdx.z * C * HW;
    float *d = dst + (size_t)blockIdx.z * C * HW;
    const int p0 = blockIdx.x * TP, c0 = blockIdx.y * TC;
    for (int i = threadIdx.x; i < TC * TP; i += blockDim.x) {
        int c = i / TP, p = i % TP;
        if (c0 + c < C && p0 + p < HW) buf[c][p] = s[(c0 + c) * HW + p0 + p];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < TC * TP; i += blockDim.x) {
        int p = i / TC, c = i % TC;
        if (c0 + c < C && p0 + p < HW) d[(p0 + p) * C + c0 + c] = buf[c][p];
    }
}

// conjugate transpose of complex doubles, blocks in diagonal order
extern "C" __global__ void hermitian_diagonal(const double2 *in, double2 *out, int n) {
    __shared__ double2 t[16][17];
    int by = blockIdx.x;
    int bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    int x = bx * 16 + threadIdx.x, y = by * 16 + threadIdx.y;
#pragma unroll
    for (int j = 0; j < 16; j += 4)
        if (x < n && y + j < n) t[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = by * 16 + threadIdx.x;
    y = bx * 16 + threadIdx.y;
#pragma unroll
    for (int j = 0; j < 16; j += 4)
        if (x < n && y + j < n) {
            double2 v = t[threadIdx.x][threadIdx.y + j];
            v.y = -v.y;
            out[(y + j) * n + x] = v;
        }
}

// a warp turns an 8x8 of 32 lanes... three rounds of exchanges with shfl_xor
extern "C" __global__ void transpose_shuffle8(const int *in, int *out) {
    const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int l8 = lane & 7, group = lane >> 3;
    const int *src = in + (warp * 4 + group) * 64;
    int *dst = out + (warp * 4 + group) * 64;
    int v[8];
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] = src[i * 8 + l8];
#pragma unroll
    for (int m = 1; m < 8; m <<= 1) {
        bool up = l8 & m;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            if (i & m) continue;
            int give = up ? v[i] : v[i | m];
            int got = __shfl_xor_sync(0xffffffffu, give, m);
            if (up)
                v[i] = got;
            else
                v[i | m] = got;
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) dst[i * 8 + l8] = v[i];
}
