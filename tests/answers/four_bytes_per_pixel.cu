// Four bytes per pixel in, one out: the input is four times as long as the image has pixels.
// trace: --sample
__global__ void opacity(const unsigned char* pixels, unsigned char* out, int rows, int columns) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  const int i = y * columns + x;
  const int brightest = max(pixels[4 * i], max(pixels[4 * i + 1], pixels[4 * i + 2]));
  out[i] = brightest * pixels[4 * i + 3] / 255;
}
