// A plane with a border of one. Nobody says how large the buffers are, and the first try was too
// small: they grow until the last block is inside, too.
// trace: --sample
__global__ void copy_inside(const float* in, float* out, int4 bounds, int stride) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int at = (2 * y + 1) * (stride + 2) + x + 1;
  if (x < bounds.x || x > bounds.z || y < bounds.y || y > bounds.w) return;
  out[at] = in[at];
}

extern "C" void copy(const float* in, float* out, const int4* bounds, const int2* size) {
  dim3 block(16, 16);
  dim3 grid(size->x / block.x, size->y / block.y);
  copy_inside<<<grid, block>>>(in, out, *bounds, size->x);
}
