// output: 1 2 2
// output: 0.5 1.5 2
// output: 3 3.5
// output: 7 0
// output: 0.2 1
#include <cstdio>

// Reads of arrays and of linear memory through texture objects.
__global__ void sample(cudaTextureObject_t image, float* out, float dx) {
  out[threadIdx.x] = tex2D<float>(image, threadIdx.x + dx, 0.5f);
}
__global__ void sample_volume(cudaTextureObject_t volume, float* out) {
  out[threadIdx.x] = tex3D<float>(volume, threadIdx.x * 0.5f + 0.5f, 0.5f, 1.0f);
}
__global__ void fetch(cudaTextureObject_t row, float* out) {
  out[threadIdx.x] = tex1Dfetch<int>(row, threadIdx.x * 8 + 7);
}
__global__ void sample_bytes(cudaTextureObject_t bytes, float* out) {
  const float4 texel = tex2D<float4>(bytes, threadIdx.x + 0.5f, 0.5f);
  out[threadIdx.x] = threadIdx.x == 0 ? texel.y : texel.w;
}

cudaTextureObject_t texture_of(cudaResourceDesc resource, cudaTextureFilterMode filter,
                               cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc description = {};
  for (auto& mode : description.addressMode) mode = cudaAddressModeClamp;
  description.filterMode = filter;
  description.readMode = read;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  return texture;
}
cudaResourceDesc array_resource(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}
void show(const float* device, int count) {
  float host[3];
  cudaMemcpy(host, device, count * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < count; ++i) printf(i + 1 < count ? "%g " : "%g\n", host[i]);
}

int main() {
  float* out;
  cudaMalloc(&out, 3 * sizeof(float));
  const float image[2][3] = {{0, 1, 2}, {3, 4, 5}};
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &floats, 3, 2);
  cudaMemcpy2DToArray(array, 0, 0, image, sizeof image[0], sizeof image[0], 2,
                      cudaMemcpyHostToDevice);
  const cudaTextureObject_t nearest = texture_of(array_resource(array), cudaFilterModePoint);
  sample<<<1, 3>>>(nearest, out, 1.5f);  // the last two lie beyond the edge
  show(out, 3);

  const cudaTextureObject_t blended = texture_of(array_resource(array), cudaFilterModeLinear);
  sample<<<1, 3>>>(blended, out, 1.0f);
  show(out, 3);

  float cells[2][1][2] = {{{0, 1}}, {{6, 7}}};
  cudaArray_t volume;
  cudaMalloc3DArray(&volume, &floats, make_cudaExtent(2, 1, 2));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(cells, 2 * sizeof(float), 2, 1);
  copy.dstArray = volume;
  copy.extent = make_cudaExtent(2, 1, 2);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  const cudaTextureObject_t deep = texture_of(array_resource(volume), cudaFilterModeLinear);
  sample_volume<<<1, 2>>>(deep, out);
  show(out, 2);

  int numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  int* row;
  cudaMalloc(&row, sizeof numbers);
  cudaMemcpy(row, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = row;
  linear.res.linear.desc = cudaCreateChannelDesc<int>();
  linear.res.linear.sizeInBytes = sizeof numbers;
  const cudaTextureObject_t fetched = texture_of(linear, cudaFilterModePoint);
  fetch<<<1, 2>>>(fetched, out);  // the second lies beyond the end
  show(out, 2);

  const uchar4 texels[2] = {make_uchar4(0, 51, 0, 0), make_uchar4(0, 0, 0, 255)};
  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
  cudaArray_t pixels;
  cudaMallocArray(&pixels, &bytes, 2, 1);
  cudaMemcpy2DToArray(pixels, 0, 0, texels, sizeof texels, sizeof texels, 1,
                      cudaMemcpyHostToDevice);
  const cudaTextureObject_t shares =
      texture_of(array_resource(pixels), cudaFilterModePoint, cudaReadModeNormalizedFloat);
  sample_bytes<<<1, 2>>>(shares, out);
  show(out, 2);

  for (const cudaTextureObject_t each : {nearest, blended, deep, fetched, shares})
    cudaDestroyTextureObject(each);
  for (const cudaArray_t each : {array, volume, pixels}) cudaFreeArray(each);
  cudaFree(row);
  cudaFree(out);
}
