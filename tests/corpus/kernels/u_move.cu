// Copies, transposes and gathers, each by another hand.
#include <cuda_fp16.h>

// Pairs of floats as one element; the block is shorter than the tile and does not divide it.
extern "C" __global__ void transpose_pairs(const float2* in, float2* out, int w, int h)
{
    __shared__ float2 tile[32][33];
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        const int gx = blockIdx.x * 32 + threadIdx.x, gy = blockIdx.y * 32 + y;
        if (gx < w && gy < h) tile[y][threadIdx.x] = in[gy * w + gx];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        const int gx = blockIdx.y * 32 + threadIdx.x, gy = blockIdx.x * 32 + y;
        if (gx < h && gy < w) out[gy * h + gx] = tile[threadIdx.x][y];
    }
}

// Points of three floats.
struct Point { float x, y, z; };
template <int DIM, int PAD>
__global__ void transpose_points(const Point* __restrict__ in, Point* __restrict__ out, int rows, int cols)
{
    __shared__ Point block[DIM][DIM + PAD];
    int x = blockIdx.x * DIM + threadIdx.x, y = blockIdx.y * DIM + threadIdx.y;
    if (x < cols && y < rows) block[threadIdx.y][threadIdx.x] = in[(size_t)y * cols + x];
    __syncthreads();
    x = blockIdx.y * DIM + threadIdx.x;
    y = blockIdx.x * DIM + threadIdx.y;
    if (x < rows && y < cols) out[(size_t)y * rows + x] = block[threadIdx.x][threadIdx.y];
}

// Doubles without padding: the column is turned by its row.
extern "C" __global__ void transpose_turned(const double* in, double* out, unsigned n)
{
    __shared__ double t[16 * 16];
    const unsigned i = threadIdx.x & 15, j = threadIdx.x >> 4;
    const unsigned x = blockIdx.x << 4, y = blockIdx.y << 4;
    t[j << 4 | ((i + j) & 15)] = in[(y + j) * n + x + i];
    __syncthreads();
    out[(x + j) * n + y + i] = t[i << 4 | ((j + i) & 15)];
}

// Half precision, two columns and two rows a thread, words put together by byte_perm.
extern "C" __global__ void transpose_words(const unsigned* in, unsigned* out, int w2, int h2)
{
    __shared__ unsigned t[32][33];
    const int x = threadIdx.x, y = threadIdx.y;
    for (int r = y; r < 32; r += 8) {
        const int gx = blockIdx.x * 16 + (x & 15), gy = blockIdx.y * 32 + r;
        if (x < 16 && gx < w2 && gy < 2 * h2) t[r][x] = in[gy * w2 + gx];
    }
    __syncthreads();
    for (int c = y; c < 16; c += 8) {
        const int pair = x & 15;
        const unsigned a = x < 16 ? t[2 * pair][c] : 0, b = x < 16 ? t[2 * pair + 1][c] : 0;
        const int gx = blockIdx.y * 16 + pair, gy = (blockIdx.x * 16 + c) * 2;
        if (x < 16 && gx < h2 && blockIdx.x * 16 + c < w2) {
            out[gy * h2 + gx] = __byte_perm(a, b, 0x5410);
            out[(gy + 1) * h2 + gx] = __byte_perm(a, b, 0x7632);
        }
    }
}

// An RGB image turned by a quarter.
extern "C" __global__ void quarter_turn(const uchar3* in, uchar3* out, int w, int h)
{
    __shared__ uchar3 t[16][17];
    const int bx = blockIdx.x * 16, by = blockIdx.y * 16;
    int x = bx + threadIdx.x, y = by + threadIdx.y;
    if (x < w && y < h) t[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    x = bx + threadIdx.y;
    y = by + threadIdx.x;
    if (x < w && y < h) out[x * h + (h - 1 - y)] = t[threadIdx.x][threadIdx.y];
}

// [a][b][c] becomes [b][c][a], a volume at a time, blocks of three dimensions.
extern "C" __global__ void turn_volume(const float* in, float* out, int na, int nb, int nc)
{
    __shared__ float t[4][8][9];
    const int c = blockIdx.x * 8 + threadIdx.x, b = blockIdx.y * 4 + threadIdx.z, a = blockIdx.z * 8 + threadIdx.y;
    if (a < na && b < nb && c < nc) t[threadIdx.z][threadIdx.y][threadIdx.x] = in[(a * nb + b) * nc + c];
    __syncthreads();
    const int a2 = blockIdx.z * 8 + threadIdx.x, c2 = blockIdx.x * 8 + threadIdx.y;
    if (a2 < na && b < nb && c2 < nc) out[(b * nc + c2) * na + a2] = t[threadIdx.z][threadIdx.x][threadIdx.y];
}

// Bytes moved by `shift`, words read whole and shifted together; edges byte by byte.
extern "C" __global__ void shifted_bytes(const unsigned* in, unsigned char* out, int bytes, int shift)
{
    const int words = bytes / 4, t = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    for (int i = t; i < words; i += stride) {
        const int first = i * 4 + shift;
        if (first + 8 <= bytes) {
            const unsigned lo = in[first >> 2], hi = in[(first >> 2) + 1];
            *(unsigned*)(out + i * 4) = __funnelshift_r(lo, hi, (first & 3) * 8);
        } else {
            for (int b = 0; b < 4; ++b) out[i * 4 + b] = first + b < bytes ? ((const unsigned char*)in)[first + b] : 0;
        }
    }
}

// Stereo samples: left and right apart, four pairs a thread and a predicated tail.
extern "C" __global__ void deinterleave(const short2* __restrict__ in, short* __restrict__ left, short* __restrict__ right, int n)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < n) {
        const int4 v = *reinterpret_cast<const int4*>(in + i);
        *reinterpret_cast<short4*>(left + i) = make_short4(v.x, v.y, v.z, v.w);
        *reinterpret_cast<short4*>(right + i) = make_short4(v.x >> 16, v.y >> 16, v.z >> 16, v.w >> 16);
    } else {
        for (int j = i; j < n; ++j) { left[j] = in[j].x; right[j] = in[j].y; }
    }
}

// Rows of an embedding of half2, by an index, some of them missing (-1).
template <int LANES>
__global__ void gather_rows(const half2* table, const int* index, half2* out, int rows, int width, int most)
{
    const int row = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES;
    if (row >= rows) return;
    int from = index[row];
    from = from % 3 == 0 ? -1 : (from & 0x7fffffff) % most;
    for (int j = threadIdx.x % LANES; j < width; j += LANES)
        out[row * width + j] = from < 0 ? __float2half2_rn(0.f) : __hmul2(table[from * width + j], __float2half2_rn(2.f));
}

// A pitched plane of double2 with a column that stands alone at the end.
extern "C" __global__ void pitched_pairs(const double* in, size_t pitch_in, double* out, size_t pitch_out, int w, int h)
{
    const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= h) return;
    const double* from = (const double*)((const char*)in + y * pitch_in) + x;
    double* to = (double*)((char*)out + y * pitch_out) + x;
    if (x + 1 < w) *(double2*)to = *(const double2*)from;
    else if (x < w) *to = *from;
}

// Records of five words, read through shared memory as words, one member written out.
extern "C" __global__ void one_member(const int* words, int* keys, float* weights, int n)
{
    __shared__ int staged[96 * 5];
    const int first = blockIdx.x * 96, count = min(96, n - first);
    for (int i = threadIdx.x; i < count * 5; i += 96) staged[i] = words[first * 5 + i];
    __syncthreads();
    if ((int)threadIdx.x < count) {
        const int* r = staged + threadIdx.x * 5;
        keys[first + threadIdx.x] = r[0] ^ r[4];
        weights[first + threadIdx.x] = __int_as_float((r[1] & 0x7fffff) | 0x3f800000) + (r[2] >> 16) - r[3] % 7;
    }
}

// Flags to bits and back.
extern "C" __global__ void packed_flags(const float* in, unsigned* bits, unsigned char* bytes, int n, float limit)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned word = __ballot_sync(0xffffffff, i < n && in[i] > limit);
    if ((threadIdx.x & 31) == 0 && i < n) bits[i >> 5] = word;
    const int nibble = word >> (threadIdx.x & 28) & 15;
    if (i < n && (i & 3) == 0) bytes[i >> 2] = (unsigned char)(nibble * 17);
}
