#include <cuda_fp16.h>
// Transposes, permutations and records of odd sizes.

// 64 x 64 halves as half2, two rows of two columns turned in registers.
extern "C" __global__ void transpose_half2(const __half2* in, __half2* out, int rows, int cols)
{
    __shared__ __half2 tile[64][33];
    const int tx = threadIdx.x, ty = threadIdx.y;  // 32 x 8
    for (int i = ty; i < 64; i += 8) tile[i][tx] = in[((blockIdx.y * 64 + i) * cols + blockIdx.x * 64) / 2 + tx];
    __syncthreads();
    for (int i = ty; i < 32; i += 8) {
        const __half2 a = tile[2 * tx][i], b = tile[2 * tx + 1][i];
        const int to = ((blockIdx.x * 64 + 2 * i) * rows + blockIdx.y * 64) / 2 + tx;
        out[to] = __lows2half2(a, b);
        out[to + rows / 2] = __highs2half2(a, b);
    }
}

extern "C" __global__ void transpose_double(const double* __restrict__ in, double* __restrict__ out, int rows, int cols)
{
    __shared__ double tile[16][16 + PAD];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

// Each thread turns 4 x 4 floats; no shared memory.
extern "C" __global__ void transpose_4x4_registers(const float4* in, float4* out, int rows4, int cols4)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= cols4 || y >= rows4) return;
    const float4 a = in[(4 * y) * cols4 + x], b = in[(4 * y + 1) * cols4 + x], c = in[(4 * y + 2) * cols4 + x], d = in[(4 * y + 3) * cols4 + x];
    out[(4 * x) * rows4 + y] = make_float4(a.x, b.x, c.x, d.x);
    out[(4 * x + 1) * rows4 + y] = make_float4(a.y, b.y, c.y, d.y);
    out[(4 * x + 2) * rows4 + y] = make_float4(a.z, b.z, c.z, d.z);
    out[(4 * x + 3) * rows4 + y] = make_float4(a.w, b.w, c.w, d.w);
}

// float4 in and out, chunks of 16 bytes exclusive-ored by the row's quarter.
extern "C" __global__ void transpose_f4_swizzled(const float4* in, float4* out, int rows, int cols)
{
    __shared__ float4 tile[32][8];
    const int t = threadIdx.x, r = t / 8, c = t % 8;  // 256
    tile[r][c ^ (r / 4)] = in[((blockIdx.y * 32 + r) * cols + blockIdx.x * 32) / 4 + c];
    __syncthreads();
    const float* f = (const float*)tile;
    float v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = f[(c * 4 + i) * 32 + ((r / 4) ^ c) * 4 + r % 4];
    out[((blockIdx.x * 32 + r) * rows + blockIdx.y * 32) / 4 + c] = make_float4(v[0], v[1], v[2], v[3]);
}

// In place: each block of the lower triangle trades its tile with the mirrored one.
extern "C" __global__ void transpose_in_place(float2* m, int n)
{
    __shared__ float2 a[16][17], b[16][17];
    int row = 0, i = blockIdx.x;
    while (i > row) i -= ++row;
    const int x = threadIdx.x, y = threadIdx.y;
    float2* low = m + row * 16 * n + i * 16;
    float2* high = m + i * 16 * n + row * 16;
    a[y][x] = low[y * n + x];
    if (row != i) b[y][x] = high[y * n + x];
    __syncthreads();
    high[y * n + x] = a[x][y];
    if (row != i) low[y * n + x] = b[x][y];
}

// N C (HW) -> N (HW) C, 24 channels at a time.
extern "C" __global__ void nchw_to_nhwc(const float* __restrict__ in, float* __restrict__ out, int C, int HW)
{
    __shared__ float tile[24][33];
    const int n = blockIdx.z, c0 = blockIdx.y * 24, p0 = blockIdx.x * 32, t = threadIdx.x;  // 192
    for (int i = t; i < 24 * 32; i += blockDim.x) {
        const int c = i / 32, p = i % 32;
        if (c0 + c < C && p0 + p < HW) tile[c][p] = in[(n * C + c0 + c) * HW + p0 + p];
    }
    __syncthreads();
    for (int i = t; i < 24 * 32; i += blockDim.x) {
        const int p = i / 24, c = i % 24;
        if (c0 + c < C && p0 + p < HW) out[(n * HW + p0 + p) * C + c0 + c] = tile[c][p];
    }
}

// 3-D permutation by strides, one element a thread.
extern "C" __global__ void permute_3d(const unsigned short* in, unsigned short* out, int d0, int d1, int d2, int s0, int s1, int s2)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < d0 * d1 * d2; i += gridDim.x * blockDim.x) {
        const int c = i % d2, b = i / d2 % d1, a = i / (d2 * d1);
        out[a * s0 + b * s1 + c * s2] = in[i];
    }
}

struct R12 { float x, y, z; };
struct R20 { float x, y, z; int id; unsigned short u, v; };
struct R24 { double t; float x, y; int k; };
struct R40 { float2 p, v; double m; int tag[4]; };

extern "C" __global__ void advance_12(R12* p, const R12* v, float dt, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    R12 a = p[i];
    const R12 b = v[i];
    a.x += dt * b.x; a.y += dt * b.y; a.z += dt * b.z;
    p[i] = a;
}
extern "C" __global__ void pick_20(const R20* r, float* len, unsigned* uv, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        len[i] = r[i].x + r[i].z * (r[i].id & 3);
        uv[i] = r[i].u * 3u + r[i].v;
    }
}
extern "C" __global__ void sort_out_24(const R24* __restrict__ r, double* t, float* x, float* y, int* k, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    t[i] = r[i].t; x[i] = r[i].x; y[i] = r[i].y; k[i] = r[i].k;
}
extern "C" __global__ void shuffle_40(const R40* in, R40* out, int n, int step)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[(long)i * step % n] = in[i];
}
// 12-byte records through shared memory as words.
extern "C" __global__ void staged_12(const float* in, float* out, int n)
{
    __shared__ float s[3 * 96];
    const int base = blockIdx.x * 96 * 3, t = threadIdx.x;
    for (int j = 0; j < 3; ++j) if (base + t + j * 96 < 3 * n) s[t + j * 96] = in[base + t + j * 96];
    __syncthreads();
    if (blockIdx.x * 96 + t < n) {
        R12* r = (R12*)s + t;
        const float q = rsqrtf(r->x * r->x + r->y * r->y + r->z * r->z + 1e-3f);
        r->x *= q; r->y *= q; r->z *= q;
    }
    __syncthreads();
    for (int j = 0; j < 3; ++j) if (base + t + j * 96 < 3 * n) out[base + t + j * 96] = s[t + j * 96];
}
// Arrays of structures of 8 arrays each: x[8], y[8], z[8], w[8].
extern "C" __global__ void aosoa(const float* a, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float* p = a + i / 8 * 32 + i % 8;
    out[i] = p[0] * p[8] + p[16] * p[24];
}
extern "C" __global__ void gather_scatter(const unsigned* __restrict__ index, const float2* from, float2* to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[(i * 37 + 5) % n] = from[index[i] % n];
}
extern "C" __global__ void offset_stride(const float* in, float* out, int n, int offset, int stride)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride + offset;
    if (i < n) out[i] = in[i] + 1;
}
// Three bytes a pixel, four pixels a thread packed by shifts.
extern "C" __global__ void rgb_to_rgba(const unsigned char* rgb, uchar4* rgba, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) rgba[i] = make_uchar4(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], 255);
}
extern "C" __global__ void rgba_to_rgb12(const uint4* in, uint3* out, int n4)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    const uint4 p = in[i];
    out[i] = make_uint3(__byte_perm(p.x, p.y, 0x4210), __byte_perm(p.y, p.z, 0x5421), __byte_perm(p.z, p.w, 0x6542));
}
extern "C" __global__ void shorts_swapped(const short* in, short* out, const char2* bytes, char* sum, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i ^ 1] = in[n - 1 - i];
    const char2 b = bytes[i];
    sum[i] = b.x + b.y;
}
