// Stencils, convolutions, pooling and filters.
#include <cstdint>

#define RADIUS 4
#define at2(p, x, y, w) p[(y) * (w) + (x)]

__constant__ float taps[2 * RADIUS + 1] = {0.02f, 0.05f, 0.12f, 0.2f, 0.22f, 0.2f, 0.12f, 0.05f, 0.02f};
__constant__ float mask5[5][5] = {{1, 4, 7, 4, 1}, {4, 16, 26, 16, 4}, {7, 26, 41, 26, 7}, {4, 16, 26, 16, 4}, {1, 4, 7, 4, 1}};
__constant__ int8_t sobel[2][9] = {{-1, 0, 1, -2, 0, 2, -1, 0, 1}, {-1, -2, -1, 0, 0, 0, 1, 2, 1}};

// heat equation, five points, borders copied
extern "C" __global__ void heat2d(const float *u, float *next, int w, int h, float k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        at2(next, x, y, w) = at2(u, x, y, w);
        return;
    }
    float c = at2(u, x, y, w);
    at2(next, x, y, w) = c + k * (at2(u, x - 1, y, w) + at2(u, x + 1, y, w) + at2(u, x, y - 1, w) + at2(u, x, y + 1, w) - 4.0f * c);
}

// one-dimensional stencil with a halo in shared memory
template <int BLOCK>
__global__ void stencil_1d(const float *in, float *out, int n) {
    __shared__ float temp[BLOCK + 2 * RADIUS];
    int g = threadIdx.x + blockIdx.x * BLOCK;
    int l = threadIdx.x + RADIUS;
    temp[l] = g < n ? in[g] : 0.f;
    if (threadIdx.x < RADIUS) {
        temp[l - RADIUS] = g >= RADIUS && g - RADIUS < n ? in[g - RADIUS] : 0.f;
        temp[l + BLOCK] = g + BLOCK < n ? in[g + BLOCK] : 0.f;
    }
    __syncthreads();
    float r = 0;
#pragma unroll
    for (int o = -RADIUS; o <= RADIUS; o++) r += temp[l + o] * taps[o + RADIUS];
    if (g < n) out[g] = r;
}

// seven points in space, planes kept in registers while z advances
template <unsigned BX, unsigned BY>
__global__ void stencil_3d_march(const float *__restrict__ in, float *__restrict__ out, unsigned N) {
    __shared__ float plane[BY][BX];
    const int x = blockIdx.x * (BX - 2) + threadIdx.x - 1;
    const int y = blockIdx.y * (BY - 2) + threadIdx.y - 1;
    const bool in_grid = x >= 0 && x < (int)N && y >= 0 && y < (int)N;
    const bool inner = threadIdx.x > 0 && threadIdx.x < BX - 1 && threadIdx.y > 0 && threadIdx.y < BY - 1 && x >= 1 &&
                       x < (int)N - 1 && y >= 1 && y < (int)N - 1;
    float prev = in_grid ? in[y * N + x] : 0.f;
    float curr = in_grid ? in[N * N + y * N + x] : 0.f;
    for (unsigned z = 1; z < N - 1; ++z) {
        float next = in_grid ? in[(z + 1) * N * N + y * N + x] : 0.f;
        plane[threadIdx.y][threadIdx.x] = curr;
        __syncthreads();
        if (inner)
            out[z * N * N + y * N + x] = 0.4f * curr + 0.1f * (prev + next + plane[threadIdx.y][threadIdx.x - 1] +
                                                              plane[threadIdx.y][threadIdx.x + 1] +
                                                              plane[threadIdx.y - 1][threadIdx.x] + plane[threadIdx.y + 1][threadIdx.x]);
        __syncthreads();
        prev = curr;
        curr = next;
    }
}

// 5x5 convolution, input tile larger than the output tile, mask in constant memory
template <int OUT_TILE>
__global__ void conv2d_const(const float *N, float *P, int width, int height) {
    constexpr int IN_TILE = OUT_TILE + 4;
    __shared__ float N_s[IN_TILE][IN_TILE];
    int col = blockIdx.x * OUT_TILE + threadIdx.x - 2;
    int row = blockIdx.y * OUT_TILE + threadIdx.y - 2;
    N_s[threadIdx.y][threadIdx.x] = (row >= 0 && row < height && col >= 0 && col < width) ? N[row * width + col] : 0.0f;
    __syncthreads();
    int tileCol = threadIdx.x - 2, tileRow = threadIdx.y - 2;
    if (col >= 0 && col < width && row >= 0 && row < height)
        if (tileCol >= 0 && tileCol < OUT_TILE && tileRow >= 0 && tileRow < OUT_TILE) {
            float Pvalue = 0.0f;
            for (int fr = 0; fr < 5; fr++)
                for (int fc = 0; fc < 5; fc++) Pvalue += mask5[fr][fc] * N_s[tileRow + fr][tileCol + fc];
            P[row * width + col] = Pvalue / 273.0f;
        }
}

struct ConvShape {
    int C, H, W, K, R, S, stride, pad;
};

// direct convolution, NCHW, any filter; blockIdx.z is the output channel
extern "C" __global__ void conv2d_direct(const float *__restrict__ x, const float *__restrict__ f, const float *__restrict__ bias,
                                         float *__restrict__ y, ConvShape s) {
    const int OH = (s.H + 2 * s.pad - s.R) / s.stride + 1, OW = (s.W + 2 * s.pad - s.S) / s.stride + 1;
    const int ow = blockIdx.x * blockDim.x + threadIdx.x, oh = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
    if (ow >= OW || oh >= OH) return;
    float acc = bias[k];
    for (int c = 0; c < s.C; ++c)
        for (int r = 0; r < s.R; ++r) {
            int ih = oh * s.stride - s.pad + r;
            if (ih < 0 || ih >= s.H) continue;
            for (int q = 0; q < s.S; ++q) {
                int iw = ow * s.stride - s.pad + q;
                if (iw >= 0 && iw < s.W) acc += x[(c * s.H + ih) * s.W + iw] * __ldg(&f[((k * s.C + c) * s.R + r) * s.S + q]);
            }
        }
    y[(k * OH + oh) * OW + ow] = acc > 0 ? acc : 0;
}

// depthwise 3x3 on NHWC, a thread four channels
extern "C" __global__ void depthwise_nhwc4(const float4 *x, const float4 *w, float4 *y, int H, int W, int C4) {
    int c = threadIdx.x, ow = blockIdx.x * blockDim.y + threadIdx.y, oh = blockIdx.y;
    if (c >= C4 || ow >= W) return;
    float4 a{0.f, 0.f, 0.f, 0.f};
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
        for (int dx = -1; dx <= 1; ++dx) {
            int ih = oh + dy, iw = ow + dx;
            if ((unsigned)ih < (unsigned)H && (unsigned)iw < (unsigned)W) {
                float4 v = x[(ih * W + iw) * C4 + c], k = w[((dy + 1) * 3 + dx + 1) * C4 + c];
                a.x += v.x * k.x;
                a.y += v.y * k.y;
                a.z += v.z * k.z;
                a.w += v.w * k.w;
            }
        }
    y[(oh * W + ow) * C4 + c] = a;
}

#define SWAP_SORT(a, b)                \
    {                                  \
        unsigned char t_ = min(a, b);  \
        b = max(a, b);                 \
        a = t_;                        \
    }

// median of nine bytes by a sorting network
extern "C" __global__ void median3x3(const uint8_t *src, uint8_t *dst, int w, int h, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    unsigned char v[9];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) v[j * 3 + i] = src[(y + j - 1) * pitch + x + i - 1];
    SWAP_SORT(v[1], v[2]) SWAP_SORT(v[4], v[5]) SWAP_SORT(v[7], v[8]) SWAP_SORT(v[0], v[1])
    SWAP_SORT(v[3], v[4]) SWAP_SORT(v[6], v[7]) SWAP_SORT(v[1], v[2]) SWAP_SORT(v[4], v[5])
    SWAP_SORT(v[7], v[8]) SWAP_SORT(v[0], v[3]) SWAP_SORT(v[5], v[8]) SWAP_SORT(v[4], v[7])
    SWAP_SORT(v[3], v[6]) SWAP_SORT(v[1], v[4]) SWAP_SORT(v[2], v[5]) SWAP_SORT(v[4], v[7])
    SWAP_SORT(v[4], v[2]) SWAP_SORT(v[6], v[4]) SWAP_SORT(v[4], v[2])
    dst[y * pitch + x] = v[4];
}

// edges: gradient by a loop over constant bytes
extern "C" __global__ void sobel_edges(const uint8_t *src, uint8_t *dst, int w, int h) {
    extern __shared__ uint8_t win[];
    const int sw = blockDim.x + 2, sh = blockDim.y + 2;
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < sw * sh; i += blockDim.x * blockDim.y) {
        int gx = (int)(blockIdx.x * blockDim.x) + i % sw - 1, gy = (int)(blockIdx.y * blockDim.y) + i / sw - 1;
        gx = max(0, min(w - 1, gx));
        gy = max(0, min(h - 1, gy));
        win[i] = src[gy * w + gx];
    }
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int g[2] = {0, 0};
    for (int d = 0; d < 2; ++d)
        for (int i = 0; i < 9; ++i) g[d] += sobel[d][i] * win[(threadIdx.y + i / 3) * sw + threadIdx.x + i % 3];
    float m = hypotf((float)g[0], (float)g[1]);
    dst[y * w + x] = m > 255.f ? 255 : (uint8_t)m;
}

// bilateral filter with device functions that are not inlined
__device__ __noinline__ float closeness(float d2, float inv) { return __expf(-d2 * inv); }

extern "C" __global__ void bilateral(const float *in, float *out, int w, int h, int radius, float ss, float sr) {
    int x = blockDim.x * blockIdx.x + threadIdx.x, y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float centre = in[y * w + x], sum = 0, norm = 0;
    for (int dy = max(-radius, -y); dy <= min(radius, h - 1 - y); ++dy)
        for (int dx = max(-radius, -x); dx <= min(radius, w - 1 - x); ++dx) {
            float v = in[(y + dy) * w + x + dx];
            float k = closeness(dx * dx + dy * dy, ss) * closeness((v - centre) * (v - centre), sr);
            sum += k * v;
            norm += k;
        }
    out[y * w + x] = sum / norm;
}

// game of life on bytes, wrapping round
extern "C" __global__ void life(const uint8_t *a, uint8_t *b, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    int l = (x + n - 1) % n, r = (x + 1) % n, u = (y + n - 1) % n * n, d = (y + 1) % n * n, m = y * n;
    int alive = (a[u + l] & 1) + (a[u + x] & 1) + (a[u + r] & 1) + (a[m + l] & 1) + (a[m + r] & 1) + (a[d + l] & 1) + (a[d + x] & 1) + (a[d + r] & 1);
    switch (alive) {
        case 2: b[m + x] = a[m + x] & 1; break;
        case 3: b[m + x] = 1; break;
        default: b[m + x] = 0;
    }
}

// red-black relaxation in place
extern "C" __global__ void red_black(double *u, const double *rhs, int n, int colour, double omega) {
    int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + ((j + colour) & 1);
    if (i < n - 1 && j < n - 1) {
        double *p = u + j * n + i;
        double r = 0.25 * (p[-1] + p[1] + p[-n] + p[n] - rhs[j * n + i]) - *p;
        *p += omega * r;
    }
}
