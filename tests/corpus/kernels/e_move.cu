// Transposes, permutations, copies, gathers.
#include <cuda_fp16.h>
typedef unsigned char u8;

template <typename T, int TX, int TY, int PAD>
__global__ void transpose_rect(const T *__restrict__ in, T *__restrict__ out, int rows, int cols)
{
    __shared__ T tile[TY][TX + PAD];
    const int bx = blockIdx.x * TX, by = blockIdx.y * TY;
    int x = bx + threadIdx.x;
    for (int j = threadIdx.y; j < TY; j += blockDim.y)
        if (x < cols && by + j < rows) tile[j][threadIdx.x] = in[(size_t)(by + j) * cols + x];
    __syncthreads();
    const int nt = TX * blockDim.y;
    for (int e = threadIdx.y * TX + threadIdx.x; e < TX * TY; e += nt) {
        int r = e / TY, c = e % TY;
        if (bx + r < cols && by + c < rows) out[(size_t)(bx + r) * rows + by + c] = tile[c][r];
    }
}

// V elements at once through shared memory.
template <typename V, typename S, int W>
__global__ void transpose_vec(const V *in, V *out, int n)
{
    __shared__ __align__(16) S t[32][33];
    // a 32 x 32 tile; block of 32/W x 32
    const int bx = blockIdx.x * 32, by = blockIdx.y * 32;
    V v = in[((by + threadIdx.y) * n + bx) / W + threadIdx.x];
    const S *p = reinterpret_cast<const S *>(&v);
#pragma unroll
    for (int i = 0; i < W; i++) t[threadIdx.y][threadIdx.x * W + i] = p[i];
    __syncthreads();
    S q[W];
#pragma unroll
    for (int i = 0; i < W; i++) q[i] = t[threadIdx.x * W + i][threadIdx.y];
    out[((bx + threadIdx.y) * n + by) / W + threadIdx.x] = *reinterpret_cast<V *>(q);
}

__global__ void transpose_inplace(float *a, int n, int nb)
{
    __shared__ float s[2][16][17];
    // block k of the upper triangle
    int k = blockIdx.x, i = 0;
    while (k >= nb - i) { k -= nb - i; ++i; }
    const int j = i + k;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const bool in1 = i * 16 + ty < n && j * 16 + tx < n, in2 = j * 16 + ty < n && i * 16 + tx < n;
    if (in1) s[0][ty][tx] = a[(i * 16 + ty) * n + j * 16 + tx];
    if (i != j && in2) s[1][ty][tx] = a[(j * 16 + ty) * n + i * 16 + tx];
    __syncthreads();
    if (i == j) {
        if (in1) a[(i * 16 + ty) * n + j * 16 + tx] = s[0][tx][ty];
        return;
    }
    if (in1) a[(i * 16 + ty) * n + j * 16 + tx] = s[1][tx][ty];
    if (in2) a[(j * 16 + ty) * n + i * 16 + tx] = s[0][tx][ty];
}

template <typename T>
__global__ void transpose_xor(const T *in, T *out, int n)
{
    __shared__ T s[32 * 32];
    const int x = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) s[y * 32 + (x ^ y)] = in[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y) out[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = s[x * 32 + (x ^ y)];
}

// NCHW -> NHWC in the simple way, one thread an output element.
template <typename T, bool BACK>
__global__ void permute_channels(const T *src, T *dst, int N, int C, int H, int W)
{
    const int total = N * C * H * W;
    for (int o = blockIdx.x * blockDim.x + threadIdx.x; o < total; o += gridDim.x * blockDim.x) {
        int r = o, i;
        if (!BACK) {
            int c = r % C; r /= C;
            int w = r % W; r /= W;
            int h = r % H; int n = r / H;
            i = ((n * C + c) * H + h) * W + w;
        } else {
            int w = r % W; r /= W;
            int h = r % H; r /= H;
            int c = r % C; int n = r / C;
            i = ((n * H + h) * W + w) * C + c;
        }
        dst[o] = src[i];
    }
}

struct Dims { int d[4]; int stride[4]; };
__global__ void permute_any(const float *in, float *out, Dims o, int rank, unsigned total)
{
    unsigned lin = blockIdx.x * blockDim.x + threadIdx.x;
    if (lin >= total) return;
    unsigned rest = lin, at = 0;
    for (int i = rank - 1; i >= 0; --i) {
        unsigned q = rest / o.d[i];
        at += (rest - q * o.d[i]) * o.stride[i];
        rest = q;
    }
    out[lin] = in[at];
}

template <typename V>
__global__ void copy_strided(const V *in, V *out, int n, int offset, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i * stride + offset] = in[i * stride + offset];
}

// A memcpy of bytes: head and tail single, the middle in 16s.
__global__ void memcpy_bytes(u8 *dst, const u8 *src, unsigned shift, unsigned long long count)
{
    dst += shift;
    src += shift;
    unsigned long long t = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x, nt = (unsigned long long)gridDim.x * blockDim.x;
    unsigned head = (16 - (unsigned)((size_t)dst & 15)) & 15;
    if (head > count) head = count;
    if (t < head) dst[t] = src[t];
    unsigned long long mid = (count - head) / 16;
    const uint4 *s4 = (const uint4 *)(src + head);
    uint4 *d4 = (uint4 *)(dst + head);
    for (unsigned long long i = t; i < mid; i += nt) d4[i] = __ldcs(s4 + i);
    unsigned long long done = head + mid * 16;
    for (unsigned long long i = done + t; i < count; i += nt) dst[i] = src[i];
}

template <int ITEMS>
__global__ void __launch_bounds__(128) copy_blocked(const float2 *__restrict__ in, float2 *__restrict__ out, int n)
{
    float2 r[ITEMS];
    int base = blockIdx.x * 128 * ITEMS + threadIdx.x * ITEMS;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) if (base + i < n) r[i] = in[base + i];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) if (base + i < n) out[base + i] = make_float2(r[i].y, r[i].x);
}

struct Particle { float x, y, z; int id; double m; short tag; };
struct Arrays { float *x, *y, *z; int *id; double *m; short *tag; };
__global__ void aos_to_soa(const Particle *p, Arrays a, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    Particle q = p[i];
    a.x[i] = q.x; a.y[i] = q.y; a.z[i] = q.z;
    a.id[i] = q.id;
    a.m[i] = q.m;
    a.tag[i] = q.tag;
}

// float3 staged through shared memory so that global accesses are whole.
template <int BS>
__global__ void scale_float3(const float *in, float *out, int n3, float sx, float sy, float sz)
{
    __shared__ float s[BS * 3];
    const int base = blockIdx.x * BS * 3;
#pragma unroll
    for (int j = 0; j < 3; j++) {
        int e = base + j * BS + threadIdx.x;
        s[j * BS + threadIdx.x] = e < n3 ? in[e] : 0.f;
    }
    __syncthreads();
    float3 v = reinterpret_cast<float3 *>(s)[threadIdx.x];
    v.x *= sx; v.y *= sy; v.z *= sz;
    __syncthreads();
    reinterpret_cast<float3 *>(s)[threadIdx.x] = v;
    __syncthreads();
    for (int j = 0; j < 3; j++) {
        int e = base + j * BS + threadIdx.x;
        if (e < n3) out[e] = s[j * BS + threadIdx.x];
    }
}

template <typename T, typename I>
__global__ void gather_scatter(const T *src, const I *idx, T *dst, unsigned n, unsigned mask, unsigned mul)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned from = (unsigned)idx[i] & mask;      // anything
    unsigned to = (i * mul) & mask;               // a permutation, mul odd
    if (from % 5 == 3) return;
    dst[to] = src[from];
}

// Bilinear resize of u8 pixels with C channels.
template <int C>
__global__ void resize_bilinear(const u8 *__restrict__ in, u8 *__restrict__ out, int ih, int iw, int oh, int ow, bool corners)
{
    int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ox >= ow || oy >= oh) return;
    float fx, fy;
    if (corners) {
        fx = ox * (float)(iw - 1) / (ow - 1);
        fy = oy * (float)(ih - 1) / (oh - 1);
    } else {
        fx = fmaxf((ox + 0.5f) * iw / ow - 0.5f, 0.f);
        fy = fmaxf((oy + 0.5f) * ih / oh - 0.5f, 0.f);
    }
    int x0 = (int)floorf(fx), y0 = (int)floorf(fy), x1 = min(x0 + 1, iw - 1), y1 = min(y0 + 1, ih - 1);
    float dx = fx - x0, dy = fy - y0;
#pragma unroll
    for (int c = 0; c < C; c++) {
        float a = in[(y0 * iw + x0) * C + c], b = in[(y0 * iw + x1) * C + c];
        float d = in[(y1 * iw + x0) * C + c], e = in[(y1 * iw + x1) * C + c];
        float t = a + (b - a) * dx, u = d + (e - d) * dx;
        out[(oy * ow + ox) * C + c] = (u8)__float2int_rn(t + (u - t) * dy);
    }
}
