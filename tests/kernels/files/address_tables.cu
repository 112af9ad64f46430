// Tables of addresses, filled in when the module is loaded.
struct Entry {
  const float* from;
  int count;
};
__constant__ float low[4] = {1, 2, 3, 4};
__constant__ float high[4] = {5, 6, 7, 8};
__constant__ const float* const table[2] = {low, high};
__device__ float values[4] = {10, 20, 30, 40};
__device__ const float* inner[2] = {values, values + 2};
__device__ Entry entries[2] = {{values + 1, 3}, {values + 3, 1}};

extern "C" __global__ void pick(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Entry entry = entries[i & 1];
  out[i] = table[i & 1][i & 3] + inner[i & 1][i & 1] + entry.from[0] + 100 * entry.count;
}
