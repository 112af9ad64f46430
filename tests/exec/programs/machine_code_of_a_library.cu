// A library without PTX: more than 4 KB of arguments with arrays that a block looks up, a switch
// whose cases are jumped to by a table, a constant that the host sets, and kernels nobody launches.
// output: 0 wrong of 2048
// launches: 2
// nvcc: -gencode=arch=compute_90,code=sm_90
#include <cstdio>
#include <vector>

constexpr int kLists = 8;
constexpr int kLength = 256;

struct Lists {
  float* at[kLists];
  unsigned short lengths[kLists];
  unsigned char kinds[kLists];
  signed char shifts[kLists];
  char unused[4096];
};

__constant__ float kFactors[4];

template <int N>
__global__ void power(float* at) {
  for (int i = 1; i < N; ++i) at[threadIdx.x] *= at[threadIdx.x + i];
}
template __global__ void power<2>(float*);
template __global__ void power<3>(float*);

__device__ float changed(float value, int kind) {
  switch (kind) {
    case 0: return value + 1;
    case 1: return value * value;
    case 2: return sqrtf(value) * 3;
    case 3: return 1 / (value + 2);
    case 4: return value * kFactors[kind - 1] - 5;
    case 5: return fmaxf(value, 7);
    case 6: return -value;
    default: return value * kFactors[kind & 3];
  }
}

__global__ void apply(Lists lists) {
  const int list = blockIdx.x;
  float* at = lists.at[list];
  const int kind = lists.kinds[list];
  for (int i = threadIdx.x; i < lists.lengths[list]; i += blockDim.x)
    at[i] = changed(at[i], kind) + lists.shifts[list];
}

int main() {
  const float factors[4] = {2, 3, 4, 5};
  cudaMemcpyToSymbol(kFactors, factors, sizeof(factors));
  Lists lists = {};
  std::vector<float> x(kLength);
  for (int i = 0; i < kLength; ++i) x[i] = i % 17;
  float* all;
  cudaMalloc(&all, kLists * kLength * sizeof(float));
  for (int k = 0; k < kLists; ++k) {
    lists.at[k] = all + k * kLength;
    lists.lengths[k] = kLength;
    lists.kinds[k] = k;
    lists.shifts[k] = k - 4;
    cudaMemcpy(lists.at[k], x.data(), kLength * sizeof(float), cudaMemcpyHostToDevice);
  }
  apply<<<kLists, 64>>>(lists);
  apply<<<1, 32>>>(lists);
  std::vector<float> y(kLists * kLength);
  cudaMemcpy(y.data(), all, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int k = 0; k < kLists; ++k) {
    for (int i = 0; i < kLength; ++i) {
      float v = x[i];
      const float s = k - 4;
      const float by[8] = {v + 1 + s + 1, v * v, sqrtf(v) * 3, 1 / (v + 2), v * 5 - 5, fmaxf(v, 7), -v, v * 5};
      const float right = k == 0 ? by[0] + s : by[k] + s;
      wrong += fabsf(y[k * kLength + i] - right) > 1e-4f;
    }
  }
  printf("%d wrong of %d\n", wrong, kLists * kLength);
  cudaFree(all);
}
