// A concept says what a template takes: the file is C++20, which is said nowhere.
// trace: --sample
// launch: kernel negated<float>
template <class T>
concept Signed = T(-1) < T(0);
template <Signed T>
__global__ void negated(T* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = -values[i];
}
int main() { negated<float><<<16, 256>>>(nullptr, 4096); }
