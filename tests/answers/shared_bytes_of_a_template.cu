// Dynamic shared memory as large as an instance of a template: two stages of 128 floats and a flag,
// each at a multiple of 128 B: 1,152 B.
// trace: --sample
// launch: grid 64x1x1, block 128x1x1, shared 1152
template <int WIDTH, int STAGES>
struct Space {
  alignas(128) float rows[WIDTH * (STAGES + 0)];
  alignas(128) int flag;
};
template <int WIDTH, int STAGES>
__global__ void staged(const float* in, float* out) {
  extern __shared__ __align__(128) unsigned char bytes[];
  Space<WIDTH, STAGES>& space = *reinterpret_cast<Space<WIDTH, STAGES>*>(bytes);
  const int t = threadIdx.x;
  if (t == 0) space.flag = 1;
  for (int s = 0; s < STAGES; ++s) space.rows[s * WIDTH + t] = in[s * WIDTH + t];
  __syncthreads();
  out[blockIdx.x * WIDTH + t] = space.rows[WIDTH - 1 - t] + space.rows[WIDTH + t] + space.flag;
}
int main() {
  constexpr int WIDTH = 128, STAGES = 2;
  float *in = nullptr, *out = nullptr;
  auto* kernel = staged<WIDTH, STAGES>;
  const size_t bytes = sizeof(Space<WIDTH, STAGES>);
  kernel<<<64, WIDTH, bytes>>>(in, out);
}
