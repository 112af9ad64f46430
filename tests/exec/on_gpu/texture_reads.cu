// Reads textures at random places in all address modes and prints each value's bits, to compare a
// GPU with the emulator:
//   nvcc -arch=native texture_reads.cu -o texture_reads && ./texture_reads >gpu.txt
//   tilescope exec texture_reads.cu --quiet >emulated.txt
//   python3 compare_reads.py gpu.txt emulated.txt
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int kReads = 1024;

// The i-th of a series of numbers in [0, 1).
__device__ float random(uint32_t i) {
  i = i * 747796405u + 2891336453u;
  i = ((i >> ((i >> 28) + 4)) ^ i) * 277803737u;
  return (((i >> 22) ^ i) >> 8) * (1.0f / 16777216);
}

// Places are from `low` to `low + range` in each direction.
struct Places {
  float low, range;
  __device__ float at(uint32_t i) const { return low + range * random(i); }
};
__device__ uint32_t index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void read_row(cudaTextureObject_t t, float* out, Places p) {
  out[index()] = tex1D<float>(t, p.at(index()));
}
__global__ void read_plane(cudaTextureObject_t t, float* out, Places p) {
  out[index()] = tex2D<float>(t, p.at(2 * index()), p.at(2 * index() + 1));
}
__global__ void read_volume(cudaTextureObject_t t, float* out, Places p) {
  out[index()] = tex3D<float>(t, p.at(3 * index()), p.at(3 * index() + 1), p.at(3 * index() + 2));
}
__global__ void read_cube(cudaTextureObject_t t, float* out, Places p) {
  out[index()] =
      texCubemap<float>(t, p.at(3 * index()), p.at(3 * index() + 1), p.at(3 * index() + 2));
}
__global__ void read_bytes(cudaTextureObject_t t, float* out, Places p) {
  const float4 v = tex2D<float4>(t, p.at(2 * index()), p.at(2 * index() + 1));
  out[index()] = v.x + v.y * 2 + v.z * 4 + v.w * 8;
}
__global__ void gather(cudaTextureObject_t t, float* out, Places p) {
  const float4 v = tex2Dgather<float4>(t, p.at(2 * index()), p.at(2 * index() + 1), 0);
  out[index()] = v.x + v.y * 10 + v.z * 100 + v.w * 1000;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

cudaArray_t array_of(const void* texels, cudaChannelFormatDesc format, cudaExtent extent,
                     unsigned flags = 0) {
  cudaArray_t array;
  check(cudaMalloc3DArray(&array, &format, extent, flags));
  cudaMemcpy3DParms copy = {};
  const size_t rows = extent.height == 0 ? 1 : extent.height;
  copy.srcPtr = make_cudaPitchedPtr(const_cast<void*>(texels), extent.width * sizeof(float),
                                    extent.width, rows);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, rows, extent.depth == 0 ? 1 : extent.depth);
  copy.kind = cudaMemcpyHostToDevice;
  check(cudaMemcpy3D(&copy));
  return array;
}

struct Way {
  cudaTextureAddressMode mode = cudaAddressModeClamp;
  cudaTextureFilterMode filter = cudaFilterModePoint;
  bool is_normalised = true;
  cudaTextureReadMode read = cudaReadModeElementType;
};

template <class Kernel>
void show(const char* name, Kernel kernel, cudaArray_t array, Way way, Places places) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  for (auto& mode : description.addressMode) mode = way.mode;
  description.filterMode = way.filter;
  description.readMode = way.read;
  description.normalizedCoords = way.is_normalised;
  description.borderColor[0] = 0.25f;
  cudaTextureObject_t texture;
  check(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  float* out;
  check(cudaMalloc(&out, kReads * sizeof(float)));
  kernel<<<kReads / 128, 128>>>(texture, out, places);
  std::vector<uint32_t> bits(kReads);
  check(cudaMemcpy(bits.data(), out, kReads * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%s, address mode %d, filter %d, normalised %d:", name, way.mode, way.filter,
              way.is_normalised);
  for (const uint32_t each : bits) std::printf(" %08x", each);
  std::printf("\n");
  check(cudaFree(out));
  check(cudaDestroyTextureObject(texture));
}

int main() {
  std::vector<float> texels(4096);
  uint32_t state = 1;
  for (float& texel : texels) {
    state = state * 1664525u + 1013904223u;
    texel = (state >> 8) * (1.0f / 16777216);
  }
  const auto floats = cudaCreateChannelDesc<float>();
  const cudaArray_t row = array_of(texels.data(), floats, make_cudaExtent(100, 0, 0));
  const cudaArray_t plane = array_of(texels.data(), floats, make_cudaExtent(37, 21, 0));
  const cudaArray_t volume = array_of(texels.data(), floats, make_cudaExtent(9, 7, 5));
  const cudaArray_t cube =
      array_of(texels.data(), floats, make_cudaExtent(8, 8, 6), cudaArrayCubemap);
  const cudaArray_t gathered =
      array_of(texels.data(), floats, make_cudaExtent(37, 21, 0), cudaArrayTextureGather);
  const cudaArray_t bytes =
      array_of(texels.data(), cudaCreateChannelDesc<uchar4>(), make_cudaExtent(16, 16, 0));

  for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
    for (const auto mode : {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                            cudaAddressModeBorder}) {
      const Way way{mode, filter};
      show("plane", read_plane, plane, way, {-1.5f, 4});
      show("row", read_row, row, way, {-1, 3});
      show("volume", read_volume, volume, way, {-1, 3});
      show("bytes", read_bytes, bytes, {mode, filter, true, cudaReadModeNormalizedFloat},
           {-0.5f, 2});
      if (mode == cudaAddressModeClamp || mode == cudaAddressModeBorder)
        show("plane", read_plane, plane, {mode, filter, false}, {-5, 50});
    }
    show("cube", read_cube, cube, {cudaAddressModeClamp, filter}, {-1, 2});
  }
  show("gather", gather, gathered, {cudaAddressModeClamp, cudaFilterModePoint, false}, {-3, 43});
  show("gather", gather, gathered, {cudaAddressModeWrap}, {-1, 3});
}
