// Directives between the parameters and the arguments, and a pitch that is rounded with ~ and &: the
// launch is read as it is compiled.
// trace: --sample
// launch: pitch i32:384, steps i32:80, shared 2304, block 16x4x1
#define REACH 1

__global__ void sharpened(const float* in, float* out,
#ifdef FIXED_STEPS
                          float unused,
#else
                          int pitch, int steps,
#endif
                          int width) {
  extern __shared__ unsigned char rows[];
  for (int i = threadIdx.x; i < steps + 2 * REACH; i += blockDim.x)
    for (int k = 0; k < 4; ++k) rows[threadIdx.y * pitch + 4 * i + k] = in[(i * 4 + k) % width];
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < width) out[x] = rows[threadIdx.y * pitch + threadIdx.x];
}

void sharpen(const float* in, float* out, int width) {
  dim3 threads(16, 4);
  int steps_of_row = 80;
  int pitch = ~0x3f & (4 * (steps_of_row + 2 * REACH) + 0x3f);
  int bytes = pitch * (threads.y + 2 * REACH);
  sharpened<<<width / 16, threads, bytes>>>(in, out,
#ifdef FIXED_STEPS
                                            1.0f,
#else
                                            pitch, steps_of_row,
#endif
                                            width);
}
