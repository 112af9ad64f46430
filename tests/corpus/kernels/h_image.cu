// Images: filters, tables, labels.
__constant__ float taps[9] = {0.03f, 0.07f, 0.12f, 0.18f, 0.2f, 0.18f, 0.12f, 0.07f, 0.03f};

extern "C" __global__ void conv_rows(const float* in, float* out, int w)
{
    __shared__ float s[4][3 * 32];
    const int tx = threadIdx.x, ty = threadIdx.y, y = blockIdx.y * 4 + ty, x0 = blockIdx.x * 32 - 32;
    for (int j = 0; j < 3; ++j) { const int x = x0 + j * 32 + tx; s[ty][j * 32 + tx] = x >= 0 && x < w ? in[y * w + x] : 0.f; }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = -4; k <= 4; ++k) sum += taps[4 - k] * s[ty][32 + tx + k];
    if (x0 + 32 + tx < w) out[y * w + x0 + 32 + tx] = sum;
}
extern "C" __global__ void conv_columns(const float* in, float* out, int w, int h)
{
    __shared__ float s[16][25];
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y0 = blockIdx.y * 16;  // 16 x 8
    for (int j = ty; j < 24; j += 8) { const int y = y0 + j - 4; s[tx][j] = x < w && y >= 0 && y < h ? in[y * w + x] : 0.f; }
    __syncthreads();
    for (int r = ty; r < 16; r += 8) {
        float sum = 0;
        for (int k = 0; k < 9; ++k) sum += taps[k] * s[tx][r + k];
        if (x < w && y0 + r < h) out[(y0 + r) * w + x] = sum;
    }
}
extern "C" __global__ void bilateral(const uchar4* __restrict__ in, uchar4* out, const float* __restrict__ closeness, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const uchar4 c = in[y * w + x];
    float4 sum = make_float4(0, 0, 0, 0);
    for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx) {
            const uchar4 p = in[min(max(y + dy, 0), h - 1) * w + min(max(x + dx, 0), w - 1)];
            const int d = abs(p.x - c.x) + abs(p.y - c.y) + abs(p.z - c.z);
            const float f = (closeness[d / 3] + 1.5f) / (1 + dx * dx + dy * dy);
            sum.x += f * p.x; sum.y += f * p.y; sum.z += f * p.z; sum.w += f;
        }
    out[y * w + x] = make_uchar4(sum.x / sum.w, sum.y / sum.w, sum.z / sum.w, c.w);
}
__device__ inline void order(unsigned char& a, unsigned char& b) { const unsigned char l = min(a, b); b = max(a, b); a = l; }
extern "C" __global__ void median_3x3(const unsigned char* in, unsigned char* out, int w, int h)
{
    __shared__ unsigned char s[10][36];
    const int tx = threadIdx.x, ty = threadIdx.y;
    for (int i = ty * 32 + tx; i < 340; i += 256) {
        const int x = min(max((int)blockIdx.x * 32 + i % 34 - 1, 0), w - 1), y = min(max((int)blockIdx.y * 8 + i / 34 - 1, 0), h - 1);
        s[i / 34][i % 34] = in[y * w + x];
    }
    __syncthreads();
    unsigned char v[9];
#pragma unroll
    for (int i = 0; i < 9; ++i) v[i] = s[ty + i / 3][tx + i % 3];
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]); order(v[0], v[1]); order(v[3], v[4]); order(v[6], v[7]);
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]); order(v[0], v[3]); order(v[5], v[8]); order(v[4], v[7]);
    order(v[3], v[6]); order(v[1], v[4]); order(v[2], v[5]); order(v[4], v[7]); order(v[4], v[2]); order(v[6], v[4]); order(v[4], v[2]);
    const int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    if (x < w && y < h) out[y * w + x] = v[4];
}
// Counts in two copies a warp pair, then a table by prefix sums, then the pixels four at a time; one block.
extern "C" __global__ void equalise(const uchar4* in, uchar4* out, int n4)
{
    __shared__ unsigned count[2][257];
    __shared__ unsigned char table[256];
    const int t = threadIdx.x, copy = t / 32 % 2;  // 256
    count[0][t] = count[1][t] = 0;
    __syncthreads();
    for (int i = t; i < n4; i += 256) {
        const uchar4 p = in[i];
        atomicAdd(&count[copy][p.x], 1u); atomicAdd(&count[copy][p.y], 1u); atomicAdd(&count[copy][p.z], 1u); atomicAdd(&count[copy][p.w], 1u);
    }
    __syncthreads();
    count[0][t] += count[1][t];
    for (int o = 1; o < 256; o *= 2) {
        __syncthreads();
        const unsigned v = t >= o ? count[0][t - o] : 0;
        __syncthreads();
        count[0][t] += v;
    }
    table[t] = count[0][t] * 255 / (4 * n4);
    __syncthreads();
    for (int i = t; i < n4; i += 256) { const uchar4 p = in[i]; out[i] = make_uchar4(table[p.x], table[p.y], table[p.z], table[p.w]); }
}
// A row of sums a warp, 32 pixels a step with a carry.
extern "C" __global__ void integral_rows(const unsigned char* in, unsigned* out, int w, int h)
{
    const int y = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (y >= h) return;
    unsigned carry = 0;
    for (int x = lane; x - lane < w; x += 32) {
        unsigned v = x < w ? in[y * w + x] : 0;
        for (int o = 1; o < 32; o *= 2) { const unsigned u = __shfl_up_sync(~0u, v, o); if (lane >= o) v += u; }
        v += carry;
        if (x < w) out[y * w + x] = v;
        carry = __shfl_sync(~0u, v, 31);
    }
}
// Each pixel takes the smallest label of its four neighbours of its own colour.
extern "C" __global__ void label_step(const unsigned char* image, const int* from, int* to, unsigned* changed, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    bool moved = false;
    if (x < w && y < h) {
        const int i = y * w + x, c = image[i] & 1;
        int l = from[i];
        if (x > 0 && (image[i - 1] & 1) == c) l = min(l, from[i - 1]);
        if (x < w - 1 && (image[i + 1] & 1) == c) l = min(l, from[i + 1]);
        if (y > 0 && (image[i - w] & 1) == c) l = min(l, from[i - w]);
        if (y < h - 1 && (image[i + w] & 1) == c) l = min(l, from[i + w]);
        to[i] = l;
        moved = l != from[i];
    }
    if (__syncthreads_or(moved) && threadIdx.x == 0 && threadIdx.y == 0) atomicOr(changed, 1u);
}
__constant__ unsigned char gamma_table[256] = {0, 9, 20, 33, 47, 62, 78, 95, 112, 130, 148, 167, 186, 205, 225, 245};
extern "C" __global__ void table_lookup(const unsigned* in, unsigned* out, const unsigned short* wide, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned p = in[i];
    unsigned r = 0;
    for (int j = 0; j < 4; ++j) r |= (unsigned)gamma_table[p >> (8 * j) & 15] << (8 * j);
    out[i] = r + __ldg(&wide[p >> 20]) + wide[blockIdx.x];
}
