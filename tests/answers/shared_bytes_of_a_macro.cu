// Dynamic shared memory said with sizeof and a macro: 3 doubles per thread, 3,072 B.
// trace: --sample
// launch: grid 32x1x1, block 128x1x1, shared 3072
#define BLOCKS 32
#define LANES 128
__global__ void triples(const double* in, double* out) {
  extern __shared__ double space[];
  const int t = threadIdx.x;
  for (int k = 0; k < 3; ++k) space[t + k * blockDim.x] = in[t + k * blockDim.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = space[3 * t] + space[3 * t + 1] + space[3 * t + 2];
}
int main() {
  double *in = nullptr, *out = nullptr;
  triples<<<BLOCKS, LANES, LANES * 3 * sizeof(double)>>>(in, out);
}
