// Types, instructions and ways to meet that are seen less often.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Vectors of three and records of odd sizes, reversed in a block.
template <typename T>
__global__ void reversed(const T* in, T* out, int n)
{
    __shared__ T s[80];
    const int first = blockIdx.x * 80, count = min(80, n - first);
    if ((int)threadIdx.x < count) s[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
    if ((int)threadIdx.x < count) out[first + threadIdx.x] = s[count - 1 - threadIdx.x];
}
struct Mixed { char tag; int number; short small; double wide; };

// Blocks of 18 bytes: a scale and 32 values of four bits. A group of eight lanes takes a row.
struct Block { half scale; unsigned char packed[16]; };
extern "C" __global__ void packed_rows(const unsigned char* bytes, const float* x, float* y, int rows, int blocks)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    float sum = 0.f;
    if (row < rows) {
        const Block* b = reinterpret_cast<const Block*>(bytes) + row * blocks;
        for (int i = lane; i < blocks; i += 8) {
            const float scale = (float)(__half_as_ushort(b[i].scale) & 255) * 0.01f;
            float part = 0.f;
#pragma unroll
            for (int j = 0; j < 16; ++j) {
                const int v = b[i].packed[j];
                part += ((v & 15) - 8) * x[i * 32 + j] + ((v >> 4) - 8) * x[i * 32 + 16 + j];
            }
            sum += scale * part;
        }
    }
    for (int d = 4; d; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (row < rows && lane == 0) y[row] = sum;
}

// memcpy and memset as functions of the language.
struct Header { int a, b, c; short d[5]; };
extern "C" __global__ void moved_by_memcpy(const Header* in, Header* out, unsigned char* bytes, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Header h;
    memcpy(&h, in + (n - 1 - i), sizeof(h));
    h.d[i % 5] += 1;
    memcpy(out + i, &h, sizeof(h));
    unsigned char tail[12];
    memset(tail, i, sizeof(tail));
    memcpy(tail + 3, &h.b, 4);
    memcpy(bytes + i * 12, tail, 12);
}

// More shared memory than a block has by default, 1024 threads, a line of a plane each time round.
extern "C" __global__ void __launch_bounds__(1024) much_shared(const double* in, double* out, int lines)
{
    extern __shared__ double plane[];
    for (int i = threadIdx.x; i < lines * 128; i += 1024) plane[i / 128 * 129 + i % 128] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < lines * 128; i += 1024) {
        const int c = i / lines, r = i % lines;
        out[i] = plane[r * 129 + c] + plane[(r + 1) % lines * 129 + 127 - c];
    }
}

// Half of the warps bring tiles, the other half use them; named barriers between the two.
__device__ inline void wait_at(int id) { asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory"); }
__device__ inline void pass_by(int id) { asm volatile("bar.arrive %0, 128;" ::"r"(id) : "memory"); }
extern "C" __global__ void bringers_and_users(const float4* in, float* out, int tiles)
{
    __shared__ float4 tile[2][64];
    const int t = threadIdx.x % 64;
    if (threadIdx.x < 64) {
        for (int i = 0; i < tiles; ++i) {
            if (i >= 2) wait_at(3 + i % 2);
            tile[i % 2][t] = in[(blockIdx.x * tiles + i) * 64 + t];
            __threadfence_block();
            pass_by(1 + i % 2);
        }
    } else {
        float sum = 0.f;
        for (int i = 0; i < tiles; ++i) {
            wait_at(1 + i % 2);
            const float4 a = tile[i % 2][t ^ 1], b = tile[i % 2][63 - t];
            sum += a.x * b.w + a.y * b.z + a.z * b.y + a.w * b.x;
            if (i + 2 < tiles) pass_by(3 + i % 2);
        }
        out[blockIdx.x * 64 + t] = sum;
    }
}

// Hints: prefetches, widths of the second level's fetches, stores that pass by.
extern "C" __global__ void hinted(const float4* in, float4* out, int n)
{
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        if (i + step < n) asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i + step));
        if (i + 2 * step < n) asm volatile("prefetch.global.L1 [%0];" ::"l"(in + i + 2 * step));
        float4 v;
        asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(in + i));
        v.x += v.w;
        asm volatile("st.global.cs.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(out + i), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
    }
}

// One union of two uses of the same shared memory; lanes ask where a pointer points.
union Stage { float rows[24][25]; double2 pairs[300]; };
extern "C" __global__ void two_uses(const float* in, float* out, double2* sums)
{
    __shared__ Stage u;
    for (int i = threadIdx.x; i < 576; i += blockDim.x) u.rows[i / 24][i % 24] = in[blockIdx.x * 576 + i];
    __syncthreads();
    float column = 0.f;
    if (threadIdx.x < 24)
        for (int r = 0; r < 24; ++r) column += u.rows[r][threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 24) u.pairs[threadIdx.x * 5] = make_double2(column, __isShared(&u) ? 1.0 : 0.0);
    __syncthreads();
    if (threadIdx.x < 24) {
        out[blockIdx.x * 24 + threadIdx.x] = column;
        sums[blockIdx.x * 24 + threadIdx.x] = u.pairs[(23 - threadIdx.x) * 5];
    }
}

// bfloat pairs multiplied in pairs, the k loop by four with its rest.
extern "C" __global__ void bfloat_pairs(const __nv_bfloat162* a, const __nv_bfloat162* b, __nv_bfloat162* c, int rows, int pairs)
{
    __shared__ __nv_bfloat162 column[128];
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < pairs; i += blockDim.x * blockDim.y) column[i] = b[i];
    __syncthreads();
    const int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= rows) return;
    __nv_bfloat162 sum = __float2bfloat162_rn(0.f);
    int i = threadIdx.x * 4;
    for (; i + 3 < pairs; i += blockDim.x * 4) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sum = __hfma2(a[r * pairs + i + j], column[i + j], sum);
    }
    for (; i < pairs; ++i) sum = __hfma2(a[r * pairs + i], column[i], sum);
    for (int d = 4; d; d >>= 1) sum = __hadd2(sum, __shfl_xor_sync(0xffu << (threadIdx.y * 8 & 24), sum, d, 8));
    if (threadIdx.x == 0) c[r] = sum;
}

// A channel-last depthwise filter: float4 of channels, rows held in a window of registers.
extern "C" __global__ void depthwise(const float4* in, const float4* w, float4* out, int width, int height, int quads)
{
    const int q = threadIdx.x, x = blockIdx.x * blockDim.y + threadIdx.y;
    if (q >= quads || x >= width) return;
    float4 k[9];
#pragma unroll
    for (int i = 0; i < 9; ++i) k[i] = __ldg(w + i * quads + q);
    for (int y = blockIdx.y; y < height; y += gridDim.y) {
        float4 s = make_float4(0, 0, 0, 0);
#pragma unroll
        for (int i = 0; i < 9; ++i) {
            const int gx = x + i % 3 - 1, gy = y + i / 3 - 1;
            if (gx < 0 || gy < 0 || gx >= width || gy >= height) continue;
            const float4 v = in[(gy * width + gx) * quads + q];
            s.x += v.x * k[i].x; s.y += v.y * k[i].y; s.z += v.z * k[i].z; s.w += v.w * k[i].w;
        }
        out[(y * width + x) * quads + q] = s;
    }
}

// A message for the case that never comes, and a check that always holds.
#include <cstdio>
extern "C" __global__ void checked(const int* in, int* out, int n)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    const int v = in[i] & 1023;
    if (v > 5000) printf("out of range: %d at %d\n", v, i);
    out[i] = v * v / (v + 1) + v % 7;
}

// A bulk copy brings a row, an mbarrier says when.
extern "C" __global__ void bulk_row(const float* in, float* out, int words)
{
    extern __shared__ __align__(128) float row[];
    __shared__ __align__(8) unsigned long long bar;
    const unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "r"(words * 4) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"((unsigned)__cvta_generic_to_shared(row)), "l"(in + blockIdx.x * words), "r"(words * 4), "r"(b) : "memory");
    }
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(b) : "memory");
    for (int i = threadIdx.x; i < words; i += blockDim.x) out[blockIdx.x * words + i] = row[words - 1 - i] * 2.f;
}

// Rows of a matrix of which each warp takes the next by a counter of the block.
extern "C" __global__ void next_row(const float* in, float* out, int rows, int cols)
{
    __shared__ int next;
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    for (;;) {
        int row = 0;
        if (threadIdx.x % 32 == 0) row = atomicAdd(&next, 1);
        row = __shfl_sync(0xffffffff, row, 0);
        if (row >= rows) break;
        float s = 0.f;
        for (int c = threadIdx.x % 32; c < cols; c += 32) s += in[row * cols + c];
        for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(0xffffffff, s, d);
        if (threadIdx.x % 32 == 0) out[row] = s;
    }
}
