// The template's arguments are constants of the host function that launches: 64 and 2.
// trace: --sample
// launch: kernel stepped<64,2>, block 64x1x1
template <const int WIDTH, const int STEPS>
__global__ void stepped(float* values, int count) {
  const int first = (blockIdx.x * WIDTH + threadIdx.x) * STEPS;
  for (int k = 0; k < STEPS; ++k)
    if (first + k < count) values[first + k] -= 1.0f;
}
void host(float* values, int count) {
  constexpr int WIDTH = 64;
  const int STEPS = 2;
  stepped<WIDTH, STEPS><<<count / (WIDTH * STEPS), WIDTH>>>(values, count);
}
