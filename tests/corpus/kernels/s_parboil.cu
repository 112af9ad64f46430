// mri-q, sad, tpacf, cutcp, spmv formats, histogram with saturation, stencil, lavaMD
#ifndef KPER
#define KPER 64
#endif
struct KV { float kx, ky, kz, phi; };
__constant__ float kdefault[4] = {0.25f, -0.5f, 0.75f, 1.0f};
extern "C" __global__ void mriq_phimag(const float* re, const float* im, float* mag, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float r = re[i], m = im[i]; mag[i] = r * r + m * m; }
}
extern "C" __global__ void mriq_q(int nk, int base, const float* x, const float* y, const float* z, const KV* ks, float* qr, float* qi, int nx)
{
    __shared__ KV k[KPER];
    int xi = blockIdx.x * blockDim.x + threadIdx.x;
    int lim = min(KPER, nk - base);
    for (int i = threadIdx.x; i < lim; i += blockDim.x) k[i] = ks[base + i];
    __syncthreads();
    if (xi >= nx) return;
    float sx = x[xi], sy = y[xi], sz = z[xi], r = qr[xi], q = qi[xi];
    int i = 0;
    if (lim & 1) {
        float a = 6.2831853f * (k[0].kx * sx + k[0].ky * sy + k[0].kz * sz);
        r += k[0].phi * cosf(a); q += k[0].phi * sinf(a); i = 1;
    }
    for (; i < lim; i += 2) {
        float a = 6.2831853f * (k[i].kx * sx + k[i].ky * sy + k[i].kz * sz);
        float b = 6.2831853f * (k[i + 1].kx * sx + k[i + 1].ky * sy + k[i + 1].kz * sz);
        r += k[i].phi * cosf(a) + k[i + 1].phi * cosf(b) * kdefault[i & 3];
        q += k[i].phi * sinf(a) + k[i + 1].phi * sinf(b);
    }
    qr[xi] = r; qi[xi] = q;
}
// sum of absolute differences of a 4x4 block over a search window
extern "C" __global__ void sad_4x4(unsigned short* out, const unsigned char* cur, const unsigned char* ref, int w, int h, int range)
{
    __shared__ unsigned char blk[16];
    int bx = blockIdx.x * 4, by = blockIdx.y * 4;
    if (threadIdx.x < 16) blk[threadIdx.x] = cur[(by + threadIdx.x / 4) * w + bx + threadIdx.x % 4];
    __syncthreads();
    int side = 2 * range + 1, total = side * side;
    for (int p = threadIdx.x; p < total; p += blockDim.x) {
        int ox = p % side - range, oy = p / side - range;
        int s = 0;
#pragma unroll
        for (int y = 0; y < 4; y++)
#pragma unroll
            for (int x = 0; x < 4; x++) {
                int rx = min(max(bx + x + ox, 0), w - 1), ry = min(max(by + y + oy, 0), h - 1);
                s += abs((int)blk[y * 4 + x] - (int)ref[ry * w + rx]);
            }
        out[(blockIdx.y * gridDim.x + blockIdx.x) * total + p] = (unsigned short)s;
    }
}
extern "C" __global__ void sad_merge8(const ushort2* in, ushort4* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        ushort2 a = in[2 * i], b = in[2 * i + 1];
        unsigned v = __vsadu4(a.x | (a.y << 16), b.x | (b.y << 16));
        out[i] = make_ushort4(a.x + b.x, a.y + b.y, v, __usad(a.x, b.y, v));
    }
}
// two-point angular correlation
#define NB 20
extern "C" __global__ void tpacf(const float* x, const float* y, const float* z, int n, const float* edges, unsigned* hist)
{
    __shared__ float sx[128], sy[128], sz[128];
    __shared__ unsigned wh[4][NB];
    __shared__ float be[NB + 1];
    int t = threadIdx.x, w = t >> 5;
    for (int i = t; i < 4 * NB; i += 128) wh[i / NB][i % NB] = 0;
    if (t <= NB) be[t] = edges[t] * -0.1f + 1.0f;
    int mine = blockIdx.x * 128 + t;
    float ax = 0, ay = 0, az = 0;
    if (mine < n) { ax = x[mine]; ay = y[mine]; az = z[mine]; }
    for (int base = 0; base < n; base += 128) {
        __syncthreads();
        if (base + t < n) { sx[t] = x[base + t]; sy[t] = y[base + t]; sz[t] = z[base + t]; }
        __syncthreads();
        int lim = min(128, n - base);
        if (mine < n)
            for (int j = 0; j < lim; j++) {
                if (base + j <= mine) continue;
                float d = ax * sx[j] + ay * sy[j] + az * sz[j];
                int lo = 0, hi = NB;
                while (hi > lo + 1) { int k = (lo + hi) / 2; if (d >= be[k]) hi = k; else lo = k; }
                atomicAdd(&wh[w][lo], 1u);
            }
    }
    __syncthreads();
    if (t < NB) { unsigned s = 0; for (int k = 0; k < 4; k++) s += wh[k][t]; if (s) atomicAdd(&hist[t], s); }
}
// cutoff coulomb on a lattice, bins of 8 atoms
extern "C" __global__ void cutcp(const float4* bins, int bx, int by, int bz, float* lattice, float cut2)
{
    __shared__ float4 atoms[8];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    int tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    float fx = x * 0.25f, fy = y * 0.25f, fz = z * 0.25f, e = 0;
    int nb = bx * by * bz;
    for (int b = 0; b < nb; b++) {
        int gx = b % bx, gy = (b / bx) % by, gz = b / (bx * by);
        if (abs(gx - (int)blockIdx.x) > 1 || abs(gy - (int)blockIdx.y) > 1 || abs(gz - (int)blockIdx.z) > 1) continue;
        __syncthreads();
        if (tid < 8) atoms[tid] = bins[b * 8 + tid];
        __syncthreads();
        for (int i = 0; i < 8 && atoms[i].w != 0; i++) {
            float dx = atoms[i].x * 4 - fx, dy = atoms[i].y * 4 - fy, dz = atoms[i].z * 4 - fz;
            float r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < cut2) { float s = 1.0f - r2 / cut2; e += atoms[i].w * rsqrtf(r2 + 1e-6f) * s * s; }
        }
    }
    int sx = gridDim.x * blockDim.x, sy = gridDim.y * blockDim.y;
    lattice[(z * sy + y) * sx + x] = e;
}
// lavaMD: boxes of PARTS particles with a list of neighbours
#ifndef PARTS
#define PARTS 50
#endif
extern "C" __global__ void lavamd(const float4* rv, const float* qv, float4* fv, int side, float a2)
{
    __shared__ float4 A[PARTS];
    __shared__ float4 Bs[PARTS];
    __shared__ float Q[PARTS];
    int box = blockIdx.x, t = threadIdx.x;
    for (int i = t; i < PARTS; i += blockDim.x) A[i] = rv[box * PARTS + i];
    __syncthreads();
    int cx = box % side, cy = box / side;
    for (int k = 0; k < 9; k++) {
        int nx = cx + k % 3 - 1, ny = cy + k / 3 - 1;
        if (nx < 0 || ny < 0 || nx >= side || ny >= side) continue;
        int nb = ny * side + nx;
        for (int i = t; i < PARTS; i += blockDim.x) { Bs[i] = rv[nb * PARTS + i]; Q[i] = qv[nb * PARTS + i]; }
        __syncthreads();
        for (int i = t; i < PARTS; i += blockDim.x) {
            float4 f = fv[box * PARTS + i], p = A[i];
            for (int j = 0; j < PARTS; j++) {
                float4 q = Bs[j];
                float r2 = p.w + q.w - (p.x * q.x + p.y * q.y + p.z * q.z);
                float vij = expf(-a2 * r2), fs = 2 * vij;
                f.w += Q[j] * vij; f.x += Q[j] * fs * (p.x - q.x); f.y += Q[j] * fs * (p.y - q.y); f.z += Q[j] * fs * (p.z - q.z);
            }
            fv[box * PARTS + i] = f;
        }
        __syncthreads();
    }
}
// saturating 8-bit histogram in packed words
extern "C" __global__ void histo_sat(const unsigned* in, int n, unsigned* out, int bins)
{
    extern __shared__ unsigned sub[];
    int words = bins / 4;
    for (int i = threadIdx.x; i < words; i += blockDim.x) sub[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned b = (in[i] >> 7) % bins;
        unsigned sh = (b & 3) * 8, old = sub[b >> 2], was;
        do {
            was = old;
            if (((was >> sh) & 255u) == 255u) break;
            old = atomicCAS(&sub[b >> 2], was, was + (1u << sh));
        } while (old != was);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < words; i += blockDim.x) {
        unsigned v = sub[i];
#pragma unroll
        for (int k = 0; k < 4; k++) if ((v >> (8 * k)) & 255u) atomicAdd(&out[i * 4 + k], (v >> (8 * k)) & 255u);
    }
}
// 7 point stencil, coarsened along z with planes in shared memory
extern "C" __global__ void stencil_coarse(float c0, float c1, const float* A, float* O, int nx, int ny, int nz)
{
    extern __shared__ float top[];
    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x, i2 = i + blockDim.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    int s1 = threadIdx.x + threadIdx.y * blockDim.x * 2, s2 = s1 + blockDim.x;
#define IX(x, y, z) ((x) + nx * ((y) + ny * (z)))
    float b1 = 0, u1 = 0, b2 = 0, u2 = 0;
    bool in1 = i < nx && j < ny, in2 = i2 < nx && j < ny;
    if (in1) { b1 = A[IX(i, j, 0)]; top[s1] = A[IX(i, j, 1)]; }
    if (in2) { b2 = A[IX(i2, j, 0)]; top[s2] = A[IX(i2, j, 1)]; }
    __syncthreads();
    bool p1 = i > 0 && j > 0 && i < nx - 1 && j < ny - 1, p2 = j > 0 && i2 < nx - 1 && j < ny - 1;
    for (int k = 1; k < nz - 1; k++) {
        if (in1) u1 = A[IX(i, j, k + 1)];
        if (in2) u2 = A[IX(i2, j, k + 1)];
        if (p1) {
            float l = threadIdx.x > 0 ? top[s1 - 1] : A[IX(i - 1, j, k)];
            float r = top[s1 + 1];
            float d = threadIdx.y > 0 ? top[s1 - 2 * blockDim.x] : A[IX(i, j - 1, k)];
            float u = threadIdx.y < blockDim.y - 1 ? top[s1 + 2 * blockDim.x] : A[IX(i, j + 1, k)];
            O[IX(i, j, k)] = (u1 + b1 + u + d + l + r) * c1 - top[s1] * c0;
        }
        if (p2) {
            float l = top[s2 - 1];
            float r = threadIdx.x < blockDim.x - 1 ? top[s2 + 1] : A[IX(i2 + 1, j, k)];
            float d = threadIdx.y > 0 ? top[s2 - 2 * blockDim.x] : A[IX(i2, j - 1, k)];
            float u = threadIdx.y < blockDim.y - 1 ? top[s2 + 2 * blockDim.x] : A[IX(i2, j + 1, k)];
            O[IX(i2, j, k)] = (u2 + b2 + u + d + l + r) * c1 - top[s2] * c0;
        }
        __syncthreads();
        if (in1) { b1 = top[s1]; top[s1] = u1; }
        if (in2) { b2 = top[s2]; top[s2] = u2; }
        __syncthreads();
    }
}
// spmv
extern "C" __global__ void spmv_csr_vec(const float* v, const int* c, const float* x, float* y, int rows, int per, int lanes)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, row = t / lanes, lane = t % lanes;
    float s = 0;
    if (row < rows) {
        int b = row * per + (row & 3), e = (row + 1) * per + ((row + 1) & 3);
        for (int i = b + lane; i < e; i += lanes) s += v[i] * x[(unsigned)c[i] % (unsigned)rows];
    }
    for (int o = lanes / 2; o; o >>= 1) s += __shfl_down_sync(~0u, s, o, lanes);
    if (row < rows && lane == 0) y[row] = s;
}
extern "C" __global__ void spmv_ell(const float* v, const int* c, const float* x, float* y, int rows, int width)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int k = 0; k < width; k++) {
        int col = c[k * rows + r];
        if (col < 0) break;
        s = fmaf(v[k * rows + r], __ldg(x + col % rows), s);
    }
    y[r] = s;
}
extern "C" __global__ void spmv_jds(const float* v, const int* c, const int* perm, const float* x, float* y, int rows, int maxd)
{
    __shared__ int start[33];
    if (threadIdx.x == 0) { int a = 0; for (int k = 0; k <= maxd; k++) { start[k] = a; a += max(rows - 7 * k, 0); } }
    __syncthreads();
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    int len = min(maxd, (rows - r + 6) / 7);
    for (int k = 0; k < len; k++) { int j = start[k] + r; s += v[j] * x[(unsigned)c[j] % (unsigned)rows]; }
    y[(perm[r] * 37) % rows] = s;
}
extern "C" __global__ void spmv_coo_seg(const float* v, const int* c, const float* x, float* y, int nnz, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int row = i < nnz ? i / 5 : -1;
    float p = i < nnz ? v[i] * x[(unsigned)c[i] % (unsigned)rows] : 0.0f;
    for (int o = 1; o < 32; o <<= 1) {
        int r = __shfl_up_sync(~0u, row, o);
        float q = __shfl_up_sync(~0u, p, o);
        if (lane >= o && r == row) p += q;
    }
    int next = __shfl_down_sync(~0u, row, 1);
    if (row >= 0 && (lane == 31 || next != row)) atomicAdd(&y[row], p);
}
