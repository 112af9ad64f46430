// Addresses are reserved and get their memory piece by piece, as an array that grows.
// output: context: CUDA_ERROR_INVALID_CONTEXT, then CUDA_SUCCESS
// output: granularity 2097152, supported 1
// output: half a granule: CUDA_ERROR_INVALID_VALUE
// output: no memory yet: CUDA_ERROR_INVALID_VALUE
// output: mapped twice: CUDA_ERROR_INVALID_VALUE
// output: 0 wrong, same piece 1, pinned 1
// output: in use: CUDA_ERROR_INVALID_VALUE
// output: unmapped CUDA_SUCCESS, freed CUDA_SUCCESS, released CUDA_ERROR_INVALID_VALUE
// launches: 1
// host: failed_call
// host: failed_call
// host: failed_call
// host: failed_call
// host: failed_call
#include <cuda.h>

#include <cstdio>
#include <vector>

__global__ void number(int* x, int first, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[first + i] = first + i;
}

const char* name_of(CUresult result) {
  const char* name = "";
  cuGetErrorName(result, &name);
  return name;
}

int main() {
  CUdevice device;
  cuInit(0);
  cuDeviceGet(&device, 0);
  const CUresult before = cuCtxGetDevice(&device);
  cudaFree(nullptr);  // the runtime library makes its context current
  printf("context: %s, then %s\n", name_of(before), name_of(cuCtxGetDevice(&device)));
  CUmemAllocationProp kind = {};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  size_t granule = 0;
  int supported = 0;
  cuMemGetAllocationGranularity(&granule, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device);
  printf("granularity %zu, supported %d\n", granule, supported);

  CUdeviceptr begin = 0;
  CUmemGenericAllocationHandle piece[2], same;
  cuMemAddressReserve(&begin, 2 * granule, 0, 0, 0);
  printf("half a granule: %s\n", name_of(cuMemCreate(&piece[0], granule / 2, &kind, 0)));
  CUmemAccessDesc access = {kind.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  printf("no memory yet: %s\n", name_of(cuMemSetAccess(begin, granule, &access, 1)));
  for (int i = 0; i < 2; ++i) {
    cuMemCreate(&piece[i], granule, &kind, 0);
    cuMemMap(begin + i * granule, granule, 0, piece[i], 0);
  }
  printf("mapped twice: %s\n", name_of(cuMemMap(begin, granule, 0, piece[1], 0)));
  cuMemSetAccess(begin, 2 * granule, &access, 1);

  int* const x = reinterpret_cast<int*>(begin);
  const int n = 1000, first = static_cast<int>(granule / sizeof(int)) - n / 2;
  number<<<(n + 255) / 256, 256>>>(x, first, n);
  std::vector<int> host(n);
  cuMemcpyDtoH(host.data(), begin + first * sizeof(int), n * sizeof(int));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[i] != first + i;
  CUmemAllocationProp asked = {};
  cuMemGetAllocationPropertiesFromHandle(&asked, piece[1]);
  cuMemRetainAllocationHandle(&same, x + first + n - 1);
  printf("%d wrong, same piece %d, pinned %d\n", wrong, same == piece[1],
         asked.type == CU_MEM_ALLOCATION_TYPE_PINNED);

  printf("in use: %s\n", name_of(cuMemAddressFree(begin, 2 * granule)));
  cuMemRelease(same);
  for (int i = 0; i < 2; ++i) cuMemRelease(piece[i]);
  const CUresult unmapped = cuMemUnmap(begin, 2 * granule);
  const CUresult freed = cuMemAddressFree(begin, 2 * granule);
  printf("unmapped %s, freed %s, released %s\n", name_of(unmapped), name_of(freed),
         name_of(cuMemRelease(piece[0])));
}
