// Neighbourhoods, each by another hand.

__constant__ float weight5[25];

// 5 x 5 with a halo that is loaded flat, two by two results a thread.
extern "C" __global__ void five_by_five(const float* in, float* out, int w, int h)
{
    constexpr int TW = 28, TH = 12, HW = TW + 4, HH = TH + 4;
    __shared__ float t[HH][HW];
    const int x0 = blockIdx.x * TW - 2, y0 = blockIdx.y * TH - 2;
    for (int i = threadIdx.x; i < HW * HH; i += blockDim.x) {
        const int x = min(max(x0 + i % HW, 0), w - 1), y = min(max(y0 + i / HW, 0), h - 1);
        t[i / HW][i % HW] = in[y * w + x];
    }
    __syncthreads();
    const int cx = threadIdx.x % (TW / 2) * 2, cy = threadIdx.x / (TW / 2) * 2;
    float s[2][2] = {};
#pragma unroll
    for (int dy = 0; dy < 6; ++dy) {
        float row[6];
#pragma unroll
        for (int dx = 0; dx < 6; ++dx) row[dx] = t[cy + dy][cx + dx];
#pragma unroll
        for (int j = 0; j < 2; ++j)
#pragma unroll
            for (int i = 0; i < 2; ++i)
                if (dy - j >= 0 && dy - j < 5)
#pragma unroll
                    for (int k = 0; k < 5; ++k) s[j][i] += (weight5[(dy - j) * 5 + k] + 0.04f) * row[i + k];
    }
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 2; ++i) {
            const int x = blockIdx.x * TW + cx + i, y = blockIdx.y * TH + cy + j;
            if (x < w && y < h) out[y * w + x] = s[j][i];
        }
}

// Half a sweep of Gauss-Seidel: the cells of one colour.
extern "C" __global__ void red_black(double* u, const double* f, int w, int h, int colour, double omega)
{
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + ((y + colour) & 1);
    if (x >= w - 1 || y >= h - 1) return;
    const int i = y * w + x;
    const double r = 0.25 * (u[i - 1] + u[i + 1] + u[i - w] + u[i + w] - f[i]) - u[i];
    u[i] += omega * r;
}

// Two steps of diffusion in shared memory, the border a cell narrower each time.
template <int S>
__global__ void two_steps(const float* __restrict__ in, float* __restrict__ out, int n)
{
    __shared__ float a[S + 4][S + 5], b[S + 4][S + 5];
    const int gx = blockIdx.x * S + threadIdx.x - 2, gy = blockIdx.y * S + threadIdx.y - 2;
    const int x = threadIdx.x, y = threadIdx.y;
    const bool inside = gx >= 0 && gy >= 0 && gx < n && gy < n;
    a[y][x] = inside ? in[gy * n + gx] : 0.f;
    __syncthreads();
    if (x >= 1 && y >= 1 && x < S + 3 && y < S + 3) b[y][x] = inside ? 0.2f * (a[y][x] + a[y][x - 1] + a[y][x + 1] + a[y - 1][x] + a[y + 1][x]) : 0.f;
    __syncthreads();
    if (x >= 2 && y >= 2 && x < S + 2 && y < S + 2 && inside) out[gy * n + gx] = 0.2f * (b[y][x] + b[y][x - 1] + b[y][x + 1] + b[y - 1][x] + b[y + 1][x]);
}

// Life in bytes, four cells a thread, wrapping around.
extern "C" __global__ void life_bytes(const uchar4* in, uchar4* out, int w4, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w4 || y >= h) return;
    unsigned char s[3][6];
    for (int r = 0; r < 3; ++r) {
        const uchar4* row = in + (y + r - 1 + h) % h * w4;
        const uchar4 m = row[x];
        s[r][0] = row[(x + w4 - 1) % w4].w & 1;
        s[r][1] = m.x & 1; s[r][2] = m.y & 1; s[r][3] = m.z & 1; s[r][4] = m.w & 1;
        s[r][5] = row[(x + 1) % w4].x & 1;
    }
    unsigned char o[4];
    for (int i = 0; i < 4; ++i) {
        const int n = s[0][i] + s[0][i + 1] + s[0][i + 2] + s[1][i] + s[1][i + 2] + s[2][i] + s[2][i + 1] + s[2][i + 2];
        o[i] = n == 3 || (n == 2 && s[1][i + 1]);
    }
    out[y * w4 + x] = make_uchar4(o[0], o[1], o[2], o[3]);
}

// Along the slowest axis with a queue in registers; R cells to each side.
template <typename T, int R>
__global__ void along_z(const T* in, T* out, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    const int plane = nx * ny;
    T q[2 * R + 1];
    in += y * nx + x;
    out += y * nx + x;
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) q[i + 1] = in[i * plane];
    for (int z = R; z < nz - R; ++z) {
#pragma unroll
        for (int i = 0; i < 2 * R; ++i) q[i] = q[i + 1];
        q[2 * R] = in[(z + R) * plane];
        T s = 0;
#pragma unroll
        for (int i = 0; i <= 2 * R; ++i) s += q[i] * T(i == R ? 2 * R : -1);
        out[z * plane] = s;
    }
}

// A 3 x 3 filter of float3 pixels, the tile kept as three planes or as pixels.
template <bool Planes>
__global__ void blur_rgb(const float3* in, float3* out, int w, int h)
{
    __shared__ float t[3 * 10 * 18];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * 16 + tx - 1, y = blockIdx.y * 8 + ty - 1;
    auto at = [](int c, int r, int k) { return Planes ? (c * 10 + r) * 18 + k : (r * 18 + k) * 3 + c; };
    float3 v = make_float3(0, 0, 0);
    if (x >= 0 && y >= 0 && x < w && y < h) v = in[y * w + x];
    t[at(0, ty, tx)] = v.x;
    t[at(1, ty, tx)] = v.y;
    t[at(2, ty, tx)] = v.z;
    __syncthreads();
    if (tx == 0 || ty == 0 || tx == 17 || ty == 9 || x >= w || y >= h) return;
    float s[3] = {0, 0, 0};
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            for (int c = 0; c < 3; ++c) s[c] += t[at(c, ty + dy, tx + dx)];
    out[y * w + x] = make_float3(s[0] / 9, s[1] / 9, s[2] / 9);
}

// A sum over a window that slides along shared memory, each thread a run of its own.
template <int RUN, int PITCH>
__global__ void sliding_sums(const float* in, float* out, int n, int radius)
{
    extern __shared__ float line[];
    const int first = blockIdx.x * blockDim.x * RUN;
    const int all = blockDim.x * RUN + 2 * radius;
    auto place = [](int i) { return i / RUN * PITCH + i % RUN; };
    for (int i = threadIdx.x; i < all; i += blockDim.x) {
        const int g = first + i - radius;
        line[place(i)] = g >= 0 && g < n ? in[g] : 0.f;
    }
    __syncthreads();
    int i = threadIdx.x * RUN;
    float s = 0.f;
    for (int k = 0; k < 2 * radius; ++k) s += line[place(i + k)];
    for (int r = 0; r < RUN; ++r, ++i) {
        s += line[place(i + 2 * radius)];
        if (first + i < n) out[first + i] = s;
        s -= line[place(i)];
    }
}
