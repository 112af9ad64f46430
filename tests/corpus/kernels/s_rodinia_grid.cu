// hotspot, pathfinder, srad, lud, needleman-wunsch
#ifndef BS
#define BS 16
#endif
#ifndef ITERS
#define ITERS 2
#endif
#define INR(x,a,b) ((x)>=(a)&&(x)<=(b))
extern "C" __global__ void hotspot_pyramid(int iterations, const float* power, const float* src, float* dst,
    int cols, int rows, int border, float cap, float rx, float ry, float rz)
{
    __shared__ float now[BS][BS];
    __shared__ float pw[BS][BS];
    __shared__ float nxt[BS][BS];
    const float amb = 0.25f;
    int tx = threadIdx.x, ty = threadIdx.y;
    int small = BS - iterations * 2;
    int y0 = small * (int)blockIdx.y - border, x0 = small * (int)blockIdx.x - border;
    int y1 = y0 + BS - 1, x1 = x0 + BS - 1;
    int y = y0 + ty, x = x0 + tx;
    bool in = INR(y, 0, rows - 1) && INR(x, 0, cols - 1);
    int at = y * cols + x;
    if (in) { now[ty][tx] = src[at]; pw[ty][tx] = power[at]; }
    else { now[ty][tx] = 0.f; pw[ty][tx] = 0.f; }
    __syncthreads();
    int vy0 = y0 < 0 ? -y0 : 0, vy1 = y1 > rows - 1 ? BS - 1 - (y1 - rows + 1) : BS - 1;
    int vx0 = x0 < 0 ? -x0 : 0, vx1 = x1 > cols - 1 ? BS - 1 - (x1 - cols + 1) : BS - 1;
    int n = max(ty - 1, vy0), s = min(ty + 1, vy1), w = max(tx - 1, vx0), e = min(tx + 1, vx1);
    bool done = false;
    for (int i = 0; i < iterations; i++) {
        done = false;
        if (INR(tx, i + 1, BS - i - 2) && INR(ty, i + 1, BS - i - 2) && INR(tx, vx0, vx1) && INR(ty, vy0, vy1)) {
            done = true;
            nxt[ty][tx] = now[ty][tx] + cap * (pw[ty][tx] + (now[s][tx] + now[n][tx] - 2.0f * now[ty][tx]) * ry
                + (now[ty][e] + now[ty][w] - 2.0f * now[ty][tx]) * rx + (amb - now[ty][tx]) * rz);
        }
        __syncthreads();
        if (i == iterations - 1) break;
        if (done) now[ty][tx] = nxt[ty][tx];
        __syncthreads();
    }
    if (done) dst[at] = nxt[ty][tx];
}
#ifndef PB
#define PB 128
#endif
extern "C" __global__ void pathfinder_dyn(int iteration, const int* wall, const int* src, int* out, int cols, int start, int border)
{
    __shared__ int prev[PB];
    __shared__ int res[PB];
    int tx = threadIdx.x;
    int small = PB - iteration * 2;
    int b0 = small * (int)blockIdx.x - border, b1 = b0 + PB - 1;
    int x = b0 + tx;
    int v0 = b0 < 0 ? -b0 : 0, v1 = b1 > cols - 1 ? PB - 1 - (b1 - cols + 1) : PB - 1;
    int W = max(tx - 1, v0), E = min(tx + 1, v1);
    bool valid = INR(tx, v0, v1);
    prev[tx] = INR(x, 0, cols - 1) ? src[x] & 1023 : 0;
    __syncthreads();
    bool done = false;
    for (int i = 0; i < iteration; i++) {
        done = false;
        if (INR(tx, i + 1, PB - i - 2) && valid) {
            done = true;
            int m = min(min(prev[W], prev[tx]), prev[E]);
            res[tx] = m + (wall[cols * (start + i) + x] & 15);
        }
        __syncthreads();
        if (i == iteration - 1) break;
        if (done) prev[tx] = res[tx];
        __syncthreads();
    }
    if (done) out[x] = res[tx];
}
extern "C" __global__ void srad_one(float* dE, float* dW, float* dN, float* dS, const float* J, float* C, int cols, int rows, float q0)
{
    __shared__ float t[BS][BS];
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int x = bx * BS + tx, y = by * BS + ty;
    int i = y * cols + x;
    bool in = x < cols && y < rows;
    t[ty][tx] = in ? J[i] + 1.5f : 1.0f;
    __syncthreads();
    if (!in) return;
    float jc = t[ty][tx], n, s, w, e;
    if (ty == 0) n = y == 0 ? jc : J[i - cols] + 1.5f; else n = t[ty - 1][tx];
    if (y == rows - 1) s = jc; else if (ty == BS - 1) s = J[i + cols] + 1.5f; else s = t[ty + 1][tx];
    if (tx == 0) w = x == 0 ? jc : J[i - 1] + 1.5f; else w = t[ty][tx - 1];
    if (x == cols - 1) e = jc; else if (tx == BS - 1) e = J[i + 1] + 1.5f; else e = t[ty][tx + 1];
    n -= jc; s -= jc; w -= jc; e -= jc;
    float g2 = (n * n + s * s + w * w + e * e) / (jc * jc);
    float l = (n + s + w + e) / jc;
    float num = 0.5f * g2 - (1.0f / 16.0f) * (l * l);
    float den = 1 + .25f * l;
    float q = num / (den * den);
    den = (q - q0) / (q0 * (1 + q0));
    float c = 1.0f / (1.0f + den);
    c = c < 0 ? 0 : c > 1 ? 1 : c;
    C[i] = c; dE[i] = e; dW[i] = w; dS[i] = s; dN[i] = n;
}
extern "C" __global__ void srad_two(const float* dE, const float* dW, const float* dN, const float* dS, float* J, const float* C, int cols, int rows, float lambda)
{
    __shared__ float sc[BS][BS + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * BS + tx, y = blockIdx.y * BS + ty;
    bool in = x < cols && y < rows;
    int i = y * cols + x;
    if (in) sc[ty][tx] = C[i];
    __syncthreads();
    if (!in) return;
    float cc = sc[ty][tx];
    float cs = y == rows - 1 ? cc : ty == BS - 1 ? C[i + cols] : sc[ty + 1][tx];
    float ce = x == cols - 1 ? cc : tx == BS - 1 ? C[i + 1] : sc[ty][tx + 1];
    J[i] += 0.25f * lambda * (cc * dN[i] + cs * dS[i] + cc * dW[i] + ce * dE[i]);
}
// lud
extern "C" __global__ void lud_diag(float* m, int dim, int off)
{
    __shared__ float sh[BS][BS];
    int tx = threadIdx.x, a = off * dim + off;
    for (int i = 0; i < BS; i++) { sh[i][tx] = m[a + tx] + (i == tx ? 8.0f : 0.0f); a += dim; }
    __syncthreads();
    for (int i = 0; i < BS - 1; i++) {
        if (tx > i) {
            for (int j = 0; j < i; j++) sh[tx][i] -= sh[tx][j] * sh[j][i];
            sh[tx][i] /= sh[i][i];
        }
        __syncthreads();
        if (tx > i)
            for (int j = 0; j < i + 1; j++) sh[i + 1][tx] -= sh[i + 1][j] * sh[j][tx];
        __syncthreads();
    }
    a = (off + 1) * dim + off;
    for (int i = 1; i < BS; i++) { m[a + tx] = sh[i][tx]; a += dim; }
}
extern "C" __global__ void lud_perimeter(float* m, int dim, int off)
{
    __shared__ float dia[BS][BS];
    __shared__ float row[BS][BS];
    __shared__ float col[BS][BS];
    int idx, a;
    if (threadIdx.x < BS) {
        idx = threadIdx.x;
        a = off * dim + off;
        for (int i = 0; i < BS / 2; i++) { dia[i][idx] = m[a + idx]; a += dim; }
        a = off * dim + off;
        for (int i = 0; i < BS; i++) { row[i][idx] = m[a + (blockIdx.x + 1) * BS + idx]; a += dim; }
    } else {
        idx = threadIdx.x - BS;
        a = (off + BS / 2) * dim + off;
        for (int i = BS / 2; i < BS; i++) { dia[i][idx] = m[a + idx]; a += dim; }
        a = (off + (blockIdx.x + 1) * BS) * dim + off;
        for (int i = 0; i < BS; i++) { col[i][idx] = m[a + idx]; a += dim; }
    }
    __syncthreads();
    if (threadIdx.x < BS) {
        idx = threadIdx.x;
        for (int i = 1; i < BS; i++)
            for (int j = 0; j < i; j++) row[i][idx] -= dia[i][j] * row[j][idx];
    } else {
        idx = threadIdx.x - BS;
        for (int i = 0; i < BS; i++) {
            for (int j = 0; j < i; j++) col[idx][i] -= col[idx][j] * dia[j][i];
            col[idx][i] /= dia[i][i] + 3.0f;
        }
    }
    __syncthreads();
    if (threadIdx.x < BS) {
        idx = threadIdx.x;
        a = (off + 1) * dim + off;
        for (int i = 1; i < BS; i++) { m[a + (blockIdx.x + 1) * BS + idx] = row[i][idx]; a += dim; }
    } else {
        idx = threadIdx.x - BS;
        a = (off + (blockIdx.x + 1) * BS) * dim + off;
        for (int i = 0; i < BS; i++) { m[a + idx] = col[i][idx]; a += dim; }
    }
}
extern "C" __global__ void lud_inner(float* m, int dim, int off)
{
    __shared__ float pr[BS][BS];
    __shared__ float pc[BS][BS];
    int gr = off + (blockIdx.y + 1) * BS, gc = off + (blockIdx.x + 1) * BS;
    pr[threadIdx.y][threadIdx.x] = m[(off + threadIdx.y) * dim + gc + threadIdx.x];
    pc[threadIdx.y][threadIdx.x] = m[(gr + threadIdx.y) * dim + off + threadIdx.x];
    __syncthreads();
    float s = 0;
#pragma unroll
    for (int i = 0; i < BS; i++) s += pc[threadIdx.y][i] * pr[i][threadIdx.x];
    m[(gr + threadIdx.y) * dim + gc + threadIdx.x] -= s;
}
// needleman-wunsch: one anti-diagonal of tiles
extern "C" __global__ void needle_diag(const int* ref, int* mat, int cols, int penalty, int diag, int tiles)
{
    __shared__ int t[BS + 1][BS + 1];
    __shared__ int r[BS][BS];
    int tx = threadIdx.x;
    int bx = blockIdx.x + (diag > tiles ? diag - tiles : 0), by = diag - 1 - bx;
    int base = cols * BS * by + BS * bx;
    int nw = base, n = base + 1, w = base + cols, c = base + cols + 1;
    if (tx == 0) t[0][0] = mat[nw];
    for (int y = 0; y < BS; y++) r[y][tx] = (ref[c + cols * y + tx] & 15) - 6;
    t[tx + 1][0] = mat[w + cols * tx];
    t[0][tx + 1] = mat[n + tx];
    __syncthreads();
    for (int m = 0; m < BS; m++) {
        if (tx <= m) {
            int x = tx + 1, y = m - tx + 1;
            t[y][x] = max(max(t[y - 1][x - 1] + r[y - 1][x - 1], t[y][x - 1] - penalty), t[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int m = BS - 2; m >= 0; m--) {
        if (tx <= m) {
            int x = tx + BS - m, y = BS - tx;
            t[y][x] = max(max(t[y - 1][x - 1] + r[y - 1][x - 1], t[y][x - 1] - penalty), t[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int y = 0; y < BS; y++) mat[c + cols * y + tx] = t[y + 1][tx + 1];
}
