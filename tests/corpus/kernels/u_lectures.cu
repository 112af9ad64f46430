// Kernels as lectures show them, at sizes that keep many multiprocessors busy.

// A column of the grid a block, a row a thread.
extern "C" __global__ void one_block_a_column(unsigned m, unsigned n, unsigned k, float alpha, const float* mat1, const float* mat2, float beta, float* mat3)
{
    float sum = 0.0f;
    const unsigned at = threadIdx.x * n + blockIdx.x;
    for (unsigned b = 0; b < n; ++b) sum += mat1[b * n + blockIdx.x] * mat2[b + threadIdx.x * n];
    mat3[at] = alpha * sum + beta * mat3[at];
}

// Both tiles are kept transposed.
#define LENGTH 8
extern "C" __global__ void both_transposed(unsigned m, unsigned n, unsigned k, const float* mat1, const float* mat2, float* mat3)
{
    __shared__ float t1[LENGTH][LENGTH];
    __shared__ float t2[LENGTH][LENGTH];
    const unsigned at = ((blockIdx.y * blockDim.y + threadIdx.y) * gridDim.y + blockIdx.x) * blockDim.x + threadIdx.x;
    float sum = mat3[at];
    for (unsigned tile = 0; tile < gridDim.x; tile++) {
        const unsigned i1 = ((blockIdx.y * blockDim.y + threadIdx.y) * gridDim.y + tile) * blockDim.x + threadIdx.x;
        const unsigned i2 = ((tile * blockDim.y + threadIdx.y) * gridDim.y + blockIdx.x) * blockDim.x + threadIdx.x;
        t1[threadIdx.x][threadIdx.y] = mat1[i1];
        t2[threadIdx.x][threadIdx.y] = mat2[i2];
        __syncthreads();
        for (unsigned i = 0; i < LENGTH; i++) sum += t1[i][threadIdx.y] * t2[threadIdx.x][i];
        __syncthreads();
    }
    mat3[at] = sum;
}

// Two rows a thread, B's tile transposed, padded or not.
template <int BLOCK, int PAD>
__global__ void two_rows(float* A, float* B, float* C, int n)
{
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    __shared__ float As[BLOCK][BLOCK];
    __shared__ float Bs[BLOCK][BLOCK + PAD];
    float Csub1 = 0.0f, Csub2 = 0.0f;
    for (int b = 0; b < n / BLOCK; b++) {
        As[ty][tx] = A[(ty + by * BLOCK) * n + b * BLOCK + tx];
        As[ty + BLOCK / 2][tx] = A[(ty + BLOCK / 2 + by * BLOCK) * n + b * BLOCK + tx];
        Bs[tx][ty] = B[(ty + b * BLOCK) * n + bx * BLOCK + tx];
        Bs[tx][ty + BLOCK / 2] = B[(ty + BLOCK / 2 + b * BLOCK) * n + bx * BLOCK + tx];
        __syncthreads();
        for (int k = 0; k < BLOCK; k++) {
            Csub1 += As[ty][k] * Bs[tx][k];
            Csub2 += As[ty + BLOCK / 2][k] * Bs[tx][k];
        }
        __syncthreads();
    }
    C[(ty + by * BLOCK) * n + bx * BLOCK + tx] = Csub1;
    C[(ty + BLOCK / 2 + by * BLOCK) * n + bx * BLOCK + tx] = Csub2;
}

// Tiles on the diagonals, one after the other.
template <int TILE, int ROWS, int PAD>
__global__ void diagonal_tiles(float* odata, const float* idata, int n)
{
    __shared__ float tile[TILE][TILE + PAD];
    const int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    int x = bx * TILE + threadIdx.x, y = by * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (x < n && y + i < n) tile[threadIdx.y + i][threadIdx.x] = idata[(y + i) * n + x];
    __syncthreads();
    x = by * TILE + threadIdx.x;
    y = bx * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (x < n && y + i < n) odata[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}

// Two at a load, first in registers, then in shared memory down to one warp.
template <int THREADS>
__global__ void halving(const float* in, float* out, int n)
{
    __shared__ float s[THREADS];
    int i = blockIdx.x * (THREADS * 2) + threadIdx.x;
    float sum = i < n ? in[i] : 0.f;
    if (i + THREADS < n) sum += in[i + THREADS];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int d = THREADS / 2; d > 16; d >>= 1) {
        if (threadIdx.x < d) s[threadIdx.x] = sum = sum + s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d, 32);
        if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
}

// Grey of an RGBA image and its gradient, in two kernels.
extern "C" __global__ void grey_of(const uchar4* in, unsigned char* out, int rows, int cols)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= cols || r >= rows) return;
    const uchar4 p = in[r * cols + c];
    out[r * cols + c] = (unsigned char)(.299f * p.x + .587f * p.y + .114f * p.z);
}
extern "C" __global__ void blurred(const unsigned char* in, unsigned char* out, int rows, int cols, const float* filter, int width)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= cols || r >= rows) return;
    float sum = 0.f;
    for (int dy = -width / 2; dy <= width / 2; ++dy)
        for (int dx = -width / 2; dx <= width / 2; ++dx) {
            const int y = min(max(r + dy, 0), rows - 1), x = min(max(c + dx, 0), cols - 1);
            sum += filter[(dy + width / 2) * width + dx + width / 2] * in[y * cols + x];
        }
    out[r * cols + c] = (unsigned char)sum;
}

// A register tile with float4 on both sides, as published; sizes are multiples of the tile.
template <int BM, int BN, int BK>
__global__ void __launch_bounds__(256) published_tile(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K)
{
    __shared__ float As[BK][BM], Bs[BK][BN];
    const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    const int ar = tid / (BK / 4), ac = tid % (BK / 4) * 4, br = tid / (BN / 4), bc = tid % (BN / 4) * 4;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float acc[8][8] = {0.f}, a[8], b[8];
    for (int k0 = 0; k0 < K; k0 += BK) {
        const float4 av = *reinterpret_cast<const float4*>(&A[ar * K + k0 + ac]);
        As[ac][ar] = av.x;
        As[ac + 1][ar] = av.y;
        As[ac + 2][ar] = av.z;
        As[ac + 3][ar] = av.w;
        *reinterpret_cast<float4*>(&Bs[br][bc]) = *reinterpret_cast<const float4*>(&B[(k0 + br) * N + bc]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
#pragma unroll
            for (int i = 0; i < 4; ++i) { a[i] = As[k][ty * 4 + i]; a[i + 4] = As[k][BM / 2 + ty * 4 + i]; }
#pragma unroll
            for (int j = 0; j < 4; ++j) { b[j] = Bs[k][tx * 4 + j]; b[j + 4] = Bs[k][BN / 2 + tx * 4 + j]; }
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int r = i / 4 * (BM / 2) + ty * 4 + i % 4;
        *reinterpret_cast<float4*>(&C[r * N + tx * 4]) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *reinterpret_cast<float4*>(&C[r * N + BN / 2 + tx * 4]) = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
    }
}
