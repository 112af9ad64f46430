// The launch is in a function that another file of the project calls: what it is called with is the
// launch, a tile of the block and twice the radius.
// trace: --sample
// launch: grid 64x1x1, block 128x1x1, shared 576, radius i32:8, width i32:144
__global__ void softened(const float* in, float* out, int count, int width, int radius) {
  extern __shared__ float tile[];
  const int first = blockIdx.x * blockDim.x - radius;
  for (int t = threadIdx.x; t < width; t += blockDim.x) {
    const int i = first + t;
    tile[t] = i >= 0 && i < count ? in[i] : 0.0f;
  }
  __syncthreads();
  float sum = 0;
  for (int t = 0; t <= 2 * radius; ++t) sum += tile[threadIdx.x + t];
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own < count) out[own] = sum;
}
void soften(dim3 grid, dim3 block, int bytes, const float* in, float* out, int count, int width,
            int radius) {
  softened<<<grid, block, bytes>>>(in, out, count, width, radius);
}
