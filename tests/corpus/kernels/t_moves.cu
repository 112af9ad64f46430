struct alignas(16) q16 { unsigned x, y, z, w; };
struct rgb { unsigned char r, g, b; };
// transposes: T element, DX x DY tile, PAD columns, ROWS threads in y, I index type
template <typename T, int TD, int ROWS, int PAD, typename I>
__global__ void t_tile(const T* __restrict__ in, T* __restrict__ out, I rows, I cols)
{
    __shared__ T s[TD][TD + PAD];
    const T* src = in + (size_t)blockIdx.z * rows * cols; T* dst = out + (size_t)blockIdx.z * rows * cols;
    I c = (I)blockIdx.x * TD + threadIdx.x, r = (I)blockIdx.y * TD + threadIdx.y;
#ifdef UNR
#pragma unroll UNR
#endif
    for (int d = 0; d < TD; d += ROWS) if (r + d < rows && c < cols) s[threadIdx.y + d][threadIdx.x] = src[(r + d) * cols + c];
    __syncthreads();
    I oc = (I)blockIdx.y * TD + threadIdx.x, orow = (I)blockIdx.x * TD + threadIdx.y;
#ifdef UNR
#pragma unroll UNR
#endif
    for (int d = 0; d < TD; d += ROWS) if (orow + d < cols && oc < rows) dst[(orow + d) * rows + oc] = s[threadIdx.x][threadIdx.y + d];
}
// rectangular tile, one linear block
template <typename T, int TR, int TC, int PAD>
__global__ void t_rect(const T* in, T* out, int rows, int cols)
{
    extern __shared__ __align__(16) unsigned char raw[];
    T* s = reinterpret_cast<T*>(raw);
    int r0 = blockIdx.y * TR, c0 = blockIdx.x * TC;
    for (int e = threadIdx.x; e < TR * TC; e += blockDim.x) { int r = e / TC, c = e % TC; if (r0 + r < rows && c0 + c < cols) s[r * (TC + PAD) + c] = in[(r0 + r) * cols + c0 + c]; }
    __syncthreads();
    for (int e = threadIdx.x; e < TR * TC; e += blockDim.x) { int c = e / TR, r = e % TR; if (r0 + r < rows && c0 + c < cols) out[(c0 + c) * rows + r0 + r] = s[r * (TC + PAD) + c]; }
}
// xor swizzle, float4 both ways
__global__ void __launch_bounds__(256) t_swz4(const float4* __restrict__ in, float4* __restrict__ out, int n4rows, int n4cols)
{
    __shared__ float4 s[64 * 16];
    float* f = reinterpret_cast<float*>(s);
    int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
    for (int r = ty; r < 64; r += 16) s[r * 16 + (tx ^ (r >> 2))] = in[(size_t)(blockIdx.y * 64 + r) * n4cols + blockIdx.x * 16 + tx];
    __syncthreads();
    for (int c = ty; c < 64; c += 16) {
        float v[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) { int r = tx * 4 + i; v[i] = f[(r * 16 + ((c >> 2) ^ (r >> 2))) * 4 + (c & 3)]; }
        out[(size_t)(blockIdx.x * 64 + c) * n4rows + blockIdx.y * 16 + tx] = make_float4(v[0], v[1], v[2], v[3]);
    }
}
// in place, square: the block pair (i,j),(j,i); upper triangle of blocks only
template <typename T, int B>
__global__ void t_inplace(T* a, int n)
{
    __shared__ T p[B][B + 1], q[B][B + 1];
    int bi = blockIdx.y, bj = blockIdx.x;
    if (bi > bj) return;
    int x = threadIdx.x, y = threadIdx.y;
    bool u = bi * B + y < n && bj * B + x < n, l = bj * B + y < n && bi * B + x < n;
    if (u) p[y][x] = a[(bi * B + y) * n + bj * B + x];
    if (bi != bj && l) q[y][x] = a[(bj * B + y) * n + bi * B + x];
    __syncthreads();
    if (bi == bj) { if (u) a[(bi * B + y) * n + bj * B + x] = p[x][y]; return; }
    if (l) a[(bj * B + y) * n + bi * B + x] = p[x][y];
    if (u) a[(bi * B + y) * n + bj * B + x] = q[x][y];
}
// diagonal block order, no shared at all (naive both ways), and by warp shuffles
template <bool ReadRows>
__global__ void t_naive(const float* in, float* out, int n)
{
    int bx = (blockIdx.x + blockIdx.y) % gridDim.x, by = blockIdx.x;
    int x = bx * blockDim.x + threadIdx.x, y = by * blockDim.y + threadIdx.y;
    if (x < n && y < n) { if (ReadRows) out[x * n + y] = in[y * n + x]; else out[y * n + x] = in[x * n + y]; }
}
template <typename T>
__global__ void t_shuffle(const T* in, T* out, int rows, int cols)   // 32 x 32 per warp
{
    int lane = threadIdx.x, r0 = (blockIdx.y * blockDim.y + threadIdx.y) * 32, c0 = blockIdx.x * 32;
    if (r0 >= rows) return;
    T v[32];
#pragma unroll
    for (int i = 0; i < 32; ++i) v[i] = in[(size_t)(r0 + i) * cols + c0 + lane];
#pragma unroll
    for (int s = 16; s; s >>= 1)
#pragma unroll
        for (int i = 0; i < 32; ++i) if (!(i & s)) {
            T give = lane & s ? v[i] : v[i | s];
            T got = __shfl_xor_sync(~0u, give, s);
            if (lane & s) v[i] = got; else v[i | s] = got;
        }
#pragma unroll
    for (int i = 0; i < 32; ++i) out[(size_t)(c0 + i) * rows + r0 + lane] = v[i];
}
// bytes: 4 x 4 micro transposes with __byte_perm
__global__ void t_bytes(const unsigned* in, unsigned* out, int rows, int cols) // both multiples of 4, in bytes
{
    int c4 = blockIdx.x * blockDim.x + threadIdx.x, r4 = blockIdx.y * blockDim.y + threadIdx.y;
    if (c4 >= cols / 4 || r4 >= rows / 4) return;
    unsigned a[4];
    for (int i = 0; i < 4; ++i) a[i] = in[(r4 * 4 + i) * (cols / 4) + c4];
    unsigned t0 = __byte_perm(a[0], a[1], 0x5140), t1 = __byte_perm(a[2], a[3], 0x5140), t2 = __byte_perm(a[0], a[1], 0x7362), t3 = __byte_perm(a[2], a[3], 0x7362);
    out[(c4 * 4 + 0) * (rows / 4) + r4] = __byte_perm(t0, t1, 0x5410);
    out[(c4 * 4 + 1) * (rows / 4) + r4] = __byte_perm(t0, t1, 0x7632);
    out[(c4 * 4 + 2) * (rows / 4) + r4] = __byte_perm(t2, t3, 0x5410);
    out[(c4 * 4 + 3) * (rows / 4) + r4] = __byte_perm(t2, t3, 0x7632);
}
// copies
template <typename V, int U>
__global__ void c_unroll(const V* __restrict__ s, V* __restrict__ d, int n)
{
    int base = blockIdx.x * blockDim.x * U + threadIdx.x;
    V v[U];
#pragma unroll
    for (int i = 0; i < U; ++i) if (base + i * (int)blockDim.x < n) v[i] = s[base + i * blockDim.x];
#pragma unroll
    for (int i = 0; i < U; ++i) if (base + i * (int)blockDim.x < n) d[base + i * blockDim.x] = v[i];
}
template <typename V>
__global__ void c_blocked(const V* s, V* d, size_t n, int per)
{
    size_t b = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * per;
    for (int i = 0; i < per; ++i) if (b + i < n) d[b + i] = s[b + i];
}
__global__ void c_headtail(const float* s, float* d, int off, int n)  // misaligned start: scalars, float4, scalars
{
    int head = (4 - off % 4) % 4; if (head > n) head = n;
    int body = (n - head) / 4, tid = blockIdx.x * blockDim.x + threadIdx.x, nt = gridDim.x * blockDim.x;
    s += off; d += off;
    if (tid < head) d[tid] = s[tid];
    const float4* s4 = reinterpret_cast<const float4*>(s + head); float4* d4 = reinterpret_cast<float4*>(d + head);
    for (int i = tid; i < body; i += nt) d4[i] = __ldcs(s4 + i);
    int rest = head + body * 4;
    if (rest + tid < n) d[rest + tid] = s[rest + tid];
}
template <int BYTES, int ST>
__global__ void c_async(const unsigned char* __restrict__ s, unsigned char* __restrict__ d, int chunks)
{
    extern __shared__ __align__(16) unsigned char ring[];
    int nt = blockDim.x, t = threadIdx.x, span = nt * BYTES;
    auto issue = [&](int st, int c) {
        if (c < chunks) { unsigned a = (unsigned)__cvta_generic_to_shared(ring + st * span + t * BYTES); const void* g = s + ((size_t)blockIdx.x * chunks + c) * span + t * BYTES;
            if constexpr (BYTES == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(a), "l"(g)); else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(a), "l"(g), "n"(BYTES)); }
        asm volatile("cp.async.commit_group;");
    };
    for (int i = 0; i < ST - 1; ++i) issue(i, i);
    for (int c = 0; c < chunks; ++c) {
        issue((c + ST - 1) % ST, c + ST - 1);
        asm volatile("cp.async.wait_group %0;" ::"n"(ST - 1));
        __syncthreads();
        // written out by another thread of the block, reversed
        int o = nt - 1 - t; unsigned char* q = d + ((size_t)blockIdx.x * chunks + c) * span + o * BYTES;
        if constexpr (BYTES == 16) *(q16*)q = *(q16*)(ring + c % ST * span + o * BYTES);
        else if constexpr (BYTES == 8) *(uint2*)q = *(uint2*)(ring + c % ST * span + o * BYTES);
        else *(unsigned*)q = *(unsigned*)(ring + c % ST * span + o * BYTES);
        __syncthreads();
    }
}
// permutes
template <int R, typename T>
__global__ void p_perm(const T* in, T* out, int4 dims, int4 perm, int n)
{
    int D[4] = { dims.x, dims.y, dims.z, dims.w }, P[4] = { perm.x, perm.y, perm.z, perm.w }, st[4];
    int a = 1;
    for (int i = R - 1; i >= 0; --i) { st[i] = a; a *= D[i]; }
    for (int o = blockIdx.x * blockDim.x + threadIdx.x; o < n; o += gridDim.x * blockDim.x) {
        int rest = o, src = 0;
#pragma unroll
        for (int i = R - 1; i >= 0; --i) { int e = D[P[i]]; src += rest % e * st[P[i]]; rest /= e; }
        out[o] = in[src];
    }
}
template <typename T, int TC, bool ToNHWC>
__global__ void p_layout(const T* __restrict__ in, T* __restrict__ out, int C, int HW)
{
    __shared__ T s[TC][33];
    in += (size_t)blockIdx.z * C * HW; out += (size_t)blockIdx.z * C * HW;
    int h0 = blockIdx.x * 32, c0 = blockIdx.y * TC;
    for (int c = threadIdx.y; c < TC; c += blockDim.y) if (c0 + c < C && h0 + threadIdx.x < HW) s[c][threadIdx.x] = ToNHWC ? in[(c0 + c) * HW + h0 + threadIdx.x] : T(0);
    if (!ToNHWC) { __syncthreads(); for (int e = threadIdx.y * 32 + threadIdx.x; e < 32 * TC; e += 32 * blockDim.y) { int h = e / TC, c = e % TC; if (h0 + h < HW && c0 + c < C) s[c][h] = in[(h0 + h) * C + c0 + c]; } }
    __syncthreads();
    if (ToNHWC) for (int e = threadIdx.y * 32 + threadIdx.x; e < 32 * TC; e += 32 * blockDim.y) { int h = e / TC, c = e % TC; if (h0 + h < HW && c0 + c < C) out[(h0 + h) * C + c0 + c] = s[c][h]; }
    else for (int c = threadIdx.y; c < TC; c += blockDim.y) if (c0 + c < C && h0 + threadIdx.x < HW) out[(c0 + c) * HW + h0 + threadIdx.x] = s[c][threadIdx.x];
}
template <int KH, int KW>
__global__ void p_im2col(const float* __restrict__ x, float* __restrict__ col, int C, int H, int W, int OH, int OW, int stride, int pad)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= C * OH * OW) return;
    int ow = i % OW, oh = i / OW % OH, c = i / (OW * OH);
    const float* p = x + (size_t)c * H * W; float* q = col + ((size_t)c * KH * KW * OH + oh) * OW + ow;
#pragma unroll
    for (int a = 0; a < KH; ++a)
        for (int b = 0; b < KW; ++b) { int h = oh * stride - pad + a, w = ow * stride - pad + b; *q = (h >= 0 && w >= 0 && h < H && w < W) ? p[h * W + w] : 0.f; q += OH * OW; }
}
__global__ void p_col2im(const float* __restrict__ col, float* x, int C, int H, int W, int K, int OH, int OW, int stride, int pad)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < C * H * W; i += blockDim.x * gridDim.x) {
        int w = i % W + pad, h = i / W % H + pad, c = i / (W * H); float s = 0;
        int lo = w < K ? 0 : (w - K) / stride + 1, hi = min(w / stride + 1, OW), lo2 = h < K ? 0 : (h - K) / stride + 1, hi2 = min(h / stride + 1, OH);
        for (int b = lo2; b < hi2; ++b) for (int a = lo; a < hi; ++a) s += col[(((c * K + h - b * stride) * K + (w - a * stride)) * OH + b) * OW + a];
        x[i] = s;
    }
}
__global__ void p_pixels(const rgb* in, float* planes, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { rgb v = in[i]; planes[i] = v.r / 255.f; planes[n + i] = v.g / 255.f; planes[2 * n + i] = v.b / 255.f; } }
