// Kernels of small scientific programs.

extern "C" __global__ void spmv_rows_of_4(const unsigned* col, const float* val, const float* x, float* y, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 4, part = threadIdx.x % 4;
    float s = 0;
    if (row < rows) {
        const int begin = row * 9 + (row & 3), end = (row + 1) * 9 + ((row + 1) & 3);  // rows of 6 to 10 entries
        for (int i = begin + part; i < end; i += 4) s += val[i] * x[col[i] % rows];
    }
    s += __shfl_down_sync(~0u, s, 2, 4);
    s += __shfl_down_sync(~0u, s, 1, 4);
    if (row < rows && part == 0) y[row] = s;
}
extern "C" __global__ void spmv_ell_double(const unsigned short* __restrict__ col, const double* __restrict__ val, const double* __restrict__ x, double* y, int rows, int width)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    double s = 0;
    for (int j = 0; j < width; ++j) {
        const unsigned c = col[j * rows + row];
        if (c & 3) s += val[j * rows + row] * x[c % rows];
    }
    y[row] = s;
}
// Sorted rows: a warp adds runs of one row by shuffles, then one atomic a run.
extern "C" __global__ void spmv_coo_runs(const unsigned* col, const float* val, const float* x, float* y, int entries, int rows)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const int row = i < entries ? i / 5 % rows : -1;
    float v = i < entries ? val[i] * x[col[i] % rows] : 0.f;
    for (int o = 1; o < 32; o *= 2) {
        const float a = __shfl_up_sync(~0u, v, o);
        const int r = __shfl_up_sync(~0u, row, o);
        if (lane >= o && r == row) v += a;
    }
    const int next = __shfl_down_sync(~0u, row, 1);
    if (row >= 0 && (lane == 31 || next != row)) atomicAdd(&y[row], v);
}
// 7 points in 3-D, planes marching through shared memory with a border.
extern "C" __global__ void stencil_7_march(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz)
{
    __shared__ float s[10][34];
    const int tx = threadIdx.x, ty = threadIdx.y;  // 32 x 8
    const int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    const bool inside = x < nx && y < ny;
    const int here = min(y, ny - 1) * nx + min(x, nx - 1), plane = nx * ny;
    float below = 0, mid = in[here], above;
    for (int z = 0; z < nz; ++z) {
        above = z + 1 < nz ? in[here + (z + 1) * plane] : 0.f;
        __syncthreads();
        s[ty + 1][tx + 1] = inside ? mid : 0.f;
        if (tx == 0) s[ty + 1][0] = x > 0 && inside ? in[here + z * plane - 1] : 0.f;
        if (tx == 31) s[ty + 1][33] = x + 1 < nx && inside ? in[here + z * plane + 1] : 0.f;
        if (ty == 0) s[0][tx + 1] = y > 0 && inside ? in[here + z * plane - nx] : 0.f;
        if (ty == 7) s[9][tx + 1] = y + 1 < ny && inside ? in[here + z * plane + nx] : 0.f;
        __syncthreads();
        if (inside) out[here + z * plane] = below + above - 6 * mid + s[ty + 1][tx] + s[ty + 1][tx + 2] + s[ty][tx + 1] + s[ty + 2][tx + 1];
        below = mid;
        mid = above;
    }
}
__constant__ int lbm_x[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int lbm_y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float lbm_w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
extern "C" __global__ void lbm_d2q9(const float* f, float* g, int nx, int ny, float omega)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx) return;
    float v[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        const int from = (y - lbm_y[i] + ny) % ny * nx + (x - lbm_x[i] + nx) % nx;
        v[i] = f[i * nx * ny + from] + 1.5f;
        rho += v[i]; ux += v[i] * lbm_x[i]; uy += v[i] * lbm_y[i];
    }
    ux /= rho; uy /= rho;
    for (int i = 0; i < 9; ++i) {
        const float c = 3 * (lbm_x[i] * ux + lbm_y[i] * uy);
        const float e = lbm_w[i] * rho * (1 + c + c * c / 2 - 1.5f * (ux * ux + uy * uy));
        g[i * nx * ny + y * nx + x] = v[i] - omega * (v[i] - e);
    }
}
// 256 points by radix 4, 64 threads; real and imaginary parts apart with a word of padding each PAD_EVERY.
__device__ inline int pad(int i) { return i + i / 16; }
extern "C" __global__ void fft_256_radix4(const float2* in, float2* out)
{
    __shared__ float re[272], im[272];
    const int t = threadIdx.x;
    float2 v[4];
    for (int j = 0; j < 4; ++j) v[j] = in[blockIdx.x * 256 + t + 64 * j];
    for (int n = 1; n < 256; n *= 4) {
        const float angle = -6.2831853f * (t % n) / (4 * n);
        for (int j = 1; j < 4; ++j) {
            float s, c;
            __sincosf(angle * j, &s, &c);
            v[j] = make_float2(v[j].x * c - v[j].y * s, v[j].x * s + v[j].y * c);
        }
        const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
        const float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
        v[0] = make_float2(a.x + c.x, a.y + c.y); v[1] = make_float2(b.x + d.x, b.y + d.y);
        v[2] = make_float2(a.x - c.x, a.y - c.y); v[3] = make_float2(b.x - d.x, b.y - d.y);
        const int to = t / n * n * 4 + t % n;
        for (int j = 0; j < 4; ++j) { re[pad(to + j * n)] = v[j].x; im[pad(to + j * n)] = v[j].y; }
        __syncthreads();
        for (int j = 0; j < 4; ++j) v[j] = make_float2(re[pad(t + 64 * j)], im[pad(t + 64 * j)]);
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j) out[blockIdx.x * 256 + t + 64 * j] = v[j];
}
extern "C" __global__ void fft_radix2_shared(float2* data, int logn)
{
    extern __shared__ float2 s[];
    const int n = 1 << logn, t = threadIdx.x;
    for (int i = t; i < n; i += blockDim.x) s[__brev(i) >> (32 - logn)] = data[blockIdx.x * n + i];
    for (int half = 1; half < n; half *= 2) {
        __syncthreads();
        for (int i = t; i < n / 2; i += blockDim.x) {
            const int lo = i / half * half * 2 + i % half;
            float sn, cs;
            sincospif(-(float)(i % half) / half, &sn, &cs);
            const float2 a = s[lo], b = s[lo + half], w = make_float2(b.x * cs - b.y * sn, b.x * sn + b.y * cs);
            s[lo] = make_float2(a.x + w.x, a.y + w.y);
            s[lo + half] = make_float2(a.x - w.x, a.y - w.y);
        }
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) data[blockIdx.x * n + i] = s[i];
}
extern "C" __global__ void nbody_tiles(const float4* pos, float3* acc, int n)
{
    extern __shared__ float4 tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 me = pos[min(i, n - 1)];
    float3 a = make_float3(0, 0, 0);
    for (int base = 0; base < n; base += blockDim.x) {
        tile[threadIdx.x] = base + threadIdx.x < n ? pos[base + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < blockDim.x; ++j) {
            const float4 p = tile[j];
            const float dx = p.x - me.x, dy = p.y - me.y, dz = p.z - me.z;
            const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = p.w * r * r * r;
            a.x += dx * f; a.y += dy * f; a.z += dz * f;
        }
        __syncthreads();
    }
    if (i < n) acc[i] = a;
}
extern "C" __global__ void jacobi_double2(const double2* in, double2* out, double* residual, int w2, int h)
{
    __shared__ double parts[8];
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y + 1;
    double r = 0;
    if (x > 0 && x < w2 - 1) {
        const double* row = (const double*)(in + y * w2);
        const double2 u = in[(y - 1) * w2 + x], d = in[(y + 1) * w2 + x], c = in[y * w2 + x];
        double2 v;
        v.x = 0.25 * (u.x + d.x + row[2 * x - 1] + c.y);
        v.y = 0.25 * (u.y + d.y + c.x + row[2 * x + 2]);
        out[y * w2 + x] = v;
        r = fabs(v.x - c.x) + fabs(v.y - c.y);
    }
    for (int o = 16; o; o /= 2) r += __shfl_down_sync(~0u, r, o);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = r;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < blockDim.x / 32; ++i) r += parts[i];
        residual[blockIdx.y * gridDim.x + blockIdx.x] = r;
    }
}
// A matrix a block, n <= 16 threads' worth of columns; LU without pivots of a matrix made dominant.
extern "C" __global__ void lu_batched(float* m, int n)
{
    __shared__ float a[24][25];
    float* mine = m + blockIdx.x * n * n;
    const int c = threadIdx.x;
    for (int r = 0; r < n; ++r) if (c < n) a[r][c] = mine[r * n + c] + (r == c ? 2 * n : 0);
    __syncthreads();
    for (int k = 0; k < n - 1; ++k) {
        if (c > k && c < n) a[c][k] /= a[k][k];
        __syncthreads();
        if (c > k && c < n) for (int r = k + 1; r < n; ++r) a[r][c] -= a[r][k] * a[k][c];
        __syncthreads();
    }
    for (int r = 0; r < n; ++r) if (c < n) mine[r * n + c] = a[r][c];
}
// Cholesky, several matrices a block interleaved so that lanes are matrices.
extern "C" __global__ void cholesky_interleaved(float* m, int n, int count)
{
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= count) return;
    for (int j = 0; j < n; ++j) {
        float d = m[(j * n + j) * count + b] + 2 * n;
        for (int k = 0; k < j; ++k) d -= m[(j * n + k) * count + b] * m[(j * n + k) * count + b];
        d = sqrtf(d);
        m[(j * n + j) * count + b] = d;
        for (int i = j + 1; i < n; ++i) {
            float s = m[(i * n + j) * count + b];
            for (int k = 0; k < j; ++k) s -= m[(i * n + k) * count + b] * m[(j * n + k) * count + b];
            m[(i * n + j) * count + b] = s / d;
        }
    }
}
// Householder steps on a tall 32 x C matrix, a warp; rows are lanes.
extern "C" __global__ void qr_panel(const float* in, float* out, int C)
{
    __shared__ float a[32][9];
    const int r = threadIdx.x;
    for (int c = 0; c < C; ++c) a[r][c] = in[blockIdx.x * 32 * C + r * C + c];
    for (int k = 0; k < C; ++k) {
        float v = r >= k ? a[r][k] : 0.f, s = v * v;
        for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
        const float head = __shfl_sync(~0u, v, k), norm = copysignf(sqrtf(s), head);
        if (r == k) v += norm;
        const float vv = 2 * (s + fabsf(head * norm));
        for (int c = k; c < C; ++c) {
            float d = v * a[r][c];
            for (int o = 16; o; o /= 2) d += __shfl_xor_sync(~0u, d, o);
            a[r][c] -= 2 * d / vv * v;
        }
    }
    for (int c = 0; c < C; ++c) out[blockIdx.x * 32 * C + r * C + c] = a[r][c];
}
// Parallel cyclic reduction, a system a block in dynamic shared memory.
extern "C" __global__ void pcr(const float* A, const float* C, const float* D, float* X, int n)
{
    extern __shared__ float words[];
    float *a = words, *b = a + n, *c = b + n, *d = c + n;
    const int i = threadIdx.x, at = blockIdx.x * n + i;
    a[i] = i ? A[at] : 0; b[i] = 4; c[i] = i < n - 1 ? C[at] : 0; d[i] = D[at];
    for (int o = 1; o < n; o *= 2) {
        __syncthreads();
        const int l = max(i - o, 0), r = min(i + o, n - 1);
        const float p = i - o >= 0 ? a[i] / b[l] : 0, q = i + o < n ? c[i] / b[r] : 0;
        const float na = -a[l] * p, nc = -c[r] * q, nb = b[i] - c[l] * p - a[r] * q, nd = d[i] - d[l] * p - d[r] * q;
        __syncthreads();
        a[i] = na; b[i] = nb; c[i] = nc; d[i] = nd;
    }
    X[at] = d[i] / b[i];
}
