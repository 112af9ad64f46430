// Structures by value: one of the CUDA programming guide's shape, and one with vectors, padding and
// an array that is indexed while the kernel runs.
typedef struct {
  int width;
  int height;
  float* elements;
} Matrix;

struct Blend {
  char mode;
  float4 tint;
  double by[3];
  __device__ float at(int i) const { return static_cast<float>(by[i % 3]); }
};

extern "C" __global__ void blend(const Matrix in, Matrix out, Blend how, float2 shift) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= in.height || col >= in.width) return;
  float value = in.elements[row * in.width + col] * how.at(col) + how.tint.z + shift.y;
  out.elements[row * out.width + col] = how.mode == 7 ? value : -1;
}
