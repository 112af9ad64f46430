// Shared memory at odd strides and widths, each by another hand.
#include <cuda_fp16.h>

// Records of N words, one a thread: each reads its own, member by member.
template <int N>
struct Words { float w[N]; };
template <int N>
__global__ void records_of(const float* in, float* out, int step)
{
    __shared__ Words<N> r[64];
    for (int i = threadIdx.x; i < 64 * N; i += blockDim.x) (&r[0].w[0])[i] = in[blockIdx.x * 64 * N + i];
    __syncthreads();
    const Words<N> mine = r[threadIdx.x * step % 64];
    float s = 0.f;
#pragma unroll
    for (int i = 0; i < N; ++i) s = s * 0.5f + mine.w[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// Sixteen bytes a lane in an order that the argument gives.
extern "C" __global__ void quads_in_order(const float4* in, float4* out, int times, int plus, int turn, int live)
{
    __shared__ float4 q[160];
    for (int i = threadIdx.x; i < 160; i += blockDim.x) q[i] = in[i];
    __syncthreads();
    const int lane = threadIdx.x & 31;
    float4 a = make_float4(0, 0, 0, 0);
    if (lane < live) a = q[(lane * times + plus ^ turn) % 160];
    __syncthreads();
    if (lane < live) q[threadIdx.x / 32 * 32 + (lane * 5 & 31)] = a;
    __syncthreads();
    out[threadIdx.x] = q[threadIdx.x];
}

// Eight bytes a lane, likewise; double2 halves taken apart.
extern "C" __global__ void pairs_in_order(const double* in, double* out, int times, int divide, int live)
{
    __shared__ double d[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) d[i] = in[i];
    __syncthreads();
    const int lane = threadIdx.x & 31;
    double s = 0;
    for (int k = 0; k < 4; ++k)
        if ((lane + k) % 8 < live) s += d[(lane / divide * times + k * 33) & 255];
    out[threadIdx.x] = s;
}

// Columns of halves: a pitch in halves that the template gives.
template <int PITCH>
__global__ void half_columns(const half* in, half* out)
{
    __shared__ half h[32 * PITCH];
    const int lane = threadIdx.x, row = threadIdx.y;
    for (int r = row; r < 32; r += blockDim.y) h[r * PITCH + lane] = in[r * 32 + lane];
    __syncthreads();
    for (int r = row; r < 32; r += blockDim.y) out[r * 32 + lane] = __hadd(h[lane * PITCH + r], h[lane * PITCH + (r + 1 & 31)]);
}

// Four bytes of a column, pitch in bytes; words for the even rows, bytes for the odd.
template <int PITCH>
__global__ void char_columns(const unsigned char* in, uchar4* out)
{
    __shared__ __align__(4) unsigned char c[64 * PITCH];
    for (int i = threadIdx.x; i < 64 * 32; i += blockDim.x) c[i / 32 * PITCH + i % 32] = in[i];
    __syncthreads();
    const int t = threadIdx.x;
    uchar4 v;
    if (t & 1) v = make_uchar4(c[t * PITCH], c[t * PITCH + 5], c[t * PITCH + 11], c[t * PITCH + 30]);
    else if constexpr (PITCH % 4 == 0) v = *(const uchar4*)&c[t * PITCH + 8];
    else v = make_uchar4(c[t * PITCH + 3], c[t * PITCH + 2], c[t * PITCH + 1], c[t * PITCH]);
    out[t] = v;
}

// Arrays of threads of their own, thread by thread or place by place.
template <typename T, bool ByThread>
__global__ void own_arrays(const T* in, T* out, int n)
{
    __shared__ T own[12 * 48];
    auto at = [](int i) { return ByThread ? threadIdx.x * 12 + i : i * 48 + threadIdx.x; };
    for (int i = 0; i < 12; ++i) own[at(i)] = in[(blockIdx.x * 48 + threadIdx.x) * 12 + i];
    for (int p = 0; p < n; ++p)
        for (int i = p & 1; i + 1 < 12; i += 2) {
            const T a = own[at(i)], b = own[at(i + 1)];
            if (b < a) { own[at(i)] = b; own[at(i + 1)] = a; }
        }
    for (int i = 0; i < 12; ++i) out[(blockIdx.x * 48 + threadIdx.x) * 12 + i] = own[at(i)];
}

// Several arrays of different types in one piece of dynamic shared memory.
extern "C" __global__ void carved(const float* f, const double* d, const unsigned char* b, float* out, int n)
{
    extern __shared__ __align__(16) unsigned char bytes[];
    double* sd = (double*)bytes;
    float* sf = (float*)(sd + n);
    unsigned short* order = (unsigned short*)(sf + n + 1);
    unsigned char* sb = (unsigned char*)(order + n);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sd[i] = d[i];
        sf[i + 1] = f[i];
        order[i] = (unsigned short)((i * 7 + 3) % n);
        sb[i] = b[i];
    }
    if (threadIdx.x == 0) sf[0] = 0.f;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const int j = order[i];
        out[i] = (float)sd[j] + sf[j] * sb[n - 1 - i] + sf[i + 1];
    }
}

// A table of 3 floats an entry and lanes that share entries.
extern "C" __global__ void table_of_three(const float3* table, const int* where, float3* out, int n)
{
    __shared__ float3 t[50];
    if (threadIdx.x < 50) t[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const int k = (unsigned)where[i] % 49u;
        const float3 a = t[k], b = t[k + 1];
        out[i] = make_float3(a.x + b.z, a.y * b.y, a.z - b.x);
    }
}

// A 4 x 4 block of floats a thread through shared memory as rows and as columns.
extern "C" __global__ void rows_and_columns(const float* in, float4* out)
{
    __shared__ __align__(16) float m[32][4][4];
    const int l = threadIdx.x;
    const float* from = in + blockIdx.x * 512;
#pragma unroll
    for (int i = 0; i < 16; ++i) (&m[0][0][0])[i * 32 + l] = from[i * 32 + l];
    __syncwarp();
    float4 s = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float4 row = *(const float4*)m[l][i];
        const float2 half_of = *(const float2*)&m[31 - l][i][2];
        s.x += row.x * m[l ^ 1][0][i];
        s.y += row.y + half_of.x;
        s.z += row.z * half_of.y;
        s.w -= row.w;
    }
    out[blockIdx.x * 32 + l] = s;
}
