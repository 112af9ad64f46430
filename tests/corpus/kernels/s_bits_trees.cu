// SHA-256, AES with shared tables, CRC, string search, b+tree, segment tree, ray tracer with a bounded stack, marching cubes classify, Collatz and others
__constant__ unsigned K256[64] = {
0x428a2f98,0x71374491,0xb5c0fbcf,0xe9b5dba5,0x3956c25b,0x59f111f1,0x923f82a4,0xab1c5ed5,0xd807aa98,0x12835b01,0x243185be,0x550c7dc3,0x72be5d74,0x80deb1fe,0x9bdc06a7,0xc19bf174,
0xe49b69c1,0xefbe4786,0x0fc19dc6,0x240ca1cc,0x2de92c6f,0x4a7484aa,0x5cb0a9dc,0x76f988da,0x983e5152,0xa831c66d,0xb00327c8,0xbf597fc7,0xc6e00bf3,0xd5a79147,0x06ca6351,0x14292967,
0x27b70a85,0x2e1b2138,0x4d2c6dfc,0x53380d13,0x650a7354,0x766a0abb,0x81c2c92e,0x92722c85,0xa2bfe8a1,0xa81a664b,0xc24b8b70,0xc76c51a3,0xd192e819,0xd6990624,0xf40e3585,0x106aa070,
0x19a4c116,0x1e376c08,0x2748774c,0x34b0bcb5,0x391c0cb3,0x4ed8aa4a,0x5b9cca4f,0x682e6ff3,0x748f82ee,0x78a5636f,0x84c87814,0x8cc70208,0x90befffa,0xa4506ceb,0xbef9a3f7,0xc67178f2};
__device__ unsigned ror(unsigned x, int n) { return __funnelshift_r(x, x, n); }
#ifndef ROLL
#define ROLL 1
#endif
extern "C" __global__ void sha256(const unsigned char* msg, unsigned* out, int len, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned h[8] = {0x6a09e667,0xbb67ae85,0x3c6ef372,0xa54ff53a,0x510e527f,0x9b05688c,0x1f83d9ab,0x5be0cd19};
    const unsigned char* m = msg + t * len;
    int blocks = (len + 9 + 63) / 64;
    for (int b = 0; b < blocks; b++) {
        unsigned w[64];
        for (int i = 0; i < 16; i++) {
            unsigned v = 0;
            for (int k = 0; k < 4; k++) { int p = b * 64 + i * 4 + k; v = (v << 8) | (p < len ? m[p] : p == len ? 0x80u : 0u); }
            w[i] = v;
        }
        if (b == blocks - 1) w[15] = len * 8;
#pragma unroll ROLL
        for (int i = 16; i < 64; i++) {
            unsigned a = ror(w[i - 15], 7) ^ ror(w[i - 15], 18) ^ (w[i - 15] >> 3), c = ror(w[i - 2], 17) ^ ror(w[i - 2], 19) ^ (w[i - 2] >> 10);
            w[i] = w[i - 16] + a + w[i - 7] + c;
        }
        unsigned s[8];
        for (int i = 0; i < 8; i++) s[i] = h[i];
#pragma unroll ROLL
        for (int i = 0; i < 64; i++) {
            unsigned t1 = s[7] + (ror(s[4], 6) ^ ror(s[4], 11) ^ ror(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + K256[i] + w[i];
            unsigned t2 = (ror(s[0], 2) ^ ror(s[0], 13) ^ ror(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            s[7] = s[6]; s[6] = s[5]; s[5] = s[4]; s[4] = s[3] + t1; s[3] = s[2]; s[2] = s[1]; s[1] = s[0]; s[0] = t1 + t2;
        }
        for (int i = 0; i < 8; i++) h[i] += s[i];
    }
    for (int i = 0; i < 8; i++) out[t * 8 + i] = h[i];
}
__device__ unsigned char xt(unsigned char a) { return (a << 1) ^ ((a >> 7) * 0x1b); }
extern "C" __global__ void aes_tables(const uint4* in, uint4* out, const unsigned* rk, int n, int rounds)
{
    __shared__ unsigned T0[256];
    __shared__ unsigned char sb[256];
    // the S-box by exponentiation in GF(2^8)
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        unsigned char inv = 0;
        if (i) { unsigned char r = 1, b = i; for (int e = 254; e; e >>= 1) { if (e & 1) { unsigned char p = 0, x = r, y = b; while (y) { if (y & 1) p ^= x; x = xt(x); y >>= 1; } r = p; } unsigned char p = 0, x = b, y = b; while (y) { if (y & 1) p ^= x; x = xt(x); y >>= 1; } b = p; } inv = r; }
        unsigned char s = inv;
        for (int k = 1; k < 5; k++) s ^= (unsigned char)((inv << k) | (inv >> (8 - k)));
        s ^= 0x63;
        sb[i] = s;
        T0[i] = xt(s) | (s << 8) | (s << 16) | ((unsigned)(xt(s) ^ s) << 24);
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 v = in[i];
    unsigned a = v.x ^ rk[0], b = v.y ^ rk[1], c = v.z ^ rk[2], d = v.w ^ rk[3];
    for (int r = 1; r < rounds; r++) {
        const unsigned* k = rk + 4 * r;
#define TT(p, q, s, u) (T0[(p) & 255] ^ __byte_perm(T0[((q) >> 8) & 255], 0, 0x2103) ^ __byte_perm(T0[((s) >> 16) & 255], 0, 0x1032) ^ __byte_perm(T0[(u) >> 24], 0, 0x0321))
        unsigned e = TT(a, b, c, d) ^ k[0], f = TT(b, c, d, a) ^ k[1], g = TT(c, d, a, b) ^ k[2], h = TT(d, a, b, c) ^ k[3];
        a = e; b = f; c = g; d = h;
    }
    const unsigned* k = rk + 4 * rounds;
#define SS(p, q, s, u) (sb[(p) & 255] | (sb[((q) >> 8) & 255] << 8) | (sb[((s) >> 16) & 255] << 16) | ((unsigned)sb[(u) >> 24] << 24))
    out[i] = make_uint4(SS(a, b, c, d) ^ k[0], SS(b, c, d, a) ^ k[1], SS(c, d, a, b) ^ k[2], SS(d, a, b, c) ^ k[3]);
}
extern "C" __global__ void crc_slice4(const unsigned* data, unsigned* out, int words, int n)
{
    __shared__ unsigned tab[4][256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) { unsigned c = i; for (int k = 0; k < 8; k++) c = (c >> 1) ^ ((c & 1) ? 0xEDB88320u : 0); tab[0][i] = c; }
    __syncthreads();
    for (int s = 1; s < 4; s++) { for (int i = threadIdx.x; i < 256; i += blockDim.x) tab[s][i] = (tab[s - 1][i] >> 8) ^ tab[0][tab[s - 1][i] & 255]; __syncthreads(); }
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned c = ~0u;
    for (int w = 0; w < words; w++) { c ^= data[t * words + w]; c = tab[3][c & 255] ^ tab[2][(c >> 8) & 255] ^ tab[1][(c >> 16) & 255] ^ tab[0][c >> 24]; }
    out[t] = ~c;
}
// Knuth-Morris-Pratt per chunk with a failure table in shared memory; Rabin-Karp with a rolling hash
extern "C" __global__ void kmp(const unsigned char* text, const unsigned char* pat, int* hits, int n, int m, int chunk)
{
    extern __shared__ int fail[];
    __shared__ unsigned char sp[64];
    for (int i = threadIdx.x; i < m; i += blockDim.x) sp[i] = pat[i] & 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        fail[0] = 0;
        for (int i = 1, k = 0; i < m; i++) { while (k && sp[i] != sp[k]) k = fail[k - 1]; if (sp[i] == sp[k]) k++; fail[i] = k; }
    }
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x, from = t * chunk, to = min(from + chunk + m - 1, n), k = 0, c = 0;
    for (int i = from; i < to; i++) {
        int ch = text[i] & 1;
        while (k && ch != sp[k]) k = fail[k - 1];
        if (ch == sp[k]) k++;
        if (k == m) { c++; k = fail[k - 1]; }
    }
    if (from < n) hits[t] = c;
}
extern "C" __global__ void rabin_karp(const unsigned char* text, int n, int m, unsigned want, unsigned* bitmap)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = 0;
    bool ok = i + m <= n;
    if (ok) for (int k = 0; k < m; k++) h = h * 257u + (text[i + k] & 3);
    unsigned b = __ballot_sync(~0u, ok && (h & 15) == want);
    if ((threadIdx.x & 31) == 0) bitmap[i >> 5] = b;
}
// b+tree of fixed order, implicit children; one block per query with ORDER threads
#ifndef ORDER
#define ORDER 32
#endif
extern "C" __global__ void btree_find(const int* keys, int height, const unsigned* q, int* ans, int n)
{
    __shared__ int node;
    for (int b = blockIdx.x; b < n; b += gridDim.x) {
        int target = q[b] % 30000;
        if (threadIdx.x == 0) node = 0;
        __syncthreads();
        int level = 0, span = 1;
        for (int h = 0; h < height; h++) {
            int cur = node;
            int lo = (cur * ORDER + threadIdx.x) * 7 % 30011 + keys[(level + cur * ORDER + threadIdx.x) & 4095] % 3, hi = threadIdx.x == ORDER - 1 ? 1 << 30 : (cur * ORDER + threadIdx.x + 1) * 7 % 30011;
            __syncthreads();
            unsigned vote = __ballot_sync(__activemask(), target >= lo && target < hi);
            if ((threadIdx.x & 31) == 0 && vote) atomicMax(&node, (int)threadIdx.x + __ffs(vote) - 1);
            __syncthreads();
            level += span * ORDER; span *= ORDER;
        }
        if (threadIdx.x == 0) ans[b] = node;
        __syncthreads();
    }
}
// segment tree in shared memory: build, then range minimum queries
extern "C" __global__ void segtree(const int* data, const unsigned* queries, int* ans, int n, int nq)
{
    extern __shared__ int tree[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) tree[n + i] = data[blockIdx.x * n + i];
    for (int w = n >> 1; w; w >>= 1) { __syncthreads(); for (int i = w + threadIdx.x; i < 2 * w; i += blockDim.x) tree[i] = min(tree[2 * i], tree[2 * i + 1]); }
    __syncthreads();
    for (int q = threadIdx.x; q < nq; q += blockDim.x) {
        unsigned v = queries[blockIdx.x * nq + q];
        int l = v % n, r = (v >> 10) % n;
        if (l > r) { int t = l; l = r; r = t; }
        int m = 0x7fffffff;
        for (l += n, r += n + 1; l < r; l >>= 1, r >>= 1) { if (l & 1) m = min(m, tree[l++]); if (r & 1) m = min(m, tree[--r]); }
        ans[blockIdx.x * nq + q] = m;
    }
}
// ray tracer: spheres in an implicit binary hierarchy, stack of node numbers, reflections with a bounded depth
struct Ray { float ox, oy, oz, dx, dy, dz; };
template <int DEPTH> __global__ void trace_spheres(const float4* sph, int leaves, float* img, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    Ray r = {(x - w * 0.5f) / w * 2, (y - h * 0.5f) / h * 2, -3, 0, 0, 1};
    float col = 0, wt = 1;
    for (int d = 0; d < DEPTH; d++) {
        int stack[16], sp = 0, hit = -1;
        float best = 1e20f;
        stack[sp++] = 1;
        while (sp) {
            int nd = stack[--sp];
            if (nd >= leaves) {
                float4 s = sph[nd - leaves];
                float cx = r.ox - s.x, cy = r.oy - s.y, cz = r.oz - s.z, rad = 0.1f + 0.15f * fabsf(s.w);
                float b = cx * r.dx + cy * r.dy + cz * r.dz, c = cx * cx + cy * cy + cz * cz - rad * rad, q = b * b - c;
                if (q > 0) { float t = -b - sqrtf(q); if (t > 1e-3f && t < best) { best = t; hit = nd - leaves; } }
            } else {
                float lim = -1.0f + 2.0f * (nd & 7) / 8.0f;
                if (r.dy > -0.9f || r.oy > lim) stack[sp++] = 2 * nd;
                if (r.dx < 0.9f || r.ox < -lim) stack[sp++] = 2 * nd + 1;
            }
        }
        if (hit < 0) { col += wt * 0.2f; break; }
        float4 s = sph[hit];
        r.ox += best * r.dx; r.oy += best * r.dy; r.oz += best * r.dz;
        float nx = r.ox - s.x, ny = r.oy - s.y, nz = r.oz - s.z, il = rsqrtf(nx * nx + ny * ny + nz * nz);
        nx *= il; ny *= il; nz *= il;
        float dn = r.dx * nx + r.dy * ny + r.dz * nz;
        r.dx -= 2 * dn * nx; r.dy -= 2 * dn * ny; r.dz -= 2 * dn * nz;
        col += wt * fmaxf(0.0f, -nz) * 0.7f; wt *= 0.5f;
    }
    img[y * w + x] = col;
}
extern "C" __global__ void mc_classify(const unsigned char* vol, unsigned* verts, unsigned* occ, uint3 size, int iso)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = (size.x - 1) * (size.y - 1) * (size.z - 1);
    if (i >= n) return;
    unsigned x = i % (size.x - 1), y = i / (size.x - 1) % (size.y - 1), z = i / ((size.x - 1) * (size.y - 1));
    const unsigned char* p = vol + (z * size.y + y) * size.x + x;
    unsigned sy = size.x, sz = size.x * size.y, c = 0;
    c |= (p[0] < iso) << 0; c |= (p[1] < iso) << 1; c |= (p[1 + sy] < iso) << 2; c |= (p[sy] < iso) << 3;
    c |= (p[sz] < iso) << 4; c |= (p[sz + 1] < iso) << 5; c |= (p[sz + sy + 1] < iso) << 6; c |= (p[sz + sy] < iso) << 7;
    unsigned v = c == 0 || c == 255 ? 0 : 3 * (1 + __popc(c ^ (c >> 1)) / 2);
    verts[i] = v; occ[i] = v > 0;
}
// tiled transpose with a diagonal order of blocks; 8 byte elements too
template <typename T, int PAD> __global__ void transpose_diag(T* out, const T* in, int w, int h)
{
    __shared__ T tile[32][32 + PAD];
    int bx, by;
    if (w == h) { by = blockIdx.x; bx = (blockIdx.x + blockIdx.y) % gridDim.x; }
    else { int b = blockIdx.x + gridDim.x * blockIdx.y; by = b % gridDim.y; bx = (b / gridDim.y + by) % gridDim.x; }
    int x = bx * 32 + threadIdx.x, y = by * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) if (x < w && y + i < h) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * w + x];
    __syncthreads();
    x = by * 32 + threadIdx.x; y = bx * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) if (x < h && y + i < w) out[(y + i) * h + x] = tile[threadIdx.x][threadIdx.y + i];
}
// SoA against AoS of a structure that is not a power of two in size
struct Body { float x, y, z, m; short tag; unsigned char alive; };
extern "C" __global__ void aos_step(Body* b, int n, float dt)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        Body v = b[i];
        if (v.alive & 1) { v.x += dt * v.m; v.y -= dt; v.tag++; b[i] = v; }
        else { b[i].alive = 1; b[i].tag = -1; }
    }
}
__device__ int ack(int m, int n, int fuel) { if (fuel <= 0) return n; return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1, fuel - 1) : ack(m - 1, ack(m, n - 1, fuel - 1), fuel - 1); }
extern "C" __global__ void ackermann(int* out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = ack(i % 3, i % 5, 12); }
