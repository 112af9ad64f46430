// output: 1000 + 2000 = 3000
// Two arrays that are registered, a page of the host's has parts of both.
#include <cstdio>
#include <cstdlib>
__global__ void sum(const int* a, const int* b, int n, int* out) {
  int total = 0;
  for (int i = 0; i < n; ++i) total += a[i] + b[i];
  *out = total;
}
int main() {
  const int n = 1000;
  int* all = static_cast<int*>(aligned_alloc(4096, 4 * 4096));
  int *a = all + 100, *b = a + n, *c = b + n;
  cudaHostRegister(a, n * sizeof(int), cudaHostRegisterDefault);
  cudaHostRegister(c, sizeof(int), cudaHostRegisterDefault);
  cudaHostRegister(b, n * sizeof(int), cudaHostRegisterDefault);
  for (int i = 0; i < n; ++i) {
    a[i] = 1;
    b[i] = 2;
  }
  sum<<<1, 1>>>(a, b, n, c);
  cudaDeviceSynchronize();
  printf("%d + %d = %d\n", n, 2 * n, *c);
  cudaHostUnregister(a);
  cudaHostUnregister(b);
  cudaHostUnregister(c);
  free(all);
}
