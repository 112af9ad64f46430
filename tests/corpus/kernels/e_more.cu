// The same subjects in rarer dress.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
typedef unsigned u32;
__device__ __forceinline__ u32 sp(const void *p) { return (u32)__cvta_generic_to_shared(p); }

// Double on the tensor cores: m8n8k4, operands from padded shared memory.
template <int PAD>
__global__ void dmma(const double *A, const double *B, double *C, int N, int K)
{
    __shared__ double a[16][8 + PAD], b[8][16 + PAD];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, wr = (w >> 1) * 8, wc = (w & 1) * 8;
    double c0 = 0, c1 = 0;
    for (int k0 = 0; k0 < K; k0 += 8) {
        int t = threadIdx.x;
        a[t >> 3][t & 7] = A[(blockIdx.y * 16 + (t >> 3)) * K + k0 + (t & 7)];
        b[t >> 4][t & 15] = B[(k0 + (t >> 4)) * N + blockIdx.x * 16 + (t & 15)];
        __syncthreads();
        for (int k = 0; k < 8; k += 4)
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c0), "+d"(c1) : "d"(a[wr + (lane >> 2)][k + (lane & 3)]), "d"(b[k + (lane & 3)][wc + (lane >> 2)]));
        __syncthreads();
    }
    double *o = C + (blockIdx.y * 16 + wr + (lane >> 2)) * N + blockIdx.x * 16 + wc + (lane & 3) * 2;
    *reinterpret_cast<double2 *>(o) = make_double2(c0, c1);
}

// tf32 m16n8k8 by hand, fragments straight from a swizzled tile that cp.async filled in 16-byte pieces.
__global__ void __launch_bounds__(64) tf32_hand(const float *__restrict__ A, const float *__restrict__ Bt, float *C, int M, int N, int K)
{
    __shared__ __align__(16) float sa[2][32][16], sb[2][16][16];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, g = lane >> 2, q = lane & 3;
    auto at = [](int r, int c) { return ((((c >> 2) ^ (r >> 1)) & 3) << 2) | (c & 3); };
    auto fill = [&](int s, int k0) {
        for (int e = threadIdx.x; e < 48 * 4; e += 64) {
            int r = e >> 2, c = (e & 3) * 4;
            bool isB = r >= 32;
            int row = isB ? blockIdx.x * 16 + r - 32 : blockIdx.y * 32 + r;
            bool ok = row < (isB ? N : M) && k0 + c < K;
            const float *src = ok ? (isB ? Bt : A) + row * K + k0 + c : A;
            float *dst = isB ? &sb[s][r - 32][at(r - 32, c)] : &sa[s][r][at(r, c)];
            __pipeline_memcpy_async(dst, src, 16, ok ? 0 : 16);
        }
        __pipeline_commit();
    };
    float d[2][4] = {};
    fill(0, 0);
    for (int k0 = 0, s = 0; k0 < K; k0 += 16, s ^= 1) {
        if (k0 + 16 < K) { fill(s ^ 1, k0 + 16); __pipeline_wait_prior(1); }
        else __pipeline_wait_prior(0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k += 8) {
            u32 a[4];
            const int r = w * 16 + g;
            a[0] = __float_as_uint(sa[s][r][at(r, k + q)]);
            a[1] = __float_as_uint(sa[s][r + 8][at(r + 8, k + q)]);
            a[2] = __float_as_uint(sa[s][r][at(r, k + q + 4)]);
            a[3] = __float_as_uint(sa[s][r + 8][at(r + 8, k + q + 4)]);
            for (int i = 0; i < 4; i++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(a[i]) : "f"(__uint_as_float(a[i])));
            for (int j = 0; j < 2; j++) {
                const int c = j * 8 + g;
                u32 b0 = __float_as_uint(sb[s][c][at(c, k + q)]), b1 = __float_as_uint(sb[s][c][at(c, k + q + 4)]);
                asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 2; j++)
        for (int e = 0; e < 4; e++) {
            int r = blockIdx.y * 32 + w * 16 + g + (e >> 1) * 8, c = blockIdx.x * 16 + j * 8 + q * 2 + (e & 1);
            if (r < M && c < N) C[r * N + c] = d[j][e];
        }
}

// Rows through cooperative groups' memcpy_async.
template <typename T>
__global__ void rows_async(const T *in, T *out, int cols, int rows)
{
    extern __shared__ __align__(16) unsigned char rb[];
    T *s = (T *)rb;
    auto b = cg::this_thread_block();
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        cg::memcpy_async(b, s, in + r * cols, sizeof(T) * cols);
        cg::wait(b);
        for (int c = b.thread_rank(); c < cols; c += b.size()) out[r * cols + c] = s[cols - 1 - c];
        b.sync();
    }
}

// Warps hand a prefix on to each other inside one block, through volatile flags in shared memory being replaced by barriers per stage.
__global__ void scan_chain(const int *in, long long *out, int n)
{
    __shared__ volatile long long pre[33];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, nw = blockDim.x >> 5;
    long long v = (int)threadIdx.x < n ? in[blockIdx.x * n + threadIdx.x] : 0;
    for (int d = 1; d < 32; d <<= 1) {
        long long o = __shfl_up_sync(~0u, v, d);
        v += lane >= d ? o : 0;
    }
    if (threadIdx.x == 0) pre[0] = 0;
    for (int k = 0; k < nw; k++) {
        __syncthreads();
        if (w == k) {
            v += pre[k];
            if (lane == 31) pre[k + 1] = v;
        }
    }
    if ((int)threadIdx.x < n) out[blockIdx.x * n + threadIdx.x] = v;
}

// Filter with warp-aggregated atomics; per block a region, so that the order among blocks is of no account.
__global__ void filter_aggregated(const int *in, int *count, int *sum, int n, int mod)
{
    __shared__ int at;
    __shared__ int kept[256];
    if (threadIdx.x == 0) at = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = in[i] & 0xffff;
        if (v % mod == 0 || (v & 3) == 1) {
            auto act = cg::coalesced_threads();
            int base = 0;
            if (act.thread_rank() == 0) base = atomicAdd(&at, (int)act.size());
            base = act.shfl(base, 0);
            kept[base + act.thread_rank()] = v;
        }
    }
    __syncthreads();
    int s = 0;
    for (int k = threadIdx.x; k < at; k += blockDim.x) s += kept[k];
    if (s) atomicAdd(&sum[blockIdx.x], s);
    if (threadIdx.x == 0) count[blockIdx.x] = at;
}

// FFT of 2^LOG points in shared memory, Stockham radix 2.
template <int LOG>
__global__ void fft_shared(const float2 *in, float2 *out, float sign)
{
    constexpr int N = 1 << LOG;
    __shared__ float2 s[2][N];
    const int t = threadIdx.x;
    s[0][t] = in[blockIdx.x * N + t];
    s[0][t + N / 2] = in[blockIdx.x * N + t + N / 2];
    __syncthreads();
    int cur = 0;
    for (int p = 1; p < N; p <<= 1) {
        float2 a = s[cur][t], b = s[cur][t + N / 2], w;
        int k = t & (p - 1);
        sincospif(sign * k / p, &w.y, &w.x);
        float2 bw = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
        int j = ((t - k) << 1) + k;
        s[cur ^ 1][j] = make_float2(a.x + bw.x, a.y + bw.y);
        s[cur ^ 1][j + p] = make_float2(a.x - bw.x, a.y - bw.y);
        cur ^= 1;
        __syncthreads();
    }
    out[blockIdx.x * N + t] = s[cur][t];
    out[blockIdx.x * N + t + N / 2] = s[cur][t + N / 2];
}

// Welford over rows with warp merging.
struct Moments { float n, mean, m2; };
__device__ Moments join(const Moments &a, const Moments &b)
{
    float n = a.n + b.n;
    if (n == 0.f) return a;
    float d = b.mean - a.mean;
    return {n, a.mean + d * (b.n / n), a.m2 + b.m2 + d * d * (a.n * b.n / n)};
}
__global__ void welford_rows(const float *in, float2 *out, int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    Moments m = {0, 0, 0};
    for (int c = threadIdx.x; c < cols; c += 32) {
        float v = in[row * cols + c];
        m.n += 1.f;
        float d = v - m.mean;
        m.mean += d / m.n;
        m.m2 += d * (v - m.mean);
    }
    for (int o = 16; o; o >>= 1) {
        Moments t = {__shfl_down_sync(~0u, m.n, o), __shfl_down_sync(~0u, m.mean, o), __shfl_down_sync(~0u, m.m2, o)};
        m = join(m, t);
    }
    if (threadIdx.x == 0) out[row] = make_float2(m.mean, sqrtf(m.m2 / m.n));
}

// Binary search of many keys in a sorted row held in shared memory, and lower bound in global memory.
template <bool SHARED>
__global__ void lower_bounds(const int *sorted, const u32 *keys, int *out, int n, int nk, u32 range)
{
    extern __shared__ int row[];
    const int *p = sorted;
    if (SHARED) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = sorted[i];
        __syncthreads();
        p = row;
    }
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < nk; k += blockDim.x * gridDim.x) {
        int key = keys[k] % range, lo = 0, hi = n;
        while (lo < hi) {
            int mid = (lo + hi) >> 1;
            if (p[mid] < key) lo = mid + 1; else hi = mid;
        }
        out[k] = lo;
    }
}

// 3D tile transposed xyz -> zxy by slabs in dynamic shared memory.
template <typename T>
__global__ void permute_zxy(const T *in, T *out, int nx, int ny, int nz, int pitch)
{
    extern __shared__ __align__(16) unsigned char pb[];
    T *s = reinterpret_cast<T *>(pb);
    const int y = blockIdx.y, x0 = blockIdx.x * blockDim.x;
    for (int z = threadIdx.y; z < nz; z += blockDim.y)
        if (x0 + threadIdx.x < nx) s[threadIdx.x * pitch + z] = in[(z * ny + y) * nx + x0 + threadIdx.x];
    __syncthreads();
    const int lin = threadIdx.y * blockDim.x + threadIdx.x, nt = blockDim.x * blockDim.y;
    const int xs = min((int)blockDim.x, nx - x0);
    for (int e = lin; e < xs * nz; e += nt) {
        int x = e / nz, z = e - x * nz;
        out[(y * nx + x0 + x) * nz + z] = s[x * pitch + z];
    }
}

// A local array with dynamic index: median of a (2R+1)^2 window by insertion; edges clamp.
template <int R>
__global__ void median(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    unsigned char v[(2 * R + 1) * (2 * R + 1)];
    int n = 0;
    for (int j = -R; j <= R; j++)
        for (int i = -R; i <= R; i++) {
            unsigned char c = in[min(max(y + j, 0), h - 1) * w + min(max(x + i, 0), w - 1)];
            int k = n++;
            for (; k > 0 && v[k - 1] > c; --k) v[k] = v[k - 1];
            v[k] = c;
        }
    out[y * w + x] = v[n / 2];
}
