// Texture and surface references of before CUDA 12 are taken from a header of Tilescope's.
// output: 4 3 2 1
// output: 1.5 of the middle, 0.5 of a byte, 6 at the surface
// launches: 2
#include <cstdio>

texture<int, 1, cudaReadModeElementType> line;
texture<float, 2, cudaReadModeElementType> plane;
texture<unsigned char, 1, cudaReadModeNormalizedFloat> bytes;
surface<void, 2> target;

__global__ void backwards(int* to) { to[threadIdx.x] = tex1Dfetch(line, 3 - threadIdx.x); }

__global__ void sampled(float* to) {
  to[0] = tex2D(plane, 1.0f, 0.5f);
  to[1] = tex1Dfetch(bytes, 0);
  surf2Dwrite(6.0f, target, 0, 0);
  surf2Dread(to + 2, target, 0, 0);
}

int main() {
  int* numbers = nullptr;
  int host[4] = {1, 2, 3, 4};
  cudaMalloc(&numbers, sizeof host);
  cudaMemcpy(numbers, host, sizeof host, cudaMemcpyHostToDevice);
  int* back = nullptr;
  cudaMalloc(&back, sizeof host);
  cudaBindTexture(nullptr, line, numbers, sizeof host);
  backwards<<<1, 4>>>(back);
  cudaMemcpy(host, back, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
  cudaUnbindTexture(line);

  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaArray* array = nullptr;
  cudaArray* written = nullptr;
  cudaMallocArray(&array, &plane.channelDesc, 2, 1);
  cudaMallocArray(&written, &channels, 2, 1, cudaArraySurfaceLoadStore);
  const float pair[2] = {1, 2};
  cudaMemcpy2DToArray(array, 0, 0, pair, sizeof pair, sizeof pair, 1, cudaMemcpyHostToDevice);
  plane.filterMode = cudaFilterModeLinear;
  plane.addressMode[0] = cudaAddressModeClamp;
  cudaBindTextureToArray(plane, array, channels);
  cudaBindSurfaceToArray(target, written);
  unsigned char half = 128;
  void* byte = nullptr;
  cudaMalloc(&byte, 1);
  cudaMemcpy(byte, &half, 1, cudaMemcpyHostToDevice);
  cudaBindTexture(nullptr, bytes, byte, cudaCreateChannelDesc<unsigned char>(), 1);
  float* values = nullptr;
  cudaMalloc(&values, 3 * sizeof(float));
  sampled<<<1, 1>>>(values);
  float result[3];
  cudaMemcpy(result, values, sizeof result, cudaMemcpyDeviceToHost);
  printf("%.1f of the middle, %.1f of a byte, %g at the surface\n", result[0], result[1],
         result[2]);
  cudaFreeArray(array);
  cudaFreeArray(written);
  cudaFree(byte);
  cudaFree(values);
  cudaFree(back);
  cudaFree(numbers);
}
