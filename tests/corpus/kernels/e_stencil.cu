// Stencils, convolutions, pools.
#define RADIUS 3
__constant__ float coef[2 * RADIUS + 1] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};
__constant__ signed char sobel[2][3][3] = {{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}}, {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}}};

__global__ void stencil1d(const float *in, float *out, int n)
{
    extern __shared__ float s[];
    const int g = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + RADIUS;
    s[l] = g < n ? in[g] : 0.f;
    if (threadIdx.x < RADIUS) {
        s[l - RADIUS] = g >= RADIUS ? in[g - RADIUS] : 0.f;
        s[l + blockDim.x] = g + (int)blockDim.x < n ? in[g + blockDim.x] : 0.f;
    }
    __syncthreads();
    if (g >= n) return;
    float r = 0;
#pragma unroll
    for (int o = -RADIUS; o <= RADIUS; o++) r += s[l + o] * coef[o + RADIUS];
    out[g] = r;
}

template <typename T, int BX, int BY, int R>
__global__ void star2d(const T *__restrict__ in, T *__restrict__ out, int h, int w, T c0, T c1)
{
    __shared__ T s[BY + 2 * R][BX + 2 * R];
    const int x0 = blockIdx.x * BX - R, y0 = blockIdx.y * BY - R;
    for (int y = threadIdx.y; y < BY + 2 * R; y += BY)
        for (int x = threadIdx.x; x < BX + 2 * R; x += BX) {
            int gx = min(max(x0 + x, 0), w - 1), gy = min(max(y0 + y, 0), h - 1);
            s[y][x] = in[gy * w + gx];
        }
    __syncthreads();
    const int gx = blockIdx.x * BX + threadIdx.x, gy = blockIdx.y * BY + threadIdx.y;
    if (gx < w && gy < h) {
        T v = c0 * s[threadIdx.y + R][threadIdx.x + R];
#pragma unroll
        for (int d = 1; d <= R; d++)
            v += c1 / d * (s[threadIdx.y + R - d][threadIdx.x + R] + s[threadIdx.y + R + d][threadIdx.x + R] + s[threadIdx.y + R][threadIdx.x + R - d] + s[threadIdx.y + R][threadIdx.x + R + d]);
        out[gy * w + gx] = v;
    }
}

// 7-point in 3D, marching along z with registers and one plane in shared memory.
template <int BX, int BY>
__global__ void heat3d(const float *in, float *out, int nx, int ny, int nz, float k)
{
    __shared__ float p[BY + 2][BX + 2];
    const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const bool inside = x < nx && y < ny;
    const int plane = nx * ny, at = y * nx + x;
    float below = 0, here = inside ? in[at] : 0.f, above = 0;
    for (int z = 0; z < nz; z++) {
        above = inside && z + 1 < nz ? in[at + (z + 1) * plane] : 0.f;
        p[ty][tx] = here;
        if (threadIdx.x == 0) p[ty][0] = inside && x > 0 ? in[at + z * plane - 1] : 0.f;
        if (threadIdx.x == BX - 1) p[ty][BX + 1] = y < ny && x + 1 < nx ? in[at + z * plane + 1] : 0.f;
        if (threadIdx.y == 0) p[0][tx] = inside && y > 0 ? in[at + z * plane - nx] : 0.f;
        else if (threadIdx.y == BY - 1) p[BY + 1][tx] = x < nx && y + 1 < ny ? in[at + z * plane + nx] : 0.f;
        __syncthreads();
        if (inside) out[at + z * plane] = here + k * (p[ty][tx - 1] + p[ty][tx + 1] + p[ty - 1][tx] + p[ty + 1][tx] + below + above - 6.f * here);
        __syncthreads();
        below = here;
        here = above;
    }
}

// Jacobi sweeps inside one block, with a vote to end early.
__global__ void jacobi_block(float *grid, int *sweeps, int n, float eps, int limit)
{
    extern __shared__ float buf[];
    float *a = buf, *b = buf + n * n;
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) a[i] = b[i] = grid[blockIdx.x * n * n + i];
    __syncthreads();
    int it = 0;
    while (it < limit) {
        int moved = 0;
        for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
            int y = i / n, x = i % n;
            if (x == 0 || y == 0 || x == n - 1 || y == n - 1) continue;
            float v = 0.25f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]);
            moved |= fabsf(v - a[i]) > eps;
            b[i] = v;
        }
        ++it;
        float *t = a; a = b; b = t;
        if (!__syncthreads_or(moved)) break;
    }
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) grid[blockIdx.x * n * n + i] = a[i];
    if (threadIdx.x == 0) sweeps[blockIdx.x] = it;
}

// Separable, rows then columns, by template; several results per thread.
template <int RES>
__global__ void conv_rows(const float *src, float *dst, int w, int h)
{
    __shared__ float s[4][(RES + 2) * 16];
    const int bx = (blockIdx.x * RES - 1) * 16 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (y >= h) return;
    src += y * w;
    dst += y * w;
#pragma unroll
    for (int i = 0; i < RES + 2; i++) {
        int x = bx + i * 16;
        s[threadIdx.y][threadIdx.x + i * 16] = x >= 0 && x < w ? src[x] : 0;
    }
    __syncwarp(__activemask());
    __syncthreads();
#pragma unroll
    for (int i = 1; i <= RES; i++) {
        if (bx + i * 16 >= w) break;
        float sum = 0;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++) sum += coef[RADIUS - j] * s[threadIdx.y][threadIdx.x + i * 16 + j];
        dst[bx + i * 16] = sum;
    }
}

__global__ void sobel_u8(const unsigned char *in, unsigned char *out, int w, int h, int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    unsigned char r = 0;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        int gx = 0, gy = 0;
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++) {
                int v = in[(y + j - 1) * pitch + x + i - 1];
                gx += v * sobel[0][j][i];
                gy += v * sobel[1][j][i];
            }
        float m = sqrtf((float)(gx * gx + gy * gy));
        r = m > 255.f ? 255 : (unsigned char)m;
    }
    out[y * pitch + x] = r;
}

// Direct convolution: stride, pad, dilation and groups at run time.
struct Conv { int n, c, h, w, k, r, s, oh, ow, stride, pad, dil, groups; };
__global__ void conv2d_direct(const float *__restrict__ in, const float *__restrict__ wt, const float *__restrict__ bias, float *__restrict__ out, Conv p)
{
    const int total = p.n * p.k * p.oh * p.ow;
    const int cg = p.c / p.groups, kg = p.k / p.groups;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += blockDim.x * gridDim.x) {
        const int ox = i % p.ow, oy = i / p.ow % p.oh, k = i / (p.ow * p.oh) % p.k, n = i / (p.ow * p.oh * p.k);
        const int grp = k / kg;
        float acc = bias ? bias[k] : 0.f;
        for (int c = 0; c < cg; c++)
            for (int r = 0; r < p.r; r++) {
                const int y = oy * p.stride - p.pad + r * p.dil;
                if (y < 0 || y >= p.h) continue;
                for (int s = 0; s < p.s; s++) {
                    const int x = ox * p.stride - p.pad + s * p.dil;
                    if ((unsigned)x >= (unsigned)p.w) continue;
                    acc += in[((n * p.c + grp * cg + c) * p.h + y) * p.w + x] * wt[((k * cg + c) * p.r + r) * p.s + s];
                }
            }
        out[i] = acc > 0 ? acc : 0.01f * acc;
    }
}

__global__ void maxpool_idx(const float *in, float *out, int *where, int h, int w, int k, int st)
{
    const int oh = (h - k) / st + 1, ow = (w - k) / st + 1;
    const int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= oh * ow) return;
    const float *pl = in + blockIdx.y * h * w;
    int y = o / ow * st, x = o % ow * st, best = -1;
    float m = -3e38f;
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++) {
            float v = pl[(y + j) * w + x + i];
            if (v > m) { m = v; best = (y + j) * w + x + i; }
        }
    out[blockIdx.y * oh * ow + o] = m;
    where[blockIdx.y * oh * ow + o] = best;
}

__global__ void im2col(const float *img, float *col, int c, int h, int w, int k, int pad)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= c * h * w) return;
    int x = i % w, y = (i / w) % h, ch = i / (h * w);
    float *o = col + (ch * k * k * h + y) * w + x;
    for (int a = 0; a < k; ++a)
        for (int b = 0; b < k; ++b) {
            int yy = y - pad + a, xx = x - pad + b;
            *o = (yy >= 0 && xx >= 0 && yy < h && xx < w) ? img[(ch * h + yy) * w + xx] : 0;
            o += h * w;
        }
}
