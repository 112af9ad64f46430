// Copies of every width, strides, offsets and index arrays.

#define COPY(name, type)                                                                \
  extern "C" __global__ void name(const type* from, type* to, int n) {                  \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                \
    if (i < n) to[i] = from[i];                                                         \
  }

COPY(copy_u8, unsigned char)
COPY(copy_s8, signed char)
COPY(copy_u16, unsigned short)
COPY(copy_u32, unsigned int)
COPY(copy_f32, float)
COPY(copy_f64, double)
COPY(copy_i64, long long)
COPY(copy_float2, float2)
COPY(copy_float4, float4)
COPY(copy_double2, double2)
COPY(copy_uchar4, uchar4)
COPY(copy_uchar2, uchar2)
COPY(copy_short4, short4)
COPY(copy_float3, float3)

extern "C" __global__ void copy_strided(const float* from, float* to, int n, int stride) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  if (i < n) to[i] = from[i];
}

extern "C" __global__ void copy_shifted(const float* from, float* to, int n, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + shift < n) to[i] = from[i + shift];
}

extern "C" __global__ void copy_grid_stride(const float* __restrict__ from, float* __restrict__ to,
                                            int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    to[i] = from[i];
  }
}

extern "C" __global__ void gather(const float* from, const int* index, float* to, int mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[index[i] & mask];
}

extern "C" __global__ void scatter(const float* from, const int* index, float* to, int mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[index[i] & mask] = from[i];
}

extern "C" __global__ void gather_float4(const float4* from, const int* index, float4* to,
                                         int mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[index[i] & mask];
}

extern "C" __global__ void gather_u8(const unsigned char* from, const int* index,
                                     unsigned char* to, int mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[index[i] & mask];
}

struct Particle {
  float x, y, z, mass, vx, vy, vz, charge;
};

extern "C" __global__ void move_aos(Particle* particles, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  particles[i].x += dt * particles[i].vx;
  particles[i].y += dt * particles[i].vy;
  particles[i].z += dt * particles[i].vz;
}

extern "C" __global__ void move_soa(float* x, float* y, float* z, const float* vx, const float* vy,
                                    const float* vz, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] += dt * vx[i];
  y[i] += dt * vy[i];
  z[i] += dt * vz[i];
}

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void reverse_block(const float* from, float* to) {
  extern __shared__ float buffer[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  buffer[threadIdx.x] = from[i];
  __syncthreads();
  to[i] = buffer[blockDim.x - 1 - threadIdx.x];
}
