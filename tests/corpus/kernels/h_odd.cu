#include <cuda_bf16.h>
#include <cuda_fp16.h>
// Instructions that few programs use, each with traffic of its own.
__device__ inline unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

extern "C" __global__ void hinted_streams(const float4* in, float4* out, int n)
{
    unsigned long long keep;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 0.5;" : "=l"(keep));
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v;
        asm volatile("prefetch.global.L2 [%0];" ::"l"(in + min(i + 64, n - 1)));
        asm volatile("ld.global.L2::cache_hint.v4.f32 {%0,%1,%2,%3}, [%4], %5;" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(in + i), "l"(keep));
        asm volatile("st.global.L1::no_allocate.L2::cache_hint.v4.f32 [%0], {%1,%2,%3,%4}, %5;" ::"l"(out + i), "f"(v.w), "f"(v.z), "f"(v.y), "f"(v.x), "l"(keep) : "memory");
    }
}
extern "C" __global__ void packed_atomics(__half2* h, __nv_bfloat162* b, __half2* shared_out, const unsigned* in)
{
    __shared__ __half2 s[12];
    const int t = threadIdx.x;
    if (t < 12) s[t] = __float2half2_rn(0.f);
    __syncthreads();
    const unsigned v = in[blockIdx.x * blockDim.x + t];
    atomicAdd(&h[v % 20], __floats2half2_rn(1.f, 2.f));
    atomicAdd(&b[t % 16], __floats2bfloat162_rn(1.f, 1.f));
    atomicAdd(&s[t % 12], __floats2half2_rn(1.f, -1.f));
    __syncthreads();
    if (t < 12) shared_out[blockIdx.x * 12 + t] = s[t];
}
extern "C" __global__ void vector_reds(float4* sums, const float4* in, int rows)
{
    const int t = threadIdx.x;
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        const float4 v = in[r * blockDim.x + t];
        asm volatile("red.global.add.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(sums + t), "f"(rintf(v.x * 8)), "f"(rintf(v.y * 8)), "f"(rintf(v.z * 8)), "f"(rintf(v.w * 8)) : "memory");
    }
}
extern "C" __global__ void ordered_accesses(unsigned* a, unsigned* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x, y, z, w;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(a + i) : "memory");
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(y) : "l"(a + (i ^ 1)) : "memory");
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], 9;" : "=r"(z) : "l"(out + 256 + i) : "memory");
    asm volatile("atom.relaxed.cta.global.dec.u32 %0, [%1], 9;" : "=r"(w) : "l"(out + 512 + i) : "memory");
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(out + i), "r"(x ^ y + z + w) : "memory");
}
// Two halves of a block meet at barriers of their own.
extern "C" __global__ void named_halves(const int* in, int* out)
{
    __shared__ int s[2][64];
    const int t = threadIdx.x % 64, half = threadIdx.x / 64;
    s[half][t] = in[blockIdx.x * 128 + threadIdx.x];
    asm volatile("barrier.sync.aligned %0, 64;" ::"r"(half + 1) : "memory");
    int v = s[half][63 - t] + s[half][t ^ 9];
    int n;
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 0; barrier.red.popc.aligned.u32 %0, 0, p; }" : "=r"(n) : "r"(v) : "memory");
    out[blockIdx.x * 128 + threadIdx.x] = v + n + __reduce_max_sync(~0u, v >> 3);
}
// Fragments turned by movmatrix and stored by stmatrix, also transposed.
extern "C" __global__ void matrices_moved(const unsigned* in, uint4* out, int pitch)
{
    extern __shared__ __align__(16) uint4 m[];
    const int lane = threadIdx.x;
    unsigned a[4];
    for (int i = 0; i < 4; ++i) asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(a[i]) : "r"(in[lane + 32 * i]));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(at(m + lane * pitch)), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(at(m + 32 * pitch + lane % 16)), "r"(a[1]), "r"(a[3]) : "memory");
    __syncwarp();
    out[lane] = m[lane * pitch];
    if (lane < 16) out[32 + lane] = m[32 * pitch + lane];
}
// Lanes point at shared, local or global memory through one pointer.
extern "C" __global__ void generic_choice(const float* g, float* out)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = g[t] + 1;
    __syncthreads();
    const float* p = t / 32 ? g + t * 2 : s + (t * 5 & 63);
    float v = *p;
    const float4* q = (const float4*)(t / 32 ? s + (t & 7) * 4 : g + (t & 15) * 8);
    const float4 w = *q;
    out[t] = v + w.x + w.z;
}
extern "C" __global__ void wide_strides(const short4* a, const double4* b, short4* c, double4* d, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const short4 s = a[n - 1 - i];
    c[i] = make_short4(s.w, s.z, s.y, s.x);
    const double4 v = b[i];
    d[i ^ 1] = make_double4(v.y, v.x, v.w, v.z);
}
