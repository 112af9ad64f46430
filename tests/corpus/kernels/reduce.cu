// Sums of a vector, as the usual ladder has them.

extern "C" __global__ void reduce_interleaved(const float* in, float* out) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    if (t % (2 * d) == 0) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void reduce_strided_index(const float* in, float* out) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    const unsigned index = 2 * d * t;
    if (index < blockDim.x) s[index] += s[index + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void reduce_sequential(const float* in, float* out) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x * 2 + t] + in[blockIdx.x * blockDim.x * 2 + blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void reduce_volatile_warp(const float* in, float* out) {
  __shared__ volatile float s[256];
  const unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  if (t < 128) s[t] = s[t] + s[t + 128];
  __syncthreads();
  if (t < 64) s[t] = s[t] + s[t + 64];
  __syncthreads();
  if (t < 32) {
    for (int d = 32; d > 0; d >>= 1) {
      const float other = s[t + d];
      __syncwarp();
      s[t] = s[t] + other;
      __syncwarp();
    }
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__device__ float warp_sum(float value) {
  for (int d = 16; d > 0; d >>= 1) value += __shfl_down_sync(0xffffffffu, value, d);
  return value;
}

extern "C" __global__ void reduce_shuffle(const float* in, float* out, int n) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    sum = warp_sum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}

extern "C" __global__ void reduce_atomic(const float* in, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

extern "C" __global__ void reduce_atomic_each(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

__device__ unsigned int blocks_done = 0;

extern "C" __global__ void reduce_last_block(const float* in, float* partial, float* out, int n) {
  __shared__ float s[8];
  __shared__ bool last;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float block = 0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) block += s[w];
    partial[blockIdx.x] = block;
    __threadfence();
    last = atomicAdd(&blocks_done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  sum = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
  if (threadIdx.x < 32) {
    sum = warp_sum(sum);
    if (threadIdx.x == 0) out[0] = sum;
  }
}

extern "C" __global__ void reduce_float4(const float4* in, float* out, int n) {
  __shared__ float s[8];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 v = in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}

extern "C" __global__ void reduce_max_redux(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int most = __reduce_max_sync(0xffffffffu, in[i]);
  if (threadIdx.x % 32 == 0) atomicMax(out, most);
}
