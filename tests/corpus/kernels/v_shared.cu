// Studies of shared memory: banks, widths, broadcasts, small types, histograms, butterflies.
#include <cstdint>
#include <cuda_fp16.h>

// every thread reads with a stride of words; written linearly
extern "C" __global__ void bank_stride(float *out, const float *in, int stride, int rounds) {
    __shared__ float s[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = in[i];
    __syncthreads();
    float r = 0.f;
    int at = threadIdx.x * stride;
    for (int k = 0; k < rounds; k++) {
        r += s[at & 2047];
        at += 7;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = r;
}

// the stride as a template, writes conflict as well
template <typename T, int STRIDE>
__global__ void bank_write_read(const T *in, T *out) {
    __shared__ T s[256 * STRIDE];
    const int t = threadIdx.x;
    s[t * STRIDE] = in[blockIdx.x * 256 + t];
    __syncthreads();
    T v = s[(255 - t) * STRIDE];
    out[blockIdx.x * 256 + t] = v + v;
}

// 128-bit accesses at a stride of vectors, one component changed by a scalar store
extern "C" __global__ void bank_float4(const float4 *in, float4 *out, int stride) {
    extern __shared__ float4 vec[];
    int t = threadIdx.x;
    vec[(t * stride) % (blockDim.x)] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    float *flat = reinterpret_cast<float *>(vec);
    flat[t * 4 + (t & 3)] *= 2.0f;
    __syncthreads();
    float4 a = vec[t], b = vec[(t + 1) % blockDim.x];
    out[blockIdx.x * blockDim.x + t] = make_float4(a.x + b.w, a.y + b.z, a.z + b.y, a.w + b.x);
}

// groups of lanes read the same word
template <int GROUP>
__global__ void multicast(const int *in, int *out, int n) {
    __shared__ int s[32];
    if (threadIdx.x < 32) s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) v ^= s[((threadIdx.x / GROUP) * 5 + k) % 32];
    if (i < n) out[i] = v;
}

// bytes and shorts in shared memory, neighbours share words
template <typename Small>
__global__ void small_shift(const Small *in, Small *out, int shift, int n) {
    __shared__ Small s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : Small(0);
    __syncthreads();
    Small a = s[(threadIdx.x + shift) & 255], b = s[(threadIdx.x * 2) & 255];
    if (i < n) out[i] = Small(a > b ? a - b : b - a);
}

// histogram: one table a block
extern "C" __global__ void hist_block(const unsigned char *data, int n, unsigned *bins) {
    __shared__ unsigned local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (local[b]) atomicAdd(&bins[b], local[b]);
}

// one table a warp, rows padded; 4 bytes of data a load
template <int WARPS, int BINS>
__global__ void hist_per_warp(const uint32_t *data, int words, unsigned *partial) {
    __shared__ unsigned h[WARPS][BINS + 1];
    unsigned *mine = h[threadIdx.x / 32];
    for (int i = threadIdx.x; i < WARPS * (BINS + 1); i += WARPS * 32) (&h[0][0])[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        uint32_t w = data[i];
#pragma unroll
        for (int b = 0; b < 4; ++b) atomicAdd(mine + ((w >> (8 * b)) & 0xff) * BINS / 256, 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += WARPS * 32) {
        unsigned sum = 0;
        for (int w = 0; w < WARPS; ++w) sum += h[w][b];
        partial[blockIdx.x * BINS + b] = sum;
    }
}

// bins per thread in bytes, no atomics at all: s[bin][thread]
extern "C" __global__ void hist_private_bytes(const uint8_t *data, unsigned *bins, int per_thread) {
    __shared__ uint8_t s[32 * 64];
    uint32_t *w = (uint32_t *)s;
    for (int i = threadIdx.x; i < 32 * 64 / 4; i += 64) w[i] = 0;
    __syncthreads();
    const uint8_t *p = data + blockIdx.x * 64 * per_thread;
    for (int i = 0; i < per_thread; i++) s[(p[i * 64 + threadIdx.x] >> 3) * 64 + threadIdx.x]++;
    __syncthreads();
    if (threadIdx.x < 32) {
        unsigned sum = 0;
        for (int i = 0; i < 64; i++) sum += s[threadIdx.x * 64 + ((i + threadIdx.x * 4) & 63)];
        atomicAdd(bins + threadIdx.x, sum);
    }
}

// one pool, three arrays of different types
extern "C" __global__ void carved_pool(const double *d, const float *f, const short *h, double *out, int n) {
    extern __shared__ __align__(16) unsigned char pool[];
    double *sd = reinterpret_cast<double *>(pool);
    float *sf = reinterpret_cast<float *>(sd + blockDim.x);
    short *sh = reinterpret_cast<short *>(sf + blockDim.x + 2);
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    sd[t] = i < n ? d[i] : 0.0;
    sf[t + 1] = i < n ? f[i] : 0.f;
    if (t == 0) {
        sf[0] = i > 0 ? f[i - 1] : 0.f;
        sf[blockDim.x + 1] = i + (int)blockDim.x < n ? f[i + blockDim.x] : 0.f;
    }
    sh[t ^ 1] = i < n ? h[i] : (short)0;
    __syncthreads();
    if (i < n) out[i] = sd[blockDim.x - 1 - t] + 0.5 * (sf[t] + sf[t + 2]) + sh[t] % 10;
}

// sums over rows and columns of a padded tile
template <int PAD>
__global__ void row_col_sums(const float *m, float *rows, float *cols) {
    __shared__ float tile[32][32 + PAD];
    const float *src = m + blockIdx.x * 1024;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) tile[y][threadIdx.x] = src[y * 32 + threadIdx.x];
    __syncthreads();
    float acc = 0;
    if (threadIdx.y == 0) {
        for (int k = 0; k < 32; ++k) acc += tile[threadIdx.x][k];
        rows[blockIdx.x * 32 + threadIdx.x] = acc;
    } else if (threadIdx.y == 1) {
        for (int k = 0; k < 32; ++k) acc += tile[k][threadIdx.x];
        cols[blockIdx.x * 32 + threadIdx.x] = acc;
    }
}

// Walsh-Hadamard: strides from one to half the block
template <int LOG>
__global__ void hadamard(const float *in, float *out) {
    constexpr int N = 1 << LOG;
    __shared__ float s[N];
    const float *p = in + blockIdx.x * N;
    for (int i = threadIdx.x; i < N; i += N / 2) s[i] = p[i];
    for (int h = 1; h < N; h *= 2) {
        __syncthreads();
        int lo = (threadIdx.x / h) * 2 * h + threadIdx.x % h;
        float a = s[lo], b = s[lo + h];
        s[lo] = a + b;
        s[lo + h] = a - b;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += N / 2) out[blockIdx.x * N + i] = s[i] * (1.0f / N);
}

// bitonic sort of keys with their values
extern "C" __global__ void bitonic_pairs(unsigned *key, unsigned short *val, int n, int dir) {
    extern __shared__ unsigned keys[];
    unsigned short *vals = (unsigned short *)(keys + n);
    key += blockIdx.x * n;
    val += blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        keys[i] = key[i];
        vals[i] = val[i];
    }
    for (int size = 2; size <= n; size <<= 1) {
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            __syncthreads();
            int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            int up = ((threadIdx.x & (size / 2)) != 0) ^ dir;
            unsigned ka = keys[pos], kb = keys[pos + stride];
            if ((ka > kb) == up) {
                keys[pos] = kb;
                keys[pos + stride] = ka;
                unsigned short tmp = vals[pos];
                vals[pos] = vals[pos + stride];
                vals[pos + stride] = tmp;
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        key[i] = keys[i];
        val[i] = vals[i];
    }
}

// random look-ups in a table of halves, pairs packed
extern "C" __global__ void lookup_half(const half *table, const uint8_t *idx, half2 *out, int n) {
    __shared__ half t[256];
    t[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        out[i] = __halves2half2(t[idx[2 * i]], t[idx[2 * i + 1]]);
}
