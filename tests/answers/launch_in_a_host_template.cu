// The launch is in a template of the host, which main makes for unsigned.
// trace: --sample
// launch: kernel doubled<unsigned>, block 64x1x1, to u32[1048576]
template <class Number>
__global__ void doubled(Number* to, const Number* from, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i] + from[i];
}
template <class Number>
void launch(int count) {
  Number *to = nullptr, *from = nullptr;
  doubled<Number><<<count / 64, 64>>>(to, from, count);
}
int main() { launch<unsigned>(1 << 20); }
