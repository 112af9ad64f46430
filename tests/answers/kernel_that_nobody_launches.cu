// The file launches one of its kernels; the other, which does more, is an older version that no code
// uses any more and that is for one size of a block.
// trace: --sample
// launch: kernel scan_pairs
__global__ void old_scan(const float* in, float* out, int n) {
  __shared__ float part[2048];
  part[threadIdx.x] = in[(blockIdx.x * blockDim.x + threadIdx.x) % n];
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < 2048; ++i) sum += part[i];
  out[(blockIdx.x * blockDim.x + threadIdx.x) % n] = sum;
}

__global__ void scan_pairs(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + (i > 0 ? in[i - 1] : 0.0f);
}

void scan(const float* in, float* out, int n) {
  // old_scan<<<1, 1024>>>(in, out, n);
  scan_pairs<<<(n + 255) / 256, 256>>>(in, out, n);
}
