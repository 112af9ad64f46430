// Instructions written by hand, with lanes at odd places.
__device__ inline unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ inline int place(int lane, int pattern)
{
    switch (pattern) {
        case 0: return lane;
        case 1: return 31 - lane;
        case 2: return lane ^ 5;
        case 3: return lane / 4 * 4;
        case 4: return lane * 7 % 32;
        case 5: return (lane % 8) * 4 + lane / 8;
        case 6: return lane < 8 ? 0 : lane;
        case 7: return lane / 2;
        case 8: return lane % 16 * 2;
        case 9: return (lane & 3) * 8 + (lane >> 2);
        case 10: return lane ^ (lane >> 3);
        default: return (lane * lane + pattern) % 32;
    }
}
// The pattern reads `pattern`; only lanes of `mask` take part.
extern "C" __global__ void shared_v4_pattern(const float4* in, float4* out, int pattern, unsigned mask)
{
    __shared__ float4 s[32];
    const int lane = threadIdx.x;
    s[lane] = in[lane];
    __syncwarp();
    float4 v = make_float4(0, 0, 0, 0);
    if (mask >> lane & 1)
        asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(at(&s[place(lane, pattern)])) : "memory");
    out[lane] = v;
}
extern "C" __global__ void shared_v2_pattern(const float2* in, float2* out, int pattern, unsigned mask)
{
    __shared__ float2 s[64];
    const int lane = threadIdx.x;
    s[lane] = in[lane];
    s[lane + 32] = in[lane];
    __syncwarp();
    float2 v = make_float2(0, 0);
    if (mask >> lane & 1)
        asm volatile("ld.shared.v2.f32 {%0,%1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(at(&s[place(lane, pattern) + (lane & 32)])) : "memory");
    out[lane] = v;
}
extern "C" __global__ void shared_v4_stores(float4* out, int pattern, unsigned mask)
{
    __shared__ float4 s[64];
    const int lane = threadIdx.x;
    s[lane] = s[lane + 32] = make_float4(1, 2, 3, 4);
    __syncwarp();
    const float x = lane;
    if (mask >> lane & 1)
        asm volatile("st.shared.v4.f32 [%0], {%1,%1,%1,%1};" ::"r"(at(&s[place(lane, pattern) * 2])), "f"(x) : "memory");
    __syncwarp();
    out[lane] = s[lane];
    out[lane + 32] = s[lane + 32];
}
extern "C" __global__ void streamed_v4(const uint4* in, uint4* out, int pattern, unsigned mask)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    if (!(mask >> lane & 1)) return;
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(in + warp * 32 + place(lane, pattern)));
    asm volatile("st.global.cs.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(out + warp * 32 + lane), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}
extern "C" __global__ void cached_ways(const unsigned* in, unsigned* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a, b, c, d;
    unsigned short e;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(in + i));
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(b) : "l"(in + (i ^ 3)));
    asm volatile("ld.global.lu.u32 %0, [%1];" : "=r"(c) : "l"(in + n - 1 - i));
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(d) : "l"(in + i / 3));
    asm volatile("ld.global.nc.L2::128B.u16 %0, [%1];" : "=h"(e) : "l"((const unsigned short*)in + i));
    asm volatile("st.global.wt.u32 [%0], %1;" ::"l"(out + i), "r"(a + b) : "memory");
    asm volatile("st.global.cg.u32 [%0], %1;" ::"l"(out + n + i), "r"(c ^ d) : "memory");
    asm volatile("st.global.wb.u16 [%0], %1;" ::"l"((unsigned short*)(out + 2 * n) + i), "h"(e) : "memory");
}
// Two kinds of width side by side: even quarter warps read 16 bytes, odd ones 4.
extern "C" __global__ void mixed_quarters(const float* in, float* out)
{
    __shared__ float s[160];
    const int lane = threadIdx.x;
    for (int i = lane; i < 160; i += 32) s[i] = in[i];
    __syncwarp();
    float r;
    if (lane / 8 % 2 == 0) { const float4 v = *(const float4*)&s[lane * 4]; r = v.x + v.w; }
    else r = s[lane * 5];
    out[lane] = r;
    const double d = *(const double*)&s[(lane * 6) % 158 & ~1];
    ((double*)(out + 32))[lane] = d;
}
extern "C" __global__ void predicated(const float* a, float* b, const unsigned* flag, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p ld.global.f32 %0, [%2]; @!p mov.f32 %0, 0f3F800000; }" : "=f"(v) : "r"(i < n ? flag[i] & 1u : 0u), "l"(a + i) : "memory");
    if (i < n && (threadIdx.x & 6) != 2) b[i] = v;
}
extern "C" __global__ void bytes_of_shared(const unsigned char* in, unsigned char* out, int step)
{
    __shared__ unsigned char s[1024];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) ((unsigned*)s)[i] = ((const unsigned*)in)[i];
    __syncthreads();
    unsigned sum = 0;
    for (int j = 0; j < 4; ++j) sum += s[(threadIdx.x * step + j * 33) & 1023];
    __syncthreads();
    s[threadIdx.x * 3] = sum;
    *(unsigned short*)&s[512 + threadIdx.x * 2] = sum * 3;
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) out[i] = s[i];
}
