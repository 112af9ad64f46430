// convolutionSeparable, dct8x8, sobel, bilateral, box filters, mandelbrot, recursive gaussian, fdtd3d, JPEG-like packing
#ifndef RAD
#define RAD 8
#endif
__constant__ float ck[2 * RAD + 1];
#define STEPS 4
#define BXR 16
#define BYR 4
#define HALO 1
extern "C" __global__ void conv_rows(float* dst, const float* src, int w, int h, int pitch)
{
    __shared__ float s[BYR][(STEPS + 2 * HALO) * BXR];
    const int bx = (blockIdx.x * STEPS - HALO) * BXR + threadIdx.x, by = blockIdx.y * BYR + threadIdx.y;
    src += by * pitch + bx; dst += by * pitch + bx;
#pragma unroll
    for (int i = HALO; i < HALO + STEPS; i++) s[threadIdx.y][threadIdx.x + i * BXR] = src[i * BXR];
#pragma unroll
    for (int i = 0; i < HALO; i++) s[threadIdx.y][threadIdx.x + i * BXR] = bx >= -i * BXR ? src[i * BXR] : 0;
#pragma unroll
    for (int i = HALO + STEPS; i < HALO + STEPS + HALO; i++) s[threadIdx.y][threadIdx.x + i * BXR] = w - bx > i * BXR ? src[i * BXR] : 0;
    __syncthreads();
#pragma unroll
    for (int i = HALO; i < HALO + STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -RAD; j <= RAD; j++) sum += (ck[RAD - j] + 0.1f * j) * s[threadIdx.y][threadIdx.x + i * BXR + j];
        dst[i * BXR] = sum;
    }
}
extern "C" __global__ void conv_cols(float* dst, const float* src, int w, int h, int pitch)
{
    __shared__ float s[BXR][(STEPS + 2 * HALO) * 8 + 1];
    const int bx = blockIdx.x * BXR + threadIdx.x, by = (blockIdx.y * STEPS - HALO) * 8 + threadIdx.y;
    src += by * pitch + bx; dst += by * pitch + bx;
#pragma unroll
    for (int i = HALO; i < HALO + STEPS; i++) s[threadIdx.x][threadIdx.y + i * 8] = src[i * 8 * pitch];
    s[threadIdx.x][threadIdx.y] = by >= 0 ? src[0] : 0;
    s[threadIdx.x][threadIdx.y + (HALO + STEPS) * 8] = h - by > (HALO + STEPS) * 8 ? src[(HALO + STEPS) * 8 * pitch] : 0;
    __syncthreads();
#pragma unroll
    for (int i = HALO; i < HALO + STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -RAD; j <= RAD; j++) sum += (ck[RAD - j] + 0.2f * j) * s[threadIdx.x][threadIdx.y + i * 8 + j];
        dst[i * 8 * pitch] = sum;
    }
}
// DCT of 8x8, one thread per column then per row
__device__ __forceinline__ void dct8(float* v, int st)
{
    float a = v[0] + v[7 * st], b = v[st] + v[6 * st], c = v[2 * st] + v[5 * st], d = v[3 * st] + v[4 * st];
    float e = v[0] - v[7 * st], f = v[st] - v[6 * st], g = v[2 * st] - v[5 * st], h = v[3 * st] - v[4 * st];
    float p = a + d, q = b + c, r = a - d, s = b - c;
    v[0] = 0.35355339f * (p + q); v[4 * st] = 0.35355339f * (p - q);
    v[2 * st] = 0.46193977f * r + 0.19134172f * s; v[6 * st] = 0.19134172f * r - 0.46193977f * s;
    v[st] = 0.49039264f * e + 0.41573481f * f + 0.27778512f * g + 0.09754516f * h;
    v[3 * st] = 0.41573481f * e - 0.09754516f * f - 0.49039264f * g - 0.27778512f * h;
    v[5 * st] = 0.27778512f * e - 0.49039264f * f + 0.09754516f * g + 0.41573481f * h;
    v[7 * st] = 0.09754516f * e - 0.27778512f * f + 0.41573481f * g - 0.49039264f * h;
}
#ifndef DSTR
#define DSTR 33
#endif
extern "C" __global__ void dct_two(float* dst, const float* src, int stride)
{
    __shared__ float blk[16 * DSTR];
    // block (8, 4, 2): 4 x 2 tiles of 8x8
    int ox = (threadIdx.y * 8) + threadIdx.x, oy = threadIdx.z * 8;
    float* p = blk + oy * DSTR + ox;
    src += (blockIdx.y * 16 + oy) * stride + blockIdx.x * 32 + ox;
    dst += (blockIdx.y * 16 + oy) * stride + blockIdx.x * 32 + ox;
#pragma unroll
    for (int i = 0; i < 8; i++) p[i * DSTR] = src[i * stride];
    __syncthreads();
    dct8(blk + (oy + threadIdx.x) * DSTR + threadIdx.y * 8, 1);
    __syncthreads();
    dct8(p, DSTR);
#pragma unroll
    for (int i = 0; i < 8; i++) dst[i * stride] = p[i * DSTR];
}
extern "C" __global__ void quantize(short* coef, int stride)
{
    __shared__ short Q[64];
    int l = threadIdx.y * 8 + threadIdx.x;
    Q[l] = 3 + l * 2 + threadIdx.y * 5;
    __syncthreads();
    int q = Q[(threadIdx.x * 8 + threadIdx.y)];
    short& c = coef[(blockIdx.y * 8 + threadIdx.y) * stride + blockIdx.x * 8 + threadIdx.x];
    int v = c;
    v = v < 0 ? -((-v + q / 2) / q) : (v + q / 2) / q;
    c = (short)(v * q);
}
__device__ unsigned char sob(unsigned char a, unsigned char b, unsigned char c, unsigned char d, unsigned char f, unsigned char g, unsigned char h, unsigned char i, float sc)
{
    short H = c + 2 * f + i - a - 2 * d - g, V = a + 2 * b + c - g - 2 * h - i;
    short s = (short)(sc * (abs((int)H) + abs((int)V)));
    return s < 0 ? 0 : s > 255 ? 255 : s;
}
extern "C" __global__ void sobel_tile(const unsigned char* in, uchar4* out, int w, int h, float sc)
{
    extern __shared__ unsigned char tile[];
    int tw = blockDim.x * 4 + 2, th = blockDim.y + 2, n = blockDim.x * blockDim.y;
    int x0 = blockIdx.x * blockDim.x * 4 - 1, y0 = blockIdx.y * blockDim.y - 1;
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < tw * th; i += n) {
        int x = min(max(x0 + i % tw, 0), w - 1), y = min(max(y0 + i / tw, 0), h - 1);
        tile[i] = in[y * w + x];
    }
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x * 4 >= w || y >= h) return;
    unsigned char* r0 = tile + threadIdx.y * tw + threadIdx.x * 4;
    unsigned char* r1 = r0 + tw; unsigned char* r2 = r1 + tw;
    unsigned char o[4];
#pragma unroll
    for (int k = 0; k < 4; k++) o[k] = sob(r0[k], r0[k + 1], r0[k + 2], r1[k], r1[k + 2], r2[k], r2[k + 1], r2[k + 2], sc);
    out[y * (w / 4) + x] = make_uchar4(o[0], o[1], o[2], o[3]);
}
extern "C" __global__ void bilateral(const uchar4* in, unsigned* out, int w, int h, float ed, int r)
{
    __shared__ float g[16];
    if (threadIdx.y == 0 && threadIdx.x <= 2 * r) { float d = (float)threadIdx.x - r; g[threadIdx.x] = expf(-d * d / 8.0f); }
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    uchar4 c0 = in[y * w + x];
    float s = 0, tr = 0, tg = 0, tb = 0;
    for (int i = -r; i <= r; i++)
        for (int j = -r; j <= r; j++) {
            int xx = x + j, yy = y + i;
            if (xx < 0 || xx >= w || yy < 0 || yy >= h) continue;
            uchar4 c = in[yy * w + xx];
            float dx = (c.x - c0.x) / 255.0f, dy = (c.y - c0.y) / 255.0f, dz = (c.z - c0.z) / 255.0f;
            float f = g[i + r] * g[j + r] * __expf(-(dx * dx + dy * dy + dz * dz) / (2 * ed * ed));
            s += f; tr += f * c.x; tg += f * c.y; tb += f * c.z;
        }
    out[y * w + x] = (unsigned)(tr / s) | ((unsigned)(tg / s) << 8) | ((unsigned)(tb / s) << 16) | ((unsigned)c0.w << 24);
}
template <typename T> __global__ void box_x(const T* id, T* od, int w, int h, int r)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= h) return;
    const T* in = id + y * w; T* out = od + y * w;
    T sc = T(1) / T(2 * r + 1), t = in[0] * r;
    for (int x = 0; x < r + 1; x++) t += in[x];
    out[0] = t * sc;
    for (int x = 1; x < r + 1; x++) { t += in[x + r]; t -= in[0]; out[x] = t * sc; }
    for (int x = r + 1; x < w - r; x++) { t += in[x + r]; t -= in[x - r - 1]; out[x] = t * sc; }
    for (int x = w - r; x < w; x++) { t += in[w - 1]; t -= in[x - r - 1]; out[x] = t * sc; }
}
extern "C" __global__ void box_y(const float* id, float* od, int w, int h, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    float sc = 1.0f / (2 * r + 1), t = id[x] * r;
    for (int y = 0; y <= r; y++) t += id[y * w + x];
    od[x] = t * sc;
    for (int y = 1; y < h; y++) {
        t += id[min(y + r, h - 1) * w + x] - id[max(y - r - 1, 0) * w + x];
        od[y * w + x] = t * sc;
    }
}
extern "C" __global__ void deriche(const unsigned* id, unsigned* od, int w, int h, float a0, float a1, float b1, float b2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    id += x; od += x;
    float4 xp = {0, 0, 0, 0}, yp = {0, 0, 0, 0}, yb = {0, 0, 0, 0};
    for (int y = 0; y < h; y++) {
        unsigned v = *id;
        float4 c = {(v & 255) / 255.0f, ((v >> 8) & 255) / 255.0f, ((v >> 16) & 255) / 255.0f, (v >> 24) / 255.0f}, o;
        o.x = a0 * c.x + a1 * xp.x - b1 * yp.x - b2 * yb.x; o.y = a0 * c.y + a1 * xp.y - b1 * yp.y - b2 * yb.y;
        o.z = a0 * c.z + a1 * xp.z - b1 * yp.z - b2 * yb.z; o.w = a0 * c.w + a1 * xp.w - b1 * yp.w - b2 * yb.w;
        *od = (unsigned)(__saturatef(o.x) * 255) | ((unsigned)(__saturatef(o.y) * 255) << 8) | ((unsigned)(__saturatef(o.z) * 255) << 16) | ((unsigned)(__saturatef(fabsf(o.w)) * 255) << 24);
        id += w; od += w;
        xp = c; yb = yp; yp = o;
    }
}
extern "C" __global__ void mandel(uchar4* dst, int w, int h, int crunch, float xo, float yo, float sc)
{
    __shared__ unsigned bx, by;
    int tilesX = (w + blockDim.x - 1) / blockDim.x, tilesY = (h + blockDim.y - 1) / blockDim.y;
    for (int b = blockIdx.x; b < tilesX * tilesY; b += gridDim.x) {
        if (threadIdx.x == 0 && threadIdx.y == 0) { bx = b % tilesX; by = b / tilesX; }
        __syncthreads();
        int ix = blockDim.x * bx + threadIdx.x, iy = blockDim.y * by + threadIdx.y;
        if (ix < w && iy < h) {
            float x0 = ix * sc + xo, y0 = iy * sc + yo, x = x0, y = y0, xx = x * x, yy = y * y;
            int i = crunch;
            while (--i && xx + yy < 4.0f) { y = 2 * x * y + y0; x = xx - yy + x0; yy = y * y; xx = x * x; }
            uchar4 c = {0, 0, 0, 0};
            if (i) { c.x = i * 3; c.y = i * 5; c.z = i * 7; }
            dst[w * iy + ix] = c;
        }
        __syncthreads();
    }
}
#ifndef FR
#define FR 4
#endif
__constant__ float fst[FR + 1];
extern "C" __global__ void fdtd3d(float* out, const float* in, int dx, int dy, int dz)
{
    constexpr int BX = 16, BY = 8;
    __shared__ float tile[BY + 2 * FR][BX + 2 * FR];
    int gx = blockIdx.x * BX + threadIdx.x, gy = blockIdx.y * BY + threadIdx.y, lx = threadIdx.x, ly = threadIdx.y, tx = lx + FR, ty = ly + FR;
    int sy = dx + 2 * FR, sz = sy * (dy + 2 * FR);
    bool valid = gx < dx && gy < dy;
    int ii = FR * sy + FR + gy * sy + gx, oi = 0;
    float infront[FR], behind[FR], cur;
    const int maxY = BY;
#pragma unroll
    for (int i = FR - 2; i >= 0; i--) { if (valid) behind[i] = in[ii]; ii += sz; }
    if (valid) cur = in[ii];
    oi = ii; ii += sz;
#pragma unroll
    for (int i = 0; i < FR; i++) { if (valid) infront[i] = in[ii]; ii += sz; }
    for (int iz = 0; iz < dz; iz++) {
#pragma unroll
        for (int i = FR - 1; i > 0; i--) behind[i] = behind[i - 1];
        behind[0] = cur; cur = infront[0];
#pragma unroll
        for (int i = 0; i < FR - 1; i++) infront[i] = infront[i + 1];
        if (valid) infront[FR - 1] = in[ii];
        ii += sz; oi += sz;
        __syncthreads();
        if (ly < FR && gx < dx) {
            tile[ly][tx] = in[oi - FR * sy];
            if (gy + maxY < dy + FR) tile[ly + maxY + FR][tx] = in[oi + maxY * sy];
        }
        if (lx < FR && gy < dy) {
            tile[ty][lx] = in[oi - FR];
            if (gx + BX < dx + FR) tile[ty][lx + BX + FR] = in[oi + BX];
        }
        tile[ty][tx] = valid ? cur : 0.0f;
        __syncthreads();
        float v = (fst[0] + 0.5f) * cur;
        if (valid) {
#pragma unroll
            for (int i = 1; i <= FR; i++) {
                float l = tx - i >= 0 ? tile[ty][tx - i] : 0.f;
                v += (fst[i] + 0.1f) * (infront[i - 1] + behind[i - 1] + tile[max(ty - i, 0)][tx] + (gy + i < dy || BY == 8 ? (gy + i < dy ? tile[ty + i][tx] : 0.f) : 0.f) + l + (gx + i < dx ? tile[ty][tx + i] : 0.f));
            }
            out[oi] = v;
        }
    }
}
// variable-length codes: each thread's code is at its exclusive prefix sum of bits; words merged in shared memory
extern "C" __global__ void huff_pack(const unsigned* data, const unsigned* codes, unsigned* out, unsigned* bitlen, int wordsPerBlock)
{
    extern __shared__ unsigned sm[];
    unsigned* cw = sm; unsigned* cl = sm + 256; unsigned* pos = cl + 256; unsigned* pk = pos + blockDim.x;
    int t = threadIdx.x;
    for (int i = t; i < 256; i += blockDim.x) { unsigned l = 1 + (codes[i] >> 28) % 12; cl[i] = l; cw[i] = codes[i] & ((1u << l) - 1); }
    for (int i = t; i < wordsPerBlock; i += blockDim.x) pk[i] = 0;
    __syncthreads();
    unsigned d = data[blockIdx.x * blockDim.x + t];
    unsigned len = 0; unsigned long long word = 0;
#pragma unroll
    for (int b = 24; b >= 0; b -= 8) { unsigned s = (d >> b) & 255; len += cl[s]; word = (word << cl[s]) | cw[s]; }
    pos[t] = len;
    __syncthreads();
    for (int o = 1; o < blockDim.x; o <<= 1) {
        unsigned v = t >= o ? pos[t - o] : 0;
        __syncthreads();
        pos[t] += v;
        __syncthreads();
    }
    unsigned at = pos[t] - len, w = at >> 5, r = at & 31;
    word <<= 64 - len;
    unsigned hi = (unsigned)(word >> (32 + r)), mid = (unsigned)(word >> r), lo = r ? (unsigned)(word << (32 - r)) : 0;
    atomicOr(&pk[w], hi);
    if (mid) atomicOr(&pk[w + 1], mid);
    if (lo) atomicOr(&pk[w + 2], lo);
    __syncthreads();
    unsigned total = (pos[blockDim.x - 1] + 31) / 32;
    for (int i = t; i < total; i += blockDim.x) out[blockIdx.x * wordsPerBlock + i] = pk[i];
    if (t == 0) bitlen[blockIdx.x] = pos[blockDim.x - 1];
}
