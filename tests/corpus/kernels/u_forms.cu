// Forms of code that change what a compiler issues: unrolled loops, tails, choices, templates.

// A tail that #pragma unroll leaves behind, with a guard in the middle of the step.
template <typename T, int U>
__global__ void unrolled_tail(const T* __restrict__ in, T* out, int n, int skip)
{
    const int step = gridDim.x * blockDim.x;
    T sum = 0;
#pragma unroll U
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        if (i % skip == 0) continue;
        sum += in[i] * in[n - 1 - i];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The operation is chosen by a template, the guard by the data; some lanes leave early.
struct AddOp { template <typename T> __device__ T operator()(T a, T b) const { return a + b; } static constexpr int width = 1; };
struct MaxOp { template <typename T> __device__ T operator()(T a, T b) const { return a > b ? a : b; } static constexpr int width = 4; };
template <typename Op, typename T>
__global__ void chosen_operation(const T* a, const T* b, T* out, int n)
{
    const Op op;
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * Op::width;
    if (i >= n) return;
    if constexpr (Op::width == 1) {
        const T v = a[i];
        if (v > T(0)) out[i] = op(v, b[i]);
        else out[i] = v;
    } else {
#pragma unroll
        for (int j = 0; j < Op::width; ++j)
            if (i + j < n) out[i + j] = op(a[i + j], b[i + j]);
    }
}

// How far each lane goes is in the data. Sparse rows with columns and values in one int2.
extern "C" __global__ void rows_of_pairs(const int* starts, const int2* cells, const float* x, float* y, int rows, int cols)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int at = row * 9;
    const int end = at + (starts[row] & 7) + (row % 11 == 0);
    float sum = 0;
    while (at < end) {
        const int2 c = cells[at++];
        sum += __int_as_float((c.y & 0x7fffff) | 0x3f800000) * x[(unsigned)c.x % (unsigned)cols];
    }
    y[row] = sum;
}

// An array of a thread that is indexed by data lives in local memory.
template <int N>
__global__ void own_bins(const unsigned char* in, unsigned short* out, int per)
{
    unsigned short bins[N];
    for (int i = 0; i < N; ++i) bins[i] = 0;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < per; ++i) ++bins[in[t * per + i] % N];
    for (int i = 0; i < N; ++i) out[i * gridDim.x * blockDim.x + t] = bins[i];
}

// A pointer that is shared memory for some blocks and global memory for the others.
extern "C" __global__ void either_memory(const float* in, float* scratch, float* out, int n)
{
    __shared__ float near_by[130];
    float* work = blockIdx.x % 2 ? near_by : scratch + blockIdx.x * 130;
    for (int i = threadIdx.x; i < 130; i += blockDim.x) work[i] = in[(blockIdx.x * 130 + i) % n];
    __syncthreads();
    for (int r = 0; r < 3; ++r) {
        float v = 0;
        if (threadIdx.x < 128) v = 0.5f * (work[threadIdx.x] + work[threadIdx.x + 2]);
        __syncthreads();
        if (threadIdx.x < 128) work[threadIdx.x + 1] = v;
        __syncthreads();
    }
    if (threadIdx.x < 128) out[blockIdx.x * 128 + threadIdx.x] = work[threadIdx.x + 1];
}

// Which path a warp's lanes take is a switch over what they read; each path reads other arrays.
extern "C" __global__ void four_ways(const int* kind, const float* a, const float2* b, const double* c, float* out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = 0;
        switch (kind[i] & 3) {
            case 0: v = a[i]; break;
            case 1: { const float2 p = b[i]; v = p.x * p.y; } break;
            case 2: v = (float)(c[i] * c[n - 1 - i]); [[fallthrough]];
            default:
                for (int j = 0; j < (i & 3); ++j) v += a[(i + j * 17) % n];
        }
        out[i] = v;
    }
}

// A structure by value with pointers and sizes, as frameworks pass them.
struct Operand { const float* data; int rows, cols; long long stride; };
extern "C" __global__ void strided_operands(Operand a, Operand b, float* out, float alpha)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < a.rows && c < a.cols) out[r * a.cols + c] = alpha * a.data[r * a.stride + c] + b.data[(r % b.rows) * b.stride + c % b.cols];
}

// Polynomials: coefficients in constant memory by a uniform and by a lane's own index.
__constant__ double coefficient[4][6];
extern "C" __global__ void polynomials(const double* x, double* y, int n, int which)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i], s = 0, t = 0;
#pragma unroll 2
    for (int k = 0; k < 6; ++k) { s = s * v + (coefficient[which][k] + k); t = t * v + (coefficient[i & 3][5 - k] - k); }
    y[i] = s / (1.0 + t * t);
}

// Loads the compiler may and may not join: neighbours in different orders and types.
extern "C" __global__ void neighbours(const int* __restrict__ in, int* __restrict__ out, int shift)
{
    __shared__ __align__(16) int w[96 * 8];
    for (int i = threadIdx.x; i < 96 * 8; i += blockDim.x) w[i] = in[i];
    __syncthreads();
    const int* mine = w + threadIdx.x * 8;
    int s = mine[3] + 2 * mine[1] + 3 * mine[2] + 4 * mine[0];
    const short* halves = reinterpret_cast<const short*>(mine + 4);
    s += halves[0] * 5 + halves[1] * 6 + halves[3] * 7;
    const int* odd = w + threadIdx.x * 7 + shift;
    s += odd[0] ^ odd[1] ^ odd[2];
    __syncthreads();
    w[threadIdx.x * 8 + 6] = s;
    w[threadIdx.x * 8 + 7] = s >> 3;
    w[threadIdx.x * 8 + 5] = s << 1;
    __syncthreads();
    const long long two = *reinterpret_cast<const long long*>(&w[threadIdx.x * 8 + 6]);
    out[threadIdx.x] = (int)(two >> 32) + w[(95 - threadIdx.x) * 8 + 5] + (int)two;
}
