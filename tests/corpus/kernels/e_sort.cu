// Sorting, selection, sparse matrices, simulation.
typedef unsigned u32;
typedef unsigned long long u64;

template <typename K>
__global__ void bitonic_shared(K *data, int n, bool down)
{
    extern __shared__ __align__(8) unsigned char raw[];
    K *s = reinterpret_cast<K *>(raw);
    K *d = data + (size_t)blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = d[i];
    for (int k = 2; k <= n; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            for (int i = threadIdx.x; i < n; i += blockDim.x) {
                int p = i ^ j;
                if (p > i) {
                    K a = s[i], b = s[p];
                    if ((a > b) == (((i & k) == 0) != down)) { s[i] = b; s[p] = a; }
                }
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = s[i];
}

__global__ void bitonic_warp(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    float v = i < n ? in[i] : INFINITY;
#pragma unroll
    for (int k = 2; k <= 32; k *= 2)
#pragma unroll
        for (int j = k / 2; j > 0; j /= 2) {
            float o = __shfl_xor_sync(0xffffffff, v, j);
            bool up = (lane & k) == 0, low = (lane & j) == 0;
            v = (up == low) ? fminf(v, o) : fmaxf(v, o);
        }
    if (i < n) out[i] = v;
}

__global__ void bitonic_step(int *a, int n, int j, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, l = i ^ j;
    if (l <= i || i >= n || l >= n) return;
    int x = a[i], y = a[l];
    bool asc = !(i & k);
    if ((asc && x > y) || (!asc && x < y)) { a[i] = y; a[l] = x; }
}

// One stable pass of a radix sort in one block, BITS at once, by per-thread counters.
template <int BITS, int ITEMS, typename K>
__global__ void radix_pass(const K *in, K *out, int n, int shift)
{
    constexpr int R = 1 << BITS;
    extern __shared__ u32 cnt[]; // [R][blockDim]
    __shared__ u32 tot[R];
    const int t = threadIdx.x, nt = blockDim.x;
    in += blockIdx.x * n;
    out += blockIdx.x * n;
    for (int r = 0; r < R; r++) cnt[r * nt + t] = 0;
    K key[ITEMS];
    int have = 0;
    for (int i = 0; i < ITEMS; i++) {
        int g = t * ITEMS + i;
        if (g >= n) break;
        key[i] = in[g];
        cnt[((key[i] >> shift) & (R - 1)) * nt + t]++;
        have++;
    }
    __syncthreads();
    if (t < R) {
        u32 run = 0;
        for (int i = 0; i < nt; i++) { u32 c = cnt[t * nt + i]; cnt[t * nt + i] = run; run += c; }
        tot[t] = run;
    }
    __syncthreads();
    for (int i = 0; i < have; i++) {
        u32 d = (u32)(key[i] >> shift) & (R - 1), base = 0;
        for (u32 r = 0; r < d; r++) base += tot[r];
        out[base + cnt[d * nt + t]++] = key[i];
    }
}

// Warp-level multi-split by match.
__global__ void radix_rank_warp(const u32 *keys, u32 *rank, u32 *counts, int n, int bits)
{
    __shared__ u32 c[8][64];
    const int w = threadIdx.x >> 5, lane = threadIdx.x & 31, R = 1 << bits;
    for (int b = lane; b < R; b += 32) c[w][b] = 0;
    __syncwarp();
    const int per = (n + gridDim.x * 8 - 1) / (gridDim.x * 8);
    const int first = (blockIdx.x * 8 + w) * per, last = min(n, first + per);
    for (int i0 = first; i0 < last; i0 += 32) {
        int i = i0 + lane;
        u32 active = __ballot_sync(~0u, i < last);
        if (i < last) {
            u32 d = keys[i] >> (32 - bits);
            u32 same = __match_any_sync(active, d);
            u32 below = __popc(same & ((1u << lane) - 1));
            u32 base = c[w][d];
            __syncwarp(active);
            if (below == 0) c[w][d] = base + __popc(same);
            rank[i] = base + below;
        }
        __syncwarp();
    }
    for (int b = lane; b < R; b += 32) counts[(blockIdx.x * 8 + w) * R + b] = c[w][b];
}

// Top-K of each row: local arrays by insertion, then pairwise merging in shared memory.
template <int K>
__global__ void topk_rows(const float *in, float *val, int *idx, int cols)
{
    __shared__ float sv[64 * K];
    __shared__ int si[64 * K];
    float v[K];
    int id[K];
    for (int i = 0; i < K; i++) { v[i] = -1e30f; id[i] = -1; }
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float x = in[blockIdx.x * cols + c];
        if (x <= v[K - 1]) continue;
        int p = K - 1;
        while (p > 0 && v[p - 1] < x) { v[p] = v[p - 1]; id[p] = id[p - 1]; --p; }
        v[p] = x;
        id[p] = c;
    }
    for (int i = 0; i < K; i++) { sv[threadIdx.x * K + i] = v[i]; si[threadIdx.x * K + i] = id[i]; }
    for (int h = blockDim.x / 2; h > 0; h /= 2) {
        __syncthreads();
        if (threadIdx.x < h) {
            int a = threadIdx.x * K, b = (threadIdx.x + h) * K;
            int ia = 0, ib = 0;
            for (int i = 0; i < K; i++) {
                float x = sv[a + ia], y = sv[b + ib];
                if (x > y || (x == y && si[a + ia] < si[b + ib])) { v[i] = x; id[i] = si[a + ia]; ++ia; }
                else { v[i] = y; id[i] = si[b + ib]; ++ib; }
            }
            for (int i = 0; i < K; i++) { sv[a + i] = v[i]; si[a + i] = id[i]; }
        }
    }
    __syncthreads();
    if (threadIdx.x < K) { val[blockIdx.x * K + threadIdx.x] = sv[threadIdx.x]; idx[blockIdx.x * K + threadIdx.x] = si[threadIdx.x]; }
}

// Row lengths and columns are made from the data, so that the list needs no real matrix.
__device__ __forceinline__ u32 mix(u32 x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ (x >> 16); }

__global__ void csr_scalar(const int *len, const u32 *col, const float *val, const float *x, float *y, int rows, int n, int cap)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int e = r * cap + (len[r] & 0xffff) % (cap + 1);
    float s = 0;
    for (int j = r * cap; j < e; j++) s += val[j] * x[col[j] % n];
    y[r] = s;
}

template <int VEC>
__global__ void csr_vector(const int *len, const u32 *col, const double *val, const double *__restrict__ x, double *y, int rows, int n, int cap)
{
    int gt = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % VEC;
    for (int r = gt / VEC; r < rows; r += gridDim.x * blockDim.x / VEC) {
        int b = r * cap, e = b + (len[r] & 0xffff) % (cap + 1);
        double s = 0;
        for (int j = b + lane; j < e; j += VEC) s += val[j] * __ldg(&x[col[j] % n]);
        u32 m = __activemask();
        for (int o = VEC / 2; o > 0; o >>= 1) s += __shfl_down_sync(m, s, o, VEC);
        if (lane == 0) y[r] = s;
    }
}

__global__ void ell(const int *col, const float *val, const float *x, float *y, int rows, int width, int pitch)
{
    int r = blockDim.x * blockIdx.x + threadIdx.x;
    if (r < rows) {
        float s = 0.f;
        for (int k = 0; k < width; k++) {
            int c = (int)(mix(col[k * pitch + r]) % (unsigned)(rows * 2)) - rows / 2;
            if (c < 0) break;
            if (c < rows) s += val[k * pitch + r] * x[c];
        }
        y[r] = s;
    }
}

struct View { double x0, y0, dx, dy; int w, h, limit; };
template <typename R>
__global__ void mandelbrot(unsigned short *out, View v)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= v.w || py >= v.h) return;
    R cx = v.x0 + px * v.dx, cy = v.y0 + py * v.dy, x = 0, y = 0;
    int i = 0;
    for (; i < v.limit; ++i) {
        R xx = x * x, yy = y * y;
        if (xx + yy > R(4)) break;
        y = 2 * x * y + cy;
        x = xx - yy + cx;
    }
    out[py * v.w + px] = i;
}

template <int TILE>
__global__ void nbody(const float4 *pos, float4 *vel, float4 *next, int n, float dt)
{
    __shared__ float4 s[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 p = i < n ? pos[i] : make_float4(0, 0, 0, 0);
    float3 a = make_float3(0, 0, 0);
    for (int t = 0; t < n; t += TILE) {
        s[threadIdx.x] = t + threadIdx.x < n ? pos[t + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < TILE; j++) {
            float dx = s[j].x - p.x, dy = s[j].y - p.y, dz = s[j].z - p.z;
            float d2 = dx * dx + dy * dy + dz * dz + 1e-3f;
            float inv = rsqrtf(d2), f = s[j].w * inv * inv * inv;
            a.x += f * dx; a.y += f * dy; a.z += f * dz;
        }
        __syncthreads();
    }
    if (i >= n) return;
    float4 v = vel[i];
    v.x += a.x * dt; v.y += a.y * dt; v.z += a.z * dt;
    vel[i] = v;
    next[i] = make_float4(p.x + v.x * dt, p.y + v.y * dt, p.z + v.z * dt, p.w);
}

struct Rng {
    u64 s;
    __device__ explicit Rng(u64 seed) : s(seed * 6364136223846793005ull + 1442695040888963407ull) {}
    __device__ u32 next() { u64 o = s; s = o * 6364136223846793005ull + 1442695040888963407ull; u32 x = (u32)(((o >> 18) ^ o) >> 27), r = (u32)(o >> 59); return (x >> r) | (x << ((-r) & 31)); }
    __device__ float uniform() { return (next() >> 8) * (1.f / 16777216.f); }
};

__global__ void pi_count(u64 seed, int per, u32 *hits)
{
    Rng g(seed + blockIdx.x * blockDim.x + threadIdx.x);
    u32 in = 0;
    for (int i = 0; i < per; i++) { float x = g.uniform(), y = g.uniform(); in += x * x + y * y <= 1.f; }
    in = __reduce_add_sync(0xffffffff, in);
    if ((threadIdx.x & 31) == 0) atomicAdd(hits + (threadIdx.x >> 5) % 2, in);
}

// Paths with a barrier and early knock-out; Box-Muller.
__global__ void barrier_option(float *pay, int paths, int steps, float s0, float k, float wall, float r, float vol, u64 seed)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths) return;
    Rng g(seed ^ ((u64)p << 20));
    float s = s0, dt = 1.f / steps, drift = (r - 0.5f * vol * vol) * dt, sq = vol * sqrtf(dt), spare = 0;
    bool have = false, alive = true;
    for (int i = 0; i < steps && alive; i++) {
        float z;
        if (have) { z = spare; have = false; }
        else {
            float u = fmaxf(g.uniform(), 1e-7f), q = sqrtf(-2.f * logf(u)), sn, cs;
            sincospif(2.f * g.uniform(), &sn, &cs);
            z = q * cs; spare = q * sn; have = true;
        }
        s *= expf(drift + sq * z);
        alive = s < wall;
    }
    pay[p] = alive && s > k ? (s - k) * expf(-r) : 0.f;
}

// Random walk on a torus with rejection, results into counters per cell (integers).
__global__ void walk(int *cells, int side, int steps, u64 seed)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    Rng g(seed + p * 7919ull);
    int x = p % side, y = p / side % side;
    for (int i = 0; i < steps; i++) {
        u32 d;
        do d = g.next() & 7; while (d > 4);
        switch (d) {
        case 0: x = x + 1 == side ? 0 : x + 1; break;
        case 1: x = x == 0 ? side - 1 : x - 1; break;
        case 2: y = (y + 1) % side; break;
        case 3: y = (y + side - 1) % side; break;
        default: i += 2;
        }
        int old = atomicAdd(&cells[y * side + x], 1);
        if (old < 0) return;
    }
}
