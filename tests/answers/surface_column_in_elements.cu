// A surface takes its column in bytes, a texture in elements. Columns without sizeof(float) overlap and
// are misaligned for three of four lanes, and the right three quarters of the image stay empty.
// trace: --sample
// mutant 0: misaligned at write (x counts floats, the surface counts bytes)
extern "C" __global__ void outlined(cudaTextureObject_t from, cudaSurfaceObject_t to, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float right = tex2D<float>(from, x + 1.5f, y + 0.5f), below = tex2D<float>(from, x + 0.5f, y + 1.5f);
  surf2Dwrite(fabsf(right - below), to, x, y);  //@write
}
