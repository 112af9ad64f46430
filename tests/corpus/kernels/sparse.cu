// Sparse matrices and graphs. Rows have `slots` places of which the first count[row] % (slots + 1)
// are in use, so that random bytes make a matrix.
#define FULL 0xffffffffu

extern "C" __global__ void spmv_rows(const unsigned char* count, const unsigned* column,
                                     const float* value, const float* x, float* y, int rows,
                                     int slots, int mask) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  const int begin = row * slots, end = begin + count[row] % (slots + 1);
  for (int i = begin; i < end; ++i) sum += value[i] * __ldg(&x[column[i] & mask]);
  y[row] = sum;
}

// Eight lanes a row, each row's sum by shuffles of eight.
extern "C" __global__ void spmv_subwarp(const unsigned char* count, const unsigned* column,
                                        const float* value, const float* x, float* y, int rows,
                                        int slots, int mask) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = id >> 3, lane = id & 7;
  float sum = 0.0f;
  if (row < rows) {
    const int begin = row * slots, end = begin + count[row] % (slots + 1);
    for (int i = begin + lane; i < end; i += 8) sum += value[i] * x[column[i] & mask];
  }
  for (int o = 4; o; o >>= 1) sum += __shfl_down_sync(FULL, sum, o, 8);
  if (row < rows && lane == 0) y[row] = sum;
}

// ELLPACK: slot after slot, coalesced over rows; unused places hold -1.
extern "C" __global__ void spmv_ellpack(const int* column, const double* value, const double* x,
                                        double* y, int rows, int slots, int mask) {
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += blockDim.x * gridDim.x) {
    double sum = 0.0;
    for (int s = 0; s < slots; ++s) {
      const int c = column[s * rows + row];
      if (c < 0) continue;
      sum = fma(value[s * rows + row], x[c & mask], sum);
    }
    y[row] = sum;
  }
}

// Coordinates sorted by row (16 entries share one): a segmented scan in each warp, then atomics at
// the ends of rows.
extern "C" __global__ void spmv_coordinates(const int* row_of, const unsigned* column,
                                            const float* value, const float* x, float* y, int n,
                                            int mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const int row = i < n ? row_of[i] / 13 : -1;
  float sum = i < n ? value[i] * x[column[i] & mask] : 0.0f;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const float other = __shfl_up_sync(FULL, sum, o);
    const int its = __shfl_up_sync(FULL, row, o);
    if (lane >= o && its == row) sum += other;
  }
  const int next = __shfl_down_sync(FULL, row, 1);
  if (row >= 0 && (lane == 31 || next != row)) atomicAdd(&y[row], sum);
}

// One level of a breadth-first search over all vertices; the frontier is where the level says so.
extern "C" __global__ void bfs_level(const unsigned char* degree, const unsigned* edges,
                                     const int* level_in, int* level_out, int vertices, int level) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level_in[v] % 7 != level) return;
  for (int e = 0; e < degree[v] % 8; ++e) {
    const unsigned to = edges[v * 8 + e] % vertices;
    if (level_in[to] % 7 > level) level_out[to] = level + 1;
  }
}

// Rank flows along edges as float atomics, warp by warp over the vertex's edges.
extern "C" __global__ void push_rank(const unsigned char* degree, const unsigned* edges,
                                     const float* rank, float* next, int vertices) {
  const int v = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (v >= vertices) return;
  const int d = degree[v] % 48;
  const float share = d ? 0.85f * rank[v] / d : 0.0f;
  for (int e = threadIdx.x % 32; e < d; e += 32) {
    atomicAdd(&next[(edges[v * 48 + e] * 31u + e) % vertices], share);
  }
}

// Common neighbours of the ends of an edge by walking two ascending lists.
extern "C" __global__ void common_neighbours(const unsigned char* degree, const unsigned* ends,
                                             int* common, int edges, int vertices) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const unsigned a = ends[2 * e] % vertices, b = ends[2 * e + 1] % vertices;
  const int na = degree[a] % 16, nb = degree[b] % 16;
  int i = 0, j = 0, found = 0;
  while (i < na && j < nb) {
    const unsigned x = (a % 5 + 1) * i, y = (b % 3 + 2) * j;
    if (x == y) ++found;
    if (x <= y) ++i;
    if (y <= x) ++j;
  }
  common[e] = found;
}
