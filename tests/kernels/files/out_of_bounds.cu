// Writes one element past the end of out when it is as long as the block.
__global__ void shift(float* out) { out[threadIdx.x + 1] = 1.0f; }
