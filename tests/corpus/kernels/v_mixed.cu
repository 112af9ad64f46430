// Vectors and sparse matrices, bodies, branches, local arrays, calls.
#include <cstdint>

// y = A x, a warp a row
extern "C" __global__ void matvec_warp(const float *__restrict__ A, const float *__restrict__ x, float *__restrict__ y, int M, int N) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= M) return;
    float sum = 0.0f;
    for (int col = lane; col < N; col += 32) sum += A[row * N + col] * x[col];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) y[row] = sum;
}

// y = A^T x: a thread a column, x staged; rows split over blockIdx.y
template <int CHUNK>
__global__ void matvec_transposed(const float *A, const float *x, float *y, int M, int N) {
    __shared__ float xs[CHUNK];
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int r0 = blockIdx.y * CHUNK, rows = min(CHUNK, M - r0);
    for (int i = threadIdx.x; i < rows; i += blockDim.x) xs[i] = x[r0 + i];
    __syncthreads();
    if (col >= N) return;
    float s = 0;
    const float *a = A + (size_t)r0 * N + col;
    for (int i = 0; i < rows; i++, a += N) s += *a * xs[i];
    atomicAdd(&y[col], s);
}

// rows of varying length, start and length given (like CSR with gaps); scalar
extern "C" __global__ void spmv_scalar(const int *start, const uint8_t *len, const uint8_t *col, const float *val, const float *x, float *y,
                                       int rows, int slot, int most) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float dot = 0;
        int begin = start[r] * slot, end = begin + len[r] % most;
        for (int j = begin; j < end; ++j) dot += val[j] * x[col[j]];
        y[r] += dot;
    }
}

// the same by sub-warps of LANES
template <int LANES>
__global__ void spmv_vector(const int *start, const uint8_t *len, const uint8_t *col, const float *val, const float *x, float *y, int rows,
                            int slot, int most) {
    const int r = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, l = threadIdx.x % LANES;
    float dot = 0;
    if (r < rows) {
        const int begin = start[r] * slot, end = begin + len[r] % most;
        for (int j = begin + l; j < end; j += LANES) dot = fmaf(val[j], x[col[j]], dot);
    }
#pragma unroll
    for (int o = LANES / 2; o; o /= 2) dot += __shfl_down_sync(~0u, dot, o, LANES);
    if (r < rows && l == 0) y[r] = dot;
}

// ELLPACK, column-major, 32-bit columns
extern "C" __global__ void spmv_ell(int rows, int width, const unsigned *col, const double *val, const double *x, unsigned xs, double *y) {
    int r = blockDim.x * blockIdx.x + threadIdx.x;
    if (r >= rows) return;
    double s = 0;
    for (int k = 0; k < width; k++) {
        double v = val[r + k * rows];
        if (v > -0.5) s += v * x[col[r + k * rows] % xs];
    }
    y[r] = s;
}

// coordinates, atomics
struct Entry {
    uint8_t row, col;
    uint16_t unused;
    float value;
};
extern "C" __global__ void spmv_coo(const Entry *e, int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Entry t = e[i];
        atomicAdd(y + t.row, (t.unused & 0xff) * 0.01f * x[t.col]);
    }
}

// all pairs of bodies, tiles of positions in shared memory
__device__ float3 interaction(float4 bi, float4 bj, float3 ai) {
    float3 r;
    r.x = bj.x - bi.x;
    r.y = bj.y - bi.y;
    r.z = bj.z - bi.z;
    float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + 1e-3f;
    float invDist = rsqrtf(distSqr);
    float s = bj.w * invDist * invDist * invDist;
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}

extern "C" __global__ void nbody_tiles(const float4 *pos, float4 *acc, int n) {
    extern __shared__ float4 shPosition[];
    int gtid = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = gtid < n ? pos[gtid] : make_float4(0, 0, 0, 0);
    float3 a = {0.0f, 0.0f, 0.0f};
    for (int i = 0, tile = 0; i < n; i += blockDim.x, tile++) {
        int idx = tile * blockDim.x + threadIdx.x;
        shPosition[threadIdx.x] = idx < n ? pos[idx] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < blockDim.x; j++) a = interaction(mine, shPosition[j], a);
        __syncthreads();
    }
    if (gtid < n) acc[gtid] = make_float4(a.x, a.y, a.z, 0.0f);
}

// Lennard-Jones over a fixed list of neighbours with a cut-off
extern "C" __global__ void lennard_jones(const float4 *pos, const uint8_t *list, float4 *force, int n, int neighbours, float cut2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i], f = make_float4(0, 0, 0, 0);
    for (int j = 0; j < neighbours; j++) {
        int o = list[j * n + i];
        if (o == i) continue;
        float4 q = __ldg(pos + o);
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cut2) {
            float s = 1.0f / (r2 + 0.01f), s3 = s * s * s;
            float m = s * s3 * (48.f * s3 - 24.f);
            f.x += dx * m;
            f.y += dy * m;
            f.z += dz * m;
            f.w += 1.f;
        }
    }
    force[i] = f;
}

// eight ways by the data, some fall through
extern "C" __global__ void switch_ops(const uint8_t *op, const float *a, const float *b, float *r, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i], z;
    switch (op[i] & 7) {
        case 0: z = x + y; break;
        case 1: z = x - y; break;
        case 2: z = x * y; break;
        case 3: z = y != 0.f ? x / y : 0.f; break;
        case 4: x = fabsf(x);
        case 5: z = sqrtf(fabsf(x) + y * y); break;
        case 6: z = sinf(x) * cosf(y); break;
        default:
            z = 1.f;
            for (int k = 0; k < (op[i] >> 5); ++k) z *= x;
    }
    r[i] = z;
}

// loops of different length in each lane
extern "C" __global__ void collatz(int *steps, int first, int n, int limit) {
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    if (tid < n) {
        long long v = first + tid;
        int s = 0;
        do {
            v = (v & 1) ? 3 * v + 1 : v >> 1;
            s++;
        } while (v != 1 && s < limit);
        steps[tid] = s;
    }
}

extern "C" __global__ void mandelbrot(uchar3 *img, int w, int h, float x0, float y0, float scale, int max_iter) {
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    const float cx = x0 + px * scale, cy = y0 + py * scale;
    float x = 0, y = 0;
    int it = 0;
    while (x * x + y * y <= 4.0f && it < max_iter) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        ++it;
    }
    uchar3 c = {0, 0, 0};
    if (it < max_iter) c = make_uchar3(it * 7 & 255, it * 13 & 255, it * 29 & 255);
    img[py * w + px] = c;
}

// K nearest by insertion in a local array with dynamic index
template <int K>
__global__ void knn_insertion(const float2 *query, const float2 *ref, int *nearest, float *dist, int nq, int nr) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= nq) return;
    float d[K];
    int id[K];
    for (int k = 0; k < K; k++) {
        d[k] = 1e30f;
        id[k] = -1;
    }
    const float2 p = query[q];
    for (int r = 0; r < nr; ++r) {
        float2 o = ref[r];
        float dx = p.x - o.x, dy = p.y - o.y, dd = dx * dx + dy * dy;
        if (dd >= d[K - 1]) continue;
        int k = K - 1;
        while (k > 0 && d[k - 1] > dd) {
            d[k] = d[k - 1];
            id[k] = id[k - 1];
            --k;
        }
        d[k] = dd;
        id[k] = r;
    }
    for (int k = 0; k < K; ++k) {
        nearest[k * nq + q] = id[k];
        dist[k * nq + q] = sqrtf(d[k]);
    }
}

// a small stack machine per thread: a loop with a switch, and a local stack
extern "C" __global__ void stack_machine(const uint8_t *program, int length, const int *input, int *output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int stack[16], top = 0;
    stack[0] = input[i];
    for (int pc = 0; pc < length; ++pc) {
        uint8_t ins = program[pc];
        int a = stack[top & 15];
        switch (ins % 5) {
            case 0: top = min(top + 1, 15); stack[top] = a ^ ins; break;
            case 1: stack[top] = a + (i & ins); break;
            case 2: if (top > 0) { --top; stack[top] += a; } break;
            case 3: if (a & 1) stack[top] = a * 3 + 1; else stack[top] = a / 2; break;
            case 4: top = top > 2 ? top - 2 : top; break;
        }
    }
    output[i] = stack[top];
}

struct State {
    double x, v;
};
__device__ __noinline__ State derivative(State s, double t) { return State{s.v, -s.x - 0.1 * s.v + 0.5 * (t < 0.5 ? t : 1.0 - t)}; }

// Runge-Kutta with calls that return structures
extern "C" __global__ void runge_kutta(const double2 *start, double2 *end, int n, int steps, double h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    State s{start[i].x, start[i].y};
    double t = 0;
    for (int k = 0; k < steps; ++k, t += h) {
        State a = derivative(s, t);
        State b = derivative(State{s.x + 0.5 * h * a.x, s.v + 0.5 * h * a.v}, t + 0.5 * h);
        State c = derivative(State{s.x + 0.5 * h * b.x, s.v + 0.5 * h * b.v}, t + 0.5 * h);
        State d = derivative(State{s.x + h * c.x, s.v + h * c.v}, t + h);
        s.x += h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x);
        s.v += h / 6 * (a.v + 2 * b.v + 2 * c.v + d.v);
    }
    end[i] = make_double2(s.x, s.v);
}

template <typename F>
__device__ void for_each_index(int n, F &&f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}

__device__ inline float cnd(float d) {
    const float K = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * __expf(-0.5f * d * d) *
              (K * (0.31938153f + K * (-0.356563782f + K * (1.781477937f + K * (-1.821255978f + K * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c;
}

extern "C" __global__ void __launch_bounds__(128, 4) black_scholes(float2 *opt, const float *s, const float *k, const float *t, float r, float vol, int n) {
    for_each_index(n, [=](int i) {
        float S = 20.f + 10.f * s[i], X = 20.f + 10.f * k[i], T = 1.5f + t[i];
        float rt = sqrtf(T);
        float d1 = (__logf(S / X) + (r + 0.5f * vol * vol) * T) / (vol * rt), d2 = d1 - vol * rt;
        float e = __expf(-r * T);
        float call = S * cnd(d1) - X * e * cnd(d2);
        opt[i] = make_float2(call, call - S + X * e);
    });
}

// lower bound in a sorted array, probes of other lanes differ
extern "C" __global__ void lower_bounds(const int *sorted, int m, const unsigned *probe, int *pos, int n, unsigned range) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int key = probe[i] % range;
        int lo = 0, hi = m;
        while (lo < hi) {
            int mid = (lo + hi) >> 1;
            if (sorted[mid] < key)
                lo = mid + 1;
            else
                hi = mid;
        }
        pos[i] = lo;
    }
}

// edit distance of short words, one row of the table in local memory
template <int L>
__global__ void edit_distance(const char *words, const char *pattern, int *dist, int n) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= n) return;
    const char *word = words + w * L;
    int row[L + 1];
    for (int j = 0; j <= L; j++) row[j] = j;
    for (int i = 1; i <= L; i++) {
        int diag = row[0];
        row[0] = i;
        char c = word[i - 1] & 3;
        for (int j = 1; j <= L; j++) {
            int up = row[j];
            row[j] = min(min(up, row[j - 1]) + 1, diag + ((pattern[j - 1] & 3) != c));
            diag = up;
        }
    }
    dist[w] = row[L];
}
