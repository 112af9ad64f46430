// A texture object by value. It is guessed (1,024 x 1,024 floats, nearest, clamped), and the picture of
// everything else is shown.
// trace: --sample
// counts: global_store at store: sectors 131072
__global__ void shrunk(float* out, int width, int height, float share, cudaTextureObject_t image) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = tex2D<float>(image, (x + 0.5f) * share, (y + 0.5f) * share);  //@store
}
