// Studies of global memory: strides, offsets, layouts of records, gathers, widths.
#include <cstdint>

extern "C" __global__ void stride_copy(float *odata, const float *idata, int stride, int n) {
    int xid = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (xid < n) odata[xid] = idata[xid];
}

extern "C" __global__ void offset_copy(float *__restrict__ odata, float *__restrict__ idata, int s) {
    int i = blockDim.x * blockIdx.x + threadIdx.x + s;
    odata[i] = idata[i] + 1;
}

// blocked (each thread its own run) or striped (neighbours side by side)
template <bool Striped, int ITEMS>
__global__ void saxpy_assigned(size_t n, float a, const float *x, float *y) {
    size_t base = (size_t)blockIdx.x * blockDim.x * ITEMS;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        size_t k = Striped ? base + i * blockDim.x + threadIdx.x : base + threadIdx.x * ITEMS + i;
        if (k < n) y[k] = a * x[k] + y[k];
    }
}

struct Vec3 {
    float x, y, z;
};
struct Particle20 {
    float x, y;
    float vx, vy;
    int alive;
};

extern "C" __global__ void normalize_aos12(Vec3 *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Vec3 p = v[i];
    float inv = rsqrtf(p.x * p.x + p.y * p.y + p.z * p.z + 1e-6f);
    v[i] = Vec3{p.x * inv, p.y * inv, p.z * inv};
}

extern "C" __global__ void step_aos20(Particle20 *p, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (p[i].alive & 1)) {
        p[i].x += p[i].vx * dt;
        p[i].y += p[i].vy * dt;
        if (p[i].x * p[i].x + p[i].y * p[i].y > 1.0f) p[i].alive = 0;
    }
}

struct ParticlesSoA {
    float *x, *y, *vx, *vy;
    int *alive;
};

extern "C" __global__ void step_soa(ParticlesSoA p, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (p.alive[i] & 1)) {
        p.x[i] += p.vx[i] * dt;
        p.y[i] += p.vy[i] * dt;
        if (p.x[i] * p.x[i] + p.y[i] * p.y[i] > 1.0f) p.alive[i] = 0;
    }
}

// arrays of structures of W-wide arrays
template <int W>
struct Chunk {
    float re[W];
    float im[W];
    uint8_t tag[W];
};

template <int W>
__global__ void magnitude_aosoa(const Chunk<W> *c, float *mag, int n) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
        const Chunk<W> &k = c[i / W];
        int j = i % W;
        float m = k.re[j] * k.re[j] + k.im[j] * k.im[j];
        mag[i] = k.tag[j] > 127 ? sqrtf(m) : m;
    }
}

// gather of whole rows by an index array (embedding lookup), VEC floats at a time
template <typename Index, typename V>
__global__ void embedding_rows(const Index *__restrict__ ids, const V *__restrict__ table, V *__restrict__ out, int tokens,
                               int width) {
    int token = blockIdx.x * blockDim.y + threadIdx.y;
    if (token >= tokens) return;
    const V *row = table + (size_t)ids[token] * width;
    for (int c = threadIdx.x; c < width; c += blockDim.x) out[(size_t)token * width + c] = __ldg(&row[c]);
}

extern "C" __global__ void gather_hashed(const unsigned *__restrict__ key, const double *__restrict__ val, double *out, unsigned n,
                                         unsigned buckets) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = key[i];
    h ^= h >> 16;
    h *= 0x7feb352dU;
    h ^= h >> 15;
    out[i] = val[h % buckets];
}

// a scatter along an odd multiplier: a permutation of 2^k slots
extern "C" __global__ void scatter_permuted(const int2 *in, int2 *out, unsigned mask, unsigned mul, unsigned add) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= mask) out[(i * mul + add) & mask] = in[i];
}

// bit reversal of positions
extern "C" __global__ void bit_reverse(const float2 *in, float2 *out, int bits) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (1u << bits)) out[__brev(i) >> (32 - bits)] = in[i];
}

// same bytes, other widths
template <typename T>
__global__ void copy_width(const void *src, void *dst, size_t bytes) {
    const T *s = static_cast<const T *>(src);
    T *d = static_cast<T *>(dst);
    const size_t n = bytes / sizeof(T);
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) d[i] = s[i];
}

// floats from an odd start: scalar head, float4 body, scalar tail
extern "C" __global__ void scale_unaligned(const float *in, float *out, int start, int n, float f) {
    in += start;
    out += start;
    int head = (int)((16 - ((uintptr_t)in & 15)) & 15) / 4;
    if (head > n) head = n;
    int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    if (t < head) out[t] = in[t] * f;
    int body = (n - head) / 4;
    const float4 *in4 = reinterpret_cast<const float4 *>(in + head);
    float4 *out4 = reinterpret_cast<float4 *>(out + head);
    for (int i = t; i < body; i += all) {
        float4 v = in4[i];
        v.x *= f, v.y *= f, v.z *= f, v.w *= f;
        out4[i] = v;
    }
    int tail = head + body * 4 + t;
    if (tail < n) out[tail] = in[tail] * f;
}

// 3-byte pixels to grey, two roundings
extern "C" __global__ void rgb_to_gray(const unsigned char *rgb, unsigned char *gray, float *lum, int width, int height) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < width && row < height) {
        int o = row * width + col;
        const unsigned char *p = &rgb[o * 3];
        float l = 0.21f * p[0] + 0.72f * p[1] + 0.07f * p[2];
        gray[o] = (unsigned char)l;
        lum[o] = l;
    }
}

// four records of different width per element
extern "C" __global__ void mixed_widths(const uint8_t *a, const uint16_t *b, const float *c, const ulonglong2 *d,
                                        unsigned long long *out, uint16_t *small, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        ulonglong2 w = d[i];
        out[i] = w.x + w.y + a[i] + (unsigned long long)(c[i] * 100.f + 200.f);
        small[i] = (uint16_t)(b[i] >> 3 | a[i] << 8);
    }
}

// fixed number of hops along a table
extern "C" __global__ void hop_table(const uint8_t *__restrict__ next, uint8_t *end, int hops, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint8_t at = (uint8_t)i;
    for (int h = 0; h < hops; ++h) at = next[at];
    end[i] = at;
}

// streaming loads and stores, cached table
extern "C" __global__ void streaming_lut(const uchar2 *in, const float *__restrict__ lut, float2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uchar2 p = __ldcs(in + i);
        __stcs(out + i, make_float2(__ldg(lut + p.x), __ldca(lut + p.y)));
    }
}

// sums along rows (warp walks a row) or down columns
template <bool Rows>
__global__ void pitched_sums(const char *base, size_t pitch, int w, int h, float *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (Rows ? h : w)) return;
    float s = 0;
    if (Rows) {
        const float *row = (const float *)(base + i * pitch);
#pragma unroll 4
        for (int x = 0; x < w; ++x) s += row[x];
    } else {
        for (int y = 0; y < h; ++y) s += ((const float *)(base + y * pitch))[i];
    }
    sum[i] = s;
}
