// Transposes: naive, through a padded or swizzled tile, wide, diagonal.
#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef PAD
#define PAD 1
#endif

extern "C" __global__ void transpose_naive(const float* in, float* out, int rows, int cols) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
}

extern "C" __global__ void transpose_tiled(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[TILE][TILE + PAD];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) {
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
  }
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) {
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

extern "C" __global__ void transpose_swizzled(const float* in, float* out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS) {
    const int row = threadIdx.y + j;
    tile[row][threadIdx.x ^ row] = in[(y + j) * n + x];
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS) {
    const int column = threadIdx.y + j;
    out[(y + j) * n + x] = tile[threadIdx.x][column ^ threadIdx.x];
  }
}

extern "C" __global__ void transpose_float2(const float2* in, float2* out, int n) {
  __shared__ float2 tile[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void transpose_float4(const float4* in, float4* out, int n) {
  __shared__ float4 tile[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// Four floats of a row come as one vector and go as four scalars of a column.
extern "C" __global__ void transpose_vector_rows(const float* in, float* out, int n) {
  __shared__ __align__(16) float tile[32][32 + PAD];
  const int column = threadIdx.x * 4;
  const int row = threadIdx.y;
  const float4 v = *reinterpret_cast<const float4*>(
      &in[(blockIdx.y * 32 + row) * n + blockIdx.x * 32 + column]);
  tile[column + 0][row] = v.x;
  tile[column + 1][row] = v.y;
  tile[column + 2][row] = v.z;
  tile[column + 3][row] = v.w;
  __syncthreads();
  float4 w;
  w.x = tile[row][column + 0];
  w.y = tile[row][column + 1];
  w.z = tile[row][column + 2];
  w.w = tile[row][column + 3];
  *reinterpret_cast<float4*>(&out[(blockIdx.x * 32 + row) * n + blockIdx.y * 32 + column]) = w;
}

extern "C" __global__ void transpose_diagonal(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  const int by = blockIdx.x;
  const int bx = (blockIdx.x + blockIdx.y) % gridDim.x;
  int x = bx * 32 + threadIdx.x;
  int y = by * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = by * 32 + threadIdx.x;
  y = bx * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void transpose_bytes(const unsigned char* in, unsigned char* out, int n) {
  __shared__ unsigned char tile[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void transpose_shorts(const unsigned short* in, unsigned short* out, int n) {
  __shared__ unsigned short tile[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void transpose_doubles(const double* in, double* out, int n) {
  __shared__ double tile[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
