// Local arrays, spills, what a compiler may and may not merge, atomics.

extern "C" __global__ void own_histogram(const unsigned char* in, unsigned* out, int n)
{
    unsigned short count[24];
    for (int i = 0; i < 24; ++i) count[i] = 0;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t; i < n; i += gridDim.x * blockDim.x) ++count[in[i] % 24];
    for (int i = 0; i < 24; ++i) if (count[i]) atomicAdd(&out[i], (unsigned)count[i]);
}
extern "C" __global__ void insertion_of_own(const double* in, double* out, int n)
{
    double a[12];
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    for (int i = 0; i < 12; ++i) {
        const double v = in[i * n + t];
        int j = i;
        for (; j > 0 && a[j - 1] > v; --j) a[j] = a[j - 1];
        a[j] = v;
    }
    for (int i = 0; i < 12; ++i) out[t * 12 + i] = a[i];
}
extern "C" __global__ void stack_walk(const unsigned* keys, unsigned* out, int n)
{
    int2 stack[10];
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    const unsigned key = keys[t];
    unsigned sum = 0;
    int top = 0;
    stack[top++] = make_int2(1, 0);
    while (top) {
        const int2 at = stack[--top];
        sum += at.x;
        if (at.y < 5) {
            if (key >> at.y & 1) stack[top++] = make_int2(at.x * 2, at.y + 1);
            if (key >> (at.y + 8) & 1) stack[top++] = make_int2(at.x * 2 + 1, at.y + 1);
        }
    }
    out[t] = sum;
}
// More values than 32 registers hold.
extern "C" __global__ void __launch_bounds__(1024, 2) spilled(const float* in, float* out, int n)
{
    float v[44];
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int i = 0; i < 44; ++i) v[i] = in[(t + i * 13) % n];
#pragma unroll 1
    for (int r = 0; r < 3; ++r)
#pragma unroll
        for (int i = 0; i < 44; ++i) v[i] = v[i] * v[(i + 17) % 44] + v[(i + 5) % 44];
    float s = 0;
#pragma unroll
    for (int i = 0; i < 44; ++i) s += v[i];
    out[t] = s;
}
extern "C" __global__ void may_alias(const float* a, float* b, const float* scale, int n)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t * 4; i < t * 4 + 4 && i < n; ++i) b[i] = a[i] * scale[0] + scale[1];
}
extern "C" __global__ void may_not_alias(const float* __restrict__ a, float* __restrict__ b, const float* __restrict__ scale, int n)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int i = 0; i < 4; ++i) if (t * 4 + i < n) b[t * 4 + i] = a[t * 4 + i] * scale[0] + scale[1];
}
extern "C" __global__ void pointers_walk(const int* p, int* q, int stride, int steps)
{
    p += threadIdx.x;
    q += threadIdx.x;
    const int* end = p + stride * steps;
    int carry = 0;
#pragma unroll 3
    while (p < end) { carry = carry * 3 + *p; *q = carry; p += stride; q += stride; }
}
extern "C" __global__ void volatile_words(volatile int* s, volatile unsigned short* h, int n)
{
    __shared__ volatile int w[64];
    const int t = threadIdx.x;
    w[t] = s[t] + s[t];
    w[t] = w[t] + 1;
    if (t < n) { h[t] = h[t] + w[t]; s[t] = w[t] ^ w[t]; }
}
// Neighbours in one aligned group: loads that may become one wide load.
extern "C" __global__ void mergeable(const int4* a, int* out, const int* __restrict__ b, int n)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    const int* p = (const int*)(a + t);
    __shared__ int4 s[64];
    int* q = (int*)&s[threadIdx.x];
    q[0] = p[0]; q[1] = p[1]; q[2] = p[2]; q[3] = p[3];
    out[t] = q[0] + 2 * q[3] + b[2 * t] - b[2 * t + 1] + p[2];
}
extern "C" __global__ void atomics_of_shared(const unsigned* in, unsigned* out, float* fout, unsigned long long* wide)
{
    __shared__ unsigned u[40];
    __shared__ float f[8];
    __shared__ unsigned long long w[9];
    const int t = threadIdx.x;
    if (t < 40) u[t] = t;
    if (t < 8) f[t] = 0;
    if (t < 9) w[t] = 0;
    __syncthreads();
    const unsigned v = in[t];
    atomicMax(&u[v % 10], v);
    atomicMin(&u[10 + v % 5], v);
    atomicXor(&u[15 + (v >> 8) % 5], v);
    atomicAdd(&u[20 + v % 7], 1u);
    atomicAnd(&u[27 + t % 3], v);
    atomicOr(&u[30 + t % 8], v);
    atomicAdd(&f[t % 8], 1.f);
    atomicMax(&w[t % 9], (unsigned long long)v << 8);
    __syncthreads();
    if (t < 40) out[t] = u[t];
    if (t < 8) fout[t] = f[t];
    if (t < 9) wide[t] = w[t];
}
extern "C" __global__ void atomics_of_global(const unsigned* in, unsigned* sums, unsigned* old, double* d, unsigned long long* w, int n)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    const unsigned v = in[t];
    atomicAdd(&sums[v % 16], v);
    old[t] = atomicOr(&sums[16 + t], v) + atomicExch(&sums[16 + n + t], v) + atomicCAS(&sums[16 + 2 * n + t], 0u, v);
    atomicAdd(&d[t % 24], 1.0);
    atomicMin(&w[t % 3], (unsigned long long)v);
    atomicSub(&sums[16 + 3 * n + t / 8], 2u);
    if (t & 1) atomicXor(&sums[16 + 3 * n + 40 + t * 9 % 40], v);
}
