// The kernel's own template says of what its structure is: doubles.
// trace: --sample
// launch: kernel halved<double>, grid 4096x1x1, run.from f64[1048576], run.count i32:1048576
template <class T>
struct Run {
  const T* from;
  T* to;
  int count;
};
template <class T>
__global__ void halved(Run<T> run) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < run.count) run.to[i] = run.from[i] / 2;
}
int main() {
  Run<double> run;
  halved<double><<<4096, 256>>>(run);
}
