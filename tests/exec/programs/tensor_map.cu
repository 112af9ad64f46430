// Boxes of a matrix are copied through a tensor map, turned over in shared memory and stored through
// another; the right and the lower edge hang over.
// output: 0 wrong of 7000
// output: refused: 1
// launches: 1
// host: failed_call
// nvcc: -arch=sm_90a
#include <cuda.h>
#include <cuda/barrier>
#include <cstdio>
#include <utility>
#include <vector>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
constexpr int kRows = 70, kColumns = 100, kBox = 32;

__global__ void turn(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(128) float box[kBox][kBox];
  __shared__ alignas(128) float turned[kBox][kBox];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  const int x = blockIdx.x * kBox, y = blockIdx.y * kBox;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(box, &from, x, y, barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof box);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int i = threadIdx.x; i < kBox * kBox; i += blockDim.x) turned[i % kBox][i / kBox] = box[i / kBox][i % kBox];
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_shared_to_global(&to, y, x, turned);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}

using Encode = decltype(&cuTensorMapEncodeTiled);

CUresult map_of(Encode encode, CUtensorMap* map, float* data, cuuint64_t columns, cuuint64_t rows, cuuint64_t pitch) {
  const cuuint64_t extents[2] = {columns, rows}, strides[1] = {pitch};
  const cuuint32_t box[2] = {kBox, kBox}, steps[2] = {1, 1};
  return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, extents, strides, box, steps,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

int main() {
  constexpr int kPitch = 72;  // of the turned matrix: rows begin at multiples of 16 bytes
  std::vector<float> host(kRows * kColumns), result(kColumns * kPitch);
  for (int i = 0; i < kRows * kColumns; ++i) host[i] = i;
  float *in, *out;
  cudaMalloc(&in, host.size() * 4);
  cudaMalloc(&out, result.size() * 4);
  cudaMemcpy(in, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, result.size() * 4);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult status;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &status);
  const Encode encode = reinterpret_cast<Encode>(entry);
  CUtensorMap from, to, odd;
  map_of(encode, &from, in, kColumns, kRows, kColumns * 4);
  map_of(encode, &to, out, kRows, kColumns, kPitch * 4);
  turn<<<dim3(4, 3), 128>>>(from, to);
  cudaMemcpy(result.data(), out, result.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int y = 0; y < kRows; ++y)
    for (int x = 0; x < kColumns; ++x) wrong += result[x * kPitch + y] != host[y * kColumns + x];
  std::printf("%d wrong of %d\n", wrong, kRows * kColumns);
  std::printf("refused: %d\n", map_of(encode, &odd, in, kColumns, kRows, 404) == CUDA_ERROR_INVALID_VALUE);
  cudaFree(in);
  cudaFree(out);
}
