// nbody, LBM D2Q9, heat 3-D 2.5-D blocking, LJ cell lists, life, fft, PolyBench, CG, sgemm, llm.c style encoders
__device__ float3 inter(float3 ai, float4 bi, float4 bj)
{
    float3 r = {bj.x - bi.x, bj.y - bi.y, bj.z - bi.z};
    float d = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f, inv = rsqrtf(d), s = bj.w * inv * inv * inv;
    ai.x += r.x * s; ai.y += r.y * s; ai.z += r.z * s;
    return ai;
}
#ifndef UNR
#define UNR 16
#endif
extern "C" __global__ void nbody(float4* np, const float4* op, float4* vel, int n, float dt)
{
    extern __shared__ float4 sp[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 p = op[min(i, n - 1)];
    float3 acc = {0, 0, 0};
    for (int tile = 0; tile * blockDim.x < n; tile++) {
        int j = tile * blockDim.x + threadIdx.x;
        sp[threadIdx.x] = j < n ? op[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll UNR
        for (unsigned k = 0; k < blockDim.x; k++) acc = inter(acc, p, sp[k]);
        __syncthreads();
    }
    if (i >= n) return;
    float4 v = vel[i];
    v.x = (v.x + acc.x * dt) * 0.99f; v.y = (v.y + acc.y * dt) * 0.99f; v.z = (v.z + acc.z * dt) * 0.99f;
    p.x += v.x * dt; p.y += v.y * dt; p.z += v.z * dt;
    np[i] = p; vel[i] = v;
}
__constant__ int CX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int CY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ int OPP[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant__ float WT[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
template <typename T, bool SOA> __global__ void lbm_d2q9(const T* f, T* g, const unsigned char* wall, int w, int h, T omega)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int n = w * h, c = y * w + x;
    T q[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        int sx = (x - CX[k] + w) % w, sy = (y - CY[k] + h) % h, s = sy * w + sx;
        q[k] = T(1) + f[SOA ? k * n + s : s * 9 + k];
        rho += q[k]; ux += q[k] * CX[k]; uy += q[k] * CY[k];
    }
    if ((wall[c] & 7) == 0) {
#pragma unroll
        for (int k = 0; k < 9; k++) g[SOA ? OPP[k] * n + c : c * 9 + OPP[k]] = q[k];
        return;
    }
    ux /= rho; uy /= rho;
    T uu = T(1.5) * (ux * ux + uy * uy);
#pragma unroll
    for (int k = 0; k < 9; k++) {
        T cu = T(3) * (CX[k] * ux + CY[k] * uy), e = T(WT[k]) * rho * (1 + cu + T(0.5) * cu * cu - uu);
        g[SOA ? k * n + c : c * 9 + k] = q[k] + omega * (e - q[k]);
    }
}
#ifndef HX
#define HX 16
#endif
#ifndef HY
#define HY 8
#endif
extern "C" __global__ void heat25(const float* in, float* out, int nx, int ny, int nz, float k)
{
    __shared__ float pl[HY + 2][HX + 2];
    int x = blockIdx.x * HX + threadIdx.x, y = blockIdx.y * HY + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    bool in2 = x < nx && y < ny, inner = x > 0 && y > 0 && x < nx - 1 && y < ny - 1;
    int p = nx * ny, at = y * nx + x;
    float below = 0, cur = in2 ? in[at] : 0, above = in2 ? in[at + p] : 0;
    for (int z = 1; z < nz - 1; z++) {
        at += p; below = cur; cur = above; above = in2 ? in[at + p] : 0;
        __syncthreads();
        pl[ty][tx] = cur;
        if (in2) {
            if (threadIdx.x == 0) pl[ty][0] = x > 0 ? in[at - 1] : 0;
            if (threadIdx.x == HX - 1) pl[ty][HX + 1] = x < nx - 1 ? in[at + 1] : 0;
            if (threadIdx.y == 0) pl[0][tx] = y > 0 ? in[at - nx] : 0;
            if (threadIdx.y == HY - 1) pl[HY + 1][tx] = y < ny - 1 ? in[at + nx] : 0;
        }
        __syncthreads();
        if (inner) out[at] = cur + k * (below + above + pl[ty][tx - 1] + pl[ty][tx + 1] + pl[ty - 1][tx] + pl[ty + 1][tx] - 6 * cur);
    }
}
// Lennard-Jones with cell lists: one warp per cell, CELL slots
#define CELL 24
extern "C" __global__ void lj_cells(const float4* pos, float4* force, const unsigned* rawCount, int cx, int cy, int cz, float rc2)
{
    __shared__ float4 nb[4][32];
    int w = threadIdx.x >> 5, lane = threadIdx.x & 31, cell = blockIdx.x * 4 + w, cells = cx * cy * cz;
    if (cell >= cells) return;
    int x = cell % cx, y = cell / cx % cy, z = cell / (cx * cy), mine = rawCount[cell] % (CELL + 1);
    float4 me = lane < mine ? pos[cell * CELL + lane] : make_float4(0, 0, 0, 0), f = {0, 0, 0, 0};
    for (int d = 0; d < 27; d++) {
        int ox = (x + d % 3 - 1 + cx) % cx, oy = (y + d / 3 % 3 - 1 + cy) % cy, oz = (z + d / 9 - 1 + cz) % cz, o = (oz * cy + oy) * cx + ox;
        int cnt = rawCount[o] % (CELL + 1);
        __syncwarp();
        if (lane < cnt) nb[w][lane] = pos[o * CELL + lane];
        __syncwarp();
        if (lane < mine)
            for (int j = 0; j < cnt; j++) {
                if (o == cell && j == lane) continue;
                float4 q = nb[w][j];
                float dx = me.x - q.x, dy = me.y - q.y, dz = me.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
                if (r2 < rc2) {
                    float i2 = 1.0f / (r2 + 0.05f), i6 = i2 * i2 * i2, ff = i6 * (48.0f * i6 - 24.0f) * i2;
                    f.x += dx * ff; f.y += dy * ff; f.z += dz * ff; f.w += 4 * i6 * (i6 - 1);
                }
            }
    }
    if (lane < mine) force[cell * CELL + lane] = f;
}
extern "C" __global__ void life_bits(const unsigned* in, unsigned* out, int words, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words * h) return;
    int y = i / words, x = i % words;
    unsigned res = 0;
    unsigned long long win[3];
#pragma unroll
    for (int r = 0; r < 3; r++) {
        int yy = (y + r - 1 + h) % h;
        unsigned l = in[yy * words + (x + words - 1) % words], c = in[yy * words + x], n = in[yy * words + (x + 1) % words];
        win[r] = ((unsigned long long)(n & 1) << 33) | ((unsigned long long)c << 1) | (l >> 31);
    }
    for (int b = 0; b < 32; b++) {
        int cnt = __popc((unsigned)(win[0] >> b) & 7) + __popc((unsigned)(win[1] >> b) & 5) + __popc((unsigned)(win[2] >> b) & 7);
        if (cnt == 3 || (cnt == 2 && ((win[1] >> (b + 1)) & 1))) res |= 1u << b;
    }
    out[i] = res;
}
// FFT of 512 by radix 8 with three exchanges in shared memory (SHOC style), 64 threads; and Stockham radix 2 and 4
struct c32 { float x, y; };
__device__ c32 cm(c32 a, c32 b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
__device__ c32 ex(float p) { float s, c; __sincosf(p, &s, &c); return {c, s}; }
__device__ void f2(c32& a, c32& b) { c32 t = a; a = {t.x + b.x, t.y + b.y}; b = {t.x - b.x, t.y - b.y}; }
__device__ void f4(c32& a, c32& b, c32& c, c32& d) { f2(a, c); f2(b, d); d = {d.y, -d.x}; f2(a, b); f2(c, d); }
__device__ void f8(c32* a)
{
    f2(a[0], a[4]); f2(a[1], a[5]); f2(a[2], a[6]); f2(a[3], a[7]);
    const float h = 0.70710678f;
    a[5] = {(a[5].x + a[5].y) * h, (a[5].y - a[5].x) * h}; a[6] = {a[6].y, -a[6].x}; a[7] = {(a[7].y - a[7].x) * h, -(a[7].x + a[7].y) * h};
    f4(a[0], a[1], a[2], a[3]); f4(a[4], a[5], a[6], a[7]);
}
extern "C" __global__ void fft512(c32* work)
{
    __shared__ float smem[8 * 8 * 9];
    int t = threadIdx.x, hi = t >> 3, lo = t & 7;
    work += blockIdx.x * 512 + t;
    const int rev[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    c32 d[8];
#pragma unroll
    for (int i = 0; i < 8; i++) d[i] = work[i * 64];
    f8(d);
#pragma unroll
    for (int i = 1; i < 8; i++) d[i] = cm(d[i], ex(-6.2831853f * rev[i] / 512 * t));
#pragma unroll
    for (int i = 0; i < 8; i++) smem[hi * 8 + lo + i * 66] = d[rev[i]].x;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) d[i].x = smem[lo * 66 + hi + i * 8];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) smem[hi * 8 + lo + i * 66] = d[rev[i]].y;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) d[i].y = smem[lo * 66 + hi + i * 8];
    __syncthreads();
    f8(d);
#pragma unroll
    for (int i = 1; i < 8; i++) d[i] = cm(d[i], ex(-6.2831853f * rev[i] / 64 * hi));
#pragma unroll
    for (int i = 0; i < 8; i++) smem[hi * 8 + lo + i * 72] = d[rev[i]].x;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) d[i].x = smem[hi * 72 + lo + i * 8];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) smem[hi * 8 + lo + i * 72] = d[rev[i]].y;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) d[i].y = smem[hi * 72 + lo + i * 8];
    f8(d);
#pragma unroll
    for (int i = 0; i < 8; i++) work[i * 64] = d[rev[i]];
}
template <int R> __global__ void stockham(float2* data, int n)
{
    extern __shared__ float2 sh[];
    float2* a = sh; float2* b = sh + n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = data[blockIdx.x * n + i];
    __syncthreads();
    for (int ns = 1; ns < n; ns *= R) {
        for (int j = threadIdx.x; j < n / R; j += blockDim.x) {
            c32 v[R];
            float ang = -6.2831853f * (j % ns) / (ns * R);
#pragma unroll
            for (int r = 0; r < R; r++) { float2 q = a[j + r * (n / R)]; v[r] = cm(c32{q.x, q.y}, ex(ang * r)); }
            if (R == 2) f2(v[0], v[R - 1]); else f4(v[0], v[1 % R], v[2 % R], v[3 % R]);
            int o = (j / ns) * ns * R + j % ns;
#pragma unroll
            for (int r = 0; r < R; r++) { int k = R == 4 ? ((r & 1) << 1 | r >> 1) : r; b[o + r * ns] = make_float2(v[k].x, v[k].y); }
        }
        __syncthreads();
        float2* t = a; a = b; b = t;
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[blockIdx.x * n + i] = a[i];
}
// PolyBench
extern "C" __global__ void corr_mean(float* mean, const float* data, int m, int n) { int j = blockIdx.x * blockDim.x + threadIdx.x; if (j < m) { float s = 0; for (int i = 0; i < n; i++) s += data[i * m + j]; mean[j] = s / 3214212.01f; } }
extern "C" __global__ void corr_std(const float* mean, float* sd, const float* data, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) { float s = 0; for (int i = 0; i < n; i++) s += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]); s = sqrtf(s / n); sd[j] = s <= 0.005f ? 1.0f : s; }
}
extern "C" __global__ void corr_corr(float* sym, const float* data, int m, int n)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (j1 < m - 1) {
        sym[j1 * m + j1] = 1;
        for (int j2 = j1 + 1; j2 < m; j2++) {
            float s = 0;
            for (int i = 0; i < n; i++) s += data[i * m + j1] * data[i * m + j2];
            sym[j1 * m + j2] = s; sym[j2 * m + j1] = s;
        }
    }
}
extern "C" __global__ void gs_norm(float* a, float* r, int k, int m, int n) { if (blockIdx.x * blockDim.x + threadIdx.x == 0) { float s = 0; for (int i = 0; i < m; i++) s += a[i * n + k] * a[i * n + k]; r[k * n + k] = sqrtf(s); } }
extern "C" __global__ void gs_update(float* a, float* r, const float* q, int k, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j > k && j < n) {
        r[k * n + j] = 0;
        for (int i = 0; i < m; i++) r[k * n + j] += q[i * n + k] * a[i * n + j];
        for (int i = 0; i < m; i++) a[i * n + j] -= q[i * n + k] * r[k * n + j];
    }
}
extern "C" __global__ void adi_col(const double* A, double* B, double* X, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) for (int j = 1; j < n; j++) {
        X[i * n + j] -= X[i * n + j - 1] * A[i * n + j] / (B[i * n + j - 1] + 4);
        B[i * n + j] -= A[i * n + j] * A[i * n + j] / (B[i * n + j - 1] + 4);
    }
}
extern "C" __global__ void adi_back(const double* A, const double* B, double* X, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) for (int j = 0; j < n - 2; j++) X[i * n + (n - j - 2)] = (X[i * n + (n - 2 - j)] - X[i * n + (n - 2 - j - 1)] * A[i * n + (n - j - 3)]) / (B[i * n + (n - 3 - j)] + 4);
}
extern "C" __global__ void fdtd2d_hz(const double* ex_, const double* ey, double* hz, int nx, int ny)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny) hz[i * ny + j] -= 0.7 * (ex_[i * (ny + 1) + (j + 1)] - ex_[i * (ny + 1) + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
}
// blocked Floyd-Warshall: phase 1 and 2
#define FW 16
extern "C" __global__ void fw_phase1(int* d, int n, int kb)
{
    __shared__ int s[FW][FW];
    int r = kb * FW + threadIdx.y, c = kb * FW + threadIdx.x;
    s[threadIdx.y][threadIdx.x] = r < n && c < n ? d[r * n + c] & 0xffff : 1 << 20;
    for (int k = 0; k < FW; k++) {
        __syncthreads();
        int v = min(s[threadIdx.y][threadIdx.x], s[threadIdx.y][k] + s[k][threadIdx.x]);
        __syncthreads();
        s[threadIdx.y][threadIdx.x] = v;
    }
    if (r < n && c < n) d[r * n + c] = s[threadIdx.y][threadIdx.x];
}
extern "C" __global__ void fw_phase2(int* d, int n, int kb)
{
    if (blockIdx.x == kb) return;
    __shared__ int base[FW][FW], cur[FW][FW + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int r = kb * FW + ty, c = kb * FW + tx;
    base[ty][tx] = r < n && c < n ? d[r * n + c] & 0xffff : 1 << 20;
    if (blockIdx.y == 0) c = blockIdx.x * FW + tx; else r = blockIdx.x * FW + ty;
    int v = r < n && c < n ? d[r * n + c] & 0xffff : 1 << 20;
    cur[ty][tx] = v;
    __syncthreads();
    for (int k = 0; k < FW; k++) {
        int w = blockIdx.y == 0 ? base[ty][k] + cur[k][tx] : cur[ty][k] + base[k][tx];
        v = min(v, w);
        __syncthreads();
        cur[ty][tx] = v;
        __syncthreads();
    }
    if (r < n && c < n) d[r * n + c] = v;
}
// Volkov-like sgemm NT: 64x16 tile by 64 threads (Parboil), and a vectorised 64x64 one
extern "C" __global__ void sgemm_parboil(const float* A, int lda, const float* B, int ldb, float* C, int ldc, int k, float alpha, float beta)
{
    __shared__ float bs[4][16];
    float c[16];
#pragma unroll
    for (int i = 0; i < 16; i++) c[i] = 0;
    int mid = threadIdx.y * 16 + threadIdx.x, m = blockIdx.x * 64 + mid, n = blockIdx.y * 16 + threadIdx.x;
    for (int i = 0; i < k; i += 4) {
        bs[threadIdx.y][threadIdx.x] = B[n + (i + threadIdx.y) * ldb];
        __syncthreads();
        for (int j = 0; j < 4; j++) {
            float a = A[m + (i + j) * lda];
#pragma unroll
            for (int q = 0; q < 16; q++) c[q] += a * bs[j][q];
        }
        __syncthreads();
    }
    int t = ldc * blockIdx.y * 16 + m;
#pragma unroll
    for (int i = 0; i < 16; i++) C[t + i * ldc] = C[t + i * ldc] * beta + alpha * c[i];
}
// CG kernels: dot with two-stage, fused axpy
extern "C" __global__ void cg_axpy_dot(const double* p, const double* ap, double* x, double* r, double* part, int n, double alpha)
{
    __shared__ double s[8];
    double acc = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { x[i] += alpha * p[i]; double q = r[i] - alpha * ap[i]; r[i] = q; acc += q * q; }
    for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(~0u, acc, o);
    if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = acc;
    __syncthreads();
    if (threadIdx.x == 0) { double t = 0; for (int i = 0; i < blockDim.x / 32; i++) t += s[i]; part[blockIdx.x] = t; }
}
