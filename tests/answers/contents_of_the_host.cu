// What the host puts into the arrays is what they hold: keys below 16, which are the bins that they are counted in; ones
// that a function of the file writes; and zeros of cudaMemset, which are all alike.
// trace: --sample
// launch: keys random % 16, weights 1, marks 0
#include <cstdlib>

constexpr int kBins = 16;

__global__ void count(const int* keys, const float* weights, const int* marks, float* bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (marks[i] != 0) bins[0] = marks[i] * i;
  atomicAdd(&bins[keys[i]], weights[i]);
}

void set_all(float* values, int n) {
  for (int k = 0; k < n; ++k) values[k] = 1.0f;
}

int main() {
  const int n = 1 << 20;
  int* host_keys = new int[n];
  float* host_weights = new float[n];
  for (int i = 0; i < n; i++) {
    host_keys[i] = rand() % kBins;
  }
  set_all(host_weights, n);
  int *keys, *marks;
  float *weights, *bins;
  cudaMalloc(&keys, n * sizeof(int));
  cudaMalloc(&marks, n * sizeof(int));
  cudaMalloc(&weights, n * sizeof(float));
  cudaMalloc(&bins, kBins * sizeof(float));
  cudaMemcpy(keys, host_keys, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(weights, host_weights, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(marks, 0, n * sizeof(int));
  count<<<n / 256, 256>>>(keys, weights, marks, bins);
}
