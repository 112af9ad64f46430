__global__ void moment(const float* particles, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = reinterpret_cast<const float4*>(particles)[i];
  out[i] = p.w * sqrtf(p.x * p.x + p.y * p.y + p.z * p.z);
}
