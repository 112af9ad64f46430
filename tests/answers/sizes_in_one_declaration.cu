// Sizes that the host says in one declaration of all, and buffers that are products of them: 4 sequences
// of 512 places with 320 channels.
// trace: --sample
// launch: block 128x1x1, grid 16x1x1, count i32:4, places i32:512, channels i32:320
__global__ void largest(float* most, const float* in, int count, int places, int channels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * places) return;
  float peak = 0.0f;
  for (int k = 0; k < channels; ++k) peak = fmaxf(peak, in[i * channels + k]);
  most[i] = peak;
}
int main() {
  int count = 4, places = 512, channels = 320;
  float *most, *in;
  cudaMalloc(&most, count * places * sizeof(float));
  cudaMalloc(&in, count * places * channels * sizeof(float));
  largest<<<(count * places + 127) / 128, 128>>>(most, in, count, places, channels);
}
