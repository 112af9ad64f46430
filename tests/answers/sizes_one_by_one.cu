// Sizes that the host says in one declaration each, and buffers that are products of them: 4 sequences
// of 512 places with 320 channels.
// trace: --sample
// launch: block 128x1x1, grid 16x1x1, count i32:4, places i32:512, channels i32:320
__global__ void norms_of(float* norms, const float* in, int count, int places, int channels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * places) return;
  float sum = 0.0f;
  for (int k = 0; k < channels; ++k) sum += in[i * channels + k] * in[i * channels + k];
  norms[i] = sqrtf(sum);
}
int main() {
  int count = 4;
  int places = 512;
  int channels = 320;
  float *norms, *in;
  cudaMalloc(&norms, count * places * sizeof(float));
  cudaMalloc(&in, count * places * channels * sizeof(float));
  norms_of<<<(count * places + 127) / 128, 128>>>(norms, in, count, places, channels);
}
