// output: 101 112
// finding: out_of_bounds 13
// finding text: byte 16 of row 0 lies outside the surface
#include <cstdio>

// x of a surface counts bytes.
__global__ void add_100(cudaSurfaceObject_t surface) {
  float value;
  surf2Dread(&value, surface, threadIdx.x * sizeof(float), threadIdx.y);
  surf2Dwrite(value + 100, surface, threadIdx.x * sizeof(float), threadIdx.y);
}
__global__ void too_far(cudaSurfaceObject_t surface) {
  surf2Dwrite(0.0f, surface, 4 * sizeof(float), 0);
}

int main() {
  const float rows[2][4] = {{0, 1, 2, 3}, {10, 11, 12, 13}};
  float back[2][4];
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &floats, 4, 2, cudaArraySurfaceLoadStore);
  cudaMemcpy2DToArray(array, 0, 0, rows, sizeof rows[0], sizeof rows[0], 2,
                      cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  add_100<<<1, dim3(4, 2)>>>(surface);
  cudaMemcpy2DFromArray(back, sizeof back[0], array, 0, 0, sizeof back[0], 2,
                        cudaMemcpyDeviceToHost);
  printf("%g %g\n", back[0][1], back[1][2]);
  too_far<<<1, 1>>>(surface);
  cudaDeviceSynchronize();
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
}
