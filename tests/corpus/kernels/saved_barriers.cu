using Binary = float (*)(float, float);
__device__ float sum_of(float a, float b) { return a + b; }
__device__ float product_of(float a, float b) { return a * b; }
__device__ float distance_of(float a, float b) {
  float d = a - b;
  for (int i = 0; i < 3; ++i) d = d * d + 0.25f;
  return sqrtf(d);
}
__device__ float farther_of(float a, float b) {
  float d = a * b;
  for (int i = 0; i < 3; ++i) d = d * d + 0.75f;
  return sqrtf(d);
}
__device__ Binary operations[4] = {sum_of, product_of, distance_of, farther_of};

extern "C" __global__ void chosen(float* out, const float* a, int low, int high) {
  const int i = threadIdx.x;
  const int way = (low >> (i & 31) & 1) | (high >> (i & 31) & 1) << 1;
  out[i] = operations[way](a[i], 0.5f);
}
extern "C" __global__ void chosen_twice(float* out, const float* a, int low, int high) {
  const int i = threadIdx.x;
  const int way = (low >> (i & 31) & 1) | (high >> (i & 31) & 1) << 1;
  float x = operations[way](a[i], 0.5f);
  x = operations[way](x, 0.25f);
  out[i] = x;
}
__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
extern "C" __global__ void fibonacci_of(int* out, int low, int high) {
  const int i = threadIdx.x;
  const int n = (low >> (i & 31) & 1) | (high >> (i & 31) & 1) << 1;
  out[i] = fibonacci(n);
}
__device__ __noinline__ int count_down(int n) {  // one call, in the middle
  int x = n;
  if (n > 0) x += count_down(n - 1) * 3;
  return x;
}
extern "C" __global__ void count_of(int* out, int low, int high) {
  const int i = threadIdx.x;
  const int n = (low >> (i & 31) & 1) | (high >> (i & 31) & 1) << 1;
  out[i] = count_down(n);
}
