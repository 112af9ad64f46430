// backprop, kmeans, bfs levels, streamcluster, particle filter, nn, gaussian, cfd-like flux
#ifndef H
#define H 16
#endif
extern "C" __global__ void bp_forward(const float* input, float* hiddenPartial, const float* w, int hid)
{
    __shared__ float node[H];
    __shared__ float wm[H][H];
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int idx = (hid + 1) * H * by + (hid + 1) * ty + tx + 1 + (hid + 1);
    int in = H * by + ty + 1;
    if (tx == 0) node[ty] = input[in];
    __syncthreads();
    wm[ty][tx] = w[idx];
    __syncthreads();
    wm[ty][tx] *= node[ty];
    __syncthreads();
    for (int p = 2; p <= H; p *= 2) {
        if (ty % p == 0) wm[ty][tx] += wm[ty + p / 2][tx];
        __syncthreads();
    }
    if (tx == 0) hiddenPartial[by * hid + ty] = wm[0][ty];
}
extern "C" __global__ void bp_adjust(const float* delta, int hid, const float* ly, float* w, float* oldw)
{
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int idx = (hid + 1) * H * by + (hid + 1) * ty + tx + 1 + (hid + 1);
    int iy = H * by + ty + 1, ix = tx + 1;
    float d = 0.3f * delta[ix] * ly[iy] + 0.3f * oldw[idx];
    w[idx] += d; oldw[idx] = d;
    __syncthreads();
    if (ty == 0 && by == 0) {
        float b = 0.3f * delta[ix] + 0.3f * oldw[ix];
        w[ix] += b; oldw[ix] = b;
    }
}
extern "C" __global__ void kmeans_point(const float* feat, int nf, int np, int nc, int* member, const float* clusters)
{
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= np) return;
    int best = -1; float mn = 3.4e38f;
    for (int i = 0; i < nc; i++) {
        float ans = 0;
        for (int l = 0; l < nf; l++) {
            float d = feat[l * np + p] - clusters[i * nf + l];
            ans += d * d;
        }
        if (ans < mn) { mn = ans; best = i; }
    }
    member[p] = best;
}
extern "C" __global__ void kmeans_invert(const float* in, float* out, int np, int nf)
{
    int p = threadIdx.x + blockDim.x * blockIdx.x;
    if (p < np) for (int i = 0; i < nf; i++) out[p + np * i] = in[p * nf + i];
}
struct Node { int start, deg; };
extern "C" __global__ void bfs_k1(const unsigned* raw, const unsigned* edges, const int* levelOf, unsigned char* updating, int* cost, int n, int ne, int level)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n && (raw[t] & 3) == 0 && levelOf[t] < level) {
        int start = (raw[t] >> 4) % ne, deg = (raw[t] >> 20) & 15;
        for (int i = start; i < start + deg && i < ne; i++) {
            int id = edges[i] % n;
            if ((raw[id] & 3) != 0) { cost[id] = level + 1; updating[id] = 1; }
        }
    }
}
extern "C" __global__ void bfs_k2(unsigned char* mask, unsigned char* updating, unsigned char* visited, unsigned char* over, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n && (updating[t] & 1)) { mask[t] = 1; visited[t] = 1; *over = 1; updating[t] = 0; }
}
struct Point { float weight; long assign; float cost; };
extern "C" __global__ void pgain(int num, int dim, int x, const Point* p, const int* centerTable, char* switchTo, const float* coord, float* lower, int K)
{
    extern __shared__ float xc[];
    int t = blockDim.x * blockIdx.x + threadIdx.x;
    for (int i = threadIdx.x; i < dim; i += blockDim.x) xc[i] = coord[i * num + x];
    __syncthreads();
    if (t >= num) return;
    float s = 0;
    for (int i = 0; i < dim; i++) { float d = coord[i * num + t] - xc[i]; s += d * d; }
    float c = s * p[t].weight, cur = p[t].cost;
    float* row = lower + t * (K + 1);
    if (c < cur) { switchTo[t] = 1; row[K] += c - cur; }
    else { int a = centerTable[(int)((unsigned long)p[t].assign % (unsigned)num)] % K; row[a] += cur - c; }
}
// particle filter
__device__ int seedNext(int* seed, int i) { int s = seed[i] & 0x7ffffff; s = (int)((1103515245ll * s + 12345) % 2147483647); seed[i] = s; return s; }
__device__ float u01(int* seed, int i) { return fabsf(seedNext(seed, i) / 2147483647.0f); }
extern "C" __global__ void pf_likelihood(float* ax, float* ay, const int* ind, const unsigned char* I, float* w, int* seed, float* partial, int n, int ones, int maxSize, int Y, int Z)
{
    extern __shared__ float buf[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = ax[i], b = ay[i];
        float u = u01(seed, i), v = u01(seed, i);
        ax[i] = a = a + 1.0f + 5.0f * (sqrtf(-2.0f * logf(u + 1e-6f)) * cosf(2 * 3.14159265f * v));
        ay[i] = b = b - 2.0f + 2.0f * (sqrtf(-2.0f * logf(v + 1e-6f)) * sinf(2 * 3.14159265f * u));
        float s = 0;
        for (int y = 0; y < ones; y++) {
            int ix = __float2int_rn(a) + (ind[y * 2 + 1] & 7), iy = __float2int_rn(b) + (ind[y * 2] & 7);
            int id = abs(ix * Y * Z + iy * Z + (y & 1));
            if (id >= maxSize) id = 0;
            float q = (I[id] - 100.0f), r = (I[id] - 228.0f);
            s += (q * q - r * r) / 50.0f;
        }
        s /= ones;
        w[i] = w[i] * __expf(s * 0.01f) + 1.0f / n;
    }
    buf[threadIdx.x] = i < n ? w[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) buf[threadIdx.x] += buf[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = buf[0];
}
extern "C" __global__ void pf_find_index(const float* ax, const float* cdf, const float* u, float* xj, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int idx = -1;
        for (int x = 0; x < n; x++) if (cdf[x] >= u[i] * 40.0f) { idx = x; break; }
        if (idx == -1) idx = n - 1;
        xj[i] = ax[idx];
    }
}
extern "C" __global__ void gauss_fan1(float* m, const float* a, int size, int t)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= size - 1 - t) return;
    m[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / (a[size * t + t] + 2.0f);
}
extern "C" __global__ void gauss_fan2(const float* m, float* a, float* b, int size, int j1, int t)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size - 1 - t || y >= size - t) return;
    a[size * (x + 1 + t) + (y + t)] -= m[size * (x + 1 + t) + t] * a[size * t + (y + t)];
    if (y == 0) b[x + 1 + t] -= m[size * (x + 1 + t) + (y + t)] * b[t];
}
struct LatLong { float lat, lng; };
extern "C" __global__ void nn_euclid(const LatLong* loc, float* dist, int n, float lat, float lng)
{
    int id = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (id < n) { LatLong l = loc[id]; dist[id] = sqrtf((lat - l.lat) * (lat - l.lat) + (lng - l.lng) * (lng - l.lng)); }
}
